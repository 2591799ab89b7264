"""Verbs on studies, for every face: create one, see what is wrong with it, open it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from interviews import audit, plans, revisions
from interviews.audit import Action
from interviews.checklist import missing, problems_of
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.models import Study
from interviews.study_checks import Problem


def create_study(**fields: Any) -> Study:
    """Store a new study as a draft.

    Raises InterviewError STUDY_INVALID that names every field that no interview could use.
    """
    study = Study(**fields, status=Study.Status.DRAFT)
    _refuse(problems_of(study), ErrorCode.STUDY_INVALID, "This study cannot be saved")
    with transaction.atomic():
        study.save(force_insert=True)
        plans.request(study)
    return study


def change_study(study: Study, fields: Mapping[str, Any], *, by: str, revise: bool) -> Study:
    """Change some fields of a study; `revise` agrees to a new revision where it was opened.

    Raises FormRefused that names every field that no interview could use, and InterviewError
    STUDY_FROZEN where frozen fields would change without `revise`; nothing is changed then.
    """
    with transaction.atomic():
        kept = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        before = revisions.content_of(kept)
        for name, value in fields.items():
            setattr(kept, name, value)
        after = revisions.content_of(kept)
        frozen = [name for name in revisions.FROZEN if before[name] != after[name]]
        opened = kept.status != Study.Status.DRAFT
        if frozen and opened and not revise:
            raise InterviewError(
                ErrorCode.STUDY_FROZEN,
                f"This study is {kept.status}; {', '.join(frozen)} would change. Say new_revision "
                "to make it a new revision: interviews already held keep theirs.",
            )
        check(kept)
        kept.save(update_fields=list(fields))
        audit.record(Action.CHANGED, kept, by=by, fields=fields)
        if frozen and opened:
            revisions.current(kept, by=by)
            audit.record(Action.REVISED, kept, by=by, fields=frozen)
        plans.request(kept)
    return kept


def check(study: Study) -> None:
    """Raise FormRefused that names every field of a study that no interview could use."""
    faults: dict[str, str] = {}
    try:
        study.clean_fields()
        study.validate_unique()
    except ValidationError as error:
        faults = {name: " ".join(said) for name, said in error.message_dict.items()}
    faults |= {problem.field: problem.message for problem in problems_of(study)}
    if faults:
        raise FormRefused(
            "This study cannot be saved.", fields=faults, code=ErrorCode.STUDY_INVALID
        )


# -- states --------------------------------------------------------------------------------------
NEXT: dict[str, tuple[str, ...]] = {
    Study.Status.DRAFT: (Study.Status.LIVE, Study.Status.ARCHIVED),
    Study.Status.LIVE: (Study.Status.PAUSED, Study.Status.CLOSED),
    Study.Status.PAUSED: (Study.Status.LIVE, Study.Status.CLOSED),
    Study.Status.CLOSED: (Study.Status.LIVE, Study.Status.ARCHIVED),
    Study.Status.ARCHIVED: (Study.Status.CLOSED,),
}
"""What may follow each state. Only a live study takes new interviews; those that run go on."""

_ACTIONS = {
    Study.Status.LIVE: Action.WENT_LIVE,
    Study.Status.PAUSED: Action.PAUSED,
    Study.Status.CLOSED: Action.CLOSED,
    Study.Status.ARCHIVED: Action.ARCHIVED,
}


def change_status(study_id: UUID | str, status: str, *, by: str) -> Study:
    """Take a study to another state; one that is there already stays so.

    Raises InterviewError STUDY_INVALID where the state cannot follow, and STUDY_INCOMPLETE, saying
    what is missing, where the study cannot go live; nothing is changed then.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(of=("self",)).get(pk=study_id)
        if study.status == status:
            return study
        if status not in NEXT[study.status]:
            raise InterviewError(
                ErrorCode.STUDY_INVALID,
                f"A study that is {study.status} cannot become {status}; it can become "
                f"{' or '.join(NEXT[study.status])}.",
            )
        if status == Study.Status.LIVE:
            plans.ensure(study)
            lacks = missing(study)
            if lacks:
                said = "; ".join(item.message for item in lacks)
                raise InterviewError(
                    ErrorCode.STUDY_INCOMPLETE, f"This study cannot go live. {said}."
                )
            revisions.current(study, by=by)
        reopened = study.status == Study.Status.ARCHIVED
        study.status = status
        study.save(update_fields=["status"])
        action = Action.REOPENED if reopened else _ACTIONS[Study.Status(status)]
        audit.record(action, study, by=by)
    return study


def go_live(study_id: UUID | str, *, by: str = audit.COMMAND) -> Study:
    """Open a study to respondents; one that is live already stays so.

    Raises InterviewError STUDY_INCOMPLETE that says what is missing, and changes nothing then.
    """
    return change_status(study_id, Study.Status.LIVE, by=by)


def copy_study(study: Study, slug: str, *, by: str) -> Study:
    """Store a draft with another address that is otherwise like `study`, without its interviews.

    Raises InterviewError STUDY_INVALID where the slug is taken or no slug.
    """
    try:
        Study._meta.get_field("slug").clean(slug, study)
    except ValidationError as error:
        raise InterviewError(ErrorCode.STUDY_INVALID, f"slug: {error.messages[0]}") from error
    if Study.objects.filter(slug=slug).exists():
        raise InterviewError(ErrorCode.STUDY_INVALID, f"slug: there is a study {slug!r} already")
    kept = {
        field.attname: getattr(study, field.attname)
        for field in Study._meta.concrete_fields
        if field.name not in ("id", "slug", "status", "created_at")
    }
    with transaction.atomic():
        copy = Study(**kept, slug=slug, status=Study.Status.DRAFT)
        copy.save(force_insert=True)
        plans.request(copy)
        audit.record(Action.COPIED, copy, by=by)
    return copy


def _refuse(found: Sequence[Problem], code: ErrorCode, sentence: str) -> None:
    if found:
        said = "; ".join(f"{problem.field}: {problem.message}" for problem in found)
        raise InterviewError(code, f"{sentence}. {said}.")

"""Verbs on studies, for every face: create one, see what is wrong with it, open it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from interviews.errors import ErrorCode, InterviewError
from interviews.llm.setup import llm_config
from interviews.models import Study
from interviews.study_checks import Problem, Said, problems

NUMBERS = (
    "max_turns",
    "surface_similarity_threshold",
    "canonical_similarity_threshold",
    "canonical_min_support_nodes",
)


def problems_of(study: Study, *, live: bool | None = None) -> list[Problem]:
    """Return what is wrong with a study as it is, or would be if it were `live`."""
    said = Said(
        mode=study.mode,
        methodology=study.methodology_version_id is not None,
        concept=study.concept_version_id is not None,
        language=study.language,
        llm_choice=study.llm_choice,
    )
    return [
        *_out_of_range(study),
        *problems(
            said,
            config=llm_config,
            live=study.status == Study.Status.LIVE if live is None else live,
        ),
    ]


def _out_of_range(study: Study) -> list[Problem]:
    """What is wrong with the numbers of a study, as its form would say it."""
    others = {field.name for field in study._meta.fields} - set(NUMBERS)
    try:
        study.clean_fields(exclude=others)
    except ValidationError as error:
        return [
            Problem(field=field, message=" ".join(messages))
            for field, messages in error.message_dict.items()
        ]
    return []


def create_study(**fields: Any) -> Study:
    """Store a new study as a draft.

    Raises InterviewError STUDY_INVALID that names every field that no interview could use.
    """
    study = Study(**fields, status=Study.Status.DRAFT)
    _refuse(problems_of(study), ErrorCode.STUDY_INVALID, "This study cannot be saved")
    study.save(force_insert=True)
    return study


def go_live(study_id: UUID | str) -> Study:
    """Open a study to respondents; one that is live already stays so.

    Raises InterviewError STUDY_INCOMPLETE that says what is missing, and changes nothing then.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(of=("self",)).get(pk=study_id)
        if study.status == Study.Status.LIVE:
            return study
        _refuse(
            problems_of(study, live=True), ErrorCode.STUDY_INCOMPLETE, "This study cannot go live"
        )
        study.status = Study.Status.LIVE
        study.save(update_fields=["status"])
    return study


def _refuse(found: Sequence[Problem], code: ErrorCode, sentence: str) -> None:
    if found:
        said = "; ".join(f"{problem.field}: {problem.message}" for problem in found)
        raise InterviewError(code, f"{sentence}. {said}.")

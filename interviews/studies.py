"""Verbs on studies, for every face: create one, see what is wrong with it, open it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from interviews import plans
from interviews.errors import ErrorCode, InterviewError
from interviews.llm.setup import llm_config
from interviews.models import Study
from interviews.modes.registry import modes
from interviews.study_checks import Problem, Said, problems
from methodologies.registry import (
    CONCEPT,
    GUIDE,
    METHODOLOGY,
    DocumentNotFound,
    Kind,
    guide_of,
    named_or_file,
    newest,
    publish,
)
from methodologies.yaml_loader import DocumentInvalid, LoadedStudy, load_study

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
        guide=study.guide_version_id is not None,
        max_turns=study.max_turns,
        language=study.language,
        llm_choice=study.llm_choice,
        data_fields=study.data_fields,
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
    with transaction.atomic():
        study.save(force_insert=True)
        plans.request(study)
    return study


class StudyFileInvalid(ValueError):
    """A study file that cannot be used; its text is one line a fault."""


def study_of_file(path: Path) -> Study:
    """Store the study that a file describes, with the documents in it or beside it; return it.

    A study of the same slug becomes what the file says. Raises DocumentInvalid, StudyFileInvalid,
    DocumentNotFound, or OSError where a file cannot be read; nothing is stored then.
    """
    loaded = load_study(path.read_text(encoding="utf-8"), str(path))
    written = loaded.schema
    with transaction.atomic():
        versions = _versions(path, loaded)
        known = Study.objects.filter(slug=written.slug).first()
        study = known or Study(slug=written.slug, status=Study.Status.DRAFT)
        study.name, study.mode = written.name, written.mode
        for field, version in versions.items():
            setattr(study, field, version)
        study.language = written.language or _language_of(versions) or study.language
        study.max_turns = written.max_turns or _usual_turns(written.mode) or study.max_turns
        study.time_budget_minutes = written.time_budget_minutes
        study.data_fields = list(written.data_fields)
        study.reward, study.llm_choice = written.reward, written.llm_choice
        if written.consent_text:
            study.consent_text = written.consent_text
        if found := problems_of(study):
            lines = (f"{path}: {problem.field}: {problem.message}" for problem in found)
            raise StudyFileInvalid("\n".join(lines))
        study.save()
        plans.request(study)
    return study


def _versions(path: Path, loaded: LoadedStudy) -> dict[str, Any]:
    """The versions of a study's documents, None for one that it has not; all faults at once."""
    mode = modes().get(loaded.schema.mode)
    usual = {"methodology": mode.defaults.methodology if mode else ""}
    versions: dict[str, Any] = {}
    faults: list[str] = []
    for kind in (CONCEPT, METHODOLOGY, GUIDE):
        named = getattr(loaded.schema, kind.title) or usual.get(kind.title, "")
        try:
            versions[f"{kind.title}_version"] = _version(kind, named, path, loaded)
        except (DocumentInvalid, DocumentNotFound, OSError) as error:
            faults.append(str(error) if isinstance(error, DocumentInvalid) else f"{path}: {error}")
    if faults:
        raise StudyFileInvalid("\n".join(faults))
    return versions


def _version(kind: Kind, named: str, path: Path, loaded: LoadedStudy) -> Any:
    text = loaded.inline.get(kind.title)  # type: ignore[call-overload]
    if text is not None:
        return publish(kind, text, source=str(path), note="From a study file")
    if not named:
        return None
    if named.endswith((".yaml", ".yml")):
        return named_or_file(kind, str(path.parent / named))
    return newest(kind, named)


def _language_of(versions: Mapping[str, Any]) -> str:
    guide = versions["guide_version"]
    return guide_of(guide).language if guide is not None else ""


def _usual_turns(mode: str) -> int | None:
    found = modes().get(mode)
    return found.defaults.max_turns if found else None


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

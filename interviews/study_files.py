"""Studies as files: read from one with its documents, and written to one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from django.db import transaction

from interviews import plans, revisions
from interviews.checklist import problems_of
from interviews.models import Study
from interviews.modes.registry import modes
from interviews.sources import files
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
from methodologies.schema import StudySchema
from methodologies.yaml_loader import DocumentInvalid, LoadedStudy, load_study

AS_WRITTEN = (
    "time_budget_minutes",
    "extension_minutes",
    "data_collection",
    "reward",
    "llm_choice",
    "consent_text",
    "greeting",
    "researcher",
    "contact",
    "research_purpose",
    "retention",
    "withdrawal",
    "next_steps",
    "redirect_url",
    "dictation",
    "translations",
    "quota",
    "recruiting",
)
"""Settings that a file says in the words of the study's own fields."""


class StudyFileInvalid(ValueError):
    """A study file that cannot be used; its text is one line a fault."""


def study_of_file(path: Path) -> Study:
    """Store the study that a file describes, with the documents in it or beside it; return it.

    A study of the same slug becomes what the file says. Raises DocumentInvalid; StudyFileInvalid,
    among others where it would change what is frozen of a study that was opened; DocumentNotFound;
    OSError where a file cannot be read; or InterviewError where one may not be taken in. Nothing
    is stored then.
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
        study.data_fields = list(written.data_fields)
        for field in AS_WRITTEN:
            setattr(study, field, _said(written, field))
        if known is not None:
            _refuse_frozen(path, study)
        if found := problems_of(study):
            lines = (f"{path}: {problem.field}: {problem.message}" for problem in found)
            raise StudyFileInvalid("\n".join(lines))
        study.save()
        plans.request(study)
        files.add_paths(study, [path.parent / named for named in written.files])
    return study


def study_of_text(text: str) -> Study:
    """Store the study that a text describes, as :func:`study_of_file` does.

    A text that came from elsewhere may name nothing on this machine: documents stand in it in full
    or are named, and files are uploaded afterwards. Raises what `study_of_file` raises.
    """
    loaded = load_study(text, "text")
    named = [getattr(loaded.schema, kind.title) or "" for kind in (CONCEPT, METHODOLOGY, GUIDE)]
    if any(name.endswith((".yaml", ".yml")) for name in named):
        raise StudyFileInvalid(
            "text: a study that is sent names its documents or has them in it, and no files"
        )
    if loaded.schema.files:
        raise StudyFileInvalid("text: files: leave them out, and upload them afterwards")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            return study_of_file(path)
        except (StudyFileInvalid, DocumentInvalid) as error:
            raise StudyFileInvalid(str(error).replace(str(path), "text")) from error


def _refuse_frozen(path: Path, study: Study) -> None:
    """Refuse what a file would change under respondents of a study that was opened to them."""
    before = Study.objects.get(pk=study.pk)
    if before.status == Study.Status.DRAFT:
        return
    new, old = revisions.content_of(study), revisions.content_of(before)
    changed = [name for name in revisions.FROZEN if new[name] != old[name]]
    if changed:
        raise StudyFileInvalid(
            f"{path}: slug: the study {study.slug!r} is {before.status}, and this file would "
            f"change its {', '.join(changed)}; give the file another slug, or confirm a revision "
            "of the study in the console"
        )


def _said(written: StudySchema, field: str) -> Any:
    """What the file says of a field, else what a new study has."""
    value = getattr(written, field)
    return getattr(Study(), field) if value is None else value


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
        parsed = kind.parse(text, str(path))
        same = kind.version.objects.filter(  # type: ignore[attr-defined]
            document__name=kind.name_of(parsed), parsed=parsed.model_dump(mode="json")
        )
        return same.order_by("-number").first() or publish(
            kind, text, source=str(path), note="From a study file", beside=path.parent
        )
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


def file_of(study: Study) -> str:
    """The study as a file: documents that came with the software by name, others in full."""
    said: dict[str, Any] = {
        "kind": "study",
        "slug": study.slug,
        "name": study.name,
        "mode": study.mode,
        "language": study.language,
        "max_turns": study.max_turns,
    }
    for kind in (CONCEPT, METHODOLOGY, GUIDE):
        version = getattr(study, f"{kind.title}_version")
        if version is not None:
            said[kind.title] = (
                version.document.name if version.shipped else yaml.safe_load(version.text)
            )
    unsaid = Study()
    for field in AS_WRITTEN:
        if (value := getattr(study, field)) != getattr(unsaid, field):
            said[field] = value
    if study.data_fields:
        said["data_fields"] = study.data_fields
    return yaml.safe_dump(said, sort_keys=False, allow_unicode=True)

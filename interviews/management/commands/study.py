"""`manage.py study`: see what a study lacks, and take studies in, out and over."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import audit, plans, studies
from interviews.checklist import estimate, missing
from interviews.errors import InterviewError
from interviews.models import Study
from interviews.study_files import StudyFileInvalid, file_of, study_of_file
from methodologies.registry import DocumentNotFound
from methodologies.yaml_loader import DocumentInvalid


class Command(BaseCommand):
    help = "Check a study before it goes live; import, export or copy one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        check = verbs.add_parser("check", help="Say what is missing; exit 0 where nothing is.")
        check.add_argument("slug", metavar="SLUG")
        check.add_argument("--json", action="store_true", help="Print one JSON document only.")
        taken = verbs.add_parser("import", help="Make a study from a file, with its documents.")
        taken.add_argument("file", metavar="FILE", type=Path)
        given = verbs.add_parser("export", help="Write a study to a file.")
        given.add_argument("slug", metavar="SLUG")
        given.add_argument("--to", metavar="FILE", type=Path, help="SLUG.yaml where none is named.")
        copied = verbs.add_parser("copy", help="Make a draft like a study, without interviews.")
        copied.add_argument("slug", metavar="SLUG")
        copied.add_argument("new", metavar="NEW")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = getattr(self, f"_{options['verb']}")(options)
        except (
            DocumentInvalid,
            DocumentNotFound,
            InterviewError,
            OSError,
            StudyFileInvalid,
        ) as error:
            raise CommandError(str(error), returncode=1) from error
        if study is not None:
            self.stdout.write(json.dumps({"study": study.slug, "status": study.status}))

    def _check(self, options: dict[str, Any]) -> None:
        study = _named(options["slug"])
        lacks, one = missing(study), estimate(study)
        if options["json"]:
            found = {
                "study": study.slug,
                "ready": not lacks,
                "missing": [{"code": item.code, "message": item.message} for item in lacks],
                "estimate": {"minutes": one.minutes, "cost": float(one.cost)},
            }
            self.stdout.write(json.dumps(found, ensure_ascii=False))
        else:
            for item in lacks:
                self.stdout.write(f"{item.label}: {item.message}")
            self.stdout.write(f"About {one.minutes} minutes and ${one.cost:.2f} an interview.")
        if lacks:
            raise SystemExit(1)

    def _import(self, options: dict[str, Any]) -> Study:
        study = study_of_file(options["file"])
        if study.guide_version_id is not None:
            plans.make(study)
        audit.record(audit.Action.CREATED, study, by=audit.COMMAND)
        return study

    def _export(self, options: dict[str, Any]) -> Study:
        study = _named(options["slug"])
        target = options["to"] or Path(f"{study.slug}.yaml")
        target.write_text(file_of(study), encoding="utf-8")
        audit.record(audit.Action.EXPORTED, study, by=audit.COMMAND)
        return study

    def _copy(self, options: dict[str, Any]) -> Study:
        return studies.copy_study(_named(options["slug"]), options["new"], by=audit.COMMAND)


def _named(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        slugs = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
        raise DocumentNotFound(f"no study {slug!r}; there are: {slugs}")
    return study

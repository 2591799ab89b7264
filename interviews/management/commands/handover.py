"""`manage.py handover`: read a study's files, hand out the package, answer from the material."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import study_files
from interviews.errors import InterviewError
from interviews.models import Session, Study
from interviews.sources import ask, document, package, texts, work
from methodologies.registry import DocumentNotFound
from methodologies.yaml_loader import DocumentInvalid


class Command(BaseCommand):
    help = "Handovers: prepare a study from its files, package what is known, ask about it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        prepare = verbs.add_parser("prepare", help="Read the files and make the backlog.")
        prepare.add_argument("study", metavar="SLUG-or-FILE")
        prepare.add_argument("--json", action="store_true", help="Print one JSON document only.")
        packaged = verbs.add_parser("package", help="Print the package for a successor.")
        packaged.add_argument("study", metavar="SLUG-or-FILE")
        packaged.add_argument("--format", choices=["md", "pdf", "json"], default="md")
        packaged.add_argument("--out", metavar="FILE", help="Write it there; a PDF needs it.")
        summed = verbs.add_parser("summary", help="Sum up every finished interview anew.")
        summed.add_argument("study", metavar="SLUG-or-FILE")
        asked = verbs.add_parser("ask", help="Answer from files and interviews, with citations.")
        asked.add_argument("study", metavar="SLUG-or-FILE")
        asked.add_argument("question")
        asked.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = self._study(options["study"])
        except (DocumentInvalid, DocumentNotFound, ValueError, OSError) as error:
            raise CommandError(str(error), returncode=1) from error
        except InterviewError as error:
            raise CommandError(error.message, returncode=1) from error
        verbs = {
            "prepare": self._prepare,
            "package": self._package,
            "summary": self._summary,
            "ask": self._ask,
        }
        verbs[options["verb"]](study, options)

    def _study(self, named: str) -> Study:
        if named.endswith((".yaml", ".yml")):
            return study_files.study_of_file(Path(named))
        study = Study.objects.filter(slug=named).first()
        if study is None:
            slugs = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
            raise DocumentNotFound(f"no study {named!r}; there are: {slugs}")
        return study

    def _prepare(self, study: Study, options: dict[str, Any]) -> None:
        work.prepare(study)
        found = document.prepared(study)
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False))
        else:
            for file in found["files"]:
                why = f": {file['reason']}" if file["reason"] else ""
                self.stdout.write(f"{file['status']:>10}  {file['name']}{why}")
            self.stdout.write(f"\n{len(found['findings'])} findings. Questions:")
            for question in found["question_backlog"]:
                self.stdout.write(f"  {question['priority']} {question['text']}")
        if not document.was_read(study):
            raise CommandError("No file could be read; see the reasons above.", returncode=1)

    def _summary(self, study: Study, options: dict[str, Any]) -> None:
        for session in study.sessions.filter(status=Session.Status.COMPLETED):
            self.stdout.write(f"# Interview {session.pk}\n\n{texts.summarise(session).text}\n")

    def _package(self, study: Study, options: dict[str, Any]) -> None:
        if options["format"] == "pdf":
            if not options["out"]:
                raise CommandError("Say where the PDF goes: --out FILE", returncode=1)
            Path(options["out"]).write_bytes(package.as_pdf(study))
            return
        text = (
            json.dumps(package.as_json(study), ensure_ascii=False)
            if options["format"] == "json"
            else package.as_markdown(study)
        )
        if options["out"]:
            Path(options["out"]).write_text(text, encoding="utf-8")
        else:
            self.stdout.write(text)

    def _ask(self, study: Study, options: dict[str, Any]) -> None:
        answer = ask.ask(study, options["question"])
        if options["json"]:
            self.stdout.write(json.dumps(answer.as_json(), ensure_ascii=False))
            return
        self.stdout.write(answer.answer)
        for citation in answer.citations:
            self.stdout.write(f"  {citation.label} {citation.quote}")

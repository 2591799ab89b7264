"""`manage.py validate FILE…`: every error and warning of a file as file:line:column: message."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from interviews.llm.setup import llm_config
from interviews.study_checks import problems_of_file
from methodologies.schema import StudySchema
from methodologies.yaml_loader import DocumentInvalid, LoadedDocument, load_document, problem_at


class Command(BaseCommand):
    help = "Check files of documents and studies; exit 1 where any has an error."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        invalid = 0
        for name in options["files"]:
            try:
                document = _checked(Path(name).read_text(encoding="utf-8"), name)
            except DocumentInvalid as error:
                invalid += 1
                self.stdout.write(str(error))
            except (OSError, UnicodeDecodeError) as error:
                invalid += 1
                self.stdout.write(f"{name}:1:1: cannot be read: {error}")
            else:
                for warning in document.warnings:
                    self.stdout.write(warning.format(name))
                self.stdout.write(f"{name}: valid")
        if invalid:
            sys.exit(1)


def _checked(text: str, name: str) -> LoadedDocument:
    """The document; of a study also what its mode, its language and its models ask of it.

    Raises DocumentInvalid.
    """
    document = load_document(text, name)
    if isinstance(document.schema, StudySchema):
        found = problems_of_file(document.schema, config=llm_config)
        if found:
            places = [problem_at(text, (p.field,), f"{p.field}: {p.message}") for p in found]
            raise DocumentInvalid(sorted(places, key=lambda p: (p.line, p.column)), name)
    return document

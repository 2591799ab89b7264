"""`manage.py validate FILE…`: every error and warning of a file as file:line:column: message."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from interviews.llm.setup import llm_config
from interviews.study_checks import problems_of_file
from methodologies.registry import LIBRARY
from methodologies.schema import ConceptSchema, StudySchema
from methodologies.yaml_loader import (
    DocumentInvalid,
    LoadedDocument,
    load_concept,
    load_document,
    load_study,
    problem_at,
)


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
        concept = _concept_of(text, name)
        found = problems_of_file(document.schema, config=llm_config, concept=concept)
        if found:
            places = [problem_at(text, (p.field,), f"{p.field}: {p.message}") for p in found]
            raise DocumentInvalid(sorted(places, key=lambda p: (p.line, p.column)), name)
    return document


def _concept_of(text: str, name: str) -> ConceptSchema | None:
    """The concept of a study file: in it, beside it, or shipped; None where it is none of these.

    Raises DocumentInvalid, and OSError where the file that is named cannot be read.
    """
    loaded = load_study(text, name)
    named = loaded.schema.concept or ""
    if (written := loaded.inline.get("concept")) is not None:
        return load_concept(written, name)
    if named.endswith((".yaml", ".yml")):
        path = Path(name).parent / named
        return load_concept(path.read_text(encoding="utf-8"), str(path))
    shipped = LIBRARY / "concepts" / f"{named}.yaml"
    return load_concept(shipped.read_text(encoding="utf-8")) if shipped.is_file() else None

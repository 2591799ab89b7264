"""`manage.py export`: one session, or all sessions of a study, as a file."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from analytics.exports import UnknownFormat, filename, format_named, formats
from analytics.exports.source import ExportOptions, ExportSource, OneSession, WholeStudy
from interviews.models import Session, Study

STDOUT = "-"


class Command(BaseCommand):
    """Writes an export; exits 1 where the session, study or format is unknown."""

    help = "Export a session (by its id) or a study (by its slug or id)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to export, in which format, and where to."""
        parser.add_argument("target", metavar="SESSION-or-STUDY")
        parser.add_argument(
            "--format", default="json", metavar="|".join(sorted(formats())), dest="format_name"
        )
        parser.add_argument(
            "--output", metavar="FILE", help="File to write; - for standard output."
        )
        parser.add_argument(
            "--bom", action="store_true", help="Begin CSV files with a byte order mark."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write to the named file, or to one named after what is exported.

        Raises CommandError (exit 1) where target or format is unknown or the file is not writable.
        """
        try:
            chosen = format_named(options["format_name"])
        except UnknownFormat as error:
            raise CommandError(str(error), returncode=1) from None
        source = source_named(options["target"])
        output = options["output"] or filename(chosen, source)
        pieces = chosen.write(source, ExportOptions(bom=options["bom"]))
        if output == STDOUT:
            for piece in pieces:
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return
        try:
            with Path(output).open("wb") as file:
                file.writelines(pieces)
        except OSError as error:
            raise CommandError(
                f"{output} cannot be written: {error.strerror or error}", returncode=1
            ) from error
        self.stderr.write(f"Wrote {output}")


def source_named(target: str) -> ExportSource:
    """The session of this id, or the study of this slug or id.

    Raises CommandError (exit 1) where there is neither.
    """
    session = study = None
    pk = _uuid(target)
    if pk is not None:
        session = (
            Session.objects.select_related(
                "study", "concept_version__document", "methodology_version__document"
            )
            .filter(pk=pk)
            .first()
        )
        study = Study.objects.filter(pk=pk).first()
    else:
        study = Study.objects.filter(slug=target).first()
    if session is not None:
        return OneSession(session=session)
    if study is not None:
        return WholeStudy(study=study)
    raise CommandError(
        f"There is no session or study {target!r}. "
        "Name a session by its id, or a study by its slug or id.",
        returncode=1,
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None

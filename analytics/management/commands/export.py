"""`manage.py export`: one session, or the sessions of a study that count, as a file."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from analytics.exports import UnknownFormat, filename, format_named, formats
from analytics.exports.source import (
    WITH_IT,
    ExportOptions,
    ExportSource,
    OneSession,
    WholeStudy,
)
from analytics.inclusion import (
    EXTRAS,
    MARKS,
    NAMES,
    PROVENANCES,
    STATUSES,
    Inclusion,
    InclusionInvalid,
    parse,
)
from interviews import audit
from interviews.models import Session, Study

STDOUT = "-"


class Command(BaseCommand):
    """Writes an export; exits 1 where target, format or filter is wrong."""

    help = "Export a session (by its id) or a study (by its slug or id)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to export, which interviews of it, in which format, and where to."""
        parser.add_argument("target", metavar="SESSION-or-STUDY")
        parser.add_argument(
            "--format", default="json", metavar="|".join(sorted(formats())), dest="format_name"
        )
        parser.add_argument(
            "--out", "--output", metavar="FILE", help="File to write; - for standard output."
        )
        parser.add_argument(
            "--bom", action="store_true", help="Begin CSV files with a byte order mark."
        )
        parser.add_argument(
            "--trace", action="store_true", help="What each choice rested on, too (JSON)."
        )
        parser.add_argument(
            "--pseudonymise", action="store_true", help="Renew ids, blank what was given of people."
        )
        parser.add_argument("--personal", action="store_true", help="Personal data in clear, too.")
        add_inclusion(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Write to the named file, or to one named after what is exported.

        Raises CommandError (exit 1) where target, format or filter is wrong, where nothing is left
        to write, or where the file is not writable; no file is left then.
        """
        if options["personal"] and options["pseudonymise"]:
            raise CommandError("personal: a pseudonymised file has no personal data", returncode=1)
        try:
            chosen = format_named(options["format_name"])
            source = source_named(options["target"], read_inclusion(options))
            source.count()
        except UnknownFormat as error:
            raise CommandError(f"format: {error}", returncode=1) from None
        except InclusionInvalid as error:
            raise CommandError(str(error), returncode=1) from None
        wanted = ExportOptions(
            **{name: options[name] for name in ("bom", "trace", "pseudonymise", "personal")}
        )
        fields = [chosen.NAME, *wanted.names]
        audit.record(audit.Action.EXPORTED, source.target, by=audit.COMMAND, fields=fields)
        output = options["out"] or filename(chosen, source)
        pieces = chosen.write(source, wanted)
        if output == STDOUT:
            for piece in pieces:
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return
        write_whole(Path(output), pieces)
        self.stderr.write(f"Wrote {output}")


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write the file under another name first: an export that breaks off leaves none behind.

    Raises CommandError (exit 1) where it cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.writelines(pieces)
        part.replace(path)
    except OSError as error:
        raise CommandError(
            f"out: {path} cannot be written: {error.strerror or error}", returncode=1
        ) from error
    finally:
        part.unlink(missing_ok=True)


def add_inclusion(parser: ArgumentParser) -> None:
    """The criteria as options."""
    group = parser.add_argument_group("which interviews of a study count")
    told = {
        "status": f"Those that are {', '.join(STATUSES)}.",
        "include": f"Also {' and '.join(EXTRAS)} ones.",
        "without": f"Not those marked {', '.join(MARKS)}.",
        "where": "key=value of a data field that is not sensitive.",
        "revision": "Those held under a revision of the study, by its number.",
        "from": "Those that ended on this day or later, e.g. 2026-03-01.",
        "to": "Those that ended on this day or before.",
        "provenance": f"Of their links those that are {', '.join(PROVENANCES)}.",
    }
    for name in NAMES:
        group.add_argument(
            f"--{name}", action="append", metavar="…", help=told[name], dest=f"in_{name}"
        )


def read_inclusion(options: dict[str, Any]) -> Inclusion:
    """The criteria that the options say. Raises InclusionInvalid."""
    return parse({name: options.get(f"in_{name}") for name in NAMES})


def source_named(target: str, inclusion: Inclusion) -> ExportSource:
    """The session of this id, or the study of this slug or id.

    Raises CommandError (exit 1) where there is neither, or where criteria are given that choose
    among interviews, and the target is one of them.
    """
    session = study = None
    pk = _uuid(target)
    if pk is not None:
        session = Session.objects.select_related(*WITH_IT).filter(pk=pk).first()
        study = Study.objects.filter(pk=pk).first()
    else:
        study = Study.objects.filter(slug=target).first()
    if session is not None:
        if inclusion.chooses_sessions:
            wrong = ", ".join(n for n in inclusion.query() if n not in {"include", "provenance"})
            raise CommandError(f"{wrong}: these choose among a study's interviews", returncode=1)
        return OneSession(session=session, inclusion=inclusion)
    if study is not None:
        return WholeStudy(study=study, inclusion=inclusion)
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

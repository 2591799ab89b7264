"""What commands that tell a study's figures have in common: the study, the filter, the output."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any, cast
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from analytics.inclusion import NAMES, InclusionInvalid, parse
from analytics.study.matrix import COUNTS, Count
from analytics.study.reading import StudyReading, read_study
from interviews.models import Study

HELP = {
    "status": "active, paused, completed, abandoned",
    "include": "trial, simulated: out unless named",
    "without": "marks of quality that leave an interview out",
    "where": "key=value of a data field; again for more",
    "revision": "numbers of revisions of the study",
    "from": "first day on which interviews ended, e.g. 2026-03-01",
    "to": "last day on which interviews ended",
    "provenance": "stated, answer_to_probe, inferred: which links count",
}


class StudyCommand(BaseCommand):
    """A command on one study; what is wrong with its arguments ends it with exit code 1."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The study, the filter and --json."""
        parser.add_argument("study", metavar="STUDY", help="Its slug or id.")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")
        add_filter(parser)

    def reading(self, options: dict[str, Any]) -> StudyReading:
        """Read what the options ask for. Raises CommandError (exit 1) that names what is wrong."""
        study = study_named(options["study"])
        try:
            wanted = parse({name: options.get(f"filter_{name}") for name in NAMES})
            return read_study(study, wanted)
        except InclusionInvalid as error:
            raise CommandError(str(error), returncode=1) from error

    def tell(self, document: dict[str, Any], options: dict[str, Any]) -> None:
        """Print the document, in one line or for the eye."""
        indent = None if options["json"] else 2
        self.stdout.write(json.dumps(document, indent=indent, ensure_ascii=False))


def add_filter(parser: ArgumentParser) -> None:
    """The criteria of the inclusion filter as options."""
    group = parser.add_argument_group("which interviews count")
    for name in NAMES:
        group.add_argument(
            f"--{name}", action="append", dest=f"filter_{name}", metavar="…", help=HELP[name]
        )


def add_count(parser: ArgumentParser) -> None:
    """How often a relation counts."""
    parser.add_argument(
        "--count", default="respondent", metavar="|".join(COUNTS), help="Once a … (%(default)s)."
    )


def count_of(options: dict[str, Any]) -> Count:
    """The count asked for. Raises CommandError (exit 1)."""
    if options["count"] not in COUNTS:
        raise CommandError(
            f"count: {options['count']!r} is none of {', '.join(COUNTS)}.", returncode=1
        )
    return cast("Count", options["count"])


def study_named(text: str) -> Study:
    """The study of this slug or id. Raises CommandError (exit 1) where there is none."""
    try:
        found = Study.objects.filter(pk=UUID(text)).first()
    except ValueError:
        found = Study.objects.filter(slug=text).first()
    if found is None:
        raise CommandError(
            f"study: there is no study {text!r}. Name one by its slug or id.", returncode=1
        )
    return found

"""`manage.py value_map`: the hierarchical value map of a study at a cut-off."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from analytics.management.study_command import StudyCommand, add_count, count_of
from analytics.study.documents import map_document
from analytics.study.value_map import CutoffOutOfRange


class Command(StudyCommand):
    help = "Print the value map of a study: relations from a cut-off, drawn without redundancy."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The cut-off, and how relations are counted."""
        super().add_arguments(parser)
        add_count(parser)
        parser.add_argument("--cutoff", default="1", metavar="N", help="The fewest that say one.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it. Raises CommandError (exit 1) for a cut-off that is none."""
        cutoff = options["cutoff"]
        try:
            number = int(cutoff)
        except ValueError as error:
            raise CommandError(f"cutoff: {cutoff!r} is no whole number.", returncode=1) from error
        try:
            self.tell(map_document(self.reading(options), number, count_of(options)), options)
        except CutoffOutOfRange as error:
            raise CommandError(str(error), returncode=1) from error

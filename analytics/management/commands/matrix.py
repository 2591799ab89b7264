"""`manage.py matrix`: the implication matrix of a study."""

from __future__ import annotations

import csv
from argparse import ArgumentParser
from typing import Any

from analytics.exports.cells import row as cells
from analytics.management.study_command import StudyCommand, add_count, count_of
from analytics.study.documents import matrix_document, matrix_rows


class Command(StudyCommand):
    help = "Print the implication matrix of a study: which theme leads to which, how often."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How it is counted, and as which file it is wanted."""
        super().add_arguments(parser)
        add_count(parser)
        parser.add_argument("--csv", action="store_true", help="Print it as a table instead.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it, the strongest relation first."""
        count, reading = count_of(options), self.reading(options)
        if options["csv"]:
            writer = csv.writer(self.stdout)
            writer.writerows(cells(row) for row in matrix_rows(reading, count))
        else:
            self.tell(matrix_document(reading, count), options)

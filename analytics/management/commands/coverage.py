"""`manage.py coverage`: what a concept test's respondents made of each element."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from analytics.coverage.documents import coverage_document
from analytics.coverage.reading import NoConceptTest, read_coverage
from analytics.inclusion import NAMES, InclusionInvalid, parse
from analytics.management.study_command import StudyCommand, study_named


class Command(StudyCommand):
    help = "Print what respondents made of each element of a concept, with intervals and quotes."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        study = study_named(options["study"])
        try:
            wanted = parse({name: options.get(f"filter_{name}") for name in NAMES})
            reading = read_coverage(study, wanted)
        except (InclusionInvalid, NoConceptTest) as error:
            raise CommandError(str(error), returncode=1) from error
        self.tell(coverage_document(reading), options)

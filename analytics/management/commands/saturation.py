"""`manage.py saturation`: how much of what there is to hear a study has heard."""

from __future__ import annotations

from typing import Any

from analytics.management.study_command import StudyCommand
from analytics.study.documents import saturation_document


class Command(StudyCommand):
    help = "Print how many themes were met and are estimated, and how many more interviews pay."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.tell(saturation_document(self.reading(options)), options)

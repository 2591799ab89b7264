"""`manage.py themes`: the themes of a study."""

from __future__ import annotations

from typing import Any

from analytics.management.study_command import StudyCommand
from analytics.study.documents import themes_document


class Command(StudyCommand):
    help = "Print the themes of a study."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print them, the commonest first."""
        self.tell(themes_document(self.reading(options)), options)

"""`manage.py build_docs`: the generated reference pages."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from interview_project.env import BASE_DIR
from interview_project.reference import stale, write


class Command(BaseCommand):
    """Writes them, or with --check only compares."""

    help = "Write the reference pages in docs/ that are made from the code."

    def add_arguments(self, parser: CommandParser) -> None:
        """Write or compare."""
        parser.add_argument("--check", action="store_true", help="fail if a page is out of date")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with --check when a page is out of date."""
        if not options["check"]:
            for path in write():
                self.stdout.write(f"wrote {path.relative_to(BASE_DIR)}")
            return
        outdated = [str(path.relative_to(BASE_DIR)) for path in stale()]
        if outdated:
            raise CommandError(f"Out of date: {', '.join(outdated)}. Run: make docs")

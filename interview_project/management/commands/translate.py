"""`manage.py translate`: compile what respondents' pages say in every language."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from interview_project.translations import compile_all, problems


class Command(BaseCommand):
    """Compiles, or with --check tells what is missing."""

    help = "Compile the translations of the respondents' pages (locale/)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Compile or check."""
        parser.add_argument("--check", action="store_true", help="fail if a text is missing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with --check where a language lacks a text."""
        if not options["check"]:
            for path in compile_all():
                self.stdout.write(f"compiled {path.parent.parent.name}")
            return
        found = list(problems())
        if found:
            raise CommandError("\n".join(found))

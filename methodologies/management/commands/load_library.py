"""`manage.py load_library`: store the shipped methodologies, concepts and personas."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from methodologies.registry import load_library


class Command(BaseCommand):
    help = "Store the shipped documents as versions; never overwrites a person's edit."

    def handle(self, *args: Any, **options: Any) -> None:
        for loaded in load_library():
            if options["verbosity"] and (options["verbosity"] > 1 or loaded.outcome != "unchanged"):
                self.stdout.write(f"{loaded.kind} {loaded.name}: {loaded.outcome}")

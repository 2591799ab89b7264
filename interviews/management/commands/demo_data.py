"""`manage.py demo_data`: a live demo study to try the product with."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import studies
from interviews.errors import InterviewError
from interviews.models import Study
from interviews.simulation import demo
from interviews.simulation.driver import InterviewStopped
from methodologies.registry import CONCEPT, METHODOLOGY, DocumentNotFound, newest

DEMO_SLUG = "demo"
DEMO_CONCEPT = "hiking_backpacks"
DEMO_METHODOLOGY = "means_end_chain"


class Command(BaseCommand):
    help = (
        "Make the demo study, once; an existing one is left as it is. With --interviews, also a "
        "study with so many simulated interviews, two methodologies and segments."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many interviews are to be held."""
        parser.add_argument(
            "--interviews", default="0", metavar="N", help="Simulated interviews, 60 in minutes."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make what is not there. Raises CommandError (exit 1) where that cannot be."""
        interviews = _number(options["interviews"])
        self._make_demo(options)
        if not interviews:
            return
        try:
            study = demo.fill(interviews, self._tell)
        except (InterviewStopped, DocumentNotFound) as error:
            raise CommandError(str(error), returncode=1) from error
        self.stdout.write(
            f"study {study.slug}: {study.sessions.count()} simulated interviews, "
            f"{study.themes.count()} themes; its page takes them in with "
            "?include=simulated"
        )

    def _tell(self, held: int) -> None:
        if held % 10 == 0:
            self.stderr.write(f"{held} interviews held")

    def _make_demo(self, options: dict[str, Any]) -> None:
        try:
            concept = newest(CONCEPT, DEMO_CONCEPT)
            methodology = newest(METHODOLOGY, DEMO_METHODOLOGY)
        except DocumentNotFound as error:
            raise CommandError(
                f"The demo study needs the shipped library: run `manage.py load_library` first. "
                f"({error})"
            ) from error
        if Study.objects.filter(slug=DEMO_SLUG).exists():
            return
        study = studies.create_study(
            slug=DEMO_SLUG,
            name="How people choose a hiking backpack",
            concept_version=concept,
            methodology_version=methodology,
            researcher="Whoever set up this demonstration",
            contact="The person who gave you this link",
            research_purpose="Trying out this software; whoever runs it reads the answers.",
            retention="Until whoever runs it deletes the demonstration.",
            withdrawal="On the page of the interview, at any time.",
            reward="This was a demo: your reward is having seen how it works.",
        )
        try:
            studies.go_live(study.pk)
        except InterviewError as error:
            self.stderr.write(error.message)
        if options["verbosity"] > 1:
            self.stdout.write(f"study {DEMO_SLUG} made")


def _number(text: str) -> int:
    """Read the number of interviews. Raises CommandError (exit 1)."""
    if not (text.isascii() and text.isdigit() and int(text) <= demo.MOST):
        raise CommandError(
            f"interviews: {text!r} is no whole number from 0 to {demo.MOST}.", returncode=1
        )
    return int(text)

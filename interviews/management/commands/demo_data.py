"""`manage.py demo_data`: a live demo study to try the product with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import studies
from interviews.errors import InterviewError
from interviews.models import Study
from methodologies.registry import CONCEPT, METHODOLOGY, DocumentNotFound, newest

DEMO_SLUG = "demo"
DEMO_CONCEPT = "hiking_backpacks"
DEMO_METHODOLOGY = "means_end_chain"


class Command(BaseCommand):
    help = "Make the demo study, once; an existing one is left as it is."

    def handle(self, *args: Any, **options: Any) -> None:
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

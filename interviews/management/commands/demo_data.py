"""`manage.py demo_data`: a live demo study to try the product with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from interviews.models import Study
from methodologies.registry import CONCEPT, METHODOLOGY, newest

DEMO_SLUG = "demo"
DEMO_CONCEPT = "hiking_backpacks"
DEMO_METHODOLOGY = "means_end_chain"


class Command(BaseCommand):
    help = "Make the demo study, once; an existing one is left as it is."

    def handle(self, *args: Any, **options: Any) -> None:
        _, created = Study.objects.get_or_create(
            slug=DEMO_SLUG,
            defaults={
                "name": "How people choose a hiking backpack",
                "concept_version": newest(CONCEPT, DEMO_CONCEPT),
                "methodology_version": newest(METHODOLOGY, DEMO_METHODOLOGY),
                "status": Study.Status.LIVE,
                "reward": "This was a demo: your reward is having seen how it works.",
            },
        )
        if created and options["verbosity"] > 1:
            self.stdout.write(f"study {DEMO_SLUG} made")

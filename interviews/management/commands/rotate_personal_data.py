"""`manage.py rotate_personal_data`: encrypt personal values with the first of the present keys."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from interviews import mailing, vault
from interviews.webhooks import registration


class Command(BaseCommand):
    help = (
        "Encrypt every personal value, address of an invitation and webhook secret with the first "
        "key of PERSONAL_DATA_KEY. Name the new key first and the old ones after it, run this, "
        "then drop the old ones."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        lost = vault.rotate() + registration.rotate() + mailing.rotate()
        if lost:
            raise CommandError(
                f"No key opens {lost} of the values; they are left as they are. "
                "Add the key that they were encrypted with.",
                returncode=1,
            )
        self.stdout.write("Every personal value is encrypted with the first key.")

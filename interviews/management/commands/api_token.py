"""`manage.py api-token NAME`: make a token for programs, and print it this once."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from interviews import access_tokens, audit
from interviews.errors import InterviewError
from interviews.models import AccessToken


class Command(BaseCommand):
    help = "Make a token by which programs act for a person, and print it; it is not shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="What the token is for.")
        parser.add_argument(
            "--scope",
            action="append",
            choices=AccessToken.Scope.values,
            help="What it opens; give it again for more (default: read).",
        )
        parser.add_argument(
            "--person",
            metavar="USERNAME",
            help="Whose it is: the account called NAME, else the first administrator.",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=access_tokens.DAYS,
            help="How long it lasts, 365 at most (default: %(default)s).",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        person = _person(options["person"], options["name"])
        try:
            row, token = access_tokens.make(
                person,
                options["name"],
                options["scope"] or [AccessToken.Scope.READ],
                by=audit.COMMAND,
                days=options["days"],
            )
        except InterviewError as error:
            raise CommandError(error.message, returncode=1) from error
        if options["json"]:
            told = {
                "token": token,
                "name": row.name,
                "person": person.get_username(),
                "scopes": row.scopes,
                "expires_at": row.expires_at.isoformat(),
            }
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        self.stdout.write(token)
        self.stderr.write(
            f"It acts for {person.get_username()} ({', '.join(row.scopes)}) until "
            f"{row.expires_at:%Y-%m-%d}. Keep it safe: it is not shown again."
        )


def _person(username: str | None, name: str) -> User:
    """Whose the token is. Raises CommandError (exit 1) where nobody is found."""
    active = User.objects.filter(is_active=True)
    if username is not None:
        found = active.filter(username=username).first()
        if found is None:
            said = f"--person: there is no account {username!r}"
            raise CommandError(said, returncode=1)
        return found
    found = (
        active.filter(username=name).first()
        or active.filter(is_superuser=True).order_by("pk").first()
    )
    if found is None:
        raise CommandError(
            "There is no account yet that a token could belong to. Start the site once "
            "(make run), or make one with manage.py createsuperuser.",
            returncode=1,
        )
    return found

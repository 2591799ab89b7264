"""`manage.py ask`: an answer to a question in quotes of a study's respondents."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.finding import command
from interviews.errors import FormRefused
from interviews.retrieval.asking import ask_study


class Command(BaseCommand):
    """Prints the answer with its quotes; exits 1 for an unknown study or a wrong filter."""

    help = "Ask a study: an answer in quotes, or that it is not in the material."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Study, question, and which interviews count."""
        command.add_arguments(parser, "The question.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask. Raises CommandError (exit 1) that names what is wrong."""
        try:
            study, scope = command.scope_named(options)
            answer = ask_study(study, scope.sessions, options["text"])
        except FormRefused as refused:
            raise CommandError(refused.message, returncode=1) from refused
        if options["json"]:
            self.stdout.write(json.dumps(answer.as_json(), ensure_ascii=False))
            return
        self.stdout.write(answer.answer or "Without a language model: quotes and no prose.")
        for number, quote in enumerate(answer.quotes, start=1):
            place = f"session {str(quote.session)[:4]}, turn {quote.turn}"
            self.stdout.write(f"  [{number}] {quote.role}: “{quote.quote}” ({place})")

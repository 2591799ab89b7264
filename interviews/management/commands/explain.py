"""`manage.py explain SESSION TURN`: why a question was asked, from the stored trace."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from interviews.explain.interpreter import NotExplainable, explain
from interviews.models import Session, Turn


class Command(BaseCommand):
    help = "Say why a turn's question was asked, and what else could have been."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION")
        parser.add_argument("turn", metavar="TURN", type=int, help="0 is the opening question.")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            explanation = explain(_turn(options["session"], options["turn"]))
        except NotExplainable as error:
            raise CommandError(str(error), returncode=1) from error
        if options["json"]:
            self.stdout.write(json.dumps(explanation.to_dict(), ensure_ascii=False))
            return
        if explanation.question:
            self.stdout.write(f"“{explanation.question}”\n\n")
        for sentence in explanation.sentences:
            self.stdout.write(sentence)


def _turn(session_id: str, number: int) -> Turn:
    try:
        session = Session.objects.filter(pk=UUID(session_id)).first()
    except ValueError:
        session = None
    if session is None:
        raise CommandError(f"no session {session_id!r}", returncode=1)
    turns = Turn.objects.filter(session=session)
    found = turns.filter(number=number).select_related(
        "question", "session__methodology_version__document"
    )
    if not (turn := found.first()):
        last = turns.count() - 1
        raise CommandError(f"no turn {number}: the session has turns 0 to {last}", returncode=1)
    return turn

"""`manage.py agreement`: how far people and the machine agree on a sample of a study's answers."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.agreement import coding
from analytics.agreement.measure import SEED
from analytics.finding import command
from interviews import audit
from interviews.errors import FormRefused


class Command(BaseCommand):
    """Prints figures of every pair; `--draw N` draws the sample first."""

    help = "Agreement of people and machine on a random sample of answers that people coded."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Study, sample, seed, and which interviews the sample is drawn of."""
        parser.add_argument("study", metavar="STUDY", help="Its slug.")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")
        parser.add_argument("--draw", type=int, metavar="N", help="Draw N answers to code.")
        parser.add_argument("--seed", type=int, default=SEED, help="Of sample and intervals.")
        command.add_filter(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Draw where asked, and print. Raises CommandError (exit 1) that names what is wrong."""
        try:
            study, scope = command.study_and_scope(options)
            if options["draw"] is not None:
                sessions, seed = scope.sessions, options["seed"]
                coding.draw(study, sessions, options["draw"], seed=seed, by=audit.COMMAND)
        except FormRefused as refused:
            raise CommandError(refused.message, returncode=1) from refused
        found = coding.document(study, seed=options["seed"])
        indent = None if options["json"] else 2
        self.stdout.write(json.dumps(found, ensure_ascii=False, indent=indent))

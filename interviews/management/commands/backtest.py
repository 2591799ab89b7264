"""`manage.py backtest`: where another methodology would have asked something else."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from interviews.explain.backtest import as_json, backtest, reasons_of
from interviews.models import Session, Study
from methodologies.registry import METHODOLOGY, DocumentNotFound, methodology_of, newest
from methodologies.schema import MethodologySchema
from methodologies.yaml_loader import DocumentInvalid


class Command(BaseCommand):
    help = "Rank recorded turns again under another methodology; no model is asked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--methodology", metavar="NAME-or-FILE", required=True)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--session", metavar="ID", nargs="+")
        which.add_argument("--study", metavar="SLUG")
        parser.add_argument("--json", action="store_true", help="Print one JSON document only.")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["methodology"]
        try:
            methodology = _methodology(name)
        except (DocumentInvalid, DocumentNotFound, OSError) as error:
            raise CommandError(str(error), returncode=1) from error
        started = time.perf_counter()
        found = backtest(methodology, _sessions(options))
        told = {
            "methodology": name,
            "turns": found.turns,
            "compared": found.compared,
            "not_comparable": found.not_comparable,
            "same": found.same,
            "changed": [as_json(change) for change in found.changed],
            "ms": round((time.perf_counter() - started) * 1000, 1),
            "reasons": dict(reasons_of(found)),
        }
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        self.stdout.write(
            f"{found.same} of {found.compared} turns would ask the same; "
            f"{found.not_comparable} are not comparable."
        )
        for reason, turns in reasons_of(found):
            self.stdout.write(f"  {turns}: {reason}")
        for change in found.changed:
            was, now = change.was, change.would_be
            tips = ", ".join(
                f"{tip.key} {tip.was:+.2f} → {tip.would_be:+.2f}" for tip in change.tipped_by
            )
            self.stdout.write(
                f"  {change.session[:8]} turn {change.turn}: {was.strategy} {was.label} → "
                f"{now.strategy} {now.label} by {change.margin:.2f} ({tips})"
            )


def _methodology(name: str) -> MethodologySchema:
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        parsed = METHODOLOGY.parse(path.read_text(encoding="utf-8"), name)
        return MethodologySchema.model_validate(parsed.model_dump())
    return methodology_of(newest(METHODOLOGY, name))


def _sessions(options: dict[str, Any]) -> QuerySet[Session]:
    """Those that are named. Raises CommandError where one is not there."""
    sessions = Session.objects.select_related("methodology_version__document").order_by(
        "started_at"
    )
    if options["study"]:
        if not Study.objects.filter(slug=options["study"]).exists():
            raise CommandError(f"no study {options['study']!r}", returncode=1)
        return sessions.filter(study__slug=options["study"])
    try:
        ids = {UUID(text) for text in options["session"]}
    except ValueError as error:
        raise CommandError(f"{options['session']}: {error}", returncode=1) from error
    found = sessions.filter(pk__in=ids)
    if missing := ids - set(found.values_list("pk", flat=True)):
        raise CommandError(f"no session {', '.join(map(str, missing))}", returncode=1)
    return found

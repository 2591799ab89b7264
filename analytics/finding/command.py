"""What the commands that read what was said in a study share: study, filter, reading first."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from analytics.finding.scope import Scope, criteria, scope_of
from analytics.inclusion import NAMES
from interviews.models import Study
from interviews.retrieval import index


def add_arguments(parser: ArgumentParser, what: str) -> None:
    """The study, the text, --json, and the criteria of the inclusion filter."""
    parser.add_argument("study", metavar="STUDY", help="Its slug.")
    parser.add_argument("text", metavar="TEXT", help=what)
    parser.add_argument("--json", action="store_true", help="Print one JSON document only.")
    add_filter(parser)


def add_filter(parser: ArgumentParser) -> None:
    """The criteria of the inclusion filter."""
    group = parser.add_argument_group("which interviews count")
    for name in NAMES:
        group.add_argument(f"--{name}", action="append", dest=f"filter_{name}", metavar="…")


def scope_named(options: dict[str, Any]) -> tuple[Study, Scope]:
    """As `study_and_scope`, with all of it read by search now."""
    study, scope = study_and_scope(options)
    index.refresh(scope.sessions)
    return study, scope


def study_and_scope(options: dict[str, Any]) -> tuple[Study, Scope]:
    """The study and its interviews that count.

    Raises CommandError (exit 1) where there is no such study, and FormRefused for the filter.
    """
    study = Study.objects.filter(slug=options["study"]).first()
    if study is None:
        raise CommandError(
            f"study: there is no study {options['study']!r}. Name one by its slug.", returncode=1
        )
    return study, scope_of(study, criteria({name: options.get(f"filter_{name}") for name in NAMES}))

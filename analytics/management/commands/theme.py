"""`manage.py theme`: merge, split, name and move themes, undo and redo."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from analytics.management.study_command import StudyCommand, study_named
from analytics.study.documents import themes_document
from graphs.models import Theme
from interviews.errors import InterviewError
from interviews.models import Study
from interviews.themes import renewal, service

ACTS = ("merge", "split", "rename", "move", "undo", "redo")
BY = "manage.py"


class Command(StudyCommand):
    help = (
        "Change the themes of a study, and print the new list. Themes go by id or name, slots by "
        "id. merge STUDY FIRST OTHER…; split STUDY THEME SLOT… [--name]; rename STUDY THEME NAME; "
        "move STUDY THEME SLOT…; undo STUDY; redo STUDY."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What is to be done to which themes."""
        parser.add_argument("act", metavar="|".join(ACTS))
        super().add_arguments(parser)
        parser.add_argument("what", nargs="*", metavar="THEME|SLOT|NAME")
        parser.add_argument("--name", default="", help="Of the theme that is split off.")
        parser.add_argument("--by", default=BY, help="Who does it, for the audit log.")
        parser.add_argument(
            "--based-on",
            type=int,
            metavar="VERSION",
            help="The version that you looked at.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and print the new list. Raises CommandError (exit 1), having changed nothing."""
        study = study_named(options["study"])
        renewal.ensure(study.pk)
        try:
            _carry_out(study, options)
        except InterviewError as error:
            raise CommandError(error.message, returncode=1) from error
        self.tell(themes_document(self.reading(options)), options)


def _carry_out(study: Study, options: dict[str, Any]) -> None:
    act, what = options["act"], options["what"]
    how: Any = {"by": options["by"], "version": options["based_on"]}
    if act == "undo":
        service.undo(study.pk, **how)
    elif act == "redo":
        service.redo(study.pk, **how)
    elif act == "merge":
        service.merge(study.pk, [_theme(study, one) for one in what], **how)
    elif act not in ACTS:
        raise CommandError(f"act: {act!r} is none of {', '.join(ACTS)}.", returncode=1)
    elif len(what) < 2:
        raise CommandError(f"what: {act} takes a theme and what follows it.", returncode=1)
    elif act == "rename":
        service.rename(study.pk, _theme(study, what[0]), " ".join(what[1:]), **how)
    elif act == "split":
        slots = [_slot(one) for one in what[1:]]
        service.split(study.pk, _theme(study, what[0]), slots, name=options["name"], **how)
    else:
        service.move(study.pk, [_slot(one) for one in what[1:]], _theme(study, what[0]), **how)


def _theme(study: Study, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        found = list(Theme.objects.filter(study=study, name__iexact=text))
    if len(found) != 1:
        many = "several themes are" if found else "no theme is"
        raise CommandError(f"theme: {many} called {text!r}; name it by its id.", returncode=1)
    return found[0].pk


def _slot(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise CommandError(f"slots: {text!r} is no id of a slot.", returncode=1) from error

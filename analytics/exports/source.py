"""What an export is made from: one session, or all sessions of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from analytics.records import SessionRecord, load_record
from interviews.models import Session, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """`bom` puts a byte order mark before each CSV file, by which spreadsheets know UTF-8."""

    bom: bool = False


class ExportSource(Protocol):
    """`study` is None for a single session; `records()` reads sessions one at a time."""

    @property
    def stem(self) -> str:
        """The file's name without its extension."""

    @property
    def study(self) -> Study | None:
        """The study that is exported as a whole."""

    def records(self) -> Iterator[SessionRecord]:
        """The sessions, oldest first, one in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSession:
    """A single session."""

    session: Session
    study: Study | None = None

    @property
    def stem(self) -> str:
        """Named after study and session."""
        return f"{self.session.study.slug}-{str(self.session.pk)[:8]}"

    def records(self) -> Iterator[SessionRecord]:
        """The one session."""
        yield load_record(self.session)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeStudy:
    """All sessions of a study; `load` is how one is read."""

    study: Study
    load: Callable[[Session], SessionRecord] = load_record

    @property
    def stem(self) -> str:
        """Named after the study."""
        return self.study.slug

    def records(self) -> Iterator[SessionRecord]:
        """Each session in turn, oldest first; only ids are held for all of them."""
        ids = list(
            Session.objects.filter(study=self.study)
            .order_by("started_at", "pk")
            .values_list("pk", flat=True)
        )
        for pk in ids:
            # One may have been erased since the list was read.
            session = (
                Session.objects.select_related(
                    "study", "concept_version__document", "methodology_version__document"
                )
                .filter(pk=pk)
                .first()
            )
            if session is not None:
                yield self.load(session)

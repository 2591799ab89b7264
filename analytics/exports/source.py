"""What an export is made from: one session, or the sessions of a study that count."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from django.db.models import QuerySet

from analytics.exports.loaded import WholeRecord, load_whole
from analytics.exports.pseudonyms import pseudonymised
from analytics.exports.tables.base import Shape
from analytics.included import open_fields, some_included
from analytics.inclusion import DEFAULT, EVERY, Inclusion
from interviews.epilogue.fields import DataField, FieldsInvalid, read_fields
from interviews.models import Session, Study

WITH_IT = (
    "study",
    "summary",
    "trial",
    "review",
    "written_summary",
    "revision",
    "concept_version__document",
    "methodology_version__document",
    "guide_version__document",
)
"""What a session is read with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """How a file is to be.

    `bom` puts a byte order mark before each CSV file, by which spreadsheets know UTF-8. `trace`
    adds what each choice rested on, most of a JSON file's bytes. `pseudonymise` renews ids and
    blanks what respondents gave of themselves. `personal` adds that, for whoever may export it.
    `namespace` is what renewed ids are made of: a new one for every file.
    """

    bom: bool = False
    trace: bool = False
    pseudonymise: bool = False
    personal: bool = False
    namespace: UUID = field(default_factory=uuid.uuid4)

    @property
    def names(self) -> list[str]:
        """Those that are chosen, by name."""
        every = ("bom", "trace", "pseudonymise", "personal")
        return [name for name in every if getattr(self, name)]


def options_named(names: Collection[str]) -> ExportOptions:
    """The options of these names, as :attr:`ExportOptions.names` tells them."""
    return ExportOptions(
        bom="bom" in names,
        trace="trace" in names,
        pseudonymise="pseudonymise" in names,
        personal="personal" in names,
    )


class ExportSource(Protocol):
    """`study` is None for a single session; `records()` reads sessions one at a time."""

    @property
    def inclusion(self) -> Inclusion:
        """Which interviews and links count."""

    @property
    def stem(self) -> str:
        """The file's name without its extension."""

    @property
    def study(self) -> Study | None:
        """The study that is exported as a whole."""

    @property
    def of_study(self) -> Study:
        """The study that the interviews belong to."""

    @property
    def target(self) -> Session | Study:
        """What is exported."""

    @property
    def described(self) -> str:
        """Which interviews these are, in words."""

    def count(self) -> int:
        """How many interviews there are to write."""

    def records(self, options: ExportOptions) -> Iterator[WholeRecord]:
        """The sessions, oldest first, one in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSession:
    """A single session, chosen by its name; of the criteria only that of links applies."""

    session: Session
    inclusion: Inclusion = EVERY
    study: Study | None = None

    @property
    def stem(self) -> str:
        """Named after study and session."""
        return f"{self.session.study.slug}-{str(self.session.pk)[:8]}"

    @property
    def of_study(self) -> Study:
        """The session's study."""
        return self.session.study

    @property
    def target(self) -> Session:
        """The session."""
        return self.session

    @property
    def described(self) -> str:
        """That it is one, and which of its links count."""
        links = Inclusion(provenance=self.inclusion.provenance).describe().split(", only")
        return "One interview, chosen by its id" + (f", only{links[1]}" if links[1:] else ".")

    def count(self) -> int:
        """One."""
        return 1

    def records(self, options: ExportOptions) -> Iterator[WholeRecord]:
        """The one session."""
        yield _prepared(load_whole(self.session), self.inclusion, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeStudy:
    """The sessions of a study that count; `load` is how one is read."""

    study: Study
    inclusion: Inclusion = DEFAULT
    load: Callable[[Session], WholeRecord] = load_whole

    @property
    def stem(self) -> str:
        """Named after the study."""
        return self.study.slug

    @property
    def of_study(self) -> Study:
        """The study."""
        return self.study

    @property
    def target(self) -> Study:
        """The study."""
        return self.study

    @property
    def described(self) -> str:
        """The filter in words."""
        return self.inclusion.describe()

    def sessions(self) -> QuerySet[Session]:
        """The interviews that count. Raises InclusionInvalid where the filter leaves none."""
        return some_included(self.study, self.inclusion)

    def count(self) -> int:
        """How many interviews count. Raises InclusionInvalid where the filter leaves none."""
        return self.sessions().count()

    def records(self, options: ExportOptions) -> Iterator[WholeRecord]:
        """Each session in turn, oldest first; only ids are held for all of them."""
        found = self.sessions().order_by("started_at", "pk").values_list("pk", flat=True)
        for pk in list(found):
            # One may have been erased since the list was read.
            session = Session.objects.select_related(*WITH_IT).filter(pk=pk).first()
            if session is not None:
                yield _prepared(self.load(session), self.inclusion, options)


def sensitive_fields(study: Study) -> tuple[DataField, ...]:
    """The study's data fields whose values are encrypted; none where they cannot be read."""
    try:
        return tuple(one for one in read_fields(study.data_fields) if one.is_sensitive)
    except FieldsInvalid:
        return ()


def _prepared(record: WholeRecord, inclusion: Inclusion, options: ExportOptions) -> WholeRecord:
    found = record.with_links(inclusion.counts_link) if inclusion.provenance else record
    if options.pseudonymise:
        return pseudonymised(found, options.namespace)
    return found.with_personal_values() if options.personal else found


def shape_of(study: Study, options: ExportOptions, *, raw: bool = True) -> Shape:
    """What the tables of a study's interviews depend on."""
    wanted = options.personal and not options.pseudonymise
    return Shape(
        fields=open_fields(study),
        personal=sensitive_fields(study) if wanted else (),
        raw=raw,
    )

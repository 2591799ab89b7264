"""Which interviews of a study count: one filter for figures, files, pages and commands. Pure.

Trials and simulated interviews are out unless they are asked for. Everything else is in unless a
criterion leaves it out; criteria hold together, the values of one criterion are alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, cast, get_args

from graphs.domain import Provenance
from interviews.turns.flags import Flag

Status = Literal["active", "paused", "completed", "abandoned"]
Extra = Literal["trial", "simulated"]

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
EXTRAS: Final[tuple[Extra, ...]] = get_args(Extra)
PROVENANCES: Final[tuple[Provenance, ...]] = get_args(Provenance)
MARKS: Final[tuple[str, ...]] = tuple(Flag)
NAMES: Final = ("status", "include", "without", "where", "revision", "from", "to", "provenance")
"""What the criteria are called in query strings, and on the command line behind two dashes."""

LONGEST_VALUE: Final = 200
MOST_VALUES: Final = 50
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_WORDS: Final[Mapping[Provenance, str]] = {
    "stated": "said in so many words",
    "answer_to_probe": "given in answer to a question",
    "inferred": "inferred",
}


class InclusionInvalid(ValueError):
    """Criteria that cannot be applied; `fields` says of each wrong one what is wrong with it."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {message}" for name, message in fields.items()))
        self.fields = dict(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """The criteria; an empty one leaves nothing out.

    `status`: how an interview stands. `trial`: also interviews that tried the study out.
    `simulated`: also those that a persona held outside of a trial. `without`: marks of quality
    that leave an interview out. `where`: values of the study's data fields that are not sensitive,
    as (key, value). `revision`: numbers of the study's revisions. `ended_from` and `ended_to`: the
    days between which an interview ended, both included; one that is not over is out then.
    `provenance`: which links count, of the interviews that do.
    """

    status: tuple[Status, ...] = ()
    trial: bool = False
    simulated: bool = False
    without: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    revision: tuple[int, ...] = ()
    ended_from: date | None = None
    ended_to: date | None = None
    provenance: tuple[Provenance, ...] = ()

    @property
    def segments(self) -> dict[str, tuple[str, ...]]:
        """The values asked for, by data field."""
        found: dict[str, tuple[str, ...]] = {}
        for key, value in self.where:
            found[key] = (*found.get(key, ()), value)
        return found

    @property
    def chooses_sessions(self) -> bool:
        """Whether anything but trials, simulated interviews and links is chosen by it."""
        return any(
            (
                self.status,
                self.without,
                self.where,
                self.revision,
                self.ended_from,
                self.ended_to,
            )
        )

    def counts_link(self, provenance: str | None) -> bool:
        """Whether a link of this provenance counts; none is known of older ones."""
        return not self.provenance or provenance in self.provenance

    def query(self) -> dict[str, list[str]]:
        """The criteria as :func:`parse` reads them; what is not said is left out."""
        found: dict[str, list[str]] = {
            "status": list(self.status),
            "include": [
                *(("trial",) if self.trial else ()),
                *(("simulated",) if self.simulated else ()),
            ],
            "without": list(self.without),
            "where": [f"{key}={value}" for key, value in self.where],
            "revision": [str(number) for number in self.revision],
            "from": [self.ended_from.isoformat()] if self.ended_from else [],
            "to": [self.ended_to.isoformat()] if self.ended_to else [],
            "provenance": list(self.provenance),
        }
        return {name: values for name, values in found.items() if values}

    def describe(self) -> str:
        """The criteria in words, one sentence, as files and pages print them."""
        parts = [f"Interviews that are {_or(self.status)}" if self.status else "All interviews"]
        parts += ["trials included" if self.trial else "without trials"]
        parts += ["simulated ones included" if self.simulated else "without simulated ones"]
        if self.without:
            parts.append(f"without those marked {_or(self.without)}")
        parts += [f"{key} is {_or(values)}" for key, values in self.segments.items()]
        if self.revision:
            parts.append(f"of revision {_or(str(number) for number in self.revision)}")
        if self.ended_from:
            parts.append(f"ended on {self.ended_from.isoformat()} or later")
        if self.ended_to:
            parts.append(f"ended on {self.ended_to.isoformat()} or before")
        if self.provenance:
            parts.append(f"only links that were {_or(_WORDS[one] for one in self.provenance)}")
        return ", ".join(parts) + "."


DEFAULT: Final = Inclusion()
"""What counts where nobody says anything: all but trials and simulated interviews."""
EVERY: Final = Inclusion(trial=True, simulated=True)
"""Leaves nothing out: for one interview, which is chosen by its name."""


def parse(given: Mapping[str, str | Sequence[str] | None]) -> Inclusion:
    """Read criteria by their names; other names are left to whoever else reads the query.

    Each takes several values, one by one or with commas between them; those of `where` are
    `key=value` and stand one by one, for a value may hold a comma. Empty values say nothing.
    Raises InclusionInvalid with every wrong field at once.
    """
    reader = _Reader(given)
    status = cast("tuple[Status, ...]", reader.choices("status", STATUSES))
    extras = reader.choices("include", EXTRAS)
    found = Inclusion(
        status=status,
        trial="trial" in extras,
        simulated="simulated" in extras,
        without=reader.choices("without", MARKS),
        where=reader.pairs("where"),
        revision=reader.numbers("revision"),
        ended_from=reader.day("from"),
        ended_to=reader.day("to"),
        provenance=cast("tuple[Provenance, ...]", reader.choices("provenance", PROVENANCES)),
    )
    if found.ended_from and found.ended_to and found.ended_from > found.ended_to:
        reader.wrong["to"] = f"is before from, which is {found.ended_from.isoformat()}"
    if reader.wrong:
        raise InclusionInvalid(reader.wrong)
    return found


class _Reader:
    """Reads values by name and gathers what is wrong with them."""

    def __init__(self, given: Mapping[str, str | Sequence[str] | None]) -> None:
        self._given = given
        self.wrong: dict[str, str] = {}

    def choices(self, name: str, known: Sequence[str]) -> tuple[str, ...]:
        said = self._values(name)
        unknown = [one for one in said if one not in known]
        if unknown:
            self.wrong[name] = f"{_short(unknown[0])} is none of {', '.join(known)}"
        return tuple(one for one in known if one in said)

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        found = []
        for one in self._values(name, commas=False):
            key, equals, value = one.partition("=")
            key, value = key.strip(), value.strip()
            if not equals or not _KEY.fullmatch(key) or not value or len(value) > LONGEST_VALUE:
                self.wrong[name] = f"{_short(one)} is not key=value, e.g. where=country=Italy"
            found.append((key, value))
        return tuple(dict.fromkeys(found))

    def numbers(self, name: str) -> tuple[int, ...]:
        found = set()
        for one in self._values(name):
            if not re.fullmatch(r"[0-9]{1,6}", one) or int(one) < 1:
                self.wrong[name] = f"{_short(one)} is not the number of a revision: 1, 2, 3, …"
            else:
                found.add(int(one))
        return tuple(sorted(found))

    def day(self, name: str) -> date | None:
        said = self._values(name)
        if not said:
            return None
        try:
            if len(said) > 1 or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", said[0], re.ASCII):
                raise ValueError(name)
            return date.fromisoformat(said[0])
        except ValueError:
            self.wrong[name] = f"{_short(','.join(said))} is not a day, e.g. 2026-03-31"
            return None

    def _values(self, name: str, *, commas: bool = True) -> list[str]:
        given = self._given.get(name)
        given = [given] if isinstance(given, str) else given or []
        parts = [part for one in given for part in (one.split(",") if commas else [one])]
        found = [part.strip() for part in parts if part.strip()]
        if len(found) > MOST_VALUES:
            self.wrong[name] = f"has {len(found)} values; {MOST_VALUES} is the most"
            return []
        return found


def _or(values: Iterable[str]) -> str:
    found = list(values)
    return " or ".join(filter(None, (", ".join(found[:-1]), found[-1])))


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")

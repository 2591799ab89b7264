"""Texts that no spreadsheet takes for a formula, and where their quotes are in them.

Protection puts apostrophes into a text, so characters move. Spans are moved along, and a quote that
would begin like a formula by itself gets its apostrophe in the text, too: then the text from start
to end is the quote's cell, to the character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from analytics.exports.cells import guarded_places
from interviews.models import Utterance


class HasQuotes(Protocol):
    """A record with what was said and what is quoted of it."""

    @property
    def utterances(self) -> Sequence[Utterance]:
        """All that was said."""

    @property
    def quotes(self) -> Iterable[tuple[UUID, int]]:
        """Where quotes begin: utterance and character."""


@dataclass(frozen=True, slots=True)
class Protected:
    """A text as it is written; `places` are the characters before which an apostrophe came."""

    text: str
    places: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of the original text is in this one."""
        return start + bisect_left(self.places, start), end + bisect_left(self.places, end)


def protected(text: str, starts: Collection[int] = ()) -> Protected:
    """The text made safe, and safe from each of `starts` on, where a quote of it begins."""
    places = set(guarded_places(text))
    places |= {start for start in starts if 0 in guarded_places(text[start:])}
    ordered = tuple(sorted(places))
    parts, last = [], 0
    for place in ordered:
        parts += [text[last:place], "'"]
        last = place
    return Protected("".join((*parts, text[last:])), ordered)


def texts_of(record: HasQuotes, *, raw: bool) -> Mapping[UUID, Protected]:
    """All texts of a record by their utterance; `raw` ones are as they were said."""
    if raw:
        return {u.pk: Protected(u.text) for u in record.utterances}
    starts: dict[UUID, set[int]] = defaultdict(set)
    for utterance, start in record.quotes:
        starts[utterance].add(start)
    return {u.pk: protected(u.text, starts[u.pk]) for u in record.utterances}

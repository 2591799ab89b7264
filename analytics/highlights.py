"""A text cut into segments, each with the marks that lie over it.

Quotes of different nodes overlap, nest and coincide. Cutting the text at every boundary gives
segments over which the set of marks does not change, so that a page can draw each one whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A span of a text, end exclusive, in Unicode code points, that belongs to `key`."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of text and the keys over it: the longest mark first, the most specific last.

    `opens` holds the keys whose mark begins here, so that a page can make each mark one stop for
    the keyboard however many segments it has.
    """

    text: str
    keys: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()


def segments(text: str, marks: Iterable[Mark]) -> list[Segment]:
    """Cut `text` at the boundaries of `marks`.

    The segments joined give the text back. Marks are cut to the text, empty ones are left out, and
    touching or overlapping marks of one key count as one.
    """
    spans = _joined(text, marks)
    if not text:
        return []
    cuts = sorted({0, len(text), *(m.start for m in spans), *(m.end for m in spans)})
    found = []
    for start, end in pairwise(cuts):
        over = [m for m in spans if m.start <= start and m.end >= end]
        over.sort(key=lambda m: (m.start - m.end, m.start, m.key))
        found.append(
            Segment(
                text=text[start:end],
                keys=tuple(m.key for m in over),
                opens=tuple(m.key for m in over if m.start == start),
            )
        )
    return found


def _joined(text: str, marks: Iterable[Mark]) -> Sequence[Mark]:
    """Marks within the text, those of one key that touch or overlap made one."""
    joined: list[Mark] = []
    for mark in sorted(marks, key=lambda m: (m.key, m.start, m.end)):
        start, end = max(mark.start, 0), min(mark.end, len(text))
        if start >= end:
            continue
        last = joined[-1] if joined else None
        if last and last.key == mark.key and start <= last.end:
            joined[-1] = Mark(key=mark.key, start=last.start, end=max(last.end, end))
        else:
            joined.append(Mark(key=mark.key, start=start, end=end))
    return joined

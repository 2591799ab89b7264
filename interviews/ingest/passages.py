"""A stretch of a file that is read at once, and where in the file each part of it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

MOST_TOKENS = 400
"""A passage has at most so many tokens."""

_TOKENS = re.compile(r"\w{1,6}|[^\w\s]")
_NUMBERED = re.compile(r"(\D+ )(\d+)")
_CELL = re.compile(r"(.+)!([A-Z]+\d+)")


def tokens(text: str) -> int:
    """How many tokens a language model makes of `text`, about: six letters are one, a mark is."""
    return sum(1 for _ in _TOKENS.finditer(text))


def cut_to_tokens(text: str, most: int) -> str:
    """The beginning of `text`, of at most so many tokens, up to the end of a line."""
    ends = [found.end() for found in _TOKENS.finditer(text)]
    if len(ends) <= most:
        return text
    head = text[: ends[most - 1]]
    return head[: head.rindex("\n")] if "\n" in head else head


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A line, a cell, a paragraph: text that stands at one `mark` ("line 3", "Params!B4")."""

    text: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Segments under one heading; no passage reaches over the end of a section."""

    segments: Iterable[Segment]
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of at most 400 tokens.

    `marks` say from which offset of the text on which mark holds, in rising order from 0.
    """

    text: str
    marks: tuple[tuple[int, str], ...]
    heading: str = ""

    @property
    def place(self) -> str:
        """Where the whole passage stands, as people read it."""
        return _under(self.heading, span(self.marks[0][1], self.marks[-1][1]))

    def place_of(self, offset: int, last: int | None = None) -> str:
        """Where the character at `offset` stands, or the stretch from it to that at `last`."""
        return _under(self.heading, span(self._mark(offset), self._mark(last or offset)))

    def _mark(self, offset: int) -> str:
        at = bisect_right([start for start, _ in self.marks], offset) - 1
        return self.marks[max(at, 0)][1]

    def as_json(self) -> dict[str, Any]:
        """The passage as plain data; :meth:`of_json` reads it."""
        return {"text": self.text, "heading": self.heading, "marks": [list(m) for m in self.marks]}

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Passage:
        """Read what :meth:`as_json` gave."""
        marks = tuple((int(start), str(mark)) for start, mark in data["marks"])
        return cls(text=data["text"], heading=data["heading"], marks=marks)


def span(first: str, last: str) -> str:
    """From one mark to another: "lines 3–9", "Params!A4:C9"."""
    if first == last:
        return first
    cells = _CELL.fullmatch(first), _CELL.fullmatch(last)
    if cells[0] and cells[1] and cells[0][1] == cells[1][1]:
        return f"{first}:{cells[1][2]}"
    numbered = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(last)
    if numbered[0] and numbered[1] and numbered[0][1] == numbered[1][1]:
        return f"{numbered[0][1].rstrip()}s {numbered[0][2]}–{numbered[1][2]}"
    return f"{first} – {last}"


def packed(sections: Iterable[Section]) -> Iterator[Passage]:
    """Put the segments of each section together to passages, splitting what is too long."""
    for section in sections:
        text, used = "", 0
        marks: list[tuple[int, str]] = []
        for line in _lines(section.segments):
            more = sum(tokens(segment.text) for segment in line)
            if text and used + more > MOST_TOKENS:
                yield from _passage(text, marks, section.heading)
                text, marks, used = "", [], 0
            for segment in line:
                if not marks or marks[-1][1] != segment.mark:
                    marks.append((len(text), segment.mark))
                text += segment.text
            used += more
        yield from _passage(text, marks, section.heading)


def _passage(text: str, marks: list[tuple[int, str]], heading: str) -> Iterator[Passage]:
    if text.strip():
        yield Passage(text=text.rstrip(), marks=tuple(marks), heading=heading)


def _lines(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Segments that stand on one line together, where they fit into one passage."""
    line: list[Segment] = []
    used = 0
    for segment in _short(segments):
        more = tokens(segment.text)
        if line and used + more > MOST_TOKENS:
            yield line
            line, used = [], 0
        line.append(segment)
        used += more
        if segment.text.endswith("\n"):
            yield line
            line, used = [], 0
    if line:
        yield line


def _short(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The segments, each of at most 400 tokens: a longer one is cut between tokens."""
    for segment in segments:
        ends = [found.end() for found in _TOKENS.finditer(segment.text)]
        if len(ends) <= MOST_TOKENS:
            yield segment
            continue
        cuts = [0, *ends[MOST_TOKENS - 1 : -1 : MOST_TOKENS], len(segment.text)]
        for start, end in pairwise(cuts):
            if end > start:
                yield Segment(text=segment.text[start:end], mark=segment.mark)


def lines(text: str, *, first: int = 1, mark: str = "line") -> Iterator[Segment]:
    """The lines of a text, numbered from `first`, each with its end."""
    for number, line in enumerate(text.splitlines(), start=first):
        yield Segment(text=f"{line.rstrip()}\n", mark=f"{mark} {number}")


def _under(heading: str, mark: str) -> str:
    return f"{heading}, {mark}" if heading else mark

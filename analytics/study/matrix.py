"""The implication matrix of a study: which theme leads to which, in how many interviews. Pure.

In a ladder, one theme leads to another *directly* where a chain link joins their concepts, and
*indirectly* where a path of two or more links does and none directly (Reynolds and Gutman, 1988).
A ladder that holds a concept of stance −1 is *negative*, and what it says is counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from analytics.study.ladders import MOST_LADDERS, Interview, Link, ladders_of

Count = Literal["respondent", "ladder"]
COUNTS: tuple[Count, ...] = ("respondent", "ladder")
UNKNOWN = "unknown"
"""Provenance of links that were read before it was noted."""
Pair = tuple[str, str]


@dataclass(slots=True)
class Bearing:
    """How one interview bears a relation: ladders that say it, and the links they say it by."""

    direct: int = 0
    indirect: int = 0
    negative: int = 0
    links: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A relation between two themes.

    `direct`, `indirect` and `negative` count interviews or ladders; one interview may count as
    both direct and indirect, by different ladders. `provenance` are the shares of the links that
    bear the relation, which sum to 1; `bearers` the interviews, by id.
    """

    source: str
    target: str
    direct: int
    indirect: int
    negative: int
    provenance: Mapping[str, float]
    bearers: Mapping[str, Bearing]

    @property
    def strength(self) -> int:
        """What the cut-off is held against."""
        return self.direct + self.indirect


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two themes of which interviews say that they work against each other; `links` bear it."""

    source: str
    target: str
    respondents: int
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """All relations of a study. `cut` are the interviews with more ladders than were followed.

    `chains` are the sequences of themes that ladders run through, with the interviews that say
    each, the commonest first; those of negative ladders are not among them.
    """

    respondents: int
    count: Count
    cells: Mapping[Pair, Cell]
    conflicts: tuple[Conflict, ...]
    cut: tuple[str, ...]
    ladders: int
    negative_ladders: int
    chains: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def matrix_of(
    interviews: Sequence[Interview], count: Count = "respondent", limit: int = MOST_LADDERS
) -> Matrix:
    """Count the relations of `interviews`, once an interview or once a ladder."""
    bearers: dict[Pair, dict[str, Bearing]] = defaultdict(dict)
    chains: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    provenance: dict[str, str] = {}
    cut, ladders, negative = [], 0, 0
    for interview in interviews:
        read = _Read(interview, limit)
        provenance.update((link.id, link.provenance or UNKNOWN) for link in read.links)
        for pair, bearing in read.relations().items():
            bearers[pair][interview.id] = bearing
        for chain in read.chains():
            chains[chain][interview.id] = None
        ladders += len(read.paths)
        negative += sum(map(read.is_negative, read.paths))
        if read.cut:
            cut.append(interview.id)
    cells = {pair: _cell(pair, found, count, provenance) for pair, found in bearers.items()}
    order = sorted(cells.values(), key=lambda cell: (-cell.strength, cell.source, cell.target))
    return Matrix(
        respondents=len(interviews),
        count=count,
        cells={(cell.source, cell.target): cell for cell in order},
        conflicts=tuple(_conflicts(interviews)),
        cut=tuple(cut),
        ladders=ladders,
        negative_ladders=negative,
        chains=tuple(
            (chain, tuple(who))
            for chain, who in sorted(chains.items(), key=lambda one: (-len(one[1]), one[0]))
        ),
    )


class _Read:
    """The ladders of one interview and what they say."""

    def __init__(self, interview: Interview, limit: int) -> None:
        self.interview = interview
        self.links = [
            link
            for link in interview.links
            if link.chain and link.source in interview.themes and link.target in interview.themes
        ]
        found = ladders_of(interview, limit)
        self.cut, paths = found.cut, list(found.paths)
        if self.cut:
            # A link outside of the ladders that were followed still says what it says by itself.
            seen = {step for path in paths for step in pairwise(path)}
            for link in self.links:
                if (link.source, link.target) not in seen:
                    seen.add((link.source, link.target))
                    paths.append((link.source, link.target))
        self.paths = paths
        self.by_ends: dict[Pair, list[str]] = defaultdict(list)
        for link in self.links:
            self.by_ends[link.source, link.target].append(link.id)

    def is_negative(self, path: Iterable[str]) -> bool:
        return not self.interview.against.isdisjoint(path)

    def relations(self) -> dict[Pair, Bearing]:
        """What all ladders come to, by (source theme, target theme)."""
        relations: dict[Pair, Bearing] = defaultdict(Bearing)
        for path in self.paths:
            negative = self.is_negative(path)
            for pair, (is_direct, links) in self._said_by(path).items():
                bearing = relations[pair]
                bearing.links.update(dict.fromkeys(links))
                if negative:
                    bearing.negative += 1
                elif is_direct:
                    bearing.direct += 1
                else:
                    bearing.indirect += 1
        return relations

    def chains(self) -> Iterator[tuple[str, ...]]:
        """The themes along each ladder that is not negative, repetitions in a row left out."""
        themes = self.interview.themes
        for path in self.paths:
            run = [themes[node] for node in path]
            chain = tuple(b for a, b in pairwise(["", *run]) if a != b)
            if len(chain) > 1 and not self.is_negative(path):
                yield chain

    def _said_by(self, path: Sequence[str]) -> dict[Pair, tuple[bool, list[str]]]:
        run = [self.interview.themes[node] for node in path]
        steps = [self.by_ends[step] for step in pairwise(path)]
        direct: dict[Pair, list[str]] = defaultdict(list)
        for place, pair in enumerate(pairwise(run)):
            if pair[0] != pair[1]:
                direct[pair] += steps[place]
        said = {pair: (True, links) for pair, links in direct.items()}
        for start, source in enumerate(run):
            for end in range(start + 2, len(run)):
                pair = (source, run[end])
                if source != run[end] and pair not in direct:
                    before = said.get(pair, (False, []))[1]
                    between = [link for step in steps[start:end] for link in step]
                    said[pair] = (False, [*before, *between])
        return said


def _cell(
    pair: Pair, bearers: Mapping[str, Bearing], count: Count, provenance: Mapping[str, str]
) -> Cell:
    def total(numbers: Iterable[int]) -> int:
        return sum(numbers) if count == "ladder" else sum(map(bool, numbers))

    found = Counter(provenance[link] for one in bearers.values() for link in one.links)
    whole = found.total()
    return Cell(
        source=pair[0],
        target=pair[1],
        direct=total(one.direct for one in bearers.values()),
        indirect=total(one.indirect for one in bearers.values()),
        negative=total(one.negative for one in bearers.values()),
        provenance={name: number / whole for name, number in sorted(found.items())},
        bearers=bearers,
    )


def _conflicts(interviews: Iterable[Interview]) -> Iterator[Conflict]:
    found: dict[Pair, dict[str, list[Link]]] = defaultdict(lambda: defaultdict(list))
    for interview in interviews:
        for link in interview.links:
            ends = interview.themes.get(link.source), interview.themes.get(link.target)
            if link.conflict and ends[0] is not None and ends[1] is not None:
                found[ends[0], ends[1]][interview.id].append(link)
    for (source, target), by in sorted(found.items(), key=lambda one: (-len(one[1]), one[0])):
        yield Conflict(
            source=source,
            target=target,
            respondents=len(by),
            links=tuple(link.id for links in by.values() for link in links),
        )

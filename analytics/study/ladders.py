"""Ladders: the maximal chain paths of one interview. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.paths import components

MOST_LADDERS = 200
_STEPS_PER_LADDER = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link between two live concepts; `chain` where ladders run over it.

    `provenance` is "stated", "answer_to_probe", "inferred", or "" where none is known.
    """

    id: str
    source: str
    target: str
    chain: bool = True
    conflict: bool = False
    provenance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """One interview as figures see it.

    `themes` has the theme of each live concept, in the order the concepts were first said;
    `against` are the concepts of stance −1.
    """

    id: str
    themes: Mapping[str, str]
    links: Sequence[Link]
    against: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ladders:
    """The ladders of an interview; `cut` says that there are more than were followed."""

    paths: tuple[tuple[str, ...], ...]
    cut: bool


def ladders_of(interview: Interview, limit: int = MOST_LADDERS) -> Ladders:
    """Every simple path over chain links that no link could make longer at either end.

    At most `limit`, in the order their concepts were said. The search also stops after 500 steps
    per ladder asked for, because dense cycles hold more paths than anybody reads.
    """
    search = _Search(interview)
    budget = limit * _STEPS_PER_LADDER
    found: list[tuple[str, ...]] = []
    for start in search.starts():
        for step in search.walk(start):
            budget -= 1
            if budget < 0 or (step is not None and len(found) >= limit):
                return Ladders(tuple(found), cut=True)
            if step is not None:
                found.append(step)
    return Ladders(tuple(found), cut=False)


class _Search:
    def __init__(self, interview: Interview) -> None:
        self.order = list(interview.themes)
        known = interview.themes.keys()
        after: dict[str, dict[str, None]] = defaultdict(dict)
        before: dict[str, set[str]] = defaultdict(set)
        for link in interview.links:
            if link.chain and link.source in known and link.target in known:
                after[link.source][link.target] = None
                before[link.target].add(link.source)
        rank = {node: place for place, node in enumerate(self.order)}
        self.after = {node: sorted(found, key=rank.__getitem__) for node, found in after.items()}
        self.before = before

    def starts(self) -> Iterator[str]:
        """Concepts that a ladder can begin with: all that leads to them comes back from them."""
        group = {
            node: place
            for place, nodes in enumerate(components(self.order, self.after))
            for node in nodes
        }
        for node in self.order:
            if node in self.after and all(group[one] == group[node] for one in self.before[node]):
                yield node

    def walk(self, start: str) -> Iterator[tuple[str, ...] | None]:
        """The ladders from `start`; None for each step that ends none."""
        path = dict.fromkeys([start])
        work = [iter(self.after[start])]
        longer = [False]
        while work:
            target = next(work[-1], None)
            if target is None:
                if not longer[-1] and self.before[start] <= path.keys():
                    yield tuple(path)
                work.pop()
                longer.pop()
                path.popitem()
            elif target not in path:
                longer[-1] = True
                path[target] = None
                work.append(iter(self.after.get(target, ())))
                longer.append(False)
                yield None

"""What respondents made of the elements of a concept, over interviews. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from interviews.bench.statistics import wilson

REACTIONS: Final = ("positive", "negative", "neutral", "skeptical", "curious")
MOST_CHAINS: Final = 50
"""Chains of an element in one interview that are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """How a respondent took an element, in their words."""

    kind: str
    quote: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What was said about an element."""

    turn: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A concept on the way from an element to what matters in the end, with a quote for it."""

    label: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The shortest way from an element's concept to a terminal one, over chain edges."""

    session: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An element of a concept; `dropped` where the newest version has it no more."""

    id: str
    label: str
    dropped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One interview. All maps are by the element's id; nodes are live ones.

    `asked` are the elements that a question was about. `successors` are the nodes that chain edges
    lead to, by node; `told` is a node's label and quote.
    """

    session: str
    elements: frozenset[str]
    mentioned: frozenset[str] = frozenset()
    understood: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    reactions: Mapping[str, Sequence[Reaction]] = field(default_factory=dict)
    quotes: Mapping[str, Sequence[Quote]] = field(default_factory=dict)
    nodes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    successors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    terminal: frozenset[str] = frozenset()
    told: Mapping[str, Step] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """An element in one interview; `depth` counts the chain steps upwards from its concepts.

    `shown` is False where the interview's version of the concept did not have the element.
    """

    session: str
    shown: bool
    mentioned: bool
    understood: bool
    reaction: str | None
    reactions: tuple[Reaction, ...]
    depth: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Respondents whose last reaction was this, their share, and its Wilson interval at 95 %."""

    n: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An element over all interviews; `cells` in the order of the interviews.

    `not_understood_by` are interviews that mentioned it, reacted to it or were asked about it and
    showed no understanding. `depth_mean` is over those that mentioned it.
    """

    element: Element
    cells: tuple[Cell, ...]
    reactions: Mapping[str, Share]
    chains: tuple[Chain, ...]
    depth_mean: float | None
    not_understood_by: tuple[str, ...]

    @property
    def mentioned(self) -> int:
        """Interviews that mentioned it."""
        return sum(cell.mentioned for cell in self.cells)

    @property
    def understood(self) -> int:
        """Interviews that showed that it was understood."""
        return sum(cell.understood for cell in self.cells)

    @property
    def never_understood(self) -> bool:
        """Whether it was met, and nobody showed that they understood it."""
        return bool(self.not_understood_by) and not self.understood


def rows_of(elements: Sequence[Element], heard: Sequence[Heard]) -> tuple[Row, ...]:
    """Return a row an element, in the order of the elements."""
    return tuple(_row(element, heard) for element in elements)


def _row(element: Element, heard: Sequence[Heard]) -> Row:
    cells, chains, missed = [], [], []
    for one in heard:
        cells.append(_cell(element.id, one))
        chains += chains_of(element.id, one)
        met = element.id in one.mentioned | one.asked or one.reactions.get(element.id)
        if met and element.id not in one.understood:
            missed.append(one.session)
    depths = [cell.depth for cell in cells if cell.mentioned]
    return Row(
        element=element,
        cells=tuple(cells),
        reactions=shares_of([cell.reaction for cell in cells if cell.reaction is not None]),
        chains=tuple(chains),
        depth_mean=sum(depths) / len(depths) if depths else None,
        not_understood_by=tuple(missed),
    )


def _cell(element: str, one: Heard) -> Cell:
    reactions = tuple(one.reactions.get(element, ()))
    quotes = {(said.turn, said.quote): said for said in one.quotes.get(element, ())}
    for reaction in reactions:
        key = (reaction.turn, reaction.quote)
        quotes.setdefault(key, Quote(turn=reaction.turn, quote=reaction.quote))
    return Cell(
        session=one.session,
        shown=element in one.elements,
        mentioned=element in one.mentioned,
        understood=element in one.understood,
        reaction=reactions[-1].kind if reactions else None,
        reactions=reactions,
        depth=depth_of(element, one),
        quotes=tuple(said for _, said in sorted(quotes.items()) if said.quote),
    )


def shares_of(reactions: Sequence[str]) -> dict[str, Share]:
    """The share of each reaction among those there are; None for a share of nothing."""
    found: dict[str, Share] = {}
    for kind in REACTIONS:
        n = sum(reaction == kind for reaction in reactions)
        bounds = wilson(n, len(reactions))
        share, low, high = bounds if bounds is not None else (None, None, None)
        found[kind] = Share(n=n, share=share, low=low, high=high)
    return found


def depth_of(element: str, one: Heard) -> int:
    """The most chain steps that lead upwards from the element's concepts, each way taken once."""
    depths = _distances(one.nodes.get(element, ()), one.successors)
    return max((len(path) - 1 for path in depths.values()), default=0)


def chains_of(element: str, one: Heard) -> list[Chain]:
    """The shortest way to each terminal concept that is reached, over at least one edge."""
    paths = _distances(one.nodes.get(element, ()), one.successors)
    ends = [path for node, path in paths.items() if node in one.terminal and len(path) > 1]
    unknown = Step(label="", quote="")
    return [
        Chain(session=one.session, steps=tuple(one.told.get(node, unknown) for node in path))
        for path in ends[:MOST_CHAINS]
    ]


def _distances(
    starts: Sequence[str], successors: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """The shortest path from any start to each node that is reached; cycles end where they met."""
    paths: dict[str, tuple[str, ...]] = {node: (node,) for node in starts}
    queue = deque(paths)
    while queue:
        here = queue.popleft()
        for after in successors.get(here, ()):
            if after not in paths:
                paths[after] = (*paths[here], after)
                queue.append(after)
    return paths

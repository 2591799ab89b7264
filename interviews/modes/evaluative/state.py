"""What a concept test keeps of an interview between turns."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from interviews.turns.state import ModeState, StateModel
from methodologies.evaluative import GapKind, StrategyClass

Level = Literal["high", "neutral", "low"]
ReactionKind = Literal["positive", "negative", "neutral", "skeptical", "curious"]
MappedBy = Literal["extraction", "label", "meaning"]
TargetKind = Literal["element", "node", "tension"]


class Link(StateModel):
    """A node is about an element, and how that is known."""

    node_id: str
    element: str
    by: MappedBy


class Reaction(StateModel):
    """How the respondent took an element, in their words; of several the last one counts."""

    element: str
    reaction: ReactionKind
    quote: str
    turn: int


class Quoted(StateModel):
    """What was said about an element in a turn."""

    element: str
    turn: int
    quote: str


class Momentum(StateModel):
    """How engaged the respondent is: levels, oldest first, and a slow average in [0, 1].

    `consecutive_low` counts the last low answers running, `low_scores` the last turns running in
    which the score was low.
    """

    levels: tuple[Level, ...] = ()
    score: float = Field(default=0.5, ge=0, le=1)
    consecutive_low: int = 0
    low_scores: int = 0


class Tension(StateModel):
    """A relation that the respondent stated and the ontology does not permit."""

    id: str
    source: str
    source_type: str
    source_id: str
    target: str
    target_type: str
    target_id: str
    edge_type: str
    quote: str
    turn: int


class Asked(StateModel):
    """A question: strategy, tactic, focus, and what its answer brought.

    `turn` is that of the answer before it; `unknown` that the respondent did not know or did not
    want to answer it; `nodes` and `edges` count what was new in the answer. A focus on several
    things at once has the second in `other`.
    """

    turn: int
    strategy: str
    group: StrategyClass
    tactic: str
    kind: TargetKind | None = None
    ref: str = ""
    other: str = ""
    label: str = ""
    gap: GapKind | None = None
    unknown: bool = False
    nodes: int = 0
    edges: int = 0


class Standing(StateModel):
    """An element as it stood after the last answer, for reports."""

    element: str
    mentioned: bool
    understood: bool
    exhausted: bool
    gaps: tuple[tuple[GapKind, str | None], ...] = ()


class EvaluativeState(ModeState):
    """What was heard of the elements, how engaged the respondent is, and what was asked.

    `flagged` are nodes that were read as ambiguous, `disclaimed` those that were played down or
    denied, until the respondent comes back to them unasked; `refused` are elements that they do not
    want to talk about. `barren` counts the last answers running that brought no node.
    """

    links: tuple[Link, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    quotes: tuple[Quoted, ...] = ()
    momentum: Momentum = Momentum()
    tensions: tuple[Tension, ...] = ()
    flagged: tuple[str, ...] = ()
    disclaimed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    barren: int = 0
    standings: tuple[Standing, ...] = ()

    def focuses(self, element: str) -> int:
        """How many questions were about an element."""
        return sum(asked.kind == "element" and asked.ref == element for asked in self.asked)

    def reaction_to(self, element: str) -> Reaction | None:
        """The last reaction to an element, None without one."""
        return next((r for r in reversed(self.reactions) if r.element == element), None)

"""What a choice of a concept test rests on: everything that was scored, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from interviews.modes.evaluative.choosing import Candidate, Choice
from interviews.modes.evaluative.coverage import Coverage
from interviews.modes.evaluative.momentum import is_fatigued, level_of
from interviews.modes.evaluative.situation import Situation
from interviews.modes.evaluative.state import (
    EvaluativeState,
    Level,
    Link,
    Reaction,
    TargetKind,
)
from interviews.modes.evaluative.topology import Topology
from interviews.turns.evidence import Evidence
from interviews.turns.state import StateModel
from methodologies.evaluative import GapKind, StrategyClass, StrategyName
from methodologies.signals.base import Value


class ScoredEntry(StateModel):
    """A candidate with its nine multipliers; `final = base · Π multiplier^weight`."""

    strategy: StrategyName
    group: StrategyClass
    tactic: str
    guidance: str = ""
    kind: TargetKind | None = None
    ref: str = ""
    label: str = ""
    gap: GapKind | None = None
    other: str = ""
    base: float
    multipliers: dict[str, float]
    final: float
    vetoed_by: str = ""
    flagged: bool = False


class GapEntry(StateModel):
    """A gap as scripts read it."""

    element: str
    kind: GapKind
    other: str | None = None


class MomentumEntry(StateModel):
    """How engaged the respondent is after the answer."""

    level: Level
    score: float
    consecutive_low: int
    fatigued: bool


class CoverageEntry(StateModel):
    """How much of the concept is covered after the answer."""

    ratio: float
    complete: bool
    gaps: tuple[GapEntry, ...] = ()


class GraphEntry(StateModel):
    """The shape of the graph after the answer; nodes and tensions by their ids."""

    isolated: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    unexplored: tuple[str, ...] = ()
    active_branch: tuple[str, ...] = ()
    tensions: tuple[str, ...] = ()


class EvaluativeEvidence(Evidence):
    """Momentum, coverage and shape, what the answer gave, and all candidates, the chosen first.

    `phase` is the chosen strategy's class. `weights` are those of the nine scorers, `rules` is the
    checksum of what everything was scored by. `all_vetoed` says that a seed was asked because no
    candidate might be. `refused` is the label of an element that this answer refused.
    """

    mode: Literal["evaluative"] = "evaluative"
    momentum: MomentumEntry
    coverage: CoverageEntry
    mapped: tuple[Link, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    graph: GraphEntry = GraphEntry()
    tactic: str
    candidates: tuple[ScoredEntry, ...] = Field(min_length=1)
    weights: dict[str, float]
    rules: str
    all_vetoed: bool = False
    opened: tuple[str, ...] = ()
    refused: str = ""

    @property
    def chosen(self) -> ScoredEntry:
        """The winner."""
        return self.candidates[0]

    def figures(self) -> Mapping[str, Value]:
        """The coverage and the momentum, both in [0, 1]."""
        return {
            "evaluative.coverage": self.coverage.ratio,
            "evaluative.momentum": self.momentum.score,
        }


def evidence_of(
    choice: Choice,
    situation: Situation,
    state: EvaluativeState,
    *,
    turn: int,
    rules: str,
    said: set[str],
) -> EvaluativeEvidence:
    """The evidence of a choice; `said` are the nodes that the answer mentioned."""
    chosen = choice.chosen
    return EvaluativeEvidence(
        phase=chosen.option.group,
        momentum=MomentumEntry(
            level=level_of(state.momentum),
            score=state.momentum.score,
            consecutive_low=state.momentum.consecutive_low,
            fatigued=is_fatigued(state.momentum),
        ),
        coverage=_coverage(situation.coverage),
        mapped=tuple(link for link in state.links if link.node_id in said),
        reactions=tuple(reaction for reaction in state.reactions if reaction.turn == turn),
        graph=_graph(situation.topology, tuple(t.id for t in situation.tensions)),
        tactic=chosen.tactic.name,
        candidates=tuple(_entry(candidate) for candidate in choice.candidates),
        weights=dict(chosen.weights),
        rules=rules,
        all_vetoed=choice.all_vetoed,
        opened=tuple(sorted(situation.opened)),
    )


def _coverage(coverage: Coverage) -> CoverageEntry:
    gaps = tuple(GapEntry(element=g.element, kind=g.kind, other=g.other) for g in coverage.gaps)
    return CoverageEntry(ratio=coverage.ratio, complete=coverage.complete, gaps=gaps)


def _graph(topology: Topology, tensions: tuple[str, ...]) -> GraphEntry:
    return GraphEntry(
        isolated=topology.isolated,
        ambiguous=topology.ambiguous,
        terminal=topology.terminal,
        unexplored=topology.unexplored,
        active_branch=topology.active_branch,
        tensions=tensions,
    )


def _entry(candidate: Candidate) -> ScoredEntry:
    option, target = candidate.option, candidate.option.target
    return ScoredEntry(
        strategy=option.strategy,
        group=option.group,
        tactic=candidate.tactic.name,
        guidance=candidate.tactic.guidance,
        kind=target.kind,
        ref=target.ref,
        label=target.label,
        gap=target.gap,
        other=target.other,
        base=candidate.base,
        multipliers=dict(candidate.multipliers),
        final=candidate.final,
        vetoed_by=candidate.vetoed_by,
        flagged=candidate.flagged,
    )

"""What an exploratory choice rests on: the signals' reading, from which it can be made again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, PrivateAttr

from interviews.turns.context import TurnView
from interviews.turns.evidence import Evidence
from methodologies.gates import Bar
from methodologies.schema import MethodologySchema, Phase
from methodologies.scoring import Candidate, NodeRef, Ranking, rank
from methodologies.signals.base import SignalReading, Value

CANDIDATES_KEPT = 20
GATED_KEPT = 10


def _read(data: Any) -> SignalReading:
    return data if isinstance(data, SignalReading) else SignalReading.from_dict(data)


StoredReading = Annotated[
    SignalReading, PlainValidator(_read), PlainSerializer(SignalReading.to_dict)
]
"""A signal reading that travels as its JSON form."""


class ExploratoryEvidence(Evidence):
    """All that a ranking is made from, but for the pinned methodology and what was left alone.

    `closing_allowed` says whether closing strategies competed. `reading` holds every signal of the
    turn, those of every live node included; `first_turns` says when each of these nodes was first
    said, and `last_said` how late it was mentioned last (the greater the later), both in the order
    in which `reading` has them. `bars` are what the exchange took out. `strategy_history` and
    `strategy_uses` are those before the turn. `refused` is the label of a node that this answer
    refused to talk about.

    What came of it is known once the turn is decided (:meth:`recorded`): `best` are the first
    candidates, best first, of those `considered`, `gated` the best of those that a gate took out,
    `relaxed` says that there were none but these, `closing` is what replaced the winner where the
    turn had to close; `labels` are those that the nodes of all these had.
    """

    mode: Literal["exploratory"] = "exploratory"
    phase: Phase
    closing_allowed: bool
    reading: StoredReading
    first_turns: tuple[int, ...]
    last_said: tuple[int, ...] = ()
    bars: tuple[Bar, ...] = ()
    strategy_history: tuple[str, ...]
    strategy_uses: dict[str, int]
    refused: str | None = None
    relaxed: bool = False
    considered: int = 0
    best: tuple[Candidate, ...] = ()
    gated: tuple[Candidate, ...] = ()
    closing: Candidate | None = None
    labels: dict[str, str] = Field(default_factory=dict)

    _ranked: dict[tuple[frozenset[str], bool], Ranking] = PrivateAttr(default_factory=dict)

    def ranked(
        self,
        methodology: MethodologySchema,
        *,
        left_alone: Collection[str],
        closing_only: bool = False,
    ) -> Ranking:
        """Rank every strategy on every live node but those `left_alone`; worked out once.

        `closing_only` ranks the closing strategies alone, as a turn does that has to close. Told
        of the methodology and the `left_alone` of its turn, stored evidence gives the turn's own
        ranking again, to the last bit.
        """
        key = (frozenset(left_alone), closing_only)
        if key not in self._ranked:
            self._ranked[key] = self.ranked_in(
                self.phase, methodology, left_alone=key[0], closing_only=closing_only
            )
        return self._ranked[key]

    def ranked_in(
        self,
        phase: Phase,
        methodology: MethodologySchema,
        *,
        left_alone: Collection[str],
        closing_only: bool = False,
    ) -> Ranking:
        """Rank as in this phase; a methodology may have begun it at another turn than its own."""
        return rank(
            methodology,
            self.reading,
            phase=phase,
            nodes=[
                NodeRef(id=node_id, first_turn=first_turn, order=order, last_said=last)
                for order, (node_id, first_turn, last) in enumerate(
                    zip(
                        self.reading.node_values,
                        self.first_turns,
                        self.last_said or (0,) * len(self.first_turns),
                        strict=True,
                    )
                )
            ],
            strategy_history=self.strategy_history,
            strategy_uses=self.strategy_uses,
            closing_allowed=self.closing_allowed,
            left_alone=frozenset(left_alone),
            closing_only=closing_only,
            bars=self.bars,
        )

    @property
    def said(self) -> Mapping[str, int]:
        """How late each node was mentioned last, by its id; empty in evidence of old."""
        ids = self.reading.node_values if self.last_said else ()
        return dict(zip(ids, self.last_said, strict=True))

    def figures(self) -> Mapping[str, Value]:
        return self.reading.global_values

    def node_figures(self) -> Mapping[str, Mapping[str, Value]]:
        return self.reading.node_values

    def recorded(self, context: TurnView) -> Self:
        """Add the candidates to look at later, and what a turn that had to close took instead."""
        left_alone, nodes = context.selection.left_alone, context.graph.nodes
        return self.with_candidates(
            context.methodology,
            left_alone=left_alone,
            label_of=lambda node_id: nodes[node_id].label,
            overridden=context.overridden,
        )

    def with_candidates(
        self,
        methodology: MethodologySchema,
        *,
        left_alone: Collection[str],
        label_of: Callable[[str], str],
        overridden: bool,
    ) -> Self:
        """Return a copy that holds what its ranking came to."""
        ranking, closing = self.ranked(methodology, left_alone=left_alone), None
        if overridden:
            closing = self.ranked(methodology, left_alone=left_alone, closing_only=True).chosen
        best, gated = ranking.top(CANDIDATES_KEPT), ranking.top_gated(GATED_KEPT)
        ids = {found.node_id for found in (*best, *gated, *([closing] if closing else []))}
        return self.model_copy(
            update={
                "relaxed": ranking.relaxed,
                "considered": len(ranking),
                "best": best,
                "gated": gated,
                "closing": closing,
                "labels": {node_id: label_of(node_id) for node_id in ids if node_id},
            }
        )


def evidence_of(context: TurnView) -> ExploratoryEvidence:
    """What the turn's choice rests on. Raises TypeError where another mode made the choice."""
    found = context.selection.evidence
    if not isinstance(found, ExploratoryEvidence):
        raise TypeError(f"this turn was chosen by the mode {found.mode!r}")
    return found


def ranking_of(context: TurnView) -> Ranking:
    """The ranking that the turn's choice came from."""
    return evidence_of(context).ranked(context.methodology, left_alone=context.selection.left_alone)


def closing_ranking_of(context: TurnView) -> Ranking:
    """The ranking of closing strategies, for a turn that has to close."""
    return evidence_of(context).ranked(
        context.methodology, left_alone=context.selection.left_alone, closing_only=True
    )

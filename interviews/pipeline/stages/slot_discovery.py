"""Stage 4.5: new nodes find their canonical slots."""

from __future__ import annotations

from typing import ClassVar

from graphs.canonical import already_known, apply_proposals, unmapped_nodes
from graphs.language.vectors import Embedder
from interviews.llm.gateway import Gateway
from interviews.pipeline.slot_naming import named
from interviews.pipeline.stages.graph_update import MatcherFor, matcher_of
from interviews.turns.context import TurnView
from interviews.turns.contracts import GraphUpdateOutput, SlotDiscoveryOutput

SWITCHED_OFF = "switched off (enable_canonical_slots)"


class SlotDiscoveryStage:
    """Maps every new node to a slot.

    A label that is as near to a slot as surface matching wants goes there; the model names what the
    others are about.
    """

    name: ClassVar[str] = "slot_discovery"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = (GraphUpdateOutput,)
    gives: ClassVar[type] = SlotDiscoveryOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = False

    def __init__(self, gateway: Gateway, embedder: Embedder, matcher_for: MatcherFor) -> None:
        self._gateway = gateway
        self._embedder = embedder
        self._matcher_for = matcher_for

    def run(self, context: TurnView) -> SlotDiscoveryOutput:
        if not context.session.enable_canonical_slots:
            return SlotDiscoveryOutput(changes=None, note=SWITCHED_OFF)
        nodes = unmapped_nodes(context.graph)
        conflict = matcher_of(context, self._matcher_for).conflict
        known = already_known(
            context.graph,
            nodes if context.graph.slots else [],
            context.graph.changes.node_vectors,
            context.neighbours.slots,
            conflict=conflict,
        )
        settled = {proposal.node_id for proposal in known}
        left = [node for node in nodes if node.id not in settled]
        changes = apply_proposals(
            context.graph,
            [*known, *named(context, left, self._gateway)],
            embedder=self._embedder,
            nearest=context.neighbours.slots,
            turn=context.job.number,
            threshold=context.session.thresholds.slot_similarity,
            min_support=context.session.thresholds.slot_support,
            conflict=conflict,
        )
        return SlotDiscoveryOutput(changes=changes)

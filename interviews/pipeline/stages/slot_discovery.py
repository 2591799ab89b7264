"""Stage 4.5: new nodes find their canonical slots."""

from __future__ import annotations

from typing import ClassVar

from graphs.canonical import (
    SlotProposal,
    already_known,
    apply_proposals,
    batches,
    unmapped_nodes,
)
from graphs.domain import Node
from graphs.language.vectors import Embedder
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.slot_proposal import (
    SLOT_PROPOSAL,
    KnownSlot,
    SlotNode,
    SlotProposalInputs,
    SlotProposalOutput,
)
from interviews.pipeline.stages.graph_update import MatcherFor, synonyms_of
from interviews.turns.context import TurnView
from interviews.turns.contracts import GraphUpdateOutput, SlotDiscoveryOutput

SWITCHED_OFF = "switched off (enable_canonical_slots)"
KNOWN_SLOTS_IN_PROMPT = 30


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
        conflict = self._matcher_for(synonyms_of(context)).conflict
        known = already_known(
            context.graph,
            nodes if context.graph.slots else [],
            context.graph.changes.node_vectors,
            context.neighbours.slots,
            conflict=conflict,
        )
        settled = {proposal.node_id for proposal in known}
        asked = self._proposals(context, [node for node in nodes if node.id not in settled])
        changes = apply_proposals(
            context.graph,
            [*known, *asked],
            embedder=self._embedder,
            nearest=context.neighbours.slots,
            turn=context.job.number,
            conflict=conflict,
        )
        return SlotDiscoveryOutput(changes=changes)

    def _proposals(self, context: TurnView, nodes: list[Node]) -> list[SlotProposal]:
        """Proposals of all batches, asked for side by side; a failed batch is asked again later.

        A node that stays unmapped is offered again on the next turn, so none is lost for good.
        """
        calls = [(SLOT_PROPOSAL, self._inputs(context, batch)) for batch in batches(nodes)]
        replies = self._gateway.run_all(
            calls, payer=context.session, log=context.calls, deadline=context.deadline
        )
        return [
            SlotProposal(node_id=p.node_id, slot_name=p.slot_name, description=p.description)
            for reply in replies
            if isinstance(reply, SlotProposalOutput)
            for p in reply.proposals
        ]

    @staticmethod
    def _inputs(context: TurnView, batch: list[Node]) -> SlotProposalInputs:
        node_type = batch[0].node_type
        known = [slot for slot in context.graph.slots.values() if slot.node_type == node_type]
        return SlotProposalInputs(
            node_type=node_type,
            nodes=tuple(
                SlotNode(
                    node_id=node.id,
                    label=node.label,
                    quote=context.graph.latest_quote(node.id) or node.label,
                )
                for node in batch
            ),
            existing_slots=tuple(
                KnownSlot(name=slot.slot_name, description=slot.description)
                for slot in known[-KNOWN_SLOTS_IN_PROMPT:]
            ),
        )

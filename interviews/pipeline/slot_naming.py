"""Has new concepts named: in batches, a batch that is cut off in halves, by rules as a last way."""

from __future__ import annotations

from collections.abc import Sequence

from graphs.canonical import SlotProposal, batches
from graphs.domain import Node
from graphs.metrics import mention_frequencies
from interviews.llm.errors import LLMTruncated
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.slot_proposal import (
    SLOT_PROPOSAL,
    KnownSlot,
    SlotNode,
    SlotProposalInputs,
    SlotProposalOutput,
)
from interviews.turns.context import TurnView

KNOWN_SLOTS_IN_PROMPT = 30
UNNAMED = "unnamed"
"""Stands for an outcome where a concept was asked about twice and not named."""

_Batch = list[Node]


def named(context: TurnView, nodes: Sequence[Node], gateway: Gateway) -> list[SlotProposal]:
    """Return a proposal for each node that somebody names.

    All batches are asked for side by side; one whose answer is cut off is asked again in halves. A
    node that is not named waits for the next turn; not named twice, rules name it.
    """
    found, cut_off = _asked(context, batches(nodes), gateway)
    halves = [half for batch in cut_off for half in _halves(batch)]
    found |= _asked(context, halves, gateway)[0]
    tried_twice = {node.id for batch in cut_off for node in batch}
    left = [
        node
        for node in nodes
        if node.id not in found and (node.id in tried_twice or node.first_turn < context.job.number)
    ]
    for batch in batches(left):
        reply = gateway.stand_in(
            SLOT_PROPOSAL, _inputs(context, batch), log=context.calls, after=UNNAMED
        )
        found |= _proposals(batch, reply)
    return list(found.values())


def _asked(
    context: TurnView, asked: Sequence[_Batch], gateway: Gateway
) -> tuple[dict[str, SlotProposal], list[_Batch]]:
    """The proposals by node id, and the batches whose answers were cut off."""
    replies = gateway.run_all(
        [(SLOT_PROPOSAL, _inputs(context, batch)) for batch in asked],
        payer=context.session,
        log=context.calls,
        deadline=context.deadline,
        stand_in=False,
    )
    found: dict[str, SlotProposal] = {}
    cut_off: list[_Batch] = []
    for batch, reply in zip(asked, replies, strict=True):
        if isinstance(reply, SlotProposalOutput):
            found |= _proposals(batch, reply)
        elif isinstance(reply, LLMTruncated):
            cut_off.append(batch)
    return found, cut_off


def _proposals(batch: _Batch, reply: SlotProposalOutput | None) -> dict[str, SlotProposal]:
    """What a reply proposes for the nodes of its batch, by node id."""
    numbered = {number: node.id for number, node in enumerate(batch, start=1)}
    return {
        numbered[item.number]: SlotProposal(
            node_id=numbered[item.number], slot_name=item.slot_name, description=item.description
        )
        for item in (reply.proposals if reply else ())
        if item.number in numbered
    }


def _halves(batch: _Batch) -> list[_Batch]:
    middle = len(batch) // 2
    return [half for half in (batch[:middle], batch[middle:]) if half]


def _inputs(context: TurnView, batch: _Batch) -> SlotProposalInputs:
    node_type, graph = batch[0].node_type, context.graph
    said = dict(zip((n.id for n in graph.live_nodes()), mention_frequencies(graph), strict=True))
    known = [slot for slot in graph.slots.values() if slot.node_type == node_type]
    return SlotProposalInputs(
        node_type=node_type,
        nodes=tuple(
            SlotNode(
                number=number,
                label=node.label,
                quote=graph.latest_quote(node.id) or node.label,
                mentions=said[node.id],
            )
            for number, node in enumerate(batch, start=1)
        ),
        existing_slots=tuple(
            KnownSlot(name=slot.slot_name, description=slot.description)
            for slot in known[-KNOWN_SLOTS_IN_PROMPT:]
        ),
    )

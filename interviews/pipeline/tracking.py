"""Who changes the tracker, and when: this module, after a stage, by what the stage said.

========================  =====================================================================
after                     the tracker learns
========================  =====================================================================
graph update              what is new, said again or superseded, and whether the answer yielded
slot discovery            which nodes share a state from now on
state computation         depths, edges, how deep the answer went, and a focus that was refused
continuation              what the next question is about
========================  =====================================================================

Stages and directors read the tracker and never change it. Credit for an answer goes to the node
that the answered question was about, so the new focus comes last. It is settled by the continuation
and not by the choice, for closing overrides the choice. A question that is put in other words is
none more: the tracker hears nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interviews.turns.context import TurnContext
from interviews.turns.contracts import (
    ContinuationOutput,
    GraphUpdateOutput,
    SlotDiscoveryOutput,
    StateComputationOutput,
    Verdict,
)


def _graph(context: TurnContext) -> None:
    """Depths and edges follow after the state, where slots are known."""
    tracker, turn, ontology = context.tracker, context.job.number, context.ontology
    update = context.graph_update
    for node in update.revived:
        tracker.revive(node, turn, 0.0, ontology)
    for node in update.nodes_added:
        tracker.register_node(node, turn, 0.0, ontology)
    for node in context.graph.changes.nodes.values():
        if node.superseded_by is not None:
            tracker.move(node.id, node.superseded_by)
    if update.yielded:
        tracker.record_yield(turn)


def _slots(context: TurnContext) -> None:
    changes = context.slots.changes
    for mapping in changes.mapped if changes is not None else ():
        context.tracker.follow_slot(mapping.node_id, mapping.slot_id)


def _answer(context: TurnContext) -> None:
    """A refusal closes what was asked about for good, in every mode."""
    tracker, state = context.tracker, context.state
    tracker.update_depths(state.node_depths)
    tracker.update_edge_counts(context.graph)
    if state.answer_depth is not None:
        tracker.append_response_depth(state.answer_depth)
    if context.heard.act == "refuses" and tracker.previous_focus is not None:
        tracker.close_focus(tracker.previous_focus)


def _focus(context: TurnContext) -> None:
    continuation = context.continuation
    if continuation.verdict is Verdict.END or continuation.rephrases:
        return
    focus = continuation.focus
    context.tracker.update_focus(
        focus.node_id if focus else None, context.job.number, continuation.strategy
    )


AFTER: Mapping[type, Callable[[TurnContext], None]] = {
    GraphUpdateOutput: _graph,
    SlotDiscoveryOutput: _slots,
    StateComputationOutput: _answer,
    ContinuationOutput: _focus,
}


def follow(context: TurnContext, contract: object) -> None:
    """Tell the tracker what a contract, just recorded, means to it."""
    learn = AFTER.get(type(contract))
    if learn is not None:
        learn(context)

"""Stage 5: where the interview stands after this answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from graphs.chains import Chains
from graphs.metrics import (
    SaturationCounters,
    canonical_graph_state,
    graph_state_with_depths,
    saturation_metrics,
)
from interviews.acts import LEAVE_OPEN
from interviews.modes.base import Director, led
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    ExtractionOutput,
    GraphUpdateOutput,
    SlotDiscoveryOutput,
    StateComputationOutput,
)
from interviews.turns.state import HISTORY_KEPT
from methodologies.signals.base import Velocity
from methodologies.signals.llm import depth_of


class StateComputationStage:
    """Computes graph states, velocities, saturation and depths, and lets the director observe."""

    name: ClassVar[str] = "state_computation"
    reads: ClassVar[tuple[type, ...]] = (ContextLoadingOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = (
        ExtractionOutput,
        GraphUpdateOutput,
        SlotDiscoveryOutput,
    )
    gives: ClassVar[type] = StateComputationOutput
    directs: ClassVar[tuple[str, ...]] = ("observe",)
    opens: ClassVar[bool] = False

    def __init__(self, directors: Mapping[str, Director]) -> None:
        self._directors = directors

    def run(self, context: TurnView) -> StateComputationOutput:
        turn, graph = context.job.number, context.graph
        before, update = context.loaded.state, context.graph_update
        ontology, director = context.ontology, self._directors[context.session.mode]
        chains = Chains(graph, ontology)
        state, node_depths = graph_state_with_depths(graph, ontology, chains)
        depths = before.depth_history
        # Who asks back has not answered the question: nothing is held against them.
        answered = context.heard.act not in LEAVE_OPEN or update.yielded
        rating = context.extraction.ratings.get("response_depth") if answered else None
        depth = depth_of(rating) if rating is not None else None
        if depth is not None:
            depths = (*depths, depth)[-HISTORY_KEPT:]
        new_nodes = len(update.nodes_added) + len(update.revived)
        counters = SaturationCounters(**before.counters.model_dump())
        velocity = Velocity(**before.velocity.model_dump())
        changes = context.slots.changes
        canonical = canonical_graph_state(graph, ontology) if changes is not None else None
        if answered:
            counters = counters.updated(
                new_nodes=new_nodes,
                new_edges=len(update.edges_added),
                response_depth=depth,
                max_depth=state.max_depth,
            )
            velocity = velocity.updated(
                len(update.nodes_added), turn, len(changes.created) if changes is not None else 0
            )
        metrics = saturation_metrics(
            graph,
            context.tracker,
            counters,
            turn=turn,
            new_nodes=len(update.nodes_added),
            concepts_extracted=len(context.extraction.concepts),
        )
        return StateComputationOutput(
            graph_state=state,
            chains=chains,
            canonical_graph_state=canonical,
            velocity=velocity,
            counters=counters,
            saturation=metrics,
            saturation_reason=metrics.reason,
            depth_history=depths,
            node_depths=node_depths,
            answer_depth=depth,
            mode_state=director.observe(led(context, director, "observe")),
        )

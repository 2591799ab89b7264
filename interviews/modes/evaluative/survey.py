"""Where an interview stands: coverage and shape, read off its graph and the mode's state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphs.domain import SessionGraph
from graphs.ontology import Ontology
from interviews.modes.evaluative.coverage import EXHAUSTED_FROM, Coverage, coverage_of
from interviews.modes.evaluative.elements import Element
from interviews.modes.evaluative.state import EvaluativeState, Standing, Tension
from interviews.modes.evaluative.topology import Topology, topology_of

LATELY = 3
"""Questions for which a node counts as explored once it was asked about."""


def coverage_now(
    graph: SessionGraph, state: EvaluativeState, elements: Sequence[Element]
) -> Coverage:
    """The coverage of a concept; a refusal exhausts an element as three focuses do."""
    return coverage_of(
        elements,
        links=[(graph.successor(link.node_id), link.element) for link in state.links],
        reacted={reaction.element for reaction in state.reactions},
        live={node.id for node in graph.live_nodes()},
        edges=graph.live_edges(),
        exhausted={
            element.id
            for element in elements
            if element.id in state.refused or state.focuses(element.id) >= EXHAUSTED_FROM
        },
    )


def topology_now(graph: SessionGraph, state: EvaluativeState, ontology: Ontology) -> Topology:
    """The shape of the graph; ids of superseded nodes are followed to their successors."""
    nodes = list(graph.live_nodes())
    return topology_of(
        nodes,
        list(graph.live_edges()),
        is_terminal=ontology.is_terminal,
        lately={graph.successor(a.ref) for a in state.asked[-LATELY:] if a.kind == "node"},
        flagged={graph.successor(node_id) for node_id in state.flagged},
        clarified={
            graph.successor(a.ref) for a in state.asked if a.strategy == "resolve_ambiguity"
        },
    )


def open_tensions(graph: SessionGraph, state: EvaluativeState) -> Iterator[Tension]:
    """The tensions that were not asked about yet and whose ends are live, oldest first."""
    done = {asked.ref for asked in state.asked if asked.kind == "tension"}
    for tension in state.tensions:
        ends = [graph.successor(end) for end in (tension.source_id, tension.target_id)]
        if tension.id not in done and all(map(graph.is_live, ends)) and len(set(ends)) > 1:
            yield tension.model_copy(update={"source_id": ends[0], "target_id": ends[1]})


def standings(coverage: Coverage) -> tuple[Standing, ...]:
    """Each element as it stands, for reports."""
    return tuple(
        Standing(
            element=found.element,
            mentioned=found.mentioned,
            understood=found.understood,
            exhausted=found.element in coverage.exhausted,
            gaps=tuple((gap.kind, gap.other) for gap in coverage.gaps_of(found.element)),
        )
        for found in coverage.standings.values()
    )

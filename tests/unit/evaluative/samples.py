"""Concepts, graphs and situations of concept tests, in as few words as a test needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphs.domain import Edge, Node
from graphs.ontology import EdgeType, NodeType, Ontology
from interviews.modes.evaluative.coverage import EXHAUSTED_FROM, coverage_of
from interviews.modes.evaluative.elements import Element
from interviews.modes.evaluative.scorers.reflection_mode import reflects
from interviews.modes.evaluative.situation import Situation, steps_to_terminal
from interviews.modes.evaluative.state import Asked, Tension
from interviews.modes.evaluative.topology import topology_of
from methodologies.evaluative import StrategyName, shipped_rules

LADDER = Ontology(
    node_types=(
        NodeType(name="attribute", level=1),
        NodeType(name="consequence", level=2),
        NodeType(name="feeling", level=3),
        NodeType(name="value", level=4, terminal=True),
    ),
    edge_types=(
        EdgeType(
            name="leads_to",
            permitted=frozenset(
                [("attribute", "consequence"), ("consequence", "feeling"), ("feeling", "value")]
            ),
        ),
    ),
)
FOAM = Element(id="foam", label="foams like milk", aliases=("foam",), connects_to=("price",))
PRICE = Element(id="price", label="costs less than milk", aliases=("price",), place=1, priority=1)
FARMS = Element(id="farms", label="oats from three farms", aliases=("farms",), place=2)
ELEMENTS = (FOAM, PRICE, FARMS)


def node(node_id: str, node_type: str = "attribute", turn: int = 1, **more: Any) -> Node:
    """A node that goes by its id."""
    return Node(
        id=node_id, label=more.pop("label", node_id), node_type=node_type, first_turn=turn, **more
    )


def edge(source: str, target: str) -> Edge:
    """An edge between two nodes."""
    return Edge(id=f"{source}>{target}", source_id=source, target_id=target, edge_type="leads_to")


def alike(one: str, other: str) -> float:
    """Near where the texts are the same, far otherwise."""
    return 1.0 if one == other else 0.0


def asked(strategy: StrategyName, ref: str = "", tactic: str = "", **more: Any) -> Asked:
    """A question by a strategy; about a node, unless `kind` says otherwise."""
    spec = shipped_rules().strategies[strategy]
    kind = more.pop("kind", "element" if strategy == "ensure_coverage" else "node")
    return Asked(
        turn=more.pop("turn", 1),
        strategy=strategy,
        group=spec.group,
        tactic=tactic,
        kind=kind if ref else None,
        ref=ref,
        label=more.pop("label", ref),
        **more,
    )


def tension(source: str, target: str, tension_id: str = "1.1") -> Tension:
    """A relation from a node to another that the ladder does not permit."""
    return Tension(
        id=tension_id,
        source=source,
        source_type="value",
        source_id=source,
        target=target,
        target_type="attribute",
        target_id=target,
        edge_type="leads_to",
        quote=f"{source} brings {target}",
        turn=1,
    )


def situation(
    nodes: Sequence[Node] = (),
    edges: Sequence[Edge] = (),
    *,
    links: Iterable[tuple[str, str]] = (),
    reacted: Iterable[str] = (),
    elements: Sequence[Element] = ELEMENTS,
    asked: Sequence[Asked] = (),
    complete_chain: bool = False,
    barren: int = 0,
    flagged: Iterable[str] = (),
    **more: Any,
) -> Situation:
    """A situation with this graph, coverage and history."""
    foci = [a.ref for a in asked if a.kind == "element"]
    topology = topology_of(
        nodes,
        edges,
        is_terminal=LADDER.is_terminal,
        lately={a.ref for a in asked[-3:] if a.kind == "node"},
        flagged=set(flagged),
    )
    coverage = coverage_of(
        elements,
        links=links,
        reacted=set(reacted),
        live={n.id for n in nodes},
        edges=edges,
        exhausted={e.id for e in elements if foci.count(e.id) >= EXHAUSTED_FROM},
    )
    told: Mapping[str, Any] = {
        "momentum": "neutral",
        "tensions": (),
        "left_alone": frozenset(),
        "opened": frozenset(),
        "cosine": alike,
    } | more
    return Situation(
        elements={e.id: e for e in elements},
        coverage=coverage,
        topology=topology,
        nodes={n.id: n for n in nodes},
        asked=tuple(asked),
        steps=steps_to_terminal(LADDER),
        complete_chain=complete_chain,
        barren=barren,
        reflects=reflects(
            complete_chain=complete_chain,
            barren=barren,
            spec=shipped_rules().scorers.reflection_mode,
        ),
        **told,
    )

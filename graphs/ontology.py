"""Node and edge types of a methodology, and what they permit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

REVISES = "revises"
"""The one edge type every ontology has: the source statement replaces the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeType:
    """A kind of concept; `level` 1 is the concrete end of the ladder.

    `nature` is feeling, fact, or "" for neither.
    """

    name: str
    level: int | None = None
    terminal: bool = False
    description: str = ""
    examples: tuple[str, ...] = ()
    nature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeType:
    """A kind of relation and the (source type, target type) pairs it may join."""

    name: str
    description: str = ""
    permitted: frozenset[tuple[str, str]] = frozenset()
    chain: bool = True


@dataclass(frozen=True)
class Ontology:
    """Node and edge types of a methodology, as plain data that a methodology fills."""

    node_types: tuple[NodeType, ...]
    edge_types: tuple[EdgeType, ...]

    @cached_property
    def nodes_by_name(self) -> Mapping[str, NodeType]:
        return {node_type.name: node_type for node_type in self.node_types}

    @cached_property
    def edges_by_name(self) -> Mapping[str, EdgeType]:
        return {edge_type.name: edge_type for edge_type in self.edge_types}

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Distinct levels, lowest first; empty where the ontology declares none."""
        return tuple(sorted({t.level for t in self.node_types if t.level is not None}))

    @cached_property
    def entry_types(self) -> frozenset[str]:
        """Types at the lowest level, where chains begin."""
        if not self.levels:
            return frozenset()
        return frozenset(t.name for t in self.node_types if t.level == self.levels[0])

    @cached_property
    def terminal_types(self) -> frozenset[str]:
        return frozenset(t.name for t in self.node_types if t.terminal)

    @cached_property
    def chain_edge_types(self) -> frozenset[str]:
        """Edge types that count as a step of a chain; `revises` never does."""
        return frozenset(t.name for t in self.edge_types if t.chain and t.name != REVISES)

    def level_of(self, node_type: str) -> int | None:
        found = self.nodes_by_name.get(node_type)
        return found.level if found else None

    def is_terminal(self, node_type: str) -> bool:
        return node_type in self.terminal_types

    def permits(self, edge_type: str, source_type: str, target_type: str) -> bool:
        """Whether `edge_type` may join these two node types; `revises` joins equal types."""
        if edge_type == REVISES and edge_type not in self.edges_by_name:
            return source_type == target_type
        found = self.edges_by_name.get(edge_type)
        return found is not None and (source_type, target_type) in found.permitted


NOTHING_PERMITTED = Ontology(node_types=(), edge_types=())
"""The ontology of an interview that is led without a methodology."""

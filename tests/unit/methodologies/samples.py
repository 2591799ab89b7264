"""The smallest methodology, graph and signal inputs that the tests here build on."""

from __future__ import annotations

from typing import Any

from graphs.domain import SessionGraph
from graphs.metrics import graph_state
from graphs.ontology import EdgeType, NodeType, Ontology
from graphs.tracker import NodeStateTracker
from methodologies.schema import MethodologySchema
from methodologies.signals.base import SignalInputs

LADDER = Ontology(
    node_types=(
        NodeType(name="attribute", level=1),
        NodeType(name="consequence", level=2),
        NodeType(name="value", level=3, terminal=True),
    ),
    edge_types=(
        EdgeType(
            name="leads_to",
            permitted=frozenset({("attribute", "consequence"), ("consequence", "value")}),
        ),
    ),
)

TEXT = """\
method:
  name: laddering
  goal: Climb from attributes to values
  opening_bias: Start with what they notice
ontology:
  nodes:
    - name: attribute
      level: 1
      description: What it is
    - name: consequence
      level: 2
      description: What it does
    - name: value
      level: 3
      terminal: true
      description: What it is for
  edges:
    - name: leads_to
      description: One brings about the other
      permitted_connections:
        - [attribute, consequence]
        - [consequence, value]
signals:
  graph: [graph.max_depth, graph.node_count, graph.chain_completion, graph.node]
  llm: [llm.engagement, llm.response_depth]
  temporal: [temporal.strategy_repetition_count]
strategies:
  - name: explore
    description: Open a new area
    node_binding: none
    signal_weights:
      graph.node_count.zero: 1.0
  - name: deepen
    description: Ask why it matters
    signal_weights:
      llm.engagement.high: 0.5
      graph.node.is_orphan: 0.3
  - name: close
    description: Sum up
    node_binding: none
    focus_mode: summary
    generates_closing_question: true
    signal_weights:
      graph.max_depth: 0.7
phases:
  early:
    signal_weights:
      explore: 1.5
    phase_bonuses:
      explore: 0.2
"""


def strategy(name: str, weights: dict[str, float] | None = None, **more: Any) -> dict[str, Any]:
    """A strategy as a document has it."""
    return {
        "name": name,
        "description": name,
        "signal_weights": weights or {"graph.max_depth": 0.0},
        **more,
    }


def methodology(*strategies: dict[str, Any], **more: Any) -> MethodologySchema:
    """A methodology with these strategies, on the ladder of three types."""
    return MethodologySchema.model_validate(
        {
            "method": {"name": "sample", "goal": "goal", "opening_bias": "opening"},
            "ontology": {
                "nodes": [
                    {"name": "attribute", "level": 1, "description": "a"},
                    {"name": "consequence", "level": 2, "description": "c"},
                    {"name": "value", "level": 3, "terminal": True, "description": "v"},
                ],
                "edges": [
                    {
                        "name": "leads_to",
                        "description": "l",
                        "permitted_connections": [
                            ["attribute", "consequence"],
                            ["consequence", "value"],
                        ],
                    }
                ],
            },
            "signals": {"all": ["graph", "llm", "meta", "technique", "temporal"]},
            "strategies": list(strategies),
            **more,
        }
    )


class Interview:
    """A graph with its tracker, filled by hand."""

    def __init__(self, ontology: Ontology = LADDER) -> None:
        self.ontology = ontology
        self.graph = SessionGraph()
        self.tracker = NodeStateTracker()

    def node(self, label: str, node_type: str = "attribute", turn: int = 1) -> str:
        """Add a node, register it, and return its id."""
        node = self.graph.add_node(
            label=label,
            node_type=node_type,
            level=self.ontology.level_of(node_type),
            turn=turn,
        )
        self.tracker.register_node(node, turn, 0.0, self.ontology)
        return node.id

    def edge(self, source: str, target: str, turn: int = 1) -> None:
        """Add a chain edge."""
        self.graph.add_edge(source_id=source, target_id=target, edge_type="leads_to", turn=turn)

    def ask(self, node_id: str | None, turn: int, strategy: str = "deepen") -> None:
        """Ask about a node at the end of a turn."""
        self.tracker.update_focus(node_id, turn, strategy)

    def answer(self, depth: str, turn: int, *, yielded: bool = False) -> None:
        """Credit the answer to the last question."""
        if yielded:
            self.tracker.record_yield(turn)
        self.tracker.append_response_depth(depth)

    def inputs(self, *, turn: int = 5, max_turns: int = 20, **more: Any) -> SignalInputs:
        """What signals may read now."""
        self.tracker.update_edge_counts(self.graph)
        return SignalInputs(
            graph=self.graph,
            ontology=self.ontology,
            graph_state=graph_state(self.graph, self.ontology),
            tracker=self.tracker,
            turn=turn,
            max_turns=max_turns,
            **more,
        )

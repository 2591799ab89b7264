"""A node as the next question's focus."""

from __future__ import annotations

from interviews.turns.context import TurnView
from interviews.turns.contracts import Focus


def focus_on(context: TurnView, node_id: str | None) -> Focus | None:
    """The node as a question needs it: label, level, and the respondent's latest words for it."""
    if node_id is None:
        return None
    node = context.graph.nodes[node_id]
    return Focus(
        ref=node.id,
        label=node.label,
        node_type=node.node_type,
        level=node.level,
        terminal=context.ontology.is_terminal(node.node_type),
        stance=node.stance,
        quote=context.graph.latest_quote(node_id) or node.label,
    )

"""What of an interview's graph is true to the hidden graph that the respondent answered from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from graphs.domain import SessionGraph
from interviews.simulation.world import World

_WORD = re.compile(r"[\w'’]+")


def edge_truth(graph: SessionGraph, world: World) -> Counter[str]:
    """Count the live edges by what the hidden graph says of their ends.

    "linked": both ends quote one statement, or two that are linked in either direction;
    "two_steps": one statement lies between them; "unlinked": further apart; "unknown": an end
    quotes nothing that the world holds (small talk, a hedge, two statements run together).
    """
    linked: dict[str, set[str]] = {name: set() for name in world.by_id}
    for source, target in world.edges:
        linked[source].add(target)
        linked[target].add(source)
    quoted = _statements_by_node(graph, world)
    return Counter(
        _kind(quoted.get(edge.source_id, set()), quoted.get(edge.target_id, set()), linked)
        for edge in graph.live_edges()
    )


def _kind(source: set[str], target: set[str], linked: Mapping[str, set[str]]) -> str:
    if not source or not target:
        return "unknown"
    one_step = {name for start in source for name in (start, *linked[start])}
    if one_step & target:
        return "linked"
    two_steps = {name for start in one_step for name in linked[start]}
    return "two_steps" if two_steps & target else "unlinked"


def _statements_by_node(graph: SessionGraph, world: World) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for mention in graph.mentions:
        if mention.node_id is not None:
            found.setdefault(mention.node_id, set()).update(_statements(mention.quote, world))
    return found


def _statements(quote: str, world: World) -> Iterator[str]:
    """Statements of which the quote is a part, or which are part of it."""
    said = f" {' '.join(_WORD.findall(quote.casefold()))} "
    for statement in world.statements:
        for phrasing in statement.phrasings:
            told = f" {' '.join(_WORD.findall(phrasing.casefold()))} "
            if said in told or told in said:
                yield statement.id
                break

"""Edges of an interview's graph held against what the respondent knows."""

from __future__ import annotations

from collections import Counter

import pytest

from graphs.domain import Mention, SessionGraph
from interviews.simulation.truth import edge_truth
from interviews.simulation.world import load_world

WORLD = load_world("oat_milk")  # foam → cafe_at_home → slow_start → own_time


def graph_saying(source: str, target: str) -> SessionGraph:
    graph = SessionGraph()
    ids = []
    for number, quote in enumerate((source, target)):
        node = graph.add_node(label=f"label {number}", node_type="attribute", turn=1)
        graph.add_mention(
            Mention(
                id=f"m{number}",
                node_id=node.id,
                utterance_id="u",
                quote=quote,
                start=0,
                end=len(quote),
                turn=1,
            )
        )
        ids.append(node.id)
    graph.add_edge(source_id=ids[0], target_id=ids[1], edge_type="leads_to", turn=1)
    return graph


FOAM = "get a really thick foam"
CAPPUCCINO = "I make a proper cappuccino in my own kitchen"


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        (FOAM, CAPPUCCINO, "linked"),
        (CAPPUCCINO, FOAM, "linked"),
        (FOAM, "goes fluffy when you steam it", "linked"),
        (FOAM, "it's my little ritual before the madness starts", "two_steps"),
        (FOAM, "our bin's overflowing by Thursday", "unlinked"),
        (FOAM, "there is football on tonight", "unknown"),
        (FOAM, "Well, I guess our bin's overflowing by Thursday, you know", "unlinked"),
    ],
)
def test_an_edge_is_held_against_the_hidden_graph(source: str, target: str, kind: str) -> None:
    assert edge_truth(graph_saying(source, target), WORLD) == Counter({kind: 1})

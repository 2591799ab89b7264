"""Signals of the exchange: what was just said, the leads, what was played down, and ties."""

from __future__ import annotations

from graphs.domain import Mention
from methodologies.scoring import NodeRef, rank
from methodologies.signals.detection import detect
from tests.unit.methodologies.samples import Interview, methodology, strategy

NODE = ["graph.node.mentioned_now", "llm.node.lead", "llm.node.disclaimed", "graph.node.stance"]


def mentioned(interview: Interview, node_id: str, turn: int) -> None:
    interview.graph.add_mention(
        Mention(
            id=f"m{node_id}{turn}",
            utterance_id="u",
            quote="q",
            start=0,
            end=1,
            turn=turn,
            node_id=node_id,
        )
    )


def test_a_node_is_mentioned_now_where_this_answer_speaks_of_it_again() -> None:
    interview = Interview()
    old, new, silent = (interview.node(n, turn=t) for n, t in (("a", 1), ("b", 5), ("c", 1)))
    for node_id, turn in ((old, 1), (old, 5), (new, 5), (silent, 1)):
        mentioned(interview, node_id, turn)
    found = detect(NODE, interview.inputs(turn=5)).node_values
    assert [found[n]["graph.node.mentioned_now"] for n in (old, new, silent)] == [True, True, False]


def test_leads_and_what_was_played_down_are_read_by_node() -> None:
    interview = Interview()
    one, other = interview.node("a"), interview.node("b")
    inputs = interview.inputs(leads={one: 0.7}, disclaimed=frozenset({other}))
    found = detect(NODE, inputs).node_values
    assert [found[n]["llm.node.lead"] for n in (one, other)] == [0.7, 0.0]
    assert [found[n]["llm.node.disclaimed"] for n in (one, other)] == [False, True]
    assert found[one]["graph.node.stance"] == "neutral"


def test_the_exchange_is_read_for_the_whole_interview() -> None:
    names = ["conversation", "temporal.line_run"]
    assert detect(names, Interview().inputs()).global_values == {
        "conversation.act": "answer",
        "conversation.off_track": False,
        "temporal.line_run": 0,
    }
    inputs = Interview().inputs(act="drifted", off_track=True, line_run=2)
    assert detect(names, inputs).global_values == {
        "conversation.act": "drifted",
        "conversation.off_track": True,
        "temporal.line_run": 2,
    }


def test_a_tie_goes_to_the_node_mentioned_last_and_without_that_to_the_oldest() -> None:
    method = methodology(
        strategy("explore", node_binding="none"), strategy("deepen", {"llm.engagement": 1.0})
    )
    interview = Interview()
    first, last, middle = (interview.node(name) for name in "abc")
    reading = detect(["llm.engagement"], interview.inputs(ratings={"engagement": 5}))
    said = {first: 1, last: 3, middle: 2}
    nodes = [NodeRef(id=n, first_turn=1, order=i, last_said=said[n]) for i, n in enumerate(said)]
    top = rank(method, reading, phase="mid", nodes=nodes).top(3)
    assert [c.node_id for c in top] == [last, middle, first]
    unknown = [node._replace(last_said=0) for node in nodes]
    top = rank(method, reading, phase="mid", nodes=unknown).top(3)
    assert [c.node_id for c in top] == [first, last, middle]

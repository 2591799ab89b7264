"""What the exchange and the methodology keep out, whatever the weights say."""

from __future__ import annotations

from typing import Any

import pytest

from methodologies.gates import MOST_LADDERING, Bar, Exchange, bars_of, signals_of_gates
from methodologies.schema import MethodologySchema
from methodologies.scoring import NodeRef, Ranking, rank
from methodologies.signals.detection import detect
from tests.unit.methodologies.samples import Interview, methodology, strategy

EXPLORE = strategy("explore", node_binding="none")
UP = strategy("up", {"llm.engagement": 1.0}, ladders="up")
DOWN = strategy("down", {"llm.engagement": 1.0}, ladders="down")
ASIDE = strategy("aside", {"llm.engagement": 0.5})
LED = methodology(EXPLORE, UP, DOWN, ASIDE)


def ranked(method: MethodologySchema, *bars: Bar, **more: Any) -> Ranking:
    """Three nodes: a fact below, a feeling, and a value above."""
    interview = Interview()
    for label, kind in (("straps", "attribute"), ("ease", "consequence"), ("freedom", "value")):
        interview.node(label, kind)
    ids = [node.id for node in interview.graph.live_nodes()]
    names = [n for group in method.signals.values() for n in group]
    reading = detect(
        [*names, *signals_of_gates(method)], interview.inputs(ratings={"engagement": 5})
    )
    named = dict(zip(("straps", "ease", "freedom"), ids, strict=True))
    told = [
        Bar(
            reason=bar.reason,
            strategies=bar.strategies,
            nodes=None if bar.nodes is None else tuple(named[n] for n in bar.nodes),
            others=bar.others,
        )
        for bar in bars
    ]
    nodes = [NodeRef(id=i, first_turn=1, order=place) for place, i in enumerate(ids)]
    return rank(method, reading, phase="mid", nodes=nodes, bars=told, **more)


def gates_of(ranking: Ranking, name: str) -> list[tuple[str, ...]]:
    return [found.gates for found in ranking.gated if found.strategy == name]


def bars(**exchange: Any) -> list[Bar]:
    return [b for b in bars_of(Exchange(**exchange), LED) if not b.reason.startswith("order")]


def test_a_bar_takes_out_the_named_nodes_of_the_named_strategies_and_says_why() -> None:
    found = ranked(LED, Bar(reason="line: x", strategies=("up",), nodes=("ease",)))
    assert gates_of(found, "up") == [("line: x",)]
    assert gates_of(found, "aside") == []


def test_a_bar_with_others_spares_the_named_nodes_and_what_has_none() -> None:
    found = ranked(LED, Bar(reason="going back: x", nodes=("freedom",), others=True))
    assert {(c.strategy) for c in found.top(9)} == {"explore", "up", "down", "aside"}
    assert [len(gates_of(found, name)) for name in ("up", "down", "aside", "explore")] == [
        2,
        2,
        2,
        0,
    ]


def test_a_bar_without_nodes_takes_the_strategy_out() -> None:
    found = ranked(LED, Bar(reason="refused: x", strategies=("explore",)))
    assert gates_of(found, "explore") == [("refused: x",)]


def test_where_every_node_is_barred_a_strategy_without_one_wins() -> None:
    assert ranked(LED, *bars(off_track=True)).chosen.strategy == "explore"


@pytest.mark.parametrize(
    ("suits", "kept"),
    [
        ({"types": ["consequence"]}, 1),
        ({"levels": [2, 3]}, 2),
        ({"stances": ["negative"]}, 0),
        ({"natures": ["other", "fact"]}, 3),
        ({"natures": ["feeling"]}, 0),
        ({"levels": [1, 2], "types": ["value"]}, 0),
    ],
)
def test_a_strategy_says_of_what_kinds_of_node_it_makes_sense(
    suits: dict[str, Any], kept: int
) -> None:
    method = methodology(EXPLORE, strategy("fits", {"llm.engagement": 1.0}, suits=suits))
    found = ranked(method)
    assert sum(c.strategy == "fits" for c in found.top(9)) == kept
    assert all("suits: not for" in gate for gates in gates_of(found, "fits") for gate in gates)


def test_what_was_played_down_is_not_laddered() -> None:
    assert bars(disclaimed=frozenset({"n"})) == [
        Bar(
            reason="disclaimed: what was played down is not laddered",
            strategies=("up", "down"),
            nodes=("n",),
        )
    ]


def test_a_line_is_laddered_three_times_running_at_most() -> None:
    line = frozenset({"n", "m"})
    assert bars(line=line, laddered=MOST_LADDERING - 1) == []
    (bar,) = bars(line=line, laddered=MOST_LADDERING)
    assert (bar.strategies, bar.nodes) == (("up", "down"), ("m", "n"))


def test_nothing_is_laddered_down_while_nothing_is_known_above_it() -> None:
    (bar,) = bars_of(Exchange(topped=frozenset({"n"})), LED)
    assert (bar.strategies, bar.nodes, bar.others) == (("down",), ("n",), True)


def test_what_lies_beside_something_refused_rests_with_the_strategy() -> None:
    refused, beside = bars(refused_by="up", resting=frozenset({"n"}))
    assert (refused.strategies, refused.nodes) == (("up",), None)
    assert (beside.strategies, beside.nodes) == ((), ("n",))


def test_an_older_node_waits_while_the_answer_opened_something() -> None:
    said = frozenset({"n"})
    assert bars(opened=False, mentioned=said) == []
    assert bars(opened=True, mentioned=said, line_finished=True) == []
    (bar,) = bars(opened=True, mentioned=said)
    assert (bar.reason.split(":")[0], bar.nodes, bar.others) == ("going back", ("n",), True)


def test_a_finished_line_is_left() -> None:
    (bar,) = bars(finished=frozenset({"n"}))
    assert bar == Bar(reason="finished: there was nothing to add", nodes=("n",))

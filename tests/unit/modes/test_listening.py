"""What the exchange means: leads by node, lines, what is played down, what rests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from graphs.domain import Mention
from interviews.acts import Act, Heard, Lead
from interviews.modes.exploratory.listening import (
    asked_about,
    leads_of,
    line_of,
    line_run,
    neighbours_of,
    observed,
    remembered,
    run_of,
)
from interviews.modes.exploratory.state import ExploratoryState
from interviews.turns.state import FocusEntry, SessionState
from tests.unit.methodologies.samples import Interview

ANSWER = "I was late again, and I felt small."


def said(node_id: str, quote: str, turn: int = 3) -> Mention:
    start = ANSWER.index(quote) if quote in ANSWER else 0
    return Mention(
        id=f"{node_id}-{turn}",
        utterance_id="u",
        quote=quote,
        start=start,
        end=start + len(quote),
        turn=turn,
        node_id=node_id,
    )


def lead(quote: str) -> Lead:
    return Lead(quote=quote, reason="emotional")


def test_a_lead_counts_for_the_nodes_whose_mention_overlaps_it_by_its_rank() -> None:
    mentions = [said("late", "I was late again"), said("small", "I felt small")]
    assert leads_of([lead("and I felt small"), lead("late again")], ANSWER, mentions) == {
        "small": 1.0,
        "late": 0.7,
    }
    assert leads_of([lead("something else")], ANSWER, mentions) == {}
    assert leads_of([lead("again, and I")], ANSWER, mentions) == {}


def test_the_better_lead_of_a_node_counts() -> None:
    leads = [lead("felt small"), lead("I felt small"), lead("small")]
    assert leads_of(leads, ANSWER, [said("small", "I felt small")]) == {"small": 1.0}


@pytest.mark.parametrize(
    ("foci", "run"),
    [
        ([], []),
        (["a"], ["a"]),
        (["a", "b", "c"], ["c", "b", "a"]),
        (["a", "c"], ["c"]),
        (["b", "b"], ["b", "b"]),
        (["a", None, "b"], ["b"]),
        (["a", "b", None], []),
    ],
)
def test_a_line_goes_from_focus_to_focus_over_one_edge_at_most(
    foci: list[str | None], run: list[str]
) -> None:
    beside = {"a": {"b"}, "b": {"a", "c"}, "c": {"b"}}
    assert run_of(foci, beside) == run


def context(
    act: Act = "answer",
    *,
    state: ExploratoryState | None = None,
    disclaimed: tuple[str, ...] = (),
    mentions: tuple[str, ...] = (),
    saturation: str | None = None,
) -> tuple[Any, dict[str, str]]:
    """Turn 3, after questions about "straps" and "ease", which are linked; "cover" is apart."""
    interview = Interview()
    ids = {
        "straps": interview.node("straps"),
        "ease": interview.node("ease", "consequence"),
        "cover": interview.node("cover"),
    }
    interview.edge(ids["straps"], ids["ease"])
    history = tuple(
        FocusEntry(turn=turn, kind="node", ref=ids[name], label=name, strategy="deepen")
        for turn, name in ((1, "straps"), (2, "ease"))
    )
    for name in mentions:
        interview.graph.add_mention(said(ids[name], "x"))
    found: Any = SimpleNamespace(
        job=SimpleNamespace(number=3),
        graph=interview.graph,
        heard=Heard(act=act, disclaimed=disclaimed),
        utterance=SimpleNamespace(text=ANSWER),
        graph_update=SimpleNamespace(nodes_added=(), revived=()),
        loaded=SimpleNamespace(
            mode_state=state or ExploratoryState(),
            previous_focus=history[-1],
            state=SessionState(focus_history=history),
        ),
        state=SimpleNamespace(mode_state=state or ExploratoryState(), saturation_reason=saturation),
    )
    return found, ids


def test_the_line_is_what_was_asked_about_and_what_lies_beside_it() -> None:
    found, ids = context()
    assert asked_about(found) == ids["ease"]
    assert line_run(found) == 2
    assert line_of(found) == {ids["straps"], ids["ease"]}
    assert neighbours_of(found.graph, [ids["cover"]]).get(ids["cover"]) is None


def test_what_is_played_down_stays_so_until_it_comes_up_unasked() -> None:
    found, ids = context(disclaimed=("straps",))
    assert observed(found).disclaimed == (ids["straps"],)
    kept = ExploratoryState(disclaimed=(ids["ease"],))
    again, ids = context(state=kept)
    assert observed(again).disclaimed == ()  # not live in this graph
    before, ids = context()
    before.loaded.mode_state = ExploratoryState(disclaimed=(ids["cover"], ids["ease"]))
    assert set(observed(before).disclaimed) == {ids["cover"], ids["ease"]}
    before.graph.add_mention(said(ids["cover"], "x"))
    before.graph.add_mention(said(ids["ease"], "x"))
    assert observed(before).disclaimed == (ids["ease"],)  # that was asked about


def test_with_nothing_to_add_the_line_is_finished() -> None:
    found, ids = context("adds_nothing")
    assert set(observed(found).finished) == {ids["straps"], ids["ease"]}
    found, _ = context("answer")
    assert observed(found).finished == ()


def test_what_lies_beside_something_refused_rests_for_two_questions() -> None:
    found, ids = context("refuses")
    assert observed(found).resting == ((ids["straps"], 4),)
    found.loaded.mode_state = ExploratoryState(resting=((ids["cover"], 2), (ids["straps"], 3)))
    found.heard = Heard()
    assert observed(found).resting == ((ids["straps"], 3),)


@pytest.mark.parametrize(
    ("before", "reason", "since"),
    [(None, None, None), (None, "depth_plateau", 3), (2, "depth_plateau", 2), (2, None, None)],
)
def test_it_is_remembered_since_when_nothing_new_came(
    before: int | None, reason: str | None, since: int | None
) -> None:
    found, _ = context(state=ExploratoryState(saturated_since=before), saturation=reason)
    assert remembered(found).saturated_since == since

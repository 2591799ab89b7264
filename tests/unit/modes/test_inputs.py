"""What a question may take up after a refusal, a repetition or a question back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from graphs.domain import Mention, Said
from interviews.acts import Act, Heard
from interviews.llm.tasks.questions import AcknowledgeInput
from interviews.modes.common.repairs import (
    MOST_REPHRASINGS,
    OPENING,
    acknowledgement,
    left_alone,
    question_to_rephrase,
    told_before,
)
from interviews.modes.exploratory.inputs import beside, summary_labels
from interviews.turns.contracts import Exchange
from interviews.turns.state import FocusEntry, SessionState
from tests.unit.methodologies.samples import Interview


def context(
    act: Act = "answer", *, rephrasings: int = 0, asked: str = "", said: str = ""
) -> tuple[Any, Interview, dict[str, str]]:
    """Turn 3, after a question about "soft straps", beside "blue cover" and "dry clothes"."""
    interview = Interview()
    ids = {
        "soft straps": interview.node("soft straps"),
        "blue cover": interview.node("blue cover"),
        "dry clothes": interview.node("dry clothes", "consequence"),
    }
    interview.edge(ids["blue cover"], ids["dry clothes"])
    interview.ask(ids["soft straps"], 2)
    entry = FocusEntry(
        turn=2, kind="node", ref=ids["soft straps"], label="soft straps", strategy="deepen"
    )
    found: Any = SimpleNamespace(
        job=SimpleNamespace(number=3),
        graph=interview.graph,
        tracker=interview.tracker,
        heard=Heard(act=act),
        graph_update=SimpleNamespace(merges=(), yielded=False),
        session=SimpleNamespace(study_text="We study straps."),
        utterance=SimpleNamespace(text=said),
        continuation=SimpleNamespace(
            rephrases=False,
            focus=SimpleNamespace(node_id=ids["soft straps"], node_type="attribute"),
        ),
        loaded=SimpleNamespace(
            previous_focus=entry,
            state=SessionState(rephrasings=rephrasings),
            last_question=asked,
            exchanges=(
                Exchange(turn=1, question="q", answer="It is old. My cover leaks in heavy rain."),
                Exchange(turn=2, question="q", answer="The straps are new."),
            ),
        ),
    )
    return found, interview, ids


def test_what_was_refused_is_neither_summed_up_nor_compared_with() -> None:
    found, interview, ids = context()
    assert summary_labels(found) == ("blue cover", "dry clothes", "soft straps")
    assert beside(found) == ("blue cover",)
    interview.tracker.close_focus(ids["blue cover"])
    assert summary_labels(found) == ("dry clothes", "soft straps")
    assert beside(found) == ()


def test_without_a_focus_there_is_nothing_beside_it() -> None:
    found, _, _ = context()
    found.continuation.focus = None
    assert beside(found) == ()


@pytest.mark.parametrize(
    ("act", "rephrasings", "spared"),
    [
        ("answer", 0, []),
        ("not_understood", 0, []),
        ("not_understood", MOST_REPHRASINGS, ["soft straps"]),
        ("objects", 0, ["soft straps"]),
    ],
)
def test_the_last_point_is_left_alone_where_asking_on_makes_no_sense(
    act: Act, rephrasings: int, spared: list[str]
) -> None:
    found, interview, ids = context(act, rephrasings=rephrasings)
    assert left_alone(found) == {ids[label] for label in spared}
    interview.tracker.close_focus(ids["dry clothes"])
    assert left_alone(found) == {ids[label] for label in [*spared, "dry clothes"]}


def test_the_last_question_is_put_in_other_words_only_while_its_point_is_open() -> None:
    found, interview, ids = context("not_understood")
    again = question_to_rephrase(found)
    assert again is not None
    assert (again.strategy, again.node_id) == ("deepen", ids["soft straps"])
    interview.tracker.close_focus(ids["soft straps"])
    assert question_to_rephrase(found) is None


def test_a_question_about_a_corrected_point_is_not_put_again() -> None:
    found, interview, ids = context("not_understood")
    interview.graph.supersede(ids["soft straps"], by=ids["blue cover"])
    assert question_to_rephrase(found) is None


def test_an_opening_is_put_in_other_words_as_the_opening() -> None:
    found, _, _ = context("not_understood")
    found.loaded.previous_focus = None
    again = question_to_rephrase(found)
    assert again is not None
    assert (again.strategy, again.node_id) == (OPENING, None)


def test_what_is_acknowledged_follows_what_was_wanted() -> None:
    kinds = []
    for act in ("answer", "refuses", "not_understood", "wants_to_stop"):
        found, _, _ = context(act, asked="What is it like?")
        kinds.append(acknowledgement(found).kind)
    assert kinds == ["none", "refuses", "unclear", "none"]
    found, _, _ = context("not_understood", asked="What is it like?")
    found.continuation.rephrases = True
    assert acknowledgement(found) == AcknowledgeInput(
        kind="not_understood", again="What is it like?"
    )


def mention(node_id: str, quote: str) -> Mention:
    return Mention(
        id="m", node_id=node_id, utterance_id="u", label=quote, quote=quote, start=0,
        end=len(quote), turn=3,
    )  # fmt: skip


def test_what_was_told_before_is_quoted_from_an_earlier_turn_the_latest_one() -> None:
    found, interview, ids = context("objects")
    for label in ("soft straps", "blue cover"):
        interview.tracker.follow_slot(ids[label], "slot")
    interview.graph.said_before = {
        ids["blue cover"]: Said(quote="a soft cover", mentions=1),
        ids["soft straps"]: Said(quote="so soft", mentions=2),
    }
    interview.graph.add_mention(mention(ids["soft straps"], "those soft straps"))
    assert told_before(found) == "so soft"


def test_what_the_complaint_repeats_goes_before_the_last_focus() -> None:
    found, interview, ids = context("objects")
    interview.graph.said_before = {
        ids["blue cover"]: Said(quote="the blue cover", mentions=1),
        ids["soft straps"]: Said(quote="so soft", mentions=1),
    }
    found.graph_update.merges = (SimpleNamespace(into_id=ids["blue cover"]),)
    assert told_before(found) == "the blue cover"


@pytest.mark.parametrize(
    ("asked", "quoted"),
    [
        ("How does the cover do in heavy rain?", "My cover leaks in heavy rain"),
        ("How do you like the colour?", ""),
    ],
)
def test_without_a_mention_the_earlier_sentence_nearest_to_the_question_is_quoted(
    asked: str, quoted: str
) -> None:
    found, _, _ = context("objects", asked=asked, said="I told you that already.")
    assert told_before(found) == quoted

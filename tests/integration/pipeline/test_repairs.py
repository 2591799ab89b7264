"""Refusals, repetitions and questions back: recognised in an answer and honoured in what follows.

The offline provider reads the answers and words the questions; all else is the real pipeline.
"""

from __future__ import annotations

import pytest

from graphs.models import KGNode
from interviews import services
from interviews.explain.interpreter import explain
from interviews.llm.providers.offline.wording import bank
from interviews.models import Session, Study, Turn
from interviews.modes.common.repairs import MOST_REPHRASINGS, OPENING
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine
from interviews.pipeline.engine import Engine
from interviews.record import result_of
from tests.integration.pipeline.conftest import HashEmbedder
from tests.records import act_of

pytestmark = pytest.mark.django_db(transaction=True)

STRAPS = "The shoulder straps are soft, so I can walk further."
TOLD = (
    STRAPS,
    "That means my back does not hurt in the evening.",
    "It has a rain cover, so my clothes stay dry.",
    "I can stay outside for days, because everything fits in.",
    "My brother lent me his pack once and the hip belt broke.",
    "I feel free when I am up there on my own.",
    "There is a pocket for the map on the side.",
)


@pytest.fixture
def engine() -> Engine:
    return build_engine(runner._observe, embedder=HashEmbedder())


@pytest.fixture
def session(study: Study, engine: Engine) -> Session:
    session = services.start_session(study, seed=1)
    opening = Turn.objects.get(session=session)
    assert runner.process_turn(opening.pk, engine=engine) is runner.Outcome.DONE
    session.refresh_from_db()
    return session


def answer(session: Session, engine: Engine, text: str) -> Turn:
    accepted = services.accept_answer(session.pk, text)
    turn = Turn.objects.get(session=session, number=accepted.turn_number)
    assert runner.process_turn(turn.pk, engine=engine) is runner.Outcome.DONE
    turn.refresh_from_db()
    session.refresh_from_db()
    return turn


def asked_about_a_concept(session: Session, engine: Engine) -> Turn:
    """The first turn whose question is about a concept."""
    for text in TOLD:
        turn = answer(session, engine, text)
        if turn.focus_node_id:
            return turn
    raise AssertionError("no question was about a concept")


def question_of(turn: Turn) -> str:
    assert turn.question is not None
    return turn.question.text


def leads_with(question: str, kind: str) -> bool:
    return any(question.startswith(lead.strip()) for lead in bank()["leads"][kind])


@pytest.mark.parametrize(
    "refusal", ["I'd rather not.", "Skip that, please.", "I don't want to talk about that."]
)
def test_a_refusal_is_accepted_and_closes_what_it_was_about_for_good(
    session: Session, engine: Engine, refusal: str
) -> None:
    refused = asked_about_a_concept(session, engine)
    turn = answer(session, engine, refusal)
    assert act_of(turn) == "refuses"
    assert leads_with(question_of(turn), "refuses")
    later = [turn, *(answer(session, engine, text) for text in TOLD[2:])]
    assert refused.focus_node_id not in [t.focus_node_id for t in later]
    assert all(refused.focus_label not in question_of(t) for t in later)
    assert session.node_tracker_state["closed"]
    told = explain(turn).sentences
    assert told[-1].endswith(f'"{refused.focus_label}" is not asked about again in this interview.')


def test_what_was_told_before_is_quoted_and_left_alone(session: Session, engine: Engine) -> None:
    told = asked_about_a_concept(session, engine)
    quote = KGNode.objects.get(pk=str(told.focus_node_id)).mentions.order_by("turn")[0].quote
    turn = answer(session, engine, "I already told you that.")
    assert act_of(turn) == "objects"
    assert f"“{quote}”" in question_of(turn)
    assert (turn.strategy, turn.focus_node_id) != (told.strategy, told.focus_node_id)
    assert turn.focus_node_id != told.focus_node_id
    assert str(told.focus_node_id) in result_of(turn).left_alone
    after = answer(session, engine, TOLD[2])
    assert result_of(after).left_alone == ()


def test_an_earlier_answer_is_quoted_where_the_question_was_about_no_concept(
    session: Session, engine: Engine
) -> None:
    answer(session, engine, "My old rucksack broke on the ferry to Norway.")
    Turn.objects.filter(session=session).update(focus_node_id=None)
    state = {**session.state, "focus_history": []}
    tracker = {**session.node_tracker_state, "previous_focus": None}
    Session.objects.filter(pk=session.pk).update(state=state, node_tracker_state=tracker)
    turn = answer(session, engine, "I already told you about the rucksack and the ferry.")
    assert "“My old rucksack broke on the ferry to Norway”" in question_of(turn)


def test_a_question_not_understood_is_the_same_question_in_other_words(
    session: Session, engine: Engine
) -> None:
    unclear = asked_about_a_concept(session, engine)
    before_state, before_tracker = session.state, session.node_tracker_state
    turn = answer(session, engine, "What do you mean?")
    assert (turn.continuation, turn.continuation_reason) == ("continue", "not_understood")
    assert (turn.strategy, turn.focus_node_id) == (unclear.strategy, unclear.focus_node_id)
    assert question_of(turn) != question_of(unclear)
    assert leads_with(question_of(turn), "not_understood")
    for kept in ("strategy_history", "strategy_uses", "counters", "depth_history"):
        assert session.state[kept] == before_state[kept]
    assert session.node_tracker_state == before_tracker
    assert session.state["focus_history"][-1] == {
        "turn": turn.number,
        "kind": "node",
        "ref": str(unclear.focus_node_id),
        "label": unclear.focus_label,
        "strategy": unclear.strategy,
    }
    assert (
        explain(turn)
        .sentences[0]
        .startswith(
            f"After answer {turn.number} the last question was put in other words, by the strategy "
            f'"{unclear.strategy}" on "{unclear.focus_label}", because the respondent had not '
            "understood it."
        )
    )


def test_an_answer_to_a_question_in_other_words_is_credited_to_its_focus(
    session: Session, engine: Engine
) -> None:
    unclear = asked_about_a_concept(session, engine)
    answer(session, engine, "What do you mean?")
    turn = answer(session, engine, "I mean that I can carry a tent and stay warm at night.")
    states = session.node_tracker_state["states"]
    # Its own count of questions stays at one: other words are no further question.
    credited = [s for s in states.values() if s.get("last_yield_turn") == turn.number]
    assert [s["focus_count"] for s in credited] == [1]
    assert credited[0]["label"] == unclear.focus_label


def test_a_question_is_put_in_other_words_twice_running_and_then_left(
    session: Session, engine: Engine
) -> None:
    unclear = asked_about_a_concept(session, engine)
    asked = [question_of(unclear)]
    for times in range(1, MOST_REPHRASINGS + 1):
        turn = answer(session, engine, "I don't understand the question.")
        assert turn.focus_node_id == unclear.focus_node_id
        assert session.state["rephrasings"] == times
        asked.append(question_of(turn))
    turn = answer(session, engine, "I still don't understand.")
    assert turn.focus_node_id != unclear.focus_node_id
    assert turn.continuation_reason == ""
    assert session.state["rephrasings"] == 0
    assert leads_with(question_of(turn), "unclear")
    asked.append(question_of(turn))
    assert len(set(asked)) == len(asked)


def test_an_opening_not_understood_is_opened_again_in_other_words(
    session: Session, engine: Engine
) -> None:
    opening = Turn.objects.get(session=session, number=0)
    turn = answer(session, engine, "What do you mean?")
    assert (turn.strategy, turn.focus_node_id) == (OPENING, None)
    assert question_of(turn) != question_of(opening)
    assert "backpack" in question_of(turn)
    assert session.state["strategy_history"] == []
    again = answer(session, engine, "Sorry?")
    assert again.strategy == OPENING


def test_the_limit_of_turns_goes_before_other_words(session: Session, engine: Engine) -> None:
    unclear = asked_about_a_concept(session, engine)
    Session.objects.filter(pk=session.pk).update(max_turns=unclear.number + 2)
    turn = answer(session, engine, "What do you mean?")
    assert (turn.continuation, turn.continuation_reason) == ("close", "max_turns_reached")
    last = answer(session, engine, "What do you mean?")
    assert (last.continuation, last.question) == ("end", None)

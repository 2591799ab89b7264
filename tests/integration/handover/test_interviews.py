"""Whole handover interviews through the services, by the offline rules."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interviews import services
from interviews.models import (
    BacklogQuestion,
    HandoverFact,
    HandoverSummary,
    Session,
    SessionQuestion,
    Study,
    Turn,
)
from interviews.modes.handover.store import QuestionStore, open_of
from interviews.simulation.driver import hold_interview
from interviews.sources import ask, files, package, texts, work
from tests.integration.handover.conftest import EXAMPLE, killed_at

pytestmark = pytest.mark.django_db

FULL = "It was set in 2021 after the audit, because two brokers had sent the same file twice."
VAGUE = "Maybe, I guess it was there before."
LOST = "I don't understand the question."
REFUSED = "I would rather not talk about that."
CODE = b"""SEAT_LIMIT = 45
ROOM = None


def load(seats, open_seats):
    return seats * 1.1 / open_seats
"""


@pytest.fixture
def small(study: Study) -> Study:
    files.add(study, "load.py", CODE)
    work.prepare(study)
    return study


def held(study: Study, *answers: str, max_turns: int | None = None) -> Session:
    left = iter(answers)
    return hold_interview(
        study, lambda question, turn: next(left, None), seed=1, max_turns=max_turns
    )


def backlog(session: Session) -> dict[str, tuple[str, float | None]]:
    rows = SessionQuestion.objects.filter(session=session)
    return {row.question_id: (row.status, row.confidence) for row in rows}


def test_the_command_prints_the_interview_with_its_state(tmp_path: Path) -> None:
    said = tmp_path / "answers.txt"
    said.write_text("\n".join([FULL] * 12), encoding="utf-8")
    out = io.StringIO()
    call_command(
        *("interview", "--mode", "handover", "--study", str(EXAMPLE)),
        *("--answers", str(said), "--json"),
        stdout=out,
    )
    found: dict[str, Any] = json.loads(out.getvalue())
    assert found["mode"] == "handover"
    assert found["termination_reason"] == "round_cap"
    assert found["current_step"] == "interview_loop"
    assert "I have read" in found["opening"]
    assert "loss_model.xlsx" in found["opening"]
    assert len(found["interview_transcript"]) == 10
    assert [entry["turn_id"] for entry in found["interview_transcript"]] == list(range(1, 11))
    assert found["extracted_facts"]
    assert found["interview_summary"].startswith("## ")
    asked = [turn["handover"]["question_id"] for turn in found["turns"]]
    assert len(set(asked)) == 10
    assert [turn["handover"]["round"] for turn in found["turns"]] == list(range(1, 11))
    assert {turn["handover"]["selected_by"] for turn in found["turns"]} <= {"model", "fallback"}
    assert all(turn["handover"]["confidence"] == 0.9 for turn in found["turns"])
    closed = [q for q in found["question_backlog"] if q["status"] == "ANSWERED_BY_INTERVIEW"]
    assert len(closed) == 10
    assert all(turn["degraded"] == [] for turn in found["turns"])
    first_asked = [q.partition("-")[0] for q in asked[:4]]
    assert first_asked == ["global"] * 4  # contradictions come first


def test_it_ends_where_nothing_is_open(small: Study) -> None:
    session = held(small, *[FULL] * 10)
    assert session.termination_reason == "no_open_questions"
    assert set(backlog(session).values()) == {("ANSWERED_BY_INTERVIEW", 0.9)}
    assert session.turn_count == BacklogQuestion.objects.filter(study=small).count()


def test_a_vague_answer_is_followed_up_once_and_next(small: Study) -> None:
    session = held(small, VAGUE, VAGUE, FULL, FULL, FULL, FULL, FULL)
    turns = Turn.objects.filter(session=session).order_by("number")
    asked = [turn.result["evidence"]["question_id"] for turn in turns if turn.number]
    assert asked[1].startswith("followup-")
    assert sum(ident.startswith("followup-") for ident in asked) == 1
    follow_up = SessionQuestion.objects.get(session=session, question_id=asked[1])
    assert (follow_up.parent, follow_up.priority, follow_up.origin) == (asked[0], "P0", "FOLLOW_UP")
    assert backlog(session)[asked[0]] == ("ANSWERED_BY_INTERVIEW", 0.3)


def test_a_refusal_closes_the_question_without_a_follow_up(small: Study) -> None:
    session = held(small, REFUSED, FULL, FULL, FULL, FULL, FULL)
    assert [status for status, _ in backlog(session).values()].count("REFUSED") == 1
    assert not any(ident.startswith("followup-") for ident in backlog(session))


def test_a_question_not_understood_is_put_in_other_words_twice_and_uses_no_round(
    small: Study,
) -> None:
    session = held(small, LOST, LOST, FULL, FULL, FULL, FULL, max_turns=3)
    turns = list(Turn.objects.filter(session=session, number__gte=1).order_by("number"))
    assert [turn.result["evidence"]["round"] for turn in turns] == [1, 1, 1, 2, 3]
    assert len({turn.result["evidence"]["question_id"] for turn in turns[:3]}) == 1
    assert session.termination_reason == "round_cap"
    third = held(small, LOST, LOST, LOST, FULL, FULL, FULL)
    assert "DROPPED" in [status for status, _ in backlog(third).values()]


def test_the_respondent_may_end_at_any_time(small: Study) -> None:
    session = held(small, "I want to stop the interview now, please.")
    assert session.termination_reason == "respondent_ended"


def test_an_answer_closes_the_question_for_later_interviews_of_the_study(small: Study) -> None:
    whole = open_of(str(small.pk)).count()
    session = held(small, FULL)
    assert open_of(str(small.pk)).count() == whole - 1
    services.erase_session(session.pk, by="test")
    assert open_of(str(small.pk)).count() == whole


def test_what_an_answer_did_is_undone_where_it_is_taken_back(small: Study) -> None:
    session = hold_interview(small, lambda question, turn: VAGUE if turn == 1 else None, seed=1)
    before = SessionQuestion.objects.filter(session=session).count()
    assert HandoverFact.objects.filter(session=session).exists() or before
    QuestionStore().withdraw(str(session.pk), 1)
    rows = SessionQuestion.objects.filter(session=session)
    assert set(rows.values_list("status", flat=True)) == {"OPEN"}
    assert not rows.filter(made_turn=1).exists()
    assert not HandoverFact.objects.filter(session=session).exists()


def test_a_worker_killed_between_any_two_statements_of_a_round_repeats_nothing(
    small: Study,
) -> None:
    reached = 0
    for statement in (*range(1, 30), *range(30, 60, 5)):
        session = services.start_session(small, seed=1)
        opening, turns = Turn.objects.get(session=session, number=0), 0
        killed_at(statement, lambda pk=opening.pk: services.process_turn(pk))
        turns += _finished(session, 0)
        services.accept_answer(session.pk, VAGUE)
        turn = Turn.objects.get(session=session, number=1)
        reached += killed_at(statement, lambda pk=turn.pk: services.process_turn(pk))
        turns += _finished(session, 1)
        assert turns == 2
        rows = SessionQuestion.objects.filter(session=session)
        assert rows.filter(closed_turn=1).count() == 1
        assert rows.filter(question_id__startswith="followup-").count() == 1
        assert HandoverFact.objects.filter(session=session).count() == len(
            Turn.objects.get(pk=turn.pk).result["evidence"]["facts"]
        )
        services.erase_session(session.pk, by="test")
    assert reached > 10


def _finished(session: Session, number: int) -> int:
    """Let the next worker do what the first one has left."""
    Turn.objects.filter(session=session, status=Turn.Status.RUNNING).update(
        lease_until=timezone.now() - timedelta(seconds=1)
    )
    services.process_turn(Turn.objects.get(session=session, number=number).pk)
    return Turn.objects.filter(session=session, number=number, status=Turn.Status.DONE).count()


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.sampled_from([FULL, VAGUE, LOST, REFUSED, "What do you mean by that?"]), max_size=9)
)
def test_whatever_is_answered_the_rounds_keep_their_promises(
    small: Study, answers: list[str]
) -> None:
    session = held(small, *answers, max_turns=4)
    rows = list(SessionQuestion.objects.filter(session=session))
    turns = Turn.objects.filter(session=session, number__gte=1).order_by("number")
    found = [turn.result["evidence"] for turn in turns]
    closing = [entry["question_id"] for entry in found if entry["closed"]]
    assert len(closing) <= 4
    assert len(set(closing)) == len(closing)
    parents = [row.parent for row in rows if row.question_id.startswith("followup-")]
    assert len(set(parents)) == len(parents)
    assert not any(parent.startswith("followup-") for parent in parents)
    assert all(turn.status == Turn.Status.DONE for turn in turns)
    closed_turns = {row.closed_turn for row in rows}
    assert all(fact.turn in closed_turns for fact in HandoverFact.objects.filter(session=session))
    services.erase_session(session.pk, by="test")


def test_erasing_an_interview_takes_all_that_was_made_of_it(small: Study) -> None:
    session = held(small, FULL, FULL)
    texts.summarise(session)
    assert ask.ask(small, "brokers sent the same file twice").found
    services.erase_session(session.pk, by="test")
    for model in (SessionQuestion, HandoverFact, HandoverSummary):
        assert not model.objects.exists()
    assert "brokers" not in package.as_markdown(small)
    assert not ask.ask(small, "brokers sent the same file twice").found


def test_every_sentence_of_the_package_has_its_source(small: Study) -> None:
    held(small, FULL, FULL)
    written = package.as_json(small)
    assert [part["title"] for part in written["sections"]] == [
        "First week",
        "People",
        "Systems",
        "Rules and thresholds",
        "Risks",
        "Open questions",
        "Glossary",
    ]
    items = [item for part in written["sections"] for item in part["items"]]
    assert items
    assert all(item["sources"] for item in items)
    assert any("[turn 1]" in item["sources"] for item in items)
    assert package.as_pdf(small).startswith(b"%PDF-")
    lines = [line for line in package.as_markdown(small).splitlines() if line.startswith("- ")]
    assert all(line.endswith("]") for line in lines)


def test_ask_cites_the_place_and_says_what_is_not_there(small: Study) -> None:
    found = ask.ask(small, "What is the seat limit?")
    assert found.found
    assert (found.citations[0].file, found.citations[0].place) == ("load.py", "line 1")
    assert "[load.py, line 1]" in found.answer
    missing = ask.ask(small, "Who won the football cup?")
    assert (missing.found, missing.answer) == (False, "This is not in the material.")


def test_text_of_files_is_no_markup_in_the_package(study: Study) -> None:
    files.add(study, "a.md", b"The cap [click](javascript:alert) <script> is 40 units.")
    work.prepare(study)
    written = package.as_markdown(study)
    assert "<script>" not in written.replace("\\<", "")
    assert "](javascript" not in written.replace("\\]", "")

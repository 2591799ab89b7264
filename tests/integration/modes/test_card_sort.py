"""A mode that touches no file outside its folder goes through every face."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from interviews import services
from interviews.errors import InterviewError, LeaseLost
from interviews.explain.interpreter import explain
from interviews.models import Session, Study, Turn, Utterance
from interviews.modes import registry
from interviews.modes.registry import mode_named, store_of
from interviews.pipeline import runner
from interviews.pipeline.store import claim, commit, load
from interviews.simulation.driver import hold_interview
from interviews.turns.context import TurnContext, TurnJob
from interviews.turns.deadline import Deadline
from tests.factories import analyst, researcher
from tests.integration.modes.conftest import HOME

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("card_sort_installed")]

ROOT = Path(__file__).parents[3]
ANSWERS = ("keep", "I would change it", "drop")
QUESTIONS = [
    "Sort this card: config.json. On which pile does it belong?",
    "Sort this card: load_rows. On which pile does it belong?",
    "Sort this card: the weekly plan. On which pile does it belong?",
]


def held(study: Study) -> Session:
    answers = iter(ANSWERS)
    return hold_interview(study, lambda question, turn: next(answers), seed=1)


def turns_of(session: Session) -> list[Turn]:
    return list(Turn.objects.filter(session=session).order_by("number"))


def test_no_file_outside_its_folder_and_its_tests_knows_the_mode() -> None:
    tracked = subprocess.run(
        ["git", "grep", "-lE", "card_sort|CardSort"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()  # fmt: skip
    homes = ("docs/", *(str(home.relative_to(ROOT)) for home in (HOME, Path(__file__).parent)))
    assert [name for name in tracked if not name.startswith(homes)] == []


def test_its_questions_are_asked_as_they_stand_with_their_blocks(study: Study) -> None:
    session = held(study)
    asked = Utterance.objects.filter(session=session, speaker="interviewer").order_by("sequence")
    assert [utterance.text for utterance in asked] == QUESTIONS
    assert [utterance.block for utterance in asked] == [
        {"kind": "choice", "card": card, "options": ["keep", "change", "drop"]}
        for card in ("config.json", "load_rows", "the weekly plan")
    ]
    assert (session.status, session.termination_reason) == ("completed", "all_sorted")
    assert not session.llm_calls.exists()


def test_its_state_is_stored_with_every_turn_on_the_opening_too(study: Study) -> None:
    session = hold_interview(study, lambda question, turn: None, seed=1)
    assert session.state["mode_state"] == {"mode": "card_sort", "version": 2, "data": {"piles": {}}}
    assert held(study).state["mode_state"]["data"] == {
        "piles": {
            "config.json": "keep",
            "load_rows": "I would change it",
            "the weekly plan": "drop",
        }
    }


def test_its_focus_is_an_element_that_the_tracker_never_hears_of(study: Study) -> None:
    session = held(study)
    assert [
        (entry["kind"], entry["ref"], entry["label"]) for entry in session.state["focus_history"]
    ] == [
        ("element", "1", "load_rows"),
        ("element", "2", "the weekly plan"),
    ]
    assert session.node_tracker_state["states"] == {}
    assert [(turn.focus_node_id, turn.focus_label) for turn in turns_of(session)[1:]] == [
        (None, "load_rows"),
        (None, "the weekly plan"),
        (None, ""),
    ]
    assert {turn.phase for turn in turns_of(session)[1:]} == {"sorting"}


def test_its_store_is_read_in_few_queries_and_written_with_the_turn(study: Study) -> None:
    session = held(study)
    with connection.cursor() as cursor:
        cursor.execute("SELECT turn, pile FROM card_sort_pile ORDER BY turn")
        assert cursor.fetchall() == list(enumerate(ANSWERS, start=1))
    store = store_of("card_sort")
    assert store is not None
    job = TurnJob(turn_id="t", session_id=str(session.pk), number=3, fence=1, attempt=1)
    with CaptureQueriesContext(connection) as queries:
        loaded = load(job)
    assert loaded.material == ANSWERS
    assert sum("card_sort_pile" in query["sql"] for query in queries.captured_queries) <= 2


def test_its_table_holds_nothing_of_a_turn_that_was_not_committed(
    study: Study,
) -> None:
    session = services.start_session(study, seed=1)
    opening = turns_of(session)[0]
    services.process_turn(opening.pk)
    services.accept_answer(session.pk, "keep")
    first = turns_of(session)[1]
    job = claim(first.pk)
    assert job is not None
    context = TurnContext(job, load(job), Deadline(45, lambda: 0.0))
    runner.shared_engine().run(context)
    Turn.objects.filter(pk=first.pk).update(fence=job.fence + 1)
    with pytest.raises(LeaseLost):
        commit(context, latency_ms=1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM card_sort_pile")
        assert cursor.fetchone() == (0,)


def test_as_many_answers_are_taken_as_the_mode_says_whatever_max_turns_says(study: Study) -> None:
    session = services.start_session(study, seed=1)
    services.process_turn(turns_of(session)[0].pk)
    for text in ANSWERS[:-1]:
        services.accept_answer(session.pk, text)
        services.process_turn(turns_of(session)[-1].pk)
    # The last answer that is to come waits for its turn: one more would need another.
    services.accept_answer(session.pk, ANSWERS[-1])
    Turn.objects.filter(pk=turns_of(session)[-1].pk).update(status=Turn.Status.RUNNING)
    with pytest.raises(InterviewError) as refused:
        services.accept_answer(session.pk, "one more")
    assert refused.value.code == "session_over"


def test_the_command_line_holds_it_and_adds_its_fields(study: Study, tmp_path: Path) -> None:
    answers, out = tmp_path / "answers.txt", io.StringIO()
    answers.write_text("\n".join(ANSWERS), encoding="utf-8")
    call_command(
        "interview", "--mode", "card_sort", "--answers", str(answers), "--json", stdout=out
    )
    told = json.loads(out.getvalue())
    assert (told["mode"], told["methodology"], told["concept"]) == ("card_sort", None, None)
    assert told["opening_block"]["kind"] == "choice"
    assert [turn["card"] for turn in told["turns"]] == ["load_rows", "the weekly plan", ""]
    assert told["turns"][0]["evidence"] == {
        "mode": "card_sort", "phase": "sorting", "card": "load_rows", "sorted_before": 1,
    }  # fmt: skip
    assert [(turn["block"] or {}).get("card") for turn in told["turns"]] == [
        "load_rows", "the weekly plan", None,
    ]  # fmt: skip
    assert told["turns"][0]["focus"] == {"node_id": None, "label": "load_rows"}


def test_explain_tells_it_in_its_own_words(study: Study) -> None:
    session = held(study)
    first, second, *_ = turns_of(session)
    assert "The first card is always the first." in explain(first).sentences
    assert "1 cards were sorted, and load_rows was next." in explain(second).sentences
    out = io.StringIO()
    call_command("explain", str(session.pk), "1", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["mode"], told["question"]) == ("card_sort", QUESTIONS[1])


def test_the_dashboard_shows_it_with_its_panel(study: Study, client: Client) -> None:
    session = held(study)
    client.force_login(analyst(), "django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("analytics:session", args=[session.pk])).content.decode()
    for shown in (*QUESTIONS, "I would change it", "Piles", "Card sort"):
        assert shown in page, shown
    assert "None" not in page
    listed = client.get(reverse("analytics:study", args=["cards"])).content.decode()
    assert "Card sort" in listed
    assert "None" not in listed


def test_it_is_exported_and_erased_whole(study: Study, client: Client) -> None:
    session = held(study)
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")

    def downloaded(name: str) -> bytes:
        response: Any = client.get(
            reverse("analytics:session_export", args=[session.pk, name]), {"trace": "1"}
        )
        assert response.status_code == 200
        return b"".join(response.streaming_content)

    document = json.loads(downloaded("json"))
    assert document["session"]["methodology"] is document["session"]["concept"] is None
    cards = [said["block"]["card"] for said in document["utterances"][::2]]
    assert cards == ["config.json", "load_rows", "the weekly plan"]
    assert document["turns"][1]["evidence"]["card"] == "load_rows"
    assert zipfile.ZipFile(io.BytesIO(downloaded("csv"))).testzip() is None
    services.erase_session(session.pk, by="a test")
    assert not Session.objects.filter(pk=session.pk).exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM card_sort_pile")
        assert cursor.fetchone() == (0,)


def test_a_session_of_a_missing_mode_is_read_and_exported_and_goes_no_further(
    study: Study, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, open_one = held(study), services.start_session(study, seed=1)
    without = {"exploratory": mode_named("exploratory")}
    monkeypatch.setattr(registry, "modes", lambda: without)
    client.force_login(researcher(), "django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("analytics:session", args=[session.pk])).content.decode()
    assert QUESTIONS[0] in page
    response: Any = client.get(
        reverse("analytics:session_export", args=[session.pk, "json"]), {"trace": "1"}
    )
    document = json.loads(b"".join(response.streaming_content))
    assert document["turns"][1]["evidence"]["card"] == "load_rows"
    with pytest.raises(InterviewError) as refused:
        services.accept_answer(open_one.pk, "keep")
    assert refused.value.code == "mode_missing"
    with pytest.raises(InterviewError, match=r"no mode 'card_sort'.*Install the package") as start:
        services.start_session(study)
    assert start.value.code == "study_incomplete"
    with pytest.raises(CommandError, match=r"no mode 'card_sort' in this installation"):
        call_command("interview", "--mode", "card_sort")

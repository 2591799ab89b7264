"""Interviews over the API: held with the chat's promises, listed in pages, read with reasons."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient, Client

from interviews import access_tokens
from interviews.bench.api import bench_api
from interviews.models import KeptReply, Session, Study, Turn, Utterance
from methodologies.registry import load_library
from tests.factories import (
    ANSWER_1,
    SessionFactory,
    StudyFactory,
    TurnFactory,
    researcher,
    small_interview,
)
from tests.programs import Programs, problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def live() -> Study:
    return StudyFactory.create(status="live")


def asked(session: Session) -> None:
    """The opening question is there."""
    question = Utterance.objects.create(
        session=session, turn_number=0, sequence=1, speaker="interviewer", text="What is it like?"
    )
    Session.objects.filter(pk=session.pk).update(last_sequence=1)
    Turn.objects.filter(session=session, number=0).update(status="done", question=question)


def test_an_interview_is_begun_answered_paused_and_ended(live: Study, program: Programs) -> None:
    holder = program("collect")
    begun = holder.post("/api/sessions/", {"study": live.slug})
    assert begun.status_code == 201
    told = begun.json()
    one = begun["Location"]
    assert one == f"/api/sessions/{told['session']}/" == told["url"]
    assert holder.get(told["turn"]).json()["status"] == "queued"
    session = Session.objects.get(pk=told["session"])
    asked(session)
    assert holder.get(told["turn"]).json()["question"] == "What is it like?"
    answered = holder.post(f"{one}respond/", {"text": ANSWER_1}, Idempotency_Key="a1")
    assert answered.status_code == 202
    assert answered["Location"] == f"{one}turns/1/" == answered.json()["url"]
    again = holder.post(f"{one}respond/", {"text": ANSWER_1}, Idempotency_Key="a1")
    assert (again.json(), again["Idempotent-Replayed"]) == (answered.json(), "true")
    KeptReply.objects.all().delete()
    later = holder.post(f"{one}respond/", {"text": ANSWER_1}, Idempotency_Key="a1")
    assert (later.json()["turn"], later.json()["duplicate"]) == (1, True)
    assert holder.get(f"{one}turns/1/").json()["answer"] == ANSWER_1
    for path, status in (("pause", "paused"), ("pause", "paused"), ("resume", "active")):
        assert holder.post(f"{one}{path}/").json()["status"] == status
    holder.post(f"{one}pause/")
    problem(holder.post(f"{one}respond/", {"text": "More."}), 409, "session_paused")
    ended = holder.post(f"{one}end/").json()
    assert ended["status"] == "abandoned"
    assert holder.post(f"{one}end/").json() == ended
    problem(holder.post(f"{one}respond/", {"text": "More."}), 409, "session_over")
    problem(holder.post(f"{one}pause/"), 409, "session_over")


def test_what_cannot_be_taken_says_so(live: Study, program: Programs) -> None:
    holder = program("collect")
    one = holder.post("/api/sessions/", {"study": live.slug}).json()["url"]
    problem(holder.post(f"{one}respond/", {"text": " "}), 422, "empty_answer", "text")
    problem(holder.post(f"{one}respond/", {"text": "x" * 8001}), 422, "answer_too_long", "text")
    problem(holder.post(f"{one}respond/", {}), 422, "invalid", "text")
    problem(holder.post(f"{one}respond/", {"text": ["a"]}), 422, "invalid", "text")
    problem(holder.post(f"{one}respond/", {"text": "a", "choice": "b"}), 422, "invalid", "text")
    wrong = holder.post(f"{one}respond/", {"text": "a", "client_message_id": "x"})
    problem(wrong, 422, "invalid", "client_message_id")
    problem(holder.get(f"{one}turns/9/"), 404, "not_found")
    problem(holder.post("/api/sessions/", {"study": "none"}), 404, "not_found", "study")
    Study.objects.update(status="closed")
    problem(holder.post("/api/sessions/", {"study": live.slug}), 404, "study_not_open")
    assert Utterance.objects.count() == 0


def test_a_key_with_another_request_is_refused_and_a_refusal_frees_it(
    live: Study, program: Programs
) -> None:
    holder = program("collect", "read")
    nowhere = holder.post("/api/sessions/", {"study": "none"}, Idempotency_Key="k")
    problem(nowhere, 404, "not_found", "study")
    first = holder.post("/api/sessions/", {"study": live.slug}, Idempotency_Key="k")
    assert first.status_code == 201
    other = holder.post("/api/sessions/", {"study": live.slug, "note": "x"}, Idempotency_Key="k")
    problem(other, 409, "idempotency_key_reused", "Idempotency-Key")
    assert Session.objects.count() == 1
    row = KeptReply.objects.get()
    assert first.json()["token"] not in row.sealed
    stranger = program("collect").post("/api/sessions/", {"study": live.slug}, Idempotency_Key="k")
    assert stranger.status_code == 201
    KeptReply.objects.filter(pk=row.pk).update(status=None)
    under_way = holder.post("/api/sessions/", {"study": live.slug}, Idempotency_Key="k")
    problem(under_way, 409, "idempotency_key_under_way", "Idempotency-Key")


def test_a_list_comes_in_pages_that_lose_nothing(program: Programs) -> None:
    study = StudyFactory.create()
    rows = {str(SessionFactory.create(study=study).pk) for _ in range(5)}
    reader = program("read")
    seen: list[str] = []
    address = "/api/sessions/?page_size=2"
    pages = []
    while address:
        page = reader.get(address).json()
        pages.append(page)
        seen += [row["id"] for row in page["results"]]
        address = page["next"] and path_of(page["next"])
    assert sorted(seen) == sorted(rows)
    assert [len(page["results"]) for page in pages] == [2, 2, 1]
    back = reader.get(path_of(pages[-1]["previous"])).json()
    assert back["results"] == pages[1]["results"]
    assert reader.get(path_of(back["previous"])).json()["previous"] is None
    cursor = pages[0]["next"]
    foreign = path_of(cursor).replace("/api/sessions/", "/api/studies/")
    problem(reader.get(foreign), 400, "invalid_cursor", "cursor")
    problem(reader.get(path_of(cursor) + "&status=active"), 400, "invalid_cursor", "cursor")
    problem(reader.get("/api/sessions/?cursor=x"), 400, "invalid_cursor", "cursor")
    problem(reader.get("/api/sessions/?page_size=0"), 400, "invalid", "page_size")


def path_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def test_filters_leave_what_they_say_or_say_what_is_wrong(program: Programs) -> None:
    done = small_interview()
    SessionFactory.create(simulated=True)
    reader = program("read")

    def found(query: str) -> list[str]:
        return [row["id"] for row in reader.get(f"/api/sessions/?{query}").json()["results"]]

    assert found("status=completed") == [str(done.pk)]
    assert found(f"study={done.study.slug}&simulated=false") == [str(done.pk)]
    assert found("since=2999-01-01T00:00:00Z") == []
    for query, field in (
        ("status=x", "status"),
        ("study=none", "study"),
        ("simulated=1", "simulated"),
        ("since=today", "since"),
        ("until=2026-01-01", "until"),
    ):
        problem(reader.get(f"/api/sessions/?{query}"), 400, "invalid", field)


def test_a_read_interview_has_its_graphs_reasons_and_an_etag(program: Programs) -> None:
    session = small_interview()
    reader = program("read")
    one = f"/api/sessions/{session.pk}/"
    detail = reader.get(one)
    assert [entry["turn"] for entry in detail.json()["evidence"]] == [1, 2]
    known = reader.get(one, **{"If-None-Match": detail["ETag"]})
    assert (known.status_code, known.content) == (304, b"")
    graph = reader.get(f"{one}graph/").json()
    assert [node["label"] for node in graph["nodes"]] == [
        "taped seams",
        "stay dry",
        "enjoy the day",
    ]
    first = graph["nodes"][0]["mentions"][0]
    said = reader.get(f"{one}utterances/").json()["results"]
    text = next(u["text"] for u in said if u["sequence"] == first["utterance"])
    assert text[first["start"] : first["end"]] == first["quote"] == "taped seams"
    canonical = reader.get(f"{one}canonical-graph/").json()
    assert [edge["support"] for edge in canonical["edges"]] == [[graph["edges"][0]["id"]]]
    slots = reader.get(f"{one}slots/").json()["results"]
    assert [(slot["name"], slot["nodes"][0]["label"]) for slot in slots] == [
        ("dryness", "stay dry"),
        ("seam_sealing", "taped seams"),
    ]
    turns = reader.get(f"{one}turns/?page_size=2").json()
    assert [turn["number"] for turn in turns["results"]] == [0, 1]
    assert reader.get(f"{one}exports/json/").status_code == 200
    problem(reader.get(f"{one}exports/none/"), 404, "unknown_format", "format_name")
    assert reader.get(one[:-1]).json() == detail.json()


def test_an_interview_is_erased_by_who_may(program: Programs) -> None:
    session = small_interview()
    one = f"/api/sessions/{session.pk}/"
    problem(program("read", "collect").delete(one), 403, "scope_missing")
    assert program("manage").delete(one).status_code == 204
    problem(program("manage").delete(one), 404, "not_found")


@pytest.mark.django_db(transaction=True)
async def test_a_long_poll_ends_with_the_question_and_holds_no_thread() -> None:
    one, headers = await sync_to_async(_prepared)()
    client = AsyncClient()
    waits = [
        asyncio.create_task(client.get(f"{one}turns/0/?wait=20", headers=headers))
        for _ in range(40)
    ]
    # One thread serves them all here: one of them that kept it would let nobody else through.
    quick = await asyncio.wait_for(client.get("/healthz"), 15)
    assert quick.status_code == 200
    assert not any(wait.done() for wait in waits)
    await sync_to_async(_asked_now)()
    answers = await asyncio.gather(*waits)
    assert {answer.json()["question"] for answer in answers} == {"What is it like?"}


def _asked_now() -> None:
    asked(Session.objects.get())
    connection.close()


def _prepared() -> tuple[str, dict[str, str]]:
    session = SessionFactory.create()
    TurnFactory.create(session=session, status="running")
    token = access_tokens.make(researcher(), "test", ["collect"], by="test")[1]
    connection.close()
    return f"/api/sessions/{session.pk}/", {"Authorization": f"Bearer {token}"}


def test_the_bench_measures_few_queries() -> None:
    list(load_library())
    found: Any = bench_api(sessions=60, samples=2)
    assert set(found) == {"list", "graph", "respond", "conditions"}
    for name, most in (("list", 10), ("graph", 10), ("respond", 10)):
        assert set(found[name]) == {"p50_ms", "p95_ms", "queries"}
        assert found[name]["queries"] <= most, (name, found)
    assert not Session.objects.exists()


def test_other_addresses_below_the_api_are_problems_too() -> None:
    problem(Client().get("/api/nothing/"), 404, "not_found")
    problem(Client().post("/api/nothing"), 404, "not_found")

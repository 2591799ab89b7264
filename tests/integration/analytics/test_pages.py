"""The pages of one session and of all sessions, through their addresses."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import JSONField
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analytics.records import load_record
from analytics.session_page import build_page
from graphs.models import KGNode, Mention
from interviews.bench.sessions import bench_sessions
from interviews.models import Session, SessionSummary, Turn
from interviews.turns.calls import Degraded
from interviews.turns.flags import Flag
from methodologies.models import MethodologyVersion
from methodologies.registry import load_library
from tests.factories import (
    EdgeFactory,
    MentionFactory,
    NodeFactory,
    SessionFactory,
    StudyFactory,
    TurnFactory,
    UtteranceFactory,
    small_interview,
    summarise,
)
from tests.records import candidate, evidence_for, result_for


def page_of(reader: Client, session: Session, query: str = "") -> str:
    response = reader.get(reverse("analytics:session", args=[session.pk]) + query)
    assert response.status_code == 200
    return response.content.decode()


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script id="session-data" type="application/json">(.*?)</script>', html)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def queries(reader: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert reader.get(address).status_code == 200
    return len(captured)


def test_the_header_counts_what_is_live(reader: Client) -> None:
    session = small_interview()
    page = build_page(load_record(session), None)
    assert [(f.label, f.value) for f in page.figures] == [
        ("concepts", "3"),
        ("links", "2"),
        ("complete chains", "1"),
        ("saturation", "0.50"),
        ("model cost", "offline rules"),
    ]
    assert page.subtitle == "2 turns · 11 min · ended: answer after answer had brought nothing new"


def test_the_price_is_shown_where_a_model_was_paid(reader: Client) -> None:
    session = small_interview()
    summarise(session, calls=2, model_calls=1, cost_usd="0.0834")
    html = page_of(reader, session)
    assert "$0.08" in html
    assert "offline rules" not in html


def test_a_turn_shows_the_question_before_the_answer_and_what_came_next(reader: Client) -> None:
    page = build_page(load_record(small_interview()), None)
    first, second = page.turns[1], page.turns[2]
    assert first.question == "What do you like about your jacket?"
    assert "".join(part.text for part in first.answer) == "It has taped seams, so I stay dry."
    assert (first.asked_by, first.added, first.then) == (
        "opening",
        "+2 concepts · +1 link",
        "next: deepen → stay dry",
    )
    assert second.question == "Why does staying dry matter to you?"
    assert (second.asked_by, second.then) == ("deepen → stay dry", "the interview ended")
    assert second.added == "+1 concept · +1 link · 1 known already"


def test_each_quote_is_a_link_to_its_concept(reader: Client) -> None:
    session = small_interview()
    html = page_of(reader, session)
    node = KGNode.objects.get(session=session, label="stay dry")
    assert (
        f'<a class="quote" href="#node-{node.pk}" data-nodes="{node.pk}" '
        'title="stay dry (consequence)"><span class="quote__line quote__line--2">I stay dry'
        "</span></a>"
    ) in html
    assert f'id="node-{node.pk}"' in html


def test_why_a_question_was_asked_is_told_with_the_runner_up(reader: Client) -> None:
    html = page_of(reader, small_interview(), "?turn=2")
    article = re.search(r'<article data-why="2">(.*?)</article>', html, re.DOTALL)
    assert article
    words = " ".join(re.sub(r"<[^>]+>", " ", article[1]).split())
    assert words.startswith(
        "After turn 1 the interviewer chose deepen on stay dry : the respondent was engaged. "
        "Against it spoke that this branch has been worked on."
    )
    assert "0.70 against 0.25 for the runner-up: explore." in words


def test_the_address_chooses_the_turn(reader: Client) -> None:
    session = small_interview()
    assert data_of(page_of(reader, session, "?turn=1"))["selected"] == 1
    assert 'data-why="1" hidden' not in page_of(reader, session, "?turn=1")
    for odd, shown in (("?turn=99", 2), ("?turn=-1", 2), ("?turn=x", 2), ("", 2)):
        assert data_of(page_of(reader, session, odd))["selected"] == shown


def test_what_was_measured_over_the_turns_stands_in_a_table_and_in_charts(reader: Client) -> None:
    session = small_interview()
    html = page_of(reader, session)
    over = data_of(html)["over"]
    assert over["turns"] == [1, 2]
    assert over["strategy"] == ["deepen", "no question followed"]
    assert over["focus"][0] == "stay dry"
    table = re.search(r'<table class="table" id="over-turns">(.*?)</table>', html, re.DOTALL)
    assert table
    rows = re.findall(r'<th scope="row">(\d+)</th><td>([^<]*)</td>', table[1])
    assert rows == [("1", "deepen"), ("2", "no question followed")]
    assert "1.00 where the last answer brought none" in html


def test_a_methodology_lays_its_own_view_beside_the_ladder(reader: Client) -> None:
    list(load_library())
    grid = MethodologyVersion.objects.filter(document__name="repertory_grid").latest("number")
    session = small_interview(study=StudyFactory.create(methodology_version=grid))
    element = NodeFactory.create(session=session, label="my first boss", node_type="element")
    pole = NodeFactory.create(
        session=session, label="takes you seriously", node_type="construct_pole"
    )
    EdgeFactory.create(source=element, target=pole, edge_type="characterised_by")
    html = page_of(reader, session)
    table = re.search(r'<table class="table" id="view-1">(.*?)</table>', html, re.DOTALL)
    assert table
    words = " ".join(re.sub(r"<[^>]+>", " ", table[1]).split())
    assert words == "construct my first boss takes you seriously turn 1 1"
    assert "view-title" not in page_of(reader, small_interview())


def test_the_drawings_data_say_when_everything_appeared(reader: Client) -> None:
    data = data_of(page_of(reader, small_interview()))
    assert [(n["label"], n["band"], n["turn"], n["terminal"]) for n in data["nodes"]] == [
        ("taped seams", 0, 1, False),
        ("stay dry", 1, 1, False),
        ("enjoy the day", 2, 2, True),
    ]
    assert [e["turn"] for e in data["edges"]] == [1, 2]
    assert [b["name"] for b in data["bands"]] == ["attribute", "consequence", "value"]
    assert [(s["label"], s["support"]) for s in data["slots"]] == [
        ("dryness", 2),
        ("seam sealing", 2),
    ]
    assert [(e["turn"], e["support"]) for e in data["slotEdges"]] == [(1, 1)]


def test_a_page_says_where_a_link_comes_from_and_which_merge_is_in_doubt(reader: Client) -> None:
    session = small_interview()
    of_edges = Mention.objects.filter(session=session, edge__isnull=False)
    of_edges.filter(turn=1).update(provenance="inferred")
    of_edges.filter(turn=2).update(provenance="answer_to_probe")
    again = Mention.objects.filter(session=session, node__label="stay dry", turn=2)
    again.update(doubtful=True)
    html = page_of(reader, session)
    assert [e["provenance"] for e in data_of(html)["edges"]] == [
        "inferred",
        "in answer to a question",
    ]
    doubtful = {
        node["label"]: [said["doubtful"] for said in node["said"]]
        for node in data_of(html)["nodes"]
    }
    assert doubtful == {
        "taped seams": [False],
        "stay dry": [False, True],
        "enjoy the day": [False],
    }
    words = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    assert "leads to stay dry (inferred)" in words
    assert "leads to enjoy the day (in answer to a question)" in words
    assert "“Staying dry” turn 2 doubtful match" in words


def test_a_replaced_concept_is_told_with_the_turn_of_the_revision(reader: Client) -> None:
    session = small_interview()
    old = KGNode.objects.get(session=session, label="taped seams")
    new = NodeFactory.create(session=session, label="glued seams", first_turn=1)
    old.superseded_by = new
    old.save()
    EdgeFactory.create(source=new, target=old, edge_type="revises", first_turn=2)
    html = page_of(reader, session)
    node = next(n for n in data_of(html)["nodes"] if n["label"] == "taped seams")
    assert node["revised"] == 2
    assert "revised in turn 2" in html
    summarise(session)
    figures = build_page(load_record(Session.objects.get(pk=session.pk)), None).figures
    assert [f.value for f in figures[:3]] == ["3", "1", "0"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_what_was_said_is_shown_as_text(reader: Client, text: str) -> None:
    session = small_interview()
    answer = UtteranceFactory.create(
        session=session, turn_number=3, sequence=5, speaker="respondent", text=text
    )
    node = NodeFactory.create(session=session, label=text, first_turn=3)
    TurnFactory.create(
        session=session,
        number=3,
        answer=answer,
        focus_node_id=node.pk,
        strategy=text,
        focus_label=text,
        continuation="continue",
        result=result_for(
            3,
            evidence_for(
                candidate(text, str(node.pk), 1.0, 1, parts=[(text, 1.0, 1.0)], gates=(text,)),
                figures={text: text},
                labels={str(node.pk): text},
            ),
            degraded=(Degraded(task=text, by=text, after=text),),
            reason=text,
        ).model_dump(mode="json"),
    )
    MentionFactory.create(node=node, utterance=answer, quote=text, start=0, end=len(text), turn=3)
    html = page_of(reader, session)
    assert text not in html
    assert "alert(1)" in html
    assert data_of(html)["nodes"][-1]["label"] == text


def test_a_page_opens_where_the_record_of_a_turn_cannot_be_read(reader: Client) -> None:
    session = small_interview()
    Turn.objects.filter(session=session, number=1).update(result={"version": 99})
    html = page_of(reader, session)
    assert "a version that this installation cannot read" in html
    assert "the interview ended" in html


def test_who_stood_in_for_a_model_is_said_where_the_question_is_explained(reader: Client) -> None:
    session = small_interview()
    failed = result_for(
        1, evidence_for(), degraded=(Degraded(task="extraction", by="offline", after="timeout"),)
    ).model_dump(mode="json", exclude={"evidence"})
    Turn.objects.filter(session=session, number=1).update(result=failed)
    assert "The language model failed; rules read the answer." in page_of(reader, session)


def test_pages_run_under_a_policy_without_inline_code(reader: Client) -> None:
    session = small_interview()
    for address in (reverse("analytics:home"), reverse("analytics:session", args=[session.pk])):
        response = reader.get(address)
        html = response.content.decode()
        assert "unsafe-inline" not in response["Content-Security-Policy"]
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style", html)
        assert not re.search(r"<script(?![^>]*(src=|application/json))", html)


def test_a_session_that_has_just_begun_opens(reader: Client) -> None:
    session = SessionFactory.create()
    html = page_of(reader, session)
    assert "Nothing has been asked yet." in html
    assert data_of(html)["nodes"] == []


def test_a_failed_turn_says_that_the_answer_is_safe(reader: Client) -> None:
    session = small_interview()
    answer = UtteranceFactory.create(
        session=session, turn_number=3, sequence=5, speaker="respondent", text="And more."
    )
    TurnFactory.create(
        session=session, number=3, answer=answer, status=Turn.Status.FAILED, error="deadline"
    )
    html = page_of(reader, session)
    assert "This turn failed. The answer is kept and the turn can be retried." in html
    assert data_of(html)["last"] == 2


def test_a_session_of_an_unreadable_methodology_still_opens(reader: Client) -> None:
    session = small_interview()
    version = session.methodology_version
    assert version is not None
    version.parsed, version.checksum = {"from": "another release"}, "0" * 64
    version.save()
    data = data_of(page_of(reader, session))
    assert [b["name"] for b in data["bands"]] == ["other"]
    assert len(data["nodes"]) == 3


def test_the_list_shows_each_sessions_figures(reader: Client) -> None:
    small_interview()
    SessionFactory.create()
    html = " ".join(re.sub(r"<[^>]+>", " ", reader.get("/dashboard/").content.decode()).split())
    assert "completed 2 /15 3 2 1 answer after answer had brought nothing new" in html
    assert "active 0 /15 0 0 – –" in html


def test_the_list_marks_where_others_did_a_models_work(reader: Client) -> None:
    failed = small_interview()
    SessionSummary.objects.filter(session=failed).update(flags=[Flag.DEGRADED])
    small_interview()
    assert reader.get("/dashboard/").content.decode().count(">degraded</span>") == 1


def test_the_list_can_be_narrowed_to_a_status_and_a_study(reader: Client) -> None:
    done = small_interview()
    running = SessionFactory.create()
    by_status = reader.get("/dashboard/?status=active").content.decode()
    assert (str(running.pk) in by_status, str(done.pk) in by_status) == (True, False)
    by_study = reader.get(reverse("analytics:study", args=[done.study.slug])).content.decode()
    assert (str(running.pk) in by_study, str(done.pk) in by_study) == (False, True)


def test_an_empty_list_says_how_it_fills(reader: Client) -> None:
    assert "There is no interview yet." in reader.get("/dashboard/").content.decode()


def test_long_lists_come_in_pages(reader: Client) -> None:
    study = StudyFactory.create()
    SessionFactory.create_batch(26, study=study)
    first = reader.get("/dashboard/").content.decode()
    assert "Page 1 of 2" in first
    assert reader.get("/dashboard/?page=2").content.decode().count('<th scope="row">') == 1


def test_a_lists_queries_do_not_grow_with_it(reader: Client) -> None:
    session = small_interview()
    reader.get("/dashboard/")
    few = queries(reader, "/dashboard/")
    for _ in range(5):
        small_interview(study=session.study)
    assert queries(reader, "/dashboard/") == few
    assert few <= 10


@pytest.mark.parametrize("address", ["/dashboard/", "/dashboard/?status=active&page=200", "study"])
def test_a_list_of_5000_sessions_takes_few_queries_and_reads_no_json(
    reader: Client, address: str
) -> None:
    study = StudyFactory.create()
    sessions = SessionFactory.build_batch(
        5000,
        study=study,
        concept_version=study.concept_version,
        methodology_version=study.methodology_version,
    )
    Session.objects.bulk_create(sessions, batch_size=1000)
    SessionSummary.objects.bulk_create(
        SessionSummary(session=session, nodes=number) for number, session in enumerate(sessions)
    )
    if address == "study":
        address = reverse("analytics:study", args=[study.slug])
    with CaptureQueriesContext(connection) as captured:
        html = reader.get(address).content.decode()
    assert html.count('<th scope="row">') == 25
    assert "Page 200 of 200" in html if "page=200" in address else "Page 1 of 200" in html
    assert len(captured) <= 10
    read = {
        f'"{model._meta.db_table}"."{field.column}"'
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, JSONField)
    }
    statements = " ".join(query["sql"] for query in captured)
    assert {column for column in read if column in statements} == set()


def test_a_sessions_queries_do_not_grow_with_it(reader: Client) -> None:
    session = small_interview()
    address = reverse("analytics:session", args=[session.pk])
    reader.get(address)
    few = queries(reader, address)
    nodes = NodeFactory.create_batch(20, session=session)
    for one, other in pairwise(nodes):
        edge = EdgeFactory.create(source=one, target=other)
        MentionFactory.create(
            node=None,
            edge=edge,
            session=session,
            utterance=session.utterances.get(sequence=2),
        )
    assert queries(reader, address) == few
    assert few <= 18


def test_numbers_are_written_alike_whatever_the_browser_prefers(reader: Client) -> None:
    address = reverse("analytics:session", args=[small_interview().pk])
    html = reader.get(address, headers={"accept-language": "it"}).content.decode()
    assert '<html lang="en">' in html
    assert 'x1="97.0" y1="18.0"' in html
    assert "<strong>0.70</strong> against <strong>0.25</strong>" in html


def test_the_bench_of_the_list_keeps_nothing(db: None) -> None:
    list(load_library())
    measured = bench_sessions(sessions=60, samples=1)
    for page in ("first_page", "last_page"):
        assert 0 < measured[page]["p50_ms"] <= measured[page]["max_ms"]
        assert measured[page]["queries"] <= 10
    assert measured["conditions"] == {"sessions": 60, "samples": 1}
    assert not Session.objects.exists()

"""Corrections through the session page's address, and what its page says of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from analytics.corrections_shown import corrections_shown
from analytics.records import load_record
from analytics.session_page import build_page
from graphs.models import KGEdge, KGNode
from interviews.models import Correction, Session
from tests.factories import UserFactory, analyst, small_interview
from tests.integration.analytics.test_pages import data_of, page_of

SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


def send(client: Client, session: Session, **correction: Any) -> tuple[int, dict[str, Any]]:
    response = client.post(
        reverse("analytics:corrections", args=[session.pk]),
        json.dumps({"version": version_of(session), **correction}),
        content_type="application/json",
    )
    answer: dict[str, Any] = json.loads(response.content)
    return response.status_code, answer


def version_of(session: Session) -> int:
    session.refresh_from_db()
    return session.graph_version


def test_an_analyst_corrects_and_undoes_where_it_is_read(client: Client, db: None) -> None:
    session = small_interview()
    client.force_login(analyst(), SIGNED_IN)
    node = KGNode.objects.get(session=session, label="stay dry")
    status, done = send(client, session, act="retype", node=str(node.pk), node_type="consequence")
    assert (status, done["error"]["code"]) == (400, "edit_refused")
    status, done = send(client, session, act="delete_node", node=str(node.pk))
    assert (status, done["version"]) == (200, version_of(session))
    html = page_of(client, session)
    assert "deleted “stay dry”" in html
    assert (
        "Figures of the graph as corrected by hand (1); the machine’s own reading: 3 concepts, "
        "2 links, 1 complete chains" in html
    )
    assert f'data-restore="{done["correction"]}"' in html
    status, _ = send(client, session, act="undo")
    assert status == 200
    assert KGNode.objects.filter(pk=node.pk).exists()
    html = page_of(client, session)
    assert "as corrected by hand" not in html
    assert "undone by" in html


def test_what_the_machine_read_is_said_beside_what_was_corrected(reader: Client) -> None:
    session = small_interview()
    value = KGNode.objects.get(session=session, label="enjoy the day")
    assert send(reader, session, act="delete_node", node=str(value.pk))[0] == 200
    dry = KGNode.objects.get(session=session, label="stay dry")
    assert send(reader, session, act="rename", node=str(dry.pk), label="keep dry")[0] == 200
    machine = {n["label"]: n["machine"] for n in data_of(page_of(reader, session))["nodes"]}
    assert machine == {
        "taped seams": "",
        "keep dry": "read by the machine as “stay dry”, consequence",
    }


def test_who_was_slower_is_shown_both(reader: Client) -> None:
    session = small_interview()
    seen = version_of(session)
    link = KGEdge.objects.get(session=session, source__label="taped seams")
    assert send(reader, session, act="delete_link", edge=str(link.pk))[0] == 200
    who = Correction.objects.get().made_by
    status, told = send(reader, session, version=seen, act="reverse", edge=str(link.pk))
    assert status == 409
    assert told["error"]["code"] == "correction_outdated"
    assert told["theirs"] == [f"{who} deleted the link from “taped seams” to “stay dry”"]
    assert told["version"] == version_of(session)
    assert Correction.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"act": "rename", "label": "x"}, "node"),
        ({"act": "undo", "version": "new"}, "version"),
        ({"act": "undo", "version": -1}, "version"),
        ({"act": "dance"}, "act"),
    ],
)
def test_a_wrong_field_is_named(reader: Client, data: dict[str, Any], field: str) -> None:
    session = small_interview()
    status, told = send(reader, session, **data)
    assert (status, set(told["fields"])) == (400, {field})
    assert field in told["error"]["message"]


def test_what_is_no_json_is_refused(reader: Client) -> None:
    address = reverse("analytics:corrections", args=[small_interview().pk])
    for body in ("", "[1]", "{"):
        assert reader.post(address, body, content_type="application/json").status_code == 400


def test_nobody_corrects_without_the_right(client: Client, db: None) -> None:
    session = small_interview()
    client.force_login(UserFactory.create(), SIGNED_IN)
    address = reverse("analytics:corrections", args=[session.pk])
    assert client.post(address, "{}", content_type="application/json").status_code == 403


def test_each_correction_is_told_in_a_sentence(reader: Client) -> None:
    session = small_interview()
    nodes = {node.label: str(node.pk) for node in KGNode.objects.filter(session=session)}
    dry, seams = nodes["stay dry"], nodes["taped seams"]
    answer = session.utterances.get(turn_number=1, speaker="respondent")
    place = {"utterance": str(answer.pk), "start": 0, "end": 6}
    link = KGEdge.objects.get(session=session, source__label="taped seams")
    split = KGNode.objects.get(pk=dry).mentions.get(turn=2)
    for act in (
        {"act": "rename", "node": seams, "label": "seams"},
        {"act": "add_node", **place, "label": "sealing", "node_type": "attribute"},
        {"act": "split", "node": dry, "label": "dryness", "mentions": [str(split.pk)]},
        {"act": "delete_link", "edge": str(link.pk)},
        {"act": "add_link", **place, "source": seams, "target": dry, "edge_type": "leads_to"},
        {"act": "merge", "node": dry, "into": dry},
    ):
        send(reader, session, **act)
    new = str(KGNode.objects.get(session=session, label="dryness").pk)
    assert send(reader, session, act="merge", node=new, into=dry)[0] == 200
    shown = corrections_shown(load_record(session))
    assert [row.sentence for row in shown.rows] == [
        "merged “dryness” into “stay dry”",
        "added the link from “seams” to “stay dry”",
        "deleted the link from “seams” to “stay dry”",
        "split “dryness” off “stay dry”",
        "added “sealing” as attribute",
        "renamed “taped seams” to “seams”",
    ]
    assert (shown.standing, shown.can_undo, shown.can_redo) == (6, True, False)


def test_the_question_that_is_highlighted_is_the_one_that_is_explained(reader: Client) -> None:
    session = small_interview()
    page = build_page(load_record(session), None)
    second = page.turns[2]
    assert second.question == "Why does staying dry matter to you?"
    assert (second.why.strategy, second.why.focus, second.asked_after) == ("deepen", "stay dry", 1)
    assert [(after.number, after.decision.kind) for after in second.after] == [(2, "end")]
    assert page.turns[1].why.kind == "opening"
    assert page.turns[1].after == ()
    turns = data_of(page_of(reader, session))["turns"]
    dry = str(KGNode.objects.get(session=session, label="stay dry").pk)
    assert {turn["n"]: turn["focus"] for turn in turns} == {0: None, 1: None, 2: dry}

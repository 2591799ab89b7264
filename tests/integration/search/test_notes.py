"""Memos, stars, reviews and summaries: checked, audited, gone with what they are on."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from analytics.exports import json_document
from analytics.exports.source import ExportOptions, WholeStudy
from analytics.inclusion import EVERY
from analytics.notes.shown import SessionNotes, notes_of, study_memos
from analytics.records import load_record
from graphs.models import KGEdge, KGNode, Theme
from interviews import dispatch, notes, summaries
from interviews.errors import FormRefused
from interviews.llm.errors import LLMRequestRejected
from interviews.models import AuditEntry, Memo, Session, StarredQuote, Utterance, WrittenSummary
from tests.factories import ANSWER_1, StudyFactory, analyst, small_interview
from tests.integration.search.conftest import interview

pytestmark = pytest.mark.django_db
SIGNED_IN = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def session() -> Session:
    return small_interview()


def read(session: Session) -> SessionNotes:
    return notes_of(load_record(Session.objects.get(pk=session.pk)))


def exported(session: Session, member: str, pseudonymise: bool = False) -> list[dict[str, Any]]:
    source = WholeStudy(study=session.study, inclusion=EVERY)
    written = b"".join(json_document.write(source, ExportOptions(pseudonymise=pseudonymise)))
    found: list[dict[str, Any]] = json.loads(written)[member]
    return found


def answer_of(session: Session) -> Utterance:
    return Utterance.objects.get(session=session, turn_number=1, speaker="respondent")


def test_a_memo_is_on_anything_and_audited(session: Session) -> None:
    study = session.study
    node = KGNode.objects.get(label="stay dry")
    edge = KGEdge.objects.filter(session=session).order_by("first_turn")[0]
    theme = Theme.objects.create(study=study, name="Dryness", node_type="consequence")
    said = answer_of(session)
    for about, target in [
        ("study", None),
        ("theme", theme.pk),
        ("session", None),
        ("node", node.pk),
        ("link", edge.pk),
    ]:
        notes.write_memo(study, about=about, text="Look.", by="ana", session=session, target=target)
    notes.write_memo(
        study, about="quote", text="!", by="ana", session=session, target=said.pk, words="STAY  dry"
    )
    assert {row.on for row in study_memos(study)} == {
        "the study",
        "the theme Dryness",
        "the interview",
        "the node stay dry",
        "the link taped seams → stay dry",
        "“stay dry”",
    }
    assert AuditEntry.objects.filter(kind="memo", action="created", by="ana").count() == 6
    assert {m["about"] for m in exported(session, "sessions")[0]["notes"]["memos"]} == {
        "session", "node", "link", "quote"
    }  # fmt: skip
    assert {m["about"] for m in exported(session, "memos")} == {"study", "theme"}
    assert exported(session, "sessions", pseudonymise=True)[0]["notes"] is None


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"about": "mood"}, "about"),
        ({"text": " "}, "text"),
        ({"about": "theme"}, "target"),
        ({"about": "node"}, "target"),
        ({"about": "quote", "words": "never said"}, "target"),
        ({"about": "session", "session": None}, "session"),
    ],
)
def test_a_memo_on_what_is_not_there_is_refused_by_field(
    session: Session, said: dict[str, Any], field: str
) -> None:
    given: dict[str, Any] = {
        "about": "session",
        "text": "x",
        "session": session,
        "target": uuid4(),
    } | said
    with pytest.raises(FormRefused) as refused:
        notes.write_memo(session.study, by="ana", **given)
    assert list(refused.value.fields) == [field]
    assert not Memo.objects.exists()


def test_a_memo_on_an_interview_of_another_study_is_refused(session: Session) -> None:
    with pytest.raises(FormRefused, match="session: "):
        notes.write_memo(
            StudyFactory.create(), about="session", text="x", by="ana", session=session
        )


def test_who_changes_an_older_memo_sees_both_and_loses_nothing(session: Session) -> None:
    memo = notes.write_memo(session.study, about="study", text="First.", by="ana")
    notes.change_memo(memo, text="Second.", by="ben", version=1)
    with pytest.raises(notes.MemoOutdated, match=r"ben.*Second.*Third") as outdated:
        notes.change_memo(memo, text="Third.", by="ana", version=1)
    assert (outdated.value.theirs.text, outdated.value.yours) == ("Second.", "Third.")
    assert Memo.objects.get().text == "Second."


def test_stars_are_set_once_and_taken_away(session: Session) -> None:
    said = answer_of(session)
    one = notes.star(session, said.pk, "taped seams", by="ana")
    assert notes.star(session, said.pk, "taped seams", by="ben") == one
    assert notes.star(session, said.pk, "", by="ana").quote == ANSWER_1
    with pytest.raises(FormRefused, match="words: "):
        notes.star(session, said.pk, "not said", by="ana")
    notes.unstar(one, by="ana")
    assert StarredQuote.objects.count() == 1


def test_a_review_ages_with_the_graph(session: Session) -> None:
    notes.review(session, reviewed=True, by="ana")
    assert not read(session).stale
    Session.objects.filter(pk=session.pk).update(graph_version=9)
    assert read(session).stale
    notes.review(session, reviewed=False, by="ana")
    assert read(session).review is None


def test_a_summary_is_written_once_asked_for_kept_and_marked(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(dispatch, "enqueue_task", lambda name, pk: asked.append((name, pk)))
    summaries.ask_summary(session, by="ana")
    summaries.ask_summary(session, by="ben")
    assert asked == [(dispatch.SUM_UP, session.pk)]
    summaries.work_on(session.pk)
    row = WrittenSummary.objects.get()
    assert (row.status, row.provider, row.turns, row.asked_by) == ("done", "offline", 2, "ana")
    assert row.told["quotes"] == [{"turn": 2, "quote": "enjoy the whole day"}]
    summaries.work_on(session.pk)
    assert row.fence == WrittenSummary.objects.get().fence


def test_a_summary_that_nobody_writes_says_so_and_the_older_one_stays(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    summaries.ask_summary(session, by="ana")
    summaries.work_on(session.pk)
    summaries.ask_summary(session, by="ana")

    def fail(*_: object, **__: object) -> None:
        raise LLMRequestRejected("no")

    monkeypatch.setattr(summaries, "ask_for", fail)
    summaries.work_on(session.pk)
    row = WrittenSummary.objects.get()
    assert (row.status, row.reason) == ("failed", summaries.FAILED)
    assert row.told["summary"]


def test_quotes_of_a_summary_are_looked_up(session: Session) -> None:
    turns = summaries.turns_of(session)
    assert summaries.cited(["it HAS taped", "never said"], turns) == [
        {"turn": 1, "quote": "It has taped"}
    ]


def test_the_pages_write_show_and_refuse(client: Client, session: Session) -> None:
    client.force_login(analyst(), SIGNED_IN)
    address = reverse("analytics:session_notes", args=[session.pk])
    said = answer_of(session)
    for sent in [
        {"do": "memo", "on": f"quote:{said.pk}", "words": "taped", "text": "<b>Why</b>?"},
        {"do": "star", "answer": str(said.pk), "words": "stay dry"},
        {"do": "review", "reviewed": "yes"},
        {"do": "summary"},
    ]:
        assert client.post(address, sent).status_code == 302
    html = client.get(reverse("analytics:session", args=[session.pk])).content.decode()
    assert "&lt;b&gt;Why&lt;/b&gt;?" in html
    assert "<q>stay dry</q>" in html
    assert "The summary is being written" in html
    assert "Take the review back" in html
    wrong = client.post(address, {"do": "dance"}, follow=True).content.decode()
    assert "do: &#x27;dance&#x27; is not memo, star" in wrong
    memo = Memo.objects.get()
    older = {"text": "Mine", "version": "7"}
    page = client.post(reverse("analytics:memo", args=[memo.pk]), older, follow=True)
    assert "nothing of yours was stored" in page.content.decode()
    client.post(reverse("analytics:memo", args=[memo.pk]), {"delete": "yes"})
    assert not Memo.objects.exists()
    study_page = reverse("analytics:memos", args=[session.study.slug])
    html = client.post(study_page, {"on": "study:", "text": "Of all"}, follow=True).content.decode()
    assert "Of all" in html
    assert "1 of 1 interview reviewed" in html


def test_nothing_of_an_erased_interview_stays(session: Session) -> None:
    interview(session.study, "Another one.")
    notes.write_memo(session.study, about="session", text="x", by="ana", session=session)
    notes.star(session, answer_of(session).pk, "", by="ana")
    session.delete()
    assert not Memo.objects.exists()
    assert not StarredQuote.objects.exists()

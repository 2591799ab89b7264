"""Search across interviews: what is found, and that what is gone is not."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from graphs.models import KGNode
from interviews import dispatch, services
from interviews.bench.search import bench_search
from interviews.errors import FormRefused
from interviews.models import SearchedSession, SearchEntry, Session, Study, Turn, Utterance
from interviews.retrieval import index
from interviews.retrieval.search import search
from interviews.withdrawals import withdraw
from methodologies.registry import load_library
from tests.factories import StudyFactory, UtteranceFactory
from tests.integration.search.conftest import interview

pytestmark = pytest.mark.django_db


def texts(text: str, **options: object) -> list[str]:
    return [hit.text for hit in search(Session.objects.all(), text, **options)]  # type: ignore[arg-type]


def test_it_finds_by_words_in_any_form_and_by_meaning(two: tuple[Session, Session]) -> None:
    assert texts("walked")[0] == "Walking is what I do every weekend."
    assert texts("costly")[0] == "I only look at the price of a jacket."
    assert "taped seams" in texts("taped seam")
    assert texts("zzzzz") == []


def test_a_result_knows_its_place_and_marks_what_matched(two: tuple[Session, Session]) -> None:
    best = search(Session.objects.all(), "heavy rain", kinds=["answer"])[0]
    assert (best.session, best.turn, best.kind) == (two[0].pk, 1, "answer")
    marked = [text for text, matched in best.snippet if matched]
    assert marked == ["heavy", "rain"]
    assert "".join(text for text, _ in best.snippet) == best.text
    assert set(best.as_json()) == {"kind", "session", "turn", "text", "score"}


def test_words_are_taken_in_the_language_of_the_interview(study: Study) -> None:
    session = interview(study, "Die Häuser waren nass.")
    Session.objects.filter(pk=session.pk).update(language="de")
    index.refresh(Session.objects.all())
    assert texts("Haus") == ["Die Häuser waren nass."]


def test_kinds_and_sessions_are_filtered(two: tuple[Session, Session]) -> None:
    assert texts("seams", kinds=["concept"]) == ["taped seams"]
    assert all(text.startswith("Question") for text in texts("question", kinds=["question"]))
    only = search(Session.objects.filter(pk=two[1].pk), "seams dry")
    assert {hit.session for hit in only} <= {two[1].pk}


@pytest.mark.parametrize(
    ("text", "kinds", "field"),
    [(" ", ["answer"], "text"), ("x" * 401, ["answer"], "text"), ("x", ["memo"], "kind")],
)
def test_what_cannot_be_searched_for_is_told_by_field(
    text: str, kinds: list[str], field: str
) -> None:
    with pytest.raises(FormRefused) as refused:
        search(Session.objects.all(), text, kinds=kinds)
    assert list(refused.value.fields) == [field]


def test_punctuation_of_a_query_is_not_read_as_one(two: tuple[Session, Session]) -> None:
    assert texts("price' | !(jacket) & :*")[0] == "I only look at the price of a jacket."


def test_an_erased_interview_is_not_found_any_more(two: tuple[Session, Session]) -> None:
    services.erase_session(two[0].pk, by="ana")
    assert not SearchEntry.objects.filter(session_id=two[0].pk).exists()
    assert texts("taped seams", kinds=["concept"]) == []


def test_a_corrected_concept_is_found_as_it_is_now(two: tuple[Session, Session]) -> None:
    node = KGNode.objects.get(label="taped seams")
    KGNode.objects.filter(pk=node.pk).update(label="sealed edges")
    Session.objects.filter(pk=two[0].pk).update(graph_version=1)
    assert index.refresh(Session.objects.all()) == 1
    assert texts("sealed", kinds=["concept"]) == ["sealed edges"]
    KGNode.objects.filter(pk=node.pk).delete()
    assert texts("sealed", kinds=["concept"]) == []


def test_an_answer_that_is_taken_back_leaves_search_at_once(study: Study) -> None:
    session = interview(study, "It keeps me dry.")
    Session.objects.filter(pk=session.pk).update(status="active", ended_at=None)
    message = uuid4()
    said = UtteranceFactory.create(
        session=session,
        turn_number=2,
        sequence=3,
        speaker="respondent",
        text="A secret thing.",
        client_message_id=message,
    )
    Turn.objects.create(session=session, number=2, answer=said, status="queued")
    index.index_session(session.pk)
    assert "A secret thing." in texts("secret")
    assert withdraw(Session.objects.get(pk=session.pk), message)
    assert not SearchEntry.objects.filter(text__contains="secret").exists()


def test_what_is_taken_back_while_texts_are_embedded_is_not_stored(study: Study) -> None:
    session = interview(study, "It keeps me dry.", "A secret thing.")
    secret = Utterance.objects.get(text="A secret thing.")

    class Meanwhile:
        dimensions = 384

        def embed(self, texts: list[str]) -> list[object]:
            Utterance.objects.filter(pk=secret.pk).update(text="", withdrawn_at=timezone.now())
            return [[1.0] + [0.0] * 383 for _ in texts]

    index.index_session(session.pk, embedder=Meanwhile())  # type: ignore[arg-type]
    assert not SearchEntry.objects.filter(text__contains="secret").exists()
    assert SearchEntry.objects.filter(text="It keeps me dry.").exists()


def test_the_sweeper_asks_once_for_what_is_over_and_again_for_what_was_lost(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(dispatch, "enqueue_task", lambda name, pk: asked.append((name, pk)))
    session = interview(study, "It keeps me dry.")
    running = interview(study, "Not yet.")
    Session.objects.filter(pk=running.pk).update(
        status="active", ended_at=None, started_at=timezone.now()
    )
    assert index.sweep() == 1
    assert asked == [(dispatch.INDEX, session.pk)]
    assert index.sweep() == 0
    long_ago = timezone.now() - index.LOST - timedelta(seconds=1)
    SearchedSession.objects.update(queued_at=long_ago)
    assert index.sweep() == 1
    index.index_session(session.pk)
    assert index.sweep() == 0
    Session.objects.filter(pk=running.pk).update(started_at=timezone.now() - index.PAUSE * 2)
    assert index.sweep() == 1


def test_searching_asks_the_database_a_number_of_times_that_does_not_grow(
    two: tuple[Session, Session], django_assert_max_num_queries: object
) -> None:
    for number in range(5):
        interview(StudyFactory.create(), f"Rain again {number}.")
    index.refresh(Session.objects.all())
    with django_assert_max_num_queries(16):  # type: ignore[operator]
        search(Session.objects.all(), "rain")


def test_the_bench_measures_and_keeps_nothing(db: None) -> None:
    list(load_library())
    found = bench_search(utterances=100, samples=2)
    assert found["utterances"] == 100
    assert 0 < found["p50_ms"] <= found["p95_ms"]
    assert not SearchEntry.objects.exists()

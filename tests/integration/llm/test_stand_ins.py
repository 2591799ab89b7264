"""A provider that fails for good in each task: the interview goes on by the rules, and says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from interviews.explain.interpreter import explain
from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.tasks.questions import OPENING_QUESTION, OpeningInputs
from interviews.models import LLMCall, Session, SessionSummary, Study, Turn
from methodologies.registry import concept_of, methodology_of
from tests.integration.llm.interviewing import Interview, Model, anthropic_at, interviewing, use
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, Received, provider_server
from tests.llm_protocol.steps import Answer, Failed, Step

ANSWER = "It has taped seams, so I stay dry."
REJECTED = Failed(status=400, kind="invalid_request_error")


class FailingModel(Model):
    """Does as it is told but in some tasks, where it fails for good."""

    def __init__(self) -> None:
        super().__init__()
        self.fails_in: set[str] = set()

    def __call__(self, request: Received) -> Step:
        return REJECTED if request.task in self.fails_in else super().__call__(request)


@pytest.fixture
def failing() -> FailingModel:
    return FailingModel()


@pytest.fixture
def server(failing: FailingModel, settings: Settings) -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY, respond=failing) as running:
        use(settings, **anthropic_at(running))
        yield running


def degraded(turn: Turn) -> list[tuple[str, str]]:
    return [(entry["task"], entry["by"]) for entry in turn.result["degraded"]]


def asked(turn: Turn) -> str:
    assert turn.question is not None
    return turn.question.text


def flags(interview: Interview) -> list[str]:
    return SessionSummary.objects.get(session=interview.session).flags


def subject_of(study: Study) -> str:
    assert study.concept_version is not None
    return concept_of(study.concept_version).subject


def test_a_model_that_answers_degrades_nothing(study: Study, server: ProviderServer) -> None:
    with interviewing(study) as interview:
        turn = interview.answer(ANSWER)
    assert degraded(turn) == []
    assert flags(interview) == []
    assert not LLMCall.objects.exclude(stands_in_for="").exists()


def test_the_opening_is_the_one_that_the_rules_would_have_asked(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    failing.fails_in = {"opening_question"}
    with interviewing(study) as interview:
        turn = Turn.objects.get(session=interview.session, number=0)
    assert study.methodology_version is not None
    method = methodology_of(study.methodology_version).method
    opening = OfflineProvider().complete(
        OPENING_QUESTION,
        OpeningInputs(
            subject=subject_of(study),
            methodology_name=method.name,
            opening_bias=method.opening_bias,
            seed=1,
        ),
    )
    assert asked(turn) == opening.question
    assert degraded(turn) == [("opening_question", "offline")]
    assert flags(interview) == ["degraded"]


def test_an_answer_that_the_model_cannot_read_is_read_by_the_rules(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    with interviewing(study) as interview:
        failing.fails_in = {"extraction"}
        turn = interview.answer(ANSWER)
    assert turn.result["extracted"]["concepts"] > 0
    assert degraded(turn) == [("extraction", "offline")]
    row = LLMCall.objects.get(turn=turn, task="extraction", outcome="ok")
    assert (row.provider, row.stands_in_for) == ("offline", "rejected")


def test_an_answer_is_rated_by_the_rules_where_the_model_does_not(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    with interviewing(study) as interview:
        failing.fails_in = {"response_rating"}
        turn = interview.answer(ANSWER)
    assert set(turn.result["ratings"]) == set(kit.RATING)
    assert degraded(turn) == [("response_rating", "offline")]


def test_slots_that_the_model_has_not_named_twice_are_named_by_the_rules(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    with interviewing(study) as interview:
        failing.fails_in = {"slot_proposal"}
        first, second = interview.answer(ANSWER), interview.answer(ANSWER)
    assert (first.result["slots"]["created"], degraded(first)) == ([], [])
    assert second.result["slots"]["created"] != []
    assert degraded(second) == [("slot_proposal", "offline")]


def test_the_next_question_is_worded_by_the_rules(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    with interviewing(study) as interview:
        failing.fails_in = {"follow_up_question"}
        turn = interview.answer(ANSWER)
    assert degraded(turn) == [("follow_up_question", "offline")]
    assert turn.result["repairs"] == []
    assert "taped seams" in asked(turn)


def test_a_draft_that_nobody_repairs_is_repaired_by_the_rules(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    with interviewing(study) as interview:
        failing.script("follow_up_question", Answer(data={"question": "Tell me more."}))
        failing.fails_in = {"question_repair"}
        turn = interview.answer(ANSWER)
    assert degraded(turn) == [("question_repair", "offline")]
    assert asked(turn).endswith("?")


def test_where_draft_and_repair_may_not_be_asked_the_rules_word_the_question(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    with interviewing(study) as interview:
        statement = Answer(data={"question": "Tell me more."})
        failing.script("follow_up_question", statement)
        failing.script("question_repair", statement)
        turn = interview.answer(ANSWER)
    assert degraded(turn) == [("follow_up_question", "offline")]
    assert turn.result["degraded"][0]["after"] == "guards"
    assert "taped seams" in asked(turn)


def test_the_closing_question_is_worded_by_the_rules(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    study.max_turns = 3
    study.save()
    with interviewing(study) as interview:
        interview.answer(ANSWER)
        failing.fails_in = {"closing_question"}
        turn = interview.answer("The hood keeps the wind off.")
    assert turn.continuation == "close"
    assert degraded(turn) == [("closing_question", "offline")]
    assert flags(interview) == ["degraded"]


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "I want to stop now."),
        ("it", "Vorrei smettere qui."),
        ("de", "Ich möchte jetzt aufhören."),
        ("fr", "Je voudrais arrêter."),
        ("es", "Quiero parar."),
    ],
)
def test_a_wish_to_stop_is_heard_though_no_model_reads_it(
    study: Study, server: ProviderServer, failing: FailingModel, language: str, answer: str
) -> None:
    study.language = language
    study.save()
    with interviewing(study) as interview:
        failing.fails_in = {"extraction", "response_rating"}
        interview.answer(answer)
    interview.session.refresh_from_db()
    assert interview.session.status == Session.Status.COMPLETED
    assert interview.session.termination_reason == "respondent_ended"


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "I would rather not talk about that."),
        ("de", "Dazu möchte ich nichts sagen."),
        ("fr", "Je ne veux pas en parler."),
        ("es", "Prefiero no responder."),
    ],
)
def test_a_refusal_is_heard_though_no_model_reads_it(
    study: Study, server: ProviderServer, failing: FailingModel, language: str, answer: str
) -> None:
    study.language = language
    study.save()
    with interviewing(study) as interview:
        interview.answer(ANSWER)
        failing.fails_in = {"extraction", "response_rating"}
        turn = interview.answer(answer)
    assert turn.result["heard"]["act"] == "refuses"


def test_in_a_language_that_the_rules_do_not_read_a_fixed_question_of_it_is_asked(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    study.language = "de"
    study.save()
    with interviewing(study) as interview:
        failing.fails_in = {"follow_up_question"}
        turn = interview.answer(ANSWER)
    assert asked(turn) == "Was haben Sie am Ende davon?"
    assert turn.result["degraded"] == [
        {"task": "follow_up_question", "by": "offline", "after": "rejected"}
    ]
    assert flags(interview) == ["degraded"]


def test_an_interview_of_a_choice_that_nobody_can_follow_goes_on_by_the_rules(
    study: Study, server: ProviderServer
) -> None:
    study.llm_choice = {"generation": {"provider": "gpt"}}
    study.save()
    with interviewing(study) as interview:
        turn = interview.answer(ANSWER)
    assert degraded(turn) == [("follow_up_question", "offline")]
    assert turn.result["degraded"][0]["after"] == "configuration"
    assert "taped seams" in asked(turn)


def test_a_model_without_a_price_is_not_asked_for_a_study_with_a_budget(
    study: Study, server: ProviderServer
) -> None:
    study.llm_choice = {"budget_usd": 5, "generation": {"model": "claude-next"}}
    study.save()
    with interviewing(study) as interview:
        turn = interview.answer(ANSWER)
    assert turn.result["degraded"] == [
        {"task": "follow_up_question", "by": "offline", "after": "unpriced"}
    ]
    assert "claude-next" not in {request.body["model"] for request in server.received}


def test_the_page_and_the_explanation_say_who_worded_the_question(
    study: Study, server: ProviderServer, failing: FailingModel, client: Client
) -> None:
    with interviewing(study) as interview:
        failing.fails_in = {"follow_up_question"}
        turn = interview.answer(ANSWER)
    client.force_login(User.objects.create(username="root", is_superuser=True, is_staff=True))
    page = client.get(reverse("analytics:session", args=[interview.session.pk])).content.decode()
    assert "Degraded: where the language model failed, others did its work" in page
    assert "The language model failed; rules worded the question." in explain(turn).sentences


def test_the_explanation_says_that_rules_asked_a_fixed_question(
    study: Study, server: ProviderServer, failing: FailingModel
) -> None:
    study.language = "fr"
    study.save()
    with interviewing(study) as interview:
        failing.fails_in = {"follow_up_question"}
        turn = interview.answer(ANSWER)
    assert "The language model failed; rules worded the question." in explain(turn).sentences
    assert asked(turn) == explain(turn).question

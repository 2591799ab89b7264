"""Guided interviews led by a model: calls a turn, guards, leads, and a plan that nobody makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from pytest_django import Settings

from interviews import dispatch, plans, studies
from interviews.llm.tasks.guided_plan import GUIDED_PLAN
from interviews.models import LLMCall, Study, Turn
from interviews.modes.guided.evidence import GuidedEvidence
from interviews.modes.guided.texts import texts
from interviews.record import result_of
from methodologies.registry import GUIDE, METHODOLOGY, load_library, newest, publish
from tests.integration.llm.interviewing import (
    Interview,
    Model,
    answer_in,
    anthropic_at,
    extraction,
    interviewing,
    process_gateway,
    use,
)
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, Received, provider_server
from tests.llm_protocol.steps import Answer, Failed

pytestmark = pytest.mark.django_db

GUIDE_TEXT = """\
kind: guide
id: leaving_{language}
title: Leaving
language: {language}
research_goal: Learn why people leave
max_duration_minutes: 3
topics:
  - id: decision
    label: the decision
    sub_goals: [the first thought of leaving]
  - id: manager
    label: the manager
    sub_goals: [the support you got]
"""
PLAIN = "When the approval came late, I talked for an hour with my friend Anna about it."
RICH = (
    "I hated that project because the approval was a real problem: in March 2024 we waited three "
    "weeks for a signature, nobody told us anything, and my team in Milan lost a customer then."
)


class Interviewer(Model):
    """Reads answers as experiences, as it is told, and always asks what it is told to ask."""

    def __init__(self) -> None:
        super().__init__()
        self.hears: dict[str, Any] = {}
        self.always = ""

    def data(self, request: Received) -> dict[str, Any]:
        if request.task == "extraction":
            read = extraction(answer_in(request))
            read["concepts"][0]["node_type"] = "experience"
            return {"act": "answer", "leads": [], "disclaimed": [], "off_track": False} | (
                read | self.hears
            )
        if request.task == GUIDED_PLAN.name:
            return {"topics": []}
        return {"question": self.always} if self.always else super().data(request)


@pytest.fixture
def model() -> Interviewer:
    return Interviewer()


@pytest.fixture
def server(model: Interviewer, settings: Settings) -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY, respond=model) as running, dispatch.held_back():
        use(settings, **anthropic_at(running))
        yield running


def guided_study(language: str = "en") -> Study:
    list(load_library())
    study = studies.create_study(
        slug="leaving",
        name="Leaving",
        mode="guided",
        language=language,
        methodology_version=newest(METHODOLOGY, "topic_guide"),
        guide_version=publish(GUIDE, GUIDE_TEXT.format(language=language), source="test"),
    )
    plans.make(study)
    return study


def evidence(turn: Turn) -> GuidedEvidence:
    found = result_of(turn).evidence
    assert isinstance(found, GuidedEvidence)
    return found


def calls_of(turn: Turn) -> list[str]:
    return list(
        LLMCall.objects.filter(turn=turn).order_by("created_at").values_list("task", flat=True)
    )


def prompt_of(server: ProviderServer) -> str:
    """The prompt of the last question."""
    return [r.text for r in server.received if r.task.startswith("guided_question")][-1]


def lead(quote: str, reason: str = "episode") -> dict[str, Any]:
    return {"leads": [{"quote": quote, "reason": reason}]}


def answered(interview: Interview, text: str) -> GuidedEvidence:
    return evidence(interview.answer(text))


# -- calls and guards ------------------------------------------------------------------------------
def test_a_turn_reads_once_and_asks_once(server: ProviderServer) -> None:
    with interviewing(guided_study()) as interview:
        turn = interview.answer(PLAIN)
    assert calls_of(turn) == ["extraction", "guided_question"]
    assert result_of(turn).repairs == ()


@pytest.mark.parametrize("language", ["en", "it"])
def test_after_two_more_calls_a_question_in_the_studys_language_is_asked(
    server: ProviderServer, model: Interviewer, language: str
) -> None:
    with interviewing(guided_study(language)) as interview:
        model.always = "Goodbye, arrivederci, and thank you for your time?"
        turn = interview.answer(PLAIN)
    made = calls_of(turn)
    assert made[:4] == [
        "extraction",
        "guided_question",
        "guided_question_again",
        "guided_question_only",
    ]
    assert all(
        call.provider == "offline"
        for call in LLMCall.objects.filter(turn=turn).order_by("created_at")[4:]
    )
    assert "closure_guard" in result_of(turn).repairs
    assert turn.question is not None
    asked = turn.question.text
    assert asked.endswith("?")
    assert "oodbye" not in asked
    assert {"en": "the ", "it": "che"}[language] in asked.casefold()


def test_a_repetition_is_asked_for_as_a_question_alone(
    server: ProviderServer, model: Interviewer
) -> None:
    with interviewing(guided_study()) as interview:
        opening = Turn.objects.get(session=interview.session, number=0).question
        assert opening is not None
        model.script("guided_question", Answer(data={"question": opening.text}))
        model.script("guided_question_again", Answer(data={"question": opening.text}))
        turn = interview.answer(PLAIN)
    assert calls_of(turn) == ["extraction", "guided_question", "guided_question_only"]
    assert result_of(turn).repairs == ("duplicate_detector",)


def test_nobody_words_a_question_so_a_fixed_one_is_asked(
    server: ProviderServer, model: Interviewer
) -> None:
    """Questions of the shipped texts are valid in every language that interviews are held in."""
    with interviewing(guided_study("it")) as interview:
        model.always = "Mi dia il suo numero di telefono?"
        turn = interview.answer(PLAIN)
    assert turn.question is not None
    assert "telefono" not in turn.question.text
    assert len({q.format(topic="x") for q in texts("it").questions}) == 6


# -- leads -----------------------------------------------------------------------------------------
def test_a_lead_is_followed_inside_the_topics_budget(
    server: ProviderServer, model: Interviewer
) -> None:
    with interviewing(guided_study()) as interview:
        model.hears = lead("the approval came late")
        found = answered(interview, PLAIN)
    assert (found.aim, found.follows, found.bonus) == ("lead", "the approval came late", False)
    (told,) = re.findall(r"Follow up on what was just said: (.*?)\\n", prompt_of(server))
    assert "the approval came late" in told


def test_a_rich_lead_uses_a_bonus_turn(server: ProviderServer, model: Interviewer) -> None:
    with interviewing(guided_study()) as interview:
        answered(interview, PLAIN)
        model.hears = lead("the approval was a real problem")
        found = answered(interview, RICH)
    assert (found.row, found.donor) == ("explore_bonus", "manager")
    assert found.follows == "the approval was a real problem"


def test_what_is_played_down_is_no_lead(server: ProviderServer, model: Interviewer) -> None:
    with interviewing(guided_study()) as interview:
        model.hears = lead("the approval came late") | {"disclaimed": ["approval came late"]}
        found = answered(interview, PLAIN)
    assert (found.aim, found.follows) == ("probe", "")


def test_what_is_refused_rests(server: ProviderServer, model: Interviewer) -> None:
    with interviewing(guided_study()) as interview:
        model.hears = {"act": "refuses"}
        first = answered(interview, PLAIN)
        model.hears = {}
        later = [answered(interview, PLAIN) for _ in range(2)]
    assert (
        "respect that in a few words"
        in [r.text for r in server.received if r.task.startswith("guided_question")][1]
    )
    assert "the first thought of leaving" not in {e.sub_goal for e in (first, *later)}


def test_a_disclosure_is_stayed_with_before_the_next_topic(
    server: ProviderServer, model: Interviewer
) -> None:
    with interviewing(guided_study()) as interview:
        model.hears = lead("my wife left me", "personal")
        stayed = answered(interview, "Well, my wife left me.")
        assert "Something grave or intimate was told" in prompt_of(server)
        model.hears = {}
        after = answered(interview, "It was hard.")
    assert (stayed.band, stayed.topic, stayed.follows) == ("LOW", "decision", "my wife left me")
    assert after.topic == "manager"


def test_drift_goes_back_to_the_topic(server: ProviderServer, model: Interviewer) -> None:
    with interviewing(guided_study()) as interview:
        model.hears = {"act": "drifted"}
        back = answered(interview, "Did you see the game?")
    assert (back.topic, back.sub_goal) == ("decision", "the first thought of leaving")
    assert "The answer left the topic" in prompt_of(server)


def test_an_answer_far_from_the_topic_that_says_nothing_leaves_its_point_open(
    server: ProviderServer, model: Interviewer
) -> None:
    with interviewing(guided_study()) as interview:
        model.hears = {"concepts": [], "extractable": False, "reason": "off"}
        far = answered(interview, "Bananas ripen faster inside brown paper bags.")
        near = answered(interview, "The first thought of leaving came in spring.")
    assert far.sub_goal == "the first thought of leaving"
    assert near.sub_goal != "the first thought of leaving"


# -- a plan that nobody makes ----------------------------------------------------------------------
def test_plan_that_no_model_makes_stands_without_and_can_be_tried_again(
    server: ProviderServer, model: Interviewer
) -> None:
    failed = [Failed(status=400, kind="invalid_request_error")] * 8
    model.script(GUIDED_PLAN.name, *failed)
    study = guided_study()
    first = study.plans.get()
    assert first.data["intelligence"]["status"] == "missing"
    assert "Try again" in first.data["intelligence"]["message"]
    assert [t["max_turns"] for t in first.data["explore"]["topics"]] == [4, 4]
    asked = len(server.received)
    assert plans.make(study) == first
    assert len(server.received) == asked
    model.scripted.clear()
    with closing(process_gateway()) as gateway:
        second = plans.regenerate(study, gateway=gateway)
    assert (second.number, second.data["intelligence"]["status"]) == (2, "ready")
    assert second.signature == first.signature

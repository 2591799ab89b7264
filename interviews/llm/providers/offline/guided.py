"""Guided interviews by rules: what to listen for in a guide's topics, and the questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.llm.providers.offline.wording import rotated, rotation
from interviews.llm.tasks.guided_plan import (
    GUIDED_PLAN,
    GuidedPlanInputs,
    GuidedPlanOutput,
    PlannedTopic,
    TopicIntelligence,
)
from interviews.llm.tasks.guided_question import (
    GUIDED_QUESTION,
    GUIDED_QUESTION_AGAIN,
    GUIDED_QUESTION_ONLY,
    GuidedQuestionInputs,
    GuidedQuestionOnlyInputs,
)
from interviews.llm.tasks.questions import Question
from interviews.wording.languages import base
from interviews.wording.last_resort import last_resort
from interviews.wording.repetition import was_asked

MOST_QUOTED = 14
"""In words; a longer passage is cut."""


def guided_plan(inputs: GuidedPlanInputs) -> GuidedPlanOutput:
    """Say of every topic what holds of any topic; the same guide always gets the same."""
    words = _words(inputs.language)
    return GuidedPlanOutput(topics=tuple(_thought(topic, words) for topic in inputs.topics))


def _thought(topic: PlannedTopic, words: Mapping[str, Any]) -> TopicIntelligence:
    def about(name: str) -> tuple[str, ...]:
        return tuple(text.format(topic=_plain(topic.label)) for text in words[name])

    return TopicIntelligence(
        topic_id=topic.topic_id,
        sub_goals=() if topic.sub_goals else about("sub_goals"),
        interpretation_cues=about("cues"),
        significance_signals=about("signals"),
        probe_angles=tuple(rotated(words["angles"], rotation(topic.label)))[:3],
    )


def guided_question(inputs: GuidedQuestionInputs) -> Question:
    """Ask for what the interview is after, in a wording that was not used before."""
    words = _words(inputs.language)
    drafts = (*_special(inputs, words), *_plainly(inputs, words))
    before = words.get(inputs.act, "") if not inputs.first else ""
    return _first_new([before + draft for draft in drafts], inputs)


def guided_question_only(inputs: GuidedQuestionOnlyInputs) -> Question:
    """Ask for what the question is after, in a wording that was not used before."""
    return _first_new(list(_plainly(inputs, _words(inputs.language))), inputs)


def _special(inputs: GuidedQuestionInputs, words: Mapping[str, Any]) -> Iterator[str]:
    """Wordings for the first question, a new or resumed topic, a disclosure, or other words."""
    topic, goal = _plain(inputs.topic), _plain(inputs.sub_goal or inputs.topic)
    if inputs.rewords:
        yield from _filled(words["reword"], inputs, topic=topic, goal=goal)
    elif inputs.stays:
        yield from _filled(words["stays"], inputs, quote=_quote(inputs.follows))
    elif inputs.sub_goal.endswith("?"):
        return
    elif inputs.recap:
        yield words["recap"].format(topic=topic, goal=goal, quote=_quote(inputs.recap))
    elif inputs.first:
        yield from _filled(words["opening"], inputs, topic=topic, goal=goal)
    elif inputs.moves_on:
        yield from _filled(words["transition"], inputs, topic=topic, goal=goal)


def _plainly(inputs: GuidedQuestionOnlyInputs, words: Mapping[str, Any]) -> Iterator[str]:
    """Wordings for a lead, a sub-goal or an angle, then for every angle there is."""
    topic = _plain(inputs.topic)
    if inputs.aim == "lead":
        yield from _filled(words["lead"], inputs, quote=_quote(inputs.follows))
    elif inputs.aim == "sub_goal" and inputs.sub_goal.endswith("?"):
        yield inputs.sub_goal
    elif inputs.aim == "sub_goal":
        yield from _filled(words["sub_goal"], inputs, topic=topic, goal=_plain(inputs.sub_goal))
    for angle in _angles(inputs, words):
        yield from _filled(words["probe"], inputs, topic=topic, goal=angle)


def _angles(inputs: GuidedQuestionOnlyInputs, words: Mapping[str, Any]) -> list[str]:
    """The angles of a topic, then those of any topic; what was asked by already comes last."""
    asked = " ".join(inputs.asked_questions).casefold()
    angles = [_plain(angle) for angle in (*inputs.angles, *words["angles"])]
    return sorted(angles, key=lambda angle: angle.casefold() in asked)


def _filled(
    templates: Sequence[str], inputs: GuidedQuestionOnlyInputs, **values: str
) -> Iterator[str]:
    turns = rotation(inputs.seed, len(inputs.asked_questions))
    for template in rotated(templates, turns):
        yield template.format(**values)


def _first_new(drafts: Sequence[str], inputs: GuidedQuestionOnlyInputs) -> Question:
    fresh = (text for text in drafts if not was_asked(text, inputs.asked_questions))
    return Question(
        question=next(fresh, "")
        or last_resort(inputs.topic, inputs.asked_questions, language=inputs.language)
    )


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" .;:?!¿¡")


def _quote(text: str) -> str:
    """The respondent's words on one line, cut, without marks that would end the quotation."""
    words = (
        " ".join(text.translate(str.maketrans('“”«»"?', "''''' ")).split()).strip(" .,;:!").split()
    )
    return " ".join(words if len(words) <= MOST_QUOTED else [*words[:MOST_QUOTED], "…"])


def _words(language: str) -> Mapping[str, Any]:
    words: Mapping[str, Any] = _bank()[base(language)]
    return words


@cache
def _bank() -> Mapping[str, Any]:
    path = resources.files("interviews.llm.providers.offline").joinpath("guided.yaml")
    document: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


RULES: dict[str, object] = {
    GUIDED_PLAN.name: guided_plan,
    GUIDED_QUESTION.name: guided_question,
    GUIDED_QUESTION_AGAIN.name: guided_question,
    GUIDED_QUESTION_ONLY.name: guided_question_only,
}

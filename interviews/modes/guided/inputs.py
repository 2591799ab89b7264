"""What the calls of a guided interview are given, and what their questions must not say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import get_args

from interviews.guards import GuardProfile
from interviews.llm.tasks.base import cut
from interviews.llm.tasks.guided_question import (
    GUIDED_QUESTION,
    GUIDED_QUESTION_AGAIN,
    GUIDED_QUESTION_ONLY,
    Aim,
    GuidedQuestionInputs,
    GuidedQuestionOnlyInputs,
)
from interviews.llm.tasks.questions import Problem, TurnInput
from interviews.modes.base import Ask, QuestionTask, Retry
from interviews.modes.guided import memory
from interviews.modes.guided.listening import decided, material, remaining_seconds, stood
from interviews.modes.guided.situation import sub_goals_left
from interviews.modes.guided.state import GuidedState
from interviews.modes.guided.texts import texts
from interviews.turns.blocks import choice
from interviews.turns.context import TurnView
from interviews.wording.languages import base

LOOKS_BACK = 60
"""A question repeats none of this many latest ones."""
RECENT = 3
"""Exchanges that are shown word for word."""
LONGEST_ANSWER = 700
LONGEST_GUIDE = 1500
"""In characters; what is longer is cut."""


def first_question(context: TurnView, state: GuidedState) -> Ask:
    """The opening: the first topic's first sub-goal."""
    return _ask(context, _of_plan(context, state) | {"first": True})


def next_question(context: TurnView, state: GuidedState) -> Ask:
    """The question that the state is to ask next, or the offer to go on."""
    if state.asked.aim == "offer":
        return offer(context, state)
    language, loaded = base(context.session.language), context.loaded
    _, heard, signal = decided(context)
    answers = [*(exchange.answer for exchange in loaded.exchanges), context.utterance.text]
    rewords = context.continuation.rephrases
    told = {
        "moves_on": state.topic_index != stood(context).topic_index,
        "stays": state.asked.stays,
        "rewords": loaded.last_question if rewords else "",
        "recap": _recap(context, state),
        "facts": memory.facts(context),
        "tired": memory.is_tired(answers, language),
        "style": memory.style_of(answers, language),
        "score": signal.score,
        "guidance": memory.GUIDANCE[signal.band],
        "avoid_openings": memory.stems(loaded.asked_questions),
        "act": context.heard.act,
        "off_topic": heard.off_topic,
        "recent_turns": _recent(context),
    }
    return _ask(context, _of_plan(context, state) | told)


def offer(context: TurnView, state: GuidedState) -> Ask:
    """The offer to go on, in fixed words with two buttons; the second time in other words."""
    plan, _ = material(context)
    words = texts(context.session.language).offer
    labels = [plan.topic(topic_id).label for topic_id in state.uncovered_topics[:3]]
    text = words.first if state.extension_offer_attempts < 2 else words.again
    return Ask(
        text=text.format(topics=", ".join(labels)),
        profile=GuardProfile(checks=frozenset({"empty"}), repairs=False),
        spoken=tuple(labels),
        block=choice((words.accept, words.refuse)),
    )


def _of_plan(context: TurnView, state: GuidedState) -> dict[str, object]:
    """What the plan and its guide tell of the question."""
    plan, _ = material(context)
    guide, topic = context.session.guide, plan.topics[state.topic_index]
    asked = state.asked
    aim: Aim = asked.aim if asked.aim in ("sub_goal", "lead") else "probe"
    own = cut(guide.manual_guide, LONGEST_GUIDE) if guide else ""
    return {
        "title": context.subject,
        "research_goal": guide.research_goal if guide else "",
        "phase": "DEEPEN" if state.phase == "DEEPEN" else "EXPLORE",
        "minutes_left": max(int(remaining_seconds(context, plan) // 60), 0),
        "topics": memory.topic_lines(plan, state),
        "topic": topic.label,
        "aim": aim,
        "sub_goal": asked.sub_goal or "",
        "sub_goals_left": len(sub_goals_left(plan, state, topic.topic_id)),
        "follows": asked.follows,
        "angles": () if own else topic.probe_angles[:3],
        "knowledge": own,
        "cues": () if own else topic.interpretation_cues[:3],
        "signals": () if own else topic.significance_signals[:3],
        "asked_questions": context.loaded.asked_questions[-LOOKS_BACK:],
        "language": context.session.language,
        "seed": context.session.seed,
    }


def _recap(context: TurnView, state: GuidedState) -> str:
    """The key insight of a topic that is taken up again, for its first question."""
    plan, _ = material(context)
    if not state.asked.recap:
        return ""
    return state.topic_key_insights.get(plan.topics[state.topic_index].topic_id, "")


def _recent(context: TurnView) -> tuple[TurnInput, ...]:
    before = [(e.question, e.answer) for e in context.loaded.exchanges]
    said = [*before, (context.loaded.last_question, context.utterance.text)][-RECENT:]
    return tuple(TurnInput(question=q, answer=cut(a, LONGEST_ANSWER)) for q, a in said)


def _ask(context: TurnView, told: dict[str, object]) -> Ask:
    """The call, what is called instead of a refused draft, and fixed questions behind them."""
    inputs = GuidedQuestionInputs.model_validate(told)
    plain = GuidedQuestionOnlyInputs.model_validate(
        {name: told[name] for name in GuidedQuestionOnlyInputs.model_fields}
    )
    topic = inputs.topic
    return Ask(
        call=QuestionTask(GUIDED_QUESTION, inputs),
        profile=_profile(base(inputs.language)),
        retry=lambda problems: _retry(problems, inputs, plain),
        fixed=tuple(text.format(topic=topic) for text in texts(inputs.language).questions),
        spoken=(topic, inputs.sub_goal),
        repeats=(inputs.rewords,) if inputs.rewords else (),
    )


def _retry(
    problems: Sequence[Problem], inputs: GuidedQuestionInputs, plain: GuidedQuestionOnlyInputs
) -> Retry:
    """A repetition is asked for as a question alone; anything else once more, then alone."""
    alone = QuestionTask(GUIDED_QUESTION_ONLY, plain)
    if set(problems) == {"duplicate"}:
        return Retry(name="duplicate_detector", calls=(alone,))
    again = QuestionTask(GUIDED_QUESTION_AGAIN, inputs)
    return Retry(name="closure_guard", calls=(again, alone))


@cache
def _profile(language: str) -> GuardProfile:
    """Every check, and no goodbye, contact or advertisement in the words of the language."""
    words = texts(language)
    never: tuple[tuple[Problem, tuple[str, ...]], ...] = (
        ("goodbye", (*words.goodbye, r"INTERVIEW_COMPLETED")),
        ("contact", words.contact),
        ("promotion", words.promotion),
    )
    return GuardProfile(
        checks=frozenset(get_args(Problem)),
        repairs=True,
        never=tuple(
            (problem, re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)", re.IGNORECASE))
            for problem, found in never
        ),
        looks_back=LOOKS_BACK,
    )

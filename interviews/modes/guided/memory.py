"""What a question is told of the interview so far: facts, topics, fatigue, style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from interviews.llm.tasks.guided_question import Style, TopicLine, TopicState
from interviews.modes.guided.plan import Plan
from interviews.modes.guided.signal import Band, band_of, signal_of
from interviews.modes.guided.state import GuidedState
from interviews.modes.guided.texts import texts
from interviews.turns.context import TurnView

MOST_FACTS = 12
SURE_FROM = 0.6
LATEST = 5
"""So many answers tell whether somebody tires, and so many questions how not to begin."""
TIRED_FROM = 0.6
BRIEF_UNDER = 12
VERBOSE_OVER = 60
STEM = 3
GUIDANCE: dict[Band, str] = {
    "LOW": "Use a simpler, more direct question. Keep it brief.",
    "MEDIUM": "Deepen one specific detail that just emerged.",
    "HIGH": "Pick the richest element and probe deeply. Reference the specific detail.",
}


def facts(context: TurnView) -> tuple[str, ...]:
    """The newest of the points that were told and read with confidence, oldest first."""
    sure = [node.label for node in context.graph.live_nodes() if node.confidence >= SURE_FROM]
    return tuple(sure[-MOST_FACTS:])


def topic_lines(plan: Plan, state: GuidedState) -> tuple[TopicLine, ...]:
    """Every topic: whether it was had, how much of it is covered, what stands out of it."""
    lines = []
    for topic in plan.topics:
        budget = state.topic_budgets.get(topic.topic_id)
        had: TopicState = "done" if budget and budget.turns_used else "ahead"
        mean = state.topic_engagement_scores.get(topic.topic_id)
        lines.append(
            TopicLine(
                label=topic.label,
                state="now" if topic.order_index == state.topic_index else had,
                covered=len(state.topic_sub_goal_history.get(topic.topic_id, ())),
                of=len(topic.sub_goals),
                engagement=band_of(mean) if mean is not None else "",
                insight=state.topic_key_insights.get(topic.topic_id, ""),
            )
        )
    return tuple(lines)


def is_tired(answers: Sequence[str], language: str) -> bool:
    """Whether most of the last five answers gave little."""
    bands = [signal_of(answer, language).band for answer in answers[-LATEST:]]
    return bool(bands) and bands.count("LOW") / len(bands) >= TIRED_FROM


def style_of(answers: Sequence[str], language: str) -> Style:
    """How somebody answers: by length where it stands out, else by words that mark a register."""
    if not answers:
        return "plain"
    words = sum(len(answer.split()) for answer in answers) / len(answers)
    if words < BRIEF_UNDER:
        return "brief"
    if words > VERBOSE_OVER:
        return "verbose"
    said, marks = " ".join(answers), texts(language)
    formal, casual = (len(_marks(m).findall(said)) for m in (marks.formal, marks.casual))
    if formal == casual:
        return "plain"
    return "formal" if formal > casual else "casual"


def stems(asked: Sequence[str]) -> tuple[str, ...]:
    """The first three words of the last five questions, each once."""
    return tuple(dict.fromkeys(" ".join(text.split()[:STEM]) for text in asked[-LATEST:]))


@lru_cache(maxsize=16)
def _marks(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)

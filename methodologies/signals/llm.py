"""Signals rated on the respondent's answer by rubrics, the trend of its depth, and its leads.

All of it comes from one model call a turn, made with the preceding question; the rubrics stand in
`rubrics.md` beside this module. A signal is absent where its rating is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from methodologies.signals.base import Known, NodeView, SignalInputs, SignalWords, signal
from methodologies.signals.inputs import RATING_MAX, RATING_MIN

DEPTHS = ("surface", "shallow", "moderate", "deep")
TRENDS = ("deepening", "stable", "shallowing", "fatigued")
RUBRIC_KEYS = (
    "response_depth",
    "specificity",
    "certainty",
    "valence",
    "engagement",
    "intellectual_engagement",
)
_RUBRICS = Path(__file__).with_name("rubrics.md")
_HEADER = re.compile(r"^([a-z_]+): (.+)$")
_STEP = re.compile(r"^\s+([1-5]) = (.+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """A question put to the rater, and what each score from 1 to 5 means."""

    key: str
    question: str
    scale: tuple[str, str, str, str, str]


@lru_cache(maxsize=1)
def load_rubrics() -> tuple[Rubric, ...]:
    """Return the rubrics in the order of :data:`RUBRIC_KEYS`."""
    return parse_rubrics(_RUBRICS.read_text(encoding="utf-8"))


def parse_rubrics(text: str) -> tuple[Rubric, ...]:
    """Read rubrics: a `key: question` line at the margin, then indented lines `score = meaning`.

    Other lines are commentary. Raises ValueError unless there is exactly one rubric a key, each
    with five meanings in order.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if header := _HEADER.match(line):
            if header[1] in found:
                raise ValueError(f"rubric {header[1]} is there twice")
            current = []
            found[header[1]] = (header[2], current)
        elif step := _STEP.match(line):
            if int(step[1]) != len(current) + 1:
                raise ValueError(f"score {step[1]} is out of order: {line.strip()}")
            current.append(step[2])
    if set(found) != set(RUBRIC_KEYS):
        raise ValueError(f"expected rubrics {sorted(RUBRIC_KEYS)}, found {sorted(found)}")
    return tuple(_rubric(key, *found[key]) for key in RUBRIC_KEYS)


def _rubric(key: str, question: str, steps: list[str]) -> Rubric:
    if len(steps) != RATING_MAX:
        raise ValueError(f"rubric {key} has {len(steps)} meanings; expected {RATING_MAX}")
    one, two, three, four, five = steps
    return Rubric(key=key, question=question, scale=(one, two, three, four, five))


def depth_of(score: int) -> str:
    """The response depth that a rating from 1 to 5 stands for; 4 and 5 are both deep."""
    return DEPTHS[min(score, len(DEPTHS)) - 1]


def _ratio(inputs: SignalInputs, key: str) -> float | None:
    score = inputs.ratings.get(key)
    return None if score is None else (score - RATING_MIN) / (RATING_MAX - RATING_MIN)


@signal(
    name="llm.response_depth",
    kind="category",
    values=DEPTHS,
    ordinal={"surface": 0.0, "shallow": 0.25, "moderate": 0.5, "deep": 0.75},
    summary="How far the answer goes into its subject",
    words=SignalWords(
        name="depth",
        phrases={
            "surface": "surface answer",
            "shallow": "shallow answer",
            "moderate": "fairly rich answer",
            "deep": "rich answer",
        },
        clauses={
            "surface": "the answer stayed on the surface",
            "shallow": "the answer was short on reasons",
            "moderate": "the answer was fairly rich",
            "deep": "the answer was rich",
            "low": "the answer stayed on the surface",
            "mid": "the answer was fairly rich",
            "high": "the answer was rich",
        },
    ),
)
def response_depth(inputs: SignalInputs, known: Known) -> str | None:
    """Rating 1 surface, 2 shallow, 3 moderate, 4 and 5 deep; low, mid and high by (score − 1)/4."""
    score = inputs.ratings.get("response_depth")
    return None if score is None else depth_of(score)


@signal(
    name="llm.specificity",
    kind="ratio",
    summary="How concrete the answer is",
    words=SignalWords(
        name="specificity",
        clauses={
            "": "the answer was specific",
            "high": "the answer was specific",
            "low": "the answer was vague",
        },
    ),
)
def specificity(inputs: SignalInputs, known: Known) -> float | None:
    """(Rating − 1)/4: 0 wholly general, 1 particular persons, things, times."""
    return _ratio(inputs, "specificity")


@signal(
    name="llm.certainty",
    kind="ratio",
    summary="How sure the respondent sounds",
    words=SignalWords(
        name="certainty",
        clauses={
            "": "the respondent was sure",
            "high": "the respondent was sure",
            "low": "the respondent was unsure",
        },
    ),
)
def certainty(inputs: SignalInputs, known: Known) -> float | None:
    """(Rating − 1)/4: 0 guesses, 1 without doubt."""
    return _ratio(inputs, "certainty")


@signal(
    name="llm.valence",
    kind="ratio",
    summary="How favourable the feeling is",
    words=SignalWords(
        name="valence",
        clauses={
            "": "the answer was warm",
            "high": "the answer was warm",
            "low": "the answer was critical",
        },
    ),
)
def valence(inputs: SignalInputs, known: Known) -> float | None:
    """(Rating − 1)/4: 0 strongly negative, 0.5 neutral or mixed, 1 strongly positive."""
    return _ratio(inputs, "valence")


@signal(
    name="llm.engagement",
    kind="ratio",
    summary="How willingly the respondent takes part",
    words=SignalWords(
        name="engagement",
        phrases={"high": "engaged respondent", "low": "respondent losing interest"},
        clauses={
            "": "the respondent was engaged",
            "high": "the respondent was engaged",
            "mid": "the respondent was fairly engaged",
            "low": "the respondent was losing interest",
        },
    ),
)
def engagement(inputs: SignalInputs, known: Known) -> float | None:
    """(Rating − 1)/4: 0 wants to be done, 1 volunteers more than was asked."""
    return _ratio(inputs, "engagement")


@signal(
    name="llm.intellectual_engagement",
    kind="ratio",
    summary="How much the respondent reasons and weighs",
    words=SignalWords(
        name="reflection",
        clauses={
            "": "the respondent reflected on it",
            "high": "the respondent reflected on it",
            "low": "the respondent did not reflect much",
        },
    ),
)
def intellectual_engagement(inputs: SignalInputs, known: Known) -> float | None:
    """(Rating − 1)/4: 0 no reasoning, 1 reflects on causes, trade-offs and own values."""
    return _ratio(inputs, "intellectual_engagement")


@signal(
    name="llm.global_response_trend",
    kind="category",
    values=TRENDS,
    summary="Where the depth of the answers is heading",
    words=SignalWords(
        name="trend",
        clauses={
            "deepening": "answers have been getting deeper",
            "stable": "answers have been even",
            "shallowing": "answers have been getting shallower",
            "fatigued": "the respondent seems tired",
        },
    ),
)
def global_response_trend(inputs: SignalInputs, known: Known) -> str:
    """Least-squares slope of the last 4 depths (surface 0 … deep 3) and mean of the last 3.

    deepening from +0.3 a turn, else fatigued at a mean up to 0.5, else shallowing from −0.3,
    else stable; stable with fewer than 3 depths.
    """
    depths = [DEPTHS.index(depth) for depth in inputs.depth_history[-4:]]
    if len(depths) < 3:
        return "stable"
    slope = _slope(depths)
    if slope >= 0.3:
        return "deepening"
    if sum(depths[-3:]) / 3 <= 0.5:
        return "fatigued"
    return "shallowing" if slope <= -0.3 else "stable"


def _slope(ys: list[int]) -> float:
    """Least-squares slope over x = 0, 1, …; one division of integers, so that 3/10 is 0.3."""
    n, xs = len(ys), range(len(ys))
    cross = n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys)
    return cross / (n * sum(x * x for x in xs) - sum(xs) ** 2)


@signal(
    name="llm.node.lead",
    scope="node",
    kind="ratio",
    summary="How much the answer invites to follow it up",
    words=SignalWords(
        name="lead",
        phrases={"": "worth following up", "high": "the best lead of the answer"},
        clauses={
            "": "the answer invites to follow it up",
            "high": "nothing in the answer invites more to be followed up",
            "mid": "the answer invites to follow it up",
            "low": "the answer does not single it out",
        },
    ),
)
def lead(inputs: SignalInputs, at: NodeView) -> float:
    """1.0, 0.7, 0.4 for the first, second and third lead that its mention overlaps; else 0.

    Leads are the up to three stretches of the answer that the rating would follow. The answer is
    "I was late, and I felt small", its best lead "I felt small": the node "feel small" has 1.0, the
    node "being late" 0.
    """
    return at.lead


@signal(
    name="llm.node.disclaimed",
    scope="node",
    kind="bool",
    summary="The respondent played it down or denied it",
    words=SignalWords(
        name="played down",
        phrases={"true": "played down or denied", "false": "not played down"},
        clauses={
            "true": "the respondent played it down or denied it",
            "false": "the respondent has not played it down",
        },
        statements={
            "true": "The respondent played it down or denied it",
            "false": "The respondent has not played it down",
        },
    ),
)
def disclaimed(inputs: SignalInputs, at: NodeView) -> bool:
    """Whether an answer played it down, until the respondent comes back to it unasked.

    "It's only milk" makes it true for the node "milk"; it stays true when the next question is
    about milk, and becomes false when milk comes up in answer to a question about something else.
    """
    return at.disclaimed

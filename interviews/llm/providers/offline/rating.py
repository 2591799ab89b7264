"""Rate an answer on the six rubrics: its depth as the fitted reader sees it, the rest by counting.

Specificity: numbers, names, times, occasions, people. Certainty: hedges against firm words.
Valence: tone. Engagement: length, emphasis, feeling and volunteered detail. Intellectual
engagement: comparison, conditions, reflection and reasons.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from interviews.acts import Heard
from interviews.acts.rules import answering, heard_in
from interviews.llm.providers.offline.emptiness import emptiness
from interviews.llm.providers.offline.lexicon import hits, pattern, plain, words_of
from interviews.llm.providers.offline.reader.reading import depth
from interviews.llm.providers.offline.sentiment import tone
from interviews.llm.tasks.response_rating import (
    RESPONSE_RATING,
    Rating,
    RatingInputs,
    RatingOutput,
)

SHORT = 10
"""In words; an answer that does something else and says no more besides is no answer."""


def _count(name: str, text: str) -> int:
    return len(pattern(f"rating_{name}").findall(text))


def rate(inputs: RatingInputs) -> RatingOutput:
    """Rate one answer in the light of its question. The same inputs always give the same scores."""
    heard = heard_in(inputs.answer, inputs.language, inputs.question)
    said = inputs.answer
    if heard.act not in ("answer", "objects"):
        said = answering(said, inputs.language, inputs.question)
    text = plain(said)
    length = len(words_of(text))
    if emptiness(text) or (heard.act != "answer" and length <= SHORT):
        return _rate_empty(plain(inputs.answer), heard)
    reasons, examples, numbers = (_count(n, text) for n in ("reason", "example", "number"))
    abstract = len(hits(text, "values")) + len(hits(text, "manner")) + len(hits(text, "feelings"))
    names = len(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", inputs.answer))
    concrete = (
        examples + numbers + names + len(hits(text, "situations")) + len(hits(text, "people"))
    )
    return RatingOutput(
        response_depth=_depth(inputs, length, reasons, examples),
        specificity=_specificity(length, concrete),
        certainty=_certainty(text, length),
        valence=_valence(inputs.answer),
        engagement=_engagement(text, length, concrete),
        intellectual_engagement=_intellect(text, length, reasons, abstract),
        **dict(heard),
    )


def _rated(points: float, rationale: str) -> Rating:
    """Round points (1 is least, 5 most) to a score within the scale, halves upwards."""
    return Rating(score=max(1, min(5, int(points + 0.5))), rationale=rationale)


def _rate_empty(text: str, heard: Heard) -> RatingOutput:
    hedged = bool(_count("hedge", text)) or "don't know" in text
    nothing = Rating(score=1, rationale="nothing is said on the matter")
    return RatingOutput(
        response_depth=nothing,
        specificity=nothing,
        certainty=Rating(
            score=1 if hedged else 3, rationale="unsure" if hedged else "no claim made"
        ),
        valence=_valence(text),
        engagement=nothing,
        intellectual_engagement=nothing,
        **dict(heard),
    )


DEPTHS = (1.5, 2.45, 3.5, 4.5)
"""From these values of the reader on an answer is rated 2, 3, 4 and 5.

Halves, but that a reason counts from a little below: at 2.45 as many of 720 held-out answers are
rated 3 or more as coders rated so.
"""


def _depth(inputs: RatingInputs, length: int, reasons: int, examples: int) -> Rating:
    score = 1 + bisect_right(DEPTHS, depth(inputs.question, inputs.answer))
    seen = f"{length} words, {reasons} reasons or consequences, {examples} examples"
    return Rating(score=score, rationale=seen)


def _specificity(length: int, concrete: int) -> Rating:
    points = 1 + min(1.0, length / 25) + 0.7 * min(4, concrete)
    return _rated(points, f"{concrete} times, figures, people or occasions named")


def _certainty(text: str, length: int) -> Rating:
    hedges, firm = _count("hedge", text), _count("firm", text)
    density = hedges / max(1.0, length / 15)
    points = 3.6 - 1.3 * min(2.0, density) + 0.6 * min(2, firm)
    return _rated(points, f"{hedges} hedges, {firm} firm words")


def _valence(text: str) -> Rating:
    compound = tone(text)
    return _rated(3 + 2.2 * compound, f"tone {compound:+.2f}")


def _engagement(text: str, length: int, concrete: int) -> Rating:
    points = (
        1 + min(2.2, length / 18) + 0.4 * min(2, _count("emphasis", text)) + 0.3 * min(2, concrete)
    )
    points += 0.4 * bool(_count("told", text)) + 0.3 * (abs(tone(text)) > 0.5)
    return _rated(points, f"{length} words, own experience told" if concrete else f"{length} words")


def _intellect(text: str, length: int, reasons: int, abstract: int) -> Rating:
    reflections = _count("reflect", text)
    points = (
        1
        + 0.7 * min(2, reflections)
        + 0.6 * min(2, reasons)
        + 0.4 * min(2, abstract)
        + min(0.8, length / 50)
    )
    return _rated(points, f"{reflections} comparisons or reflections, {reasons} reasons")


RULES = {RESPONSE_RATING.name: rate}

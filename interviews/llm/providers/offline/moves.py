"""Which moves a strategy may make, read off its aim, its probes or its other words.

What a description asks for in so many words (the other pole, what came before, who took over) has
wordings of its own; other strategies are worded by the probes that they name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from graphs.language.tagging import Token, tokens
from interviews.llm.providers.offline.lexicon import hits, word_set, words_of
from interviews.llm.providers.offline.sentiment import polarity
from interviews.llm.tasks.questions import FocusInput, StrategyInput

LONGEST_PERSON = 3
"""In words; a longer label that ends on a person says something about them."""

_OF_PROBE = {
    "consequence": "consequence",
    "consequences": "consequence",
    "benefit": "consequence",
    "outcome": "consequence",
    "effect": "consequence",
    "impact": "consequence",
    "importance": "importance",
    "value": "importance",
    "motive": "importance",
    "reason": "importance",
    "relevance": "connection",
    "absence": "absence",
    "loss": "absence",
    "negative": "negative",
    "downside": "negative",
    "avoidance": "avoidance",
    "situation": "situation",
    "evoke_situation": "situation",
    "last_time": "situation",
    "occasion": "situation",
    "incident": "situation",
    "best_and_worst": "extremes",
    "extremes": "extremes",
    "turning_point": "extremes",
    "contrast": "contrast",
    "comparison": "contrast",
    "opposite": "contrast",
    "alternative": "contrast",
    "before_and_after": "before_after",
    "change": "before_after",
    "expectation": "before_after",
    "third_person": "third_person",
    "projective": "third_person",
    "meaning": "meaning",
    "clarification": "meaning",
    "clarify": "meaning",
    "concretise": "concretise",
    "detail": "concretise",
    "example": "concretise",
    "evidence": "concretise",
    "ground": "ground",
    "attribute": "ground",
    "feature": "ground",
    "source": "source",
    "cause": "source",
    "origin": "source",
    "broaden": "broaden",
    "broadening": "broaden",
    "another_aspect": "broaden",
    "other_occasions": "broaden",
    "other_solutions": "broaden",
    "connection": "connection",
    "sequence": "sequence",
    "next_step": "sequence",
    "step_by_step": "sequence",
    "obstacle": "obstacle",
    "workaround": "obstacle",
    "barrier": "obstacle",
    "switching": "switching",
    "feeling": "feelings",
    "feelings": "feelings",
    "emotion": "feelings",
    "reaction": "feelings",
    "other_people": "other_people",
    "summary": "summary",
    "correction": "summary",
    "missing_link": "summary",
    "reflect": "summary",
    "last_word": "last_word",
}

_OF_AIM: tuple[tuple[str, str], ...] = (
    (r"two of (?:the|these|those) three|two (?:of them )?are alike|\btriad", "triad_by"),
    (r"other pole|opposite pole|contrast pole", "pole"),
    (r"between the (?:two )?poles", "placement"),
    (r"what shows it|by what exactly they tell", "signs"),
    (r"order in which it happened|step by step", "account"),
    (r"follow .{0,20}\bon from|what they did next, whom", "next_step"),
    (r"what came before it|what led (?:up )?to it", "led_up"),
    (r"what exactly was done", "deeds"),
    (r"moment in which it turned", "turning"),
    (r"moment that decided", "moment_of_truth"),
    (r"who took over|passes from one", "handover"),
    (r"what came of it", "aftermath"),
    (r"did to the relationship", "relationship"),
    (r"made this count|stayed in the memory", "weight"),
    (r"what they have taken from it|do differently since", "lesson"),
    (r"went the other way", "other_way"),
    (r"other ways that they knew", "alternatives"),
    (r"how it would have gone without", "otherwise"),
)
"""What a description says that a strategy on a concept is after."""

_OF_TOPIC: tuple[tuple[str, str], ...] = (
    (r"another example of the kind|the ideal one", "elements"),
    (r"another occasion that went", "occasions"),
    (r"parts of the journey|stages of the journey", "journey_parts"),
    (r"occasions and circumstances|further circumstances", "circumstances"),
)
"""What a description says that a strategy on the subject as a whole is after."""

_OF_WORDS: tuple[tuple[str, str], ...] = (
    (r"absen|without it|missing if|take .* away|lose", "absence"),
    (r"last time|occasion|situation|incident|episode|what happened|remember", "situation"),
    (r"step by step|sequence|what came (?:first|next|before|after)|journey|next", "sequence"),
    (r"contrast|compar|alternative|opposite|differ|pole", "contrast"),
    (r"obstacle|in the way|difficult|goes wrong|pain|barrier|struggle", "obstacle"),
    (r"clarif|mean by|vague|exactly", "meaning"),
    (r"concret|come down|down from|rests on|ground|detail|example", "concretise"),
    (r"cause|origin|source|comes from|trace", "source"),
    (r"other people|others see|third|projective", "third_person"),
    (r"feel|emotion|mood", "feelings"),
    (r"why|matter|motiv|value|deep|ladder|important", "importance"),
    (r"consequen|leads to|gives them|result|benefit|outcome|impact", "consequence"),
    (r"connect|relat|link|isolated|orphan|bridge", "connection"),
    (r"new area|other aspects|broad|explor|discover|open", "broaden"),
    (r"sum up|summar|reflect|give back|synthes", "summary"),
)

_UPWARD = frozenset(
    ["consequence", "importance", "absence", "avoidance", "feelings", "other_people", "weight",
     "aftermath", "otherwise", "lesson", "lesson_usual"]
)  # fmt: skip
_WITH_EVENT = frozenset(
    ["consequence", "importance", "absence", "negative", "situation", "contrast", "third_person",
     "meaning", "obstacle", "feelings", "other_people", "concretise", "source", "avoidance"]
)  # fmt: skip
_WITH_PERSON = frozenset(
    ["consequence", "importance", "absence", "negative", "contrast", "third_person", "extremes",
     "before_after", "obstacle", "switching", "other_people", "avoidance", "source"]
)  # fmt: skip
_WITH_INNER = frozenset(["consequence", "absence", "contrast"])
_EVALUATED = {
    1: frozenset(["consequence", "absence", "other_people", "other_way"]),
    -1: frozenset(["consequence", "absence", "lesson", "other_way", "obstacle"]),
}
"""Moves that have wordings of their own for what is welcome, and for what is not."""
_AT_PRESENT = {
    "account": "usual",
    "next_step": "usual",
    "deeds": "usual",
    "led_up": "source",
    "turning": "extremes",
    "aftermath": "consequence",
    "otherwise": "absence",
    "weight": "importance",
    "lesson": "lesson_usual",
    "relationship": "relationship_usual",
}
"""Moves that speak of an event, and how they are made where something holds in general."""
_OF_FEELING = {
    "importance": "stirred",
    "importance_event": "stirred_event",
    "weight": "stirred_event",
}
"""Moves that ask for the worth of something, and how they are made of what is none."""
_BESIDE_DRAWBACK = frozenset(["negative", "avoidance"])
"""Asking for the drawback of what is a drawback already makes no sense."""


def moves_of(strategy: StrategyInput, focus: FocusInput | None) -> tuple[str, ...]:
    """Return the moves to choose from, best first; never empty.

    Without a focus, or with the topic as one, the moves open the subject further. At a terminal
    concept nothing asks why it matters: it matters for its own sake. What happened once, and a
    person, are asked about in other words than a lasting property.
    """
    if strategy.focus_mode == "summary":
        return ("summary",)
    if focus is None or strategy.focus_mode == "topic":
        return tuple(_aims(strategy, _OF_TOPIC)) or ("broaden",)
    named = [_OF_PROBE[p] for p in strategy.probes if p in _OF_PROBE]
    moves = list(dict.fromkeys(_aims(strategy, _OF_AIM) or named or _from_words(strategy)))
    if focus.terminal:
        moves = [m for m in moves if m not in _UPWARD] or ["everyday"]
        if "everyday" not in moves:
            moves.append("everyday")
    if focus.level == 1:  # what is compared, rather than what it is compared by
        moves = ["triad" if move == "triad_by" else move for move in moves]
    return tuple(dict.fromkeys(_fitting(moves, focus)))


def _fitting(moves: Sequence[str], focus: FocusInput) -> Sequence[str]:
    """Return the moves in the form that suits what the focus is: a person, an event, a drawback."""
    if is_person(focus.label):
        return ["person" if m in _WITH_PERSON else m for m in moves]
    tense, side = tense_of(focus), _side(focus)
    form = "welcome" if side > 0 else "negative"
    if tense == "past":
        moves = [f"{m}_event" if m in _WITH_EVENT else m for m in moves]
    elif tense == "present":
        moves = [_AT_PRESENT.get(m, m) for m in moves]
    if tense != "past" and focus.stance < 0:
        moves = [m for m in moves if m not in _BESIDE_DRAWBACK] or ["consequence"]
    elif tense != "past" and _is_inner(focus.label):
        moves = [f"{m}_inner" if m in _WITH_INNER else m for m in moves]
    if side < 0 or _is_upset(focus):
        moves = [_OF_FEELING.get(m, m) for m in moves]
    return [f"{m}_{form}" if m in _EVALUATED.get(side, ()) else m for m in moves]


def _side(focus: FocusInput) -> int:
    """Return 1 for what is welcome and -1 for what is not, 0 where words and stance do not agree.

    To ask for the benefit of a trouble is worse than to ask what came of it.
    """
    return focus.stance if polarity(focus.quote or focus.label) == focus.stance else 0


def _is_inner(label: str) -> bool:
    """Whether a concept is a feeling, a way of being or a value rather than a thing or an act."""
    return any(hits(label, name) for name in ("feelings", "manner", "values"))


def _is_upset(focus: FocusInput) -> bool:
    """Whether a concept is what somebody was shaken by, or a feeling that they would rather not."""
    unwelcome = focus.stance < 0 and bool(hits(focus.label, "feelings"))
    return unwelcome or bool(hits(focus.label, "upsets") and not hits(focus.label, "negations"))


def is_person(label: str) -> bool:
    """Whether a concept is nothing but a person or a group of people: "my husband", "the staff"."""
    said = words_of(label)
    return 0 < len(said) <= LONGEST_PERSON and said[-1] in word_set("people")


def tense_of(focus: FocusInput) -> Literal["past", "present", ""]:
    """Return whether a concept tells what happened or what holds, "" where it has no finite verb.

    One verb in the present makes it a statement about what holds.
    """
    found = tokens(focus.quote or focus.label)
    finite = {_finite(found, i) for i in range(len(found))}
    return "present" if "present" in finite else "past" if "past" in finite else ""


def _finite(found: Sequence[Token], i: int) -> Literal["past", "present", ""]:
    """Return "past" or "present" for a finite verb, "" for any other word.

    A participle counts as past where it follows its subject at once, as taggers read "I paid".
    """
    if found[i].tag in {"VBZ", "VBP", "MD"}:
        return "present"
    after_subject = i > 0 and found[i - 1].tag in {"PRP", "NNP"}
    return "past" if found[i].tag == "VBD" or (found[i].tag == "VBN" and after_subject) else ""


def _aims(strategy: StrategyInput, aims: Sequence[tuple[str, str]]) -> list[str]:
    said = strategy.description.lower()
    return [move for telling, move in aims if re.search(telling, said)][:1]


def _from_words(strategy: StrategyInput) -> Sequence[str]:
    text = f"{strategy.name.replace('_', ' ')} {strategy.description}".lower()
    found = [move for pattern, move in _OF_WORDS if re.search(pattern, text)]
    return [m for m in found if m not in {"summary", "broaden"}] or ["consequence"]

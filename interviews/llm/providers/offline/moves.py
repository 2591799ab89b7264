"""Which moves a strategy may make, read off its probes or, without any, off its description."""

from __future__ import annotations

import re
from collections.abc import Sequence

from interviews.llm.providers.offline.lexicon import hits
from interviews.llm.tasks.questions import FocusInput, StrategyInput

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
    ["consequence", "importance", "absence", "avoidance", "feelings", "other_people"]
)
_WITH_NEGATIVE = frozenset(["consequence", "absence"])
_WITH_INNER = frozenset(["consequence", "absence", "contrast"])
_BESIDE_DRAWBACK = frozenset(["negative", "avoidance"])
"""Asking for the drawback of what is a drawback already makes no sense."""


def moves_of(strategy: StrategyInput, focus: FocusInput | None) -> tuple[str, ...]:
    """Return the moves to choose from, best first; never empty.

    Without a focus, or with the topic as one, the moves broaden. At a terminal concept nothing asks
    why it matters: it matters for its own sake.
    """
    if strategy.focus_mode == "summary":
        return ("summary",)
    if focus is None or strategy.focus_mode == "topic":
        return ("broaden",)
    named = [_OF_PROBE[p] for p in strategy.probes if p in _OF_PROBE]
    moves = list(dict.fromkeys(named or _from_words(strategy)))
    if focus.terminal:
        moves = [m for m in moves if m not in _UPWARD] or ["everyday"]
        if "everyday" not in moves:
            moves.append("everyday")
    if focus.stance < 0:
        moves = [m for m in moves if m not in _BESIDE_DRAWBACK] or ["consequence"]
        return tuple(f"{m}_negative" if m in _WITH_NEGATIVE else m for m in moves)
    if _is_inner(focus.label):
        return tuple(f"{m}_inner" if m in _WITH_INNER else m for m in moves)
    return tuple(moves)


def _is_inner(label: str) -> bool:
    """Whether a concept is a feeling, a way of being or a value rather than a thing or an act."""
    return any(hits(label, name) for name in ("feelings", "manner", "values"))


def _from_words(strategy: StrategyInput) -> Sequence[str]:
    text = f"{strategy.name.replace('_', ' ')} {strategy.description}".lower()
    found = [move for pattern, move in _OF_WORDS if re.search(pattern, text)]
    return [m for m in found if m not in {"summary", "broaden"}] or ["consequence"]

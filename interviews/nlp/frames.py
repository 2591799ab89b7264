"""Predicate frames of an answer, read off its part-of-speech chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphs.language.lemmas import table_lemma
from graphs.language.tagging import Token, tokens
from interviews.nlp.clauses import clauses


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateFrame:
    """A predicate and what goes with it; None for what the clause does not have."""

    predicate: str
    nsubj: str | None = None
    dobj: str | None = None
    xcomp: str | None = None
    obl: str | None = None
    negation: bool = False


_AUXILIARIES = frozenset(
    [
        "be",
        "am",
        "is",
        "are",
        "was",
        "were",
        "been",
        "being",
        "'s",
        "'m",
        "'re",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "'ve",
        "'d",
        "'ll",
        "will",
        "would",
        "can",
        "could",
        "should",
        "may",
        "might",
        "must",
        "shall",
        "get",
        "got",
        "ca",
        "wo",
    ]
)
_NOUNISH = ("NN", "PRP", "DT", "JJ", "CD", "PRP$", "VBN", "POS")
_COPULAS = frozenset(
    [
        "be",
        "is",
        "are",
        "was",
        "were",
        "'s",
        "'m",
        "'re",
        "am",
        "feel",
        "feels",
        "felt",
        "get",
        "gets",
        "got",
    ]
)


def frames_by_rule(text: str) -> tuple[PredicateFrame, ...]:
    """Return a frame for each verb group of each clause, read off its part-of-speech chunks."""
    return tuple(
        frame for clause in clauses(text) if (frame := _frame_of(tokens(clause.text))) is not None
    )


def _frame_of(words: Sequence[Token]) -> PredicateFrame | None:
    first = next((i for i, w in enumerate(words) if w.tag.startswith(("VB", "MD"))), None)
    if first is None:
        return None
    last = first
    while last + 1 < len(words) and (
        words[last + 1].tag.startswith(("VB", "RB")) or words[last + 1].lower in {"n't", "not"}
    ):
        last += 1
    group = words[first : last + 1]
    verbs = [w for w in group if w.tag.startswith(("VB", "MD"))]
    main = next((w for w in reversed(verbs) if w.lower not in _AUXILIARIES), verbs[-1])
    objects, infinitive, oblique = _after_verb(words, last + 1)
    copular = main.lower in _COPULAS
    return PredicateFrame(
        predicate="be" if main.lower in {"'s", "'m", "'re"} else table_lemma(main.text),
        nsubj=_phrase(words, 0, first),
        dobj=None if copular else objects,
        xcomp=objects if copular else infinitive,
        obl=oblique,
        negation=any(w.lower in {"n't", "not", "never"} for w in group),
    )


def _after_verb(words: Sequence[Token], start: int) -> tuple[str | None, str | None, str | None]:
    """Return the object or complement, the infinitive and the prepositional phrase."""
    end = start
    while end < len(words) and words[end].tag.startswith((*_NOUNISH, "RB")):
        end += 1
    infinitive = oblique = None
    for i in range(end, len(words) - 1):
        follows_verb = words[i + 1].tag.startswith("VB")
        if words[i].lower == "to" and follows_verb and infinitive is None:
            infinitive = _joined(words[i + 1 :])
            break
        if words[i].tag in {"IN", "TO"} and oblique is None:
            stop = i + 1
            while stop < len(words) and words[stop].tag.startswith(_NOUNISH):
                stop += 1
            oblique = _joined(words[i:stop]) if stop > i + 1 else None
    return _joined(words[start:end]), infinitive, oblique


def _phrase(words: Sequence[Token], start: int, end: int) -> str | None:
    while end > start and not words[end - 1].tag.startswith(_NOUNISH):
        end -= 1
    begin = end
    while begin > start and words[begin - 1].tag.startswith(_NOUNISH):
        begin -= 1
    return _joined(words[begin:end])


def _joined(words: Sequence[Token]) -> str | None:
    return " ".join(w.text for w in words).replace(" n't", "n't").replace(" '", "'") or None

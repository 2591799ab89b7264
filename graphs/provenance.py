"""Where a relation comes from: said in so many words, given in answer to a question, or inferred.

A relation is as good as its evidence. `stated`: its quote holds both ends. `answer_to_probe`: the
question named one end and the answer the other; then question and answer together are the evidence.
`inferred`: whatever else a reader proposes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar
from uuid import UUID

from graphs.domain import Provenance, fold
from graphs.language.words import tokenize
from graphs.matching.lexicon import english

Key = TypeVar("Key", str, UUID)
Stretch = tuple[int, int]
"""Characters of the answer, end exclusive."""

NAMED = 2 / 3
"""Share of the content lemmas of a label from which a text names it."""
MOSTLY = 0.5
"""Share of an end's stretch from which a quote that covers it holds it."""
STRENGTH: tuple[Provenance, ...] = ("inferred", "answer_to_probe", "stated")


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """One end of a relation.

    `words` are its label and what was quoted for it before, `said` its stretches of this answer,
    `asked` whether the question was about it.
    """

    words: tuple[str, ...]
    said: tuple[Stretch, ...] = ()
    asked: bool = False


def provenance_of(
    source: End, target: End, *, answer: str, quote: Stretch, question: str
) -> Provenance:
    """Return where a relation between two ends comes from; `quote` is its stretch of `answer`."""
    if _holds(quote, source, answer) and _holds(quote, target, answer):
        return "stated"
    for asked, answered in ((source, target), (target, source)):
        if answered.said and (asked.asked or names(question, asked.words)):
            return "answer_to_probe"
    return "inferred"


def strongest(found: Iterable[Provenance | None]) -> Provenance | None:
    """Return the best evidence that a relation's mentions give, None where none says any."""
    known = [one for one in found if one is not None]
    return max(known, key=STRENGTH.index, default=None)


def by_edge(evidence: Iterable[tuple[Key | None, Provenance | None]]) -> dict[Key, Provenance]:
    """Return the strongest of what mentions say of each edge, as (edge id, provenance).

    Mentions of nodes have no edge id, and edges of which none says anything are left out.
    """
    best: dict[Key, Provenance] = {}
    for edge_id, found in evidence:
        if edge_id is not None and (stronger := strongest((best.get(edge_id), found))):
            best[edge_id] = stronger
    return best


def names(text: str, words: Iterable[str]) -> bool:
    """Whether `text` names what goes by these words: one of them as it is, or most of its lemmas.

    Words that say little by themselves ("really", "thing") count only where there are no others.
    """
    folded = fold(text)
    return any(
        fold(one) in folded or _share(_lemmas(one), _lemmas(text)) >= NAMED for one in words if one
    )


def _holds(quote: Stretch, end: End, answer: str) -> bool:
    start, stop = quote
    if end.said:
        return any(
            min(stop, its_stop) - max(start, its_start) >= MOSTLY * (its_stop - its_start)
            for its_start, its_stop in end.said
        )
    return names(answer[start:stop], end.words)


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=4096)
def _lemmas(text: str) -> frozenset[str]:
    lexicon = english()
    every = {word.lemma for word in tokenize(text) if word.text.isalnum()}
    return frozenset(
        {lemma for lemma in every if not lexicon.is_marker("light", (lemma,))} or every
    )

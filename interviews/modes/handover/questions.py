"""Questions of a backlog: what they are, which are one, which comes first."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from graphs.language.vectors import Vector

Priority = Literal["P0", "P1"]
Origin = Literal["FILE", "GLOBAL", "FOLLOW_UP"]
Prefix = Literal["file", "global", "followup", "discovered"]

SAME = 0.85
"""From this cosine similarity on, two questions ask for one thing."""

Embed = Callable[[Sequence[str]], Sequence[Vector]]
_FIRST = {"contradiction": 0, "gap": 1, "threshold": 2, "formula": 3, "decision": 4}


def question_id(prefix: Prefix, what: str) -> str:
    """An id that is the same for the same thing: the prefix and 8 hex digits."""
    return f"{prefix}-{hashlib.sha256(what.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question before it is stored.

    `about` names what it asks about; `key` is what tells it from others, without the wording that
    questions share. `kind` is that of its finding, `refs` number its findings, `reference` are
    their places.
    """

    id: str
    text: str
    about: str
    key: str
    kind: str
    priority: Priority
    origin: Origin
    refs: tuple[int, ...] = ()
    reference: tuple[Mapping[str, Any], ...] = ()
    status: str = "OPEN"
    answer: str = ""

    def answered_by(self, citation: str) -> Draft:
        """The question, closed by what a file says."""
        return replace(self, status="ANSWERED_BY_FILES", answer=citation)


def merged(drafts: Sequence[Draft], *, embed: Embed) -> list[Draft]:
    """Each thing asked once, contradictions and gaps first, then P0 before P1.

    Of two questions about one thing (cosine ≥ 0.85, and no different values) the one of higher
    priority is kept, with the places of both.
    """
    ordered = sorted(drafts, key=lambda d: (d.priority, _FIRST.get(d.kind, len(_FIRST))))
    kept: list[Draft] = []
    vectors: list[Vector] = []
    for draft, vector in zip(ordered, embed([d.key for d in ordered]), strict=True):
        there = (at for at, one in enumerate(kept) if one.id == draft.id)
        near = next(there, None)
        near = _nearest(vector, vectors) if near is None else near
        if near is not None and _may_be_one(kept[near], draft):
            more = tuple(place for place in draft.reference if place not in kept[near].reference)
            kept[near] = replace(
                kept[near],
                reference=(*kept[near].reference, *more),
                refs=tuple(dict.fromkeys((*kept[near].refs, *draft.refs))),
            )
            continue
        kept.append(draft)
        vectors.append(vector)
    return kept


def _nearest(vector: Vector, others: Sequence[Vector]) -> int | None:
    """Which of the others means the same, None where none does."""
    if not others:
        return None
    cosines = np.einsum("rd,d->r", np.stack(others), vector)
    best = int(cosines.argmax())
    return best if cosines[best] >= SAME else None


def _may_be_one(one: Draft, other: Draft) -> bool:
    """Whether nothing tells them apart: a high cosine alone does not see a number."""
    return one.id == other.id or _digits(one.key) == _digits(other.key)


def _digits(text: str) -> list[str]:
    return [part for part in "".join(c if c.isdigit() else " " for c in text).split() if part]

"""Choose a node type for a statement from what the ontology says about its types.

Three sources speak for a type: its cues (found in the label or around it), its examples, and its
description, read as kinds of statement (a feature, a feeling, an aim …) and compared with the kinds
that the statement's wording shows. No type is known by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from interviews.llm.providers.offline.lexicon import (
    facet_words,
    lemmas,
    overlap,
    phrase_pattern,
    plain,
    words_of,
)
from interviews.llm.tasks.extraction import NodeTypeInput

CUE_IN_LABEL = 0.8
CUE_AROUND = 0.35
PER_FURTHER_WORD = 0.35
FACET_WEIGHT = 1.6
EXAMPLE_WEIGHT = 1.2
LADDER_WEIGHT = 0.35

AT_HOME = 0.3
"""From this weight on a type's name or description speaks of a kind of statement."""

# What a kind of statement counts as where the ontology has no place of its own for it.
_NEXT_TO = {
    "manner": "value",
    "action": "outcome",
    "feature": "solution",
    "solution": "feature",
    "person": "feeling",
}

# Where a kind of statement usually stands between the concrete (0) and the abstract end (1).
_HEIGHT = {
    "feature": 0.0,
    "solution": 0.05,
    "situation": 0.1,
    "person": 0.2,
    "action": 0.2,
    "problem": 0.3,
    "outcome": 0.35,
    "goal": 0.45,
    "feeling": 0.6,
    "manner": 0.8,
    "lesson": 1.0,
    "loyalty": 1.0,
    "value": 1.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A node type, ready for scoring. `height` in [0, 1] is its place on the ladder."""

    name: str
    cues: re.Pattern[str] | None
    examples: tuple[frozenset[str], ...]
    facets: Mapping[str, float]
    height: float | None


@lru_cache(maxsize=64)
def profiles(types: tuple[NodeTypeInput, ...]) -> tuple[Profile, ...]:
    """Prepare the types of an ontology, in the order given."""
    levels = sorted({t.level for t in types if t.level is not None})
    return tuple(
        Profile(
            name=t.name,
            cues=phrase_pattern(t.cues) if t.cues else None,
            examples=tuple(lemmas(example) for example in t.examples),
            facets=_type_facets(t),
            height=None
            if t.level is None or len(levels) < 2
            else levels.index(t.level) / (len(levels) - 1),
        )
        for t in types
    )


def _type_facets(node_type: NodeTypeInput) -> Mapping[str, float]:
    """Weigh the kinds of statement that a type's name (twice) and description speak of."""
    name = words_of(node_type.name.replace("_", " "))
    words = [*name, *name, *words_of(node_type.description)]
    counts = {
        facet: sum(1 for word in words if word in speaking)
        for facet, speaking in facet_words().items()
    }
    if node_type.terminal:
        counts["value"] = counts.get("value", 0) + 1
    total = sum(count * count for count in counts.values()) ** 0.5
    return {facet: count / total for facet, count in counts.items() if count} if total else {}


def housed(facets: Mapping[str, float], types: Sequence[Profile]) -> dict[str, float]:
    """Return `facets` with each kind that no type speaks of turned into the kind next to it."""
    spoken_of = {facet for t in types for facet in t.facets}
    found: dict[str, float] = {}
    for facet, weight in facets.items():
        home = facet
        if max((t.facets.get(facet, 0.0) for t in types), default=0.0) < AT_HOME:
            home = _NEXT_TO.get(facet, facet)
        if facet == home and facet not in spoken_of:
            continue
        found[home] = found.get(home, 0.0) + weight
    return found


def type_scores(
    types: Sequence[Profile], *, label: str, context: str, facets: Mapping[str, float]
) -> dict[str, float]:
    """Return how much speaks for each type, at least 0, by name.

    `context` is the clause with the connective before it; `facets` weigh the kinds of statement.
    """
    norm = sum(weight * weight for weight in facets.values()) ** 0.5 or 1.0
    height = _height(facets)
    return {t.name: max(0.0, _score(t, label, context, facets, norm, height)) for t in types}


def _score(
    profile: Profile,
    label: str,
    context: str,
    facets: Mapping[str, float],
    norm: float,
    height: float | None,
) -> float:
    score = (
        FACET_WEIGHT
        * sum(weight * profile.facets.get(facet, 0.0) for facet, weight in facets.items())
        / norm
    )
    score += _cue_score(profile.cues, label, context)
    said = lemmas(label)
    score += EXAMPLE_WEIGHT * max((overlap(said, e) for e in profile.examples), default=0.0)
    if height is not None and profile.height is not None:
        score += LADDER_WEIGHT * (1.0 - 2.0 * abs(height - profile.height))
    return score


def _cue_score(cues: re.Pattern[str] | None, label: str, context: str) -> float:
    """The longest cue in the label counts most, further ones and those around it a little."""
    if cues is None:
        return 0.0
    within = sorted((len(m.group().split()) for m in cues.finditer(plain(label))), reverse=True)
    around = sorted((len(m.group().split()) for m in cues.finditer(plain(context))), reverse=True)
    score = 0.0
    if within:
        score += CUE_IN_LABEL + PER_FURTHER_WORD * (within[0] - 1) + 0.2 * min(2, len(within) - 1)
    if around and len(around) > len(within):
        score += CUE_AROUND + PER_FURTHER_WORD * (around[0] - 1) * 0.6
    return score


def _height(facets: Mapping[str, float]) -> float | None:
    known = {facet: weight for facet, weight in facets.items() if facet in _HEIGHT}
    total = sum(known.values())
    if not total:
        return None
    return sum(_HEIGHT[facet] * weight for facet, weight in known.items()) / total

"""What is compared, and what comes of it: labels, comparisons of pairs, a place in a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphs.domain import MatchTier
from graphs.language.vectors import Vector
from graphs.matching.alignment import Features

DOUBTFUL = 0.25
NEAR = 0.72
"""Probability and cosine from which a pair that is not merged is worth asking a model about."""
SURFACE_SIMILARITY = 0.80
"""Cosine from which two labels that are read together are one if that is at all possible."""
DISTANT = 0.60
"""Cosine below which a merge by judgement or reading is doubtful."""

Nearest = Callable[[Sequence[tuple[str, Vector]], int], list[list[tuple[str, float]]]]
"""(node type, unit vector) queries and k → per query the k nearest stored nodes and cosines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A concept to be matched; `stance` is -1, 0 or 1."""

    text: str
    node_type: str
    stance: int = 0
    quote: str = ""


Compared = tuple[Label, Label, float]
"""Two labels of one type that are not equal, and the cosine of their embeddings."""


class PairJudge(Protocol):
    """Reads pairs of labels together; see :class:`graphs.matching.pairing.PairReader`."""

    @property
    def threshold(self) -> float:
        """The probability from which two labels are one concept."""

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        """Return how probable it is that the labels of each pair are one concept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Whether two labels are one concept.

    `similarity` is 1 for the exact tier, the Jaccard index for the lexical, else the cosine.
    `probability` is that of the network that read both, else the fitted judgement's, in [0, 1]; 1
    for the other tiers, 0 behind a veto that was looked for. `doubtful` says that a model should
    decide: a merge below cosine DISTANT, or none from probability DOUBTFUL or cosine NEAR on.
    """

    merge: bool
    tier: MatchTier | None
    similarity: float
    veto: str | None = None
    probability: float = 0.0
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Where a new label belongs.

    `node_id` is the node it is a mention of; else `same_as` is the index of an earlier label of
    the same call that it repeats; else it is new. `vector` is its embedding where one was needed.
    `veto` says why the nearest node was refused, `nearly` names a node that a model may be asked
    about, `doubtful` marks a merge that a model may be asked about.
    """

    node_id: str | None = None
    same_as: int | None = None
    tier: MatchTier | None = None
    similarity: float = 0.0
    veto: str | None = None
    vector: Vector | None = None
    nearly: str | None = None
    doubtful: bool = False


def compared_by(cosine: float, probability: float, threshold: float) -> Comparison:
    """Return the comparison of a pair that rules and lexicon leave open."""
    merge = probability >= threshold
    return Comparison(
        merge=merge,
        tier="embedding" if merge else None,
        similarity=cosine,
        probability=probability,
        doubtful=cosine < DISTANT if merge else probability >= DOUBTFUL or cosine >= NEAR,
    )

"""Fitting the judgement of label matching to labelled pairs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphs.language.vectors import Embedder
from graphs.matching import Label, Matcher
from graphs.matching.judgement import FILE, Judgement, fit
from graphs.matching.lexicon import english

LEFT_OUT = 5
"""Every fifth domain is left out of all fitting, to see what matching is worth there."""
NEIGHBOUR_COUNT = 0.3
"""What a pair of neighbouring labels counts for in fitting, against 1 for a labelled pair."""
THRESHOLDS = {"with_wordnet": 0.83, "without_wordnet": 0.85}
"""Probability from which a judgement merges where nothing reads the labels together: precision 0.96
or more on the development sets.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two labels of one node type, and whether an analyst takes them for one concept."""

    domain: str
    node_type: str
    a: str
    b: str
    same: bool

    @property
    def labels(self) -> tuple[Label, Label]:
        """Both labels, ready to be compared."""
        return (
            Label(text=self.a, node_type=self.node_type),
            Label(text=self.b, node_type=self.node_type),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A pair with what the judgement sees of it, and whether the rules leave it anything."""

    pair: Pair
    values: tuple[float, ...]
    left_open: bool
    count: float


def examples(pairs: Sequence[Pair], count: float, matcher: Matcher) -> list[Example]:
    """What the judgement sees of labelled pairs that count for `count` each."""
    found = [(pair, matcher.features(pair.a, pair.b)) for pair in pairs]
    return [
        Example(
            pair=pair,
            values=features.values(),
            left_open=not features.particular and matcher.conflict(pair.a, pair.b) is None,
            count=count,
        )
        for pair, features in found
    ]


def fitted(seen: Sequence[Example], threshold: float) -> Judgement:
    """Fit a judgement to the examples that no rule decides."""
    open_ones = [example for example in seen if example.left_open]
    return fit(
        [example.values for example in open_ones],
        [example.pair.same for example in open_ones],
        [example.count for example in open_ones],
        threshold=threshold,
    )


def domains_left_out(pairs: Iterable[Pair]) -> frozenset[str]:
    """The domains of all labelled pairs that nothing is fitted to."""
    return frozenset(sorted({pair.domain for pair in pairs})[::LEFT_OUT])


def refit(
    pairs: Sequence[Pair],
    neighbours: Sequence[Pair],
    read_off: Sequence[Pair],
    embedder: Embedder,
) -> dict[str, Any]:
    """Fit both judgements, with WordNet and without, as the document that ships.

    `pairs` were written, `neighbours` lie next to one another in a domain, `read_off` are labels
    that the offline reader gave to answers.
    """
    document: dict[str, Any] = {
        "source": (
            f"Ridge-penalised logistic regression on {len(pairs)} labelled pairs, "
            f"{len(neighbours)} pairs of neighbouring labels and {len(read_off)} of labels read "
            "off answers, of this project's tests; made by "
            "interviews.bench.matching.write_judgement()"
        )
    }
    for name, threshold in THRESHOLDS.items():
        lexicon = english()
        if name == "without_wordnet":
            lexicon = replace(lexicon, wordnet=None)
        matcher = Matcher(embedder, lexicon=lexicon, judgement=_UNFITTED)
        seen = [
            *examples(pairs, 1.0, matcher),
            *examples(neighbours, NEIGHBOUR_COUNT, matcher),
            *examples(read_off, 1.0, matcher),
        ]
        judgement = fitted(seen, threshold)
        document[name] = {
            "threshold": judgement.threshold,
            "bias": round(judgement.bias, 4),
            "weights": {name: round(weight, 4) for name, weight in judgement.weights.items()},
        }
    return document


def write(document: dict[str, Any]) -> None:
    """Put a fitted document in the place of the one that ships."""
    FILE.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


_UNFITTED = Judgement(weights={}, bias=0.0, threshold=1.0)

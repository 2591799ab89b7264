"""Fitting the judgement of label matching to labelled pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.language.wordnet import shared_wordnet
from graphs.matching import Matcher
from graphs.matching.judgement import FILE, Judgement, fit
from graphs.matching.lexicon import english
from interviews.training.course import Progress
from interviews.training.errors import LabelsUnusable
from interviews.training.labelled_pairs import Pair, judgement_sets, labelled_sets

NEIGHBOUR_COUNT = 0.3
"""What a pair of neighbouring labels counts for in fitting, against 1 for a labelled pair."""
THRESHOLDS = {"with_wordnet": 0.83, "without_wordnet": 0.85}
"""Probability from which a judgement merges where nothing reads the labels together: precision 0.96
or more on the development sets.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedPair:
    """A pair with what the judgement sees of it, and whether the rules leave it anything."""

    pair: Pair
    values: tuple[float, ...]
    left_open: bool
    count: float


def examples(pairs: Sequence[Pair], count: float, matcher: Matcher) -> list[WeighedPair]:
    """What the judgement sees of labelled pairs that count for `count` each."""
    found = [(pair, matcher.features(pair.a, pair.b)) for pair in pairs]
    return [
        WeighedPair(
            pair=pair,
            values=features.values(),
            left_open=not features.particular and matcher.conflict(pair.a, pair.b) is None,
            count=count,
        )
        for pair, features in found
    ]


def fitted(seen: Sequence[WeighedPair], threshold: float) -> Judgement:
    """Fit a judgement to the examples that no rule decides."""
    open_ones = [example for example in seen if example.left_open]
    return fit(
        [example.values for example in open_ones],
        [example.pair.same for example in open_ones],
        [example.count for example in open_ones],
        threshold=threshold,
    )


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
            "off answers, of this project; made by manage.py fit judgement"
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


def write(progress: Progress) -> None:
    """Fit both judgements to the labelled pairs, in the place of those that ship.

    Raises LabelsUnusable where WordNet is not installed.
    """
    if shared_wordnet() is None:
        raise LabelsUnusable("the judgement cannot be fitted: WordNet is not installed")
    document = refit(*judgement_sets(labelled_sets()), shared_embedder())
    progress(document["source"])
    FILE.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


_UNFITTED = Judgement(weights={}, bias=0.0, threshold=1.0)

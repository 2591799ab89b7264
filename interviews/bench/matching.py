"""How well labels are matched: precision and recall on labelled pairs, with intervals.

Every fifth domain is left out of all fitting and measured here; the lexicon and the rules were
written with some of them in view. A held-out set, where there is one, was labelled after everything
was frozen, in domains of its own; of it only counts are reported, so that nobody is led to tune the
rules on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.language.wordnet import shared_wordnet
from graphs.matching import (
    DOUBTFUL,
    LEXICAL_THRESHOLD,
    READ_FROM,
    Comparison,
    Matcher,
    SharedReader,
)
from graphs.matching.judgement import shipped
from interviews.bench.statistics import figure, wilson
from interviews.training.labelled_pairs import (
    DATA,
    FOR_NETWORK,
    NEIGHBOURS,
    READ_OFF,
    WRITTEN,
    Pair,
    domains_left_out,
    labelled_sets,
    read_pairs,
)

HELD_OUT = Path("tests") / "data" / "pairs_held_out.tsv"
TARGET_PRECISION, TARGET_RECALL = 0.97, 0.75
COSINE_ALONE = 0.80
"""The cosine from which the plain comparison merges that is reported beside."""
FAR, NEAR = 0.5, COSINE_ALONE
"""A paraphrase below the one cosine, or a different pair from the other on, counts as hard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A pair with the matcher's comparison and the cosine of its labels."""

    pair: Pair
    comparison: Comparison
    cosine: float


def bench_matching(
    embedder: Embedder | None = None, folder: Path = DATA, held_out: Path | None = None
) -> dict[str, Any]:
    """Return precision, recall and F1 of what nothing was fitted to, with the conditions.

    `folder` holds the labelled sets. `held_out`, by default that of the project's tests, may be
    missing and is None then. Raises LabelsUnusable where a set is missing or cannot be read.
    """
    reader = None if embedder else SharedReader()
    embedder = embedder or shared_embedder(settings.EMBEDDING_MODEL)
    held_out = held_out or Path(settings.BASE_DIR) / HELD_OUT
    matcher = Matcher(embedder, reader=reader)
    sets = labelled_sets(folder)
    left_out = domains_left_out(pair for pairs in sets.values() for pair in pairs)
    fresh = {
        file: judge([pair for pair in pairs if pair.domain in left_out], matcher, embedder)
        for file, pairs in sets.items()
    }
    written = [judged for file in (WRITTEN, FOR_NETWORK) for judged in fresh[file]]
    judgement = shipped(wordnet=shared_wordnet() is not None)
    return {
        "left_out": {
            "written": report(written),
            "neighbours": report(fresh[NEIGHBOURS]),
            "read_off": report(fresh[READ_OFF]),
            "by_domain": by_domain(written),
        },
        "held_out": report(judge(read_pairs(held_out), matcher, embedder)) | {"blind": True}
        if held_out.exists()
        else None,
        "targets": {"precision": TARGET_PRECISION, "recall": TARGET_RECALL},
        "conditions": {
            "embedding_model": settings.EMBEDDING_MODEL or "all-MiniLM-L6-v2",
            "wordnet": shared_wordnet() is not None,
            "lexical_threshold": LEXICAL_THRESHOLD,
            "left_out": "every fifth domain, of all fitting",
            "probability_threshold": reader.threshold if reader else judgement.threshold,
            "judgement_threshold": judgement.threshold,
            "read_from": READ_FROM if reader else None,
            "read_together": reader is not None,
            "doubtful_from": DOUBTFUL,
            "synonyms_of_a_concept": False,
            "stance": False,
            "doubtful_put_to_a_model": False,
            "interval": "Wilson, 95 %; that of F1 from TP / (TP + FP + FN)",
        },
    }


def judge(pairs: Sequence[Pair], matcher: Matcher, embedder: Embedder) -> list[Judged]:
    """Have every pair matched, each on its own."""
    vectors = embedder.embed([text for pair in pairs for text in (pair.a, pair.b)])
    return [
        Judged(
            pair=pair,
            comparison=matcher.compare(*pair.labels),
            cosine=float(vectors[2 * index] @ vectors[2 * index + 1]),
        )
        for index, pair in enumerate(pairs)
    ]


def by_domain(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """Counts, precision and recall of each domain, without intervals."""
    return {
        domain: {
            key: value and value["value"] if isinstance(value, dict) else value
            for key, value in quality(
                (j.comparison.merge, j.pair.same) for j in judged if j.pair.domain == domain
            ).items()
        }
        for domain in sorted({j.pair.domain for j in judged})
    }


def report(judged: Sequence[Judged]) -> dict[str, Any]:
    """Figures of one set: counts and shares only, never a pair."""
    same = [j for j in judged if j.pair.same]
    different = [j for j in judged if not j.pair.same]
    vetoes = [j for j in judged if j.comparison.veto]
    return {
        "pairs": len(judged),
        "same": len(same),
        "domains": len({j.pair.domain for j in judged}),
        **quality((j.comparison.merge, j.pair.same) for j in judged),
        "by_tier": {
            tier: {
                "merges": len(found := [j for j in judged if j.comparison.tier == tier]),
                "right": sum(j.pair.same for j in found),
            }
            for tier in ("exact", "lexical", "embedding")
        },
        "vetoes": {
            "all": dict(Counter(str(j.comparison.veto) for j in vetoes).most_common()),
            "of_paraphrases": sum(j.pair.same for j in vetoes),
        },
        "hard": {
            f"paraphrases_below_{FAR}": _share([j for j in same if j.cosine < FAR], merged=True),
            f"different_from_{NEAR}": _share(
                [j for j in different if j.cosine >= NEAR], merged=False
            ),
        },
        "cosine_alone": quality((j.cosine >= COSINE_ALONE, j.pair.same) for j in judged),
    }


def quality(decided: Iterable[tuple[bool, bool]]) -> dict[str, Any]:
    """Precision, recall and F1 of (merged, same) decisions, each with its 95 % interval.

    F1 is 2J / (1 + J) of the share J = TP / (TP + FP + FN) and rises with it, so its interval is
    that of J carried over. A share of nothing is None.
    """
    counts = Counter(decided)
    hit, wrong, missed = counts[True, True], counts[True, False], counts[False, True]
    shared = wilson(hit, hit + wrong + missed)
    return {
        "true_positives": hit,
        "false_positives": wrong,
        "false_negatives": missed,
        "precision": figure(wilson(hit, hit + wrong)),
        "recall": figure(wilson(hit, hit + missed)),
        "f1": figure(shared and tuple(2 * share / (1 + share) for share in shared)),
    }


def _share(judged: Sequence[Judged], *, merged: bool) -> dict[str, int]:
    return {
        "pairs": len(judged),
        "right": sum(j.comparison.merge is merged for j in judged),
    }

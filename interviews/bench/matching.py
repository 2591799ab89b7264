"""How well labels are matched: precision and recall on labelled pairs, with intervals.

The development set is what the rules were written against, so its figures flatter them. The
held-out set was labelled after the rules were frozen, in domains that the development set does not
have; of it only counts are reported, so that nobody is led to tune the rules on it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from graphs.domain import Embedder
from graphs.embeddings import shared_embedder
from graphs.matching import BAND_THRESHOLD, SURFACE_THRESHOLD, Label, Matcher, Verdict
from interviews.bench.errors import BenchImpossible

LABELLED = Path("tests") / "data"
DEVELOPMENT = "matching_dev.tsv"
HELD_OUT = "matching_heldout.tsv"
TARGET_PRECISION, TARGET_RECALL = 0.97, 0.75
Z95 = 1.959964
"""The 97.5 % quantile of the standard normal distribution."""
FAR, NEAR = 0.5, SURFACE_THRESHOLD
"""A paraphrase below the one cosine, or a different pair from the other on, counts as hard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two labels of one node type, and whether an analyst takes them for one concept."""

    domain: str
    node_type: str
    a: str
    b: str
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A pair with the matcher's verdict and the cosine of its labels."""

    pair: Pair
    verdict: Verdict
    cosine: float


def bench_matching(embedder: Embedder | None = None, folder: Path | None = None) -> dict[str, Any]:
    """Return precision, recall and F1 of both labelled sets, with the conditions.

    `folder` holds the sets, by default the project's tests. Raises BenchImpossible where one of
    them is missing or cannot be read.
    """
    embedder = embedder or shared_embedder(settings.EMBEDDING_MODEL)
    folder = folder or Path(settings.BASE_DIR) / LABELLED
    matcher = Matcher(embedder)
    development = judge(read_pairs(folder / DEVELOPMENT), matcher, embedder)
    held_out = judge(read_pairs(folder / HELD_OUT), matcher, embedder)
    return {
        "development": report(development) | {"blind": False},
        "held_out": report(held_out) | {"blind": True},
        "targets": {"precision": TARGET_PRECISION, "recall": TARGET_RECALL},
        "conditions": {
            "embedding_model": settings.EMBEDDING_MODEL or "all-MiniLM-L6-v2",
            "cosine_threshold": SURFACE_THRESHOLD,
            "band": BAND_THRESHOLD,
            "synonyms_of_a_concept": False,
            "stance": False,
            "band_put_to_a_model": False,
            "interval": "Wilson, 95 %; that of F1 from TP / (TP + FP + FN)",
        },
    }


def read_pairs(file: Path) -> list[Pair]:
    """Read a tab-separated set with a header; lines that begin with # are comments.

    Without a column `domain`, the comment above a pair is its domain. Raises BenchImpossible.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BenchImpossible(
            f"{file}: the labelled pairs are missing; they come with the project's tests"
        ) from error
    header, pairs, domain = lines[0].split("\t") if lines else [], [], ""
    if not {"type", "a", "b", "same"} <= set(header):
        raise BenchImpossible(f"{file}: expected the columns type, a, b and same")
    for number, line in enumerate(lines[1:], start=2):
        if line.startswith("#"):
            domain = line.lstrip("# ")
            continue
        if not line.strip():
            continue
        cells = line.split("\t")
        row = dict(zip(header, cells, strict=False))
        if len(cells) != len(header) or row["same"] not in ("0", "1"):
            raise BenchImpossible(f"{file}:{number}: expected {', '.join(header)} (same is 0 or 1)")
        pairs.append(
            Pair(
                domain=row.get("domain", domain),
                node_type=row["type"],
                a=row["a"],
                b=row["b"],
                same=row["same"] == "1",
            )
        )
    return pairs


def judge(pairs: Sequence[Pair], matcher: Matcher, embedder: Embedder) -> list[Judged]:
    """Have every pair matched, each on its own."""
    vectors = embedder.embed([text for pair in pairs for text in (pair.a, pair.b)])
    return [
        Judged(
            pair=pair,
            verdict=matcher.compare(
                Label(text=pair.a, node_type=pair.node_type),
                Label(text=pair.b, node_type=pair.node_type),
            ),
            cosine=float(vectors[2 * index] @ vectors[2 * index + 1]),
        )
        for index, pair in enumerate(pairs)
    ]


def report(judged: Sequence[Judged]) -> dict[str, Any]:
    """Figures of one set: counts and shares only, never a pair."""
    same = [j for j in judged if j.pair.same]
    different = [j for j in judged if not j.pair.same]
    vetoes = [j for j in judged if j.verdict.veto]
    return {
        "pairs": len(judged),
        "same": len(same),
        "domains": len({j.pair.domain for j in judged}),
        **quality((j.verdict.merge, j.pair.same) for j in judged),
        "by_tier": {
            tier: {
                "merges": len(found := [j for j in judged if j.verdict.tier == tier]),
                "right": sum(j.pair.same for j in found),
            }
            for tier in ("exact", "lexical", "embedding")
        },
        "vetoes": {
            "all": dict(Counter(str(j.verdict.veto) for j in vetoes).most_common()),
            "of_paraphrases": sum(j.pair.same for j in vetoes),
        },
        "hard": {
            f"paraphrases_below_{FAR}": _share([j for j in same if j.cosine < FAR], merged=True),
            f"different_from_{NEAR}": _share(
                [j for j in different if j.cosine >= NEAR], merged=False
            ),
        },
        "cosine_alone": quality((j.cosine >= SURFACE_THRESHOLD, j.pair.same) for j in judged),
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
        "precision": _figure(wilson(hit, hit + wrong)),
        "recall": _figure(wilson(hit, hit + missed)),
        "f1": _figure(shared and tuple(2 * share / (1 + share) for share in shared)),
    }


def wilson(part: int, whole: int) -> tuple[float, ...] | None:
    """Return a share and the bounds of its Wilson interval at 95 %, None for a share of nothing.

    Centre (p + z²/2n) / (1 + z²/n), half width z·√(p(1-p)/n + z²/4n²) / (1 + z²/n).
    """
    if whole == 0:
        return None
    share, square = part / whole, Z95**2 / whole
    centre = (share + square / 2) / (1 + square)
    half = Z95 * math.sqrt(share * (1 - share) / whole + square / (4 * whole)) / (1 + square)
    return share, max(centre - half, 0.0), min(centre + half, 1.0)


def _figure(bounds: tuple[float, ...] | None) -> dict[str, float] | None:
    if bounds is None:
        return None
    return dict(zip(("value", "low", "high"), (round(b, 4) for b in bounds), strict=True))


def _share(judged: Sequence[Judged], *, merged: bool) -> dict[str, int]:
    return {
        "pairs": len(judged),
        "right": sum(j.verdict.merge is merged for j in judged),
    }

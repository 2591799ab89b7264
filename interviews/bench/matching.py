"""How well labels are matched: precision and recall on labelled pairs, with intervals.

Every fifth domain is left out of all fitting and measured here; the lexicon and the rules were
written with some of them in view. A held-out set, where there is one, was labelled after everything
was frozen, in domains of its own; of it only counts are reported, so that nobody is led to tune the
rules on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.language.wordnet import shared_wordnet
from graphs.matching import DOUBTFUL, LEXICAL_THRESHOLD, READ_FROM, Matcher, SharedReader, Verdict
from graphs.matching.judgement import shipped
from interviews.bench.errors import BenchImpossible
from interviews.bench.statistics import figure, wilson
from interviews.training.judgement import Pair, domains_left_out, refit, write
from interviews.training.pairs import write_pairs

LABELLED = Path("tests") / "data"
DEVELOPMENT = ("matching_dev.tsv", *(f"matching_dev{number}.tsv" for number in range(2, 11)))
READ_BESIDE = tuple(f"matching_dev{number}.tsv" for number in range(11, 52))
"""Further sets that only the network that reads labels together is fitted to."""
NEIGHBOURS = "matching_neighbours.tsv"
READ_OFF = "matching_read.tsv"
"""Labels that the offline reader gave to answers of one field, as a judge found them: what matching
meets in an interview, where hardly one pair in a hundred is one concept.
"""
EVERY_READ_OFF = 4
"""The judgement, which has few figures to weigh, is fitted to every fourth of them."""
HELD_OUT = "matching_heldout.tsv"
TARGET_PRECISION, TARGET_RECALL = 0.97, 0.75
COSINE_ALONE = 0.80
"""The cosine from which the plain comparison merges that is reported beside."""
FAR, NEAR = 0.5, COSINE_ALONE
"""A paraphrase below the one cosine, or a different pair from the other on, counts as hard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A pair with the matcher's verdict and the cosine of its labels."""

    pair: Pair
    verdict: Verdict
    cosine: float


def bench_matching(embedder: Embedder | None = None, folder: Path | None = None) -> dict[str, Any]:
    """Return precision, recall and F1 of what nothing was fitted to, with the conditions.

    `folder` holds the sets, by default the project's tests; the held-out set may be missing and is
    None then. Raises BenchImpossible where another set is missing or one cannot be read.
    """
    reader = None if embedder else SharedReader()
    embedder = embedder or shared_embedder(settings.EMBEDDING_MODEL)
    folder = folder or Path(settings.BASE_DIR) / LABELLED
    matcher = Matcher(embedder, reader=reader)
    sets = labelled_sets(folder)
    left_out = domains_left_out(pair for pairs in sets.values() for pair in pairs)
    fresh = {
        file: judge([pair for pair in pairs if pair.domain in left_out], matcher, embedder)
        for file, pairs in sets.items()
    }
    written = [judged for file in (*DEVELOPMENT, *READ_BESIDE) for judged in fresh[file]]
    held_out = folder / HELD_OUT
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


def write_judgement() -> None:
    """Fit the judgement and the network that reads labels together anew, and ship them.

    To be run where WordNet is installed, after a change of rules, lexicon or sets:
    `manage.py shell -c "from interviews.bench.matching import write_judgement as w; w()"`.
    Raises BenchImpossible where WordNet or a set is missing.
    """
    if shared_wordnet() is None:
        raise BenchImpossible("the judgement cannot be fitted: WordNet is not installed")
    sets = labelled_sets(Path(settings.BASE_DIR) / LABELLED)
    embedder = shared_embedder(settings.EMBEDDING_MODEL)
    write(refit(*judgement_sets(sets), embedder))
    pairs = [pair for file in sets if file != READ_OFF for pair in sets[file]]
    write_pairs(pairs, sets[READ_OFF], Matcher(embedder))


def labelled_sets(folder: Path) -> dict[str, list[Pair]]:
    """Read every set but the held-out one, by file. Raises BenchImpossible."""
    files = (*DEVELOPMENT, *READ_BESIDE, NEIGHBOURS, READ_OFF)
    return {file: read_pairs(folder / file) for file in files}


def judgement_sets(sets: Mapping[str, Sequence[Pair]]) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """Return the written pairs, neighbours and labels read off that the judgement is fitted to."""
    left_out = domains_left_out(pair for pairs in sets.values() for pair in pairs)

    def kept(pairs: Iterable[Pair]) -> list[Pair]:
        return [pair for pair in pairs if pair.domain not in left_out]

    written = kept(pair for file in DEVELOPMENT for pair in sets[file])
    return written, kept(sets[NEIGHBOURS]), kept(sets[READ_OFF])[::EVERY_READ_OFF]


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
            verdict=matcher.compare(*pair.labels),
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
                (j.verdict.merge, j.pair.same) for j in judged if j.pair.domain == domain
            ).items()
        }
        for domain in sorted({j.pair.domain for j in judged})
    }


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
        "right": sum(j.verdict.merge is merged for j in judged),
    }

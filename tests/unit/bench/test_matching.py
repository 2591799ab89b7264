from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from graphs.domain import MatchTier
from graphs.matching import Verdict
from interviews.bench.errors import BenchImpossible
from interviews.bench.matching import (
    DEVELOPMENT,
    HELD_OUT,
    Judged,
    Pair,
    bench_matching,
    quality,
    read_pairs,
    report,
    wilson,
)
from tests.unit.graphs.samples import ScriptedEmbedder

DATA = Path(__file__).parents[2] / "data"


def judged(
    *, same: bool, tier: MatchTier | None = None, veto: str | None = None, cosine: float = 0.6
) -> Judged:
    verdict = Verdict(merge=tier is not None, tier=tier, similarity=cosine, veto=veto)
    pair = Pair(domain="d", node_type="attribute", a="crisp crust", b="soft crumb", same=same)
    return Judged(pair=pair, verdict=verdict, cosine=cosine)


def written(file: Path, *lines: str) -> Path:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_the_interval_of_eight_in_ten_is_wilsons() -> None:
    assert wilson(8, 10) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)


@pytest.mark.parametrize(("part", "bounds"), [(0, (0.0, 0.0, 0.2775)), (10, (1.0, 0.7225, 1.0))])
def test_the_interval_of_none_and_of_all_keeps_its_width(
    part: int, bounds: tuple[float, float, float]
) -> None:
    assert wilson(part, 10) == pytest.approx(bounds, abs=1e-4)


def test_a_share_of_nothing_is_no_figure() -> None:
    assert wilson(0, 0) is None
    nothing = quality([(False, False)])
    assert (nothing["precision"], nothing["recall"], nothing["f1"]) == (None, None, None)


def test_precision_recall_and_f1_come_from_the_counts() -> None:
    decided = [(True, True)] * 6 + [(True, False)] * 2 + [(False, True)] * 4 + [(False, False)] * 9
    figures = quality(decided)
    assert (figures["true_positives"], figures["false_positives"]) == (6, 2)
    assert figures["precision"]["value"] == 0.75
    assert figures["recall"]["value"] == 0.6
    assert figures["f1"]["value"] == 0.6667
    # 6 of 12 lies within 0.2538 and 0.7462, and F1 = 2J / (1 + J)
    assert (figures["f1"]["low"], figures["f1"]["high"]) == (0.4048, 0.8547)


def test_a_report_counts_tiers_vetoes_and_hard_pairs() -> None:
    found = report(
        [
            judged(same=True, tier="lexical", cosine=0.4),
            judged(same=False, tier="lexical", cosine=0.9),
            judged(same=True, tier="embedding", cosine=0.85),
            judged(same=True, veto="polarity", cosine=0.49),
            judged(same=False, veto="number", cosine=0.8),
            judged(same=False, veto="number", cosine=0.7),
        ]
    )
    assert (found["pairs"], found["same"]) == (6, 3)
    assert found["by_tier"] == {
        "exact": {"merges": 0, "right": 0},
        "lexical": {"merges": 2, "right": 1},
        "embedding": {"merges": 1, "right": 1},
    }
    assert found["vetoes"] == {"all": {"number": 2, "polarity": 1}, "of_paraphrases": 1}
    assert found["hard"] == {
        "paraphrases_below_0.5": {"pairs": 2, "right": 1},
        "different_from_0.8": {"pairs": 2, "right": 1},
    }
    assert found["cosine_alone"]["precision"]["value"] == 0.3333


def test_a_report_shows_no_pair() -> None:
    text = json.dumps(report([judged(same=True), judged(same=False, tier="lexical")]))
    assert "crust" not in text
    assert "crumb" not in text


def test_a_domain_is_a_column_or_the_comment_above(tmp_path: Path) -> None:
    by_comment = written(tmp_path / "a.tsv", "type\ta\tb\tsame", "# bread", "attribute\tx\ty\t1")
    by_column = written(tmp_path / "b.tsv", "domain\ttype\ta\tb\tsame", "bread\tattribute\tx\ty\t1")
    expected = [Pair(domain="bread", node_type="attribute", a="x", b="y", same=True)]
    assert read_pairs(by_comment) == read_pairs(by_column) == expected


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ((), "expected the columns"),
        (("a\tb",), "expected the columns"),
        (("type\ta\tb\tsame", "attribute\tx\ty"), "s.tsv:2: expected"),
        (("type\ta\tb\tsame", "", "attribute\tx\ty\tyes"), "s.tsv:3: expected"),
    ],
)
def test_an_unreadable_set_says_where(
    tmp_path: Path, lines: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(BenchImpossible, match=complaint):
        read_pairs(written(tmp_path / "s.tsv", *lines))


def test_a_missing_set_is_named_by_the_command(tmp_path: Path, settings: Any) -> None:
    settings.BASE_DIR = tmp_path
    with pytest.raises(CommandError, match=rf"{DEVELOPMENT}: the labelled pairs are missing"):
        call_command("bench", "matching", "--json")


def test_both_sets_are_measured_with_their_conditions(tmp_path: Path) -> None:
    header = "type\ta\tb\tsame"
    written(tmp_path / DEVELOPMENT, header, "attribute\tno pain\tpainless\t1")
    written(tmp_path / HELD_OUT, header, "attribute\t2 cups\t3 cups\t0")
    found = bench_matching(ScriptedEmbedder(), tmp_path)
    development, held_out = found["development"], found["held_out"]
    assert (development["blind"], development["true_positives"]) == (False, 1)
    assert (held_out["blind"], held_out["vetoes"]["all"]) == (True, {"number": 1})
    assert found["conditions"]["cosine_threshold"] == 0.80


def test_the_held_out_set_is_large_balanced_and_of_domains_of_its_own() -> None:
    development, held_out = read_pairs(DATA / DEVELOPMENT), read_pairs(DATA / HELD_OUT)
    assert len(held_out) >= 260
    assert sum(pair.same for pair in held_out) * 2 == len(held_out)
    domains = {pair.domain for pair in held_out}
    assert len(domains) >= 8
    assert not domains & {pair.domain for pair in development}


def test_no_held_out_pair_is_there_twice_or_was_developed_on() -> None:
    def keys(file: str) -> list[frozenset[str]]:
        return [frozenset({p.a.casefold(), p.b.casefold()}) for p in read_pairs(DATA / file)]

    held_out = keys(HELD_OUT)
    assert len(set(held_out)) == len(held_out)
    assert not set(held_out) & set(keys(DEVELOPMENT))
    assert all(len(pair) == 2 for pair in held_out)

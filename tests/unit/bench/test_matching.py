from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from graphs.domain import MatchTier
from graphs.language.wordnet import shared_wordnet
from graphs.matching import Verdict
from graphs.matching.judgement import FILE
from interviews.bench.errors import BenchImpossible
from interviews.bench.matching import (
    DEVELOPMENT,
    HELD_OUT,
    NEIGHBOURS,
    READ_BESIDE,
    READ_OFF,
    Judged,
    bench_matching,
    judgement_sets,
    labelled_sets,
    quality,
    read_pairs,
    report,
    write_judgement,
)
from interviews.bench.statistics import wilson
from interviews.training.judgement import Pair, domains_left_out
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
    with pytest.raises(CommandError, match=rf"{DEVELOPMENT[0]}: the labelled pairs are missing"):
        call_command("bench", "matching", "--json")


HEADER = "domain\ttype\ta\tb\tsame"


FILES = (*DEVELOPMENT, *READ_BESIDE, NEIGHBOURS, READ_OFF)


def write_sets(folder: Path) -> None:
    for number, file in enumerate(FILES):
        written(
            folder / file,
            HEADER,
            f"bread {number:02}\tattribute\tno pain\tpainless\t1",
            f"bread {number:02}\tattribute\tdark loaf\tthin crust\t0",
            f"tea {number:02}\tattribute\tsteep briefly\tboil shortly\t0",
        )


def test_domains_that_nothing_is_fitted_to_are_measured_with_their_conditions(
    tmp_path: Path,
) -> None:
    write_sets(tmp_path)
    sets = labelled_sets(tmp_path)
    left_out = domains_left_out(pair for pairs in sets.values() for pair in pairs)
    assert {"bread 00", "bread 05"} <= left_out
    assert not left_out & {pair.domain for pairs in judgement_sets(sets) for pair in pairs}
    found = bench_matching(ScriptedEmbedder(), tmp_path)
    assert found["held_out"] is None
    fresh = found["left_out"]
    assert set(fresh["by_domain"]) <= left_out
    breads = sum(domain.startswith("bread") for domain in fresh["by_domain"])
    assert fresh["written"]["by_tier"]["lexical"] == {"merges": breads, "right": breads}
    assert fresh["by_domain"]["bread 00"]["true_positives"] == 1
    counted = sum(fresh[part]["pairs"] for part in ("written", "neighbours", "read_off"))
    assert counted == sum(pair.domain in left_out for file in FILES for pair in sets[file])
    assert found["conditions"]["wordnet"] is (shared_wordnet() is not None)


def test_a_held_out_set_is_measured_when_there_is_one_and_never_shown(tmp_path: Path) -> None:
    write_sets(tmp_path)
    written(tmp_path / HELD_OUT, HEADER, "kites\tattribute\t2 tails\t3 tails\t0")
    found = bench_matching(ScriptedEmbedder(), tmp_path)
    assert (found["held_out"]["blind"], found["held_out"]["vetoes"]["all"]) == (True, {"number": 1})
    assert "tails" not in json.dumps(found)
    assert "loaf" not in json.dumps(found)


def test_a_judgement_is_not_fitted_without_the_words_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("interviews.bench.matching.shared_wordnet", lambda: None)
    before = FILE.read_bytes()
    with pytest.raises(BenchImpossible, match="WordNet is not installed"):
        write_judgement()
    assert FILE.read_bytes() == before


def test_the_development_sets_are_large_and_no_pair_is_there_twice() -> None:
    pairs = [pair for pairs in labelled_sets(DATA).values() for pair in pairs]
    assert len(pairs) >= 28_000
    assert len({pair.domain for pair in pairs}) >= 500
    keys = [(p.domain, p.node_type, frozenset({p.a.casefold(), p.b.casefold()})) for p in pairs]
    assert len(set(keys)) == len(keys)


def test_a_held_out_set_shares_no_pair_and_no_domain_with_what_was_developed_on() -> None:
    developed = [pair for pairs in labelled_sets(DATA).values() for pair in pairs]
    file = DATA / HELD_OUT
    held_out = read_pairs(file) if file.exists() else []
    assert not {pair.domain for pair in held_out} & {pair.domain for pair in developed}
    assert not {(p.a, p.b) for p in held_out} & {(p.a, p.b) for p in developed}

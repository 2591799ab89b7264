from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphs.domain import MatchTier
from graphs.language.wordnet import shared_wordnet
from graphs.matching import Comparison
from interviews.bench.matching import HELD_OUT, Judged, bench_matching, quality, report
from interviews.bench.statistics import wilson
from interviews.training.errors import LabelsUnusable
from interviews.training.labelled_pairs import (
    PAIR_FILES,
    WRITTEN,
    Pair,
    domains_left_out,
    judgement_sets,
    labelled_sets,
    read_pairs,
)
from tests.unit.graphs.samples import ScriptedEmbedder


def judged(
    *, same: bool, tier: MatchTier | None = None, veto: str | None = None, cosine: float = 0.6
) -> Judged:
    comparison = Comparison(merge=tier is not None, tier=tier, similarity=cosine, veto=veto)
    pair = Pair(domain="d", node_type="attribute", a="crisp crust", b="soft crumb", same=same)
    return Judged(pair=pair, comparison=comparison, cosine=cosine)


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


def test_a_missing_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelsUnusable, match=rf"{WRITTEN}: the labelled pairs are missing"):
        bench_matching(ScriptedEmbedder(), tmp_path)


HEADER = "domain\ttype\ta\tb\tsame"


def write_sets(folder: Path) -> None:
    for number, file in enumerate(PAIR_FILES):
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
    assert left_out == {"bread 00", "tea 01"}
    assert not left_out & {pair.domain for pairs in judgement_sets(sets) for pair in pairs}
    found = bench_matching(ScriptedEmbedder(), tmp_path, tmp_path / "none.tsv")
    assert found["held_out"] is None
    fresh = found["left_out"]
    assert set(fresh["by_domain"]) <= left_out
    breads = sum(domain.startswith("bread") for domain in fresh["by_domain"])
    assert fresh["written"]["by_tier"]["lexical"] == {"merges": breads, "right": breads}
    assert fresh["by_domain"]["bread 00"]["true_positives"] == 1
    counted = sum(fresh[part]["pairs"] for part in ("written", "neighbours", "read_off"))
    assert counted == sum(pair.domain in left_out for file in PAIR_FILES for pair in sets[file])
    assert found["conditions"]["wordnet"] is (shared_wordnet() is not None)


def test_a_held_out_set_is_measured_when_there_is_one_and_never_shown(tmp_path: Path) -> None:
    write_sets(tmp_path)
    held_out = written(tmp_path / "h.tsv", HEADER, "kites\tattribute\t2 tails\t3 tails\t0")
    found = bench_matching(ScriptedEmbedder(), tmp_path, held_out)
    assert (found["held_out"]["blind"], found["held_out"]["vetoes"]["all"]) == (True, {"number": 1})
    assert "tails" not in json.dumps(found)
    assert "loaf" not in json.dumps(found)


def test_a_held_out_set_shares_no_pair_and_no_domain_with_what_was_developed_on() -> None:
    developed = [pair for pairs in labelled_sets().values() for pair in pairs]
    file = Path(__file__).parents[3] / HELD_OUT
    held_out = read_pairs(file) if file.exists() else []
    assert not {pair.domain for pair in held_out} & {pair.domain for pair in developed}
    assert not {(p.a, p.b) for p in held_out} & {(p.a, p.b) for p in developed}

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from graphs.domain import MatchTier
from graphs.embeddings import MiniLMEmbedder, shared_embedder
from graphs.matching import Label, Matcher, Verdict
from graphs.matching.judgement import FILE
from graphs.matching.wordnet import shared_wordnet
from interviews.bench.errors import BenchImpossible
from interviews.bench.matching import (
    DEVELOPMENT,
    HELD_OUT,
    NEIGHBOURS,
    READ_BESIDE,
    Judged,
    bench_matching,
    quality,
    read_pairs,
    report,
    write_judgement,
)
from interviews.bench.matching_fit import Pair, cross_validated, examples, fitted, refit
from interviews.bench.statistics import wilson
from tests.unit.graphs.samples import ScriptedEmbedder

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return shared_embedder()


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


def write_sets(folder: Path) -> None:
    for number, file in enumerate((*DEVELOPMENT, NEIGHBOURS)):
        written(
            folder / file,
            HEADER,
            f"bread {number}\tattribute\tno pain\tpainless\t1",
            f"bread {number}\tattribute\tdark loaf\tthin crust\t0",
            f"tea {number}\tattribute\tsteep briefly\tboil shortly\t0",
        )


def test_every_set_is_measured_with_its_conditions(tmp_path: Path) -> None:
    write_sets(tmp_path)
    found = bench_matching(ScriptedEmbedder(), tmp_path)
    assert found["held_out"] is None
    development, crossed = found["development"], found["cross_validated"]
    assert (development["blind"], development["pairs"]) == (False, 3 * len(DEVELOPMENT))
    assert development["domains"] == 2 * len(DEVELOPMENT)
    assert development["by_tier"]["lexical"] == {
        "merges": len(DEVELOPMENT),
        "right": len(DEVELOPMENT),
    }
    assert {name: part["pairs"] for name, part in crossed["by_set"].items()} == dict.fromkeys(
        DEVELOPMENT, 3
    )
    assert crossed["by_domain"]["bread 0"]["true_positives"] == 1
    assert crossed["neighbours"]["pairs"] == 3
    assert found["conditions"]["wordnet"] is (shared_wordnet() is not None)


def test_a_held_out_set_is_measured_when_there_is_one_and_never_shown(tmp_path: Path) -> None:
    write_sets(tmp_path)
    written(tmp_path / HELD_OUT, HEADER, "kites\tattribute\t2 tails\t3 tails\t0")
    found = bench_matching(ScriptedEmbedder(), tmp_path)
    assert (found["held_out"]["blind"], found["held_out"]["vetoes"]["all"]) == (True, {"number": 1})
    assert "tails" not in json.dumps(found)
    assert "loaf" not in json.dumps(found)


def test_a_domain_is_judged_by_what_was_fitted_without_it() -> None:
    embedder = ScriptedEmbedder(
        {
            "marble glow": [1, 0],
            "opal sheen": [0.9, 0.4359],
            "reed": [0, 0, 1],
            "fern": [0, 0, 0, 1],
        }
    )
    stones = Pair(
        domain="stones", node_type="attribute", a="marble glow", b="opal sheen", same=True
    )
    plants = Pair(domain="plants", node_type="attribute", a="reed", b="fern", same=False)
    seen = examples([stones, plants], 20.0, Matcher(embedder))
    # Each domain is judged by the other one alone, which has seen but one kind of answer.
    crossed = cross_validated(seen, embedder, 0.5)
    assert (crossed[stones].merge, crossed[plants].merge) == (False, True)
    matcher = Matcher(embedder, judgement=fitted(seen, 0.5))
    labels = [Label(text=text, node_type="attribute") for text in ("marble glow", "opal sheen")]
    assert matcher.compare(*labels).merge


def test_the_shipped_judgement_is_what_fitting_gives(embedder: MiniLMEmbedder) -> None:
    pairs = [pair for file in DEVELOPMENT for pair in read_pairs(DATA / file)]
    document = refit(pairs, read_pairs(DATA / NEIGHBOURS), embedder)
    shipped = json.loads(FILE.read_text(encoding="utf-8"))
    parts = ["without_wordnet"] + ["with_wordnet"] * (shared_wordnet() is not None)
    for part in parts:
        assert document[part]["weights"] == pytest.approx(shipped[part]["weights"], abs=0.02)
        assert document[part]["bias"] == pytest.approx(shipped[part]["bias"], abs=0.02)


def test_a_judgement_is_not_fitted_without_the_words_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("interviews.bench.matching.shared_wordnet", lambda: None)
    before = FILE.read_bytes()
    with pytest.raises(BenchImpossible, match="WordNet is not installed"):
        write_judgement()
    assert FILE.read_bytes() == before


def test_the_development_sets_are_large_and_no_pair_is_there_twice() -> None:
    files = (*DEVELOPMENT, *READ_BESIDE, NEIGHBOURS)
    pairs = [pair for file in files for pair in read_pairs(DATA / file)]
    assert len(pairs) >= 7400
    assert len({pair.domain for pair in pairs}) >= 28
    keys = [(p.domain, p.node_type, frozenset({p.a.casefold(), p.b.casefold()})) for p in pairs]
    assert len(set(keys)) == len(keys)


def test_a_held_out_set_shares_no_pair_and_no_domain_with_what_was_developed_on() -> None:
    files = (*DEVELOPMENT, *READ_BESIDE, NEIGHBOURS)
    developed = [pair for file in files for pair in read_pairs(DATA / file)]
    file = DATA / HELD_OUT
    held_out = read_pairs(file) if file.exists() else []
    assert not {pair.domain for pair in held_out} & {pair.domain for pair in developed}
    assert not {(p.a, p.b) for p in held_out} & {(p.a, p.b) for p in developed}

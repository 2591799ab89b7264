from __future__ import annotations

from dataclasses import fields, replace
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.matching import Label, Matcher
from graphs.matching.alignment import WEIGHED, Features
from graphs.matching.judgement import SIGNS, Judgement, fit, shipped
from graphs.matching.lexicon import english

from .samples import ScriptedEmbedder

ALONE = replace(english(), wordnet=None)
WORDS = ["marble", "opal", "glow", "sheen", "parquet", "no", "less", "cheap", "Nike", "3", "my"]
NOTHING = Features(**dict.fromkeys(WEIGHED, 0.0), particular=False)


def features(one: str, other: str) -> Features:
    return Matcher(ScriptedEmbedder(), lexicon=ALONE).features(one, other)


def test_coverage_is_the_share_of_each_label_that_the_other_has() -> None:
    found = features("bright marble hall", "marble hall")
    assert found.covered_low == pytest.approx(2 / 3)
    assert found.covered_high == 1.0
    assert (found.missing_low, found.missing_high) == (0.0, 1.0)
    assert (found.shared, found.exchanged) == (2.0, 0.0)


def test_words_in_the_same_place_are_exchanged() -> None:
    assert features("nylon rope ladder", "hemp rope ladder").exchanged == 1.0
    assert features("a rope ladder", "the rope ladder").exchanged == 1.0
    assert features("ladder of rope", "rope ladder").exchanged == 0.0
    assert features("talk about it", "muse about it").exchanged == 0.0


def test_things_that_exclude_each_other_are_noticed_where_they_stand_alone() -> None:
    assert features("wool hat", "hat").exclusive == 1.0
    assert features("parquet hall", "hall").exclusive == 0.0


def test_opposition_counts_between_units_without_partner() -> None:
    assert features("cheap parquet", "expensive parquet").opposed == 1.0
    assert features("cheap parquet", "parquet").opposed == 0.0


def test_a_word_kept_apart_by_its_sign_is_not_covered() -> None:
    matcher = Matcher(ScriptedEmbedder())
    assert matcher.features("no paperwork", "little paperwork").covered_high == 0.0


@given(st.lists(st.sampled_from(WORDS), max_size=5), st.lists(st.sampled_from(WORDS), max_size=5))
def test_the_order_of_two_labels_does_not_matter(one: list[str], other: list[str]) -> None:
    there, back = (features(*pair) for pair in (
        (" ".join(one), " ".join(other)), (" ".join(other), " ".join(one))
    ))  # fmt: skip
    assert there.values() == pytest.approx(back.values())
    assert there.particular == back.particular


@pytest.mark.parametrize("wordnet", [True, False])
@given(
    one=st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=4, unique=True),
    other=st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=4, unique=True),
)
def test_a_further_synonym_only_helps(one: list[str], other: list[str], *, wordnet: bool) -> None:
    labels = [Label(text=" ".join(words), node_type="attribute") for words in (one, other)]
    judgement = shipped(wordnet=wordnet)
    plain = Matcher(ScriptedEmbedder(), judgement=judgement)
    knowing = Matcher(
        ScriptedEmbedder(), judgement=judgement, synonyms=[("marble", "opal"), ("glow", "sheen")]
    )
    before, after = plain.compare(*labels), knowing.compare(*labels)
    assert after.probability >= before.probability - 1e-9
    assert after.merge or not before.merge


def test_a_probability_is_the_logistic_function_of_the_weighed_figures() -> None:
    judgement = Judgement(weights={"cosine": 2.0, "exchanged": -1.0}, bias=0.5, threshold=0.5)
    found = replace(NOTHING, cosine=0.75, exchanged=1.0)
    assert judgement.probability(found) == pytest.approx(1 / (1 + exp(-1.0)))
    assert judgement.probability(replace(found, particular=True)) == 0.0


@pytest.mark.parametrize("wordnet", [True, False])
def test_shipped_weights_have_the_sign_of_their_meaning(*, wordnet: bool) -> None:
    judgement = shipped(wordnet=wordnet)
    signs = dict(zip(WEIGHED, SIGNS, strict=True))
    assert judgement.weights.keys() <= signs.keys()
    assert all(weight * signs[name] >= 0 for name, weight in judgement.weights.items())
    assert 0.5 <= judgement.threshold < 1
    assert {field.name for field in fields(Features)} == {*WEIGHED, "particular"}


def row(**figures: float) -> tuple[float, ...]:
    given = dict.fromkeys(WEIGHED, 0.0) | figures
    return Features(**given, particular=False).values()


def test_fitting_finds_the_figure_that_tells_and_leaves_out_one_that_contradicts() -> None:
    rows = [row(cosine=0.9, shared=0.0), row(cosine=0.8, shared=0.0), row(cosine=0.1, shared=2.0)]
    judgement = fit(rows * 20, [True, True, False] * 20, [1.0] * 60)
    assert judgement.weights["cosine"] > 0
    assert "shared" not in judgement.weights
    near, far = (judgement.probability(replace(NOTHING, cosine=c)) for c in (0.9, 0.1))
    assert far < 0.5 < near


def test_an_example_that_counts_twice_is_two_examples() -> None:
    rows = [row(cosine=0.9), row(cosine=0.7), row(cosine=0.1)]
    doubled = fit([*rows, rows[0]], [True, False, False, True], [1.0] * 4)
    twice = fit(rows, [True, False, False], [2.0, 1.0, 1.0])
    # Standardising sees rows, so the scales differ a little; the order of cases does not.
    for judgement in (doubled, twice):
        chances = [judgement.probability(replace(NOTHING, cosine=c)) for c in (0.9, 0.7, 0.1)]
        assert chances == sorted(chances, reverse=True)


def test_nothing_cannot_be_fitted() -> None:
    with pytest.raises(ValueError, match="nothing to fit"):
        fit([], [], [])

"""Agreement by hand, and against independent computations."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.agreement.measure import Coded, agreement, alpha_with_interval, kappa, pairs

TEXT = "taped seams keep me dry"
ONE = Coded(text=TEXT, concepts=((0, 11, "attribute"), (17, 23, "consequence")), links=((0, 1),))


def test_a_worked_example() -> None:
    other = Coded(text=TEXT, concepts=((0, 11, "attribute"), (12, 23, "value")), links=((0, 1),))
    found = agreement([ONE], [other])
    # (17, 23) and (12, 23) share 6 of 11 characters: the same. Types agree on 1 of 2;
    # by chance on 1/2 · 1/2 + 0 + 0 = 1/4: (1/2 - 1/4) / (3/4) = 1/3.
    assert found.concepts_f1 == 1
    assert found.types_kappa == pytest.approx(1 / 3)
    assert found.links_f1 == 1
    # Words: a a - c c against a a v v v: 10 values, 4 a, 1 none, 2 c, 3 v; 3 words differ.
    # α = 1 - 9 · 6 / (100 - 16 - 1 - 4 - 9) = 1 - 54/70.
    assert found.alpha == pytest.approx(1 - 54 / 70)


def test_a_link_the_other_way_round_is_another() -> None:
    turned = Coded(text=TEXT, concepts=ONE.concepts, links=((1, 0),))
    assert agreement([ONE], [turned]).links_f1 == 0


def test_where_nothing_is_coded_nothing_is_defined() -> None:
    nothing = Coded(text=TEXT)
    found = agreement([nothing], [nothing])
    assert (found.concepts_f1, found.types_kappa, found.links_f1, found.alpha) == (None,) * 4
    assert agreement([], []).alpha is None


def test_spans_are_paired_once_the_largest_overlap_first() -> None:
    wide = Coded(text=TEXT, concepts=((0, 10, "a"), (0, 11, "a")))
    assert pairs(wide, ONE) == {1: 0}


def test_kappa_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 observed, 0.5 expected (Cohen's example form).
    types = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(types) == pytest.approx(0.4)
    assert kappa([("a", "a")]) is None


coded = st.lists(st.lists(st.sampled_from(["", "x", "y", "z"]), min_size=1, max_size=6), min_size=1)


@given(coded, st.randoms(use_true_random=False))
def test_alpha_is_that_of_the_library(answers: list[list[str]], chance: Any) -> None:
    others = [[chance.choice(["", "x", "y"]) for _ in words] for words in answers]
    values = [
        ["xyz".index(kind) if kind else 9 for words in side for kind in words]
        for side in (answers, others)
    ]
    found, low, high = alpha_with_interval(
        [spelt(words) for words in answers], [spelt(words) for words in others]
    )
    if len(np.unique(values)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(krippendorff.alpha(values, level_of_measurement="nominal"))
        assert low is not None
        assert high is not None
        assert low <= high


def spelt(kinds: list[str]) -> Coded:
    """An answer of one-letter words, each of the type given."""
    concepts = tuple((2 * n, 2 * n + 1, kind) for n, kind in enumerate(kinds) if kind)
    return Coded(text=" ".join("w" for _ in kinds), concepts=concepts)

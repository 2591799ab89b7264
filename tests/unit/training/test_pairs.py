"""Fitting the network that reads two labels together, on a handful of pairs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from graphs.matching import Matcher
from graphs.matching.pair_network import load, save
from graphs.matching.pairing import PairReader
from interviews.training.labelled_pairs import Pair
from interviews.training.pairs import examples_of, fit_pairs, unpaired
from tests.unit.graphs.samples import ScriptedEmbedder


def _pair(a: str, b: str, *, same: bool, domain: str = "lamps") -> Pair:
    return Pair(domain=domain, node_type="attribute", a=a, b=b, same=same)


PAIRS = [
    _pair("bright glow", "strong shine", same=True),
    _pair("bright glow", "wooden foot", same=False),
    _pair("folds flat", "packs small", same=True),
    _pair("folds flat", "brass knob", same=False),
]


def test_labels_that_nobody_paired_are_taken_for_different() -> None:
    paired = {frozenset((pair.a, pair.b)) for pair in PAIRS}
    found = list(unpaired([*PAIRS, _pair("x", "y", same=True, domain="alone")], random.Random(3)))
    assert found
    assert {pair.domain for pair in found} == {"lamps"}
    assert not any(pair.same or frozenset((pair.a, pair.b)) in paired for pair in found)


def test_opposites_are_learned_from_but_not_numbers() -> None:
    pairs = [*PAIRS, _pair("2 bulbs", "3 bulbs", same=False), _pair("loud", "not loud", same=False)]
    assert len(examples_of(pairs, Matcher(ScriptedEmbedder()))) == len(PAIRS) + 1


def test_nothing_cannot_be_fitted() -> None:
    with pytest.raises(ValueError, match="nothing to fit"):
        fit_pairs([])


@pytest.mark.material
def test_fitting_can_be_repeated() -> None:
    seen = examples_of(PAIRS, Matcher(ScriptedEmbedder()))
    first, again = (fit_pairs(seen, epochs=3).state_dict() for _ in range(2))
    for name, value in first.items():
        assert torch.equal(value, again[name]), name


@pytest.mark.material
def test_fitting_learns_the_pairs(tmp_path: Path) -> None:
    matcher = Matcher(ScriptedEmbedder())
    seen = examples_of(PAIRS, matcher)
    reports: list[str] = []
    network = fit_pairs(seen, epochs=30, progress=reports.append)
    assert len(reports) == 30
    save(network, 0.5, "four pairs", tmp_path / "pairing.safetensors")
    reader = PairReader(*load(tmp_path / "pairing.safetensors"))
    texts = [(pair.a, pair.b) for pair in PAIRS]
    chances = reader.probabilities(texts, [matcher.features(*text) for text in texts])
    assert [chance >= reader.threshold for chance in chances] == [pair.same for pair in PAIRS]

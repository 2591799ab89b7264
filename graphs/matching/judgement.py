"""A fitted judgement: how probable it is that two labels are one concept.

A logistic regression over the figures of `alignment`. Each weight may only have the sign that its
figure has by its meaning (more coverage never speaks against, more missing never for), so that a
further synonym can only help. The weights are in `judgement.json`, with where they come from: one
set for matching with WordNet, one without.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphs.matching.alignment import WEIGHED, Features

FILE = Path(__file__).with_name("judgement.json")
_FOR = {"cosine", "jaccard", "covered_low", "covered_high", "sure_low", "sure_high", "shared"}
SIGNS = tuple(1 if name in _FOR else -1 for name in WEIGHED)
RIDGE = 3.0
"""Strength of the penalty ½·RIDGE·Σw² on the weights of standardised figures."""
_STEPS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Weights by figure, their bias, and the probability from which labels are one concept."""

    weights: Mapping[str, float]
    bias: float
    threshold: float

    def probability(self, found: Features) -> float:
        """Return 1 / (1 + exp(-(bias + Σ weight·figure))); 0 where a particular differs."""
        if found.particular:
            return 0.0
        total = self.bias + sum(w * getattr(found, name) for name, w in self.weights.items())
        return 1 / (1 + math.exp(-total)) if total > -700 else 0.0


@cache
def shipped(*, wordnet: bool) -> Judgement:
    """The judgement that ships, for matching with WordNet or without; read once."""
    document: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    part = document["with_wordnet" if wordnet else "without_wordnet"]
    return Judgement(weights=part["weights"], bias=part["bias"], threshold=part["threshold"])


def fit(
    rows: Sequence[Sequence[float]],
    same: Sequence[bool],
    counts: Sequence[float],
    *,
    threshold: float = 0.5,
) -> Judgement:
    """Fit weights of the permitted signs to labelled pairs that count for `counts` each.

    Ridge-penalised logistic regression by Newton's method on standardised figures; a figure whose
    weight comes out with the wrong sign is left out, the worst first, and the rest fitted anew.
    Raises ValueError without rows.
    """
    if not rows:
        raise ValueError("nothing to fit")
    x, y, count = (np.asarray(v, dtype=np.float64) for v in (rows, same, counts))
    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = (x - mean) / spread
    signs = np.asarray(SIGNS)
    kept = list(range(x.shape[1]))
    while True:
        solved = _newton(scaled[:, kept], y, count)
        wrong = solved[:-1] * signs[kept]
        if not kept or wrong.min() >= 0:
            break
        kept.pop(int(wrong.argmin()))
    weights = {WEIGHED[k]: float(w / spread[k]) for k, w in zip(kept, solved, strict=False)}
    shift = sum(w * mean[k] / spread[k] for k, w in zip(kept, solved, strict=False))
    return Judgement(weights=weights, bias=float(solved[-1] - shift), threshold=threshold)


def _newton(x: Any, y: Any, count: Any) -> Any:
    design = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.full(design.shape[1], RIDGE)
    penalty[-1] = 1e-9
    solved = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ solved, -30, 30)))
        slope = design.T @ (count * (chance - y)) + penalty * solved
        curve = design.T @ (design * (count * chance * (1 - chance))[:, None]) + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        solved -= step
        if float(np.abs(step).max()) < 1e-9:
            break
    return solved

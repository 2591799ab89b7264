"""Doubtful matches by rule: the matcher has said all that rules know, so they stay two concepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interviews.llm.tasks.match_adjudication import (
    MATCH_ADJUDICATION,
    MatchAdjudicationInputs,
    MatchAdjudicationOutput,
    PairVerdict,
)


def adjudicate(inputs: MatchAdjudicationInputs) -> MatchAdjudicationOutput:
    """Keep every pair apart."""
    return MatchAdjudicationOutput(
        verdicts=tuple(PairVerdict(number=pair.number, same=False) for pair in inputs.pairs)
    )


RULES: Mapping[str, Callable[[Any], Any]] = {MATCH_ADJUDICATION.name: adjudicate}

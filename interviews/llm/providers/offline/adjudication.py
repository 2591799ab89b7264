"""Doubtful matches by rule: the matcher has said all that rules know, so they stay doubtful."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interviews.llm.tasks.match_adjudication import (
    MATCH_ADJUDICATION,
    MatchAdjudicationInputs,
    MatchAdjudicationOutput,
)


def adjudicate(inputs: MatchAdjudicationInputs) -> MatchAdjudicationOutput:
    """Decide on no pair."""
    return MatchAdjudicationOutput(verdicts=())


RULES: Mapping[str, Callable[[Any], Any]] = {MATCH_ADJUDICATION.name: adjudicate}

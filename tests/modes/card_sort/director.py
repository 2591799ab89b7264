"""Leads a card sort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from interviews.guards import AS_WRITTEN
from interviews.modes.base import Ask, Director
from interviews.modes.common import endings
from interviews.turns.blocks import Block
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    Continuation,
    ContinuationOutput,
    ExtractionOutput,
    Focus,
    StateComputationOutput,
    StrategySelection,
    StrategySelectionOutput,
    UtteranceSavingOutput,
    Verdict,
)

from .models import CARDS, PILES, CardSortEvidence, CardSortState

ALL_SORTED = "all_sorted"


class CardSortDirector(Director):
    mode: ClassVar[str] = "card_sort"
    reads: ClassVar[Mapping[str, tuple[type, ...]]] = {
        "opening": (),
        "reading": (),
        "observe": (ContextLoadingOutput, UtteranceSavingOutput),
        "choose": (StateComputationOutput,),
        "proceed": (ContextLoadingOutput, ExtractionOutput, StrategySelectionOutput),
        "compose": (ContinuationOutput,),
        "remember": (ContextLoadingOutput, StateComputationOutput),
    }

    def opening(self, context: TurnView) -> Ask:
        return _about(CARDS[0])

    def observe(self, context: TurnView) -> CardSortState:
        state = context.loaded.mode_state
        assert isinstance(state, CardSortState)
        card = CARDS[len(state.piles)]
        return CardSortState(piles={**state.piles, card: context.utterance.text})

    def choose(self, context: TurnView) -> StrategySelection:
        state = context.state.mode_state
        assert isinstance(state, CardSortState)
        card = next((card for card in CARDS if card not in state.piles), "")
        before = context.material
        assert isinstance(before, tuple)
        return StrategySelection(
            strategy="next_card",
            focus=Focus(kind="element", ref=str(len(state.piles)), label=card) if card else None,
            focus_mode="topic",
            closing=False,
            left_alone=frozenset(),
            evidence=CardSortEvidence(phase="sorting", card=card, sorted_before=len(before) + 1),
        )

    def proceed(self, context: TurnView) -> Continuation:
        chosen = context.selection
        reason = endings.ending(context) or (ALL_SORTED if chosen.focus is None else "")
        return Continuation(
            verdict=Verdict.END if reason else Verdict.CONTINUE,
            reason=reason,
            turns_remaining=endings.turns_remaining(context),
            strategy=chosen.strategy,
            focus=chosen.focus,
        )

    def compose(self, context: TurnView) -> Ask:
        focus = context.continuation.focus
        assert focus is not None
        return _about(focus.label)


def _about(card: str) -> Ask:
    return Ask(
        text=f"Sort this card: {card}. On which pile does it belong?",
        profile=AS_WRITTEN,
        spoken=(card,),
        block=Block.model_validate({"kind": "choice", "card": card, "options": list(PILES)}),
    )

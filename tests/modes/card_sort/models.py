"""What the mode knows: its cards, its state, its evidence, and what it tells of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from interviews.modes.base import Panel
from interviews.turns.evidence import Evidence
from interviews.turns.rationale import Rationale
from interviews.turns.result import TurnResult
from interviews.turns.state import ModeState, SessionState
from methodologies.schema import MethodologySchema

CARDS = ("config.json", "load_rows", "the weekly plan")
"""Two of them look like what a question must not show."""
PILES = ("keep", "change", "drop")


class CardSortState(ModeState):
    """The piles so far. Version 1 kept the names of piles in a list."""

    VERSION: ClassVar[int] = 2

    piles: dict[str, str] = {}

    @classmethod
    def upgraded(cls, version: int, data: dict[str, Any]) -> dict[str, Any]:
        if version != 1:
            return super().upgraded(version, data)
        return {"piles": dict(zip(CARDS, data["piles"], strict=False))}


class CardSortEvidence(Evidence):
    """The next card is the first that lies on no pile."""

    mode: Literal["card_sort"] = "card_sort"
    card: str
    sorted_before: int


def cards_left(*, max_turns: int, answered: int, state: SessionState) -> int:
    """One answer a card, whatever `max_turns` says."""
    return max(len(CARDS) - answered, 0)


def explanation(result: TurnResult, methodology: MethodologySchema | None) -> Rationale:
    found = result.evidence
    if not isinstance(found, CardSortEvidence):
        return Rationale(sentences=("The first card is always the first.",))
    return Rationale(
        sentences=(f"{found.sorted_before} cards were sorted, and {found.card} was next.",)
    )


def panel(state: CardSortState, evidence: Sequence[CardSortEvidence]) -> Panel:
    return Panel(title="Piles", rows=tuple((pile, card) for card, pile in state.piles.items()))


def fields(result: TurnResult) -> Mapping[str, Any]:
    found = result.evidence
    return {"card": found.card} if isinstance(found, CardSortEvidence) else {}

"""A mode for tests: shows cards one after the other and asks where each belongs.

Its questions are fixed, it reads nothing off the answers by itself, and its study needs neither a
methodology nor a concept. It brings all that a mode may bring.
"""

from __future__ import annotations

from collections.abc import Callable

from interviews.modes.base import Defaults, Mode, ModeStore, Need, Needs

from .director import CardSortDirector
from .models import CARDS, CardSortEvidence, CardSortState, cards_left, explanation, fields, panel


def _store() -> ModeStore:
    from .store import PileStore

    return PileStore()


make_store: Callable[[], ModeStore] = _store

MODE = Mode(
    name="card_sort",
    label="Card sort",
    purpose="Show cards and ask on which pile each belongs.",
    director=CardSortDirector,
    evidence=CardSortEvidence,
    state=CardSortState,
    needs=Needs(methodology=Need.NONE, concept=Need.NONE),
    defaults=Defaults(max_turns=len(CARDS) + 2, slots=False, rating=False),
    answers_left=cards_left,
    store=make_store,
    explanation=explanation,
    panel=panel,
    turn_fields=fields,
)

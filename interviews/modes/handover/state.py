"""Where a handover interview stands; its questions and facts are in tables of its own."""

from __future__ import annotations

from typing import Literal

from interviews.turns.state import ModeState

SelectedBy = Literal["model", "fallback", "only"]


class HandoverState(ModeState):
    """The question that is asked: its id, its round, who selected it, how often it was reworded.

    `rounds` counts those that are over, `remaining` the open questions besides the one asked.
    `chosen` is a question that is asked next and was not there when it was chosen: its text. `end`
    says why the interview ends with this turn.
    """

    question_id: str = ""
    raw_question: str = ""
    selected_by: SelectedBy = "fallback"
    rewordings: int = 0
    rounds: int = 0
    remaining: int = 0
    end: str = ""

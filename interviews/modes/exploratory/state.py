"""What the exploratory mode keeps of an interview between turns."""

from __future__ import annotations

from interviews.turns.state import ModeState


class ExploratoryState(ModeState):
    """What was said about talking, as far as it still counts; nodes by their ids.

    `disclaimed` was played down or denied, `finished` are lines to which there was nothing to add:
    both until the respondent comes back to the node unasked. `resting` holds what lies beside
    something refused, with the last turn in which it rests. `saturated_since` is the turn since
    which the interview has been saturated without a break.
    """

    disclaimed: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    resting: tuple[tuple[str, int], ...] = ()
    saturated_since: int | None = None

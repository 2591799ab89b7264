"""Which of a strategy's tactics is used: one that fits, the one used least, never twice running."""

from __future__ import annotations

from collections.abc import Sequence

from interviews.modes.evaluative.situation import Target
from interviews.modes.evaluative.state import Asked
from methodologies.evaluative import TacticSpec


def tactic_for(
    target: Target, tactics: Sequence[TacticSpec], asked: Sequence[Asked]
) -> TacticSpec | None:
    """The tactic for a focus; None where the only ones are that of the last question.

    Those that fit the gap or the node type come first, where there are any; of these the one used
    least in this interview, of several the first of the file.
    """
    last = asked[-1].tactic if asked else ""
    free = [tactic for tactic in tactics if tactic.name != last]
    kinds = {target.gap, target.node_type} - {None, ""}
    fitting = [tactic for tactic in free if not tactic.fits or kinds & set(tactic.fits)]
    used = [question.tactic for question in asked]
    return min(fitting or free, key=lambda tactic: used.count(tactic.name), default=None)

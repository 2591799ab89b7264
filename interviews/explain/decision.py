"""What a turn decided, as whoever tells or draws it needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from interviews.turns.calls import Degraded
from interviews.turns.contracts import Verdict
from interviews.turns.rationale import Rationale
from interviews.turns.result import Selected
from methodologies.signals.base import Value

Kind = Literal["opening", "choice", "closing", "end", "waiting", "failed", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided after an answer, and by what.

    `strategy` and `focus` are what was asked, `selected` what the mode had chosen: a closing
    question (`overridden`) or the last one in other words (`rephrased`) may have gone before it.
    `act` is how the answer was meant. `figures` are what was measured in the turn by the
    measure's name, `focus_figures` what was measured of the node that is asked about, whose id is
    `focus_id`. A turn that has decided nothing has its `kind` alone.
    """

    kind: Kind
    turn: int
    mode: str = ""
    strategy: str = ""
    focus_id: str = ""
    focus: str = ""
    phase: str = ""
    verdict: Verdict = Verdict.CONTINUE
    reason: str = ""
    selected: Selected = field(default_factory=lambda: Selected(strategy="", node_id=None))
    overridden: bool = False
    rephrased: bool = False
    act: str = ""
    repairs: Sequence[str] = ()
    degraded: Sequence[Degraded] = ()
    rationale: Rationale = field(default_factory=Rationale)
    figures: Mapping[str, Value] = field(default_factory=dict)
    focus_figures: Mapping[str, Value] = field(default_factory=dict)

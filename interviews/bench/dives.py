"""How interviews dive and come back: the lines that they follow, read off the turns' records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from interviews.models import Session, Turn
from interviews.record import result_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Dives:
    """Choices of a node in an interview, and how many of them went back to an older one; the
    longest line, in questions; the turns in which some node was exhausted.
    """

    chosen: int
    went_back: int
    longest_line: int
    exhausted_turns: int


def dives_of(session: Session) -> Dives:
    """What the records of a session say."""
    turns = Turn.objects.filter(session=session, number__gte=1).order_by("number")
    read = [
        (result.evidence, result.selected.node_id if result.selected else None)
        for result in map(result_of, turns)
        if result.evidence is not None
    ]
    chosen = [evidence.node_figures().get(node_id, {}) for evidence, node_id in read if node_id]
    lines = [evidence.figures().get("temporal.line_run", 0) for evidence, _ in read]
    return Dives(
        chosen=len(chosen),
        went_back=sum(node.get("graph.node.mentioned_now") is False for node in chosen),
        longest_line=max(map(int, lines), default=0),
        exhausted_turns=sum(
            any(node.get("graph.node.exhausted") for node in evidence.node_figures().values())
            for evidence, _ in read
        ),
    )


def summed(dives: Sequence[Dives]) -> dict[str, Any]:
    """Mean longest line, the share of choices that went back, and turns with an exhausted node."""
    chosen = sum(d.chosen for d in dives)
    return {
        "longest_line_mean": round(fmean(d.longest_line for d in dives), 3),
        "went_back_share": round(sum(d.went_back for d in dives) / chosen, 3) if chosen else None,
        "exhausted_turns": sum(d.exhausted_turns for d in dives),
    }

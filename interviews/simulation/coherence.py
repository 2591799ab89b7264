"""How the statements of one answer hang together, within a sentence and between sentences."""

from __future__ import annotations

from collections.abc import Sequence

from interviews.simulation import speech
from interviews.simulation.speech import Piece
from interviews.simulation.world import Statement, World


def grouped(pieces: Sequence[Piece], world: World) -> list[list[Piece]]:
    """Pair each statement with the next where one of them leads to the other."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        last = groups[-1] if groups else []
        if len(last) == 1 and _pairs_with(last[0].statement, piece.statement, world):
            last.append(piece)
        else:
            groups.append([piece])
    return groups


def _pairs_with(first: Statement, second: Statement, world: World) -> bool:
    """A story is told first and by itself: only what follows from it can share its sentence."""
    if second.id in world.upward[first.id]:
        return True
    return "incident" not in {first.kind, second.kind} and first.id in world.upward[second.id]


def going_on(before: Sequence[Piece], statement: Statement, world: World) -> tuple[str, ...]:
    """Frames for what is said next: as a consequence, as a ground, or beside the rest."""
    names = {piece.statement.id for piece in before}
    if names & set(world.downward[statement.id]):
        return speech.onward_frames(statement)
    return speech.GROUND if names & set(world.upward[statement.id]) else speech.BESIDE


def back_to(subject: str | None, statement: Statement, world: World) -> tuple[str, ...]:
    """Frames for something told before: what the subject comes down to, or what ties in."""
    comes_down = subject is not None and statement.id in world.upward[subject]
    return speech.AGAIN if comes_down else speech.TIES

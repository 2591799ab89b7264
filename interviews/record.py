"""The record of a stored turn, of whatever version it was stored as and whichever mode led it."""

from __future__ import annotations

from pydantic import ValidationError

from interviews.models import Turn
from interviews.modes.registry import read_evidence
from interviews.turns.result import TurnResult
from interviews.turns.upgrades import UnknownVersion, upgraded


class UnreadableTurn(Exception):
    """A turn's record is of no known version or damaged; the message says which turn and where."""


def result_of(turn: Turn) -> TurnResult:
    """Return the record of a turn that is done. Raises UnreadableTurn."""
    try:
        stored = upgraded(turn.result, turn.number)
        evidence = stored.get("evidence")
        read = read_evidence(evidence) if evidence is not None else None
        return TurnResult.model_validate({**stored, "evidence": read})
    except UnknownVersion as error:
        raise UnreadableTurn(str(error)) from error
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise UnreadableTurn(f"the record of turn {turn.number} is damaged at {where}") from error
    except (KeyError, TypeError) as error:
        raise UnreadableTurn(f"the record of turn {turn.number} is damaged") from error


def readable_result_of(turn: Turn) -> TurnResult | None:
    """Return the record, None where the turn left none that can be read: pages open anyway."""
    try:
        return result_of(turn)
    except UnreadableTurn:
        return None

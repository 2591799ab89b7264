"""What a socket reads from the database: authorised every time, consistent, in one thread hop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast
from uuid import UUID

from interviews import services
from interviews.chat.images import with_address
from interviews.chat.protocol import Said, Standing
from interviews.errors import ErrorCode, InterviewError
from interviews.invitations import open_token

ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What was said after a sequence number, and where the interview stands with that."""

    said: tuple[Said, ...]
    standing: Standing


def session_of(token: str) -> UUID:
    """The session behind a personal link; read anew each time, so that a withdrawal counts.

    Raises InterviewError: LINK_* for a link that does not count (any longer), LINK_INVALID too
    where consent has not been given yet.
    """
    invitation = open_token(token)
    if invitation.session_id is None:
        raise InterviewError(ErrorCode.LINK_INVALID, "This interview has not begun.")
    return invitation.session_id


def read(token: str, after: int) -> News:
    """Read what came after the sequence number `after`.

    Utterances and standing are two reads; where something was committed between them they are
    read again, so that a question never arrives together with "still thinking".
    """
    session_id = session_of(token)
    said: tuple[Said, ...] = ()
    view = services.session_view(session_id)
    for _ in range(ATTEMPTS):
        said = tuple(as_said(u, token) for u in services.utterances_after(session_id, after))
        if (said[-1].seq if said else after) <= view.last_sequence:
            break
        view = services.session_view(session_id)
    return News(said=said, standing=as_standing(view))


def as_said(utterance: services.UtteranceView, token: str) -> Said:
    """One utterance, as it travels to the holder of a link."""
    return Said(
        seq=utterance.sequence,
        speaker=cast("Literal['interviewer', 'respondent']", str(utterance.speaker)),
        text=utterance.text,
        turn=utterance.turn_number,
        client_message_id=utterance.client_message_id,
        at=utterance.created_at,
        block=with_address(utterance.block, token),
    )


def as_standing(view: services.SessionView) -> Standing:
    """Where the interview stands, as it travels."""
    return Standing.model_validate(
        {
            "status": str(view.status),
            "pending": None if view.pending is None else str(view.pending),
            "progress": view.progress,
            "turn_count": view.turn_count,
            "max_turns": view.max_turns,
            "last_seq": view.last_sequence,
            "withdrawn": view.withdrawn,
            "questions_left": view.questions_left,
            "minutes_left": view.minutes_left,
        }
    )

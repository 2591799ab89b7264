"""The code that a respondent takes along after the interview, and the address that it goes to."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.utils.crypto import salted_hmac

from interviews.recruiting import with_parameters

SALT = "interviews.completion"
CODE_CHARS = 10


def completion_code(session_id: UUID) -> str:
    """The code of a session: the same every time, and nobody else can tell it."""
    return salted_hmac(SALT, session_id.hex).hexdigest()[:CODE_CHARS].upper()


def onward_address(url: str, session_id: UUID, carried: Mapping[str, str] | None = None) -> str:
    """A study's `redirect_url` for one session; empty where there is none, or it is no https.

    `carried` are the parameters that the respondent came with: they go along.
    """
    own = {"session": str(session_id), "code": completion_code(session_id)}
    return with_parameters(url, {**(carried or {}), **own})

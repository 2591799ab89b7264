"""The code that a respondent takes along after the interview, and the address that it goes to."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from django.utils.crypto import salted_hmac

SALT = "interviews.completion"
CODE_CHARS = 10


def completion_code(session_id: UUID) -> str:
    """The code of a session: the same every time, and nobody else can tell it."""
    return salted_hmac(SALT, session_id.hex).hexdigest()[:CODE_CHARS].upper()


def onward_address(url: str, session_id: UUID) -> str:
    """A study's `redirect_url` for one session; empty where there is none, or it is no https."""
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.netloc:
        return ""
    own = {"session": str(session_id), "code": completion_code(session_id)}
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in own]
    return urlunsplit(parts._replace(query=urlencode([*kept, *own.items()])))

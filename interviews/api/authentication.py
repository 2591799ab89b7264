"""Who asks: a person by their session, their program by a token, a respondent by their link."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from interviews import access_tokens
from interviews.invitations import open_token
from interviews.models import AccessToken, Invitation

SCHEME = "bearer"


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`: a person's token, or the token of an interview's link.

    `request.auth` is the AccessToken, whose person is the user, or the Invitation, with nobody as
    the user.
    """

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Open the token. Raises InterviewError for one that does not count."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.casefold() != SCHEME or not token.strip():
            return None
        if token.strip().startswith(access_tokens.PREFIX):
            row = access_tokens.open_token(token.strip())
            return row.person, row
        return AnonymousUser(), open_token(token.strip())

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return 'Bearer realm="api"'


class SignedIn(SessionAuthentication):
    """A person who has signed in on the site; their writes carry the CSRF token."""


def caller_of(request: Request) -> str:
    """Who asks, for throttles and for replies that are kept."""
    auth = request.auth
    if isinstance(auth, AccessToken):
        return f"token:{auth.pk}"
    if isinstance(auth, Invitation):
        return f"link:{auth.pk}"
    if request.user.is_authenticated:
        return f"person:{request.user.pk}"
    return f"address:{request.META.get('REMOTE_ADDR', '')}"

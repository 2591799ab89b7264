"""What every address for programs is made of: who may ask, how replies are kept, ETags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analytics import access
from analytics.rights import Right
from interviews import replies
from interviews.api.authentication import BearerAuthentication, SignedIn, caller_of
from interviews.api.paging import CursorPages
from interviews.api.parsing import BoundedJSONParser
from interviews.api.problems import Problem, Unprocessable
from interviews.api.throttles import ScopeThrottle
from interviews.models import AccessToken, Invitation, Session, Study

Scope = AccessToken.Scope
SAFE = ("GET", "HEAD", "OPTIONS")
READING = frozenset({Scope.READ, Scope.MANAGE})
WATCHING = READING | {Scope.COLLECT}
COLLECTING = frozenset({Scope.COLLECT})
MANAGING = frozenset({Scope.MANAGE})
KEY = "Idempotency-Key"


class Permitted(BasePermission):
    """People with a role; their programs, as far as scopes go; links, where a view takes them."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Raises NotAuthenticated, or Problem that says what is lacking."""
        auth = request.auth
        if isinstance(auth, Invitation):
            if view.links:
                return True
            said = "The token of a link opens its own interview and nothing else."
            raise Problem(403, "link_only", said)
        if not request.user.is_authenticated:
            raise NotAuthenticated(
                "Send a token, Authorization: Bearer …, or sign in.", code="not_authenticated"
            )
        if isinstance(auth, AccessToken) and not view.scopes_of(request) & set(auth.scopes):
            needed = " or ".join(sorted(view.scopes_of(request)))
            raise Problem(403, "scope_missing", f"This takes a token with the scope {needed}.")
        if not access.roles_of(request.user):
            raise Problem(403, "no_role", "This account has no role here.")
        return True


class ApiView(APIView):
    """An address for programs.

    `reads` and `writes` are the scopes that open it to tokens; `links` whether the token of a link
    gets through, to what belongs to its own interview.
    """

    authentication_classes = (BearerAuthentication, SignedIn)
    permission_classes: Any = (Permitted,)
    throttle_classes = (ScopeThrottle,)
    renderer_classes = (JSONRenderer,)
    parser_classes: Any = (BoundedJSONParser,)
    reads: ClassVar[frozenset[str]] = READING
    writes: ClassVar[frozenset[str]] = MANAGING
    links: ClassVar[bool] = False

    def scopes_of(self, request: Request) -> frozenset[str]:
        """Any of these scopes is enough for this request."""
        return self.reads if request.method in SAFE else self.writes

    def throttle_of(self, request: Request) -> str:
        """Which rate this request counts for."""
        if request.method in SAFE:
            return "read"
        return "collect" if self.writes == COLLECTING else "manage"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, with an ETag where something was read; 304 where it is known."""
        answer = super().dispatch(request, *args, **kwargs)
        if request.method not in ("GET", "HEAD") or answer.status_code != 200:
            return answer
        if not isinstance(answer, Response):
            return answer
        patch_cache_control(answer, private=True, no_cache=True)
        answer["ETag"] = etag = etag_of(answer)
        return get_conditional_response(request, etag=etag, response=answer) or answer

    def post_once(self, request: Request, act: Callable[[], Response]) -> Response:
        """Answer a POST by `act()`; with an Idempotency-Key the same one twice the same way."""
        key = request.headers.get(KEY)
        if key is None:
            return act()
        if not 1 <= len(key) <= replies.MOST_CHARS or not key.isprintable():
            said = f"Send 1 to {replies.MOST_CHARS} printable characters."
            raise Problem(400, "invalid", said, field=KEY)
        caller = caller_of(request)
        known = replies.take(caller, key, _digest_of(request))
        if known is not None:
            again = Response(json.loads(known.body), status=known.status)
            again["Idempotent-Replayed"] = "true"
            if known.location:
                again["Location"] = known.location
            return again
        try:
            answer = act()
        except BaseException:
            replies.give_up(caller, key)
            raise
        replies.keep(
            caller,
            key,
            replies.Reply(
                status=answer.status_code,
                location=answer.get("Location", ""),
                body=JSONRenderer().render(answer.data).decode(),
            ),
        )
        return answer

    def page(self, request: Request, rows: Any, serializer: Any, **context: Any) -> Response:
        """A page of a list, in the view's `ordering`."""
        pages = CursorPages()
        found = pages.paginate_queryset(rows, request, self)
        told = serializer(found, many=True, context={"request": request, **context}).data
        return pages.get_paginated_response(told)


def session_for(request: Request, pk: UUID, right: Right = Right.READ) -> Session:
    """The session that a person may see and has the right to, or that the link leads to.

    Raises Http404 or PermissionDenied as :func:`analytics.access.session_for` does.
    """
    if isinstance(request.auth, Invitation):
        if request.auth.session_id != pk:
            raise Http404("This token opens no such interview.")
        return Session.objects.select_related("study").get(pk=pk)
    return access.session_for(request.user, pk, right)


def study_for(request: Request, slug: str, right: Right = Right.READ) -> Study:
    """The study, as :func:`analytics.access.study_for` finds it."""
    return access.study_for(request.user, slug, right)


def study_named(request: Request, slug: str, right: Right) -> Study:
    """The study that a body names in its field `study`.

    Raises Problem 404 with that field, and PermissionDenied as `study_for` does.
    """
    try:
        return study_for(request, slug, right)
    except Http404 as error:
        said = "There is no study of this name that you may see."
        raise Problem(404, "not_found", said, field="study") from error


def own_team(request: Request, name: str | None) -> Any:
    """The team that is named; without a name the only one of whoever asks, else the default."""
    teams = access.teams_of(request.user)
    if name is not None:
        found = teams.filter(name=name).first()
        if found is None:
            raise Unprocessable({"team": "There is no team of this name that you are in."})
        return found
    own = list(teams.order_by("pk")[:2])
    if not own:
        raise Unprocessable({"team": "You are in no team; ask an administrator for one."})
    default = next((team for team in own if team.name == team.DEFAULT), None)
    if len(own) > 1 and default is None:
        raise Unprocessable({"team": "You are in several teams: name one."})
    return default or own[0]


def need(request: Request, right: Right) -> None:
    """Raise PermissionDenied where whoever asks has not the right in any study."""
    if not access.may(request.user, right):
        raise PermissionDenied


def who(request: Request) -> str:
    """The name under which an act is recorded."""
    return "respondent" if isinstance(request.auth, Invitation) else request.user.get_username()


def etag_of(answer: Response) -> str:
    """The strong ETag of an answer's body."""
    content = answer.render().content if not answer.is_rendered else answer.content
    return quote_etag(hashlib.sha256(content).hexdigest()[:32])


def check_match(request: Request, current: str) -> None:
    """Raise Problem 412 where If-Match names another state than the current one."""
    wanted = request.headers.get("If-Match")
    if wanted is not None and wanted.strip() != "*":
        tags = {tag.strip() for tag in wanted.split(",")}
        if current not in tags:
            said = "This has changed since you read it. Read it again."
            raise Problem(412, "changed_since", said, field="If-Match")


def representation_etag(data: Any) -> str:
    """The ETag that a GET of this data has."""
    return quote_etag(hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:32])


def _digest_of(request: Request) -> str:
    """What was asked: method, path and body, files by what is in them."""
    parts = [request.method or "", request.get_full_path()]
    if request.FILES:
        for name, files in sorted(request.FILES.lists()):
            for file in files:
                inner = hashlib.sha256()
                for chunk in file.chunks():
                    inner.update(chunk)
                file.seek(0)
                parts += [name, str(file.name), inner.hexdigest()]
        said: Any = request.data
        parts += [f"{name}={said[name]}" for name in said if name not in request.FILES]
    else:
        parts.append(json.dumps(request.data, sort_keys=True, ensure_ascii=False))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()

"""API and webhooks: one's own tokens, and who is told of what happens in one's studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from analytics.access import may, seen_by, studies_of, study_for
from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import access_tokens
from interviews.errors import FormRefused, InterviewError
from interviews.models import AccessToken, Delivery, Webhook
from interviews.webhooks import delivery, registration

SHOWN = 30
"""Deliveries on the page, the newest first; the API has all of them."""


class ProgramsPage(ConsolePage):
    """Shows tokens and webhooks; what is secret is shown once, where it was made."""

    template = "programs.html"
    title = "API and webhooks"

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page."""
        return self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Do what the button says."""
        acts: dict[str, Callable[[HttpRequest], HttpResponse]] = {
            "make-token": self._make_token,
            "revoke": self._revoke,
            "make-webhook": self._make_webhook,
            "switch": self._switch,
            "delete": self._delete,
            "replay": self._replay,
        }
        act = acts.get(request.POST.get("act", ""))
        if act is None:
            raise Http404("There is no such button.")
        try:
            return act(request)
        except FormRefused as refused:
            faults = [f"{field}: {said}" for field, said in refused.fields.items()]
            return self._page(request, status=422, faults=faults, typed=request.POST)
        except InterviewError as refused:
            return self._page(request, status=422, faults=[refused.message], typed=request.POST)

    def _make_token(self, request: HttpRequest) -> HttpResponse:
        days = request.POST.get("days", "")
        _, token = access_tokens.make(
            _person(request),
            request.POST.get("name", ""),
            request.POST.getlist("scopes"),
            by=who(request),
            days=int(days) if days.isascii() and days.isdigit() and len(days) < 5 else 0,
        )
        return self._page(request, token=token)

    def _revoke(self, request: HttpRequest) -> HttpResponse:
        own = AccessToken.objects.filter(person=_person(request), pk=_uuid(request)).first()
        if own is None:
            raise Http404("There is no such token.")
        access_tokens.revoke(own, by=who(request))
        messages.success(request, f"The token {own.name} opens nothing any more.")
        return redirect("admin:programs")

    def _make_webhook(self, request: HttpRequest) -> HttpResponse:
        study = study_for(request.user, request.POST.get("study", ""), Right.STUDIES)
        said = request.POST
        url, events = said.get("url", "").strip(), said.getlist("events")
        _, secret = registration.make(study, url, events, by=who(request))
        return self._page(request, secret=secret)

    def _switch(self, request: HttpRequest) -> HttpResponse:
        hook = _hook(request)
        registration.change(hook, by=who(request), active=not hook.active)
        return redirect("admin:programs")

    def _delete(self, request: HttpRequest) -> HttpResponse:
        registration.delete(_hook(request), by=who(request))
        messages.success(request, "The webhook is gone, with its deliveries.")
        return redirect("admin:programs")

    def _replay(self, request: HttpRequest) -> HttpResponse:
        rows = seen_by(request.user, Delivery.objects.all(), "webhook__study")
        found = rows.filter(pk=_uuid(request)).first()
        if found is None or not may(request.user, Right.STUDIES):
            raise Http404("There is no such delivery.")
        delivery.replay(found)
        messages.success(request, "It is on its way again.")
        return redirect("admin:programs")

    def _page(self, request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
        may_tell = may(request.user, Right.STUDIES)
        hooks = seen_by(request.user, Webhook.objects.select_related("study"), "study")
        rows = seen_by(request.user, Delivery.objects.all(), "webhook__study")
        tokens = AccessToken.objects.filter(person=_person(request), revoked_at=None)
        page = self.shown(
            request,
            status,
            tokens=list(tokens),
            now=timezone.now(),
            scopes=AccessToken.Scope.choices,
            days=access_tokens.DAYS,
            most_days=access_tokens.MOST_DAYS,
            may_tell=may_tell,
            studies=list(studies_of(request.user).only("slug", "name")) if may_tell else [],
            hooks=list(hooks) if may_tell else [],
            deliveries=list(rows.select_related("webhook__study")[:SHOWN]) if may_tell else [],
            events=Webhook.Event.choices,
            **more,
        )
        page["Cache-Control"] = "no-store"
        return page


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404("Nobody is signed in.")
    return request.user


def _uuid(request: HttpRequest) -> UUID:
    try:
        return UUID(request.POST.get("id", ""))
    except ValueError as error:
        raise Http404("There is nothing of this id.") from error


def _hook(request: HttpRequest) -> Webhook:
    found = seen_by(request.user, Webhook.objects.all(), "study").filter(pk=_uuid(request)).first()
    if found is None or not may(request.user, Right.STUDIES):
        raise Http404("There is no such webhook.")
    return found

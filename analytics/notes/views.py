"""Memos, stars, reviews and summaries over HTTP: parse, authorise, delegate."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from analytics import access
from analytics.access import AnalystRequiredMixin, session_for, study_for
from analytics.notes.shown import study_memos
from analytics.rights import Right
from graphs.models import Theme
from interviews import notes, summaries
from interviews.errors import FormRefused, InterviewError
from interviews.models import Memo, SessionReview, StarredQuote


class SessionNotesView(AnalystRequiredMixin):
    """Writes beside one interview: a memo, a star, a review, a summary."""

    def post(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what the form's `do` says, and go back to the page."""
        session = session_for(request.user, pk, Right.CORRECT)
        by = request.user.get_username()
        said = request.POST
        try:
            match said.get("do"):
                case "memo":
                    about, _, target = said.get("on", "").partition(":")
                    notes.write_memo(
                        session.study,
                        about=about,
                        text=said.get("text", ""),
                        by=by,
                        session=session,
                        target=_uuid(target),
                        words=said.get("words", ""),
                    )
                case "star":
                    notes.star(session, _uuid(said.get("answer")), said.get("words", ""), by=by)
                case "unstar":
                    rows = StarredQuote.objects.filter(session=session)
                    notes.unstar(get_object_or_404(rows, pk=_number(said.get("star"))), by=by)
                case "review":
                    notes.review(session, reviewed=said.get("reviewed") == "yes", by=by)
                case "summary":
                    summaries.ask_summary(session, by=by)
                case other:
                    told = "memo, star, unstar, review or summary"
                    raise FormRefused(f"do: {other!r} is not {told}.", fields={"do": told})
        except InterviewError as refused:
            messages.error(request, refused.message)
        return redirect(_back(request, reverse("analytics:session", args=[pk]) + "#notes"))


class MemoView(AnalystRequiredMixin):
    """A memo changed or deleted."""

    def post(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Store what the form says, unless somebody else was faster."""
        seen = access.seen_by(request.user, Memo.objects.all(), "study")
        memo = get_object_or_404(seen.select_related("study"), pk=pk)
        study_for(request.user, memo.study.slug, Right.CORRECT)
        by = request.user.get_username()
        address = reverse("analytics:memos", args=[memo.study.slug])
        try:
            if "delete" in request.POST:
                notes.delete_memo(memo, by=by)
            else:
                version = _number(request.POST.get("version"))
                notes.change_memo(memo, text=request.POST.get("text", ""), by=by, version=version)
        except InterviewError as refused:
            messages.error(request, refused.message)
        return redirect(_back(request, address))


class StudyNotesView(AnalystRequiredMixin):
    """All memos and starred quotes of a study, and which interviews were reviewed."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page."""
        study = study_for(request.user, slug)
        starred = StarredQuote.objects.filter(session__study=study)
        reviewed = SessionReview.objects.filter(session__study=study).count()
        told = {
            "study": study,
            "memos": study_memos(study),
            "starred": starred.select_related("utterance"),
            "reviewed": reviewed,
            "interviews": study.sessions.count(),
            "themes": Theme.objects.filter(study=study).order_by("name"),
            "may_write": access.may(request.user, Right.CORRECT),
        }
        return render(request, "analytics/notes/study.html", told)

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Write a memo on the study or on a theme."""
        study = study_for(request.user, slug, Right.CORRECT)
        about, _, target = request.POST.get("on", "").partition(":")
        try:
            notes.write_memo(
                study,
                about=about,
                text=request.POST.get("text", ""),
                by=request.user.get_username(),
                target=_uuid(target),
            )
        except FormRefused as refused:
            messages.error(request, refused.message)
        return redirect("analytics:memos", slug)


def _back(request: HttpRequest, address: str) -> str:
    """Where the form came from, if that is one of these pages."""
    wanted = request.POST.get("back", "")
    return wanted if wanted.startswith("/dashboard/") and "//" not in wanted else address


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0

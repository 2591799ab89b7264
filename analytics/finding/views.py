"""Search, questions and collections: parse, authorise, delegate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from analytics import access
from analytics.access import AnalystRequiredMixin, study_for
from analytics.finding.scope import Scope, criteria, scope_of, scope_of_all
from analytics.inclusion import NAMES
from analytics.rights import Right
from interviews.errors import FormRefused
from interviews.models import SearchCollection, SearchEntry, Study
from interviews.retrieval import collections
from interviews.retrieval.asking import Quote, StudyAnswer, ask_study
from interviews.retrieval.search import DEFAULT_KINDS, Hit, search


def filter_of(request: HttpRequest) -> dict[str, list[str]]:
    """What of the query is the inclusion filter's."""
    return {name: request.GET.getlist(name) for name in NAMES if name in request.GET}


class SearchView(AnalystRequiredMixin):
    """What was said, by words and by meaning, in a study or in all that one may see."""

    def get(self, request: HttpRequest, slug: str | None = None) -> HttpResponse:
        """The page, with what `?q=` finds."""
        study = study_for(request.user, slug) if slug else None
        text = request.GET.get("q", "").strip()
        kinds = request.GET.getlist("kind") or list(DEFAULT_KINDS)
        told: dict[str, Any] = {"study": study, "text": text, "kinds": kinds}
        status = 200
        try:
            scope = _scope(request, study)
            told["scope"] = scope
            if text:
                told["hits"] = _shown(search(scope.sessions, text, kinds=kinds))
        except FormRefused as refused:
            told["refused"], status = refused, 400
        told |= {
            "all_kinds": SearchEntry.Kind.choices,
            "collections": _collections(request, study)[:10],
            "may_keep": access.may(request.user, Right.CORRECT),
            "with_simulated": "simulated" in request.GET.getlist("include"),
        }
        return render(request, "analytics/finding/search.html", told, status=status)


class AskStudyView(AnalystRequiredMixin):
    """An answer in quotes, or that it is not in the material."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page, with the answer to `?q=`."""
        study = study_for(request.user, slug)
        question = request.GET.get("q", "").strip()
        told: dict[str, Any] = {"study": study, "question": question}
        status = 200
        try:
            scope = _scope(request, study)
            told["scope"] = scope
            if question:
                answer = ask_study(study, scope.sessions, question)
                told |= {"answer": answer, "groups": _by_role(answer)}
        except FormRefused as refused:
            told["refused"], status = refused, 400
        told["with_simulated"] = "simulated" in request.GET.getlist("include")
        return render(request, "analytics/finding/ask.html", told, status=status)


class CollectionsView(AnalystRequiredMixin):
    """Keeping results of a search."""

    def post(self, request: HttpRequest, slug: str | None = None) -> HttpResponse:
        """Keep the results that the form names, of what its sender may see."""
        study = study_for(request.user, slug, Right.CORRECT) if slug else None
        if not access.may(request.user, Right.CORRECT):
            return HttpResponse(status=403)
        named = [_uuid(key) for key in request.POST.getlist("entry")]
        seen = access.seen_by(request.user, SearchEntry.objects.all(), "study")
        there = set(seen.filter(pk__in=[k for k in named if k]).values_list("pk", flat=True))
        try:
            made = collections.keep(
                [key for key in named if key in there and key],
                name=request.POST.get("name", ""),
                text=request.POST.get("text", ""),
                by=request.user.get_username(),
                study=study,
            )
        except FormRefused as refused:
            messages.error(request, refused.message)
            return redirect("analytics:search", slug) if slug else redirect("analytics:search_all")
        return redirect("analytics:collection", made.pk)


class CollectionView(AnalystRequiredMixin):
    """A collection; a POST deletes it."""

    def get(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """What of it its reader may see."""
        found = self._one(request, pk)
        seen = access.seen_by(request.user, SearchEntry.objects.all(), "study")
        kept = found.entries.filter(entry__in=seen.values("pk"))
        rows = [row.entry for row in kept.select_related("entry__study").defer("entry__embedding")]
        told = {"collection": found, "rows": rows}
        return render(request, "analytics/finding/collection.html", told)

    def post(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Delete it; what was said stays where it is."""
        found = self._one(request, pk)
        if not access.may(request.user, Right.CORRECT):
            return HttpResponse(status=403)
        study = found.study
        collections.discard(found, by=request.user.get_username())
        return (
            redirect("analytics:search", study.slug) if study else redirect("analytics:search_all")
        )

    def _one(self, request: HttpRequest, pk: UUID) -> SearchCollection:
        return get_object_or_404(_collections(request, None), pk=pk)


def _scope(request: HttpRequest, study: Study | None) -> Scope:
    wanted = criteria(filter_of(request))
    return scope_of(study, wanted) if study else scope_of_all(request.user, wanted)


def _collections(request: HttpRequest, study: Study | None) -> QuerySet[SearchCollection]:
    """Those of a study, or of all: of studies that one may see, and one's own across studies."""
    every = SearchCollection.objects.select_related("study")
    if study is not None:
        return every.filter(study=study)
    of_studies = access.seen_by(request.user, every.filter(study__isnull=False), "study")
    own = every.filter(study__isnull=True, made_by=request.user.get_username())
    return (every.filter(pk__in=of_studies.values("pk")) | own).distinct()


def _shown(hits: list[Hit]) -> list[dict[str, Any]]:
    """Results with the names of their studies."""
    names = dict(Study.objects.filter(pk__in={hit.study for hit in hits}).values_list("pk", "name"))
    return [
        {"hit": hit, "study": names.get(hit.study, ""), "short": str(hit.session)[:4]}
        for hit in hits
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedQuote:
    """A quote with its number in the answer."""

    number: int
    quote: Quote

    @property
    def short(self) -> str:
        """The first letters of its interview's id."""
        return str(self.quote.session)[:4]


TITLES = {
    "supporting": "Quotes that bear it out",
    "contradicting": "Quotes against it",
    "uncertain": "Uncertain quotes",
}


def _by_role(answer: StudyAnswer) -> list[tuple[str, list[NumberedQuote]]]:
    """The quotes under what they are to the answer."""
    numbered = [NumberedQuote(number=n, quote=q) for n, q in enumerate(answer.quotes, start=1)]
    grouped = [(title, [n for n in numbered if n.quote.role == r]) for r, title in TITLES.items()]
    return [(title, quotes) for title, quotes in grouped if quotes]


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None

"""The page of a study, the sentences behind its numbers, and its themes: parse, authorise."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from analytics import access
from analytics.access import AnalystRequiredMixin, study_for
from analytics.inclusion import (
    EXTRAS,
    MARKS,
    NAMES,
    PROVENANCES,
    STATUSES,
    Inclusion,
    InclusionInvalid,
    parse,
)
from analytics.rights import Right
from analytics.study.evidence import evidence_of
from analytics.study.matrix import COUNTS, Count
from analytics.study.page import build_page
from analytics.study.reading import read_study
from analytics.study.value_map import CutoffOutOfRange
from graphs.models import CanonicalSlot, Theme
from interviews.errors import FormRefused, InterviewError
from interviews.models import Study
from interviews.themes import renewal, service
from interviews.themes.history import sentences_of

ACTS = ("merge", "split", "rename", "move", "undo", "redo")


def inclusion_of(query: QueryDict) -> Inclusion:
    """The filter that an address asks for. Raises InclusionInvalid."""
    return parse({name: query.getlist(name) for name in NAMES})


def count_of(query: QueryDict) -> Count:
    """How relations are counted. Raises InclusionInvalid."""
    wanted = query.get("count") or COUNTS[0]
    for count in COUNTS:
        if count == wanted:
            return count
    raise InclusionInvalid({"count": f"{wanted!r} is none of {', '.join(COUNTS)}"})


def _cutoff_of(query: QueryDict) -> int | None:
    wanted = query.get("cutoff", "")
    if not wanted:
        return None
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 7):
        raise InclusionInvalid({"cutoff": f"{wanted[:40]!r} is no whole number from 1"})
    return int(wanted)


class StudyMapView(AnalystRequiredMixin):
    """What the interviews of a study say together."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page of the interviews that the address asks for; 400 tells what is wrong in it."""
        study = study_for(request.user, slug)
        wrong: dict[str, str] = {}
        try:
            page = build_page(
                read_study(study, inclusion_of(request.GET)),
                count_of(request.GET),
                _cutoff_of(request.GET),
                request.GET.dict(),
            )
        except CutoffOutOfRange as error:
            wrong, page = {"cutoff": str(error)}, None
        except InclusionInvalid as error:
            wrong, page = error.fields, None
        return render(
            request,
            "analytics/study.html",
            {
                "study": study,
                "page": page,
                "wrong": wrong,
                "asked": {name: request.GET.getlist(name) for name in NAMES},
                "statuses": STATUSES,
                "extras": EXTRAS,
                "marks": MARKS,
                "provenances": PROVENANCES,
                "changes": service.changes_of(study.pk),
                "may_correct": access.may(request.user, Right.CORRECT),
            },
            status=400 if wrong else 200,
        )


class SentencesView(AnalystRequiredMixin):
    """The sentences behind a number."""

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """A page of them, or with `?part=1` what goes into another page."""
        study = study_for(request.user, slug)
        try:
            reading = read_study(study, inclusion_of(request.GET))
            context = {"evidence": evidence_of(reading, request.GET.dict()), "reading": reading}
            status = 200
        except InclusionInvalid as error:
            context, status = {"wrong": error.fields}, 400
        part = request.GET.get("part") == "1"
        template = "analytics/_sentences.html" if part else "analytics/sentences.html"
        return render(request, template, {"study": study, **context}, status=status)


class ThemeView(AnalystRequiredMixin):
    """One theme: its slots, and what can be done to it."""

    def get(self, request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
        """A page of it, or with `?part=1` what goes into another page."""
        study = study_for(request.user, slug)
        theme = get_object_or_404(Theme, study=study, pk=pk)
        slots = CanonicalSlot.objects.filter(theme_member__theme=theme).order_by(
            "-support_count", "slot_name", "pk"
        )
        others = Theme.objects.filter(study=study, node_type=theme.node_type).exclude(pk=pk)
        part = request.GET.get("part") == "1"
        return render(
            request,
            "analytics/_theme.html" if part else "analytics/theme.html",
            {
                "study": study,
                "theme": theme,
                "slots": slots.select_related("theme_member", "session"),
                "others": others.order_by("name"),
                "version": service.version_of(study.pk),
                "may_correct": access.may(request.user, Right.CORRECT),
            },
        )


class ThemesView(AnalystRequiredMixin):
    """Changes of a study's themes."""

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Carry one out and go back to the page.

        400 says what is wrong with it; 409 what another analyst did meanwhile, with both beside
        each other, and nothing is stored.
        """
        study = study_for(request.user, slug, Right.CORRECT)
        renewal.ensure(study.pk)
        try:
            _carry_out(study, request.POST, by=request.user.get_username())
        except InterviewError as error:
            return self._refused(request, study, error)
        back = reverse("analytics:study_map", args=[study.slug])
        query = QueryDict(request.POST.get("query", "")).urlencode()
        return HttpResponseRedirect(f"{back}{'?' if query else ''}{query}#themes-title")

    def _refused(self, request: HttpRequest, study: Study, error: InterviewError) -> HttpResponse:
        outdated = isinstance(error, service.ThemesOutdated)
        again = [
            (name, value)
            for name, values in request.POST.lists()
            for value in values
            if name not in ("csrfmiddlewaretoken", "version")
        ]
        return render(
            request,
            "analytics/theme_refused.html",
            {
                "study": study,
                "error": error,
                "theirs": sentences_of(error.since) if outdated else [],  # type: ignore[attr-defined]
                "again": again,
                "outdated": outdated,
                "version": service.version_of(study.pk),
            },
            status=409 if outdated else 400,
        )


def _carry_out(study: Study, data: QueryDict, *, by: str) -> None:
    version = data.get("version", "")
    if not (version.isascii() and version.isdigit()):
        raise _wrong("version", "the version that the change is based on, a whole number")
    act = data.get("act", "")
    how: Any = {"by": by, "version": int(version)}
    if act == "merge":
        service.merge(study.pk, _ids(data, "themes"), **how)
    elif act == "split":
        name = data.get("name", "")
        service.split(study.pk, _id(data, "theme"), _ids(data, "slots"), name=name, **how)
    elif act == "rename":
        service.rename(study.pk, _id(data, "theme"), data.get("name", ""), **how)
    elif act == "move":
        service.move(study.pk, _ids(data, "slots"), _id(data, "into"), **how)
    elif act == "undo":
        service.undo(study.pk, **how)
    elif act == "redo":
        service.redo(study.pk, **how)
    else:
        raise _wrong("act", f"one of {', '.join(ACTS)}")


def _ids(data: QueryDict, name: str) -> list[UUID]:
    try:
        return [UUID(one) for one in data.getlist(name)]
    except ValueError as error:
        raise _wrong(name, "ids of this study") from error


def _id(data: QueryDict, name: str) -> UUID:
    found = _ids(data, name)
    if len(found) != 1:
        raise _wrong(name, "name one")
    return found[0]


def _wrong(field: str, message: str) -> FormRefused:
    return FormRefused(f"{field}: {message}.", fields={field: message})

"""Trying a study out: in the browser beside the decisions, or by a persona."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.access import may, study_for
from analytics.rights import Right
from console.views import ConsolePage
from interviews import trials
from interviews.errors import InterviewError
from interviews.models import Study, Trial
from methodologies.models import MethodologyVersion, PersonaVersion

SHOWN = 30


class TryPage(ConsolePage):
    """Shows a study's trials; a POST begins one or forgets them all."""

    template = "trying.html"
    reads = Right.TRY
    writes = Right.TRY

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page."""
        study = _study(request, slug)
        found = Trial.objects.filter(study=study).select_related(
            "session", "persona_version__document", "methodology_version__document"
        )
        return self.shown(
            request,
            title=f"Trying {study.name}",
            study=study,
            trials=found[:SHOWN],
            world=trials.world_of(study),
            personas=PersonaVersion.objects.select_related("document")
            .order_by("document__name", "-number")
            .distinct("document__name")
            .defer("text", "parsed"),
            versions=_versions(study),
            most=trials.MOST_TURNS,
            may_write=may(request.user, Right.LIBRARY),
        )

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Begin what was asked for."""
        study = _study(request, slug)
        try:
            match request.POST.get("do"):
                case "hold":
                    trial, token = trials.begin(
                        study, by=request.user.pk, methodology=_version(request, study)
                    )
                    request.session[f"trial-{trial.session_id}"] = token
                    return redirect("admin:watch", trial.session_id)
                case "simulate":
                    self._simulate(request, study)
                case "forget":
                    count = trials.forget(study)
                    messages.success(request, f"{count} trials are gone.")
        except InterviewError as error:
            messages.error(request, error.message)
        return redirect("admin:try", study.slug)

    def _simulate(self, request: HttpRequest, study: Study) -> None:
        wanted, turns = request.POST.get("persona", ""), request.POST.get("turns", "")
        persona = PersonaVersion.objects.filter(pk=int(wanted) if wanted.isdecimal() else 0).first()
        if persona is None:
            messages.error(request, "Choose a persona.")
            return
        trials.simulate(
            study,
            persona,
            int(turns) if turns.isdecimal() and len(turns) < 4 else 0,
            by=request.user.pk,
            methodology=_version(request, study),
        )
        messages.success(request, "The persona is answering. Its interview appears below.")


def _study(request: HttpRequest, slug: str) -> Study:
    """The study with its documents. Raises Http404 and PermissionDenied."""
    seen = study_for(request.user, slug, Right.TRY)
    return Study.objects.select_related(
        "concept_version__document", "methodology_version__document"
    ).get(pk=seen.pk)


def _versions(study: Study) -> list[MethodologyVersion]:
    """The versions of the study's methodology, newest first."""
    if study.methodology_version is None:
        return []
    document = study.methodology_version.document_id
    found = MethodologyVersion.objects.filter(document=document).select_related("document")
    return list(found.defer("text", "parsed").order_by("-number"))


def _version(request: HttpRequest, study: Study) -> MethodologyVersion | None:
    """The version that was chosen, None for the study's own."""
    wanted = request.POST.get("version", "")
    return next((one for one in _versions(study) if str(one.pk) == wanted), None)

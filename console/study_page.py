"""One study: its state, what it lacks, its link, how its interviews stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.access import may, study_for
from analytics.rights import Right
from console.studies import COUNTED, next_step, public_address
from console.views import ConsolePage, who
from interviews import audit, services, studies
from interviews.checklist import Estimate, Item, checklist, estimate
from interviews.errors import InterviewError
from interviews.models import Session, Study, StudyRevision, Turn
from interviews.study_files import file_of

VERBS = {
    Study.Status.LIVE: "Go live",
    Study.Status.PAUSED: "Pause",
    Study.Status.CLOSED: "Close",
    Study.Status.ARCHIVED: "Archive",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How many interviews of a study are where; simulated ones count nowhere."""

    held: int
    completed: int
    running: int
    failed: int
    simulated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyView:
    """All that the page shows."""

    study: Study
    figures: Figures
    next_step: str
    items: Sequence[Item]
    estimate: Estimate
    revisions: Sequence[StudyRevision]
    address: str
    verbs: Sequence[tuple[str, str]]


def figures_of(study: Study) -> Figures:
    """Counted in one query."""
    open_states = [Session.Status.ACTIVE, Session.Status.PAUSED]
    failed = Q(sessions__turns__status=Turn.Status.FAILED)
    running = COUNTED & Q(sessions__status__in=open_states)
    found = Study.objects.filter(pk=study.pk).aggregate(
        held=Count("sessions", filter=COUNTED, distinct=True),
        completed=Count(
            "sessions", filter=COUNTED & Q(sessions__status=Session.Status.COMPLETED), distinct=True
        ),
        running=Count("sessions", filter=running, distinct=True),
        failed=Count("sessions", filter=running & failed, distinct=True),
        simulated=Count("sessions", filter=Q(sessions__simulated=True), distinct=True),
    )
    return Figures(**found)


def view_of(study: Study) -> StudyView:
    """The page's read model."""
    figures = figures_of(study)
    return StudyView(
        study=study,
        figures=figures,
        next_step=next_step(study, figures.held, figures.completed),
        items=checklist(study),
        estimate=estimate(study),
        revisions=list(study.revisions.all()),
        address=public_address("study", study.slug),
        verbs=[
            (status, "Open again" if study.status == Study.Status.ARCHIVED else VERBS[status])
            for status in map(Study.Status, studies.NEXT[study.status])
        ],
    )


class StudyPage(ConsolePage):
    """Shows it; a POST changes its state, copies it or deletes it."""

    template = "study.html"
    writes = Right.STUDIES

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page."""
        return self._page(request, _study(request, slug))

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Do what the pressed button says; what cannot be done is told on the page."""
        study = _study(request, slug, Right.STUDIES)
        try:
            if "status" in request.POST:
                study = studies.change_status(study.pk, request.POST["status"], by=who(request))
                messages.success(request, f"{study.name} is {study.status} now.")
            elif "copy" in request.POST:
                study = studies.copy_study(study, request.POST["copy"].strip(), by=who(request))
                messages.success(request, f"Here is the copy: {study.slug}, a draft.")
            elif "delete" in request.POST:
                return self._delete(request, study)
        except InterviewError as error:
            messages.error(request, error.message)
            return self._page(request, _study(request, slug), status=409)
        return redirect("admin:study", study.slug)

    def _page(self, request: HttpRequest, study: Study, status: int = 200) -> HttpResponse:
        return self.shown(
            request,
            status,
            title=study.name,
            page=view_of(study),
            may_change=may(request.user, Right.STUDIES),
            may_invite=may(request.user, Right.INVITE),
            may_erase=may(request.user, Right.ERASE),
        )

    def _delete(self, request: HttpRequest, study: Study) -> HttpResponse:
        """Erase it with its interviews, once its address was typed to confirm it."""
        if not may(request.user, Right.ERASE):
            raise PermissionDenied
        if request.POST["delete"] != study.slug:
            messages.error(request, f"Nothing was deleted: type {study.slug} to confirm it.")
            return redirect("admin:study", study.slug)
        audit.record(audit.Action.DELETED, study, by=who(request))
        for session in study.sessions.all():
            services.erase_session(session.pk, by=who(request))
        study.delete()
        messages.success(request, f"{study.name} and its interviews are erased.")
        return redirect("admin:interviews_study_changelist")


class StudyFileView(ConsolePage):
    """A study as a file."""

    reads = Right.STUDIES

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The YAML, to be kept or imported elsewhere."""
        study = _study(request, slug, Right.STUDIES)
        audit.record(audit.Action.EXPORTED, study, by=who(request))
        return HttpResponse(
            file_of(study),
            content_type="application/yaml",
            headers={"Content-Disposition": f'attachment; filename="{study.slug}.yaml"'},
        )


def _study(request: HttpRequest, slug: str, right: Right = Right.READ) -> Study:
    """The study with all that its checks read. Raises Http404 and PermissionDenied."""
    seen = study_for(request.user, slug, right)
    found = (
        Study.objects.select_related(
            "team",
            "concept_version__document",
            "methodology_version__document",
            "guide_version__document",
        )
        .filter(pk=seen.pk)
        .first()
    )
    if found is None:
        raise Http404
    return found

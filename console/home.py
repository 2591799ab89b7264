"""Home: what needs somebody today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.contrib.admin import AdminSite
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from analytics.access import may, sessions_of, studies_of
from analytics.rights import Right
from interviews.models import Session, Study, Turn
from interviews.turns.flags import Flag

SHOWN = 8
NEAR = Decimal("0.8")
"""The share of a quota or a budget from which it is near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A quota or a budget of a study that is nearly used up, or is."""

    study: Study
    what: str
    used: str
    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Lists of what to look at, the newest first, `SHOWN` of each at most."""

    running: Sequence[Session]
    running_count: int
    failed: Sequence[Session]
    degraded: Sequence[Session]
    limits: Sequence[Limit]
    drafts: Sequence[Study]
    live: Sequence[Study]

    @property
    def nothing(self) -> bool:
        """Whether there is nothing at all yet."""
        return not (self.running or self.failed or self.degraded or self.drafts or self.live)


def home_of(request: HttpRequest) -> Home:
    """The read model, in eight queries."""
    sessions = (
        sessions_of(request.user)
        .filter(simulated=False)
        .select_related("study")
        .only("status", "turn_count", "max_turns", "started_at", "study__name", "study__slug")
        .order_by("-started_at")
    )
    running = sessions.open()  # type: ignore[attr-defined]
    failed = Turn.objects.filter(session=OuterRef("pk"), status=Turn.Status.FAILED)
    open_failed = running.filter(Exists(failed))
    studies = studies_of(request.user).defer("consent_text", "data_fields")
    return Home(
        running=list(running[:SHOWN]),
        running_count=running.count(),
        failed=list(open_failed[:SHOWN]),
        degraded=list(sessions.filter(summary__flags__contains=[Flag.DEGRADED])[:SHOWN]),
        limits=_limits(list(_with_use(studies.filter(status=Study.Status.LIVE)))),
        drafts=list(studies.filter(status=Study.Status.DRAFT)[:SHOWN]),
        live=list(studies.filter(status=Study.Status.LIVE)[:SHOWN]),
    )


def _with_use(studies: object) -> Sequence[Study]:
    completed = Q(sessions__status=Session.Status.COMPLETED, sessions__simulated=False)
    found: Sequence[Study] = (
        studies.filter(Q(quota__isnull=False) | Q(llm_choice__has_key="budget_usd"))  # type: ignore[attr-defined]
        .select_related("spend")
        .annotate(completed=Count("sessions", filter=completed))
    )
    return found


def _limits(studies: Sequence[Study]) -> list[Limit]:
    found = []
    for study in studies:
        completed = int(getattr(study, "completed", 0))
        if study.quota is not None and completed >= NEAR * study.quota:
            found.append(Limit(study=study, what="quota", used=str(completed), of=str(study.quota)))
        budget, spent = _budget(study), _spent(study)
        if budget is not None and spent >= NEAR * budget:
            found.append(Limit(study=study, what="budget", used=f"${spent:.2f}", of=f"${budget}"))
    return found


def _budget(study: Study) -> Decimal | None:
    try:
        return Decimal(str(study.llm_choice["budget_usd"]))
    except (KeyError, InvalidOperation):
        return None


def _spent(study: Study) -> Decimal:
    spend = getattr(study, "spend", None)
    return spend.cost_usd if spend else Decimal(0)


def home_page(request: HttpRequest, site: AdminSite) -> HttpResponse:
    """The console's first page."""
    return render(
        request,
        "admin/console/home.html",
        {
            **site.each_context(request),
            "title": "Home",
            "home": home_of(request),
            "may_change": may(request.user, Right.STUDIES),
        },
    )

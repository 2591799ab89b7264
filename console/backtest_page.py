"""Backtest: how another version of a methodology would have led interviews that were held."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from analytics.access import sessions_of, studies_of
from console.views import ConsolePage
from interviews.explain.backtest import Backtest, backtest, reasons_of
from interviews.models import Study
from methodologies.models import MethodologyVersion
from methodologies.registry import methodology_of

MOST_SESSIONS = 100
VERSIONS_SHOWN = 200


class BacktestPage(ConsolePage):
    """Choose a study and a version; read where its questions would have been others."""

    template = "backtest.html"
    title = "Backtest"

    def get(self, request: HttpRequest) -> HttpResponse:
        """The choice, and what comes of it once both are named."""
        study = studies_of(request.user).filter(slug=request.GET.get("study", "")).first()
        wanted = request.GET.get("version", "")
        versions = MethodologyVersion.objects.select_related("document").defer("text", "parsed")
        version = versions.filter(pk=int(wanted)).first() if wanted.isdecimal() else None
        found = self._result(request, study, version) if study and version else None
        return self.shown(
            request,
            study=study,
            version=version,
            studies=studies_of(request.user).only("slug", "name").order_by("name"),
            versions=versions[:VERSIONS_SHOWN],
            found=found,
            reasons=reasons_of(found) if found else (),
            most=MOST_SESSIONS,
        )

    def _result(self, request: HttpRequest, study: Study, version: MethodologyVersion) -> Backtest:
        sessions = (
            sessions_of(request.user)
            .filter(study=study)
            .select_related("methodology_version__document")
            .prefetch_related(None)
            .order_by("-started_at")[:MOST_SESSIONS]
        )
        return backtest(methodology_of(version), sessions)

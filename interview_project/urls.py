"""Who answers at which address."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from analytics.api.urls import nowhere
from analytics.handover.api import FilesApi
from analytics.reports.urls import shared as shared_reports
from interview_project.health import healthz

urlpatterns: list[URLPattern | URLResolver] = [
    # Respondents come by their links; who comes to the bare address works here.
    path("", RedirectView.as_view(url="/dashboard/"), name="home"),
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
    path("api/studies/<slug:slug>/files", FilesApi.as_view(), name="study_files"),
    path("api/", include("analytics.api.urls")),
    path("api/", include(nowhere)),
    path("dashboard/", include("analytics.urls")),
    *shared_reports,
    path("", include("interviews.chat.urls")),
]

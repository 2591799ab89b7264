"""Addresses for programs, below /api/."""

from __future__ import annotations

from django.urls import path

from interviews.api import interviews

app_name = "api"

urlpatterns = [
    path("interview", interviews.BeginView.as_view(), name="begin"),
    path("interview/<uuid:pk>/respond", interviews.RespondView.as_view(), name="respond"),
    path("interview/<uuid:pk>/end", interviews.EndView.as_view(), name="end"),
    path("interview/<uuid:pk>/state", interviews.StateView.as_view(), name="state"),
]

"""Addresses of the dashboards, below /dashboard/."""

from __future__ import annotations

from django.urls import path

from analytics import views

app_name = "analytics"

urlpatterns = [
    path("", views.SessionListView.as_view(), name="home"),
    path("studies/<slug:slug>/", views.SessionListView.as_view(), name="study"),
    path(
        "studies/<slug:slug>/export/<slug:format_name>/",
        views.StudyExportView.as_view(),
        name="study_export",
    ),
    path("sessions/<uuid:pk>/", views.SessionView.as_view(), name="session"),
    path(
        "sessions/<uuid:pk>/export/<slug:format_name>/",
        views.SessionExportView.as_view(),
        name="session_export",
    ),
]

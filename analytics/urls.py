"""Addresses of the dashboards, below /dashboard/."""

from __future__ import annotations

from django.urls import path

from analytics import correction_views, export_views, study_views, views
from analytics.agreement.urls import urlpatterns as agreement
from analytics.coverage.urls import urlpatterns as coverage
from analytics.finding.urls import urlpatterns as finding
from analytics.handover import views as handover
from analytics.notes.urls import urlpatterns as notes
from analytics.reports.urls import urlpatterns as reports

app_name = "analytics"

urlpatterns = [
    *finding,
    *notes,
    *coverage,
    *reports,
    *agreement,
    path("studies/<slug:slug>/files/", handover.FilesView.as_view(), name="handover_files"),
    path("studies/<slug:slug>/files/<uuid:pk>/", handover.FileView.as_view(), name="handover_file"),
    path("studies/<slug:slug>/backlog/", handover.BacklogView.as_view(), name="handover_backlog"),
    path("studies/<slug:slug>/ask/", handover.AskView.as_view(), name="handover_ask"),
    path(
        "studies/<slug:slug>/passages/<int:passage>/",
        handover.PassageView.as_view(),
        name="handover_passage",
    ),
    path(
        "studies/<slug:slug>/package/<slug:format_name>/",
        handover.PackageView.as_view(),
        name="handover_package",
    ),
    path("", views.SessionListView.as_view(), name="home"),
    path("studies/<slug:slug>/", views.SessionListView.as_view(), name="study"),
    path("studies/<slug:slug>/map/", study_views.StudyMapView.as_view(), name="study_map"),
    path(
        "studies/<slug:slug>/sentences/",
        study_views.SentencesView.as_view(),
        name="study_sentences",
    ),
    path("studies/<slug:slug>/themes/", study_views.ThemesView.as_view(), name="study_themes"),
    path(
        "studies/<slug:slug>/themes/<uuid:pk>/", study_views.ThemeView.as_view(), name="study_theme"
    ),
    path("studies/<slug:slug>/export/", export_views.ExportPage.as_view(), name="export"),
    path("exports/<uuid:pk>/", export_views.ExportFileView.as_view(), name="export_file"),
    path(
        "exports/<uuid:pk>/file/", export_views.ExportContentView.as_view(), name="export_content"
    ),
    path(
        "studies/<slug:slug>/export/<slug:format_name>/",
        export_views.StudyExportView.as_view(),
        name="study_export",
    ),
    path("sessions/<uuid:pk>/", views.SessionView.as_view(), name="session"),
    path(
        "sessions/<uuid:pk>/corrections/",
        correction_views.CorrectionsView.as_view(),
        name="corrections",
    ),
    path(
        "sessions/<uuid:pk>/export/<slug:format_name>/",
        export_views.SessionExportView.as_view(),
        name="session_export",
    ),
]

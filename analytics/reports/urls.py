"""Addresses of reports for analysts; the shared one is at the site's root."""

from __future__ import annotations

from django.urls import path

from analytics.reports import views

urlpatterns = [
    path("studies/<slug:slug>/report/", views.ReportView.as_view(), name="report"),
    path("studies/<slug:slug>/report.pdf", views.ReportPdfView.as_view(), name="report_pdf"),
    path("studies/<slug:slug>/report/links/", views.ReportLinksView.as_view(), name="report_links"),
]

shared = [
    path("report/<str:token>/", views.SharedReportView.as_view(), name="report_shared"),
    path(
        "report/<str:token>/report.pdf",
        views.SharedReportView.as_view(),
        {"form": "pdf"},
        name="report_shared_pdf",
    ),
]

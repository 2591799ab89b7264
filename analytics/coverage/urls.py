"""Addresses of concept tests."""

from __future__ import annotations

from django.urls import path

from analytics.coverage import views

urlpatterns = [
    path("studies/<slug:slug>/coverage/", views.CoverageView.as_view(), name="coverage"),
    path(
        "studies/<slug:slug>/coverage/coverage.csv",
        views.CoverageFileView.as_view(),
        name="coverage_file",
    ),
    path(
        "studies/<slug:slug>/stimulus/<str:name>",
        views.StimulusView.as_view(),
        name="stimulus_image",
    ),
]

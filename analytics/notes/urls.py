"""Addresses of memos, stars, reviews and summaries."""

from __future__ import annotations

from django.urls import path

from analytics.notes import views

urlpatterns = [
    path("studies/<slug:slug>/memos/", views.StudyNotesView.as_view(), name="memos"),
    path("memos/<uuid:pk>/", views.MemoView.as_view(), name="memo"),
    path("sessions/<uuid:pk>/notes/", views.SessionNotesView.as_view(), name="session_notes"),
]

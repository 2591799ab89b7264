"""Addresses of coding and agreement."""

from __future__ import annotations

from django.urls import path

from analytics.agreement import views

urlpatterns = [
    path("studies/<slug:slug>/agreement/", views.AgreementView.as_view(), name="agreement"),
    path("studies/<slug:slug>/agreement/code/", views.CodeView.as_view(), name="code"),
]

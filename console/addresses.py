"""The addresses of the console's own pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.admin import AdminSite
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from console.backtest_page import BacktestPage
from console.costs import CostsPage
from console.recruiting import InvitationsFileView, RecruitingPage
from console.study_page import StudyFileView, StudyPage


def pages(site: AdminSite) -> list[URLPattern]:
    """Every page, behind the console's door."""

    def page(route: str, view: type[Any], name: str) -> URLPattern:
        shown: Callable[..., HttpResponseBase] = site.admin_view(view.as_view())
        return path(route, shown, name=name)

    return [
        page("studies/<slug:slug>/", StudyPage, "study"),
        page("studies/<slug:slug>/file/", StudyFileView, "study_file"),
        page("studies/<slug:slug>/recruiting/", RecruitingPage, "recruiting"),
        page("studies/<slug:slug>/recruiting.csv", InvitationsFileView, "recruiting_file"),
        page("costs/", CostsPage, "costs"),
        page("backtest/", BacktestPage, "backtest"),
    ]

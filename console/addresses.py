"""The addresses of the console's own pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.admin import AdminSite
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from console.backtest_page import BacktestPage
from console.concept_form import ConceptFormPage
from console.costs import CostsPage
from console.difference import DifferencePage
from console.editing import CheckView, DraftView, WordsView
from console.elements_page import ConceptImageView, ElementsPage
from console.library_files import LibraryFileView, LibraryPage
from console.methodology_page import MethodologyPage
from console.monitor import MonitorPage, WatchPage
from console.programs import ProgramsPage
from console.recruiting import InvitationsFileView, RecruitingPage
from console.study_page import StudyFileView, StudyPage
from console.trying import TryPage
from console.weights_page import WeightsPage
from console.world_page import WorldPage


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
        page("monitor/", MonitorPage, "monitor"),
        page("monitor/<uuid:pk>/", WatchPage, "watch"),
        page("editing/<slug:kind>/check/", CheckView, "check"),
        page("editing/<slug:kind>/words/", WordsView, "words"),
        page("editing/<slug:kind>/draft/", DraftView, "draft"),
        page("library/<slug:kind>/<int:old>/<int:new>/", DifferencePage, "difference"),
        page("studies/<slug:slug>/try/", TryPage, "try"),
        page("library/methodology/<int:version>/", MethodologyPage, "methodology"),
        page("library/concept/<int:concept>/elements/", ElementsPage, "elements"),
        page("library/concept/<int:concept>/world/", WorldPage, "concept_world"),
        page("library/concept/<int:concept>/image/", ConceptImageView, "concept_image"),
        page("library/weights/<int:document>/", WeightsPage, "weights"),
        page("library/concept/", ConceptFormPage, "concept_new"),
        page("library/concept/<int:document>/", ConceptFormPage, "concept_form"),
        page("library/files/", LibraryPage, "library"),
        page("library/files/library.zip", LibraryFileView, "library_file"),
        page("programs/", ProgramsPage, "programs"),
        page("costs/", CostsPage, "costs"),
        page("backtest/", BacktestPage, "backtest"),
    ]

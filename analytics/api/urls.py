"""Addresses for programs, below /api/. Each ends with a slash, and answers without it, too."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path, re_path

from analytics.api import (
    corrections,
    exports,
    figures,
    finding,
    graphs,
    imports,
    interview_routes,
    invitations,
    library,
    memos,
    schema,
    sessions,
    simulations,
    studies,
    themes,
    webhooks,
)
from methodologies.registry import CONCEPT, GUIDE, METHODOLOGY, PERSONA

app_name = "api"

LIBRARY = {
    "methodologies": METHODOLOGY,
    "concepts": CONCEPT,
    "guides": GUIDE,
    "personas": PERSONA,
}


def at(route: str, view: Any, name: str) -> list[URLPattern]:
    """An address with a slash at its end, and its unnamed twin without."""
    return [path(f"{route}/", view, name=name), path(route, view)]


def _library() -> list[URLPattern]:
    return [
        pattern
        for folder, kind in LIBRARY.items()
        for pattern in (
            *at(folder, library.Documents.as_view(kind=kind), folder),
            *at(f"{folder}/<slug:name>", library.DocumentView.as_view(kind=kind), kind.title),
            *at(
                f"{folder}/<slug:name>/versions",
                library.Versions.as_view(kind=kind),
                f"{kind.title}_versions",
            ),
        )
    ]


STUDY, SESSION = "studies/<slug:slug>", "sessions/<uuid:pk>"

urlpatterns = [
    path("schema/", schema.SchemaView.as_view(), name="schema"),
    path("docs/", schema.DocsView.as_view(), name="docs"),
    # Handover's addresses, as they were
    path("interview", interview_routes.BeginView.as_view(), name="begin"),
    path("interview/<uuid:pk>/respond", interview_routes.RespondView.as_view(), name="respond"),
    path("interview/<uuid:pk>/end", interview_routes.EndView.as_view(), name="end"),
    path("interview/<uuid:pk>/state", interview_routes.state_view, name="state"),
    *at("studies", studies.Studies.as_view(), "studies"),
    *at(STUDY, studies.StudyView.as_view(), "study"),
    *at(f"{STUDY}/status", studies.StudyStatus.as_view(), "study_status"),
    *at(f"{STUDY}/file", studies.StudyFileView.as_view(), "study_file"),
    *at("study-files", studies.StudyFiles.as_view(), "study_files"),
    *at(f"{STUDY}/revisions", studies.Revisions.as_view(), "revisions"),
    *at(f"{STUDY}/revisions/<int:number>", studies.RevisionView.as_view(), "revision"),
    *at(f"{STUDY}/invitations", invitations.Invitations.as_view(), "invitations"),
    *at(f"{STUDY}/exports/<slug:format_name>", exports.StudyExport.as_view(), "study_export"),
    *at(f"{STUDY}/themes", themes.Themes.as_view(), "themes"),
    *at(f"{STUDY}/themes/<uuid:pk>", themes.ThemeView.as_view(), "theme"),
    *at(f"{STUDY}/matrix", figures.MatrixView.as_view(), "matrix"),
    *at(f"{STUDY}/map", figures.MapView.as_view(), "map"),
    *at(f"{STUDY}/saturation", figures.SaturationView.as_view(), "saturation"),
    *at(f"{STUDY}/search", finding.SearchStudy.as_view(), "search_study"),
    *at(f"{STUDY}/ask", finding.Ask.as_view(), "ask"),
    *at(f"{STUDY}/memos", memos.Memos.as_view(), "memos"),
    *at("memos/<uuid:pk>", memos.MemoView.as_view(), "memo"),
    *at("search", finding.SearchAll.as_view(), "search"),
    *at("invitations/<uuid:pk>", invitations.InvitationView.as_view(), "invitation"),
    *at("sessions", sessions.Sessions.as_view(), "sessions"),
    *at(SESSION, sessions.SessionView.as_view(), "session"),
    *at(f"{SESSION}/respond", sessions.Respond.as_view(), "session_respond"),
    *at(f"{SESSION}/end", sessions.End.as_view(), "session_end"),
    *at(f"{SESSION}/pause", sessions.Pause.as_view(), "session_pause"),
    *at(f"{SESSION}/resume", sessions.Resume.as_view(), "session_resume"),
    *at(f"{SESSION}/turns", sessions.Turns.as_view(), "turns"),
    *at(f"{SESSION}/turns/<int:number>", sessions.turn_view, "turn"),
    *at(f"{SESSION}/utterances", sessions.Utterances.as_view(), "utterances"),
    *at(f"{SESSION}/graph", graphs.GraphView.as_view(), "graph"),
    *at(f"{SESSION}/canonical-graph", graphs.CanonicalView.as_view(), "canonical_graph"),
    *at(f"{SESSION}/corrections", corrections.Corrections.as_view(), "corrections"),
    *at(f"{SESSION}/slots", graphs.SlotsView.as_view(), "slots"),
    *at(f"{SESSION}/exports/<slug:format_name>", exports.SessionExport.as_view(), "session_export"),
    *_library(),
    *at("concepts/<slug:name>/elements", library.Elements.as_view(kind=CONCEPT), "elements"),
    *at("exports", exports.Formats.as_view(), "formats"),
    *at("export-files/<uuid:pk>", exports.ExportFileView.as_view(), "export_file"),
    *at("export-files/<uuid:pk>/content", exports.ExportContent.as_view(), "export_content"),
    *at("imports", imports.Imports.as_view(), "imports"),
    *at("simulations", simulations.Simulations.as_view(), "simulations"),
    *at("simulations/<int:pk>", simulations.SimulationView.as_view(), "simulation"),
    *at("webhooks", webhooks.Webhooks.as_view(), "webhooks"),
    *at("webhooks/<uuid:pk>", webhooks.WebhookView.as_view(), "webhook"),
    *at("webhooks/<uuid:pk>/deliveries", webhooks.Deliveries.as_view(), "deliveries"),
    *at("deliveries/<uuid:pk>/replay", webhooks.Replay.as_view(), "replay"),
]

nowhere = [re_path(r"", schema.Nowhere.as_view())]
"""What is asked when nothing else below /api/ was found."""

"""How the console looks and what stands at its side: the theme's settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

BRAND = {
    "50": "#f4f7fe",
    "100": "#e9effc",
    "200": "#cfdcf8",
    "300": "#adc2f3",
    "400": "#8fb0ff",
    "500": "#4a76df",
    "600": "#2f5bd0",
    "700": "#274cae",
    "800": "#223f8d",
    "900": "#1f366f",
    "950": "#1f2b4a",
}


def _may_view(model: str) -> Callable[[HttpRequest], bool]:
    app, name = model.split("_")

    def permitted(request: HttpRequest) -> bool:
        return bool(request.user.has_perm(f"{app}.view_{name}"))

    return permitted


def _model(title: Promise | str, icon: str, model: str) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{model}_changelist"),
        "permission": _may_view(model),
    }


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Interviews",
    "SITE_HEADER": "Interviews",
    "SITE_SUBHEADER": _("Research console"),
    "SITE_URL": "/dashboard/",
    "SITE_SYMBOL": "forum",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": True,
    "BORDER_RADIUS": "8px",
    "COLORS": {"primary": BRAND},
    "SITE_DROPDOWN": [
        {"icon": "monitoring", "title": _("Dashboards"), "link": "/dashboard/"},
        {"icon": "monitor_heart", "title": _("Status"), "link": "/healthz"},
    ],
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": True,
        "navigation": [
            {
                "title": _("Interviews"),
                "items": [
                    _model(_("Studies"), "lab_profile", "interviews_study"),
                    _model(_("Invitations"), "mail", "interviews_invitation"),
                    _model(_("Sessions"), "forum", "interviews_session"),
                    {"title": _("Dashboards"), "icon": "monitoring", "link": "/dashboard/"},
                ],
            },
            {
                "title": _("How to interview"),
                "separator": True,
                "items": [
                    _model(_("Methodologies"), "account_tree", "methodologies_methodology"),
                    _model(_("Concepts"), "lightbulb", "methodologies_concept"),
                    _model(_("Guides"), "checklist", "methodologies_guide"),
                    _model(_("Personas"), "theater_comedy", "methodologies_persona"),
                ],
            },
            {
                "title": _("Operation"),
                "separator": True,
                "items": [
                    _model(_("Model calls and cost"), "payments", "interviews_llmcall"),
                    _model(_("People"), "person", "auth_user"),
                    {"title": _("Status"), "icon": "monitor_heart", "link": "/healthz"},
                ],
            },
        ],
    },
}

"""How the console looks and what stands at its side: the theme's settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analytics.rights import Right

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


def _may(right: Right) -> Callable[[HttpRequest], bool]:
    def permitted(request: HttpRequest) -> bool:
        from analytics.access import may  # needs Django's apps, which settings come before

        return may(request.user, right)

    return permitted


def _page(
    title: Promise | str, icon: str, address: str, right: Right = Right.READ
) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": address if address.startswith("/") else reverse_lazy(f"admin:{address}"),
        "permission": _may(right),
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
    ],
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {
                "title": _("Interviews"),
                "items": [
                    _page(_("Home"), "home", "index"),
                    _page(_("Studies"), "lab_profile", "interviews_study_changelist"),
                    _page(
                        _("Invitations"),
                        "mail",
                        "interviews_invitation_changelist",
                        Right.INVITE,
                    ),
                    _page(_("Monitor"), "visibility", "monitor"),
                    _page(_("Interviews"), "forum", "interviews_session_changelist"),
                    _page(_("Dashboards"), "monitoring", "/dashboard/"),
                ],
            },
            {
                "title": _("Library"),
                "separator": True,
                "items": [
                    _page(
                        _("Methodologies"), "account_tree", "methodologies_methodology_changelist"
                    ),
                    _page(_("Concepts"), "lightbulb", "methodologies_concept_changelist"),
                    _page(_("Guides"), "checklist", "methodologies_guide_changelist"),
                    _page(_("Personas"), "theater_comedy", "methodologies_persona_changelist"),
                    _page(_("Import and export"), "import_export", "library", Right.LIBRARY),
                    _page(_("Backtest"), "compare_arrows", "backtest"),
                ],
            },
            {
                "title": _("People"),
                "separator": True,
                "items": [
                    _page(_("Teams"), "group", "interviews_team_changelist", Right.TEAMS),
                    _page(_("People"), "person", "auth_user_changelist", Right.ACCOUNTS),
                    _page(_("API and webhooks"), "webhook", "programs"),
                ],
            },
            {
                "title": _("Costs and audit"),
                "separator": True,
                "items": [
                    _page(_("Costs"), "payments", "costs"),
                    _page(_("Audit"), "history", "interviews_auditentry_changelist", Right.AUDIT),
                    _page(
                        _("Erasures"), "ink_eraser", "interviews_erasure_changelist", Right.AUDIT
                    ),
                ],
            },
        ],
    },
}

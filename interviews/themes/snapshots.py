"""Themes and their members as they stood, by ids, and how they are put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from graphs.models import Theme, ThemeMember

Snapshot = Mapping[str, Mapping[str, Any]]
"""{"themes": {id: {"node_type", "name"}}, "members": {slot: {"theme", "similarity", "decided"}}};
names are those that people gave, "" where a slot gives it."""


def taken_of(theme_ids: Iterable[UUID]) -> dict[str, dict[str, Any]]:
    """How these themes stand now."""
    themes = Theme.objects.filter(pk__in=list(theme_ids))
    members = ThemeMember.objects.filter(theme__in=themes)
    return {
        "themes": {
            str(one.pk): {"node_type": one.node_type, "name": one.name if one.named else ""}
            for one in themes
        },
        "members": {
            str(one.slot_id): {
                "theme": str(one.theme_id),
                "similarity": one.similarity,
                "decided": one.decided,
            }
            for one in members
        },
    }


def put_back(study_id: UUID, wanted: Snapshot, instead_of: Snapshot) -> None:
    """Bring the themes of both snapshots to what stands in `wanted`.

    Slots that were erased meanwhile stay away; those that joined one of the themes meanwhile stay
    where they are, or go where most of their theme's slots go. Those that left stay where they are.
    """
    known = {UUID(one) for one in (*wanted["themes"], *instead_of["themes"])}
    current = {
        member.slot_id: member
        for member in ThemeMember.objects.filter(theme_id__in=known, theme__study_id=study_id)
    }
    for theme_id, theme in wanted["themes"].items():
        row, made = Theme.objects.get_or_create(
            pk=UUID(theme_id),
            defaults={
                "study_id": study_id,
                "node_type": theme["node_type"],
                "name": theme["name"] or theme_id,
                "named": bool(theme["name"]),
            },
        )
        if not made:
            row.named = bool(theme["name"])
            row.name = theme["name"] or theme_id
            row.save(update_fields=["named", "name"])
    for slot_id, member in current.items():
        stood = wanted["members"].get(str(slot_id))
        if stood is not None:
            member.theme_id = UUID(stood["theme"])
            member.similarity, member.decided = stood["similarity"], stood["decided"]
        elif str(member.theme_id) not in wanted["themes"]:
            member.theme_id = _heir(str(member.theme_id), wanted, instead_of)
    ThemeMember.objects.bulk_update(current.values(), ["theme", "similarity", "decided"])


def _heir(theme_id: str, wanted: Snapshot, instead_of: Snapshot) -> UUID:
    """The theme that most slots of one that goes away belong to from now on."""
    went = Counter(
        wanted["members"][slot]["theme"]
        for slot, member in instead_of["members"].items()
        if member["theme"] == theme_id and slot in wanted["members"]
    )
    return UUID(max(went or wanted["themes"], key=lambda one: (went[one], one)))

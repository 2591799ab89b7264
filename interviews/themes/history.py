"""What people did to themes, in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from graphs.models import Merge, Theme

_DID = {
    "merge": "merged {names}",
    "split": "split {names}",
    "rename": "named a theme {names}",
    "move": "moved slots between {names}",
}


def sentences_of(acts: Iterable[Merge]) -> list[str]:
    """What each act did and who did it, by the names that themes have now where they are there."""
    acts = list(acts)
    ids = {UUID(one) for act in acts for one in (*act.before["themes"], *act.after["themes"])}
    names = {
        str(pk): name for pk, name in Theme.objects.filter(pk__in=ids).values_list("pk", "name")
    }
    found = []
    for act in acts:
        touched = dict.fromkeys((*act.after["themes"], *act.before["themes"]))
        known = [f"“{names[one]}”" for one in touched if one in names]
        did = _DID[act.kind].format(names=" and ".join(known) or "themes that are gone now")
        who = f"{act.undone_by} undid: {act.made_by}" if act.undone_at else act.made_by
        found.append(f"{who} {did}")
    return found

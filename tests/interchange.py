"""Exports compared but for ids and times: each id by what it stands for, lists by their content."""

from __future__ import annotations

import json
import re
from typing import Any

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ORDERED = {"utterances", "turns", "nodes", "corrections", "questions", "facts", "sessions"}


def comparable(document: Any) -> Any:
    """The document of a study with every id named and every time left out."""
    names = {document["study"]["id"]: "study"}
    for place, one in enumerate(document["sessions"]):
        names |= _named(one, f"session {place}")
    for theme in document["themes"]:
        names[theme["id"]] = f"theme {theme['node_type']} {theme['name']}"
    text = UUID.sub(lambda found: names.get(found[0], "?"), json.dumps(document))
    return _plain(json.loads(text), "")


def _named(one: Any, session: str) -> dict[str, str]:
    names = {one["session"]["id"]: session}
    for kind in ("utterances", "turns", "nodes", "corrections"):
        for place, row in enumerate(one[kind]):
            names[row["id"]] = f"{session} {kind} {place}"
    for slot in one["slots"]:
        names[slot["id"]] = f"{session} slot {slot['node_type']} {slot['slot_name']}"
    for kind in ("edges", "canonical_edges"):
        for row in one[kind]:
            ends = names[row["source_id"]], row["edge_type"], names[row["target_id"]]
            names[row["id"]] = f"{session} {kind} {ends}"
    return names


def _plain(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        kept = {
            name: _plain(one, name)
            for name, one in value.items()
            if not name.endswith(("_at", "until")) and name not in {"support_ids", "exported at"}
        }
        return {name: kept[name] for name in sorted(kept)}
    if isinstance(value, list):
        found = [_plain(one, key) for one in value]
        return found if key in ORDERED else sorted(found, key=json.dumps)
    return value

"""The reference pages that are made from the code, so that they cannot tell another story."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pydantic.fields import FieldInfo

from analytics.interchange import schema as export_schema
from analytics.rights import roles_page
from interview_project.env import BASE_DIR, Environment, expected
from interviews.modes.evaluative.reference import evaluative_page
from interviews.modes.guided.reference import guided_page
from methodologies import reference

FOLDER = BASE_DIR / "docs" / "reference"
NOTE = "<!-- Made by `make docs`; change the code, not this page. -->\n\n"


def pages() -> dict[Path, str]:
    """Every generated page and what should be in it."""
    makers: dict[str, Callable[[], str]] = {
        "concept-tests.md": lambda: NOTE + evaluative_page(),
        "export.schema.json": lambda: (
            json.dumps(export_schema(), indent=1, ensure_ascii=False) + "\n"
        ),
        "guided.md": lambda: NOTE + guided_page(),
        "roles.md": lambda: NOTE + roles_page(),
        "settings.md": settings_page,
        "signals.md": signals_page,
    }
    return {FOLDER / name: make() for name, make in makers.items()}


def stale() -> list[Path]:
    """The pages that differ from what the code says."""
    return [
        path
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def write() -> list[Path]:
    """Write the pages that differ, and name them."""
    changed = {path: text for path, text in pages().items() if path in stale()}
    for path, text in changed.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(changed)


def settings_page() -> str:
    """The environment variables."""
    lines = [
        NOTE + "# Settings",
        "",
        "Read once, when a process starts. A wrong value stops it with a message that names the",
        "variable, what was found and what is expected; an empty value counts as unset.",
        "",
        "| variable | default | expected | what it does |",
        "|---|---|---|---|",
    ]
    for name, field in Environment.model_fields.items():
        cells = [f"`{name.upper()}`", _default(field), expected(field), field.description or ""]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None or value in ("", ()):
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{','.join(value)}`"
    return f"`{value}`"


def signals_page() -> str:
    """The signals, as their registry has them."""
    return NOTE + reference.signals_page()

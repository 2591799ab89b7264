"""Stylesheets of respondents' pages name sides by the way that text runs, not left or right."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

RESPONDENTS = ("tokens", "base", "sheet", "chat", "no-script")
SIDES = {"left", "right", "top", "bottom"}
FOUR_SIDED = re.compile(r"^(margin|padding|inset|border-(width|style|color|radius))$")


def physical(css: str) -> list[str]:
    """The declarations of a stylesheet that name a side of the screen, as `property: value`."""
    found = []
    for name, value in declarations(css):
        words = set(re.split(r"[^a-z]+", value)) if "env(" not in value else set()
        named = set(name.split("-")) & SIDES or (
            words & {"left", "right"} and not name.startswith("--")
        )
        if named or uneven(name, value):
            found.append(f"{name}: {value}")
    return found


def declarations(css: str) -> list[tuple[str, str]]:
    """Each property with its value, comments and selectors left out."""
    bare = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    lines = re.findall(r"[{;]\s*([a-z-]+)\s*:\s*([^;{}]+)(?=[;}])", bare.replace(";", ";;"))
    return [(name, " ".join(value.split())) for name, value in lines]


def uneven(name: str, value: str) -> bool:
    """Do the four values of a shorthand give its left another than its right?"""
    parts = re.findall(r"(?:[^\s(]+\([^()]*(?:\([^()]*\)[^()]*)*\)|\S)+", value)
    if FOUR_SIDED.match(name) is None or len(parts) != 4:
        return False
    return len(set(parts)) > 1 if name == "border-radius" else parts[1] != parts[3]


@pytest.mark.parametrize("name", RESPONDENTS)
def test_no_side_of_the_screen_is_named(name: str) -> None:
    css = (settings.BASE_DIR / "static" / "css" / f"{name}.css").read_text("utf-8")
    assert declarations(css)
    assert physical(css) == []


@pytest.mark.parametrize(
    "declared",
    [
        "margin-left: auto",
        "text-align: right",
        "left: 0",
        "padding: 0 1px 0 var(--gutter)",
        "border-radius: 4px 4px 0 4px",
        "border-top: 1px solid",
        "float: left",
        "transform-origin: top left",
    ],
)
def test_what_names_a_side_is_found(declared: str) -> None:
    assert physical(f".a {{ color: red; {declared}; }}") == [declared]
    assert physical("@media (width) { .a { margin: 0 auto; inset-inline-start: 0 } }") == []

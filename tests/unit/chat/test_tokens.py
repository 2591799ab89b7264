"""The design tokens: both dark blocks are one theme, and every pair of text can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = (Path(__file__).resolve().parents[3] / "static" / "css" / "tokens.css").read_text("utf-8")
TEXTS = ["ink", "ink-2", "ink-3", "brand", "brand-strong", "ok", "warn", "bad"]
LEVELS = range(1, 6)


def block(selector: str) -> dict[str, str]:
    body = CSS.split(f"{selector} {{", 1)[1].split("}", 1)[0]
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", body))


THEMES = {"light": block(":root"), "dark": block(':root[data-theme="dark"]')}


def luminance(colour: str) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_definition() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_chosen_dark_theme_is_the_systems_dark_theme() -> None:
    assert block(':root:not([data-theme="light"])') == THEMES["dark"]


def test_dark_gives_a_value_to_every_colour() -> None:
    colours = {name for name, value in THEMES["light"].items() if value.startswith("#")}
    assert colours <= THEMES["dark"].keys()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", ["paper", "wash", "brand-wash"])
@pytest.mark.parametrize("text", TEXTS)
def test_text_can_be_read_on_every_surface(theme: str, surface: str, text: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours[text], colours[surface]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("level", LEVELS)
def test_levels_can_be_read_and_written_upon(theme: str, level: int) -> None:
    colours = THEMES[theme]
    own = colours[f"level-{level}"]
    for other in ("on-level", "paper", "wash", f"level-{level}-wash"):
        assert contrast(own, colours[other]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("outcome", ["ok", "warn", "bad"])
def test_outcomes_can_be_read_on_their_wash(theme: str, outcome: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours[outcome], colours[f"{outcome}-wash"]) >= 4.5
    assert contrast(colours["ink"], colours[f"{outcome}-wash"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_borders_of_controls_can_be_seen(theme: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours["line-strong"], colours["paper"]) >= 3
    assert contrast(colours["line-strong"], colours["wash"]) >= 3

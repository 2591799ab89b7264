"""What tests of pages share: sizes, the browser's flags, axe's list of violations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent.parent
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

NewPage = Callable[..., Page]


AT_REST = """() => Promise.all(document.getAnimations()
    .filter(motion => motion.effect.getComputedTiming().iterations !== Infinity)
    .map(motion => motion.finished.catch(() => null)))"""
"""Resolves when what fades or moves once has done so: half-faded text has no contrast."""


def violations(page: Page, *, impacts: tuple[str, ...] | None = None) -> list[str]:
    """What axe finds wrong with the page once it has come to rest: rule and element, one a line.

    `impacts` are those that count; all of them where none are named.
    """
    page.evaluate(AT_REST)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", STANDARD
    )
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))} ({node['failureSummary']})"
        for rule in found["violations"]
        if impacts is None or rule["impact"] in impacts
        for node in rule["nodes"]
    ]

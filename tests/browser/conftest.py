"""Chromium, and pages whose script errors fail the test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.pages import DESK, FLAGS, NewPage
from tests.browser.site import Site


@pytest.fixture(scope="session")
def browser(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Open pages, each on a device of its own; a script error on any of them fails the test."""
    contexts = []
    errors: list[str] = []

    def open_page(size: dict[str, int] | None = None, **options: Any) -> Page:
        context = browser.new_context(viewport=size or DESK, locale="en-GB", **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda message: (
                errors.append(message.text) if "Content Security Policy" in message.text else None
            ),
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site with the demo study, shared by the tests that do not stop it."""
    running = Site(tmp_path_factory.mktemp("site") / "data")
    running.start()
    yield running
    running.stop()

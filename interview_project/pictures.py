"""The pictures of the README: a fresh site, a real interview, a real browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from interview_project.env import BASE_DIR
from interview_project.errors import ConfigurationError

if TYPE_CHECKING:
    from playwright.sync_api import Page

START_SECONDS = 120.0
ANSWERS = (
    "I have had the same pack for six years and I pick packs for how they sit on my back.",
    "When the weight sits on my hips I don't get tired, so I can walk further in a day.",
    "Walking further means I reach quiet places, and that is where my head gets clear.",
)
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A running demonstration site."""

    base: str
    password: str


def take(folder: Path) -> list[Path]:
    """Write chat.png, admin.png and dashboard.png into `folder`.

    Raises ConfigurationError where there is no Chromium or the site does not start.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise ConfigurationError("Chromium is not installed (Debian: apt-get install chromium).")
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with demo() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        try:
            page = browser.new_page(
                viewport={"width": 1280, "height": 860}, device_scale_factor=1, locale="en"
            )
            page.set_default_timeout(60_000)
            paths = [folder / f"{name}.png" for name in ("chat", "admin", "dashboard")]
            _chat(page, site)
            page.screenshot(path=paths[0])
            _console(page, site)
            page.screenshot(path=paths[1])
            _dashboard(page, site)
            page.screenshot(path=paths[2])
        finally:
            browser.close()
    return paths


def _chat(page: Page, site: Demo) -> None:
    page.goto(f"{site.base}/s/demo/")
    page.locator("main form button, form button[type=submit]").first.click()
    asked = page.locator(".entry--interviewer")
    for number, answer in enumerate(ANSWERS, start=1):
        asked.nth(number - 1).wait_for()
        page.locator("#answer").fill(answer)
        page.locator("#answer").press("Enter")
    asked.nth(len(ANSWERS)).wait_for()
    page.wait_for_timeout(500)


def _console(page: Page, site: Demo) -> None:
    page.goto(f"{site.base}/admin/login/?next=/admin/interviews/study/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(site.password)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url("**/admin/interviews/study/")
    page.locator("#result_list tbody a").first.click()
    page.wait_for_load_state("networkidle")


def _dashboard(page: Page, site: Demo) -> None:
    page.goto(f"{site.base}/dashboard/")
    # The interview with the most answers is the one that was held before.
    page.locator("a[href*='/dashboard/sessions/']").last.click()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1500)


@contextmanager
def demo() -> Iterator[Demo]:
    """A site on a data folder of its own, with one interview held; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="interviews-") as folder:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        environment = os.environ | {"DATA_DIR": folder, "PORT": str(port), "LOG_LEVEL": "WARNING"}
        site = subprocess.Popen(
            [sys.executable, str(BASE_DIR / "manage.py"), "serve"],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            password = _password(site)
            command = ["interview", "--study", "demo", "--persona", "cooperative", "--seed", "7"]
            subprocess.run(
                [sys.executable, str(BASE_DIR / "manage.py"), *command, "--json"],
                env=environment,
                stdout=subprocess.DEVNULL,
                check=True,
            )
            yield Demo(base=f"http://127.0.0.1:{port}", password=password)
        finally:
            site.send_signal(signal.SIGINT)
            site.wait(60)


def _password(site: subprocess.Popen[str]) -> str:
    """Read what the site prints until it is ready, then keep its pipe empty."""
    assert site.stdout is not None
    said = ""
    deadline = time.monotonic() + START_SECONDS
    for line in site.stdout:
        said += line
        if "Ctrl-C" in line or time.monotonic() > deadline:
            break
    found = re.search(r"with the password (\S+)", said)
    if found is None:
        raise ConfigurationError(f"The demonstration site did not start:\n{said}")
    threading.Thread(target=site.stdout.read, daemon=True).start()
    return found.group(1)

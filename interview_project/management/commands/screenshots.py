"""`manage.py screenshots`: the pictures of docs/images, taken from the running pages."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.core.management.base import BaseCommand, CommandParser

from interview_project.env import BASE_DIR
from interview_project.errors import ConfigurationError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_SECONDS: Final = 120.0
WAIT_MS: Final = 60_000
CHAT_SIZE: Final = (900, 900)
PHONE_SIZE: Final = (390, 844)
WIDE_SIZE: Final = (1500, 900)
SIMULATED: Final = 30
"""Interviews of the study whose map is shown."""
DASHBOARD_TURN: Final = 6
"""A turn in the middle: some of the graph has grown, and a question was chosen."""

# What the respondent in the pictures says; the questions between come from the running site.
EARLY: Final = (
    (
        "I mostly look at the weight. My old pack was heavy, so after two hours my shoulders were "
        "aching and I stopped enjoying the walk."
    ),
    (
        "A light pack means I can walk further without getting tired, and that matters because the "
        "best views are always a long way up."
    ),
)
LATER: Final = (
    "When I get up there I feel free. Nobody can reach me, so I switch off completely.",
    (
        "The rain cover is important too. I once got soaked and my sleeping bag was wet, which "
        "meant I hardly slept."
    ),
    "If my things stay dry I don't have to worry, so I can relax even when the weather turns.",
    "I guess it's about being able to rely on myself.",
)

GUIDED: Final = "exit-interviews"
GUIDED_STUDY: Final = """
from pathlib import Path
from interviews import plans, studies
from interviews.study_files import study_of_file
study = study_of_file(Path("methodologies/library/studies/exit_interviews.yaml"))
study.researcher, study.contact = "The research team", "research@example.org"
study.research_purpose = "To learn why people leave, and what could have kept them."
study.retention = "Answers are kept for one year."
study.withdrawal = "On the page of your interview, at any time."
study.save()
plan = plans.make(study).data
plan["meta"]["total_time_sec"] = 0
plans.edit(study, plan)
studies.go_live(study.pk)
"""
"""Opens a shipped study; its time is used up at once, so that the pictures show the offer."""
GUIDED_ANSWERS: Final = (
    (
        "The first time was in March, when the approval for our customer in Milan took three weeks "
        "and nobody told us anything. I was angry, and it became a real problem for the team."
    ),
    "My manager promised me another role and then gave it to somebody else.",
    "A clear answer about that role would have kept me.",
    "A typical week was contracts from Monday to Thursday, and planning on Friday.",
    "The tools were slow, so I lost hours every week.",
    "She helped when I asked, but we hardly spoke about where I wanted to go.",
    "We disagreed about the role once, and then it was not spoken of again.",
    "The new place offers time for training, which matters because I want to grow.",
    "I would change how approvals are made.",
)


LARGE_INTERVIEW: Final = """
from tests.browser.large_interview import make
print(make())
"""
"""An interview of 80 concepts, the one that tests look at."""

TEST: Final = "sparkling-tea"
TEST_STUDY: Final = """
from pathlib import Path
from interviews import studies
from interviews.study_files import study_of_file
study = study_of_file(Path("methodologies/library/studies/sparkling_tea_test.yaml"))
study.max_turns = 4
study.save()
studies.go_live(study.pk)
"""
"""Opens a shipped concept test, cut short for the pictures."""
TEST_ANSWERS: Final = (
    "I like that there is no alcohol in it, because then I wake up with a clear head.",
    "A clear head means that the weekend belongs to me, and that makes me feel free.",
    "The bottle looks handsome on a table. Almost five euros is quite expensive for tea, though.",
    "I don't really believe in the tree, it sounds like advertising to me.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSite:
    """Where the throwaway site answers, the password of its administrator, and its data."""

    address: str
    password: str
    folder: str


class Command(BaseCommand):
    """Runs a site of its own with an empty data folder, holds an interview, takes the pictures."""

    help = "Take the pictures of docs/images from the running pages (needs Chromium)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to and with what."""
        parser.add_argument("--to", type=Path, default=BASE_DIR / "docs" / "images")
        parser.add_argument("--chromium", default=shutil.which("chromium"), help="its binary")

    def handle(self, *args: Any, **options: Any) -> None:
        """Take all pictures.

        Raises ConfigurationError where Chromium or playwright is missing or the site won't start.
        """
        folder: Path = options["to"]
        folder.mkdir(parents=True, exist_ok=True)
        with throwaway_site() as site, chromium(options["chromium"]) as browser:
            for name in take_pictures(browser, site, folder):
                self.stdout.write(str(folder / name))


@contextlib.contextmanager
def chromium(binary: str | None) -> Iterator[Browser]:
    """A browser without a window."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise ConfigurationError("playwright is missing: make setup installs it") from error
    if binary is None:
        raise ConfigurationError("Chromium is missing: install it or name it with --chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def throwaway_site() -> Iterator[RunningSite]:
    """The whole site on a free port, with a data folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        port = _free_port()
        log = Path(folder) / "serve.log"
        environment = {**os.environ, "DATA_DIR": f"{folder}/data", "LOG_LEVEL": "WARNING"}
        for name in ("DATABASE_URL", "REDIS_URL", "PUBLIC_URL", "HTTPS"):
            environment.pop(name, None)
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(port)],
                cwd=BASE_DIR,
                env={**environment, "PORT": str(port)},
                stdout=output,
                stderr=output,
            )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/s/demo/", process, log)
            yield RunningSite(address=address, password=_password(log), folder=f"{folder}/data")
        finally:
            process.terminate()
            process.wait(timeout=60)


def take_pictures(browser: Browser, site: RunningSite, folder: Path) -> list[str]:
    """Hold one interview and photograph every face; the names of the files written."""
    page = _open(browser, CHAT_SIZE)
    page.goto(f"{site.address}/s/demo/")
    page.get_by_role("button", name="I agree, begin").click()
    _hold(page, EARLY)
    address = page.url
    session = page.locator("#chat").get_attribute("data-session")
    page.screenshot(path=folder / "chat.png")
    for name, size, scheme in (
        ("chat-dark.png", CHAT_SIZE, "dark"),
        ("chat-phone.png", PHONE_SIZE, "light"),
    ):
        other = _open(browser, size, scheme=scheme)
        other.goto(address)
        other.wait_for_timeout(500)
        other.screenshot(path=folder / name)
        other.context.close()
    _hold(page, LATER, already=len(EARLY))

    desk = _open(browser, WIDE_SIZE)
    desk.goto(f"{site.address}/admin/login/?next=/admin/")
    desk.fill("input[name=username]", "admin")
    desk.fill("input[name=password]", site.password)
    desk.press("input[name=password]", "Enter")
    desk.wait_for_url(f"{site.address}/admin/")
    desk.goto(f"{site.address}/admin/interviews/study/")
    desk.get_by_role("link", name="How people choose a hiking backpack").first.click()
    desk.get_by_text("Link for respondents").first.wait_for()
    desk.wait_for_timeout(1000)
    desk.screenshot(path=folder / "admin.png")
    desk.goto(f"{site.address}/dashboard/sessions/{session}/?turn={DASHBOARD_TURN}")
    desk.locator("[data-canvas] canvas").first.wait_for()
    desk.wait_for_timeout(2500)  # the graph settles
    desk.screenshot(path=folder / "dashboard.png")
    made = ["chat.png", "chat-dark.png", "chat-phone.png", "admin.png", "dashboard.png"]
    console = list(_console_pictures(desk, site, folder, session))
    guided = _guided_pictures(browser, desk, site, folder)
    study = _study_pictures(desk, site, folder)
    return [*made, *console, *study, *guided, *_concept_pictures(browser, desk, site, folder)]


def _study_pictures(desk: Page, site: RunningSite, folder: Path) -> list[str]:
    """The map and the matrix of a study with simulated interviews."""
    subprocess.run(
        [sys.executable, "manage.py", "demo_data", "--interviews", str(SIMULATED)],
        cwd=BASE_DIR,
        env={**os.environ, "DATA_DIR": site.folder, "LOG_LEVEL": "WARNING"},
        check=True,
    )
    desk.goto(f"{site.address}/dashboard/studies/demo-interviews/map/?include=simulated")
    desk.locator("[data-canvas][data-drawn]").wait_for()
    desk.locator(".matrix__cell--5 a").first.click()
    desk.locator(".sentence__answer").first.wait_for()
    desk.evaluate("window.scrollTo(0, 0)")
    desk.wait_for_timeout(500)
    desk.screenshot(path=folder / "study-map.png")
    desk.locator(".study-beside").screenshot(path=folder / "study-matrix.png")
    study = f"{site.address}/dashboard/studies/demo-interviews"
    desk.goto(f"{study}/search/?q=sore+shoulders&include=simulated")
    desk.locator("mark").first.wait_for()
    desk.screenshot(path=folder / "search.png")
    desk.goto(f"{study}/report/?include=simulated")
    desk.locator(".hvm").wait_for()
    desk.locator(".report").screenshot(path=folder / "report.png")
    large = _run(site, LARGE_INTERVIEW).split()[-1]
    desk.goto(f"{site.address}/dashboard/sessions/{large}/")
    desk.locator("[data-canvas][data-drawn]").first.wait_for()
    desk.wait_for_timeout(2500)  # the graph settles
    desk.screenshot(path=folder / "session-80-nodes.png")
    return [
        f"{name}.png"
        for name in ("study-map", "study-matrix", "search", "report", "session-80-nodes")
    ]


def _run(site: RunningSite, code: str) -> str:
    """Run Python on the site's data, as its own process; what it printed."""
    return subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", code],
        cwd=BASE_DIR,
        env={**os.environ, "DATA_DIR": site.folder, "LOG_LEVEL": "WARNING"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def _concept_pictures(browser: Browser, desk: Page, site: RunningSite, folder: Path) -> list[str]:
    """Hold a concept test: the card above the first question, and what a cell opens."""
    _run(site, TEST_STUDY)
    page = _open(browser, PHONE_SIZE)
    page.goto(f"{site.address}/s/{TEST}/")
    page.get_by_role("button", name="I agree, begin").click()
    page.locator(".block--stimulus img").first.wait_for()
    page.wait_for_timeout(500)
    page.screenshot(path=folder / "evaluative-chat.png")
    *first, last = TEST_ANSWERS
    _hold(page, tuple(first))
    page.locator("#answer").fill(last)
    page.keyboard.press("Enter")
    page.locator("#done").wait_for()
    desk.goto(f"{site.address}/dashboard/studies/{TEST}/coverage/")
    desk.locator(".matrix button.cell").first.click()
    desk.wait_for_timeout(500)
    desk.screenshot(path=folder / "coverage-matrix.png")
    return ["evaluative-chat.png", "coverage-matrix.png"]


def _guided_pictures(browser: Browser, desk: Page, site: RunningSite, folder: Path) -> list[str]:
    """Hold a guided interview: its offer, its form, and what analysts see of it."""
    _run(site, GUIDED_STUDY)
    page = _open(browser, CHAT_SIZE)
    page.goto(f"{site.address}/s/{GUIDED}/")
    page.get_by_role("button", name="I agree, begin").click()
    first, *later = GUIDED_ANSWERS
    _hold(page, (first,))
    session = page.locator("#chat").get_attribute("data-session")
    page.screenshot(path=folder / "guided-chat.png")
    page.get_by_role("button", name="Yes, let's go on").click()
    _hold(page, tuple(later), already=2)
    page.get_by_role("button", name="Yes, you may ask").click()
    page.locator(".block--form").wait_for()
    page.wait_for_timeout(500)
    page.screenshot(path=folder / "guided-form.png")
    desk.goto(f"{site.address}/dashboard/sessions/{session}/?turn=2")
    desk.locator("[data-canvas] canvas").first.wait_for()
    desk.wait_for_timeout(2500)  # the graph settles
    desk.screenshot(path=folder / "guided-session.png", full_page=True)
    return ["guided-chat.png", "guided-form.png", "guided-session.png"]


def _console_pictures(
    desk: Page, site: RunningSite, folder: Path, session: str | None
) -> Iterator[str]:
    """The console's own pages, while the interview of the pictures still runs."""
    version = "select#version option:nth-of-type(2)"
    for name, path in (
        ("console-home", ""),
        ("console-editor", "methodologies/methodology/add/"),
        ("console-study", "studies/demo/"),
        ("console-monitor", f"monitor/{session}/"),
        ("console-backtest", "backtest/?study=demo"),
    ):
        desk.goto(f"{site.address}/admin/{path}")
        desk.locator("h1").first.wait_for()
        if name == "console-backtest":
            desk.select_option("#version", desk.locator(version).get_attribute("value"))
            desk.get_by_role("button", name="Compare").click()
        desk.wait_for_timeout(1500)
        desk.screenshot(path=folder / f"{name}.png")
        yield f"{name}.png"


def _open(browser: Browser, size: tuple[int, int], *, scheme: str = "light") -> Page:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        has_touch=size == PHONE_SIZE,
        is_mobile=size == PHONE_SIZE,
        device_scale_factor=2 if size == PHONE_SIZE else 1,
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    return page


def _hold(page: Page, answers: tuple[str, ...], *, already: int = 0) -> None:
    """Answer each question as it comes; returns when the one after the last answer is there."""
    for number, text in enumerate(answers, start=already):
        page.locator(".entry--interviewer").nth(number).wait_for()
        page.locator("#answer").fill(text)
        page.keyboard.press("Enter")
    page.locator(".entry--interviewer").nth(already + len(answers)).wait_for()
    page.wait_for_timeout(500)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - our own
            return
        time.sleep(0.2)
    raise ConfigurationError(f"the site did not start:\n{log.read_text('utf-8')[-2000:]}")


def _password(log: Path) -> str:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = re.search(r"with the password (\S+)", log.read_text("utf-8"))
        if found is not None:
            return found[1]
        time.sleep(0.1)
    raise ConfigurationError("the site did not say its administrator's password")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port

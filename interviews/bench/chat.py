"""What a respondent waits for and loads: the chat's page in a browser, on a site of its own."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from interviews.bench.chats import Site
from interviews.bench.errors import BenchImpossible
from interviews.bench.load import STUDY, serving, until_it_answers

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

INTERVIEWS: Final = 5
FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
]
ANSWERS: Final = (
    "I mostly look at the weight. My old pack was heavy, so my shoulders were aching.",
    "A light pack means I can walk further without getting tired.",
    "The best views are always a long way up, and I go there because I feel free.",
)


def bench_chat(interviews: int = INTERVIEWS) -> dict[str, Any]:
    """Return what the chat's page weighs, and medians of what is waited for in it, in ms.

    `page_kb` is what travels to a browser that has none of it, compressed and with its headers, in
    `requests` requests. `first_question_ms` runs from agreeing, `saved_ms` and `question_ms` from
    Enter, all of them to what the respondent sees; the rules lead. The first interview warms the
    site up and does not count. Raises BenchImpossible where there is no Chromium, or no site.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise BenchImpossible("Chromium is not installed (Debian: apt-get install chromium).")
    return asyncio.run(_bench(chromium, interviews))


async def _bench(chromium: str, interviews: int) -> dict[str, Any]:
    from playwright.async_api import async_playwright

    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), None) as (process, base):
        await until_it_answers(process, base)
        link = f"{base}/s/{STUDY}/"
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            try:
                held = [await _hold(browser, link) for _ in range(1 + interviews)][1:]
                loaded = await _load(browser, Site(link=link), base)
            finally:
                await browser.close()
    first, saved, asked = ([value for one in held for value in one[kind]] for kind in range(3))
    return {
        **loaded,
        "first_question_ms_p50": _median(first),
        "saved_ms_p50": _median(saved),
        "question_ms_p50": _median(asked),
        "conditions": {
            "site": "manage.py serve, one process",
            "browser": "Chromium, a profile of its own for each interview",
            "models": "offline",
            "interviews": interviews,
            "answers": len(asked),
        },
    }


async def _hold(browser: Browser, link: str) -> tuple[list[float], list[float], list[float]]:
    """One interview of three answers; what each thing took, in seconds."""
    context = await browser.new_context(locale="en")
    try:
        page = await context.new_page()
        await page.goto(link)
        questions = page.locator(".entry--interviewer")
        agree = page.locator("form button[type=submit]").first
        first = [await _seconds(agree.click, page, ".entry--interviewer")]
        saved, asked = [], []
        for number, answer in enumerate(ANSWERS, start=1):
            await page.locator("#skip").wait_for()
            await page.locator("#answer").fill(answer)
            started = time.perf_counter()
            await page.keyboard.press("Enter")
            await page.locator(".entry--latest .entry__state [aria-hidden]").wait_for()
            saved.append(time.perf_counter() - started)
            await questions.nth(number).wait_for()
            asked.append(time.perf_counter() - started)
        return first, saved, asked
    finally:
        await context.close()


async def _seconds(act: Callable[[], Awaitable[object]], page: Page, shown: str) -> float:
    started = time.perf_counter()
    await act()
    await page.locator(shown).first.wait_for()
    return time.perf_counter() - started


async def _load(browser: Browser, site: Site, base: str) -> dict[str, Any]:
    """What a browser that has nothing of it loads for the page of an interview."""
    token = await site.begin()
    context = await browser.new_context(locale="en")
    try:
        page = await context.new_page()
        devtools = await context.new_cdp_session(page)
        await devtools.send("Network.enable")
        finished: list[float] = []
        devtools.on("Network.loadingFinished", lambda it: finished.append(it["encodedDataLength"]))
        await page.goto(f"{base}/i/{token}/", wait_until="networkidle")
        return {"page_kb": round(sum(finished) / 1000, 1), "requests": len(finished)}
    finally:
        await context.close()


def _median(seconds: list[float]) -> float:
    return round(statistics.median(seconds) * 1000, 1)

"""What every test stands on; `tests.settings` gives it a data folder of its own.

Tests run side by side in the workers of pytest-xdist: each worker has a database of its own on one
embedded server, which the first to need it starts and the last to leave stops.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from django.core.signals import setting_changed
from django.dispatch import receiver
from hypothesis import HealthCheck, settings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REDIS_SERVER = shutil.which("redis-server")
UNIT = Path(__file__).parent / "unit"

# Tests assert outcomes; how long an example takes is for bench commands to say.
settings.register_profile("outcomes", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("outcomes")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the unit tests, keep the Redis tests together, and put the items in order."""
    for item in items:
        if UNIT in item.path.parents and not item.get_closest_marker("material"):
            item.add_marker("unit")
        if item.get_closest_marker("redis"):
            # They share one redis-server and one worker process, slow to start.
            item.add_marker(pytest.mark.xdist_group("redis"))
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """Groups first: what one worker does alone is not to begin when the other is done.

    Browser tests last: their driver keeps an event loop running until the session ends.
    """
    alone = item.get_closest_marker("xdist_group") is None
    return alone + 2 * (item.get_closest_marker("browser") is not None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this machine cannot run, and say so; CI requires everything."""
    if item.get_closest_marker("browser") and CHROMIUM is None:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail("Chromium is required here and is not installed", pytrace=False)
        pytest.skip("no Chromium on this machine")
    if item.get_closest_marker("redis") and REDIS_SERVER is None:
        if os.environ.get("REQUIRE_REDIS"):
            pytest.fail("redis-server is required here and is not installed", pytrace=False)
        pytest.skip("no redis-server on this machine")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything is required, a skipped test is a failed run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("REQUIRE_ALL") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser's binary."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    return CHROMIUM


@receiver(setting_changed)
def _read_settings_again(setting: str, **_: object) -> None:
    """A process reads who may be asked once; a test that changes it is another process."""
    if setting in {"ENVIRONMENT", "LLM_ROLES", "DATA_DIR"}:
        from interviews.llm import setup  # needs Django's apps, which are not loaded up there

        setup.llm_config.cache_clear()
        setup.build_gateway.cache_clear()

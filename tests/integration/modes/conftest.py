"""The card sort, on the registry's path for as long as a test lasts."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from interviews import modes as package
from interviews.models import Study
from interviews.modes import registry
from interviews.pipeline import runner

HOME = Path(__file__).parents[2] / "modes"
CACHES = (registry.modes, registry.director_of, registry.store_of, runner.shared_engine)


@pytest.fixture
def card_sort_installed() -> Iterator[None]:
    """The package is found by the registry; the process's engine knows its director."""
    path = package.__path__
    package.__path__ = [*path, str(HOME)]
    forget()
    yield
    package.__path__ = path
    forget()


def forget() -> None:
    """Let the registry walk anew."""
    importlib.invalidate_caches()
    for name in [n for n in sys.modules if n.startswith("interviews.modes.card_sort")]:
        del sys.modules[name]
    for cached in CACHES:
        cached.cache_clear()


@contextmanager
def own_table() -> Iterator[None]:
    """The mode's own table, for as long as it is needed."""
    store = importlib.import_module("interviews.modes.card_sort.store")
    with connection.cursor() as cursor:
        cursor.execute(store.CREATE)
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE card_sort_pile")


def live_study() -> Study:
    """A live study of the mode, with neither methodology nor concept."""
    return Study.objects.create(
        slug="cards", name="Cards", mode="card_sort", status=Study.Status.LIVE, max_turns=9
    )


@pytest.fixture
def study(db: None, card_sort_installed: None) -> Iterator[Study]:
    """The study, and the table that its interviews write to."""
    with own_table():
        yield live_study()

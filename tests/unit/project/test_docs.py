"""What README and docs name is there: files, modules, commands, their options, settings, links."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, get_commands, load_command_class

ROOT = Path(__file__).resolve().parents[3]
APPS = (
    "interview_project",
    "console",
    "analytics",
    "interviews",
    "methodologies",
    "graphs",
    "tests",
)
HISTORY = "quality-history.md"  # tells of states of the code that are gone
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name != HISTORY),
]
FENCE = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]+\.(?:py|md|yaml|toml|txt|json|html|js|css)|[\w.-]+(?:/[\w.-]+)*/")
MODULE = re.compile(rf"(?:{'|'.join(APPS)})(?:\.\w+)+")
MANAGE = re.compile(r"manage\.py ([a-z][a-z_-]*[^#|&)]*)")
MAKE = re.compile(r"\bmake ([a-z-]+)")
CAPITALS = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
NOT_OURS = {"llm.yaml", "my-study.yaml", "demo.yaml", "my_methodology.yaml", "node_modules/"}
"""What the reader writes, and what an installation brings."""
OTHERS = {
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "XDG_RUNTIME_DIR",
    "_BASE_URL",
    "HOUSE_KEY",
    "LOCAL_BASE_URL",
}
"""Variables that other programs read, and examples."""


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


every_page = pytest.mark.parametrize("page", PAGES, ids=named)


@cache
def tracked() -> frozenset[str]:
    """Every file of the project and every folder above one, folders with a slash at the end."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    above = {f"{folder}/" for name in listed for folder in Path(name).parents}
    return frozenset({*listed, *above})


@cache
def code() -> str:
    names = (
        n for n in tracked() if n.endswith((".py", "Makefile", ".toml")) and (ROOT / n).exists()
    )
    return "\n".join((ROOT / n).read_text("utf-8") for n in names if not n.startswith("tests/unit"))


def quoted(page: Path) -> list[str]:
    """What stands in backticks, code blocks left out."""
    return QUOTED.findall(FENCE.sub("", page.read_text("utf-8")))


def commands(page: Path) -> Iterator[str]:
    """Lines of code blocks, and what stands in backticks."""
    for block in FENCE.findall(page.read_text("utf-8")):
        yield from block.splitlines()
    yield from quoted(page)


def is_there(name: str) -> bool:
    """Whether a file or folder of this name is in the project, written from any folder on."""
    return any(known == name or known.endswith(f"/{name}") for known in tracked())


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, something in one, or a model by its application."""
    parts = name.split(".")
    if len(parts) == 2 and parts[1].lower() in apps.all_models[parts[0]]:
        return True
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.util.find_spec(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        if found is None:
            continue
        if length == len(parts):
            return True
        module = importlib.import_module(".".join(parts[:length]))
        return hasattr(module, parts[length])
    return False


@every_page
def test_every_file_and_folder_that_is_named_exists(page: Path) -> None:
    names = {text for text in quoted(page) if FILE.fullmatch(text)} - NOT_OURS
    # Addresses, what an installation makes, and folders that a setting names are not the project's.
    ours = {name for name in names if not re.match(r"[./]|[A-Z_]+/", name)}
    assert {name for name in ours if not is_there(name)} == set()


@every_page
def test_every_module_that_is_named_exists(page: Path) -> None:
    names = {text.removesuffix("()") for text in quoted(page)}
    assert {n for n in names if MODULE.fullmatch(n) and not (is_there(n) or resolves(n))} == set()


@every_page
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
    ours = [link for link in links if "://" not in link]
    assert [link for link in ours if not (page.parent / link).exists()] == []


@every_page
def test_every_target_of_make_that_is_named_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = {name for line in commands(page) for name in MAKE.findall(line)}
    assert {name for name in targets if f"\n{name}:" not in makefile} == set()


@every_page
def test_every_bench_that_is_named_is_one(page: Path) -> None:
    for name in re.findall(r"\bBENCH=(\w+)", page.read_text("utf-8")):
        parse(f"bench {name}")


@every_page
def test_every_command_that_is_named_takes_what_is_written(page: Path) -> None:
    for line in commands(page):
        for found in MANAGE.findall(line):
            parse(found)


@every_page
def test_every_variable_that_is_named_is_read(page: Path) -> None:
    names = {name for line in commands(page) for name in CAPITALS.findall(line)} - OTHERS - NOT_OURS
    read = code()
    assert {n for n in names if n not in read and n.lower() not in read} == set()


def parse(line: str) -> None:
    """Have Django's own parser read a command line; a name alone is enough in running text."""
    words = shlex.split(line.strip().rstrip("…"))
    name, arguments = words[0].replace("-", "_"), words[1:]
    assert name in get_commands(), f"manage.py {name} is not there"
    if not arguments:
        return
    command = load_command_class(get_commands()[name], name)
    try:
        command.create_parser("manage.py", name).parse_args(arguments)
    except CommandError as error:
        raise AssertionError(f"manage.py {line}: {error}") from error

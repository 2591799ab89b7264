"""What respondents' pages say, in every language: what is to be translated, what is, and compiled.

No tool of the system is needed: Django reads its templates, polib the catalogues.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
from django.utils.translation.template import templatize

from interview_project.env import BASE_DIR
from interviews.wording.languages import DEFAULT, LANGUAGES

TEMPLATES = ("templates/*.html", "templates/chat/*.html")
MODULES = ("interviews/chat/*.py", "interviews/mailing.py")
FUNCTIONS = {"_": 1, "gettext": 1, "ngettext": 2}
"""By name, how many of their arguments are texts."""

_PLACES = re.compile(r"%\(\w+\)s|\{\w+\}")

Message = tuple[str, str]
"""A text and its plural, "" where it has none."""


def catalogue(language: str) -> Path:
    """Where a language's texts are."""
    return BASE_DIR / "locale" / language / "LC_MESSAGES" / "django.po"


def messages() -> set[Message]:
    """Everything that the pages say."""
    found: set[Message] = set()
    for pattern in TEMPLATES:
        for path in BASE_DIR.glob(pattern):
            source = templatize(path.read_text(encoding="utf-8"), origin=str(path))
            found.update(_said_in(_calls_of(source)))
    for pattern in MODULES:
        for path in BASE_DIR.glob(pattern):
            found.update(_said_in(ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    return found


def problems() -> Iterator[str]:
    """Say of every language what is missing in it, what nobody says, and what lost its places."""
    said = messages()
    for language in LANGUAGES:
        if language == DEFAULT:
            continue
        entries = {(e.msgid, e.msgid_plural): e for e in polib.pofile(str(catalogue(language)))}
        for text, _ in sorted(said - set(entries)):
            yield f"{language}: not translated: {text!r}"
        for text, _ in sorted(set(entries) - said):
            yield f"{language}: said nowhere any more: {text!r}"
        for message in sorted(said & set(entries)):
            yield from (f"{language}: {problem}" for problem in _faults(entries[message]))


def compile_all() -> Iterator[Path]:
    """Write what Django reads, beside each catalogue."""
    for language in LANGUAGES:
        path = catalogue(language)
        if path.exists():
            polib.pofile(str(path)).save_as_mofile(str(path.with_suffix(".mo")))
            yield path.with_suffix(".mo")


def _faults(entry: polib.POEntry) -> Iterator[str]:
    texts = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
    if entry.fuzzy or len(texts) != (2 if entry.msgid_plural else 1) or not all(texts):
        yield f"not translated: {entry.msgid!r}"
        return
    wanted = sorted(_PLACES.findall(entry.msgid))
    if any(sorted(_PLACES.findall(text)) != wanted for text in texts):
        yield f"other places to fill than {entry.msgid!r}"


def _calls_of(source: str) -> Iterator[ast.AST]:
    """The calls in what Django makes of a template, in which all else is blotted out."""
    for match in re.finditer(r"(?<![\w.])(?:_|n?gettext)\(", source):
        call = source[match.start() : _closing(source, match.end())]
        yield ast.parse(" ".join(call.split("\n")), mode="eval").body


def _closing(source: str, at: int) -> int:
    """The place after the bracket that closes the call whose arguments begin at `at`."""
    depth, quote = 1, ""
    while depth:
        mark = source[at]
        if quote:
            at += mark == "\\"
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        else:
            depth += (mark == "(") - (mark == ")")
        at += 1
    return at


def _said_in(nodes: Iterator[ast.AST]) -> Iterator[Message]:
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        count = FUNCTIONS.get(node.func.id, 0)
        texts = [a.value for a in node.args[:count] if isinstance(a, ast.Constant)]
        if count and len(texts) == count:
            yield str(texts[0]), str(texts[1]) if count == 2 else ""

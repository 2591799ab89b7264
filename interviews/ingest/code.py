"""Source code, SQL and notebooks: by function and class, with lines."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from interviews.ingest.limits import Unreadable
from interviews.ingest.passages import Section, Segment, lines

_BLOCK = re.compile(
    r"^(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|default\s+|abstract\s+)*"
    r"(?:(?:function|func|def|class|sub|fn|interface|struct|module|object|procedure)\s+"
    r"(?P<name>[\w.:]+)|(?P<r>[\w.]+)\s*(?:<-|=)\s*function\b)",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?P<kind>table|view|function|procedure"
    r"|trigger|index)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"\[\]`]+)",
    re.IGNORECASE,
)


def code(source: str, name: str) -> Iterator[Section]:
    """Functions and classes with their lines, and what stands between them."""
    if name.casefold().endswith((".py", ".pyw")):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = None
        if tree is not None:
            yield from _python(tree, source)
            return
    yield from _cut(source, _BLOCK)


def sql(source: str) -> Iterator[Section]:
    """Statements that make something, each under its name, and what stands between them."""
    yield from _cut(source, _STATEMENT)


def notebook(source: str) -> Iterator[Section]:
    """Cells by their number, without what they gave when they ran."""
    try:
        cells = json.loads(source)["cells"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable("The file is damaged: the notebook has no cells.") from error
    for number, cell in enumerate(cells, start=1):
        if isinstance(cell, dict):
            written = cell.get("source", "")
            text = "".join(map(str, written)) if isinstance(written, list) else str(written)
            yield Section(segments=lines(text), heading=f"cell {number}")


def _python(tree: ast.Module, source: str) -> Iterator[Section]:
    written = list(lines(source))
    reached = 0
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(found.lineno for found in node.decorator_list)]) - 1
        yield Section(segments=written[reached:first])
        what = "class" if isinstance(node, ast.ClassDef) else "function"
        reached = node.end_lineno or len(written)
        yield Section(segments=written[first:reached], heading=f"{what} {node.name}")
    yield Section(segments=written[reached:])


def _cut(source: str, pattern: re.Pattern[str]) -> Iterator[Section]:
    """Cut where the pattern finds that something named begins."""
    heading, held = "", list[Segment]()
    for segment in lines(source):
        found = pattern.match(segment.text[:400])
        if found:
            yield Section(segments=held, heading=heading)
            names = found.groupdict()
            heading, held = (names["name"] or names.get("r") or "").strip('"`[]'), []
        held.append(segment)
    yield Section(segments=held, heading=heading)

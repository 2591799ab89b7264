"""YAML text → plain data that remembers where everything stood.

Only what a document needs is read: mappings, lists, text, numbers, true, false and null, by the
YAML 1.2 core rules (so `yes`, `on` and `12:30` are text). Anchors, aliases, tags of other types,
repeated keys, several documents, more than 256 KiB, nesting beyond 20 and more than 10,000 values
are refused, most of them before the rest of the text is looked at: a hostile document costs little.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

PathPart = str | int
Path = tuple[PathPart, ...]
Severity = Literal["error", "warning"]
Scalar = str | int | float | bool | None

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_VALUES = 10_000
MAX_REPEATED = 100

_Parser: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_INT = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_CORE_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null")}
_TEXT_TAGS = {"!", "tag:yaml.org,2002:str"}
_COLLECTION_TAGS = {None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with a document. Line and column count from 1; `path` leads to the value."""

    line: int
    column: int
    path: Path
    message: str
    severity: Severity = "error"

    def format(self, source: str) -> str:
        """Return `file:line:column: message`; a warning says that it is one."""
        prefix = "warning: " if self.severity == "warning" else ""
        return f"{source}:{self.line}:{self.column}: {prefix}{self.message}"


class YamlRefused(Exception):
    """The text cannot be read any further."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(slots=True, kw_only=True)
class Tree:
    """A value with its position; `children` by key or index, `keys` the positions of the keys."""

    line: int
    column: int
    data: Any = None
    children: dict[PathPart, Tree] = field(default_factory=dict)
    keys: dict[PathPart, tuple[int, int]] = field(default_factory=dict)

    def position(self, path: Sequence[PathPart], *, at_key: bool = False) -> tuple[int, int]:
        """Line and column of the value at `path` (of its key, if so asked).

        Where the path leads to nothing, it is the nearest parent's position.
        """
        here = self
        for i, part in enumerate(path):
            if at_key and i == len(path) - 1 and part in here.keys:
                return here.keys[part]
            if part not in here.children:
                break
            here = here.children[part]
        return here.line, here.column


def parse_yaml(text: str) -> tuple[Tree, list[Problem]]:
    """Read one YAML document; the problems are repeated keys, of which the first one counts.

    Raises YamlRefused where the text is no YAML or more than is allowed.
    """
    _check_characters(text)
    reader = _Reader(text.removeprefix("\ufeff"))
    try:
        return reader.read(), reader.problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise _refused(line, column, _syntax_message(error)) from error
    except yaml.YAMLError as error:
        raise _refused(1, 1, f"not valid YAML: {error}") from error


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar: null, true, false, a number, or text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def _syntax_message(error: yaml.MarkedYAMLError) -> str:
    context = f" {error.context}" if error.context else ""
    hint = "; text that holds a colon belongs in quotes" if "mapping values" in str(error) else ""
    return f"not valid YAML: {error.problem}{context}{hint}"


def _check_characters(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise _refused(1, 1, f"the document has {size:,} bytes; at most {MAX_BYTES:,} are read")
    if found := _UNPRINTABLE.search(text, 1 if text.startswith("\ufeff") else 0):
        before = text[: found.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise _refused(line, column, f"character U+{ord(found[0]):04X} is not allowed")


def _refused(line: int, column: int, message: str) -> YamlRefused:
    return YamlRefused(Problem(line=line, column=column, path=(), message=message))


class _Reader:
    """Builds the tree from parser events and stops at the first that is not allowed."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._count = 0
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=_Parser))

    def read(self) -> Tree:
        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise _refused(1, 1, "the document is empty")
        tree = self._value(next(self._events), (), 1)
        next(self._events)
        after: Any = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _at(after, "a second document begins here; expected one a file")
        return tree

    def _value(self, event: Any, path: Path, depth: int) -> Tree:
        self._check(event, depth)
        mark = event.start_mark
        tree = Tree(line=mark.line + 1, column=mark.column + 1)
        if isinstance(event, yaml.ScalarEvent):
            tree.data = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._sequence(tree, path, depth)
        else:
            self._mapping(tree, path, depth)
        return tree

    def _check(self, event: Any, depth: int) -> None:
        self._count += 1
        if isinstance(event, yaml.AliasEvent):
            raise _at(event, f"alias *{event.anchor} is not allowed; write the value out")
        if event.anchor is not None:
            raise _at(event, f"anchor &{event.anchor} is not allowed; write the value out")
        if self._count > MAX_VALUES:
            raise _at(event, f"more than {MAX_VALUES:,} values")
        if isinstance(event, yaml.CollectionStartEvent):
            if depth > MAX_DEPTH:
                raise _at(event, f"nested deeper than {MAX_DEPTH}")
            if event.tag not in _COLLECTION_TAGS:
                raise _at(event, f"type {event.tag} is not allowed")

    def _sequence(self, tree: Tree, path: Path, depth: int) -> None:
        items: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            index = len(items)
            child = self._value(event, (*path, index), depth + 1)
            tree.children[index] = child
            items.append(child.data)
        tree.data = items

    def _mapping(self, tree: Tree, path: Path, depth: int) -> None:
        data: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            self._check(event, depth + 1)
            if not isinstance(event, yaml.ScalarEvent):
                raise _at(event, "found a list or mapping as a key; expected text")
            mark: Any = event.start_mark
            key = str(event.value)
            child = self._value(next(self._events), (*path, key), depth + 1)
            if key in data:
                self._repeated(key, mark, (*path, key), tree.keys[key][0])
                continue
            data[key] = child.data
            tree.children[key] = child
            tree.keys[key] = (mark.line + 1, mark.column + 1)
        tree.data = data

    def _repeated(self, key: str, mark: Any, path: Path, first_line: int) -> None:
        if len(self.problems) >= MAX_REPEATED:
            return
        message = f'key "{key[:60]}" is there already in line {first_line}; expected it once'
        self.problems.append(
            Problem(line=mark.line + 1, column=mark.column + 1, path=path, message=message)
        )


def _scalar(event: Any) -> Scalar:
    if event.tag is not None and event.tag not in _CORE_TAGS | _TEXT_TAGS:
        raise _at(event, f"type {event.tag} is not allowed")
    quoted = event.style in ("'", '"', "|", ">")
    if event.tag in _TEXT_TAGS or (quoted and event.tag is None):
        return str(event.value)
    return resolve(event.value)


def _at(event: Any, message: str) -> YamlRefused:
    mark: Any = event.start_mark
    return _refused(mark.line + 1, mark.column + 1, message)

"""Writes stimulus and elements into a concept's text, and leaves its other lines as they are."""

from __future__ import annotations

from typing import Any

import yaml

from methodologies.yaml_tree import YamlRefused, parse_yaml

PARTS = ("stimulus", "elements")


def with_parts(text: str, parts: dict[str, Any]) -> str:
    """Return the document with these of its top-level keys written anew, at its end.

    A part that is empty is taken out. Where lines cannot be told apart, as in one that is written
    in braces, the whole document is written anew. Raises YamlRefused where it cannot be read.
    """
    tree, _ = parse_yaml(text)
    wanted = {key: value for key, value in tree.data.items() if key not in parts}
    wanted |= {key: value for key, value in parts.items() if value}
    kept = _without(text, set(parts), tree.keys)
    added = {key: value for key, value in parts.items() if value}
    written = f"{kept.rstrip()}\n{_dumped(added)}" if added else kept
    return written if _data(written) == wanted else _dumped(wanted)


def _without(text: str, keys: set[str], places: dict[Any, tuple[int, int]]) -> str:
    lines = text.splitlines(keepends=True)
    starts = sorted((line - 1, key) for key, (line, _) in places.items())
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    for (start, key), end in reversed(list(zip(starts, ends, strict=True))):
        if key in keys:
            del lines[start:end]
    return "".join(lines)


def _data(text: str) -> Any:
    try:
        return parse_yaml(text)[0].data
    except YamlRefused:
        return None


def _dumped(data: dict[str, Any]) -> str:
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=96)

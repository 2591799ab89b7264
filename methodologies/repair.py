"""Patches a document that has the wrong shape, so that its names can be checked all the same.

Every error of a document is to be shown at once, also those that only a well-formed document can
be checked for. So what is misshapen is replaced by a placeholder and remembered: what the checks
find there, or about a name that stood there, is not the writer's fault and is left out.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from pydantic import ValidationError

from methodologies.schema import StrictModel
from methodologies.validation import Finding
from methodologies.yaml_tree import Path

ROUNDS = 5
KEY = "[key]"
"""How Pydantic ends the path of an error that is about a mapping's key."""


@dataclass(slots=True, kw_only=True)
class Repaired:
    """A document made to fit, what was replaced, and the names that were lost by it."""

    document: StrictModel
    paths: list[Path] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def blames(self, finding: Finding) -> bool:
        """Whether the finding is about what the writer wrote, not about a placeholder."""
        if finding.name in self.names:
            return False
        if finding.path[:1] == ("phases",) and ("strategies",) in self.paths:
            return False
        if finding.path == ("strategies",) and any(map(_decides_use, self.paths)):
            return False
        if finding.path[-1:] == ("terminal",) and any(p[:1] == ("ontology",) for p in self.paths):
            return False
        return not any(finding.path[: len(path)] == path for path in self.paths)


def repair(model: type[StrictModel], data: Any) -> Repaired | None:
    """Return the document with placeholders, or None where it cannot be made to fit."""
    patched, numbers = copy.deepcopy(data), count(1)
    paths: list[Path] = []
    names: set[str] = set()
    for _ in range(ROUNDS):
        try:
            document = model.model_validate(patched)
        except ValidationError as error:
            for item in shape_errors(error):
                path = tuple(item["loc"])
                paths.append(path[:-1] if path and path[-1] == KEY else path)
                if not _patch(patched, item, f"placeholder_{next(numbers)}", names):
                    return None
        else:
            return Repaired(document=document, paths=paths, names=names)
    return None


_REQUIRED: dict[str, Any] = {
    "method": {},
    "signals": {"all": ["graph", "llm", "meta", "technique", "temporal"]},
    "strategies": [{"name": "placeholder", "description": "placeholder"}],
    "permitted_connections": [["placeholder", "placeholder"]],
    "signal_weights": {"graph.max_depth": 0.0},
    "topics": [{"id": "placeholder", "label": "placeholder"}],
    "max_duration_minutes": 3,
    "slug": "placeholder",
}
_ITEMS: dict[str, Any] = {"model_type": {}, "tuple_type": ["placeholder", "placeholder"]}


def shape_errors(error: ValidationError) -> list[Mapping[str, Any]]:
    """Pydantic's errors, without those that only follow from others.

    A list of which an item is wrong is also reported as too short.
    """
    return [
        item
        for item in error.errors(include_url=False)
        if item["type"] != "too_short" or len(item["input"]) < item["ctx"]["min_length"]
    ]


def _decides_use(path: Path) -> bool:
    """Whether a repair here touches which strategies open or close an interview."""
    deciding = ("node_binding", "generates_closing_question")
    return path[:1] == ("strategies",) and (len(path) < 3 or path[2] in deciding)


def _patch(data: Any, item: Mapping[str, Any], placeholder: str, names: set[str]) -> bool:
    """Replace, remove or add one value; False where the whole document is of the wrong kind."""
    path: Sequence[Any] = item["loc"][:-1] if item["loc"][-1:] == (KEY,) else item["loc"]
    if not path:
        return False
    parent, last = data, path[-1]
    try:
        for part in path[:-1]:
            parent = parent[part]
    except (KeyError, IndexError, TypeError):
        return True  # an earlier patch took the surroundings away
    if isinstance(parent, dict):
        _patch_key(parent, last, item["type"], placeholder, names)
    elif isinstance(parent, list):
        new = copy.deepcopy(_ITEMS.get(item["type"], placeholder))
        if last < len(parent):
            _forget(parent[last], names)
            parent[last] = new
        else:
            parent.append(new)
    return True


def _patch_key(
    parent: dict[Any, Any], key: Any, kind: str, placeholder: str, names: set[str]
) -> None:
    """Add what is missing; take away what is wrong: a default or the next round fills it in."""
    if kind == "missing":
        parent[key] = copy.deepcopy(_REQUIRED.get(key, placeholder))
    else:
        _forget(parent.pop(key, None), names)


def _forget(value: Any, names: set[str]) -> None:
    if isinstance(value, str):
        names.add(value)

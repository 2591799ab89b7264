"""Documents changed in places, with their comments and their layout kept.

By ruamel.yaml, which reads a text with its comments; what is not changed comes out as it was, but
for the indentation of lists, which becomes that of the shipped documents. Pure.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import FoldedScalarString

LINE = 100
FOLD_FROM = 80
PHASES = ("early", "mid", "late")


def changed(text: str, change: Callable[[Any], None]) -> str:
    """The text after `change` was made to what it holds; the same text where that is nothing."""
    yaml = _yaml()
    before = yaml.load(text)
    after = copy.deepcopy(before)
    change(after)
    if before == after:
        return text
    out = io.StringIO()
    yaml.dump(after, out)
    return out.getvalue()


def with_weights(
    text: str,
    weights: Mapping[str, Mapping[str, float]],
    phases: Mapping[str, Mapping[str, tuple[float, float]]],
) -> str:
    """A methodology's text with these weights (strategy → key → weight) and no others.

    `phases` gives (factor, bonus) by phase and strategy; 1 and 0 are what is said by saying
    nothing. Strategies that are not named keep theirs.
    """

    def change(document: Any) -> None:
        for strategy in document["strategies"]:
            if strategy["name"] in weights:
                _become(strategy["signal_weights"], weights[strategy["name"]])
        for phase in PHASES:
            if phase in phases:
                _phase(document, phase, phases[phase])

    return changed(text, change)


def _phase(document: Any, phase: str, cells: Mapping[str, tuple[float, float]]) -> None:
    factors = {name: factor for name, (factor, _) in cells.items() if factor != 1}
    bonuses = {name: bonus for name, (_, bonus) in cells.items() if bonus}
    known = (document.get("phases") or {}).get(phase)
    if known is None and not factors and not bonuses:
        return
    phases = _child(document, "phases")
    spec = _child(phases, phase)
    for field, wanted, silent in (
        ("signal_weights", factors, 1),
        ("phase_bonuses", bonuses, 0),
    ):
        present = spec.get(field) or {}
        # Where the text says aloud what silence would say, it may go on doing so.
        kept = {k: v for k, v in present.items() if k in cells and k not in wanted and v == silent}
        others = {k: v for k, v in present.items() if k not in cells}
        if wanted or present:
            _become(_child(spec, field), {**others, **kept, **wanted})
        if field in spec and not spec[field]:
            del spec[field]


def _child(parent: Any, key: str) -> Any:
    if parent.get(key) is None:
        parent[key] = CommentedMap()
    return parent[key]


def _become(mapping: MutableMapping[str, Any], wanted: Mapping[str, float]) -> None:
    """Change what differs and leave the rest, with its comments and in its order."""
    for key in [key for key in mapping if key not in wanted]:
        del mapping[key]
    for key, value in wanted.items():
        if key not in mapping or mapping[key] != value:
            mapping[key] = value


def with_fields(text: str, fields: Mapping[str, Any], order: Sequence[str]) -> str:
    """A document's text with these values at its top; None and what is empty take a field out.

    A field that is new stands where `order` puts it.
    """

    def change(document: Any) -> None:
        for name in order:
            if name not in fields:
                continue
            value = fields[name]
            if value is None or value in ("", [], {}):
                document.pop(name, None)
            elif name in document:
                if _plain(document[name]) != value:
                    document[name] = _written(value)
            else:
                document.insert(_place(document, name, order), name, _written(value))

    return changed(text, change)


def _place(document: Any, name: str, order: Sequence[str]) -> int:
    before = set(order[: order.index(name)])
    return max((place for place, key in enumerate(document, 1) if key in before), default=0)


def _written(value: Any) -> Any:
    """A value as the shipped documents write it: long texts folded, inner lists on one line."""
    if isinstance(value, str):
        return FoldedScalarString(value) if len(value) > FOLD_FROM else value
    if isinstance(value, Mapping):
        return CommentedMap((key, _written(one)) for key, one in value.items())
    if isinstance(value, list):
        made = CommentedSeq(_written(one) for one in value)
        for one in made:
            if isinstance(one, (CommentedSeq, CommentedMap)):
                one.fa.set_flow_style()
        return made
    return value


def _plain(value: Any) -> Any:
    """What ruamel.yaml read, as plain data to be compared."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return str(value).strip() if isinstance(value, str) else value


def _yaml() -> Any:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = LINE
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml

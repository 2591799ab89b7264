"""The reference page of all signals, made from what they declare of themselves."""

from __future__ import annotations

from itertools import groupby

from graphs.ontology import Ontology
from methodologies.qualifiers import qualifiers_of, takes_plain_weight
from methodologies.signals.base import Scope, SignalSpec, load_signals

SCOPES: dict[Scope, str] = {
    "global": "session",
    "node": "each live node",
    "strategy": "each strategy",
    "strategy_node": "each strategy on each live node",
}
ANY_ONTOLOGY = Ontology(node_types=(), edge_types=())
FROM_ONTOLOGY = {"node_types": "node types", "levels": "levels"}
INTRODUCTION = """\
# Signals

What strategies are weighed by. A weight's key is a signal's name, alone or with a qualifier:
`llm.engagement` weighs the value itself, `llm.engagement.high` weighs 1 where the value is high and
0 where it is not. The same keys stand in `valid_when`.

- `low` is a value up to 0.25, `high` one of 0.75 and more, `mid` what lies between. Where a
  category stands for a number, the number is given with it.
- A plain weight is for ratios and for true or false, which count 1 and 0.
- A signal that is absent weighs 0, and a condition on it does not hold.

A methodology lists the signals that it reads under `signals:`; a group's name, such as
`graph.chain_completion`, stands for all its members.
"""


def signals_page() -> str:
    """Return the page as Markdown: a chapter for each pool, a section for each signal."""
    specs = sorted(load_signals(), key=lambda spec: (_pool(spec), spec.name))
    parts = [INTRODUCTION]
    for pool, members in groupby(specs, key=_pool):
        parts.append(f"## {pool}\n")
        parts += [_section(spec) for spec in members]
    return "\n".join(parts)


def _pool(spec: SignalSpec) -> str:
    return spec.name.partition(".")[0]


def _section(spec: SignalSpec) -> str:
    facts = {
        "Scope": SCOPES[spec.scope],
        "Value": _value(spec),
        "Weight keys": _keys(spec),
        "Requires": ", ".join(_requirements(spec)),
    }
    listed = "\n".join(f"- {name}: {text}" for name, text in facts.items() if text)
    return f"### {spec.name}\n\n{spec.summary}. {spec.description}\n\n{listed}\n"


def _value(spec: SignalSpec) -> str:
    if spec.kind == "ratio":
        return "ratio, 0 to 1"
    if spec.kind == "bool":
        return "true or false"
    if spec.kind == "count":
        return "number, 0 and more"
    if spec.values_from:
        return f"one of the ontology's {FROM_ONTOLOGY[spec.values_from]}"
    return f"one of {', '.join(_value_of_category(spec, value) for value in spec.values)}"


def _value_of_category(spec: SignalSpec, value: str) -> str:
    stands_for = f" ({spec.ordinal[value]:g})" if value in spec.ordinal else ""
    return f"`{value}`{stands_for}"


def _keys(spec: SignalSpec) -> str:
    keys = ["plain"] if takes_plain_weight(spec) else []
    keys += [f"`.{qualifier}`" for qualifier in qualifiers_of(spec, ANY_ONTOLOGY)]
    if spec.values_from:
        keys.append(f"each of the ontology's {FROM_ONTOLOGY[spec.values_from]}")
    return ", ".join(keys)


def _requirements(spec: SignalSpec) -> list[str]:
    names = [f"`{name}`" for name in spec.requires]
    return [*names, "a terminal node type in the ontology"] if spec.needs_terminal else names

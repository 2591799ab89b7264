"""Reads what documents written for other versions of this format say in words of their own.

Works on the tree between YAML and schema, so that positions stay those of the text. Everything that
is read as something else is told as a warning; what would not act is left for the schema to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Literal

from methodologies.qualifiers import UnknownSignalError, parse_key
from methodologies.signals.base import load_signals
from methodologies.yaml_tree import Path, Problem, Tree

Kind = Literal["methodology", "concept", "persona", "guide", "study"]

ANY = "*"
"""Stands for every node type at either end of a connection."""

CRITERIA = {
    "extractable_contains": "extractable",
    "non_extractable_contains": "not_extractable",
    "non_extractable": "not_extractable",
}

CLOSING: dict[str, Any] = {
    "name": "reflect_and_close",
    "description": (
        "Sum up the main thread in the respondent's words and ask what they would like to add or "
        "put right before the interview ends."
    ),
    "rationale": (
        "The interview is near its end or nothing new comes up; the last word belongs to the "
        "respondent."
    ),
    "node_binding": "none",
    "focus_mode": "summary",
    "generates_closing_question": True,
    "probes": ["summary", "last_word"],
    "signal_weights": {
        "meta.interview.phase.late": 0.6,
        "meta.conversation.velocity_saturation": 0.5,
        "llm.global_response_trend.fatigued": 0.4,
        "llm.engagement.low": 0.2,
    },
}
"""The closing strategy of a methodology that has none."""

TRAITS: dict[str, dict[str, Any]] = {
    "analytical": {"reasons": 0.95},
    "brief": {"statements_per_answer": [0, 1], "reasons": 0.3},
    "cautious": {"hedging": 0.6},
    "detail_oriented": {"statements_per_answer": [2, 4], "reasons": 0.9},
    "emotional": {"emotion": 0.9},
    "enthusiastic": {"emotion": 0.7, "statements_per_answer": [2, 3]},
    "expressive": {"emotion": 0.7},
    "hesitant": {"hedging": 0.7},
    "impatient": {"fatigue_after": 5},
    "private": {"refusals": 0.3},
    "reflective": {"reasons": 0.9},
    "reserved": {"statements_per_answer": [0, 1], "refusals": 0.1},
    "sceptical": {"scepticism": 0.7},
    "skeptical": {"scepticism": 0.7},
    "talkative": {"statements_per_answer": [2, 4], "tangents": 0.3},
    "uncertain": {"hedging": 0.7},
    "verbose": {"statements_per_answer": [2, 4], "tangents": 0.3},
}
"""What a word for a respondent's manner means in rates."""

DEFLECTS = 0.15
"""How often a persona refuses whose file says by what words, and not how often."""


def adapt(kind: Kind, tree: Tree) -> list[Problem]:
    """Change `tree` into this version's words; the problems are warnings, each at its place."""
    if not isinstance(tree.data, dict):
        return []
    steps = {"methodology": _METHODOLOGY, "persona": _PERSONA}.get(kind, ())
    return [problem for step in steps for problem in step(tree)]


# -- methodology -----------------------------------------------------------------------------------
def _connections(tree: Tree) -> Iterator[Problem]:
    """Write out `"*"`, alone or at an end of a pair, as every node type."""
    types = [node["name"] for node in _items(tree, "ontology", "nodes") if "name" in node]
    for edge in _nodes(tree, "ontology", "edges"):
        listed = edge.children.get("permitted_connections")
        if listed is None:
            continue
        pairs = [ANY] if listed.data == ANY else listed.data
        if not isinstance(pairs, list):
            continue
        written: list[tuple[Any, Tree]] = []
        for i, pair in enumerate(pairs):
            at = listed.children.get(i, listed)
            written += [(one, at) for one in _written_out(pair, types)]
        _replace(edge, "permitted_connections", written)
    return iter(())


def _written_out(pair: Any, types: list[str]) -> list[Any]:
    ends = [ANY, ANY] if pair == ANY else pair
    if not isinstance(ends, list) or len(ends) != 2 or ANY not in ends:
        return [pair]
    return [list(both) for both in product(*(types if end == ANY else [end] for end in ends))]


def _examples(tree: Tree) -> Iterator[Problem]:
    """Take relationship examples under names as a list of them."""
    ontology = tree.children.get("ontology")
    examples = ontology.children.get("relationship_examples") if ontology else None
    if ontology is None or examples is None or not isinstance(examples.data, dict):
        return
    found = [(examples.data[key], examples.children[key]) for key in examples.data]
    _replace(ontology, "relationship_examples", found)
    yield _warning(
        examples,
        ("ontology", "relationship_examples"),
        "found examples under names; they are read as a list, without the names",
    )


def _criteria(tree: Tree) -> Iterator[Problem]:
    ontology = tree.children.get("ontology")
    criteria = ontology.children.get("extractability_criteria") if ontology else None
    if criteria is None or not isinstance(criteria.data, dict):
        return
    for old, new in CRITERIA.items():
        if old in criteria.data and new not in criteria.data:
            _rename(criteria, old, new)
            path = ("ontology", "extractability_criteria", new)
            yield _warning(criteria.children[new], path, f"{old} is read as {new}")


def _closing(tree: Tree) -> Iterator[Problem]:
    """Give a methodology that cannot close the shipped way to do so."""
    strategies = tree.children.get("strategies")
    if strategies is None or not isinstance(strategies.data, list) or not strategies.data:
        return
    known = _items(tree, "strategies")
    if any(strategy.get("generates_closing_question") for strategy in known):
        return
    taken = {strategy.get("name") for strategy in known}
    name = CLOSING["name"] if CLOSING["name"] not in taken else f"{CLOSING['name']}_interview"
    strategies.data.append({**CLOSING, "name": name})
    for _ in _signals(tree):  # its own: what the writer's strategies use was told before
        pass
    yield _warning(
        strategies,
        ("strategies",),
        f"no strategy closes the interview (generates_closing_question: true); {name} is added",
    )


def _signals(tree: Tree) -> Iterator[Problem]:
    """List every signal that something uses."""
    signals = tree.children.get("signals")
    if signals is None or not isinstance(signals.data, dict):
        return
    registry = load_signals()
    groups = [names for names in signals.data.values() if isinstance(names, list)]
    listed = {m for names in groups for n in names for m in registry.expand(str(n))}
    for path, at in _keys_used(tree):
        try:
            name = parse_key(str(path[-1])).spec.name
        except UnknownSignalError:
            continue
        if name in listed:
            continue
        listed.add(name)
        group = signals.data.setdefault(name.split(".")[0], [])
        if isinstance(group, list):
            group.append(name)
        line, column = at
        message = f"signal {name} is not listed under signals; it is added there"
        yield Problem(line=line, column=column, path=path, message=message, severity="warning")


def _keys_used(tree: Tree) -> Iterator[tuple[Path, tuple[int, int]]]:
    for i, strategy in enumerate(_items(tree, "strategies")):
        for field in ("signal_weights", "valid_when"):
            used = strategy.get(field)
            for key in used if isinstance(used, dict) else ():
                path: Path = ("strategies", i, field, key)
                yield path, tree.position(path, at_key=True)


# -- persona ---------------------------------------------------------------------------------------
def _traits(tree: Tree) -> Iterator[Problem]:
    """Take words for a manner as the rates that they mean."""
    traits = tree.children.get("traits")
    if traits is None or not isinstance(traits.data, list):
        return
    rates: dict[str, Any] = {}
    for i, word in enumerate(traits.data):
        means = TRAITS.get(str(word).strip().lower().replace("-", "_").replace(" ", "_"))
        if means is None:
            known = ", ".join(sorted(TRAITS))
            message = f'trait "{str(word)[:60]}" does not act; words that do: {known}'
            yield _warning(traits.children.get(i, traits), ("traits", i), message)
        rates |= means or {}
    tree.data["traits"] = rates
    tree.children["traits"] = Tree(line=traits.line, column=traits.column, data=rates)


def _patterns(tree: Tree) -> Iterator[Problem]:
    """Take ways of speaking as what the respondent says."""
    for old, new in (("response_patterns", "openers"), ("deflection_patterns", "deflections")):
        if old in tree.data and new not in tree.data:
            _rename(tree, old, new)
            tree.data[new] = _phrases(tree.data[new])
            yield _warning(tree.children[new], (new,), f"{old} is read as {new}")
    traits = tree.data.get("traits")
    if tree.data.get("deflections") and isinstance(traits, dict):
        traits.setdefault("refusals", DEFLECTS)
    if "speech_pattern" in tree.data:
        said = " ".join(_phrases(tree.data.pop("speech_pattern")))
        at = tree.children.pop("speech_pattern")
        tree.data["description"] = f"{tree.data.get('description', '')} {said}".strip()
        message = "speech_pattern is added to description; only a model that plays the persona acts"
        yield _warning(at, ("description",), f"{message} on it")


def _phrases(value: Any) -> list[str]:
    """Every text in a value, however it is nested."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in _phrases(part)]
    if isinstance(value, list):
        return [text for part in value for text in _phrases(part)]
    return [str(value)] if value is not None else []


_Step = Callable[[Tree], Iterator[Problem]]
_METHODOLOGY: tuple[_Step, ...] = (_connections, _examples, _criteria, _signals, _closing)
_PERSONA: tuple[_Step, ...] = (_traits, _patterns)


# -- the tree --------------------------------------------------------------------------------------
def _nodes(tree: Tree, *path: str) -> Iterator[Tree]:
    """The mappings in the list at `path`."""
    here: Tree | None = tree
    for part in path:
        here = here.children.get(part) if here else None
    for child in here.children.values() if here and isinstance(here.data, list) else ():
        if isinstance(child.data, dict):
            yield child


def _items(tree: Tree, *path: str) -> list[dict[str, Any]]:
    """The same mappings as data, what a step before has added among them."""
    here: Any = tree.data
    for part in path:
        here = here.get(part) if isinstance(here, dict) else None
    return [item for item in here if isinstance(item, dict)] if isinstance(here, list) else []


def _replace(parent: Tree, key: str, items: list[tuple[Any, Tree]]) -> None:
    """Put a list in place of what is under `key`; each item keeps the position it came from."""
    old = parent.children[key]
    data = [item for item, _ in items]
    parent.data[key] = data
    parent.children[key] = Tree(
        line=old.line,
        column=old.column,
        data=data,
        children={i: at for i, (_, at) in enumerate(items)},
    )


def _rename(tree: Tree, old: str, new: str) -> None:
    tree.data[new] = tree.data.pop(old)
    tree.children[new] = tree.children.pop(old)
    tree.keys[new] = tree.keys.pop(old)


def _warning(at: Tree, path: Path, message: str) -> Problem:
    return Problem(line=at.line, column=at.column, path=path, message=message, severity="warning")

"""What signals read, how they are declared, and how a turn's reading is taken.

A signal is a named measurement of the interview so far: of the whole session (`global`), of one
live node (`node`), of one strategy (`strategy`) or of a strategy on a node (`strategy_node`). Each
is a function marked with :func:`signal`, which turns it into a :class:`SignalSpec`; nothing is
registered by being imported. :func:`load_signals` walks the package once and refuses duplicates,
and :func:`plan_signals` proves an order in which every signal runs after those that it requires.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from types import ModuleType
from typing import Any, Literal, Self

from graphs.chains import ChainGap
from graphs.tracker import NodeState
from methodologies.signals.inputs import SignalInputs, Velocity

__all__ = [
    "Kind",
    "Known",
    "Measured",
    "NodeView",
    "PairValues",
    "Scope",
    "SignalError",
    "SignalInputs",
    "SignalReading",
    "SignalRegistry",
    "SignalSpec",
    "SignalWords",
    "StrategyValues",
    "Value",
    "Velocity",
    "declared_in",
    "load_signals",
    "plan_signals",
    "signal",
]

Value = bool | int | float | str
Scope = Literal["global", "node", "strategy", "strategy_node"]
Kind = Literal["ratio", "bool", "category", "count"]
ValuesFrom = Literal["node_types", "levels"]


class SignalError(ValueError):
    """The signals are declared wrongly: a duplicate, an unknown name or a cycle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """All that node signals may read of a live node: nodes with equal views read alike.

    `state` is its engagement state, shared or not, None where nothing happened with it yet;
    `edge_count` its live edges, `has_outgoing` and `has_incoming` whether one of them begins here,
    or ends here; `chain_gap` what a chain through it lacks; `stance` is -1, 0 or 1;
    `mentioned_now`, `lead` and `disclaimed` are what the exchange says of it (see
    :class:`SignalInputs`); `known` its signals that the reading signal requires.
    """

    node_type: str
    level: int | None
    edge_count: int
    has_outgoing: bool
    has_incoming: bool
    chain_gap: ChainGap
    state: NodeState | None
    is_current_focus: bool
    stance: int = 0
    mentioned_now: bool = False
    lead: float = 0.0
    disclaimed: bool = False
    known: Mapping[str, Value | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyValues:
    """A signal's value for each strategy; strategies that are not listed have the default."""

    default: Value
    values: Mapping[str, Value] = field(default_factory=dict)

    def of(self, strategy: str) -> Value:
        """Return the value for a strategy."""
        return self.values.get(strategy, self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairValues:
    """A signal's value for each (strategy, node id); pairs not listed have the default."""

    default: Value
    values: Mapping[tuple[str, str], Value] = field(default_factory=dict)

    def of(self, strategy: str, node_id: str) -> Value:
        """Return the value for a strategy on a node."""
        return self.values.get((strategy, node_id), self.default)


Measured = Value | StrategyValues | PairValues | None
Known = Mapping[str, Value | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalWords:
    """A signal in a reader's words; what is not said here is made from its name.

    `name` stands beside a value. By qualifier, "" for the plain signal: `phrases` name a weight
    key, `clauses` can follow "because". By value: `statements` are sentences that are true of it.
    """

    name: str = ""
    phrases: Mapping[str, str] = field(default_factory=dict)
    clauses: Mapping[str, str] = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSpec:
    """A declared signal.

    `kind` is `ratio` (in [0, 1]), `bool`, `category` (one of `values`, or of what `values_from`
    names in the ontology) or `count` (unbounded number). `ordinal` gives the ratio that a category
    stands for, where low, mid and high can be asked of it. `needs_terminal` marks a signal that an
    ontology without terminal node types never has.

    `measure` takes the inputs and the required signals' values and gives a value or None (absent);
    for a `node` signal it takes a :class:`NodeView` too.
    """

    name: str
    scope: Scope
    kind: Kind
    summary: str
    measure: Callable[..., Measured]
    values: tuple[str, ...] = ()
    values_from: ValuesFrom | None = None
    ordinal: Mapping[str, float] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    needs_terminal: bool = False
    words: SignalWords = field(default_factory=SignalWords)

    @property
    def node_scoped(self) -> bool:
        """Whether the value belongs to a node, so that a strategy without one never has it."""
        return self.scope in ("node", "strategy_node")

    @property
    def description(self) -> str:
        """The detector's own account: range, unit and where the value comes from."""
        return " ".join((self.measure.__doc__ or "").split())


def signal(
    *,
    name: str,
    kind: Kind,
    summary: str,
    scope: Scope = "global",
    values: tuple[str, ...] = (),
    values_from: ValuesFrom | None = None,
    ordinal: Mapping[str, float] | None = None,
    requires: tuple[str, ...] = (),
    needs_terminal: bool = False,
    words: SignalWords | None = None,
) -> Callable[[Callable[..., Measured]], SignalSpec]:
    """Turn a measuring function into a :class:`SignalSpec`."""

    def declare(measure: Callable[..., Measured]) -> SignalSpec:
        return SignalSpec(
            name=name,
            scope=scope,
            kind=kind,
            summary=summary,
            measure=measure,
            values=values,
            values_from=values_from,
            ordinal=ordinal or {},
            requires=requires,
            needs_terminal=needs_terminal,
            words=words or SignalWords(),
        )

    return declare


class SignalRegistry:
    """Signals by name. Raises SignalError for a duplicate or an unknown required signal."""

    def __init__(self, specs: Iterable[SignalSpec]) -> None:
        self._specs: dict[str, SignalSpec] = {}
        for spec in specs:
            if spec.name in self._specs:
                raise SignalError(f"signal {spec.name} is declared twice")
            self._specs[spec.name] = spec
        for spec in self:
            self._check_requirements(spec)

    def _check_requirements(self, spec: SignalSpec) -> None:
        for required in spec.requires:
            found = self._specs.get(required)
            if found is None:
                raise SignalError(f"signal {spec.name} requires unknown signal {required}")
            if found.scope != "global" and not (spec.scope == "node" == found.scope):
                raise SignalError(f"{spec.scope} signal {spec.name} cannot read {required}")

    def __iter__(self) -> Iterator[SignalSpec]:
        return iter(self._specs.values())

    def __contains__(self, name: str) -> bool:
        return name in self._specs

    def get(self, name: str) -> SignalSpec | None:
        """Return the signal of exactly this name, None where there is none."""
        return self._specs.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """Every signal name, sorted."""
        return tuple(sorted(self._specs))

    def expand(self, name: str) -> tuple[str, ...]:
        """The signals that a name stands for: itself, a group's members, or none if unknown."""
        if name in self._specs:
            return (name,)
        return tuple(member for member in self.names if member.startswith(f"{name}."))

    def plan(self, names: Iterable[str]) -> tuple[SignalSpec, ...]:
        """Every signal that `names` need, each after those that it requires.

        Raises SignalError for an unknown name or a cycle.
        """
        graph: dict[str, tuple[str, ...]] = {}
        waiting: list[str] = []
        for name in names:
            if not (members := self.expand(name)):
                raise SignalError(f"unknown signal {name}")
            waiting.extend(members)
        while waiting:
            name = waiting.pop()
            if name not in graph:
                graph[name] = self._specs[name].requires
                waiting.extend(graph[name])
        sorter = TopologicalSorter({name: graph[name] for name in sorted(graph)})
        try:
            return tuple(self._specs[name] for name in sorter.static_order())
        except CycleError as error:
            raise SignalError(f"signals require each other: {' → '.join(error.args[1])}") from error


@lru_cache(maxsize=1)
def load_signals() -> SignalRegistry:
    """Walk the signals package once and return its registry."""
    package = importlib.import_module("methodologies.signals")
    modules = [
        importlib.import_module(f"{package.__name__}.{info.name}")
        for info in pkgutil.iter_modules(package.__path__)
    ]
    return SignalRegistry(spec for module in modules for spec in declared_in(module))


def declared_in(module: ModuleType) -> list[SignalSpec]:
    """The signals whose measuring function is written in `module`, in its order."""
    return [
        found
        for found in vars(module).values()
        if isinstance(found, SignalSpec) and found.measure.__module__ == module.__name__
    ]


@lru_cache(maxsize=64)
def plan_signals(names: tuple[str, ...]) -> tuple[SignalSpec, ...]:
    """The proven order for `names` in the loaded registry; raises SignalError."""
    return load_signals().plan(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalReading:
    """All signal values of one turn. A signal that is absent has no entry.

    Most nodes of a large graph read alike, those above all that were never asked about: such nodes
    share one dictionary in `node_values`.
    """

    global_values: dict[str, Value] = field(default_factory=dict)
    node_values: dict[str, dict[str, Value]] = field(default_factory=dict)
    strategy_values: dict[str, StrategyValues] = field(default_factory=dict)
    pair_values: dict[str, PairValues] = field(default_factory=dict)

    def value(self, spec: SignalSpec, strategy: str, node_id: str | None) -> Value | None:
        """What a signal read for a strategy on a node, or on none; None where it is absent."""
        match spec.scope:
            case "global":
                return self.global_values.get(spec.name)
            case "node":
                return self.node_values.get(node_id or "", {}).get(spec.name)
            case "strategy":
                by_strategy = self.strategy_values.get(spec.name)
                return by_strategy.of(strategy) if by_strategy else None
            case "strategy_node":
                by_pair = self.pair_values.get(spec.name)
                return by_pair.of(strategy, node_id or "") if by_pair else None

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as JSON-ready data, enough to score the turn again."""
        return {
            "global": dict(self.global_values),
            "nodes": pack_nodes(self.node_values),
            "strategies": {
                name: {"default": found.default, "values": dict(found.values)}
                for name, found in self.strategy_values.items()
            },
            "pairs": {
                name: {
                    "default": found.default,
                    "values": [[*pair, value] for pair, value in found.values.items()],
                }
                for name, found in self.pair_values.items()
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore what :meth:`to_dict` gave, now or formerly."""
        return cls(
            global_values=dict(data["global"]),
            node_values=unpack_nodes(data["nodes"]),
            strategy_values={
                name: StrategyValues(default=found["default"], values=dict(found["values"]))
                for name, found in data["strategies"].items()
            },
            pair_values={
                name: PairValues(
                    default=found["default"],
                    values={(strategy, node): value for strategy, node, value in found["values"]},
                )
                for name, found in data["pairs"].items()
            },
        )


def pack_nodes(node_values: Mapping[str, dict[str, Value]]) -> dict[str, Any]:
    """What nodes read as JSON-ready data.

    What several read alike is there once: `places` has the place in `alike` for each of `ids`.
    """
    places, alike = numbered(node_values.values())
    return {
        "ids": list(node_values),
        "places": places,
        "alike": [dict(values) for values in alike],
    }


def unpack_nodes(data: Mapping[str, Any]) -> dict[str, dict[str, Value]]:
    """Restore what `pack_nodes` gave, now or formerly.

    `data` may also hold each node's place by its id, or each node's values as such.
    """
    if "alike" not in data:
        return {node_id: dict(values) for node_id, values in data.items()}
    alike = [dict(values) for values in data["alike"]]
    formerly = data.get("of", {})
    ids, places = data.get("ids", formerly), data.get("places", formerly.values())
    return {node_id: alike[place] for node_id, place in zip(ids, places, strict=True)}


def numbered(
    values: Iterable[dict[str, Value]],
) -> tuple[list[int], list[dict[str, Value]]]:
    """The place of each item in a list that holds every shared dictionary once, and that list."""
    items = list(values)
    ids = list(map(id, items))
    once = dict(zip(ids, items, strict=True))
    place = {shared: number for number, shared in enumerate(once)}
    return list(map(place.__getitem__, ids)), list(once.values())

"""A reading as columns of numbers: what each weight key amounts to, for no node and every node.

Every signal is read off the nodes once and every weight key is judged once for each distinct value,
however many strategies share it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from methodologies.qualifiers import WeightKey
from methodologies.signals.base import SignalReading, Value, numbered

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a key amounts to and whether its signal is there; position 0 is "no node"."""

    amounts: NDArray[np.float64]
    present: Mask

    def holds(self, expected: bool) -> Mask:
        """Where a condition on the key is met; never where the signal is absent."""
        met: Mask = self.present & ((self.amounts != 0) == expected)
        return met


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coded:
    """A signal's distinct values, and for each node which of them it has."""

    values: list[Value | None]
    codes: NDArray[np.intp]


@dataclass(slots=True, kw_only=True)
class SignalColumns:
    """Columns over the nodes `node_ids`; position i + 1 of a column is node i."""

    reading: SignalReading
    node_ids: Sequence[str]
    _columns: dict[tuple[str, str], Column] = field(default_factory=dict)
    _alike: list[dict[str, Value]] = field(init=False)
    _places: NDArray[np.intp] = field(init=False)
    _coded: dict[str, _Coded] = field(default_factory=dict)
    _pairs: dict[str, dict[str, list[tuple[int, Value]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nothing: dict[str, Value] = {}
        by_node = self.reading.node_values
        places, self._alike = numbered(by_node.get(node_id, nothing) for node_id in self.node_ids)
        self._places = np.array(places, np.intp)

    @property
    def width(self) -> int:
        """Length of a column."""
        return len(self.node_ids) + 1

    def of(self, key: WeightKey, strategy: str) -> Column:
        """The column of a key for a strategy."""
        owner = strategy if key.spec.scope in ("strategy", "strategy_node") else ""
        column = self._columns.get((key.text, owner))
        if column is None:
            column = self._columns[key.text, owner] = self._column(key, strategy)
        return column

    def _column(self, key: WeightKey, strategy: str) -> Column:
        name = key.spec.name
        match key.spec.scope:
            case "global":
                return self._constant(key, self.reading.global_values.get(name))
            case "strategy":
                found = self.reading.strategy_values.get(name)
                return self._constant(key, found.of(strategy) if found else None)
            case "node":
                return self._node_column(key)
            case "strategy_node":
                return self._pair_column(key, strategy)

    def _constant(self, key: WeightKey, value: Value | None) -> Column:
        return Column(
            amounts=np.full(self.width, key.amount(value)),
            present=np.full(self.width, value is not None),
        )

    def _node_column(self, key: WeightKey) -> Column:
        coded = self._coded.get(key.spec.name)
        if coded is None:
            coded = self._coded[key.spec.name] = self._code(key.spec.name)
        amounts, present = np.zeros(self.width), np.zeros(self.width, np.bool_)
        if coded.values:
            amounts[1:] = np.array([key.amount(value) for value in coded.values])[coded.codes]
            present[1:] = np.array([value is not None for value in coded.values])[coded.codes]
        return Column(amounts=amounts, present=present)

    def _code(self, name: str) -> _Coded:
        raw = [values.get(name) for values in self._alike]
        index = {value: i for i, value in enumerate(dict.fromkeys(raw))}
        codes = np.fromiter(map(index.__getitem__, raw), np.intp, count=len(raw))
        return _Coded(values=list(index), codes=codes[self._places])

    def _pair_column(self, key: WeightKey, strategy: str) -> Column:
        amounts, present = np.zeros(self.width), np.zeros(self.width, np.bool_)
        found = self.reading.pair_values.get(key.spec.name)
        if found is not None:
            present[1:] = True
            amounts[1:] = key.amount(found.default)
            for position, value in self._listed_pairs(key.spec.name)[strategy]:
                amounts[position] = key.amount(value)
        return Column(amounts=amounts, present=present)

    def _listed_pairs(self, name: str) -> dict[str, list[tuple[int, Value]]]:
        if name not in self._pairs:
            position = {node_id: i + 1 for i, node_id in enumerate(self.node_ids)}
            listed: dict[str, list[tuple[int, Value]]] = defaultdict(list)
            for (strategy, node_id), value in self.reading.pair_values[name].values.items():
                if node_id in position:
                    listed[strategy].append((position[node_id], value))
            self._pairs[name] = listed
        return self._pairs[name]

"""What each weight key amounts to, for no node and every node, as columns of numbers.

Most nodes read alike, so a column is worked out once for each distinct *view*, which is what a node
reads, and laid out over the nodes where that is asked for. View 0 is that of no node.
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
Matrix = NDArray[np.float64]
Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coded:
    """A signal's distinct values, and for each view which of them it has."""

    values: list[Value | None]
    codes: NDArray[np.intp]


@dataclass(slots=True, kw_only=True)
class SignalColumns:
    """What keys amount to over the nodes `node_ids`: position 0 is "no node", i + 1 is node i.

    `places` has the view of each position.
    """

    reading: SignalReading
    node_ids: Sequence[str]
    places: NDArray[np.intp] = field(init=False)
    _views: list[dict[str, Value]] = field(init=False)
    _own: dict[tuple[str, str], Column] = field(default_factory=dict)
    _coded: dict[str, _Coded] = field(default_factory=dict)
    _pairs: dict[str, dict[str, list[tuple[int, Value]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nothing: dict[str, Value] = {}
        by_node = self.reading.node_values
        read = [nothing, *(by_node.get(node_id, nothing) for node_id in self.node_ids)]
        places, self._views = numbered(read)
        self.places = np.array(places, np.intp)

    def by_view(self, keys: Sequence[WeightKey]) -> Matrix:
        """What each of `keys`, all of them global or a node's, amounts to in each view."""
        amounts = np.empty((len(keys), len(self._views)))
        for row, key in enumerate(keys):
            if key.spec.scope == "global":
                amounts[row] = key.amount(self._value(key, ""))
            else:
                coded = self._code(key.spec.name)
                amounts[row] = np.array([key.amount(v) for v in coded.values])[coded.codes]
        return amounts

    def own(self, key: WeightKey, strategy: str) -> Column:
        """What a key that belongs to a strategy amounts to for it, at every position."""
        column = self._own.get((key.text, strategy))
        if column is None:
            if key.spec.scope == "strategy_node":
                column = self._pair_column(key, strategy)
            else:
                column = np.full(len(self.places), key.amount(self._value(key, strategy)))
            self._own[key.text, strategy] = column
        return column

    def holds(self, key: WeightKey, strategy: str, *, expected: bool) -> Mask:
        """Where a condition on the key is met; never where the signal is absent."""
        name, width = key.spec.name, len(self.places)
        match key.spec.scope:
            case "node":
                coded = self._code(name)
                met = [v is not None and bool(key.amount(v)) is expected for v in coded.values]
                found: Mask = np.array(met)[coded.codes][self.places]
                return found
            case "strategy_node":
                present = np.full(width, name in self.reading.pair_values)
                present[0] = False
                met_there: Mask = present & ((self.own(key, strategy) != 0) == expected)
                return met_there
            case _:
                value = self._value(key, strategy)
                return np.full(width, value is not None and bool(key.amount(value)) is expected)

    def _value(self, key: WeightKey, strategy: str) -> Value | None:
        """What a signal that no node has a part in reads, None where it is absent."""
        if key.spec.scope == "global":
            return self.reading.global_values.get(key.spec.name)
        found = self.reading.strategy_values.get(key.spec.name)
        return found.of(strategy) if found else None

    def _code(self, name: str) -> _Coded:
        coded = self._coded.get(name)
        if coded is None:
            raw = [view.get(name) for view in self._views]
            index = {value: i for i, value in enumerate(dict.fromkeys(raw))}
            codes = np.array([index[value] for value in raw], np.intp)
            coded = self._coded[name] = _Coded(values=list(index), codes=codes)
        return coded

    def _pair_column(self, key: WeightKey, strategy: str) -> Column:
        amounts = np.zeros(len(self.places))
        found = self.reading.pair_values.get(key.spec.name)
        if found is not None:
            amounts[1:] = key.amount(found.default)
            for position, value in self._listed_pairs(key.spec.name)[strategy]:
                amounts[position] = key.amount(value)
        return amounts

    def _listed_pairs(self, name: str) -> dict[str, list[tuple[int, Value]]]:
        if name not in self._pairs:
            values = self.reading.pair_values[name].values
            position = {node_id: i for i, node_id in enumerate(self.node_ids, 1)} if values else {}
            listed: dict[str, list[tuple[int, Value]]] = defaultdict(list)
            for (strategy, node_id), value in values.items():
                if node_id in position:
                    listed[strategy].append((position[node_id], value))
            self._pairs[name] = listed
        return self._pairs[name]

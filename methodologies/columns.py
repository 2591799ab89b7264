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
    """A signal's distinct values, and for each view which of them it has."""

    values: list[Value | None]
    codes: NDArray[np.intp]


@dataclass(slots=True, kw_only=True)
class SignalColumns:
    """Columns over the nodes `node_ids`; position i + 1 of a column is node i.

    `places` has the view of each position.
    """

    reading: SignalReading
    node_ids: Sequence[str]
    places: NDArray[np.intp] = field(init=False)
    _views: list[dict[str, Value]] = field(init=False)
    _columns: dict[tuple[str, str], Column] = field(default_factory=dict)
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
                amounts[row] = key.amount(self.reading.global_values.get(key.spec.name))
            else:
                coded = self._code(key.spec.name)
                amounts[row] = np.array([key.amount(v) for v in coded.values])[coded.codes]
        return amounts

    def of(self, key: WeightKey, strategy: str) -> Column:
        """The column of any key for a strategy."""
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
                coded = self._code(name)
                present = np.array([value is not None for value in coded.values])[coded.codes]
                amounts = self.by_view([key])[0]
                return Column(amounts=amounts[self.places], present=present[self.places])
            case "strategy_node":
                return self._pair_column(key, strategy)

    def _constant(self, key: WeightKey, value: Value | None) -> Column:
        width = len(self.places)
        return Column(
            amounts=np.full(width, key.amount(value)), present=np.full(width, value is not None)
        )

    def _code(self, name: str) -> _Coded:
        coded = self._coded.get(name)
        if coded is None:
            raw = [view.get(name) for view in self._views]
            index = {value: i for i, value in enumerate(dict.fromkeys(raw))}
            codes = np.array([index[value] for value in raw], np.intp)
            coded = self._coded[name] = _Coded(values=list(index), codes=codes)
        return coded

    def _pair_column(self, key: WeightKey, strategy: str) -> Column:
        width = len(self.places)
        amounts, present = np.zeros(width), np.zeros(width, np.bool_)
        found = self.reading.pair_values.get(key.spec.name)
        if found is not None:
            present[1:] = True
            amounts[1:] = key.amount(found.default)
            for position, value in self._listed_pairs(key.spec.name)[strategy]:
                amounts[position] = key.amount(value)
        return Column(amounts=amounts, present=present)

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

"""The nearest of a session's stored nodes and slots, among those of one type.

A turn looks for its new labels among the nodes, for the same labels among the slots, and for the
slots proposed for them. The vectors of a type are read when it is first asked for, of all types
asked for at once, so that the three take one statement. Exact: inside one session a product with
some hundred rows is faster than any index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graphs.domain import ChangeSet, Node, SessionGraph, Slot
from graphs.language.vectors import Vector

Kind = Literal["node", "slot"]
Neighbour = tuple[str, float]
"""Id and cosine similarity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVectors:
    """Unit vectors of one kind and type, a row each, and whose they are."""

    ids: Sequence[str]
    rows: NDArray[np.float32]

    def nearest(self, vector: Vector, k: int) -> list[Neighbour]:
        """Return the `k` most similar to a unit vector, most similar first."""
        # Not `@`: for matrices of this size a threaded BLAS spends its time waiting for busy cores.
        cosines = np.einsum("rd,d->r", self.rows, vector).clip(-1, 1)
        order = np.argsort(-cosines, kind="stable")[:k]
        return [(self.ids[place], float(cosines[place])) for place in order]

    def with_more(self, others: StoredVectors) -> StoredVectors:
        """These, and then the others."""
        return StoredVectors(
            ids=[*self.ids, *others.ids], rows=np.concatenate([self.rows, others.rows])
        )


Read = Callable[[Collection[str]], Mapping[tuple[Kind, str], StoredVectors]]
"""Node types → the stored vectors of nodes and slots of these types; none where there are none."""


class Neighbours:
    """What earlier turns stored of a session, read when it is needed.

    What a turn stores is seen by the next one: `settle` adds it.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._types: set[str] = set()
        self._stored: dict[tuple[Kind, str], StoredVectors] = {}

    def nodes(self, queries: Sequence[tuple[str, Vector]], k: int) -> list[list[Neighbour]]:
        """Return for each (node type, unit vector) the `k` nearest nodes of that type."""
        return self._nearest("node", queries, k)

    def slots(self, queries: Sequence[tuple[str, Vector]], k: int) -> list[list[Neighbour]]:
        """Return for each (node type, unit vector) the `k` nearest slots of that type."""
        return self._nearest("slot", queries, k)

    def settle(self, graph: SessionGraph, changes: ChangeSet) -> None:
        """Take the vectors of a turn's changes as stored."""
        self._add("node", changes.node_vectors, graph.nodes)
        self._add("slot", changes.slot_vectors, graph.slots)

    def _add(
        self, kind: Kind, vectors: Mapping[str, Vector], owners: Mapping[str, Node | Slot]
    ) -> None:
        ids = defaultdict(list)
        for owner in vectors:
            ids[owners[owner].node_type].append(owner)
        for node_type in self._types & ids.keys():  # of other types all is still to be read
            added, place = ids[node_type], (kind, node_type)
            stored = StoredVectors(ids=added, rows=np.stack([vectors[owner] for owner in added]))
            known = self._stored.get(place)
            self._stored[place] = known.with_more(stored) if known else stored

    def _nearest(
        self, kind: Kind, queries: Sequence[tuple[str, Vector]], k: int
    ) -> list[list[Neighbour]]:
        unread = {node_type for node_type, _ in queries} - self._types
        if unread:
            self._stored |= self._read(unread)
            self._types |= unread
        return [
            stored.nearest(vector, k) if (stored := self._stored.get((kind, node_type))) else []
            for node_type, vector in queries
        ]

"""Graphs that stay in memory between the turns of an interview, with what belongs to them.

Whoever has just written a turn holds the very graph that the next turn would read: some thousand
rows in a long interview. It is kept under the version that the session's graph got with it. Whoever
writes a graph raises that version: where the stored one is another, the interview has gone on
elsewhere or somebody has edited its graph, and the copy is worthless.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from graphs.domain import SessionGraph
from graphs.neighbours import Neighbours
from graphs.tracker import NodeStateTracker

MOST_NODES = 10_000
"""Nodes of all kept graphs together; some 6 KB each with its vectors, slot and edges.

Python's collector walks through them now and then, and a turn waits for it meanwhile.
"""
KEPT_SECONDS = 15 * 60.0
"""Who has not answered for so long may be gone for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """What turns change of a session: its graph, the vectors read of it, and its tracker.

    `version` is the session's `graph_version` as they were written with it, None where they were
    just read.
    """

    graph: SessionGraph
    neighbours: Neighbours
    tracker: NodeStateTracker
    version: int | None = None


class ResidentGraphs:
    """The graphs that this process keeps, by session; the longest unused go first."""

    def __init__(
        self,
        *,
        most_nodes: int = MOST_NODES,
        seconds: float = KEPT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_nodes = most_nodes
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Resident]] = OrderedDict()
        self._lock = Lock()

    def take(self, session_id: str) -> Resident | None:
        """Hand over what is kept of a session; a turn changes it, so it is kept no longer."""
        with self._lock:
            _, resident = self._kept.pop(session_id, (0.0, None))
            return resident

    def keep(self, session_id: str, resident: Resident) -> None:
        """Keep a graph for the session's next turn, and forget what is too old or too much."""
        now = self._clock()
        if len(resident.graph.nodes) > self._most_nodes:
            self.forget(session_id)
            return
        with self._lock:
            self._kept[session_id] = now, resident
            self._kept.move_to_end(session_id)
            nodes = sum(len(kept.graph.nodes) for _, kept in self._kept.values())
            while self._kept:
                since, oldest = next(iter(self._kept.values()))
                if nodes <= self._most_nodes and now - since <= self._seconds:
                    break
                nodes -= len(oldest.graph.nodes)
                self._kept.popitem(last=False)

    def forget(self, session_id: str) -> None:
        """Keep nothing of a session any more: it was erased or has ended."""
        self.take(session_id)


resident_graphs = ResidentGraphs()
"""Those of this process."""

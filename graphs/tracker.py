"""What the interview did with each node: focus, yield, depth of answers, strategies used.

A node's state is kept under its own id until the node is mapped to a canonical slot; from then on
all nodes of the slot share one state, so that paraphrases are exhausted together. A superseded
node's credit goes to its successor. The tracker remembers who went where, and callers keep using
surface node ids throughout.

Order within a turn: `register_node`, `record_yield` (credits the node that the answered question
was about), `follow_slot`, `update_depths` and `update_edge_counts`, `append_response_depth`, and
last `update_focus` with the node that the next question is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, Protocol

from graphs.domain import Node, SessionGraph
from graphs.node_state import DEPTHS, NodeState
from graphs.ontology import Ontology
from graphs.tracker_format import TrackerStateInvalid, read_document, write_document

__all__ = [
    "DEPTHS",
    "NodeState",
    "NodeStateTracker",
    "TrackerReader",
    "TrackerStateInvalid",
    "TurnRecord",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """What a stored turn did, for rebuilding a tracker from the records.

    `response_depth` and `yielded` speak of the turn's answer, `focus_node_id` and `strategy` of
    the question that followed it. `asked` is False where none did, or only the last one again.
    """

    turn: int
    focus_node_id: str | None
    strategy: str
    response_depth: str | None = None
    yielded: bool = False
    closed_node_ids: tuple[str, ...] = ()
    asked: bool = True


class TrackerReader(Protocol):
    """What may be asked of a tracker by those who do not change it."""

    @property
    def states(self) -> Mapping[str, NodeState]:
        """All states, by the key under which they are kept."""
        ...

    @property
    def previous_focus(self) -> str | None:
        """Surface id of the node that the last question was about."""
        ...

    @property
    def closed(self) -> Set[str]:
        """Keys of states that the respondent does not want to be asked about again."""
        ...

    def key_of(self, node_id: str) -> str: ...
    def keys_of(self, node_ids: Iterable[str]) -> dict[str, str]: ...
    def state_of(self, node_id: str) -> NodeState | None: ...
    def is_closed(self, node_id: str) -> bool: ...
    def open_nodes(self, graph: SessionGraph) -> list[Node]: ...
    def is_current_focus(self, node_id: str) -> bool: ...
    def running_streak(self, node_id: str) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...


class NodeStateTracker:
    """States of all nodes of a session, and which node the last question was about."""

    def __init__(self) -> None:
        self.states: dict[str, NodeState] = {}
        self.previous_focus: str | None = None
        """Surface id of the node that the last question was about."""
        self.closed: set[str] = set()
        """Keys of states that the respondent does not want to be asked about again."""
        self._slots: dict[str, str] = {}
        self._moved: dict[str, str] = {}

    # -- reading ---------------------------------------------------------------------------------
    def key_of(self, node_id: str) -> str:
        """The id under which a node's state is kept: its own, its slot's or its successor's."""
        while node_id in self._moved:
            node_id = self._moved[node_id]
        return self._slots.get(node_id, node_id)

    def keys_of(self, node_ids: Iterable[str]) -> dict[str, str]:
        """`key_of` each of them, by id."""
        if self._moved:
            return {node_id: self.key_of(node_id) for node_id in node_ids}
        slot_of = self._slots.get
        return {node_id: slot_of(node_id, node_id) for node_id in node_ids}

    def state_of(self, node_id: str) -> NodeState | None:
        """The state that a node (or slot) has or shares, None where it was never registered."""
        return self.states.get(self.key_of(node_id))

    def is_closed(self, node_id: str) -> bool:
        """Whether the respondent refused to be asked about this node or one it shares with."""
        return bool(self.closed) and self.key_of(node_id) in self.closed

    def open_nodes(self, graph: SessionGraph) -> list[Node]:
        """The live nodes that may be asked about, oldest first."""
        live = graph.live_nodes()
        return [n for n in live if not self.is_closed(n.id)] if self.closed else list(live)

    def is_current_focus(self, node_id: str) -> bool:
        """Whether the last question was about this node or one it shares its state with."""
        focus = self.previous_focus
        return focus is not None and self.key_of(node_id) == self.key_of(focus)

    def running_streak(self, node_id: str) -> int:
        """Consecutive turns as focus up to now; 0 when it is not the current focus."""
        state = self.state_of(node_id)
        return state.current_focus_streak if state and self.is_current_focus(node_id) else 0

    # -- a turn ----------------------------------------------------------------------------------
    def register_node(self, node: Node, turn: int, depth: float, ontology: Ontology) -> NodeState:
        """Start a node's state, or return the one it has; level and terminal by the ontology.

        `depth` is in [0, 1]; a known state keeps the greater one.
        """
        known = self.state_of(node.id)
        if known is not None:
            known.depth = max(known.depth, depth)
            return known
        level = ontology.level_of(node.node_type)
        key = self.key_of(node.id)
        self.states[key] = NodeState(
            node_id=key,
            label=node.label,
            node_type=node.node_type,
            created_at_turn=turn,
            depth=depth,
            level=node.level if level is None else level,
            is_terminal=ontology.is_terminal(node.node_type),
        )
        return self.states[key]

    def complete(self, graph: SessionGraph, ontology: Ontology) -> None:
        """Add to a restored tracker what is not stored, because the graph itself tells it.

        These are the slots of nodes without a history, and the states of live nodes that neither
        have nor share one.
        """
        for mapping in graph.mappings.values():
            if mapping.node_id in self._slots:
                continue
            if mapping.node_id in self.states:
                self.follow_slot(mapping.node_id, mapping.slot_id)
            else:
                self._slots[mapping.node_id] = mapping.slot_id
        for node in graph.live_nodes():
            if self.state_of(node.id) is None:
                self.register_node(node, node.first_turn, 0.0, ontology)

    def follow_edits(self, graph: SessionGraph, ontology: Ontology) -> None:
        """Agree with a graph that was edited by hand: what is gone from it is forgotten.

        A node that left its slot keeps the slot's history if it was alone there, and in any case
        that the respondent does not want to be asked about it.
        """
        refused = {n for n, slot in self._slots.items() if slot in self.closed} & graph.nodes.keys()
        for node_id, slot_id in list(self._slots.items()):
            mapping = graph.mappings.get(node_id)
            if mapping is None or mapping.slot_id != slot_id:
                del self._slots[node_id]
                alone = slot_id not in graph.slots and slot_id in self.states
                if alone and node_id in graph.nodes:
                    self._merge(slot_id, node_id)
        self._moved = {n: to for n, to in self._moved.items() if {n, to} <= graph.nodes.keys()}
        known = graph.nodes.keys() | graph.slots.keys()
        self.states = {k: s for k, s in self.states.items() if k in known and self.key_of(k) == k}
        for key in self.states.keys() & graph.nodes.keys():
            node, state = graph.nodes[key], self.states[key]
            state.label, state.node_type, state.level = node.label, node.node_type, node.level
            state.is_terminal = ontology.is_terminal(node.node_type)
        self.complete(graph, ontology)
        self.closed = {key for key in self.closed if key in self.states}
        self.closed |= {key for key in map(self.key_of, refused) if key in self.states}
        if self.previous_focus is not None and self.state_of(self.previous_focus) is None:
            self.previous_focus = None

    def update_depths(self, depths: Mapping[str, float]) -> None:
        """Note how deep each node now lies, in [0, 1]; nodes that share a state, the deepest."""
        deepest: dict[str, float] = {}
        for node_id, key in self.keys_of(depths).items():
            depth = depths[node_id]
            if depth >= deepest.get(key, 0.0):
                deepest[key] = depth
        for key, depth in deepest.items():
            if key in self.states:
                self.states[key].depth = depth

    def update_edge_counts(self, graph: SessionGraph) -> None:
        """Count every state's live edges anew: liveness may change with any statement.

        An edge between two nodes that share a state counts on neither side.
        """
        for state in self.states.values():
            state.edge_count_outgoing = state.edge_count_incoming = 0
            state.connected_node_ids = set()
        states = {
            node_id: self.states.get(key) for node_id, key in self.keys_of(graph.nodes).items()
        }
        for edge in graph.live_edges():
            source, target = states[edge.source_id], states[edge.target_id]
            if source is target:
                continue
            if source is not None:
                source.edge_count_outgoing += 1
                source.connected_node_ids.add(edge.target_id)
            if target is not None:
                target.edge_count_incoming += 1
                target.connected_node_ids.add(edge.source_id)

    def record_yield(self, turn: int) -> None:
        """Credit the node of the last question with a yield, once a turn."""
        state = self._focused_state()
        if state is not None and state.last_yield_turn != turn:
            state.yield_count += 1
            state.last_yield_turn = turn

    def append_response_depth(self, depth: str) -> None:
        """Note how deep the answer to the last question was; call before `update_focus`.

        Raises ValueError for a word that is not a depth.
        """
        if depth not in DEPTHS:
            raise ValueError(f"response depth must be one of {', '.join(DEPTHS)}, not {depth!r}")
        state = self._focused_state()
        if state is not None:
            state.all_response_depths.append(depth)

    def update_focus(self, node_id: str | None, turn: int, strategy: str) -> None:
        """Note what the next question is about; None for a strategy without a node.

        Raises KeyError for a node that was never registered.
        """
        if node_id is None:
            self.previous_focus = None
            return
        state = self.states[self.key_of(node_id)]
        continued = self.is_current_focus(node_id)
        state.current_focus_streak = state.current_focus_streak + 1 if continued else 1
        state.focus_count += 1
        if state.first_focus_turn is None:
            state.first_focus_turn = turn
        state.last_focus_turn = turn
        usage = state.strategy_usage_count
        usage[strategy] = usage.get(strategy, 0) + 1
        state.consecutive_same_strategy = state.strategy_run(strategy) + 1
        state.last_strategy_used = strategy
        self.previous_focus = node_id

    def close_focus(self, node_id: str) -> None:
        """Note that the respondent does not want to be asked about this node again."""
        self.closed.add(self.key_of(node_id))

    # -- who shares a state ----------------------------------------------------------------------
    def follow_slot(self, node_id: str, slot_id: str) -> None:
        """Keep a node's state with its canonical slot from now on.

        The node's history is merged into the slot's. A node that comes from another slot takes
        that slot's history along only if it was alone in it: otherwise it cannot be told apart.
        A superseded node stays with its successor until it is revived.

        Raises KeyError for a node that was never registered.
        """
        key = self.key_of(node_id)
        if key not in self.states:
            raise KeyError(node_id)
        if self._slots.get(node_id) == slot_id:
            return
        shared = self._is_shared(node_id)
        self._slots[node_id] = slot_id
        if node_id in self._moved:
            return
        if shared:
            self.states.setdefault(slot_id, _blank(slot_id, self.states[key]))
        else:
            self._merge(key, slot_id)

    def move(self, node_id: str, to: str) -> None:
        """Give a superseded node's credit to its successor `to`, also what is still to come.

        A node that shares its slot's state leaves that history with the slot. Moving a node to
        one whose credit already comes to it changes nothing.

        Raises KeyError where either was never registered.
        """
        source, target = self.key_of(node_id), self.key_of(to)
        if source not in self.states or target not in self.states:
            raise KeyError(node_id if source not in self.states else to)
        if node_id in self._line(to):
            return
        if source != target and node_id not in self._moved and not self._is_shared(node_id):
            self._merge(source, target)
        self._moved[node_id] = to

    def revive(self, node: Node, turn: int, depth: float, ontology: Ontology) -> NodeState:
        """Give a node that was said again a state of its own, or its slot's again.

        What it had earned before stays with its successor.
        """
        self._moved.pop(node.id, None)
        return self.register_node(node, turn, depth, ontology)

    # -- storage ---------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """JSON-ready form of all that has a history; equal trackers give equal dictionaries."""
        named = {*self.closed, self.previous_focus and self.key_of(self.previous_focus)}
        states = {k: s for k, s in self.states.items() if s.has_history or k in named}
        return write_document(
            states=states,
            previous_focus=self.previous_focus,
            closed=self.closed,
            slots={node_id: slot for node_id, slot in self._slots.items() if slot in states},
            moved=self._moved,
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> NodeStateTracker:
        """Restore a tracker; an older schema version is brought up to date.

        What has no history is not stored: `complete` adds it from the graph.

        Raises TrackerStateInvalid where the data is not a tracker's: it is never replaced by an
        empty one.
        """
        document = read_document(data)
        tracker = cls()
        tracker.states = document.node_states()
        tracker.previous_focus = document.previous_focus
        tracker.closed = set(document.closed)
        tracker._slots = dict(document.slots)
        tracker._moved = dict(document.moved)
        tracker._check()
        return tracker

    @classmethod
    def rebuild(
        cls,
        graph: SessionGraph,
        ontology: Ontology,
        records: Iterable[TurnRecord],
        depths: Mapping[str, float] | None = None,
    ) -> NodeStateTracker:
        """Replay stored turns over the graph they led to.

        When a node was superseded is not stored, so credit moves at the end: counts agree with the
        original, the runs of a superseded node may not.
        """
        depths = depths or {}
        tracker = cls()
        nodes, mappings = defaultdict(list), defaultdict(list)
        for node in graph.nodes.values():
            nodes[node.first_turn].append(node)
        for mapping in graph.mappings.values():
            mappings[mapping.assigned_turn].append(mapping)
        ordered = sorted(records, key=lambda record: record.turn)
        by_turn = {record.turn: record for record in ordered}
        for turn in sorted({*by_turn, *nodes, *mappings}):
            for node in nodes[turn]:
                tracker.register_node(node, turn, depths.get(node.id, 0.0), ontology)
            record = by_turn.get(turn)
            if record and record.yielded:
                tracker.record_yield(turn)
            for mapping in mappings[turn]:
                tracker.follow_slot(mapping.node_id, mapping.slot_id)
            if record:
                tracker._replay(record)
        for node in graph.nodes.values():
            if node.superseded_by and node.superseded_by in graph.nodes:
                tracker.move(node.id, node.superseded_by)
        tracker.update_edge_counts(graph)
        return tracker

    # -- inside ----------------------------------------------------------------------------------
    def _replay(self, record: TurnRecord) -> None:
        if record.response_depth is not None:
            self.append_response_depth(record.response_depth)
        for node_id in record.closed_node_ids:
            self.close_focus(node_id)
        if record.asked:
            self.update_focus(record.focus_node_id, record.turn, record.strategy)

    def _focused_state(self) -> NodeState | None:
        return None if self.previous_focus is None else self.state_of(self.previous_focus)

    def _is_shared(self, node_id: str) -> bool:
        slot = self._slots.get(node_id)
        return slot is not None and any(
            other_slot == slot and other != node_id and other not in self._moved
            for other, other_slot in self._slots.items()
        )

    def _merge(self, source: str, target: str) -> None:
        state = self.states.pop(source)
        self.states[target] = state.merged_into(self.states.get(target) or _blank(target, state))
        if source in self.closed:
            self.closed.discard(source)
            self.closed.add(target)

    def _line(self, node_id: str) -> list[str]:
        """The node and those its credit goes on to."""
        line = [node_id]
        while line[-1] in self._moved:
            line.append(self._moved[line[-1]])
        return line

    def _check(self) -> None:
        for node_id in self._moved:
            seen = {node_id}
            step = node_id
            while step in self._moved:
                step = self._moved[step]
                if step in seen:
                    raise TrackerStateInvalid(f"credit of node {node_id} goes round in a circle")
                seen.add(step)
        asked = {self.key_of(self.previous_focus)} if self.previous_focus is not None else set()
        missing = sorted((asked | self.closed) - self.states.keys())
        if missing:
            raise TrackerStateInvalid(f"no state for {', '.join(missing)}")
        astray = sorted(key for key in self.states if self.key_of(key) != key)
        if astray:
            raise TrackerStateInvalid(f"nobody has the state of {', '.join(astray)}")


def _blank(key: str, like: NodeState) -> NodeState:
    return NodeState(
        node_id=key,
        label=like.label,
        node_type=like.node_type,
        created_at_turn=like.created_at_turn,
        level=like.level,
        is_terminal=like.is_terminal,
    )

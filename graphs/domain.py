"""One interview's knowledge graph in memory, and what a turn adds to it.

Everything here is plain data: the store fills a :class:`SessionGraph` from the database, the turn
pipeline changes it through its verbs, and each verb records what it did on the graph's
:class:`ChangeSet`, which the store later writes in one transaction.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Literal, NamedTuple
from uuid import uuid4

from graphs.language.vectors import Vector

MatchTier = Literal["exact", "quote", "lexical", "embedding", "llm"]
Provenance = Literal["stated", "answer_to_probe", "inferred"]
SlotStatus = Literal["candidate", "active"]


def new_id() -> str:
    """Return a fresh UUIDv4 as text."""
    return str(uuid4())


def fold(text: str) -> str:
    """Fold `text` for exact comparison: Unicode NFKC, lower case, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A concept in the respondent's words."""

    id: str
    label: str
    node_type: str
    level: int | None = None
    stance: int = 0
    confidence: float = 1.0
    first_turn: int = 0
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A directed relation between two nodes of the session."""

    id: str
    source_id: str
    target_id: str
    edge_type: str
    confidence: float = 1.0
    first_turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A node or an edge in an utterance: the quote and its character span, end exclusive.

    A merged paraphrase keeps its own words in `label`, with the tier and similarity of the merge,
    and whether that is `doubtful`. An edge's mention says where the edge comes from, and names the
    question that named one of its ends, if it is an answer to one.
    """

    id: str
    utterance_id: str
    quote: str
    start: int
    end: int
    turn: int
    node_id: str | None = None
    edge_id: str | None = None
    label: str = ""
    tier: MatchTier | None = None
    similarity: float | None = None
    doubtful: bool = False
    provenance: Provenance | None = None
    probe_id: str | None = None


class Said(NamedTuple):
    """What earlier turns heard of a node: the newest quote, how many mentions, and in which turns.

    `turns` are distinct, the first one first.
    """

    quote: str
    mentions: int
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A canonical concept that paraphrases share."""

    id: str
    slot_name: str
    description: str
    node_type: str
    status: SlotStatus = "candidate"
    support_count: int = 0
    first_seen_turn: int = 0
    promoted_turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotMapping:
    """Which slot a surface node belongs to, and how similar they were."""

    node_id: str
    slot_id: str
    similarity: float
    assigned_turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalEdge:
    """An edge between slots, with the surface edges that support it."""

    id: str
    source_slot_id: str
    target_slot_id: str
    edge_type: str
    surface_edge_ids: frozenset[str] = frozenset()

    @property
    def support_count(self) -> int:
        return len(self.surface_edge_ids)


@dataclass(slots=True)
class ChangeSet:
    """What one turn adds to the graph tables. Saving it twice changes nothing.

    `nodes`, `slots` and `canonical_edges` hold the last version of each changed row by id;
    `node_vectors` and `slot_vectors` hold unit vectors by node and slot id.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    mentions: dict[str, Mention] = field(default_factory=dict)
    slots: dict[str, Slot] = field(default_factory=dict)
    mappings: dict[str, SlotMapping] = field(default_factory=dict)
    canonical_edges: dict[str, CanonicalEdge] = field(default_factory=dict)
    node_vectors: dict[str, Vector] = field(default_factory=dict)
    slot_vectors: dict[str, Vector] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(getattr(self, part.name) for part in fields(self))


_AS_SAID = attrgetter("turn", "start", "end", "label", "id")
_AS_FOUND = attrgetter("first_seen_turn", "slot_name", "id")


class SessionGraph:
    """Nodes, edges, mentions and slots of one session, with verbs that record their changes.

    The collections are for reading; only the verbs write. A turn leaves earlier mentions in the
    database: `said_before` then holds what it needs of them, by node id, the last said last, and
    `aliases` the other words that were merged into nodes, as (node id, label).
    """

    def __init__(
        self,
        *,
        nodes: Iterable[Node] = (),
        edges: Iterable[Edge] = (),
        mentions: Iterable[Mention] = (),
        slots: Iterable[Slot] = (),
        mappings: Iterable[SlotMapping] = (),
        canonical_edges: Iterable[CanonicalEdge] = (),
        said_before: dict[str, Said] | None = None,
        aliases: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.nodes: dict[str, Node] = {node.id: node for node in nodes}
        self.edges: dict[str, Edge] = {edge.id: edge for edge in edges}
        self.mentions: list[Mention] = list(mentions)
        self.slots: dict[str, Slot] = {slot.id: slot for slot in slots}
        self.mappings: dict[str, SlotMapping] = {m.node_id: m for m in mappings}
        self.canonical_edges: dict[str, CanonicalEdge] = {e.id: e for e in canonical_edges}
        self.said_before: dict[str, Said] = said_before or {}
        self.changes = ChangeSet()
        self._superseded = {n.id for n in self.nodes.values() if n.superseded_by is not None}
        self._newest = {m.node_id: m for m in self.mentions if m.node_id is not None}
        self._by_key: dict[tuple[str, str], str] = {}
        self._called: defaultdict[str, set[str]] = defaultdict(set)
        for node in self.nodes.values():
            self._index(node)
        for node_id, label in aliases:
            self._called[fold(label)].add(node_id)
        for mention in self.mentions:
            self._call(mention)
        self._edge_keys = {
            (e.source_id, e.target_id, e.edge_type): e.id for e in self.edges.values()
        }

    # -- reading ---------------------------------------------------------------------------------
    def is_live(self, node_id: str) -> bool:
        return node_id in self.nodes and node_id not in self._superseded

    def live_nodes(self) -> Iterator[Node]:
        """Nodes that nothing has superseded, oldest first."""
        if not self._superseded:
            return iter(self.nodes.values())
        return (node for node in self.nodes.values() if node.id not in self._superseded)

    def live_edges(self) -> Iterator[Edge]:
        """Edges whose two nodes are live."""
        if not self._superseded:
            return iter(self.edges.values())
        return (
            edge
            for edge in self.edges.values()
            if edge.source_id not in self._superseded and edge.target_id not in self._superseded
        )

    def live_edge_ids(self) -> Set[str]:
        """The ids of `live_edges`."""
        if not self._superseded:
            return self.edges.keys()
        return {edge.id for edge in self.live_edges()}

    def find(self, node_type: str, label: str) -> Node | None:
        """Return the node of this type whose folded label is equal, superseded ones included."""
        node_id = self._by_key.get((node_type, fold(label)))
        return self.nodes[node_id] if node_id else None

    def called(self, label: str) -> list[Node]:
        """Return the live nodes that these words, folded, stand for, the newest first.

        A node goes by its label, by the labels that were merged into it, and by those of the nodes
        that it superseded.
        """
        ids = {self.successor(node_id) for node_id in self._called.get(fold(label), ())}
        found = [self.nodes[node_id] for node_id in ids if self.is_live(node_id)]
        return sorted(found, key=lambda node: (-node.first_turn, node.id))

    def find_edge(self, source_id: str, target_id: str, edge_type: str) -> Edge | None:
        edge_id = self._edge_keys.get((source_id, target_id, edge_type))
        return self.edges[edge_id] if edge_id else None

    def successor(self, node_id: str) -> str:
        """Follow `superseded_by` to the live end; credit for a superseded node goes there."""
        seen = {node_id}
        while (node := self.nodes.get(node_id)) and node.superseded_by:
            node_id = node.superseded_by
            if node_id in seen:
                break
            seen.add(node_id)
        return node_id

    def degree(self) -> Mapping[str, int]:
        """Live edges per node id; 0 for those without."""
        counts = Counter(map(attrgetter("source_id"), self.live_edges()))
        counts.update(map(attrgetter("target_id"), self.live_edges()))
        return counts

    def latest_quote(self, node_id: str) -> str:
        """The respondent's latest words for a node, "" where there are none."""
        mention = self._newest.get(node_id) or self.said_before.get(node_id)
        return mention.quote if mention else ""

    # -- writing ---------------------------------------------------------------------------------
    def add_node(
        self,
        *,
        label: str,
        node_type: str,
        level: int | None = None,
        stance: int = 0,
        confidence: float = 1.0,
        turn: int,
        vector: Vector | None = None,
    ) -> Node:
        """Add a node and return it.

        Raises ValueError where a node of this type and label is already there: match first.
        """
        key = (node_type, fold(label))
        if key in self._by_key:
            raise ValueError(f"node {self._by_key[key]} already has this type and label")
        node = Node(
            id=new_id(),
            label=label,
            node_type=node_type,
            level=level,
            stance=stance,
            confidence=confidence,
            first_turn=turn,
        )
        self._index(node)
        self._put_node(node)
        if vector is not None:
            self.changes.node_vectors[node.id] = vector
        return node

    def add_edge(
        self, *, source_id: str, target_id: str, edge_type: str, confidence: float = 1.0, turn: int
    ) -> tuple[Edge, bool]:
        """Return the edge and whether it is new; an edge from a node to itself is refused.

        Raises ValueError for a self-edge and KeyError for an unknown node.
        """
        if source_id == target_id:
            raise ValueError("an edge must join two different nodes")
        if source_id not in self.nodes or target_id not in self.nodes:
            raise KeyError("both ends of an edge must be in the graph")
        if found := self.find_edge(source_id, target_id, edge_type):
            return found, False
        edge = Edge(
            id=new_id(),
            source_id=source_id,
            target_id=target_id,
            edge_type=edge_type,
            confidence=confidence,
            first_turn=turn,
        )
        self.edges[edge.id] = edge
        self._edge_keys[(source_id, target_id, edge_type)] = edge.id
        self.changes.edges[edge.id] = edge
        return edge, True

    def add_mention(self, mention: Mention) -> None:
        self.mentions.append(mention)
        self._call(mention)
        if mention.node_id is not None:
            self._newest[mention.node_id] = mention
        self.changes.mentions[mention.id] = mention

    def supersede(self, node_id: str, *, by: str) -> None:
        """Mark a node as replaced; its edges stop being live with it."""
        if node_id != by and self.successor(by) != node_id:
            self._put_node(replace(self.nodes[node_id], superseded_by=by))

    def revive(self, node_id: str) -> None:
        """Make a superseded node live again: its old label was said once more."""
        if self.nodes[node_id].superseded_by is not None:
            self._put_node(replace(self.nodes[node_id], superseded_by=None))

    def put_slot(self, slot: Slot, vector: Vector | None = None) -> None:
        """Add a slot or replace its former version."""
        self.slots[slot.id] = slot
        self.changes.slots[slot.id] = slot
        if vector is not None:
            self.changes.slot_vectors[slot.id] = vector

    def put_mapping(self, mapping: SlotMapping) -> None:
        self.mappings[mapping.node_id] = mapping
        self.changes.mappings[mapping.node_id] = mapping

    def put_canonical_edge(self, edge: CanonicalEdge) -> None:
        self.canonical_edges[edge.id] = edge
        self.changes.canonical_edges[edge.id] = edge

    def settle(self) -> ChangeSet:
        """Take the turn's changes as stored and return them; what is left is what a turn loads.

        The rows lie in the order in which they would be loaded: what the next turn finds must not
        depend on where it finds it.
        """
        changes, self.changes = self.changes, ChangeSet()
        for mention in sorted(changes.mentions.values(), key=_AS_SAID):
            if mention.node_id is not None:
                before = self.said_before.pop(mention.node_id, Said("", 0))
                turns = tuple(sorted({*before.turns, mention.turn}))
                self.said_before[mention.node_id] = Said(mention.quote, before.mentions + 1, turns)
        self.mentions, self._newest = [], {}
        for edge_id in sorted(changes.edges):
            self.edges[edge_id] = self.edges.pop(edge_id)
        for node_id in sorted(changes.mappings):
            self.mappings[node_id] = self.mappings.pop(node_id)
        self.slots = {slot.id: slot for slot in sorted(self.slots.values(), key=_AS_FOUND)}
        self.canonical_edges = dict(sorted(self.canonical_edges.items()))
        return changes

    def _index(self, node: Node) -> None:
        folded = fold(node.label)
        self._by_key[node.node_type, folded] = node.id
        self._called[folded].add(node.id)

    def _call(self, mention: Mention) -> None:
        if mention.node_id is not None and mention.label:
            self._called[fold(mention.label)].add(mention.node_id)

    def _put_node(self, node: Node) -> None:
        self.nodes[node.id] = node
        if node.superseded_by is None:
            self._superseded.discard(node.id)
        else:
            self._superseded.add(node.id)
        self.changes.nodes[node.id] = node

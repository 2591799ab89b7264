"""Canonical slots: the concepts that paraphrases share, and the edges between them.

New nodes are put into batches, somebody proposes a slot for each (a model, rules, an analyst: it
makes no difference here), and the proposals are applied: a proposal joins the most similar slot of
its node type or opens a candidate, a candidate with enough support becomes active, and surface
edges between mapped nodes are gathered into canonical edges.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graphs.domain import CanonicalEdge, Node, Said, SessionGraph, Slot, SlotMapping, fold, new_id
from graphs.language.vectors import Embedder, Vector

BATCH_SIZE = 8
SLOT_SIMILARITY = 0.60
KNOWN_SIMILARITY = 0.80
MIN_SUPPORT = 2
MAX_NAME = 120
_NEIGHBOURS = 3

Nearest = Callable[[Sequence[tuple[str, Vector]], int], list[list[tuple[str, float]]]]
"""(node type, unit vector) queries and k → per query the k nearest stored slots and cosines."""
Conflict = Callable[[str, str], object]
"""Whether two texts contradict each other, so that no cosine may join them; falsy when not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotProposal:
    """A slot that somebody proposes for a node."""

    node_id: str
    slot_name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotChanges:
    """What applying proposals did; `unmapped` are nodes whose proposal was of no use."""

    created: tuple[Slot, ...] = ()
    updated: tuple[Slot, ...] = ()
    mapped: tuple[SlotMapping, ...] = ()
    edges: tuple[CanonicalEdge, ...] = ()
    unmapped: tuple[str, ...] = ()


def slot_text(name: str, description: str) -> str:
    """The text a slot is embedded as: "name: description", words apart."""
    return f"{name.replace('_', ' ')}: {description}".strip().rstrip(":")


def unmapped_nodes(graph: SessionGraph) -> list[Node]:
    """Live nodes without a slot, oldest first: new ones, and those that earlier turns missed."""
    unmapped = graph.nodes.keys() - graph.mappings.keys()
    return [node for node in graph.live_nodes() if node.id in unmapped] if unmapped else []


def batches(nodes: Iterable[Node], size: int = BATCH_SIZE) -> list[list[Node]]:
    """Group nodes by type into batches of at most `size`; every node is in exactly one.

    Raises ValueError for a size below 1.
    """
    if size < 1:
        raise ValueError("a batch holds at least one node")
    by_type: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        by_type[node.node_type].append(node)
    return [
        group[start : start + size]
        for group in by_type.values()
        for start in range(0, len(group), size)
    ]


def already_known(
    graph: SessionGraph,
    nodes: Sequence[Node],
    vectors: Mapping[str, Vector],
    nearest: Nearest,
    *,
    threshold: float = KNOWN_SIMILARITY,
    conflict: Conflict | None = None,
) -> list[SlotProposal]:
    """Propose the slot of a node whose label is already as close as can be to one.

    `vectors` holds label vectors by node id; nodes without one are left to the proposer. The bar is
    that of surface matching, because no model has looked at the node. The proposals name a slot
    that is there, so applying them maps the node without another decision.
    """
    asked = [node for node in nodes if node.id in vectors and node.id not in graph.mappings]
    if not asked:
        return []
    found = nearest([(node.node_type, vectors[node.id]) for node in asked], _NEIGHBOURS)
    proposals: list[SlotProposal] = []
    for node, neighbours in zip(asked, found, strict=True):
        for slot_id, similarity in neighbours:
            slot = graph.slots.get(slot_id)
            if slot is None or slot.node_type != node.node_type or similarity < threshold:
                continue
            text = slot_text(slot.slot_name, slot.description)
            if conflict is None or not conflict(node.label, text):
                proposals.append(
                    SlotProposal(
                        node_id=node.id, slot_name=slot.slot_name, description=slot.description
                    )
                )
                break
    return proposals


def apply_proposals(
    graph: SessionGraph,
    proposals: Sequence[SlotProposal],
    *,
    embedder: Embedder,
    nearest: Nearest,
    turn: int,
    threshold: float = SLOT_SIMILARITY,
    min_support: int = MIN_SUPPORT,
    conflict: Conflict | None = None,
) -> SlotChanges:
    """Map nodes to slots by the proposals and bring the canonical edges up to date.

    A proposal joins the slot of its node type that has its name, or else the most similar one at
    cosine `threshold` or more of "name: description" whose name does not contradict it; otherwise
    it opens a candidate. Support is counted anew for the slots that got a node and those of which
    a node was said again; a slot is active from `min_support` on. Proposals for nodes that are
    unknown, mapped or already proposed for are passed over, and so are nameless ones, whose nodes
    come back as unmapped. All texts are embedded in one batch and all neighbours
    looked up in one call; slots opened in this turn need not be stored yet.
    """
    usable, unmapped = _usable(graph, proposals)
    work = _Application(graph, turn, threshold, conflict)
    new = [item for item in usable if work.named(item) is None]
    texts = list(dict.fromkeys(_text(item) for item in new))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True)) if texts else {}
    queries = [(graph.nodes[item.node_id].node_type, vectors[_text(item)]) for item in new]
    stored = nearest(queries, _NEIGHBOURS) if queries else []
    neighbours = {item.node_id: found for item, found in zip(new, stored, strict=True)}
    for item in usable:
        work.apply(item, vectors.get(_text(item)), neighbours.get(item.node_id, []))
    touched = [*work.created, *work.updated, *_said_again(graph)]
    changed = _count_support(graph, dict.fromkeys(touched), turn=turn, min_support=min_support)
    updated = dict.fromkeys([*work.updated, *changed])
    return SlotChanges(
        created=tuple(graph.slots[slot_id] for slot_id in work.created),
        updated=tuple(graph.slots[slot_id] for slot_id in updated if slot_id not in work.created),
        mapped=tuple(work.mapped),
        edges=tuple(aggregate_edges(graph)),
        unmapped=tuple(unmapped),
    )


def support_of(graph: SessionGraph, slot_ids: Collection[str]) -> dict[str, int]:
    """Return each slot's support: the turns in which its nodes were said, summed over the nodes.

    So paraphrases count whether they were merged into one node or stayed several, and what is said
    twice in one breath counts once. A node counts at least once.
    """
    lately: dict[str, set[int]] = defaultdict(set)
    for mention in graph.mentions:
        if mention.node_id is not None:
            lately[mention.node_id].add(mention.turn)
    never = Said("", 0)
    support = dict.fromkeys(slot_ids, 0)
    for node_id, mapping in graph.mappings.items():
        if mapping.slot_id in support:
            turns = lately.get(node_id, set()).union(graph.said_before.get(node_id, never).turns)
            support[mapping.slot_id] += max(len(turns), 1)
    return support


def _said_again(graph: SessionGraph) -> list[str]:
    """The slots of mapped nodes that this turn mentions."""
    said = (graph.mappings.get(m.node_id or "") for m in graph.changes.mentions.values())
    return [mapping.slot_id for mapping in said if mapping is not None]


def _count_support(
    graph: SessionGraph, slot_ids: Collection[str], *, turn: int, min_support: int
) -> list[str]:
    """Bring support and status of these slots up to date; return those that changed."""
    changed = []
    for slot_id, support in support_of(graph, slot_ids).items():
        slot = graph.slots[slot_id]
        promoted = slot.status == "candidate" and support >= min_support
        if promoted or support != slot.support_count:
            changed.append(slot_id)
            graph.put_slot(
                replace(
                    slot,
                    support_count=support,
                    status="active" if promoted else slot.status,
                    promoted_turn=turn if promoted else slot.promoted_turn,
                )
            )
    return changed


def aggregate_edges(graph: SessionGraph) -> list[CanonicalEdge]:
    """Add surface edges between mapped nodes to the canonical edges; return those that changed.

    An edge within one slot has no canonical counterpart.
    """
    existing = graph.canonical_edges.values()
    edges = {(e.source_slot_id, e.target_slot_id, e.edge_type): e for e in existing}
    settled = frozenset().union(*(edge.surface_edge_ids for edge in existing))
    added: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for edge_id in [edge_id for edge_id in graph.edges if edge_id not in settled]:
        edge = graph.edges[edge_id]
        source, target = graph.mappings.get(edge.source_id), graph.mappings.get(edge.target_id)
        if source is None or target is None or source.slot_id == target.slot_id:
            continue
        added[source.slot_id, target.slot_id, edge.edge_type].add(edge_id)
    changed: list[CanonicalEdge] = []
    for key, surface_ids in added.items():
        old = edges.get(key) or CanonicalEdge(
            id=new_id(), source_slot_id=key[0], target_slot_id=key[1], edge_type=key[2]
        )
        edge_now = replace(old, surface_edge_ids=old.surface_edge_ids | surface_ids)
        graph.put_canonical_edge(edge_now)
        changed.append(edge_now)
    return changed


@dataclass(slots=True)
class _Application:
    """Applies proposals one after the other, seeing the slots that earlier ones opened."""

    graph: SessionGraph
    turn: int
    threshold: float
    conflict: Conflict | None
    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    mapped: list[SlotMapping] = field(default_factory=list)
    _by_name: dict[tuple[str, str], str] = field(init=False)

    def __post_init__(self) -> None:
        slots = reversed(self.graph.slots.values())
        self._by_name = {(slot.node_type, slot.slot_name): slot.id for slot in slots}

    def named(self, item: SlotProposal) -> Slot | None:
        """The slot of the node's type that already has the proposed name, the oldest of several."""
        key = (self.graph.nodes[item.node_id].node_type, item.slot_name)
        return self.graph.slots.get(self._by_name.get(key, ""))

    def apply(
        self, item: SlotProposal, vector: Vector | None, stored: Sequence[tuple[str, float]]
    ) -> None:
        """Map one node, joining or opening its slot."""
        slot, similarity = self.named(item), 1.0
        if slot is None and vector is not None:
            slot, similarity = self._most_similar(item, vector, stored)
        if slot is None:
            slot, similarity = self._open(item), 1.0
            self.graph.put_slot(slot, vector)
            self._by_name[slot.node_type, slot.slot_name] = slot.id
            self.created.append(slot.id)
        elif slot.id not in self.created and slot.id not in self.updated:
            self.updated.append(slot.id)
        mapping = SlotMapping(
            node_id=item.node_id, slot_id=slot.id, similarity=similarity, assigned_turn=self.turn
        )
        self.graph.put_mapping(mapping)
        self.mapped.append(mapping)

    def _most_similar(
        self, item: SlotProposal, vector: Vector, stored: Sequence[tuple[str, float]]
    ) -> tuple[Slot | None, float]:
        unsaved = self.graph.changes.slot_vectors.items()
        near = dict(stored) | {slot_id: float(vector @ other) for slot_id, other in unsaved}
        node_type = self.graph.nodes[item.node_id].node_type
        for slot_id, similarity in sorted(near.items(), key=lambda pair: -pair[1]):
            slot = self.graph.slots.get(slot_id)
            if similarity < self.threshold:
                break
            if slot is not None and slot.node_type == node_type and not self._conflicts(item, slot):
                return slot, min(similarity, 1.0)
        return None, 0.0

    def _conflicts(self, item: SlotProposal, slot: Slot) -> bool:
        return self.conflict is not None and bool(
            self.conflict(item.slot_name.replace("_", " "), slot.slot_name.replace("_", " "))
        )

    def _open(self, item: SlotProposal) -> Slot:
        return Slot(
            id=new_id(),
            slot_name=item.slot_name,
            description=item.description,
            node_type=self.graph.nodes[item.node_id].node_type,
            first_seen_turn=self.turn,
        )


def _usable(
    graph: SessionGraph, proposals: Sequence[SlotProposal]
) -> tuple[list[SlotProposal], list[str]]:
    usable: dict[str, SlotProposal] = {}
    nameless: dict[str, None] = {}
    for item in proposals:
        if item.node_id not in graph.nodes or item.node_id in graph.mappings:
            continue
        name = slot_name(item.slot_name)
        if name:
            usable.setdefault(
                item.node_id, replace(item, slot_name=name, description=item.description.strip())
            )
        else:
            nameless[item.node_id] = None
    return list(usable.values()), [node_id for node_id in nameless if node_id not in usable]


def slot_name(text: str) -> str:
    """A slot's name as stored: lower-case words joined by underscores, at most 120 characters."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", fold(text.replace("_", " ")))
    return "_".join(words)[:MAX_NAME].rstrip("_")


def _text(item: SlotProposal) -> str:
    return slot_text(item.slot_name, item.description)

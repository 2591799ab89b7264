"""Slots of many interviews grouped into themes, around what people decided. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphs.canonical import slot_text
from graphs.language.vectors import Vector

THEME_SIMILARITY = 0.70


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of one interview. `vector` is that of "name: description", of length 1.

    `theme` is where it is now, `decided` whether a person put or kept it there, and `anchor`
    whether others may join that theme for being near to it.
    """

    id: str
    name: str
    description: str
    node_type: str
    support: int
    vector: Vector | None
    theme: str | None = None
    decided: bool = False
    anchor: bool = False

    @property
    def rank(self) -> tuple[int, str, str]:
        """The best supported come first."""
        return (-self.support, self.name, self.id)


@dataclass(slots=True, kw_only=True)
class Group:
    """Slots of one theme: the cosine each joined at, None for anchors.

    `theme` is the theme that it goes on, None where it is a new one.
    """

    theme: str | None
    node_type: str
    decided: bool
    members: dict[str, float | None] = field(default_factory=dict)


def group_slots(slots: Iterable[Slot], threshold: float = THEME_SIMILARITY) -> list[Group]:
    """Group slots of one node type each, greedily from the best supported.

    Each slot in turn that is in no group yet opens one, and all that are at cosine `threshold` or
    more to it join. What a person decided stays and comes first: what is near to an anchor among it
    joins the nearest. Slots without a vector join by equal words.
    Groups go on the themes that hold most of their slots.
    """
    by_type: dict[str, list[Slot]] = defaultdict(list)
    for slot in sorted(slots, key=lambda one: one.rank):
        by_type[slot.node_type].append(slot)
    groups = [g for of_type in by_type.values() for g in _grouped(of_type, threshold)]
    _go_on(groups, {slot.id: slot.theme for of_type in by_type.values() for slot in of_type})
    return groups


def _grouped(slots: Sequence[Slot], threshold: float) -> list[Group]:
    near = _Nearness(slots)
    groups: dict[str, Group] = {}
    decided = [place for place, slot in enumerate(slots) if slot.decided]
    for place in decided:
        slot = slots[place]
        name = f"decided {slot.theme}"
        group = groups.setdefault(
            name, Group(theme=slot.theme, node_type=slot.node_type, decided=True)
        )
        group.members[slot.id] = None
    taken = np.zeros(len(slots), dtype=bool)
    taken[decided] = True
    anchors = _anchors(slots, decided)
    nearest = {place: near.to(place) for place in anchors}
    if anchors:
        best = np.argmax(np.array([nearest[place] for place in anchors]), axis=0)
        for other in np.flatnonzero(~taken).tolist():
            place = anchors[int(best[other])]
            if nearest[place][other] >= threshold:
                joined = groups[f"decided {slots[place].theme}"]
                joined.members[slots[other].id] = min(float(nearest[place][other]), 1.0)
                taken[other] = True
    for place, slot in enumerate(slots):
        if taken[place]:
            continue
        found = near.to(place)
        group = groups[slot.id] = Group(theme=None, node_type=slot.node_type, decided=False)
        for other in np.flatnonzero((found >= threshold) & ~taken).tolist():
            group.members[slots[other].id] = min(float(found[other]), 1.0)
        group.members[slot.id] = None
        taken |= found >= threshold
        taken[place] = True
    return list(groups.values())


def _anchors(slots: Sequence[Slot], decided: Sequence[int]) -> list[int]:
    """Places of the anchors; the best supported slot where those of a theme were erased."""
    anchored = {slots[place].theme for place in decided if slots[place].anchor}
    found = []
    for place in decided:
        slot = slots[place]
        if slot.anchor or slot.theme not in anchored:
            anchored.add(slot.theme)
            found.append(place)
    return found


class _Nearness:
    """Cosines of slots to each other."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        size = next((len(slot.vector) for slot in slots if slot.vector is not None), 1)
        nothing = np.zeros(size, dtype=np.float32)
        self._vectors = np.array(
            [nothing if slot.vector is None else slot.vector for slot in slots], dtype=np.float32
        )
        self._texts = np.array([slot_text(slot.name, slot.description) for slot in slots])
        self._bare = np.array([slot.vector is None for slot in slots])

    def to(self, place: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        """The cosine of every slot to the one at `place`."""
        found: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
        found = self._vectors @ self._vectors[place]
        same = self._texts == self._texts[place]
        found[same & (self._bare | self._bare[place])] = 1.0
        return found


def _go_on(groups: Iterable[Group], now: Mapping[str, str | None]) -> None:
    """Have each group that nobody decided go on the theme that holds most of its slots."""
    groups = list(groups)
    used = {group.theme for group in groups if group.theme is not None}
    for group in groups:
        if group.decided:
            continue
        held = Counter(
            theme for slot in group.members if (theme := now[slot]) and theme not in used
        )
        if held:
            # the anchor's own theme before others that hold as many
            first = now[next(slot for slot, cosine in group.members.items() if cosine is None)]
            group.theme = max(held, key=lambda one: (held[one], one == first, one))
            used.add(group.theme)

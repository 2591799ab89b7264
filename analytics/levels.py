"""The bands of a methodology's ladder: which level a type stands on, and in which colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphs.ontology import Ontology
from methodologies.signals.words import human

COLOURS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A level of the ladder. `index` counts from 0 at the concrete end; `colour` is 1 … 5."""

    index: int
    level: int | None
    name: str
    colour: int


class Ladder:
    """Bands of an ontology; types that it does not know, or without a level, share a last band."""

    def __init__(self, ontology: Ontology, types_in_use: Iterable[str]) -> None:
        """`types_in_use` are the types that a session's nodes have."""
        self._ontology = ontology
        bands = []
        for index, level in enumerate(ontology.levels):
            names = [human(t.name) for t in ontology.node_types if t.level == level]
            bands.append(
                Band(index=index, level=level, name=" / ".join(names), colour=index % COLOURS + 1)
            )
        if any(ontology.level_of(name) is None for name in types_in_use):
            index = len(bands)
            bands.append(Band(index=index, level=None, name="other", colour=index % COLOURS + 1))
        self.bands: tuple[Band, ...] = tuple(bands)

    def of(self, node_type: str) -> Band:
        """The band that a node of this type stands in."""
        level = self._ontology.level_of(node_type)
        return next((b for b in self.bands if b.level == level), self.bands[-1])

    def is_terminal(self, node_type: str) -> bool:
        """Whether a chain is complete when it reaches this type."""
        return self._ontology.is_terminal(node_type)

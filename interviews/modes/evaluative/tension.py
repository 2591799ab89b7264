"""Relations that an answer states and the ontology does not permit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphs.domain import fold
from graphs.ontology import REVISES, Ontology
from interviews.modes.evaluative.state import Tension


class Stated(Protocol):
    """A relation as the reading proposes it."""

    @property
    def source(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def edge_type(self) -> str: ...
    @property
    def quote(self) -> str: ...
    @property
    def denied(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What an end of a relation stands for: a live node."""

    id: str
    label: str
    node_type: str


def tensions_in(
    stated: Iterable[Stated],
    *,
    answer: str,
    ontology: Ontology,
    known: Callable[[str], End | None],
    before: Sequence[Tension],
    turn: int,
) -> Iterator[Tension]:
    """Yield the tensions that this answer adds to those `before`, each pair of ends once.

    A relation counts where its quote is in the answer after folding, both of its ends are `known`
    and different, and nobody denies it.
    """
    seen = {(t.source_id, t.target_id, t.edge_type) for t in before}
    said, new = fold(answer), 0
    for relation in stated:
        source, target = known(relation.source), known(relation.target)
        if source is None or target is None or source.id == target.id:
            continue
        key = (source.id, target.id, relation.edge_type)
        words = fold(relation.quote)
        unsaid = not words or words not in said or relation.denied
        if unsaid or key in seen or relation.edge_type == REVISES:
            continue
        if ontology.permits(relation.edge_type, source.node_type, target.node_type):
            continue
        seen.add(key)
        new += 1
        yield Tension(
            id=f"{turn}.{new}",
            source=source.label,
            source_type=source.node_type,
            source_id=source.id,
            target=target.label,
            target_type=target.node_type,
            target_id=target.id,
            edge_type=relation.edge_type,
            quote=relation.quote,
            turn=turn,
        )

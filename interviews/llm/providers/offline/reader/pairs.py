"""What is known of a pair of statements besides their words: where they stand, and how they fit.

A statement is a range of tokens with a node type; the last of a sequence may be the focus of the
question, which stands before the answer. Every figure is of an ordered pair: does the first lead
to the second?
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from interviews.llm.providers.offline.reader.encoding import Encoded
from interviews.llm.tasks.extraction import ExtractionInputs
from interviews.nlp import DiscourseRelation, Kind

_PLACES = 4
"""Places in the answer that are told apart for a relation to the focus, the last and all after."""
_FARTHEST = 3
_RELATIONS: tuple[tuple[Kind, ...], ...] = (
    ("cause", "result"),
    ("purpose",),
    ("condition",),
    ("contrast",),
    ("time",),
)
_REASONS: frozenset[Kind] = frozenset(["cause", "result", "purpose"])
PAIR_FIGURES = 2 + _PLACES + (2 * _FARTHEST + 1) + 1 + 5 + 2 * len(_RELATIONS)
"""How many figures a pair has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedStatement:
    """A statement with its node type: its tokens, and its characters in the answer.

    The focus has no characters of the answer.
    """

    tokens: tuple[int, int]
    characters: tuple[int, int] | None
    node_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an ontology says of pairs of types: permitted connections, the level of each type."""

    permitted: frozenset[tuple[str, str]]
    levels: dict[str, int | None]

    @classmethod
    def of(cls, inputs: ExtractionInputs) -> Terms:
        """Read them off the inputs of an extraction."""
        return cls(
            permitted=frozenset(
                pair for edge in inputs.edge_types for pair in edge.permitted_connections
            ),
            levels={t.name: t.level for t in inputs.node_types},
        )


def pairs_of(placed: Sequence[PlacedStatement]) -> list[tuple[int, int]]:
    """Return all ordered pairs of positions."""
    positions = range(len(placed))
    return [(i, j) for i in positions for j in positions if i != j]


def gap_of(one: PlacedStatement, other: PlacedStatement, encoded: Encoded) -> tuple[int, int]:
    """Return the range of tokens between two statements, from the answer's start for the focus."""
    first, second = sorted((one, other), key=lambda p: p.tokens)
    start = encoded.answer_at if first.characters is None else first.tokens[1]
    return start, max(start, second.tokens[0])


def figures_of(
    placed: Sequence[PlacedStatement],
    pair: tuple[int, int],
    terms: Terms,
    relations: Sequence[DiscourseRelation],
) -> list[float]:
    """Return the PAIR_FIGURES figures of an ordered pair of positions in `placed`.

    They are: whether the first or the second is the focus, and then where in the answer the other
    stands; else how many statements they are apart and how many tokens; whether the connection is
    permitted, and the reverse; difference of levels, equal levels, equal types; the discourse
    relations between them, in this direction and in the other.
    """
    source, target = (placed[position] for position in pair)
    place, distance, tokens = [0.0] * _PLACES, [0.0] * (2 * _FARTHEST + 1), 0.0
    if source.characters is None or target.characters is None:
        other = pair[1] if source.characters is None else pair[0]
        place[min(other, _PLACES - 1)] = 1.0
    else:
        apart = max(-_FARTHEST, min(_FARTHEST, pair[1] - pair[0]))
        distance[apart + _FARTHEST] = 1.0
        tokens = math.log1p(abs(target.tokens[0] - source.tokens[0])) / 4
    below, above = terms.levels.get(source.node_type), terms.levels.get(target.node_type)
    step = 0.0 if below is None or above is None else max(-3, min(3, above - below)) / 3
    return [
        float(source.characters is None),
        float(target.characters is None),
        *place,
        *distance,
        tokens,
        float((source.node_type, target.node_type) in terms.permitted),
        float((target.node_type, source.node_type) in terms.permitted),
        step,
        float(below is not None and below == above),
        float(source.node_type == target.node_type),
        *(float(_joined(relations, kinds, source, target)) for kinds in _RELATIONS),
        *(float(_joined(relations, kinds, target, source)) for kinds in _RELATIONS),
    ]


def stated(
    placed: Sequence[PlacedStatement],
    chances: Mapping[tuple[int, int], float],
    relations: Sequence[DiscourseRelation],
) -> Iterator[tuple[int, int]]:
    """Yield the ordered pair of positions that each connective of reasons most likely relates.

    Of several statements in its clauses those that `chances` takes for the likeliest.
    """
    for relation in relations:
        if relation.kind not in _REASONS:
            continue
        first, second = (
            [i for i, p in enumerate(placed) if _holds(span.start, span.end, p)]
            for span in (relation.first, relation.second)
        )
        pairs = [(i, j) for i in first for j in second if i not in second and j not in first]
        if pairs:
            yield max(pairs, key=lambda pair: chances[pair])


def opposed(
    relations: Sequence[DiscourseRelation], one: PlacedStatement, other: PlacedStatement
) -> bool:
    """Whether a connective sets one statement against the other ("but", "although")."""
    contrast: tuple[Kind, ...] = ("contrast",)
    return _joined(relations, contrast, one, other) or _joined(relations, contrast, other, one)


def _joined(
    relations: Sequence[DiscourseRelation],
    kinds: Sequence[Kind],
    first: PlacedStatement,
    second: PlacedStatement,
) -> bool:
    return any(
        relation.kind in kinds
        and _holds(relation.first.start, relation.first.end, first)
        and _holds(relation.second.start, relation.second.end, second)
        for relation in relations
    )


def _holds(start: int, end: int, placed: PlacedStatement) -> bool:
    if placed.characters is None:
        return False
    begin, stop = placed.characters
    return begin < end and stop > start

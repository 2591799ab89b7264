"""Name the relations that the reader found by the edge types that the ontology permits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from interviews.llm.providers.offline.lexicon import pattern, plain
from interviews.llm.providers.offline.statements import ReadAnswer, Statement
from interviews.llm.tasks.extraction import EdgeTypeInput, ExtractionInputs

RETYPE_ABOVE = 0.35
"""A statement may take another type for a relation's sake if that is this share as probable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation between two statements, one of which may be the focus of the question."""

    source: Statement
    target: Statement
    edge_type: str
    confidence: float


def link(inputs: ExtractionInputs, reading: ReadAnswer) -> list[Link]:
    """Return the relations of a reading that the ontology permits, the surest first.

    Where `unusual` ones are asked for, a relation that is permitted in no way comes as it is said.

    A statement that is not joined yet takes its next best type where only that permits a relation.
    Where a reason may lead to nothing below it, what it is the reason for leads up to it. Each pair
    of statements is joined at most once.
    """
    links: list[Link] = []
    joined: set[frozenset[int]] = set()
    for one, other, related in reading.related:
        pair = frozenset((id(one), id(other)))
        if len(pair) < 2 or pair in joined:
            continue
        kind = "contrast" if related.contrast else "causal"
        # "I stay calm because I want to be fair": such a reason is what it leads up to.
        ways = [(one, other)] if related.contrast else [(one, other), (other, one)]
        permitted = (
            (way, found) for way in ways for found in _options(inputs.edge_types, *way, kind)
        )
        unusual = _unusual(inputs, one, other, kind)
        (source, target), option = next(permitted, ((one, other), unusual))
        if option is None:
            continue
        source.node_type, target.node_type, edge = option
        source.settled = target.settled = True
        joined.add(pair)
        weakest = min(related.probability, source.confidence, target.confidence)
        links.append(
            Link(source=source, target=target, edge_type=edge, confidence=round(weakest, 2))
        )
    return links


def _unusual(
    inputs: ExtractionInputs, source: Statement, target: Statement, kind: str
) -> tuple[str, str, str] | None:
    """Types and nearest edge type of a relation that nothing permits; None unless asked for."""
    if not inputs.unusual or not inputs.edge_types or source.known or target.known:
        return None
    nearest = max(inputs.edge_types, key=lambda edge: _fit(edge, kind))
    return source.node_type, target.node_type, nearest.name


def _options(
    edges: Sequence[EdgeTypeInput], source: Statement, target: Statement, kind: str
) -> Iterator[tuple[str, str, str]]:
    """Yield types of both ends and the edge type that permit a relation, the likeliest first."""
    pairs = sorted(
        (
            (a_share * b_share, a_type, b_type)
            for a_share, a_type in _alternatives(source)
            for b_share, b_type in _alternatives(target)
        ),
        key=lambda option: -option[0],
    )
    for _, a_type, b_type in pairs:
        if edge := _edge_type(edges, a_type, b_type, kind):
            yield a_type, b_type, edge


def _alternatives(statement: Statement) -> Iterator[tuple[float, str]]:
    yield 1.0, statement.node_type
    if statement.settled:
        return
    best = statement.types[statement.node_type]
    for name, chance in statement.types.items():
        if name != statement.node_type and chance >= RETYPE_ABOVE * best:
            yield chance / best, name


def _edge_type(edges: Sequence[EdgeTypeInput], source: str, target: str, kind: str) -> str:
    """Return the permitted edge type that fits the kind of relation best, "" where none does."""
    best, best_score = "", 0.0
    for edge in edges:
        if (source, target) not in edge.permitted_connections:
            continue
        score = _fit(edge, kind)
        if score > best_score:
            best, best_score = edge.name, score
    return best


def _fit(edge: EdgeTypeInput, kind: str) -> float:
    described = plain(f"{edge.name.replace('_', ' ')} {edge.description}")
    speaks = len(set(pattern(f"edge_{kind}").findall(described)))
    opposes = bool(pattern("edge_contrast").search(described))
    if kind == "contrast":
        return 1.0 + speaks if opposes else 0.1
    if opposes and not edge.chain:
        return 0.0  # a reason is no conflict
    if not edge.chain:
        return 0.5 + 0.1 * speaks
    return 2.0 + 0.1 * min(speaks, 5)

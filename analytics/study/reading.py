"""A study's interviews as its figures see them, read at a number of queries that does not grow."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Count, F

from analytics.included import included
from analytics.inclusion import Inclusion
from analytics.study.ladders import Interview, Link
from analytics.study.matrix import Count as Once
from analytics.study.matrix import Matrix, matrix_of
from analytics.study.saturation import Saturation, saturation_of
from analytics.study.value_map import MapMaker
from graphs.models import KGEdge, KGNode, Mention
from graphs.ontology import NOTHING_PERMITTED, REVISES, Ontology
from graphs.provenance import by_edge
from interviews.models import Study
from interviews.themes import renewal
from methodologies.registry import pinned_methodology

CONFLICTS = frozenset({"conflicts_with"})
"""Edge types that say that two concepts work against each other."""
OWN = "node:"
"""Before the id of a concept that is in no theme and counts as its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """A theme, or a concept that is in none and counts as its own (`own`).

    `respondents` are interviews that have one of its concepts, `mentions` the passages that say
    one. `level` is that of most of its concepts, None where their types have none.
    """

    id: str
    name: str
    node_type: str
    level: int | None
    respondents: int
    mentions: int
    slots: int
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One interview that counts, with what comparisons and tables ask of it."""

    id: str
    started_at: datetime
    ended_at: datetime | None
    status: str
    turns: int
    segments: Mapping[str, Any]
    methodology: str
    revision: int | None
    reason: str
    strategies: Mapping[str, int]
    flags: Sequence[str]

    @property
    def short(self) -> str:
        """The first letters of its id, as pages call it."""
        return self.id[:4]


@dataclass(slots=True)
class _Gathered:
    name: str
    node_type: str
    own: bool
    levels: Counter[int] = field(default_factory=Counter)
    interviews: set[str] = field(default_factory=set)
    mentions: int = 0
    slots: set[UUID] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True)
class StudyReading:
    """What the interviews that count say. `held` are in the order they ended; open ones last.

    `unthemed_share` is that of the live concepts that are in no theme.
    """

    study: Study
    inclusion: Inclusion
    held: tuple[Held, ...]
    interviews: tuple[Interview, ...]
    themes: Mapping[str, Theme]
    labels: Mapping[str, str]
    unthemed_share: float
    _matrices: dict[Once, Matrix] = field(default_factory=dict)

    def matrix(self, count: Once = "respondent") -> Matrix:
        """The implication matrix, counted once."""
        if count not in self._matrices:
            self._matrices[count] = matrix_of(self.interviews, count)
        return self._matrices[count]

    def maps(self, count: Once = "respondent") -> MapMaker:
        """Maps of the matrix, for any cut-off."""
        levels = {theme.id: theme.level for theme in self.themes.values()}
        return MapMaker(self.matrix(count).cells.values(), levels)

    @cached_property
    def saturation(self) -> Saturation:
        """Themes by interview, in the order they ended."""
        return saturation_of([frozenset(one.themes.values()) for one in self.interviews])


def read_study(study: Study, inclusion: Inclusion) -> StudyReading:
    """Read what counts; themes are grouped first where slots are in none.

    Raises InclusionInvalid where a criterion names what the study has not.
    """
    held, methodologies = _held(study, inclusion)
    ids = [UUID(one.id) for one in held]
    nodes = _nodes(ids)
    if any(slot and not theme for *_, slot, theme, _ in nodes):
        renewal.renew(study.pk)
        nodes = _nodes(ids)
    mentions = _Mentions(ids)
    gathered: dict[str, _Gathered] = {}
    themes: dict[str, dict[str, str]] = defaultdict(dict)
    against: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, str] = {}
    for pk, session, label, node_type, level, stance, slot, theme, name in nodes:
        node, interview = str(pk), str(session)
        key = str(theme) if theme else OWN + node
        labels[node] = label
        themes[interview][node] = key
        if stance < 0:
            against[interview].add(node)
        found = gathered.setdefault(
            key, _Gathered(name if theme else label, node_type, own=theme is None)
        )
        found.interviews.add(interview)
        found.mentions += mentions.of_nodes[pk]
        if level is not None:
            found.levels[level] += 1
        if slot:
            found.slots.add(slot)
    links = _links(
        ids, labels, mentions, inclusion, {one.id: methodologies[one.id] for one in held}
    )
    alone = sum(1 for row in nodes if row[7] is None)
    return StudyReading(
        study=study,
        inclusion=inclusion,
        held=held,
        interviews=tuple(
            Interview(
                id=one.id,
                themes=themes[one.id],
                links=links[one.id],
                against=frozenset(against[one.id]),
            )
            for one in held
        ),
        themes=_themes(gathered),
        labels=labels,
        unthemed_share=alone / len(nodes) if nodes else 0.0,
    )


def _held(study: Study, inclusion: Inclusion) -> tuple[tuple[Held, ...], dict[str, Ontology]]:
    rows = included(study, inclusion).order_by(F("ended_at").asc(nulls_last=True), "pk")
    held, ontologies = [], {}
    for row in rows.values_list(
        "pk",
        "started_at",
        "ended_at",
        "status",
        "turn_count",
        "segments",
        "methodology_version",
        "revision__number",
        "termination_reason",
        "summary__strategy_counts",
        "summary__flags",
    ):
        pk, started, ended, status, turns, segments, version, revision, reason, counts, flags = row
        schema, name = pinned_methodology(version) if version else (None, "")
        ontologies[str(pk)] = schema.graph_ontology if schema else NOTHING_PERMITTED
        held.append(
            Held(
                id=str(pk),
                started_at=started,
                ended_at=ended,
                status=status,
                turns=turns,
                segments=segments,
                methodology=name,
                revision=revision,
                reason=reason,
                strategies=counts or {},
                flags=flags or (),
            )
        )
    return tuple(held), ontologies


def _nodes(ids: Sequence[UUID]) -> list[tuple[Any, ...]]:
    rows = KGNode.objects.live().filter(session__in=ids).order_by("session", "position", "pk")
    theme = "slot_mapping__slot__theme_member__theme"
    return list(
        rows.values_list(
            "pk",
            "session_id",
            "label",
            "node_type",
            "level",
            "stance",
            "slot_mapping__slot_id",
            theme,
            f"{theme}__name",
        )
    )


class _Mentions:
    """How often concepts are said, and how links are known."""

    def __init__(self, ids: Sequence[UUID]) -> None:
        self.of_nodes: Counter[UUID] = Counter()
        evidence = []
        found = Mention.objects.filter(session__in=ids).order_by()
        for node, edge, provenance, number in found.values_list(
            "node_id", "edge_id", "provenance"
        ).annotate(number=Count("pk")):
            if node:
                self.of_nodes[node] += number
            else:
                evidence.append((edge, provenance or None))
        self.of_edges = by_edge(evidence)


def _links(
    ids: Sequence[UUID],
    live: Mapping[str, str],
    mentions: _Mentions,
    inclusion: Inclusion,
    ontologies: Mapping[str, Ontology],
) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = defaultdict(list)
    rows = KGEdge.objects.filter(session__in=ids).order_by("first_turn", "pk")
    for pk, session, source, target, edge_type in rows.values_list(
        "pk", "session_id", "source_id", "target_id", "edge_type"
    ):
        provenance = mentions.of_edges.get(pk)
        ends = str(source), str(target)
        if not inclusion.counts_link(provenance) or ends[0] not in live or ends[1] not in live:
            continue
        conflict = edge_type in CONFLICTS
        interview = str(session)
        found[interview].append(
            Link(
                id=str(pk),
                source=ends[0],
                target=ends[1],
                chain=not conflict
                and edge_type != REVISES
                and edge_type in ontologies[interview].chain_edge_types,
                conflict=conflict,
                provenance=provenance or "",
            )
        )
    return found


def _themes(gathered: Mapping[str, _Gathered]) -> dict[str, Theme]:
    themes = [
        Theme(
            id=key,
            name=one.name,
            node_type=one.node_type,
            level=max(one.levels, key=lambda level: (one.levels[level], -level), default=None),
            respondents=len(one.interviews),
            mentions=one.mentions,
            slots=len(one.slots),
            own=one.own,
        )
        for key, one in gathered.items()
    ]
    themes.sort(key=lambda t: (-t.respondents, -t.mentions, t.name, t.id))
    return {theme.id: theme for theme in themes}

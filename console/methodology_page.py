"""A methodology to look at: its ontology, its weights, its phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse

from console.views import ConsolePage
from methodologies.models import MethodologyVersion
from methodologies.registry import methodology_of
from methodologies.schema import EdgeTypeSpec, MethodologySchema, NodeTypeSpec, StrategySpec

STRONG = 0.5
PHASES = ("early", "mid", "late")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Node types of one level, 0 for those without; the highest stands on top."""

    number: int
    types: Sequence[NodeTypeSpec]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """A cell of the table: "" where a strategy does not weigh the key."""

    text: str = ""
    sign: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A weight key with its weight for each strategy, in the strategies' order."""

    key: str
    weights: Sequence[Weight]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRow:
    """A phase: what it multiplies and adds for each strategy, in their order."""

    name: str
    cells: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """All that the page shows of a methodology."""

    schema: MethodologySchema
    levels: Sequence[Level]
    edges: Sequence[EdgeTypeSpec]
    strategies: Sequence[StrategySpec]
    rows: Sequence[Row]
    phases: Sequence[PhaseRow]


def drawn(schema: MethodologySchema) -> Drawn:
    """The read model."""
    strategies = schema.strategies
    keys = sorted({key for strategy in strategies for key in strategy.signal_weights})
    numbers = sorted({node.level or 0 for node in schema.ontology.nodes}, reverse=True)
    return Drawn(
        schema=schema,
        levels=[
            Level(
                number=n, types=[node for node in schema.ontology.nodes if (node.level or 0) == n]
            )
            for n in numbers
        ],
        edges=schema.ontology.edges,
        strategies=strategies,
        rows=[
            Row(key=key, weights=[_weight(s.signal_weights.get(key)) for s in strategies])
            for key in keys
        ],
        phases=list(_phases(schema)),
    )


def _weight(value: float | None) -> Weight:
    if not value:
        return Weight()
    sign = "plus" if value > 0 else "minus"
    return Weight(text=f"{value:+.2f}", sign=sign, strong=abs(value) >= STRONG)


def _phases(schema: MethodologySchema) -> Sequence[PhaseRow]:
    found = []
    for name in PHASES:
        spec = dict(schema.phases).get(name)  # type: ignore[call-overload]
        cells = []
        for strategy in schema.strategies:
            times = spec.signal_weights.get(strategy.name, 1.0) if spec else 1.0
            bonus = spec.phase_bonuses.get(strategy.name, 0.0) if spec else 0.0
            cells.append(f"×{times:g}" + (f" {bonus:+g}" if bonus else ""))
        found.append(PhaseRow(name=name, cells=cells))
    return found


class MethodologyPage(ConsolePage):
    """A version, drawn; it prints."""

    template = "methodology.html"

    def get(self, request: HttpRequest, version: int) -> HttpResponse:
        """The page. Raises Http404."""
        found = MethodologyVersion.objects.select_related("document").filter(pk=version).first()
        if found is None:
            raise Http404("There is no such version.")
        return self.shown(
            request, title=str(found), version=found, drawn=drawn(methodology_of(found))
        )

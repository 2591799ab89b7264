"""Costs: calls, tokens and money of language models, grouped as somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Aggregate, Count, F, FloatField, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse

from analytics.access import seen_by, studies_of
from console.views import ConsolePage
from interviews import services
from interviews.models import LLMCall, Study

GROUPS: dict[str, tuple[str, ...]] = {
    "study": ("study__name",),
    "role": ("role",),
    "provider": ("provider",),
    "model": ("model",),
    "task": ("task",),
    "day": ("day",),
}
MOST_ROWS = 200


class Percentile(Aggregate):
    """PostgreSQL's `percentile_cont` of a column."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()

    def __init__(self, expression: str, share: float) -> None:
        super().__init__(expression, share=float(share))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A group's figures; times in milliseconds."""

    name: str
    calls: int
    failed: int
    stood_in: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    p50: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a study may still spend."""

    study: Study
    limit: Decimal
    spent: Decimal

    @property
    def left(self) -> Decimal:
        return self.limit - self.spent


def rows_of(calls: QuerySet[LLMCall], by: str) -> list[Row]:
    """The calls grouped by one of GROUPS, the dearest first; days the newest first."""
    (field,) = GROUPS[by]
    if by == "day":
        calls = calls.annotate(day=TruncDate("created_at"))
    grouped = calls.order_by().values(field).annotate(**_figures())
    ordered = grouped.order_by("-day" if by == "day" else "-cost", F("calls").desc())
    return [_row(str(found.pop(field)), found) for found in ordered[:MOST_ROWS]]


def total_of(calls: QuerySet[LLMCall]) -> Row:
    """All of them."""
    return _row("all", calls.aggregate(**_figures()))


def _figures() -> dict[str, Any]:
    return {
        "calls": Count("pk"),
        "failed": Count("pk", filter=~Q(outcome="ok")),
        "stood_in": Count("pk", filter=~Q(stands_in_for="")),
        "sum_in": Sum("tokens_in"),
        "sum_out": Sum("tokens_out"),
        "cost": Sum("cost_usd"),
        "p50": Percentile("latency_ms", 0.5),
        "p95": Percentile("latency_ms", 0.95),
    }


def _row(name: str, found: dict[str, Any]) -> Row:
    return Row(
        name=name or "–",
        calls=found["calls"],
        failed=found["failed"],
        stood_in=found["stood_in"],
        tokens_in=found["sum_in"] or 0,
        tokens_out=found["sum_out"] or 0,
        cost=found["cost"] or Decimal(0),
        p50=found["p50"] or 0.0,
        p95=found["p95"] or 0.0,
    )


def budgets_of(studies: QuerySet[Study]) -> Sequence[Budget]:
    """The studies that have one."""
    found = studies.filter(llm_choice__has_key="budget_usd").select_related("spend")
    return [
        Budget(
            study=study,
            limit=Decimal(str(study.llm_choice["budget_usd"])),
            spent=study.spend.cost_usd if hasattr(study, "spend") else Decimal(0),
        )
        for study in found
        if study.llm_choice["budget_usd"] is not None
    ]


class CostsPage(ConsolePage):
    """The figures of one grouping, of all studies that are seen or of one."""

    template = "costs.html"
    title = "Costs"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Grouped by `?by=`, of the study that `?study=` names."""
        by = request.GET.get("by", "study")
        by = by if by in GROUPS else "study"
        calls = seen_by(request.user, LLMCall.objects.all(), "study")
        studies = studies_of(request.user)
        study = studies.filter(slug=request.GET.get("study", "")).first()
        if study is not None:
            calls = calls.filter(study=study)
        return self.shown(
            request,
            by=by,
            groups=list(GROUPS),
            study=study,
            total=total_of(calls),
            rows=rows_of(calls, by),
            budgets=budgets_of(studies),
            backlog=services.backlog(),
        )

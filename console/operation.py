"""Console pages of what runs: turns and calls of language models."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from console.pages import OwnFilter, ReadOnlyAdmin, link
from interviews.models import LLMCall, Turn


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """The queue: which turns wait, run, failed."""

    purpose = "One answer and the question after it. Look here for turns that failed or wait."
    when_empty = "Turns appear as soon as an interview begins."
    of_study = "session__study"
    list_display = ("number", "in_session", "status", "strategy", "focus_label", "attempt", "ms")
    list_display_links = ("number",)
    list_filter = ("status", "strategy")
    search_fields = ("=session__id", "focus_label")
    ordering = ("-created_at",)
    fields = (
        "number",
        "in_session",
        "status",
        "attempt",
        "strategy",
        "focus_label",
        "phase",
        "continuation",
        "continuation_reason",
        "ms",
        "error",
        "created_at",
        "finished_at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        """Without the decision trace, which the dashboard shows."""
        found: QuerySet[Turn] = super().get_queryset(request)
        return found.defer("result", "stage_ms")

    @admin.display(description="session")
    def in_session(self, turn: Turn) -> str:
        """The turn on the dashboard."""
        address = reverse("analytics:session", args=[turn.session_id])
        return link(f"{address}?turn={turn.number}", str(turn.session_id)[:8])

    @admin.display(description="milliseconds", ordering="latency_ms")
    def ms(self, turn: Turn) -> int | None:
        """How long it took."""
        return turn.latency_ms


@admin.register(LLMCall)
class LLMCallAdmin(ReadOnlyAdmin):
    """Calls of language models, failed ones too."""

    purpose = "Every call of a language model, with its tokens and its price; never its text."
    when_empty = "Calls appear with the first question. Offline rules are listed too, at no cost."
    of_study = "study"
    list_display = (
        "created_at",
        "task",
        "provider",
        "model",
        "tokens_in",
        "tokens_out",
        "cost_usd",
        "latency_ms",
        "outcome",
        "study",
        "in_session",
    )
    list_select_related = ("study",)
    list_filter = ("outcome", ("study", OwnFilter), "provider", "role", "task")
    search_fields = ("=session__id", "task", "model")
    fields = (
        "task",
        "role",
        "provider",
        "model",
        "outcome",
        "stands_in_for",
        "attempts",
        "tokens_in",
        "tokens_out",
        "tokens_cached",
        "cost_usd",
        "latency_ms",
        "prompt_hash",
        "study",
        "in_session",
        "created_at",
    )
    readonly_fields = fields

    @admin.display(description="session")
    def in_session(self, call: LLMCall) -> str:
        """The interview on the dashboard."""
        if call.session_id is None:
            return "–"
        return link(reverse("analytics:session", args=[call.session_id]), str(call.session_id)[:8])

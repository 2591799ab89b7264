"""Console pages of interviews: what was said, understood and asked about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Count, Model, Q, QuerySet, Sum
from django.http import HttpRequest
from django.urls import reverse

from analytics.access import may
from analytics.rights import Right
from console.pages import OwnFilter, ReadOnlyAdmin, link, panel
from graphs.models import KGEdge, KGNode, Mention
from interviews import services
from interviews.completion import completion_code
from interviews.models import LLMCall, Session, Utterance


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Interviews, as the software wrote them."""

    purpose = "One interview: what was said, what was understood, and what was asked about."
    when_empty = "An interview appears when a respondent opens a study's link and agrees."
    erases = Right.ERASE
    of_study = "study"
    list_display = ("short_id", "study", "status", "turns_of", "simulated", "reason", "started_at")
    list_filter = ("status", "simulated", ("study", OwnFilter))
    list_select_related = ("study",)
    search_fields = ("=id", "study__name", "study__slug")
    date_hierarchy = None
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "study",
                    "held_under",
                    "dashboard",
                    "status",
                    "turns_of",
                    "reason",
                    "methodology_version",
                    "concept_version",
                    "language",
                    "simulated",
                    "consented_at",
                    "code",
                    "started_at",
                    "ended_at",
                    "cost",
                )
            },
        ),
        ("What was asked about", {"fields": ("timeline",)}),
        ("What was said", {"fields": ("transcript",)}),
        ("What was understood", {"fields": ("concepts",)}),
    )
    readonly_fields = (
        "short_id",
        "held_under",
        "dashboard",
        "turns_of",
        "reason",
        "code",
        "cost",
        "timeline",
        "transcript",
        "concepts",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        """With the names of study and versions, without texts and tracker states."""
        found: QuerySet[Session] = super().get_queryset(request)
        return found.select_related(
            "study", "revision", "methodology_version__document", "concept_version__document"
        ).defer(
            "node_tracker_state",
            *(
                f"{version}__{field}"
                for version in ("methodology_version", "concept_version")
                for field in ("text", "parsed")
            ),
        )

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Erasing an interview erases all that was said in it; Django asks and names the rows."""
        return may(request.user, Right.ERASE)

    def get_deleted_objects(
        self, objs: Sequence[Session] | QuerySet[Session], request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Name the interviews and count their rows, without a word of what was said.

        Who may erase an interview may erase what belongs to it alone.
        """
        _, counts, _, protected = super().get_deleted_objects(objs, request)
        return [str(session) for session in objs], counts, set(), protected

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Erasing an interview is recorded by whoever does it, and once."""
        return ModelAdmin.log_deletions(self, request, queryset)

    def delete_model(self, request: HttpRequest, obj: Session) -> None:
        """Erase it as every other face would: a row without content says that it was there."""
        services.erase_session(obj.pk, by=request.user.get_username())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> None:
        """Erase each of them."""
        for session in queryset:
            self.delete_model(request, session)

    @admin.display(description="revision of the study")
    def held_under(self, session: Session) -> str:
        """Its number, and the consent that the respondent read."""
        revision = session.revision
        if revision is None:
            return "Held before studies had revisions."
        return panel("revision.html", revision=revision, consent=revision.data["consent_text"])

    @admin.display(description="completion code")
    def code(self, session: Session) -> str:
        """What the respondent was given to show that the interview was held."""
        return completion_code(session.pk)

    @admin.display(description="session", ordering="id")
    def short_id(self, session: Session) -> str:
        """The start of its id."""
        return str(session.pk)[:8]

    @admin.display(description="turns", ordering="turn_count")
    def turns_of(self, session: Session) -> str:
        """Turns done, of how many at most."""
        return f"{session.turn_count} of {session.max_turns}"

    @admin.display(description="ended because", ordering="termination_reason")
    def reason(self, session: Session) -> str:
        """In words."""
        return session.termination_reason.replace("_", " ") or "–"

    @admin.display(description="dashboard")
    def dashboard(self, session: Session) -> str:
        """Transcript, graph and decisions side by side."""
        return link(reverse("analytics:session", args=[session.pk]), "Open the interview")

    @admin.display(description="model calls")
    def cost(self, session: Session) -> str:
        """How many, by whom, and for how much."""
        total = LLMCall.objects.filter(session=session).aggregate(
            calls=Count("pk"), cost=Sum("cost_usd"), online=Count("pk", ~Q(provider="offline"))
        )
        if not total["calls"]:
            return "none"
        price = f"${total['cost']:.4f}" if total["online"] else "offline rules, no cost"
        return f"{total['calls']} calls · {price}"

    @admin.display(description="")
    def timeline(self, session: Session) -> str:
        """Turn, strategy and focus, in order."""
        history = session.state.get("focus_history", []) if session.state else []
        address = reverse("analytics:session", args=[session.pk])
        return panel("timeline.html", history=history, dashboard=address)

    @admin.display(description="")
    def transcript(self, session: Session) -> str:
        """Every utterance."""
        said = Utterance.objects.filter(session=session).order_by("sequence")
        return panel("transcript.html", utterances=said)

    @admin.display(description="")
    def concepts(self, session: Session) -> str:
        """Concepts with the words they came from, and links between them."""
        quotes: dict[UUID, list[Mention]] = defaultdict(list)
        for mention in Mention.objects.filter(session=session, node__isnull=False):
            if mention.node_id:
                quotes[mention.node_id].append(mention)
        nodes = KGNode.objects.filter(session=session).order_by("first_turn", "position")
        edges = KGEdge.objects.filter(session=session).select_related("source", "target")
        return panel(
            "graph.html",
            nodes=[(node, quotes[node.pk]) for node in nodes],
            edges=edges.order_by("first_turn", "created_at"),
        )

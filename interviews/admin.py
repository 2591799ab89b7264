"""Console pages of studies, invitations, sessions, turns and model calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Count, ForeignKey, Model, Q, QuerySet, Sum
from django.forms import ModelChoiceField
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from unfold.decorators import action

from graphs.models import KGEdge, KGNode, Mention
from interview_project.console_pages import ConsoleAdmin, ReadOnlyAdmin, link, panel
from interviews import services, vault
from interviews.admin_forms import StudyForm
from interviews.completion import completion_code
from interviews.invitations import invite, token_for
from interviews.models import (
    Invitation,
    LLMCall,
    PersonalValue,
    Session,
    Study,
    Turn,
    Utterance,
)
from interviews.models.study import TOLD_BEFORE_CONSENT


def next_step(study: Study, held: int, completed: int) -> str:
    """What a researcher should do next with a study, in one sentence."""
    if study.status == Study.Status.DRAFT:
        return "Set the status to live when you want respondents to be able to begin."
    if study.status == Study.Status.CLOSED:
        return "No new interview can begin. Read the interviews on the dashboard, or export them."
    if not held:
        return "Send the study's link, or make a personal link for each respondent."
    waiting = held - completed
    running = f", {waiting} not finished" if waiting else ""
    return f"{completed} complete{running}. Read them on the dashboard while others run."


def public_address(name: str, *args: object) -> str:
    """The full address of a respondents' page; empty where the chat is not installed."""
    try:
        return f"{settings.PUBLIC_URL}{reverse(f'chat:{name}', args=args)}"
    except NoReverseMatch:
        return ""


@admin.register(Study)
class StudyAdmin(ConsoleAdmin):
    """What a researcher publishes."""

    form = StudyForm
    purpose = "A study is a subject, a way of interviewing about it, and a link for respondents."
    when_empty = "Add a study: choose a concept and a methodology, save, then set it live."
    list_display = ("name", "status", "methodology_version", "interviews", "what_next")
    list_filter = ("status",)
    search_fields = ("name", "slug")
    list_select_related = ("methodology_version__document",)
    prepopulated_fields = {"slug": ("name",)}
    readonly_fields = ("public_link", "what_next", "dashboard", "not_told", "created_at")
    actions_detail = ("make_invitation",)
    fieldsets = (
        (None, {"fields": ("what_next", "public_link", "dashboard")}),
        (
            "Study",
            {
                "fields": (
                    "name",
                    "slug",
                    "status",
                    "concept_version",
                    "methodology_version",
                    "guide_version",
                )
            },
        ),
        (
            "Interview",
            {
                "fields": (
                    "mode",
                    "max_turns",
                    "time_budget_minutes",
                    "extension_minutes",
                    "language",
                    "quota",
                )
            },
        ),
        (
            "Before respondents agree",
            {"fields": ("not_told", "greeting", *TOLD_BEFORE_CONSENT, "consent_text")},
        ),
        ("During the interview", {"fields": ("dictation",)}),
        (
            "After the interview",
            {"fields": ("data_fields", "data_collection", "next_steps", "reward", "redirect_url")},
        ),
        (
            "Engine",
            {
                "fields": (
                    "llm_choice",
                    "enable_question_self_selection",
                    "enable_srl",
                    "surface_similarity_threshold",
                    "enable_canonical_slots",
                    "canonical_similarity_threshold",
                    "canonical_min_support_nodes",
                    "created_at",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        """With counts of interviews, without the texts of the versions."""
        found: QuerySet[Study] = super().get_queryset(request)
        return found.annotate(
            held=Count("sessions"),
            completed=Count("sessions", filter=Q(sessions__status=Session.Status.COMPLETED)),
        ).defer("methodology_version__text", "methodology_version__parsed")

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        """Versions to choose from, with their names and without their texts."""
        if db_field.name in ("concept_version", "methodology_version", "guide_version"):
            versions = db_field.remote_field.model._default_manager
            kwargs["queryset"] = versions.select_related("document").defer("text", "parsed")
        field: ModelChoiceField[Any] | None = super().formfield_for_foreignkey(
            db_field, request, **kwargs
        )
        return field

    @admin.display(description="interviews", ordering="held")
    def interviews(self, study: Study) -> str:
        """How many were held and how many are complete."""
        held, completed = _counts(study)
        return f"{held} ({completed} complete)"

    @admin.display(description="what to do next")
    def what_next(self, study: Study) -> str:
        """One sentence."""
        if study._state.adding:
            return "Name the study and choose what to explore and how, then save."
        return next_step(study, *_counts(study))

    @admin.display(description="missing")
    def not_told(self, study: Study) -> str:
        """What respondents are not told, because nobody has written it yet."""
        if not study.untold:
            return "Nothing: respondents are told who asks, what for, and what becomes of it."
        return f"Respondents are not told yet: {', '.join(study.untold)}. Fill in the fields below."

    @admin.display(description="link for respondents")
    def public_link(self, study: Study) -> str:
        """The study's own link, which anyone may open while the study is live."""
        if study._state.adding:
            return "–"
        address = public_address("study", study.slug)
        return link(address, address) if address else "–"

    @admin.display(description="dashboard")
    def dashboard(self, study: Study) -> str:
        """Its interviews."""
        if study._state.adding:
            return "–"
        return link(reverse("analytics:study", args=[study.slug]), "Open the interviews")

    @action(description="Make a personal link", icon="person_add")  # type: ignore[untyped-decorator]
    def make_invitation(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Invite one respondent and show the link."""
        study = self.get_object(request, object_id)
        if study is None or not request.user.has_perm("interviews.add_invitation"):
            messages.error(request, "You may not invite respondents to this study.")
            return redirect("admin:interviews_study_changelist")
        invitation = invite(study)
        messages.success(request, "Here is a personal link. It leads to one interview.")
        return redirect("admin:interviews_invitation_change", invitation.pk)


def _counts(study: Study) -> tuple[int, int]:
    return int(getattr(study, "held", 0)), int(getattr(study, "completed", 0))


@admin.register(Invitation)
class InvitationAdmin(ConsoleAdmin):
    """Personal links to studies."""

    purpose = "A personal link leads one respondent to one interview, from any device."
    when_empty = "Make one from a study's page, or add one here."
    list_display = ("__str__", "study", "state", "expires_at", "created_at")
    list_filter = ("study",)
    list_select_related = ("study", "session")
    search_fields = ("note", "study__name", "study__slug")
    fields = ("study", "note", "expires_at", "state", "personal_link", "interview")
    readonly_fields = ("state", "personal_link", "interview")
    actions = ("revoke",)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """An invitation never moves to another study."""
        return [*self.readonly_fields, *(["study"] if obj else [])]

    @admin.display(description="state")
    def state(self, invitation: Invitation) -> str:
        """Whether the link still counts and what became of it."""
        if invitation.revoked_at:
            return "withdrawn"
        if invitation.expires_at and invitation.expires_at <= timezone.now():
            return "expired"
        return invitation.session.status if invitation.session else "not used yet"

    @admin.display(description="personal link")
    def personal_link(self, invitation: Invitation) -> str:
        """The address to send; whoever has it can take part and read that interview."""
        if invitation._state.adding:
            return "Save to get the link."
        address = public_address("interview", token_for(invitation))
        return link(address, address) if address else "–"

    @admin.display(description="interview")
    def interview(self, invitation: Invitation) -> str:
        """What it led to."""
        if invitation.session_id is None:
            return "Not begun."
        address = reverse("admin:interviews_session_change", args=[invitation.session_id])
        return link(address, f"Session {str(invitation.session_id)[:8]}")

    @admin.action(description="Withdraw the selected links", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        """Links that are withdrawn no longer open; what was said stays."""
        count = queryset.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
        messages.success(request, f"{count} link{'' if count == 1 else 's'} withdrawn.")


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Interviews, as the software wrote them."""

    purpose = "One interview: what was said, what was understood, and what was asked about."
    when_empty = "An interview appears when a respondent opens a study's link and agrees."
    list_display = ("short_id", "study", "status", "turns_of", "simulated", "reason", "started_at")
    list_filter = ("status", "simulated", "study")
    list_select_related = ("study",)
    search_fields = ("=id", "study__name", "study__slug")
    date_hierarchy = None
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "study",
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
            "study", "methodology_version__document", "concept_version__document"
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
        return request.user.has_perm("interviews.delete_session")

    def get_deleted_objects(
        self, objs: Sequence[Session] | QuerySet[Session], request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Name the interviews and count their rows, without a word of what was said.

        Who may erase an interview may erase what belongs to it alone.
        """
        _, counts, _, protected = super().get_deleted_objects(objs, request)
        return [str(session) for session in objs], counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: Session) -> None:
        """Erase it as every other face would: a row without content says that it was there."""
        services.erase_session(obj.pk, by=request.user.get_username())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> None:
        """Erase each of them."""
        for session in queryset:
            self.delete_model(request, session)

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


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """The queue: which turns wait, run, failed."""

    purpose = "One answer and the question after it. Look here for turns that failed or wait."
    when_empty = "Turns appear as soon as an interview begins."
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
    list_filter = ("outcome", "study", "provider", "role", "task")
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


@admin.register(PersonalValue)
class PersonalValueAdmin(ReadOnlyAdmin):
    """What respondents have given of themselves; a permission of its own shows it."""

    purpose = "Names, addresses and numbers that respondents gave, kept encrypted and apart."
    when_empty = "Nothing yet. A study asks for fields at the end where its data fields say so."
    list_display = ("session", "key", "value", "created_at")
    list_filter = ("session__study",)
    list_select_related = ("session__study",)
    fields = ("session", "key", "value", "created_at")
    readonly_fields = fields
    actions = ("export_values",)

    @admin.display(description="value")
    def value(self, stored: PersonalValue) -> str:
        """In clear, for who may see this page at all."""
        return vault.value_of(stored)

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Whether what is chosen may leave the house."""
        return bool(request.user.has_perm("interviews.export_personalvalue"))

    @admin.action(description="Export the chosen values", permissions=["export"])
    def export_values(
        self, request: HttpRequest, queryset: QuerySet[PersonalValue]
    ) -> HttpResponse:
        """One JSON document: session, key, value."""
        rows = [
            {"session": str(one.session_id), "key": one.key, "value": vault.value_of(one)}
            for one in queryset
        ]
        response = JsonResponse(rows, safe=False, json_dumps_params={"ensure_ascii": False})
        response["Content-Disposition"] = 'attachment; filename="personal_values.json"'
        return response

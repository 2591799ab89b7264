"""Console pages of studies."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, ForeignKey, Q, QuerySet
from django.forms import ModelChoiceField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse
from unfold.decorators import action

from analytics.access import may
from analytics.rights import Right
from console.pages import ConsoleAdmin, link
from console.study_form import StudyForm
from interviews.invitations import invite
from interviews.models import Session, Study
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
    writes = Right.STUDIES
    of_study = ""
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
                    "team",
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
        if study is None:
            raise Http404("There is nothing here that you may see.")
        if not may(request.user, Right.INVITE):
            raise PermissionDenied
        invitation = invite(study)
        messages.success(request, "Here is a personal link. It leads to one interview.")
        return redirect("admin:interviews_invitation_change", invitation.pk)


def _counts(study: Study) -> tuple[int, int]:
    return int(getattr(study, "held", 0)), int(getattr(study, "completed", 0))

"""Console pages of studies."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, ForeignKey, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import ModelChoiceField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse
from unfold.decorators import action

from analytics.access import may
from analytics.rights import Right
from console.pages import ConsoleAdmin, link
from console.study_form import StudyForm
from interviews import audit, plans, revisions
from interviews.invitations import invite
from interviews.models import Session, Study
from interviews.models.study import TOLD_BEFORE_CONSENT

COUNTED = Q(sessions__simulated=False)
"""Trials and simulated interviews count nowhere."""


def _counted(**wanted: str) -> Coalesce:
    """How many interviews that count a study has, of those that are wanted."""
    found = Session.objects.filter(study=OuterRef("pk"), simulated=False, **wanted)
    counts = found.order_by().values("study").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counts), 0)


def next_step(study: Study, held: int, completed: int) -> str:
    """What a researcher should do next with a study, in one sentence."""
    match study.status:
        case Study.Status.DRAFT:
            return "Work through the checklist, then let it go live."
        case Study.Status.PAUSED:
            return "No new interview can begin. Let it go live again, or close it."
        case Study.Status.CLOSED:
            return "No new interview can begin. Read the interviews on the dashboard, or export."
        case Study.Status.ARCHIVED:
            return "It is put away. Open it again to do anything with it."
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
    when_empty = (
        "Add a study: choose a concept and a methodology, save, then work through its checklist."
    )
    writes = Right.STUDIES
    of_study = ""
    list_display = ("page", "state", "methodology_version", "interviews", "what_next")
    list_display_links = None
    list_filter = ("status", ("team", admin.RelatedOnlyFieldListFilter))
    search_fields = ("name", "slug")
    list_select_related = ("methodology_version__document",)
    prepopulated_fields = {"slug": ("name",)}
    readonly_fields = ("public_link", "what_next", "overview", "plan", "not_told")
    actions_detail = ("make_invitation",)
    fieldsets = (
        (None, {"fields": ("what_next", "public_link", "overview", "plan", "confirm_revision")}),
        (
            "Study",
            {
                "fields": (
                    "name",
                    "slug",
                    "team",
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
                    "translations",
                    "quota",
                )
            },
        ),
        (
            "Before respondents agree",
            {"fields": ("not_told", "greeting", *TOLD_BEFORE_CONSENT, "consent_text")},
        ),
        ("Recruiting", {"fields": ("recruiting",)}),
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
                )
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Study | None = None) -> Any:
        """Confirming a revision is asked for where there is something to freeze."""
        found = super().get_fieldsets(request, obj)
        opened = obj is not None and obj.status != Study.Status.DRAFT
        if opened and self.has_change_permission(request, obj):
            return found
        return [
            (name, {**options, "fields": [f for f in options["fields"] if f != "confirm_revision"]})
            for name, options in found
        ]

    @admin.display(description="plan")
    def plan(self, study: Study) -> str:
        """The plan of its guide."""
        if study._state.adding or study.guide_version_id is None:
            return "–"
        found = plans.current(study)
        if found is None:
            return "It is made as soon as a worker is there, and before the first interview."
        address = reverse("admin:interviews_guideplan_change", args=[found.pk])
        return link(address, f"Plan {found.number}: see, edit or make it anew")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        """With counts of interviews, without the texts of the versions."""
        found: QuerySet[Study] = super().get_queryset(request)
        # Counted a row each: grouping would sort and compare all of a study's texts first.
        return found.annotate(
            held=_counted(),
            completed=_counted(status=Session.Status.COMPLETED),
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

    @admin.display(description="study", ordering="name")
    def page(self, study: Study) -> str:
        """Its name, which leads to its page."""
        return link(reverse("admin:study", args=[study.slug]), study.name)

    @admin.display(description="state", ordering="status")
    def state(self, study: Study) -> str:
        """In a word."""
        return study.get_status_display().lower()

    @admin.display(description="its page")
    def overview(self, study: Study) -> str:
        """Checklist, state, interviews."""
        if study._state.adding:
            return "–"
        return link(reverse("admin:study", args=[study.slug]), "Checklist, state and interviews")

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Store it, with a new revision where what is frozen was changed, and see to its plan."""
        super().save_model(request, obj, form, change)
        plans.request(obj)
        if form.revises:
            who = request.user.get_username()
            revisions.current(obj, by=who)
            audit.record(audit.Action.REVISED, obj, by=who, fields=form.revises)

    def response_add(self, request: HttpRequest, obj: Study, *args: Any, **kwargs: Any) -> Any:
        """On to the checklist."""
        answer = super().response_add(request, obj, *args, **kwargs)
        plain = not {"_continue", "_addanother"} & set(request.POST)
        return redirect("admin:study", obj.slug) if plain else answer

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

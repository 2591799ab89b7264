"""Console pages of the plans of guided studies: read, edited as a new number, made anew."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from pydantic import ValidationError
from unfold.decorators import action

from analytics.access import may
from analytics.rights import Right
from console.fields import YamlField
from console.pages import ConsoleAdmin, OwnFilter, link, panel
from interviews import plans
from interviews.models import GuidePlan
from interviews.modes.guided.plan import Plan


class PlanForm(forms.ModelForm):  # type: ignore[type-arg]
    """The plan as data; what is saved is a new plan."""

    data = YamlField(  # type: ignore[assignment]
        label="Plan",
        help_text="Change budgets, sub-goals, cues, signs or angles; saving makes the next number.",
        widget=forms.Textarea(attrs={"rows": 30, "class": "console-input", "spellcheck": "false"}),
    )

    class Meta:
        model = GuidePlan
        fields = ("data",)

    def clean_data(self) -> dict[str, Any]:
        """Refuse what is no plan, every fault with where it is."""
        data: dict[str, Any] = self.cleaned_data["data"]
        try:
            Plan.model_validate(data)
        except ValidationError as error:
            faults = error.errors(include_url=False)
            raise forms.ValidationError(
                [f"{' → '.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults]
            ) from error
        return data


@admin.register(GuidePlan)
class PlanAdmin(ConsoleAdmin):
    """The plans of guided studies, newest first."""

    form = PlanForm
    purpose = "How many turns each topic of a guided study may have, and what to listen for in it."
    when_empty = "A plan appears when a study with a guide is saved."
    writes = Right.STUDIES
    of_study = "study"
    list_display = ("study", "number", "intelligence", "created_at")
    list_display_links = ("study", "number")
    list_filter = (("study", OwnFilter),)
    list_select_related = ("study",)
    ordering = ("-created_at", "-number")
    readonly_fields = ("study", "number", "intelligence", "guide", "topics", "created_at")
    fields = ("study", "number", "created_at", "intelligence", "guide", "topics", "data")
    actions_detail = ("make_anew",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Plans are made from a study's guide."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store what was written as the study's next plan; the one that was open stays."""
        written = plans.edit(obj.study, form.cleaned_data["data"])
        obj.pk = written.pk
        messages.success(request, f"Plan {written.number} leads the interviews from now on.")

    @admin.display(description="intelligence")
    def intelligence(self, plan: GuidePlan) -> str:
        """Whether a model has thought about the topics, and why not."""
        found = plan.data["intelligence"]
        return f"{found['status']}. {found['message']}" if found["message"] else found["status"]

    @admin.display(description="guide")
    def guide(self, plan: GuidePlan) -> str:
        """The way to the guide, where a manual guide can be written in its place."""
        version = plan.study.guide_version
        if version is None:
            return "–"
        address = reverse("admin:methodologies_guide_change", args=[version.document_id])
        return link(address, "Edit the guide, or write a manual guide in it")

    @admin.display(description="topics")
    def topics(self, plan: GuidePlan) -> str:
        """Topics with their budgets and what belongs to each."""
        return panel("plan.html", topics=plan.data["explore"]["topics"], meta=plan.data["meta"])

    @action(description="Ask a model anew", icon="refresh")  # type: ignore[untyped-decorator]
    def make_anew(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Make the study's next plan; where nobody answers, say so."""
        plan = self.get_object(request, object_id)
        if plan is None:
            raise Http404("There is nothing here that you may see.")
        if not may(request.user, Right.STUDIES):
            raise PermissionDenied
        made = plans.regenerate(plan.study)
        told = made.data["intelligence"]["message"] or f"Plan {made.number} was made."
        (messages.warning if made.data["intelligence"]["message"] else messages.success)(
            request, told
        )
        return redirect("admin:interviews_guideplan_change", made.pk)

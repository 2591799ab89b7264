"""Console pages of invitations."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from analytics.rights import Right
from console.pages import ConsoleAdmin, OwnFilter, link
from console.studies import public_address
from interviews.invitations import token_for
from interviews.models import Invitation


def state_of(invitation: Invitation) -> str:
    """Whether the link still counts and what became of it."""
    if invitation.revoked_at:
        return "withdrawn"
    if invitation.expires_at and invitation.expires_at <= timezone.now():
        return "expired"
    return invitation.session.status if invitation.session else "not used yet"


@admin.register(Invitation)
class InvitationAdmin(ConsoleAdmin):
    """Personal links to studies."""

    purpose = "A personal link leads one respondent to one interview, from any device."
    when_empty = "Make one from a study's page, or add one here."
    reads = writes = Right.INVITE
    erases = Right.INVITE
    of_study = "study"
    list_display = ("__str__", "study", "state", "expires_at", "created_at")
    list_filter = (("study", OwnFilter),)
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
        return state_of(invitation)

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

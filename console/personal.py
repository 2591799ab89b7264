"""The console page of what respondents gave of themselves."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse

from analytics.access import may_read_personal
from console.pages import OwnFilter, ReadOnlyAdmin
from interviews import audit, vault
from interviews.models import PersonalValue


@admin.register(PersonalValue)
class PersonalValueAdmin(ReadOnlyAdmin):
    """What respondents have given of themselves; a permission of its own shows it."""

    purpose = "Names, addresses and numbers that respondents gave, kept encrypted and apart."
    when_empty = "Nothing yet. A study asks for fields at the end where its data fields say so."
    of_study = "session__study"
    list_display = ("session", "key", "value", "created_at")
    list_filter = (("session__study", OwnFilter),)
    list_select_related = ("session__study",)
    fields = ("session", "key", "value", "created_at")
    readonly_fields = fields
    actions = ("export_values",)

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        """The value, which is recorded: its page shows it in clear."""
        found = super().get_object(request, object_id, from_field)
        if found is not None and self.has_view_permission(request):
            self._viewed(request, found)
        return found

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """A right of its own, or a permission of the account."""
        return may_read_personal(request.user)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list, which is recorded: it shows values in clear."""
        if self.has_view_permission(request):
            for one in self.get_queryset(request)[: self.list_per_page]:
                self._viewed(request, one)
        return super().changelist_view(request, extra_context)

    def _viewed(self, request: HttpRequest, one: PersonalValue) -> None:
        action = audit.Action.VIEWED_PERSONAL
        audit.record(action, one.session, by=request.user.get_username(), fields=[one.key])

    @admin.display(description="value")
    def value(self, stored: PersonalValue) -> str:
        """In clear, for who may see this page at all."""
        return vault.value_of(stored)

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Whether what is chosen may leave the house."""
        return may_read_personal(request.user, "export")

    @admin.action(description="Export the chosen values", permissions=["export"])
    def export_values(
        self, request: HttpRequest, queryset: QuerySet[PersonalValue]
    ) -> HttpResponse:
        """One JSON document: session, key, value."""
        for one in queryset:
            action = audit.Action.EXPORTED
            audit.record(action, one.session, by=request.user.get_username(), fields=[one.key])
        rows = [
            {"session": str(one.session_id), "key": one.key, "value": vault.value_of(one)}
            for one in queryset
        ]
        response = JsonResponse(rows, safe=False, json_dumps_params={"ensure_ascii": False})
        response["Content-Disposition"] = 'attachment; filename="personal_values.json"'
        return response

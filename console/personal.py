"""The console page of what respondents gave of themselves."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse

from analytics.access import may_read_personal
from console.pages import OwnFilter, ReadOnlyAdmin
from interviews import vault
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

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """A right of its own, or a permission of the account."""
        return may_read_personal(request.user)

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
        rows = [
            {"session": str(one.session_id), "key": one.key, "value": vault.value_of(one)}
            for one in queryset
        ]
        response = JsonResponse(rows, safe=False, json_dumps_params={"ensure_ascii": False})
        response["Content-Disposition"] = 'attachment; filename="personal_values.json"'
        return response

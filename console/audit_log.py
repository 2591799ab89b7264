"""Console pages of the audit log and the register of erasures."""

from __future__ import annotations

import csv

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from analytics.access import may, studies_of
from analytics.exports.cells import row
from analytics.rights import Right
from console.pages import OwnFilter, ReadOnlyAdmin
from interviews.models import AuditEntry, Erasure


@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin):
    """Who did what."""

    purpose = (
        "Who created, changed, published, exported, ended or erased what, and who looked at "
        "personal data: ids and names of fields, never contents."
    )
    when_empty = "An entry appears with everything that somebody does here."
    reads = Right.AUDIT
    list_display = ("at", "by", "action", "kind", "object_id", "names")
    list_filter = ("action", "kind", "by")
    search_fields = ("=object_id", "by")
    date_hierarchy = "at"
    fields = ("at", "by", "action", "kind", "object_id", "study_id", "names")
    readonly_fields = fields
    actions = ("as_csv",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """Of one's own studies; what belongs to none is for administrators."""
        found: QuerySet[AuditEntry] = super().get_queryset(request)
        if may(request.user, Right.ACCOUNTS):
            return found
        return found.filter(study_id__in=studies_of(request.user).values("pk"))

    @admin.display(description="fields")
    def names(self, entry: AuditEntry) -> str:
        """Their names."""
        return ", ".join(entry.fields) or "–"

    @admin.action(description="As CSV", permissions=["view"])
    def as_csv(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> HttpResponse:
        """The chosen entries as a file."""
        response = HttpResponse(
            content_type="text/csv",
            headers={"Content-Disposition": 'attachment; filename="audit.csv"'},
        )
        out = csv.writer(response)
        out.writerow(["at", "by", "action", "what", "id", "fields"])
        for entry in queryset:
            named = " ".join(entry.fields)
            out.writerow(
                row([entry.at, entry.by, entry.action, entry.kind, entry.object_id, named])
            )
        return response


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    """What is left of erased interviews."""

    purpose = "The register of erasures: that an interview was there, when and by whom erased."
    when_empty = "Nothing has been erased."
    reads = Right.AUDIT
    of_study = "study"
    list_display = ("session_id", "study", "consented_at", "erased_at", "erased_by")
    list_filter = (("study", OwnFilter),)
    list_select_related = ("study",)
    search_fields = ("=session_id", "erased_by")
    fields = ("session_id", "study", "consented_at", "erased_at", "erased_by")
    readonly_fields = fields

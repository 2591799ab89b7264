"""What all console pages share: a sentence of purpose, rights, read-only pages, lean lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from django.contrib.admin.filters import RelatedFieldListFilter
from django.db.models import Field, ForeignKey, Model, QuerySet
from django.forms import ModelChoiceField
from django.http import Http404, HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from analytics.access import may, seen_by, studies_of, teams_of
from analytics.rights import Right
from interviews import audit
from interviews.audit import Action
from interviews.models import Study, Team

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as _ModelAdmin
    from django.contrib.admin import TabularInline as _TabularInline

    ConsoleBase = _ModelAdmin[Any]
    InlineBase = _TabularInline[Any, Any]
else:
    from unfold.admin import ModelAdmin as ConsoleBase
    from unfold.admin import TabularInline as InlineBase


class ConsoleAdmin(ConsoleBase):
    """A page that says what it is for, how it fills, and which rights open it.

    `reads`, `writes` and `erases` are the rights to look, to add and change, and to delete; None
    for nobody. `of_study` is the lookup from a row to its study, "" where the rows are studies,
    None where they belong to no study: rows of studies that somebody may not see are not there.
    """

    purpose: ClassVar[str] = ""
    when_empty: ClassVar[str] = ""
    reads: ClassVar[Right] = Right.READ
    writes: ClassVar[Right | None] = None
    erases: ClassVar[Right | None] = None
    of_study: ClassVar[str | None] = None
    deletion: ClassVar[Action] = Action.DELETED
    list_before_template = "admin/console/purpose_list.html"
    change_form_before_template = "admin/console/purpose_form.html"
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows of studies that are seen."""
        found: QuerySet[Any] = super().get_queryset(request)
        return found if self.of_study is None else seen_by(request.user, found, self.of_study)

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        """Offer studies and teams that are seen, and no others."""
        if db_field.remote_field.model is Study:
            kwargs["queryset"] = studies_of(request.user)
        elif db_field.remote_field.model is Team:
            kwargs["queryset"] = teams_of(request.user)
        field: ModelChoiceField[Any] | None = super().formfield_for_foreignkey(
            db_field, request, **kwargs
        )
        return field

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the page is named in lists of pages."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever has the right to read."""
        return may(request.user, self.reads)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever has the right to write."""
        return self.writes is not None and may(request.user, self.writes)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever has the right to write."""
        return self.writes is not None and may(request.user, self.writes)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever has the right to erase."""
        return self.erases is not None and may(request.user, self.erases)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """In the history of the row, and in the audit log."""
        audit.record(Action.CREATED, obj, by=request.user.get_username())
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """In the history of the row, and in the audit log with the names of the fields."""
        parts = message if isinstance(message, list) else []
        fields = [name for part in parts for name in part.get("changed", {}).get("fields", ())]
        if fields:
            who = request.user.get_username()
            audit.record(Action.CHANGED, obj, by=who, fields=fields)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """In the history of the row, and in the audit log."""
        for obj in queryset:
            audit.record(self.deletion, obj, by=request.user.get_username())
        return super().log_deletions(request, queryset)

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: object, object_id: str
    ) -> NoReturn:
        """Answer as everywhere for what is not there, or not there for whoever asks."""
        raise Http404("There is nothing here that you may see.")


class OwnFilter(RelatedFieldListFilter):
    """A list's filter by study that names studies that are seen, and no others."""

    def field_choices(
        self, field: Field[Any, Any], request: HttpRequest, model_admin: Any
    ) -> list[Any]:
        """The names of the studies that are seen."""
        return list(studies_of(request.user).order_by("name").values_list("pk", "name"))


class ReadOnlyAdmin(ConsoleAdmin):
    """Rows that only the software writes: to be looked at, never added or changed."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows go with what they belong to, never alone."""
        return False


class ReadOnlyInline(InlineBase):
    """Rows within another row's page, to be looked at."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever may open the page that they are on."""
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes."""
        return False


def link(address: str, text: str) -> SafeString:
    """A link whose address and text are escaped."""
    return format_html('<a class="console-link" href="{}">{}</a>', address, text)


def panel(template: str, **context: object) -> str:
    """A template of `templates/admin/console` filled with `context`, escaped as pages are."""
    return render_to_string(f"admin/console/{template}", context)

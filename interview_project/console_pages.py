"""What all console pages share: a sentence of purpose, read-only pages, lean lists.

Every application's `admin` stands on it, so it knows no application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as _ModelAdmin
    from django.contrib.admin import TabularInline as _TabularInline

    ConsoleBase = _ModelAdmin[Any]
    InlineBase = _TabularInline[Any, Any]
else:
    from unfold.admin import ModelAdmin as ConsoleBase
    from unfold.admin import TabularInline as InlineBase


class ConsoleAdmin(ConsoleBase):
    """A page that says what it is for and, where it is empty, how it fills."""

    purpose: ClassVar[str] = ""
    when_empty: ClassVar[str] = ""
    list_before_template = "admin/console/purpose_list.html"
    change_form_before_template = "admin/console/purpose_form.html"
    show_full_result_count = False
    list_per_page = 50


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

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes."""
        return False


def link(address: str, text: str) -> SafeString:
    """A link whose address and text are escaped."""
    return format_html('<a class="console-link" href="{}">{}</a>', address, text)


def panel(template: str, **context: object) -> str:
    """A template of `templates/admin/console` filled with `context`, escaped as pages are."""
    return render_to_string(f"admin/console/{template}", context)

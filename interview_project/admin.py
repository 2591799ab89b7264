"""Accounts, and who may log in at the console's door: staff, and analysts on their way to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AuthenticationForm as DjangoAuthenticationForm
from django.contrib.auth.models import Group, User
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from analytics.access import is_analyst
from interview_project.console_pages import ConsoleAdmin

if TYPE_CHECKING:
    LoginBase = DjangoAuthenticationForm
else:
    from unfold.forms import AuthenticationForm as LoginBase


class ConsoleLoginForm(LoginBase):
    """The console's login form, open to analysts too: theirs are the dashboards."""

    def confirm_login_allowed(self, user: User) -> None:
        """Let analysts in as well as staff; refuse everyone else as the form always did."""
        if user.is_active and is_analyst(user):
            return
        super().confirm_login_allowed(user)


admin.site.login_form = ConsoleLoginForm
admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ConsoleAdmin):  # type: ignore[type-arg]
    """People who work here; respondents need no account."""

    purpose: ClassVar[str] = (
        "People who work with the interviews. Staff use this console; members of the group "
        "analyst read the dashboards. Respondents need no account."
    )
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ConsoleAdmin):
    """Roles."""

    purpose: ClassVar[str] = (
        "Roles and what they may do here. The group analyst opens the dashboards."
    )
    when_empty: ClassVar[str] = (
        "Add a group called analyst again to let people without console access read the dashboards."
    )

"""Console pages of people: accounts, roles, teams."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from analytics.access import may, teams_of
from analytics.rights import Right
from console.pages import ConsoleAdmin
from interviews.models import Team

for known in (User, Group):
    if admin.site.is_registered(known):
        admin.site.unregister(known)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ConsoleAdmin):  # type: ignore[type-arg]
    """People who work here; respondents need no account."""

    purpose: ClassVar[str] = (
        "People who work with the interviews. Give each a role (a group) and put them into a team; "
        "respondents need no account."
    )
    reads = writes = erases = Right.ACCOUNTS
    list_display = ("username", "email", "first_name", "last_name", "roles", "is_active")
    list_filter = ("is_active", "groups")
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Who", {"fields": ("first_name", "last_name", "email")}),
        ("What they may do", {"fields": ("is_active", "groups", "user_permissions")}),
        ("When", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """With their groups, in one query."""
        found: QuerySet[User] = super().get_queryset(request)
        return found.prefetch_related("groups")

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        """Their groups; without one, nothing is open to them."""
        named = [group.name for group in user.groups.all()]
        if user.is_superuser and "administrator" not in named:
            named.insert(0, "administrator")
        return ", ".join(named) or "none: nothing is open to them"


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ConsoleAdmin):
    """Roles."""

    purpose: ClassVar[str] = (
        "Roles: the groups administrator, researcher and analyst. What each may do is fixed and "
        "written in the reference; permissions of other groups add to it."
    )
    when_empty: ClassVar[str] = (
        "Add groups called administrator, researcher and analyst again to give people their roles."
    )
    reads = writes = erases = Right.ACCOUNTS


@admin.register(Team)
class TeamAdmin(ConsoleAdmin):
    """Who sees which studies."""

    purpose = "A team sees its studies; nobody else does, administrators apart."
    when_empty = "Add a team, put people into it, and choose it on a study's page."
    reads = writes = Right.TEAMS
    erases = Right.ACCOUNTS
    list_display = ("name", "people", "studies")
    search_fields = ("name", "members__username")
    filter_horizontal = ("members",)
    fields = ("name", "members")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """One's own teams, with their counts."""
        own = teams_of(request.user).values("pk")
        found: QuerySet[Team] = super().get_queryset(request)
        return found.filter(pk__in=own).annotate(
            people_count=Count("members", distinct=True),
            study_count=Count("studies", distinct=True),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Administrators make teams."""
        return may(request.user, Right.ACCOUNTS)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Administrators delete teams, as long as they have no studies."""
        return super().has_delete_permission(request, obj) and not (
            isinstance(obj, Team) and obj.studies.exists()
        )

    @admin.display(description="people", ordering="people_count")
    def people(self, team: Team) -> Any:
        """How many."""
        return getattr(team, "people_count", 0)

    @admin.display(description="studies", ordering="study_count")
    def studies(self, team: Team) -> Any:
        """How many."""
        return getattr(team, "study_count", 0)

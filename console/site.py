"""The console's site: who may enter, how they sign in, and how they get a new password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm as DjangoAuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, path, reverse_lazy
from unfold.sites import UnfoldAdminSite

from analytics.access import roles_of

if TYPE_CHECKING:
    LoginBase = DjangoAuthenticationForm
else:
    from unfold.forms import AuthenticationForm as LoginBase


class ConsoleLoginForm(LoginBase):
    """The one login form, for everybody who has a role here."""

    def confirm_login_allowed(self, user: User) -> None:
        """Let in whoever has a role; being staff opens nothing."""
        DjangoAuthenticationForm.confirm_login_allowed(self, user)
        if not roles_of(user):
            raise ValidationError(
                "This account has no role here. Ask an administrator to give it one.",
                code="no_role",
            )


class ConsoleSite(UnfoldAdminSite):
    """Django's admin, opened by roles."""

    login_form = ConsoleLoginForm

    def has_permission(self, request: HttpRequest) -> bool:
        """Whoever has a role."""
        return bool(roles_of(request.user))

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Our own pages, the way to a new password, and the pages of rows."""
        from console.addresses import pages  # its views need the registry of this site

        return [*pages(self), *self._password_urls(), *super().get_urls()]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Home."""
        from console.home import home_page

        return home_page(request, self)

    def _password_urls(self) -> list[URLPattern]:
        def page(name: str, view: type[Any], **options: Any) -> Any:
            def show(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
                shared = {**self.each_context(request), "stage": name}
                if not settings.MAIL_CONFIGURED:
                    return render(request, "admin/console/password.html", shared | {"stage": "off"})
                shown = view.as_view(
                    template_name="admin/console/password.html", extra_context=shared, **options
                )
                answer: HttpResponseBase = shown(request, **kwargs)
                return answer

            return show

        return [
            path(
                "password_reset/",
                page(
                    "ask",
                    auth_views.PasswordResetView,
                    email_template_name="admin/console/password_mail.txt",
                    subject_template_name="admin/console/password_subject.txt",
                    success_url=reverse_lazy("admin:password_reset_done"),
                ),
                name="admin_password_reset",
            ),
            path(
                "password_reset/sent/",
                page("sent", auth_views.PasswordResetDoneView),
                name="password_reset_done",
            ),
            path(
                "password_reset/<uidb64>/<token>/",
                page(
                    "choose",
                    auth_views.PasswordResetConfirmView,
                    success_url=reverse_lazy("admin:password_reset_complete"),
                ),
                name="password_reset_confirm",
            ),
            path(
                "password_reset/complete/",
                page("complete", auth_views.PasswordResetCompleteView),
                name="password_reset_complete",
            ),
        ]

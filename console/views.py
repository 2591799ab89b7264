"""What the console's own pages share: the door, the frame, the forms that come back."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views import View

from analytics.access import may
from analytics.rights import Right


class ConsolePage(View):
    """A page in the console's frame. `reads` opens it, `writes` lets a POST through (403)."""

    template: ClassVar[str]
    title: ClassVar[str] = ""
    reads: ClassVar[Right] = Right.READ
    writes: ClassVar[Right | None] = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Check before any handler runs."""
        needed = self.writes if request.method == "POST" and self.writes else self.reads
        if not may(request.user, needed):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def shown(self, request: HttpRequest, status: int = 200, **context: Any) -> HttpResponse:
        """The page with its frame."""
        frame = {**admin.site.each_context(request), "title": self.title}
        return render(request, f"admin/console/{self.template}", frame | context, status=status)

    def part(self, request: HttpRequest, template: str, **context: Any) -> HttpResponse:
        """A part of the page, which scripts put in the place of the one that is shown."""
        return render(request, f"admin/console/{template}", context)


def who(request: HttpRequest) -> str:
    """The name under which an act is recorded."""
    return request.user.get_username()

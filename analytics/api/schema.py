"""The schema of the addresses for programs, its documentation, and what is not there."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from interviews.api.problems import Problem


class SchemaView(SpectacularAPIView):
    """`/api/schema/`: the OpenAPI schema, for anybody."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class DocsView(View):
    """`/api/docs/`: the schema to read and to try, from files of this site alone."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page."""
        return render(request, "api/docs.html")


class Nowhere(APIView):
    """Every other address below /api/."""

    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse before any method is looked for."""
        super().initial(request, *args, **kwargs)
        raise Problem(404, "not_found", "There is no such address. See /api/docs/.")

"""Exports for programs: which formats there are, and a session or a study in one of them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, session_for, study_for
from analytics.export_views import download, note_export
from analytics.exports import formats
from analytics.exports.source import OneSession, WholeStudy
from analytics.rights import Right

BOM = OpenApiParameter("bom", str, enum=["0", "1"], description="Begin CSV with a byte order mark.")
FILE: Any = {
    (200, one.CONTENT_TYPE.partition(";")[0]): {"description": f"The format {name}."}
    for name, one in formats().items()
}


class FormatShape(serializers.Serializer[Any]):
    """A format that exports are written in."""

    name = serializers.CharField()
    content_type = serializers.CharField()
    extension = serializers.CharField()


class FormatsShape(serializers.Serializer[Any]):
    """The formats, by name."""

    results = FormatShape(many=True)


class Formats(ApiView):
    """`/api/exports/`: the formats."""

    @extend_schema(responses=FormatsShape)
    def get(self, request: Request) -> Response:
        """List the formats."""
        told = [
            {"name": name, "content_type": one.CONTENT_TYPE, "extension": one.EXTENSION}
            for name, one in sorted(formats().items())
        ]
        return Response(FormatsShape({"results": told}).data)


class SessionExport(ApiView):
    """`/api/sessions/{id}/exports/{format}/`: one interview as a file."""

    @extend_schema(parameters=[BOM], responses=FILE)
    def get(self, request: Request, pk: UUID, format_name: str) -> HttpResponseBase:
        """Take an interview out as a file."""
        session = session_for(request, pk, Right.EXPORT)
        file = download(request._request, format_name, OneSession(session=session))
        note_export(session, format_name, by=request.user.get_username())
        return file


class StudyExport(ApiView):
    """`/api/studies/{slug}/exports/{format}/`: all interviews of a study as a file."""

    @extend_schema(parameters=[BOM], responses=FILE)
    def get(self, request: Request, slug: str, format_name: str) -> HttpResponseBase:
        """Take a study out as a file."""
        study = study_for(request, slug, Right.EXPORT)
        file = download(request._request, format_name, WholeStudy(study=study))
        note_export(study, format_name, by=request.user.get_username())
        return file

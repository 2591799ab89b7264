"""Exports for programs: which formats there are, and a session or a study in one of them."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import READING, ApiView, session_for, study_for, who
from analytics.api.filters import FILTER, asked, inclusion_of
from analytics.export_files import MOST_AT_ONCE, ask_for
from analytics.export_views import (
    OPTIONS,
    download,
    file_for,
    note_export,
    options_of,
    written_file,
)
from analytics.exports import UnknownFormat, format_named, formats
from analytics.exports.source import ExportOptions, ExportSource, OneSession, WholeStudy
from analytics.models import ExportFile
from analytics.rights import Right
from interviews.api.problems import Problem

CHOSEN = {
    "bom": "Begin CSV with a byte order mark.",
    "trace": "What each choice rested on, too (JSON).",
    "pseudonymise": "Renew ids, blank what was given of people.",
    "personal": "Personal data in clear, too, for whoever may export it.",
}
HOW = [OpenApiParameter(name, str, enum=["0", "1"], description=CHOSEN[name]) for name in OPTIONS]
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


class ExportFileShape(serializers.Serializer[Any]):
    """A large file: `done` of `total` interviews are in it, and it is kept until `expires_at`."""

    id = serializers.UUIDField(source="pk")
    study = serializers.SlugField(source="study.slug")
    format = serializers.CharField(source="format_name")
    status = serializers.ChoiceField(choices=ExportFile.Status.choices)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    size = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True)
    expires_at = serializers.DateTimeField()
    content = serializers.SerializerMethodField()

    def get_content(self, file: ExportFile) -> str | None:
        """Where the file is, once it is done."""
        done = file.status == ExportFile.Status.DONE
        return reverse("api:export_content", args=[file.pk]) if done else None


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

    @extend_schema(parameters=HOW, responses=FILE)
    def get(self, request: Request, pk: UUID, format_name: str) -> HttpResponseBase:
        """Take an interview out as a file."""
        session = session_for(request, pk, Right.EXPORT)
        return _file(request, format_name, OneSession(session=session), _options(request))


class StudyExport(ApiView):
    """`/api/studies/{slug}/exports/{format}/`: the interviews of a study that count, as a file."""

    writes: ClassVar[frozenset[str]] = READING

    @extend_schema(parameters=[*HOW, *FILTER], responses=FILE)
    def get(self, request: Request, slug: str, format_name: str) -> HttpResponseBase:
        """Take a study out as a file; 409 where it is so large that it is to be asked for."""
        study = study_for(request, slug, Right.EXPORT)
        source = WholeStudy(study=study, inclusion=inclusion_of(request))
        options = _options(request)
        with asked():
            count = source.count()
        if count > MOST_AT_ONCE:
            said = f"These are {count} interviews: POST here to have the file written."
            raise Problem(409, "too_many_interviews", said)
        return _file(request, format_name, source, options)

    @extend_schema(
        request=None, parameters=[*HOW, *FILTER], responses={202: ExportFileShape}, filters=False
    )
    def post(self, request: Request, slug: str, format_name: str) -> Response:
        """Have a file written beside the request, and kept for a day."""

        def order() -> Response:
            study = study_for(request, slug, Right.EXPORT)
            chosen, options = _format(format_name), _options(request)
            inclusion, by = inclusion_of(request), request.user
            assert isinstance(by, User)
            with asked():
                file = ask_for(study, chosen.NAME, inclusion, options, by=by)
            note_export(study, chosen.NAME, by=who(request), options=options)
            address = reverse("api:export_file", args=[file.pk])
            told = ExportFileShape(file).data
            return Response(told, status=202, headers={"Location": address})

        return self.post_once(request, order)


class ExportFileView(ApiView):
    """`/api/export-files/{id}/`: how far a large file is."""

    @extend_schema(responses=ExportFileShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read how far it is."""
        return Response(ExportFileShape(file_for(request, pk)).data)


class ExportContent(ApiView):
    """`/api/export-files/{id}/content/`: a large file."""

    @extend_schema(responses=FILE)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Take a file that is done."""
        return written_file(request._request, file_for(request, pk))


def _options(request: Request) -> ExportOptions:
    with asked():
        return options_of(request, request.query_params)


def _format(name: str) -> Any:
    try:
        return format_named(name)
    except UnknownFormat as error:
        raise Problem(404, "unknown_format", str(error), field="format_name") from error


def _file(
    request: Request, name: str, source: ExportSource, options: ExportOptions
) -> HttpResponseBase:
    file = download(request._request, _format(name).NAME, source, options)
    note_export(source.target, name, by=who(request), options=options)
    return file

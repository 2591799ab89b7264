"""Imports for programs: an export taken in again, and interviews that people held."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, need, own_team, who
from analytics.imports import Imported, import_file
from analytics.interchange import ImportRefused
from analytics.rights import Right
from analytics.transcript_imports import import_transcripts
from analytics.transcripts import read_transcripts
from interviews.api.problems import Problem, Unprocessable
from interviews.models import Team

MOST_BYTES = 20 * 1024 * 1024
TRANSCRIPTS = (".csv", ".md")


class NewImport(serializers.Serializer[Any]):
    """A file: an export (JSON, JSON Lines), or transcripts, whose name ends in .csv or .md."""

    file = serializers.FileField(max_length=255)
    slug = serializers.SlugField(
        required=False, default="", max_length=50, help_text="Of the study; transcripts need one."
    )
    methodology = serializers.CharField(
        required=False, default="means_end_chain", max_length=100, help_text="Reads transcripts."
    )
    team = serializers.CharField(required=False, max_length=100)


class ImportedShape(serializers.Serializer[Any]):
    """What was stored."""

    study = serializers.SlugField()
    sessions = serializers.IntegerField()
    nodes = serializers.IntegerField()
    edges = serializers.IntegerField()
    faults = serializers.ListField(child=serializers.DictField())


class Imports(ApiView):
    """`/api/imports/`: a file becomes a study with its interviews."""

    parser_classes = (MultiPartParser,)

    @extend_schema(request={"multipart/form-data": NewImport}, responses={201: ImportedShape})
    def post(self, request: Request) -> Response:
        """Take a file in; all that is wrong with it is in `errors`, and nothing is stored then."""

        def take() -> Response:
            need(request, Right.STUDIES)
            said = NewImport(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            team = own_team(request, said.validated_data.get("team"))
            done = _taken(said.validated_data, by=who(request), team=team)
            return Response(done.as_json(), status=201)

        return self.post_once(request, take)


def _taken(said: dict[str, Any], *, by: str, team: Team) -> Imported:
    file = said["file"]
    if file.size > MOST_BYTES:
        told = (
            f"This file is larger than {MOST_BYTES // 1024 // 1024} MiB: manage.py import takes it."
        )
        raise Problem(413, "too_large", told, field="file")
    data, kind = file.read(), PurePath(file.name).suffix.lower()
    try:
        if kind not in TRANSCRIPTS:
            return import_file(data, by=by, slug=said["slug"], team=team)
        transcripts = read_transcripts(data, markdown=kind == ".md")
        return import_transcripts(
            transcripts,
            methodology=said["methodology"],
            slug=said["slug"],
            by=by,
            team=team,
        )
    except ImportRefused as refused:
        faults: dict[str, list[str]] = {}
        for field, fault in refused.faults:
            faults.setdefault(field or "file", []).append(fault)
        raise Unprocessable(faults) from refused

"""Methodologies, concepts, guides and personas for programs: read, and published as versions."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Max
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, need, who
from analytics.rights import Right
from interviews import audit
from interviews.api.problems import Unprocessable
from methodologies.registry import KINDS, Kind, publish
from methodologies.yaml_loader import DocumentInvalid


class DocumentShape(serializers.Serializer[Any]):
    """A document of the library and the number of its newest version."""

    name = serializers.CharField()
    newest = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class VersionRow(serializers.Serializer[Any]):
    """A version of a document, without its text."""

    name = serializers.CharField(source="document.name")
    number = serializers.IntegerField()
    shipped = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)
    checksum = serializers.CharField(help_text="The SHA-256 of the text.")
    created_at = serializers.DateTimeField()


class VersionShape(VersionRow):
    """A version of a document: the YAML as it was written, and as it is read."""

    text = serializers.CharField()
    parsed = serializers.DictField()


class NewVersion(serializers.Serializer[Any]):
    """A document as YAML; its own id says which one it is."""

    text = serializers.CharField(trim_whitespace=False)
    note = serializers.CharField(max_length=200, allow_blank=True, default="")


class ElementShape(serializers.Serializer[Any]):
    """A part of what a concept shows, with the words that respondents may have for it."""

    id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    aliases = serializers.ListField(child=serializers.CharField())
    kind = serializers.CharField()
    priority = serializers.IntegerField()
    connects_to = serializers.ListField(child=serializers.CharField())


class ElementsShape(serializers.Serializer[Any]):
    """The elements of a concept's newest version."""

    concept = serializers.CharField()
    version = serializers.IntegerField()
    results = ElementShape(many=True)


VERSION = OpenApiParameter("version", int, description="This version; the newest without it.")


class KindView(ApiView):
    """Of one kind of document; which one the address says."""

    kind: Kind = KINDS[0]

    def versions(self) -> Any:
        """All versions of this kind."""
        return self.kind.version.objects  # type: ignore[attr-defined]

    def version(self, request: Request, name: str) -> Any:
        """The version that is asked for. Raises Http404, or ValidationError for no number."""
        found = self.versions().select_related("document").filter(document__name=name)
        named = request.query_params.get("version")
        if named is not None:
            if not (named.isascii() and named.isdigit() and len(named) < 9):
                raise ValidationError({"version": "Send the number of a version."})
            found = found.filter(number=int(named))
        version = found.order_by("-number").first()
        if version is None:
            raise Http404("There is no such document.")
        return version


class Documents(KindView):
    """`/api/methodologies/` and the like: documents by name; POST publishes a version."""

    ordering = ("name",)

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=DocumentShape(many=True),
    )
    def get(self, request: Request) -> Response:
        """List documents."""
        rows = self.kind.document.objects.annotate(newest=Max("versions__number"))  # type: ignore[attr-defined]
        return self.page(request, rows.filter(newest__isnull=False), DocumentShape)

    @extend_schema(request=NewVersion, responses={201: VersionShape})
    def post(self, request: Request) -> Response:
        """Publish a document or a new version of one; a text that is the newest stays it."""

        def published() -> Response:
            need(request, Right.LIBRARY)
            said = NewVersion(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            person = request.user if isinstance(request.user, User) else None
            try:
                version = publish(
                    self.kind,
                    said.validated_data["text"],
                    source="text",
                    author=person,
                    note=said.validated_data["note"],
                )
            except DocumentInvalid as error:
                raise Unprocessable({"text": str(error).splitlines()}) from error
            audit.record(audit.Action.PUBLISHED, version, by=who(request))
            return Response(VersionShape(version).data, status=201)

        return self.post_once(request, published)


class DocumentView(KindView):
    """`/api/methodologies/{name}/` and the like: a version of a document."""

    @extend_schema(parameters=[VERSION], responses=VersionShape)
    def get(self, request: Request, name: str) -> Response:
        """Read a document."""
        return Response(VersionShape(self.version(request, name)).data)


class Versions(KindView):
    """`/api/methodologies/{name}/versions/` and the like."""

    ordering = ("-number",)

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=VersionRow(many=True),
    )
    def get(self, request: Request, name: str) -> Response:
        """List the versions of a document, newest first."""
        rows = self.versions().select_related("document").defer("text", "parsed")
        rows = rows.filter(document__name=name)
        if not rows.exists():
            raise Http404("There is no such document.")
        return self.page(request, rows, VersionRow)


class Elements(KindView):
    """`/api/concepts/{name}/elements/`: the parts of what a concept shows."""

    @extend_schema(parameters=[VERSION], responses=ElementsShape)
    def get(self, request: Request, name: str) -> Response:
        """List a concept's elements."""
        version = self.version(request, name)
        elements = [
            {"aliases": [], "kind": "other", "priority": 2, "connects_to": []} | element
            for element in version.parsed.get("elements", ())
        ]
        told = {"concept": name, "version": version.number, "results": elements}
        return Response(ElementsShape(told).data)

"""Files of a study for programs of people who are signed in: uploaded, and what became of them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.access import study_for
from analytics.api.base import ApiView
from analytics.rights import Right
from interviews import audit
from interviews.errors import InterviewError
from interviews.ingest.limits import FILE_BYTES
from interviews.sources import document, files


class UploadedFiles(serializers.Serializer[Any]):
    """Files of the predecessor, each a part of the name `files`."""

    files = serializers.ListField(child=serializers.FileField())


class ListedFiles(serializers.Serializer[Any]):
    """The files, each with its state and the reason where it was not read."""

    files = serializers.ListField(child=serializers.DictField())


class TakenFiles(ListedFiles):
    """The files, and those that were refused with the reason."""

    refused = serializers.ListField(child=serializers.DictField())


class FilesApi(ApiView):
    """`/api/studies/{slug}/files`: GET tells what became of the files, POST takes more in."""

    parser_classes = (MultiPartParser,)

    @extend_schema(responses=ListedFiles)
    def get(self, request: Request, slug: str) -> Response:
        """The files, each with its state and the reason where it was not read."""
        study = study_for(request.user, slug)
        return Response({"files": document.listed(study)})

    @extend_schema(request=UploadedFiles, responses={202: TakenFiles, 422: TakenFiles})
    def post(self, request: Request, slug: str) -> Response:
        """Take every part of the name `files` in; 422 where one was refused, with all reasons."""
        study = study_for(request.user, slug, Right.STUDIES)
        refused: list[dict[str, Any]] = []
        for upload in request.FILES.getlist("files"):
            try:
                files.add(study, upload.name or "file", upload.read(FILE_BYTES + 1))
            except InterviewError as error:
                refused.append({"name": upload.name, "reason": error.message})
        audit.record(audit.Action.CHANGED, study, by=request.user.get_username(), fields=["files"])
        told = {"files": document.listed(study), "refused": refused}
        return Response(told, status=422 if refused else 202)

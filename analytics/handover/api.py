"""Files of a study for programs of people who are signed in: uploaded, and what became of them."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import SessionAuthentication
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analytics.access import study_for
from analytics.rights import Right
from interviews import audit
from interviews.errors import InterviewError
from interviews.ingest.limits import FILE_BYTES
from interviews.sources import document, files


class FilesApi(APIView):
    """`/api/studies/{slug}/files`: GET tells what became of the files, POST takes more in."""

    authentication_classes = (SessionAuthentication,)
    permission_classes = (IsAuthenticated,)
    parser_classes = (MultiPartParser,)
    renderer_classes = (JSONRenderer,)

    def get(self, request: Request, slug: str) -> Response:
        """The files, each with its state and the reason where it was not read."""
        study = study_for(request.user, slug)
        return Response({"files": document.listed(study)})

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

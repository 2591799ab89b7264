"""Links to interviews for programs: made, listed, taken back."""

from __future__ import annotations

from datetime import UTC
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics import access
from analytics.api.base import COLLECTING, WATCHING, ApiView, need, study_for, who
from analytics.rights import Right
from interviews import audit
from interviews.api.problems import Unprocessable
from interviews.invitations import invite, revoke, token_for
from interviews.models import Invitation


class InvitationShape(serializers.Serializer[Any]):
    """A personal link: its token opens one interview and nothing else."""

    id = serializers.UUIDField()
    study = serializers.SlugField(source="study.slug")
    session = serializers.UUIDField(source="session_id", allow_null=True)
    note = serializers.CharField(allow_blank=True)
    link = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)

    def get_link(self, invitation: Invitation) -> str:
        """The address that is sent to the respondent."""
        return settings.PUBLIC_URL + reverse("chat:interview", args=[token_for(invitation)])


class NewInvitation(serializers.Serializer[Any]):
    """A link for one respondent."""

    note = serializers.CharField(max_length=120, allow_blank=True, default="")
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default_timezone=UTC)


class Invitations(ApiView):
    """`/api/studies/{slug}/invitations/`: personal links, newest first; POST makes one."""

    reads = WATCHING
    writes = COLLECTING
    ordering = ("-created_at", "pk")

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=InvitationShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List a study's personal links."""
        study = study_for(request, slug, Right.INVITE)
        rows = Invitation.objects.filter(study=study).select_related("study")
        return self.page(request, rows, InvitationShape)

    @extend_schema(request=NewInvitation, responses={201: InvitationShape})
    def post(self, request: Request, slug: str) -> Response:
        """Make a personal link."""

        def make() -> Response:
            study = study_for(request, slug, Right.INVITE)
            said = NewInvitation(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            expires = said.validated_data.get("expires_at")
            if expires is not None and expires <= timezone.now():
                raise Unprocessable({"expires_at": "This is over already."})
            made = invite(study, note=said.validated_data["note"], expires_at=expires)
            audit.record(audit.Action.INVITED, made, by=who(request))
            made.refresh_from_db(fields=["created_at"])
            address = reverse("api:invitation", args=[made.pk])
            return Response(InvitationShape(made).data, status=201, headers={"Location": address})

        return self.post_once(request, make)


class InvitationView(ApiView):
    """`/api/invitations/{id}/`: a personal link; DELETE takes it back."""

    reads = WATCHING
    writes = COLLECTING

    @extend_schema(responses=InvitationShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read a personal link."""
        return Response(InvitationShape(_one(request, pk)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Take a link back; what was said by it stays."""
        revoke(_one(request, pk), by=who(request))
        return Response(status=204)


def _one(request: Request, pk: UUID) -> Invitation:
    rows = access.seen_by(request.user, Invitation.objects.all(), "study")
    found = rows.select_related("study").filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such link.")
    need(request, Right.INVITE)
    return found

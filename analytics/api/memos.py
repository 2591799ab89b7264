"""Memos for programs: listed, written, changed and deleted."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analytics import access
from analytics.api.base import ApiView, session_for, study_for, who
from analytics.api.filters import query_of
from analytics.notes.shown import memo_document, memo_rows
from analytics.rights import Right
from interviews import notes
from interviews.api.paging import CursorPages
from interviews.api.problems import Unprocessable
from interviews.models import Memo


class MemoShape(serializers.Serializer[Any]):
    """A memo; `on` says in words what it is on, `target` is the id of that."""

    id = serializers.UUIDField()
    about = serializers.ChoiceField(choices=Memo.About.choices)
    target = serializers.UUIDField()
    on = serializers.CharField()
    session = serializers.UUIDField(allow_null=True)
    turn = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    version = serializers.IntegerField()
    written_by = serializers.CharField()
    written_at = serializers.DateTimeField()
    changed_by = serializers.CharField(allow_null=True)
    changed_at = serializers.DateTimeField(allow_null=True)


class NewMemo(serializers.Serializer[Any]):
    """What is written, and on what: the study itself needs neither `session` nor `target`.

    `target` is the id of the theme, node, link or, for a quote, of the answer in which `words`
    stand; `session` the interview for all but study and theme.
    """

    about = serializers.ChoiceField(choices=Memo.About.choices)
    text = serializers.CharField(max_length=notes.MOST_TEXT)
    session = serializers.UUIDField(required=False, allow_null=True)
    target = serializers.UUIDField(required=False, allow_null=True)
    words = serializers.CharField(required=False, allow_blank=True, max_length=notes.MOST_TEXT)


class ChangedMemo(serializers.Serializer[Any]):
    """The new text, and the version that it is written over."""

    text = serializers.CharField(max_length=notes.MOST_TEXT)
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class Memos(ApiView):
    """`/api/studies/{slug}/memos/`: memos of a study and its interviews; POST writes one."""

    ordering = ("-written_at", "pk")

    @extend_schema(
        parameters=[
            OpenApiParameter("about", str, enum=Memo.About.values),
            OpenApiParameter("cursor", str),
            OpenApiParameter("page_size", int),
        ],
        responses=MemoShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List memos, newest first."""
        rows = Memo.objects.filter(study=study_for(request, slug))
        about = query_of(request).get("about")
        if about is not None:
            if about not in Memo.About.values:
                raise ValidationError({"about": f"Choose from {', '.join(Memo.About.values)}."})
            rows = rows.filter(about=about)
        pages = CursorPages()
        found = pages.paginate_queryset(rows.select_related("utterance"), request, self)
        return pages.get_paginated_response(_told(found))

    @extend_schema(request=NewMemo, responses={201: MemoShape})
    def post(self, request: Request, slug: str) -> Response:
        """Write a memo."""

        def write() -> Response:
            study = study_for(request, slug, Right.CORRECT)
            said = NewMemo(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            wanted = said.validated_data
            session = wanted.get("session")
            memo = notes.write_memo(
                study,
                about=wanted["about"],
                text=wanted["text"],
                by=who(request),
                session=session_for(request, session, Right.CORRECT) if session else None,
                target=wanted.get("target"),
                words=wanted.get("words", ""),
            )
            memo.refresh_from_db()
            address = reverse("api:memo", args=[memo.pk])
            return Response(_told([memo])[0], status=201, headers={"Location": address})

        return self.post_once(request, write)


class MemoView(ApiView):
    """`/api/memos/{id}/`: one memo."""

    @extend_schema(responses=MemoShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read a memo."""
        return Response(_told([_one(request, pk, Right.READ)])[0])

    @extend_schema(request=ChangedMemo, responses=MemoShape)
    def patch(self, request: Request, pk: UUID) -> Response:
        """Write a memo anew; 409 shows how it reads by now where somebody was faster."""
        memo = _one(request, pk, Right.CORRECT)
        said = ChangedMemo(data=request.data)
        if not said.is_valid():
            raise Unprocessable(said.errors)
        return Response(_told([notes.change_memo(memo, by=who(request), **said.validated_data)])[0])

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Delete a memo."""
        notes.delete_memo(_one(request, pk, Right.CORRECT), by=who(request))
        return Response(status=204)


def _told(memos: list[Memo]) -> Any:
    return MemoShape([memo_document(row) for row in memo_rows(memos)], many=True).data


def _one(request: Request, pk: UUID, right: Right) -> Memo:
    seen = access.seen_by(request.user, Memo.objects.all(), "study")
    found: Memo | None = seen.select_related("study", "utterance").filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such memo.")
    study_for(request, found.study.slug, right)
    return found

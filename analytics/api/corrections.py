"""Corrections of an interview's graph for programs: listed, made, undone and redone."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, session_for, who
from analytics.corrections_shown import names_in, sentences_of, sentences_of_others
from analytics.rights import Right
from interviews.api.paging import CursorPages
from interviews.api.problems import Problem, Unprocessable
from interviews.corrections.acts import read_act
from interviews.corrections.service import CorrectionOutdated, correct, redo, undo
from interviews.models import Correction

ACTS = (
    *("rename", "retype", "retype_link", "reverse", "delete_node", "delete_link", "restore"),
    *("add_node", "add_link", "merge", "split", "undo", "redo"),
)


class CorrectionShape(serializers.Serializer[Any]):
    """A correction; `told` says in words what it did, `version` is the graph's after it."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    act = serializers.CharField()
    detail = serializers.DictField()
    told = serializers.CharField()
    made_by = serializers.CharField()
    made_at = serializers.DateTimeField()
    undone_by = serializers.CharField(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField()


class Based(serializers.Serializer[Any]):
    """What is done, and on which graph."""

    version = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="Of the graph that you looked at."
    )
    act = serializers.ChoiceField(choices=ACTS)


class NewCorrection(Based):
    """A correction: what each act takes, and no more.

    rename: node, label. retype: node, node_type. retype_link: edge, edge_type. reverse,
    delete_link: edge. delete_node: node. restore: correction. add_node: utterance, start, end,
    label, node_type, stance. add_link: utterance, start, end, source, target, edge_type. merge:
    node, into. split: node, label, mentions, edges. undo, redo: nothing.
    """

    node = serializers.UUIDField(required=False)
    into = serializers.UUIDField(required=False)
    edge = serializers.UUIDField(required=False)
    correction = serializers.UUIDField(required=False)
    utterance = serializers.UUIDField(required=False)
    source = serializers.UUIDField(required=False)  # type: ignore[assignment]
    target = serializers.UUIDField(required=False)
    start = serializers.IntegerField(required=False)
    end = serializers.IntegerField(required=False)
    stance = serializers.IntegerField(required=False)
    label = serializers.CharField(required=False)  # type: ignore[assignment]
    node_type = serializers.CharField(required=False)
    edge_type = serializers.CharField(required=False)
    mentions = serializers.ListField(child=serializers.UUIDField(), required=False)
    edges = serializers.ListField(child=serializers.UUIDField(), required=False)


class Corrections(ApiView):
    """`/api/sessions/{id}/corrections/`: what people corrected; POST corrects."""

    ordering = ("-number",)

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=CorrectionShape(many=True),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """List corrections, newest first, the undone ones too."""
        session = session_for(request, pk)
        pages = CursorPages()
        found = pages.paginate_queryset(session.corrections.all(), request, self)
        return pages.get_paginated_response(_rows(found, pk))

    @extend_schema(request=NewCorrection, responses=CorrectionShape)
    def post(self, request: Request, pk: UUID) -> Response:
        """Correct, undo or redo; the running interview's next turn uses the corrected graph.

        409 says what another analyst did since `version`; nothing is stored then.
        """

        def once() -> Response:
            session = session_for(request, pk, Right.CORRECT)
            said = Based(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            rest: dict[str, Any] = dict(request.data)
            del rest["version"]
            version = said.validated_data["version"]
            try:
                done = _carry_out(session.pk, rest, by=who(request), version=version)
            except CorrectionOutdated as outdated:
                raise Problem(
                    *(409, outdated.code.value, outdated.message),
                    field="version",
                    details=sentences_of_others(outdated.since, pk),
                ) from outdated
            done.refresh_from_db()
            return Response(_rows([done], pk)[0])

        return self.post_once(request, once)


def _carry_out(session_id: UUID, data: dict[str, Any], *, by: str, version: int) -> Correction:
    if data["act"] == "undo":
        return undo(session_id, by=by, version=version)
    if data["act"] == "redo":
        return redo(session_id, by=by, version=version)
    return correct(session_id, read_act(data), by=by, version=version)


def _rows(corrections: list[Correction], session_id: UUID) -> Any:
    sentences = sentences_of(corrections, names_in(session_id))
    rows = [
        {
            "id": one.pk,
            "number": one.number,
            "act": one.act,
            "detail": one.detail,
            "told": told,
            "made_by": one.made_by,
            "made_at": one.made_at,
            "undone_by": one.undone_by or None,
            "undone_at": one.undone_at,
            "version": one.graph_version,
        }
        for one, told in zip(corrections, sentences, strict=True)
    ]
    return CorrectionShape(rows, many=True).data

"""Themes of a study for programs: listed, read with their slots, changed, undone and redone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, study_for, who
from analytics.api.figures import ThemeShape, reading_of
from analytics.api.filters import FILTER
from analytics.rights import Right
from analytics.study.documents import themes_document
from graphs.models import CanonicalSlot, Theme
from interviews.api.problems import Problem, Unprocessable
from interviews.themes import renewal, service
from interviews.themes.history import sentences_of
from interviews.themes.service import ThemesOutdated

MOST = 500


class ThemesShape(serializers.Serializer[Any]):
    """The themes of a study, the commonest first.

    `unthemed_share` is that of the concepts in no theme; `version` is raised with every change by
    a person, and is what the next change has to be based on.
    """

    themes = ThemeShape(many=True)
    unthemed_share = serializers.FloatField()
    filter = serializers.CharField()
    version = serializers.IntegerField()


class SlotOfTheme(serializers.Serializer[Any]):
    """A slot of one interview in a theme; `decided` where a person put or left it there."""

    id = serializers.UUIDField(source="pk")
    name = serializers.CharField(source="slot_name")
    description = serializers.CharField(allow_blank=True)
    session = serializers.UUIDField(source="session_id")
    support_count = serializers.IntegerField()
    similarity = serializers.FloatField(source="theme_member.similarity", allow_null=True)
    decided = serializers.BooleanField(source="theme_member.decided")


class ThemeDetail(serializers.Serializer[Any]):
    """A theme with its slots; `named` where a person named it."""

    id = serializers.UUIDField(source="pk")
    name = serializers.CharField()
    node_type = serializers.CharField()
    named = serializers.BooleanField()
    slots = serializers.SerializerMethodField()
    version = serializers.SerializerMethodField()

    @extend_schema_field(SlotOfTheme(many=True))
    def get_slots(self, theme: Theme) -> list[dict[str, Any]]:
        rows = CanonicalSlot.objects.filter(theme_member__theme=theme)
        rows = rows.select_related("theme_member").order_by("-support_count", "slot_name", "pk")
        return list(SlotOfTheme(rows, many=True).data)

    def get_version(self, theme: Theme) -> int:
        return service.version_of(theme.study_id)


class ThemeAct(serializers.Serializer[Any]):
    """A change: merge `themes` into the first; split `slots` off `theme`, called `name`; rename
    `theme` to `name`; move `slots` into `theme`; undo; redo.
    """

    act = serializers.ChoiceField(choices=["merge", "split", "rename", "move", "undo", "redo"])
    version = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="Of the themes that you looked at."
    )
    themes = serializers.ListField(child=serializers.UUIDField(), max_length=MOST, default=list)
    theme = serializers.UUIDField(required=False)
    slots = serializers.ListField(child=serializers.UUIDField(), max_length=MOST, default=list)
    name = serializers.CharField(max_length=300, allow_blank=True, default="")


class Themes(ApiView):
    """`/api/studies/{slug}/themes/`: the themes; POST changes them."""

    @extend_schema(parameters=FILTER, responses=ThemesShape)
    def get(self, request: Request, slug: str) -> Response:
        """Read the themes of the interviews that count."""
        return Response(_told(request, slug))

    @extend_schema(request=ThemeAct, responses=ThemesShape)
    def post(self, request: Request, slug: str) -> Response:
        """Merge, split, rename or move, undo or redo; the answer is the new list.

        409 says what another analyst did since `version`; nothing is stored then.
        """

        def change() -> Response:
            study = study_for(request, slug, Right.CORRECT)
            said = ThemeAct(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            renewal.ensure(study.pk)
            try:
                _carry_out(study.pk, said.validated_data, by=who(request))
            except ThemesOutdated as outdated:
                raise Problem(
                    *(409, outdated.code.value, outdated.message),
                    field="version",
                    details=sentences_of(outdated.since),
                ) from outdated
            return Response(_told(request, slug))

        return self.post_once(request, change)


class ThemeView(ApiView):
    """`/api/studies/{slug}/themes/{id}/`: one theme with its slots."""

    @extend_schema(operation_id="theme_retrieve", responses=ThemeDetail)
    def get(self, request: Request, slug: str, pk: UUID) -> Response:
        """Read a theme."""
        found = Theme.objects.filter(study=study_for(request, slug), pk=pk).first()
        if found is None:
            raise Http404("There is no such theme.")
        return Response(ThemeDetail(found).data)


def _told(request: Request, slug: str) -> dict[str, Any]:
    reading = reading_of(request, slug)
    return themes_document(reading) | {
        "filter": reading.inclusion.describe(),
        "version": service.version_of(reading.study.pk),
    }


def _carry_out(study: UUID, said: dict[str, Any], *, by: str) -> None:
    how: Any = {"by": by, "version": said["version"]}
    themes, slots, name = said["themes"], said["slots"], said["name"]
    acts: dict[str, Callable[[], Any]] = {
        "merge": lambda: service.merge(study, themes, **how),
        "split": lambda: service.split(study, _theme(said), slots, name=name, **how),
        "rename": lambda: service.rename(study, _theme(said), name, **how),
        "move": lambda: service.move(study, slots, _theme(said), **how),
        "undo": lambda: service.undo(study, **how),
        "redo": lambda: service.redo(study, **how),
    }
    acts[said["act"]]()


def _theme(said: dict[str, Any]) -> UUID:
    if "theme" not in said:
        raise Unprocessable({"theme": "Name the theme by its id."})
    found: UUID = said["theme"]
    return found

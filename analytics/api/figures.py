"""What the interviews of a study say together, for programs: the numbers of its page."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import ApiView, study_for
from analytics.api.filters import COUNT, FILTER, asked, count_of, inclusion_of, query_of
from analytics.study.documents import map_document, matrix_document, saturation_document
from analytics.study.reading import StudyReading, read_study


class ThemeShape(serializers.Serializer[Any]):
    """A theme; ids that begin with `node:` are concepts in none, which count as their own."""

    id = serializers.CharField()
    name = serializers.CharField()
    node_type = serializers.CharField()
    level = serializers.IntegerField(allow_null=True)
    respondents = serializers.IntegerField()
    mentions = serializers.IntegerField()
    slots = serializers.IntegerField()


class CellShape(serializers.Serializer[Any]):
    """A relation: how many say it directly, indirectly, and against each other."""

    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    direct = serializers.IntegerField()
    indirect = serializers.IntegerField()
    negative = serializers.IntegerField()
    provenance = serializers.DictField(
        child=serializers.FloatField(), help_text="Shares of the links behind it."
    )


class MatrixShape(serializers.Serializer[Any]):
    """The implication matrix, the strongest relation first."""

    respondents = serializers.IntegerField()
    count = serializers.CharField()
    filter = serializers.CharField(help_text="Which interviews count, in words.")
    themes = ThemeShape(many=True)
    cells = CellShape(many=True)


class ArrowShape(serializers.Serializer[Any]):
    """An arrow that is drawn."""

    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    direct = serializers.IntegerField()
    indirect = serializers.IntegerField()


class KeptShape(serializers.Serializer[Any]):
    """Which shares of relations and themes a cut-off keeps."""

    cutoff = serializers.IntegerField()
    relations_kept = serializers.FloatField()
    themes_kept = serializers.FloatField()


class MapShape(KeptShape):
    """The map at a cut-off."""

    upward_share = serializers.FloatField(allow_null=True)
    nodes = inline_serializer(
        "PlaceOnMap",
        {
            "theme": serializers.CharField(),
            "level": serializers.IntegerField(allow_null=True),
            "in": serializers.IntegerField(),
            "out": serializers.IntegerField(),
            "abstractness": serializers.FloatField(),
            "centrality": serializers.FloatField(),
            "prestige": serializers.FloatField(),
        },
        many=True,
    )
    edges = ArrowShape(many=True)
    cutoffs = KeptShape(many=True)
    filter = serializers.CharField()


class PointShape(serializers.Serializer[Any]):
    """Themes met after so many interviews, and the band of 100 other orders."""

    interviews = serializers.IntegerField()
    themes = serializers.IntegerField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class SaturationShape(serializers.Serializer[Any]):
    """How much of what there is to hear was heard; estimates are null with too few interviews."""

    interviews = serializers.IntegerField()
    observed = serializers.IntegerField()
    chao2 = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    coverage = serializers.FloatField(allow_null=True)
    more_interviews = serializers.IntegerField(allow_null=True)
    curve = PointShape(many=True)
    filter = serializers.CharField()


class MatrixView(ApiView):
    """`/api/studies/{slug}/matrix/`: the implication matrix."""

    @extend_schema(parameters=[COUNT, *FILTER], responses=MatrixShape)
    def get(self, request: Request, slug: str) -> Response:
        """Read which theme leads to which, how often."""
        reading = reading_of(request, slug)
        return Response(matrix_document(reading, count_of(request)))


class MapView(ApiView):
    """`/api/studies/{slug}/map/`: the map of a study at a cut-off."""

    @extend_schema(
        parameters=[
            OpenApiParameter("cutoff", int, description="The fewest that say a relation; 1."),
            COUNT,
            *FILTER,
        ],
        responses=MapShape,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Read the relations from a cut-off, drawn without redundancy."""
        reading, cutoff = reading_of(request, slug), _cutoff_of(request)
        with asked():
            told = map_document(reading, cutoff, count_of(request))
        return Response(told | {"filter": reading.inclusion.describe()})


class SaturationView(ApiView):
    """`/api/studies/{slug}/saturation/`: how much is still unheard."""

    @extend_schema(parameters=FILTER, responses=SaturationShape)
    def get(self, request: Request, slug: str) -> Response:
        """Read how many themes were met and are estimated, and how many more interviews pay."""
        reading = reading_of(request, slug)
        return Response(saturation_document(reading) | {"filter": reading.inclusion.describe()})


def reading_of(request: Request, slug: str) -> StudyReading:
    """The study as the query's filter has it. Raises Http404 and ValidationError."""
    study, inclusion = study_for(request, slug), inclusion_of(request)
    with asked():
        return read_study(study, inclusion)


def _cutoff_of(request: Request) -> int:
    wanted = query_of(request).get("cutoff", "1")
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 7):
        raise ValidationError({"cutoff": "Send a whole number from 1."})
    return int(wanted)

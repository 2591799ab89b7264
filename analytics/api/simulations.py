"""Simulated interviews for programs: a persona answers in a respondent's place."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics import access
from analytics.api.base import MANAGING, ApiView, Scope, study_named
from analytics.api.session_shapes import name_of
from analytics.api.studies import DocumentName
from analytics.rights import Right
from interviews import trials
from interviews.api.problems import Unprocessable
from interviews.models import Trial
from interviews.trials import LEAST_TURNS, MOST_TURNS
from methodologies.registry import METHODOLOGY, PERSONA


class SimulationShape(serializers.Serializer[Any]):
    """A simulated interview: what was asked for, and its session once it has begun."""

    id = serializers.IntegerField(source="pk")
    study = serializers.SlugField(source="study.slug")
    persona = serializers.SerializerMethodField()
    methodology = serializers.SerializerMethodField()
    turns = serializers.IntegerField()
    status = serializers.SerializerMethodField()
    session = serializers.UUIDField(source="session_id", allow_null=True)
    error = serializers.CharField(allow_blank=True)
    made_at = serializers.DateTimeField()

    def get_persona(self, trial: Trial) -> str | None:
        return name_of(trial.persona_version)

    def get_methodology(self, trial: Trial) -> str | None:
        return name_of(trial.methodology_version)

    def get_status(self, trial: Trial) -> str:
        """waiting, running, done or failed."""
        if trial.error:
            return "failed"
        if trial.session is None:
            return "waiting"
        return "done" if trial.session.is_over else "running"


class NewSimulation(serializers.Serializer[Any]):
    """A study whose concept has a world, who answers, and how often."""

    study = serializers.SlugField()
    persona = DocumentName(PERSONA)
    turns = serializers.IntegerField(min_value=LEAST_TURNS, max_value=MOST_TURNS, default=10)
    methodology = DocumentName(METHODOLOGY, required=False)


class Simulations(ApiView):
    """`/api/simulations/`: simulated interviews, newest first; POST has one held."""

    writes = MANAGING | {Scope.COLLECT}
    ordering = ("-made_at", "-pk")

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=SimulationShape(many=True),
    )
    def get(self, request: Request) -> Response:
        """List simulated interviews."""
        return self.page(request, _seen(request), SimulationShape)

    @extend_schema(request=NewSimulation, responses={202: SimulationShape})
    def post(self, request: Request) -> Response:
        """Have a persona hold an interview; it is under way when this answers."""

        def simulate() -> Response:
            said = NewSimulation(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            wanted = said.validated_data
            study = study_named(request, wanted["study"], Right.TRY)
            trial = trials.simulate(
                study,
                wanted["persona_version"],
                wanted["turns"],
                by=request.user.pk,
                methodology=wanted.get("methodology_version"),
            )
            address = reverse("api:simulation", args=[trial.pk])
            told = SimulationShape(_seen(request).get(pk=trial.pk)).data
            return Response(told, status=202, headers={"Location": address})

        return self.post_once(request, simulate)


class SimulationView(ApiView):
    """`/api/simulations/{id}/`: one simulated interview."""

    @extend_schema(responses=SimulationShape)
    def get(self, request: Request, pk: int) -> Response:
        """Read how far a simulated interview is."""
        found = _seen(request).filter(pk=pk).first()
        if found is None:
            raise Http404("There is no such simulation.")
        return Response(SimulationShape(found).data)


def _seen(request: Request) -> Any:
    rows = access.seen_by(request.user, Trial.objects.all(), "study")
    return rows.filter(persona_version__isnull=False).select_related(
        "study", "session", "persona_version__document", "methodology_version__document"
    )

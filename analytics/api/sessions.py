"""Interviews for programs: begun, answered, ended, paused, listed and read."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analytics import access
from analytics.api.base import (
    COLLECTING,
    KEY,
    WATCHING,
    ApiView,
    session_for,
    study_named,
    who,
)
from analytics.api.session_shapes import (
    SessionDetail,
    SessionShape,
    TurnDetail,
    TurnShape,
    UtteranceShape,
    turn_detail,
    turn_row,
)
from analytics.rights import Right
from interviews import services
from interviews.api.problems import Problem, Unprocessable
from interviews.api.waiting import waiting
from interviews.chat.limits import AnswerRate
from interviews.errors import ErrorCode, InterviewError
from interviews.invitations import invite, token_for
from interviews.models import AccessToken, Invitation, Session, Turn, Utterance

WAIT = OpenApiParameter(
    "wait",
    int,
    description="Wait so many seconds at most, 20 at the longest, until it is there.",
)
_OF_KEYS = UUID("5f0c1f5e-52f4-4d5c-9b5e-4b3a2f1f8f5d")
_rate = AnswerRate()


class Begin(serializers.Serializer[Any]):
    """A live study; whoever calls has asked the respondent for consent."""

    study = serializers.SlugField()
    note = serializers.CharField(max_length=120, allow_blank=True, default="")


class Begun(serializers.Serializer[Any]):
    """The interview, and the token that opens it and nothing else."""

    session = serializers.UUIDField()
    token = serializers.CharField()
    url = serializers.CharField()
    turn = serializers.CharField()


class Answer(serializers.Serializer[Any]):
    """One of: words of the respondent, an option of the question, the values of the open form."""

    text = serializers.CharField(allow_blank=True, trim_whitespace=False, required=False)
    choice = serializers.CharField(required=False, trim_whitespace=False)
    values = serializers.DictField(child=serializers.CharField(allow_blank=True), required=False)
    client_message_id = serializers.UUIDField(required=False)


class Accepted(serializers.Serializer[Any]):
    """Where the question to this answer will be."""

    turn = serializers.IntegerField()
    sequence = serializers.IntegerField()
    duplicate = serializers.BooleanField()
    url = serializers.CharField()


class Sessions(ApiView):
    """`/api/sessions/`: interviews, newest first; POST begins one."""

    ordering = ("-started_at", "pk")
    writes = COLLECTING

    @extend_schema(
        parameters=[
            OpenApiParameter("study", str, description="Of this study."),
            OpenApiParameter("status", str, enum=Session.Status.values),
            OpenApiParameter("simulated", bool),
            OpenApiParameter("since", datetime, description="Begun then or later."),
            OpenApiParameter("until", datetime, description="Begun before then."),
            OpenApiParameter("cursor", str),
            OpenApiParameter("page_size", int),
        ],
        responses=SessionShape(many=True),
    )
    def get(self, request: Request) -> Response:
        """List interviews that you may see."""
        seen = access.sessions_of(request.user).select_related("study")
        found = _filtered(seen, request)
        return self.page(request, found.defer("state", "node_tracker_state"), SessionShape)

    @extend_schema(request=Begin, responses={201: Begun})
    def post(self, request: Request) -> Response:
        """Begin an interview of a live study."""

        def begin() -> Response:
            said = Begin(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            study = study_named(request, said.validated_data["study"], Right.INVITE)
            study = services.open_study(study.slug)
            invitation = invite(study, note=said.validated_data["note"] or "API")
            session = services.begin(invitation)
            address = reverse("api:session", args=[session.pk])
            told = {
                "session": str(session.pk),
                "token": token_for(invitation),
                "url": address,
                "turn": reverse("api:turn", args=[session.pk, 0]),
            }
            return Response(told, status=201, headers={"Location": address})

        return self.post_once(request, begin)


class SessionView(ApiView):
    """`/api/sessions/{id}/`: one interview; DELETE erases it."""

    reads = WATCHING
    links = True

    @extend_schema(responses=SessionDetail)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read an interview: where it stands, its focus history and the evidence of its turns."""
        session = session_for(request, pk)
        return Response(SessionDetail(session, context={"reasons": sees_reasons(request)}).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Erase an interview with everything that was said and understood in it."""
        session = _of_person(request, pk, Right.ERASE)
        services.erase_session(session.pk, by=who(request))
        return Response(status=204)


class Respond(ApiView):
    """`/api/sessions/{id}/respond/`: an answer, taken once however often it is sent."""

    writes = COLLECTING
    links = True

    @extend_schema(request=Answer, responses={202: Accepted})
    def post(self, request: Request, pk: UUID) -> Response:
        """Take an answer; the question that follows will be at the turn's address."""

        def respond() -> Response:
            session = session_for(request, pk, Right.INVITE)
            said = Answer(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            if not _rate.allow(session.pk):
                raise InterviewError(ErrorCode.TOO_FAST, "Slower, please: one answer a second.")
            accepted = _taken(session, said.validated_data, _message_id(request, said))
            address = reverse("api:turn", args=[pk, accepted.turn_number])
            told = {
                "turn": accepted.turn_number,
                "sequence": accepted.sequence,
                "duplicate": accepted.duplicate,
                "url": address,
            }
            return Response(told, status=202, headers={"Location": address})

        return self.post_once(request, respond)


class _Verb(ApiView):
    """A POST that does one thing to an interview and tells where it stands then."""

    writes = COLLECTING
    links = True

    def act(self, session: Session) -> None:
        """Do it."""
        raise NotImplementedError

    @extend_schema(request=None, responses=SessionDetail)
    def post(self, request: Request, pk: UUID) -> Response:
        """Do it; doing it twice changes nothing."""

        def once() -> Response:
            session = session_for(request, pk, Right.INVITE)
            self.act(session)
            now = session_for(request, pk)
            return Response(SessionDetail(now, context={"reasons": sees_reasons(request)}).data)

        return self.post_once(request, once)


class End(_Verb):
    """`/api/sessions/{id}/end/`: the respondent ends it."""

    def act(self, session: Session) -> None:
        services.end_session(session.pk)


class Pause(_Verb):
    """`/api/sessions/{id}/pause/`: no answer is taken until it is resumed."""

    def act(self, session: Session) -> None:
        _check_runs(session)
        services.pause_session(session.pk)


class Resume(_Verb):
    """`/api/sessions/{id}/resume/`: go on with a paused interview."""

    def act(self, session: Session) -> None:
        _check_runs(session)
        services.resume_session(session.pk)


class Turns(ApiView):
    """`/api/sessions/{id}/turns/`: the turns in order, without their decisions."""

    reads = WATCHING
    links = True
    ordering = ("number",)

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=TurnShape(many=True),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """List the turns of an interview."""
        session = session_for(request, pk)
        rows = session.turns.select_related("answer", "question", "session").defer("result")
        return self.page(request, rows, _TurnRow)


class _TurnRow(TurnShape):
    def to_representation(self, instance: Any) -> dict[str, Any]:
        return super().to_representation(turn_row(instance))


class TurnView(ApiView):
    """`/api/sessions/{id}/turns/{n}/`: one turn with the decision behind its question."""

    reads = WATCHING
    links = True

    @extend_schema(parameters=[WAIT], responses=TurnDetail)
    def get(self, request: Request, pk: UUID, number: int) -> Response:
        """Read a turn; with `wait` once its question is there."""
        session = session_for(request, pk)
        turn = (
            session.turns.select_related("answer", "question", "session")
            .filter(number=number)
            .first()
        )
        if turn is None:
            raise Http404("There is no such turn.")
        told = turn_detail(turn, reasons=sees_reasons(request))
        return Response(TurnDetail(told).data)


class Utterances(ApiView):
    """`/api/sessions/{id}/utterances/`: what was said, in order."""

    reads = WATCHING
    links = True
    ordering = ("sequence",)

    @extend_schema(
        parameters=[
            OpenApiParameter("after", int, description="Said after this sequence number."),
            OpenApiParameter("cursor", str),
            OpenApiParameter("page_size", int),
        ],
        responses=UtteranceShape(many=True),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """List what was said."""
        session = session_for(request, pk)
        rows = Utterance.objects.filter(session=session)
        after = request.query_params.get("after")
        if after is not None:
            if not (after.isascii() and after.isdigit() and len(after) < 10):
                raise ValidationError({"after": "Send a sequence number, 0 or more."})
            rows = rows.filter(sequence__gt=int(after))
        return self.page(request, rows, UtteranceShape)


def sees_reasons(request: Request) -> bool:
    """Whether whoever asks reads decisions: people and their reading tokens, no respondent's."""
    if isinstance(request.auth, Invitation):
        return False
    if isinstance(request.auth, AccessToken):
        return bool(set(request.auth.scopes) & {"read", "manage"})
    return True


def question_is_there(pk: UUID, number: int) -> bool:
    """Whether nobody works on this turn, or ever will."""
    at_work = (Turn.Status.QUEUED, Turn.Status.RUNNING)
    return not Turn.objects.filter(session_id=pk, number=number, status__in=at_work).exists()


turn_view = waiting(TurnView.as_view(), question_is_there)


def _taken(session: Session, said: dict[str, Any], message_id: UUID | None) -> services.Accepted:
    given = [name for name in ("text", "choice", "values") if name in said]
    if len(given) != 1:
        raise Unprocessable({"text": "Send one of text, choice and values."})
    if given == ["choice"]:
        return services.accept_choice(session.pk, said["choice"], client_message_id=message_id)
    if given == ["values"]:
        return services.accept_fields(session.pk, said["values"], client_message_id=message_id)
    return services.accept_answer(session.pk, said["text"], client_message_id=message_id)


def _message_id(request: Request, said: Answer) -> UUID | None:
    """The id that the answer is known by; that of the key where only a key was sent."""
    named: UUID | None = said.validated_data.get("client_message_id")
    key = request.headers.get(KEY)
    return named or (uuid5(_OF_KEYS, key) if key else None)


def _check_runs(session: Session) -> None:
    if session.is_over:
        raise InterviewError(ErrorCode.SESSION_OVER, "This interview has ended.")


def _of_person(request: Request, pk: UUID, right: Right) -> Session:
    """A session for what no respondent may."""
    if isinstance(request.auth, Invitation):
        said = "The token of a link cannot do this."
        raise Problem(403, "link_only", said)
    return session_for(request, pk, right)


def _filtered(seen: QuerySet[Session], request: Request) -> QuerySet[Session]:
    """What the filters leave. Raises ValidationError that names the wrong one."""
    asked = request.query_params
    if (slug := asked.get("study")) is not None:
        if not access.studies_of(request.user).filter(slug=slug.replace("\0", "")).exists():
            raise ValidationError({"study": "There is no study of this name that you may see."})
        seen = seen.filter(study__slug=slug)
    if (status := asked.get("status")) is not None:
        if status not in Session.Status.values:
            raise ValidationError({"status": f"Choose from {', '.join(Session.Status.values)}."})
        seen = seen.filter(status=status)
    if (simulated := asked.get("simulated")) is not None:
        if simulated not in ("true", "false"):
            raise ValidationError({"simulated": "Choose true or false."})
        seen = seen.filter(simulated=simulated == "true")
    for name, lookup in (("since", "gte"), ("until", "lt")):
        if (named := asked.get(name)) is not None:
            seen = seen.filter(**{f"started_at__{lookup}": _moment(name, named)})
    return seen


def _moment(name: str, text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValidationError({name: "Send a time with its zone, e.g. 2026-05-01T00:00:00Z."})
    return found

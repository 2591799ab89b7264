"""An interview by handover's addresses: begin it, answer, end it, and see where it stands.

They came before the others and stay as they are; `/api/sessions/` does the same and more.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import COLLECTING, WATCHING, ApiView, Permitted, session_for, study_for
from analytics.api.sessions import WAIT
from analytics.rights import Right
from interviews import services
from interviews.api.problems import Unprocessable
from interviews.api.waiting import waiting
from interviews.chat.limits import AnswerRate
from interviews.errors import ErrorCode, InterviewError
from interviews.invitations import invite, token_for
from interviews.models import Session, Turn, Utterance
from interviews.turns.state import SessionState

THINKING, WAITING, FAILED, COMPLETE = "thinking", "waiting", "failed", "interview_complete"
_rate = AnswerRate()


class BeginInterview(serializers.Serializer[Any]):
    """The study to be interviewed in."""

    study = serializers.SlugField()


class BegunInterview(serializers.Serializer[Any]):
    """The interview and the token of its link."""

    session = serializers.UUIDField()
    token = serializers.CharField()


class UserResponse(serializers.Serializer[Any]):
    """An answer; what is wrong with its text the service says."""

    user_response = serializers.CharField(allow_blank=True, trim_whitespace=False)
    client_message_id = serializers.UUIDField()


class TakenResponse(serializers.Serializer[Any]):
    """The turn that the answer is of."""

    turn = serializers.IntegerField()
    duplicate = serializers.BooleanField()


class Interrupt(serializers.Serializer[Any]):
    """The question that waits for an answer."""

    question_id = serializers.CharField()
    question_text = serializers.CharField()
    round = serializers.IntegerField()
    remaining = serializers.IntegerField()


class InterviewState(serializers.Serializer[Any]):
    """Where an interview stands."""

    status = serializers.ChoiceField(choices=[THINKING, WAITING, FAILED, COMPLETE])
    interrupt = Interrupt(allow_null=True)


class AnybodyOr(BasePermission):
    """Whoever comes without a token, as by an open link; others as everywhere."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """A live study takes whoever has its address."""
        return request.auth is None or Permitted().has_permission(request, view)


class BeginView(ApiView):
    """`POST /api/interview`: a new interview of a live study; who calls has asked for consent."""

    writes = COLLECTING
    permission_classes = (AnybodyOr,)

    @extend_schema(request=BeginInterview, responses={201: BegunInterview})
    def post(self, request: Request) -> Response:
        """Begin, and give the session with the token that opens it."""

        def begin() -> Response:
            said = BeginInterview(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            slug = said.validated_data["study"]
            if request.auth is not None:
                study_for(request, slug, Right.INVITE)
            invitation = invite(services.open_study(slug), note="API")
            session = services.begin(invitation)
            told = {"session": str(session.pk), "token": token_for(invitation)}
            return Response(told, status=201)

        return self.post_once(request, begin)


class RespondView(ApiView):
    """`POST /api/interview/{id}/respond`: an answer, taken once however often it is sent."""

    writes = COLLECTING
    links = True

    @extend_schema(request=UserResponse, responses={202: TakenResponse})
    def post(self, request: Request, pk: UUID) -> Response:
        """Store the answer and queue its turn."""
        session = session_for(request, pk, Right.INVITE)
        said = UserResponse(data=request.data)
        if not said.is_valid():
            raise Unprocessable(said.errors)
        if not _rate.allow(session.pk):
            raise InterviewError(ErrorCode.TOO_FAST, "Slower, please: one answer a second.")
        accepted = services.accept_answer(
            session.pk,
            said.validated_data["user_response"],
            client_message_id=said.validated_data["client_message_id"],
        )
        told = {"turn": accepted.turn_number, "duplicate": accepted.duplicate}
        return Response(told, status=202)


class EndView(ApiView):
    """`POST /api/interview/{id}/end`: the respondent ends it; twice changes nothing."""

    writes = COLLECTING
    links = True

    @extend_schema(request=None, responses=InterviewState)
    def post(self, request: Request, pk: UUID) -> Response:
        """End it."""
        session = session_for(request, pk, Right.INVITE)
        services.end_session(session.pk)
        return Response(state_of(session.pk))


class StateView(ApiView):
    """`GET /api/interview/{id}/state?wait=20`: where it stands, once nobody thinks any more."""

    reads = WATCHING
    links = True

    @extend_schema(parameters=[WAIT], responses=InterviewState)
    def get(self, request: Request, pk: UUID) -> Response:
        """Where it stands, after at most `wait` seconds of thinking."""
        session = session_for(request, pk)
        return Response(state_of(session.pk), headers={"Cache-Control": "no-store"})


def nobody_thinks(pk: UUID) -> bool:
    """Whether no turn of the interview is queued or under way."""
    at_work = (Turn.Status.QUEUED, Turn.Status.RUNNING)
    return not Turn.objects.filter(session_id=pk, status__in=at_work).exists()


state_view = waiting(StateView.as_view(), nobody_thinks)


def state_of(session_id: UUID) -> dict[str, Any]:
    """Whether somebody thinks, waits for an answer, failed or is done; and what is asked."""
    session = Session.objects.get(pk=session_id)
    if session.is_over:
        return {"status": COMPLETE, "interrupt": None}
    pending = services.session_view(session_id).pending
    if pending is not None:
        return {"status": FAILED if pending == "failed" else THINKING, "interrupt": None}
    return {"status": WAITING, "interrupt": _interrupt(session)}


def _interrupt(session: Session) -> dict[str, Any] | None:
    """The question that waits; modes without rounds and backlogs have no more to tell of it."""
    asked = (
        Utterance.objects.filter(session=session, speaker=Utterance.Speaker.INTERVIEWER)
        .order_by("-sequence")
        .first()
    )
    if asked is None:
        return None
    kept = SessionState.model_validate(session.state).mode_state if session.state else None
    data = kept.data if kept else {}
    return {
        "question_id": data.get("question_id") or f"turn-{asked.turn_number}",
        "question_text": asked.text,
        "round": int(data.get("rounds", session.turn_count)) + 1,
        "remaining": int(data.get("remaining", max(session.max_turns - session.turn_count - 1, 0))),
    }

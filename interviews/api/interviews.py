"""An interview for programs: begin it, answer, end it, and see where it stands.

A personal link's token, sent as `Authorization: Bearer …`, opens its own interview and no other.
"""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from rest_framework import serializers
from rest_framework.exceptions import APIException, NotFound
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from interviews import services
from interviews.chat.limits import AnswerRate
from interviews.errors import ErrorCode, InterviewError
from interviews.invitations import invite, open_token, token_for
from interviews.models import Session, Utterance
from interviews.turns.state import SessionState

MOST_WAIT = 20
LOOK_EVERY = 0.25
THINKING, WAITING, FAILED, COMPLETE = "thinking", "waiting", "failed", "interview_complete"

_STATUS = {
    ErrorCode.EMPTY_ANSWER: 422,
    ErrorCode.ANSWER_TOO_LONG: 422,
    ErrorCode.SESSION_OVER: 409,
    ErrorCode.SESSION_PAUSED: 409,
    ErrorCode.BUDGET_SPENT: 409,
    ErrorCode.QUOTA_REACHED: 409,
    ErrorCode.STUDY_INCOMPLETE: 409,
    ErrorCode.STUDY_NOT_OPEN: 404,
    ErrorCode.LINK_INVALID: 401,
    ErrorCode.LINK_EXPIRED: 401,
    ErrorCode.LINK_REVOKED: 401,
    ErrorCode.TOO_FAST: 429,
}
_rate = AnswerRate()


class Refused(APIException):
    """What a verb refused, with its own code and words."""

    def __init__(self, error: InterviewError) -> None:
        super().__init__(detail=error.message, code=error.code.value)
        self.status_code = _STATUS.get(error.code, 400)


class NoToken(APIException):
    """Nobody says whose interview it is."""

    status_code = 401
    default_code = "no_token"
    default_detail = "Send the token of the interview's link: Authorization: Bearer …"


class Begin(serializers.Serializer[Any]):
    """The study to be interviewed in."""

    study = serializers.SlugField()


class Answer(serializers.Serializer[Any]):
    """An answer; what is wrong with its text the service says."""

    user_response = serializers.CharField(allow_blank=True, trim_whitespace=False)
    client_message_id = serializers.UUIDField()


class InterviewView(APIView):
    """JSON in and out; nobody is signed in, a token says whose interview it is."""

    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (JSONRenderer,)
    parser_classes = (JSONParser,)

    def handle_exception(self, exc: Exception) -> Response:
        """Errors of the verbs keep their words; the others are as the framework has them."""
        response = super().handle_exception(
            Refused(exc) if isinstance(exc, InterviewError) else exc
        )
        response["Cache-Control"] = "no-store"
        return response


def session_of(request: Request | HttpRequest, pk: UUID) -> Session:
    """The session that the token opens. Raises NoToken without one, NotFound elsewhere."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.casefold() != "bearer" or not token.strip():
        raise NoToken
    session = open_token(token.strip()).session
    if session is None or session.pk != pk:
        raise NotFound("This token opens no such interview.")
    return session


class BeginView(InterviewView):
    """`POST /api/interview`: a new interview of a live study; who calls has asked for consent."""

    def post(self, request: Request) -> Response:
        """Begin, and give the session with the token that opens it."""
        said = Begin(data=request.data)
        said.is_valid(raise_exception=True)
        study = services.open_study(said.validated_data["study"])
        invitation = invite(study, note="API")
        session = services.begin(invitation)
        return Response({"session": str(session.pk), "token": token_for(invitation)}, status=201)


class RespondView(InterviewView):
    """`POST /api/interview/{id}/respond`: an answer, taken once however often it is sent."""

    def post(self, request: Request, pk: UUID) -> Response:
        """Store the answer and queue its turn."""
        session = session_of(request, pk)
        said = Answer(data=request.data)
        if not said.is_valid():
            return Response(said.errors, status=422)
        if not _rate.allow(session.pk):
            raise InterviewError(ErrorCode.TOO_FAST, "Slower, please: one answer a second.")
        accepted = services.accept_answer(
            session.pk,
            said.validated_data["user_response"],
            client_message_id=said.validated_data["client_message_id"],
        )
        told = {"turn": accepted.turn_number, "duplicate": accepted.duplicate}
        return Response(told, status=202)


class EndView(InterviewView):
    """`POST /api/interview/{id}/end`: the respondent ends it; twice changes nothing."""

    def post(self, request: Request, pk: UUID) -> Response:
        """End it."""
        session = session_of(request, pk)
        services.end_session(session.pk)
        return Response(state_of(session.pk))


class StateView(InterviewView):
    """`GET /api/interview/{id}/state?wait=20`: where it stands, once nobody thinks any more."""

    def get(self, request: Request, pk: UUID) -> Response:
        """Where it stands, after at most `wait` seconds of thinking."""
        session = session_of(request, pk)
        named = request.query_params.get("wait", "0")
        wait = min(int(named), MOST_WAIT) if named.isdigit() else 0
        until = time.monotonic() + wait
        state = state_of(session.pk)
        while state["status"] == THINKING and time.monotonic() < until:
            time.sleep(LOOK_EVERY)
            state = state_of(session.pk)
        return Response(state, headers={"Cache-Control": "no-store"})


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

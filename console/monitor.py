"""Running interviews as they run: where each is, how long somebody waits, what alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from analytics.access import may, session_for, sessions_of
from analytics.rights import Right
from console.studies import public_address
from console.views import ConsolePage, who
from graphs.models import KGEdge, KGNode
from interviews import audit, services
from interviews.errors import InterviewError
from interviews.explain.interpreter import Explanation, NotExplainable, explain
from interviews.models import Session, SessionSummary, Turn, Utterance
from interviews.turns.flags import Flag

SHOWN = 50
LONG_WAIT = 30.0
SHALLOW = 3
MORE_ANSWERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One interview; `waiting` is how many seconds a question has been under way, 0 if none."""

    session: Session
    summary: SessionSummary
    turn: int
    phase: str
    strategy: str
    waiting: float
    alarms: Sequence[str]


def running_of(sessions: QuerySet[Session]) -> list[Running]:
    """The open ones among `sessions`, those with alarms first; in three queries."""
    found = list(
        sessions.filter(status__in=[Session.Status.ACTIVE, Session.Status.PAUSED])
        .select_related("study", "summary")
        .defer("node_tracker_state", "state", "epilogue", "study__data_fields")
        .order_by("-started_at")[:SHOWN]
    )
    ids = [session.pk for session in found]
    last = _last_turns(ids)
    unfinished: dict[UUID, dict[str, Any]] = {
        turn["session_id"]: dict(turn)
        for turn in Turn.objects.filter(session__in=ids)
        .exclude(status=Turn.Status.DONE)
        .order_by("-number")
        .values("session_id", "status", "created_at")
    }
    now = timezone.now()
    rows = [
        _running(session, last.get(session.pk, {}), unfinished.get(session.pk), now)
        for session in found
    ]
    return sorted(rows, key=lambda row: not row.alarms)


def _last_turns(ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    # Their ids first: records are large, and those of the last turns are all that is read of them.
    last = (
        Turn.objects.filter(session__in=ids, status=Turn.Status.DONE)
        .order_by("session_id", "-number")
        .distinct("session_id")
    )
    turns = Turn.objects.filter(pk__in=last.values("pk")).values(
        "session_id",
        "number",
        "strategy",
        "phase",
        "result__heard__act",
        "result__saturation__consecutive_shallow",
    )
    return {turn["session_id"]: dict(turn) for turn in turns}


def _running(
    session: Session, last: dict[str, Any], unfinished: dict[str, Any] | None, now: datetime
) -> Running:
    waiting = 0.0
    failed = unfinished is not None and unfinished["status"] == Turn.Status.FAILED
    if unfinished is not None and not failed:
        waiting = (now - unfinished["created_at"]).total_seconds()
    summary = getattr(session, "summary", None) or SessionSummary(session=session)
    told = (
        (failed, "a turn failed"),
        (Flag.DEGRADED in summary.flags, "degraded"),
        (waiting > LONG_WAIT, f"waiting {waiting:.0f} s"),
        ((last.get("result__saturation__consecutive_shallow") or 0) >= SHALLOW, "shallow answers"),
        (last.get("result__heard__act") in ("refuses", "wants_to_stop"), "a refusal"),
    )
    return Running(
        session=session,
        summary=summary,
        turn=last.get("number", 0),
        phase=last.get("phase", ""),
        strategy=last.get("strategy", ""),
        waiting=waiting,
        alarms=[sentence for is_so, sentence in told if is_so],
    )


class MonitorPage(ConsolePage):
    """Every running interview; `?part=1` gives the table alone, which the page asks for anew."""

    template = "monitor.html"
    title = "Monitor"

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page or the table."""
        seen = sessions_of(request.user)
        trials = request.GET.get("trials") == "1"
        rows = running_of(seen if trials else seen.filter(simulated=False))
        if request.GET.get("part"):
            return self.part(request, "monitor_table.html", rows=rows)
        return self.shown(request, rows=rows, trials=trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One interview as it stands: what was said and understood, and the last decision."""

    running: Running
    said: Sequence[Utterance]
    nodes: Sequence[KGNode]
    edges: Sequence[KGEdge]
    decision: Explanation | None


def watched(session: Session) -> Watched:
    """What a respondent types is here once it is sent; personal values never are."""
    turn = (
        session.turns.filter(status=Turn.Status.DONE)
        .select_related("question", "session__methodology_version__document")
        .order_by("-number")
        .first()
    )
    try:
        decision = explain(turn) if turn else None
    except NotExplainable:
        decision = None
    found = running_of(Session.objects.filter(pk=session.pk))
    return Watched(
        running=found[0] if found else _running(session, {}, None, timezone.now()),
        said=list(session.utterances.order_by("sequence")),
        nodes=list(KGNode.objects.filter(session=session).order_by("-first_turn", "position")),
        edges=list(
            KGEdge.objects.filter(session=session)
            .select_related("source", "target")
            .order_by("-first_turn", "created_at")
        ),
        decision=decision,
    )


def _own_chat(request: HttpRequest, session: Session) -> str:
    """The chat of a trial that whoever asks has begun themselves, "" for any other interview."""
    token = request.session.get(f"trial-{session.pk}", "")
    return public_address("interview", token) if token and session.simulated else ""


class WatchPage(ConsolePage):
    """One interview, growing as it runs; a POST retries, extends or ends it."""

    template = "watch.html"
    writes = Right.RUN

    def get(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """The page, or with `?part=1` what changes of it."""
        session = session_for(request.user, pk)
        context: dict[str, Any] = {"watched": watched(session), "session": session}
        if request.GET.get("part"):
            return self.part(request, "watch_part.html", **context)
        return self.shown(
            request,
            title=f"Watching {session.study.name}",
            may_run=may(request.user, Right.RUN),
            chat=_own_chat(request, session),
            more=MORE_ANSWERS,
            **context,
        )

    def post(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what the pressed button says, and record it."""
        session = session_for(request.user, pk, Right.RUN)
        try:
            match request.POST.get("do"):
                case "retry":
                    services.retry_turn(session.pk)
                    audit.record(audit.Action.RETRIED, session, by=who(request))
                case "extend":
                    services.extend_session(session.pk, answers=MORE_ANSWERS)
                    audit.record(audit.Action.EXTENDED, session, by=who(request))
                case "end":
                    services.end_session(session.pk, reason=services.REASON_RESEARCHER)
                    audit.record(audit.Action.ENDED, session, by=who(request))
        except InterviewError as error:
            messages.error(request, error.message)
        return redirect("admin:watch", session.pk)

"""Holds whole interviews in this process, through the same services as the chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interviews import dispatch, services
from interviews.models import Session, Study, Turn, Utterance

Answerer = Callable[[str, int], str | None]
"""(question, number of the turn that its answer will be) → the answer, or None to leave."""


class InterviewStopped(RuntimeError):
    """A turn failed for good; the message says which and why."""


def hold_interview(
    study: Study,
    answerer: Answerer,
    *,
    seed: int,
    max_turns: int | None = None,
    simulated: bool = True,
    after_turn: Callable[[Turn], None] = lambda turn: None,
    turn_seconds: float | None = None,
    after_aside: Callable[[Sequence[services.UtteranceView]], None] = lambda said: None,
) -> Session:
    """Start a session of `study` and answer until the interview ends or the answerer leaves.

    Each answer counts as having taken `turn_seconds`, where they are given. Raises
    InterviewStopped where a turn fails for good.
    """
    with dispatch.held_back():
        session = services.start_session(study, seed=seed, max_turns=max_turns, simulated=simulated)
        _process(session, 0, after_turn)
        while not Session.objects.get(pk=session.pk).is_over:
            question = (
                Utterance.objects.filter(session=session, speaker=Utterance.Speaker.INTERVIEWER)
                .order_by("-sequence")
                .values_list("text", flat=True)[0]
            )
            number = Turn.objects.filter(session=session).count()
            answer = answerer(question, number)
            if answer is None:
                services.end_session(session.pk, reason=services.REASON_RESPONDENT_LEFT)
                break
            said = services.accept_answer(session.pk, answer, seconds=turn_seconds)
            if Turn.objects.filter(session=session, number=number).exists():
                _process(session, number, after_turn)
            else:  # an answer to the epilogue, which no turn follows
                after_aside(services.utterances_after(session.pk, said.sequence - 1))
    session.refresh_from_db()
    return session


def _process(session: Session, number: int, after_turn: Callable[[Turn], None]) -> None:
    turn = Turn.objects.get(session=session, number=number)
    while turn.status in (Turn.Status.QUEUED, Turn.Status.RUNNING):
        services.process_turn(turn.pk)
        turn.refresh_from_db()
    if turn.status == Turn.Status.FAILED:
        raise InterviewStopped(f"turn {number} failed: {turn.error}")
    after_turn(turn)

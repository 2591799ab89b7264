"""Takes what a respondent says to an epilogue: one short transaction each, exactly once.

No worker and no model is asked: what follows is known at once (`interviews.epilogue.flow`) and is
stored with the answer. Of personal values the conversation keeps a neutral line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone

from interviews import dispatch, events, vault
from interviews.epilogue import flow
from interviews.epilogue.flow import Plan, Step
from interviews.epilogue.state import EpilogueState
from interviews.errors import ErrorCode, FormRefused, InterviewError
from interviews.models import Session, Study, Turn, Utterance
from interviews.pipeline import runner
from interviews.webhooks import outbox


def state_of(session: Session) -> EpilogueState:
    """Where a session's epilogue stands."""
    return EpilogueState.model_validate(session.epilogue)


def plan_of(study: Study, language: str) -> Plan:
    """What a study asks for at the end; fields that cannot be read are not asked for."""
    return Plan.read(
        language=language,
        data_fields=study.data_fields,
        data_collection=study.data_collection,
        minutes=study.extension_minutes or 0,  # whether there is an offer, the turns settle
    )


def take_text(session: Session, text: str, message_id: UUID) -> Utterance:
    """Go on after words or a choice. The session is locked, and its epilogue asks."""
    state, plan = state_of(session), plan_of(session.study, session.language)
    return _keep(session, plan, flow.take_text(state, plan, text), message_id)


def take_values(session: Session, values: Mapping[str, str], message_id: UUID) -> Utterance | Step:
    """Go on after a form. The session is locked, and its epilogue asks.

    Returns the step where some of the form is wrong: then nothing of it is kept but that it was
    tried. Raises InterviewError NO_FORM where no form is open.
    """
    state, plan = state_of(session), plan_of(session.study, session.language)
    if state.step != "fields":
        raise InterviewError(
            ErrorCode.NO_FORM, "There is no form to fill in now, so nothing of it was stored."
        )
    step = flow.take_values(state, plan, values, str(message_id))
    if step.wrong:
        session.epilogue = step.state.model_dump(mode="json")
        session.save(update_fields=["epilogue"])
        return step
    return _keep(session, plan, step, message_id)


def refusal(step: Step) -> FormRefused:
    """The error that names each wrong field."""
    return FormRefused(
        "Some of it could not be taken. What you typed is still there: see the fields below.",
        fields=dict(step.wrong),
    )


def tell(session: Session, utterance: Utterance) -> None:
    """Say that something new is there, and where the interview ended, that; after the commit."""
    runner.fail_at("epilogue_committed")
    accepted = events.TurnAccepted(seq=utterance.sequence, turn=utterance.turn_number)
    events.publish(session.pk, accepted)
    if session.is_over:
        events.publish(session.pk, events.SessionEnded(reason=session.termination_reason))


def report(session: Session) -> dict[str, Any]:
    """What became of a session's collection of data: no values."""
    plan = plan_of(session.study, session.language)
    return flow.outcome(state_of(session), plan, over=session.is_over)


# -- writing -------------------------------------------------------------------------------------
def _keep(session: Session, plan: Plan, step: Step, message_id: UUID) -> Utterance:
    """Write what was heard, given and is said next."""
    heard = _say(session, Utterance.Speaker.RESPONDENT, step.heard, message_id=message_id)
    runner.fail_at("epilogue_heard")
    if step.says:
        block = step.says.block.model_dump(mode="json") if step.says.block else None
        _say(session, Utterance.Speaker.INTERVIEWER, step.says.text, block=block)
    sensitive = {one.key for one in plan.fields if one.is_sensitive}
    vault.keep(session.pk, {k: v for k, v in step.values.items() if k in sensitive})
    runner.fail_at("epilogue_given")
    session.segments |= {k: v for k, v in step.values.items() if k not in sensitive}
    session.epilogue = step.state.model_dump(mode="json")
    if step.goes_on:
        _go_on(session, step)
    if step.over:
        _end(session, step.state.reason)
    session.save(
        update_fields=[
            "last_sequence", "epilogue", "segments", "status", "ended_at", "termination_reason",
        ]
    )  # fmt: skip
    if step.over:
        outbox.completed(session.pk)
    runner.fail_at("epilogue_saved")
    return heard


def _go_on(session: Session, step: Step) -> None:
    """Ask the question that was held, and let an answer that waits behind it be worked on."""
    held = step.goes_on
    if held is None:
        return
    question = _say(
        session, Utterance.Speaker.INTERVIEWER, held.text, block=held.block, aside=False
    )
    session.turns.filter(number=session.turn_count).update(question=question)
    waiting = session.turns.filter(status=Turn.Status.QUEUED).order_by("number").first()
    if waiting:
        dispatch.enqueue(waiting.pk)


def _end(session: Session, reason: str) -> None:
    session.status, session.ended_at = Session.Status.COMPLETED, timezone.now()
    session.termination_reason = reason
    session.turns.filter(status=Turn.Status.QUEUED).update(
        status=Turn.Status.FAILED, error="the interview had ended"
    )


def _say(
    session: Session,
    speaker: str,
    text: str,
    *,
    block: dict[str, Any] | None = None,
    message_id: UUID | None = None,
    aside: bool = True,
) -> Utterance:
    session.last_sequence += 1
    return Utterance.objects.create(
        session=session,
        turn_number=session.turn_count,
        sequence=session.last_sequence,
        speaker=speaker,
        text=text,
        block=block,
        aside=aside,
        client_message_id=message_id,
    )

"""Trying a study out: interviews that count nowhere and go when they are no longer wanted."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from interviews import dispatch, services
from interviews.dispatch import PLAY_TRIAL
from interviews.errors import ErrorCode, InterviewError
from interviews.invitations import token_for
from interviews.models import Invitation, Session, Study, Trial, Turn, WrittenWorld
from interviews.simulation.driver import InterviewStopped, hold_interview
from interviews.simulation.ladders import world_of_ladders
from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import World, available_worlds, load_world
from methodologies.models import MethodologyVersion, PersonaVersion
from methodologies.schema import PersonaSchema

LEAST_TURNS: Final = 1
MOST_TURNS: Final = 30
KEPT: Final = timedelta(days=30)
HOUR: Final = 3600.0


def world_of(study: Study) -> World | None:
    """The world that a persona answers from, the one that was written here before a shipped one.

    None where there is none.
    """
    if study.concept_version is None:
        return None
    concept = study.concept_version.document
    written = WrittenWorld.objects.filter(concept=concept).first()
    if written is not None:
        return world_of_ladders(concept.name, written.text)
    return load_world(concept.name) if concept.name in available_worlds() else None


def begin(
    study: Study, *, by: int | None, methodology: MethodologyVersion | None = None
) -> tuple[Trial, str]:
    """Start an interview for the account `by` to hold; return it with the token of its chat.

    Raises InterviewError where the study cannot be led yet.
    """
    session = services.start_session(_under(study, methodology), simulated=True)
    invitation = Invitation.objects.create(study=study, session=session, note="trial")
    trial = Trial.objects.create(
        study=study, session=session, methodology_version=methodology, made_by_id=by
    )
    return trial, token_for(invitation)


def simulate(
    study: Study,
    persona: PersonaVersion,
    turns: int,
    *,
    by: int | None,
    methodology: MethodologyVersion | None = None,
) -> Trial:
    """Have a persona answer so many questions, on a worker.

    Raises InterviewError where the number is out of range or no world is known for the concept.
    """
    if not LEAST_TURNS <= turns <= MOST_TURNS:
        raise InterviewError(
            ErrorCode.STUDY_INVALID, f"turns: choose from {LEAST_TURNS} to {MOST_TURNS}"
        )
    if world_of(study) is None:
        raise InterviewError(
            ErrorCode.STUDY_INCOMPLETE,
            "No persona knows this concept. Write a world for it: what somebody could say of it.",
        )
    services.check_study(study)
    trial = Trial.objects.create(
        study=study,
        methodology_version=methodology,
        persona_version=persona,
        turns=turns,
        made_by_id=by,
    )
    dispatch.enqueue_task(PLAY_TRIAL, trial.pk)
    return trial


def play(trial_id: int | str) -> None:
    """Hold a persona's interview; one that has begun is not begun again."""
    trial = Trial.objects.select_related("study", "persona_version").filter(pk=trial_id).first()
    if trial is None or trial.session_id is not None or trial.persona_version is None:
        return
    persona = PersonaSchema.model_validate(trial.persona_version.parsed)
    world = world_of(trial.study)
    if world is None:
        return
    respondent = SimulatedRespondent(world, persona, trial.pk)

    def answer(question: str, number: int) -> str | None:
        return respondent.answer(question, number) if number <= trial.turns else None

    def seen(turn: Turn) -> None:
        if trial.session_id is None:
            trial.session_id = turn.session_id
            trial.save(update_fields=["session"])

    try:
        hold_interview(
            _under(trial.study, trial.methodology_version), answer, seed=trial.pk, after_turn=seen
        )
    except (InterviewStopped, InterviewError) as error:
        trial.error = str(error)[:300]
        trial.save(update_fields=["error"])


def forget(study: Study) -> int:
    """Delete a study's trials and simulated interviews; return how many interviews."""
    Trial.objects.filter(study=study, session=None).delete()
    return _delete(Session.objects.filter(study=study, simulated=True))


class _Cleaning:
    """When old trials were last looked for in this process, in seconds of the monotonic clock."""

    at: float | None = None


def forget_old_hourly() -> None:
    """Delete old trials where that was last done an hour ago or more; for sweepers."""
    now = time.monotonic()
    if _Cleaning.at is None or now - _Cleaning.at >= HOUR:
        _Cleaning.at = now
        forget_old()


def forget_old() -> int:
    """Delete those of every study that began longer than KEPT ago."""
    return _delete(Session.objects.filter(simulated=True, started_at__lt=timezone.now() - KEPT))


def _delete(sessions: QuerySet[Session]) -> int:
    ids = list(sessions.values_list("pk", flat=True))
    Invitation.objects.filter(session__in=ids).delete()
    Session.objects.filter(pk__in=ids).delete()
    return len(ids)


def _under(study: Study, methodology: MethodologyVersion | None) -> Study:
    """The study as it would be with another methodology; nothing is stored."""
    if methodology is not None:
        study.methodology_version = methodology
    return study

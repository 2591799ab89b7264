"""Transcripts become interviews of a study, their answers read by its methodology."""

from __future__ import annotations

from analytics.imports import Imported
from analytics.interchange import ImportRefused
from analytics.transcripts import Transcript
from graphs.models import KGEdge, KGNode
from interviews import audit, services, studies
from interviews.dispatch import held_back
from interviews.models import Session, Study, Team, Turn
from interviews.modes.registry import stored_state
from interviews.modes.transcript.director import UNSAID
from interviews.modes.transcript.models import TranscriptState
from interviews.turns.state import SessionState
from methodologies.registry import METHODOLOGY, DocumentNotFound, newest

MODE = "transcript"


def import_transcripts(
    transcripts: list[Transcript],
    *,
    methodology: str,
    slug: str,
    by: str,
    team: Team | None = None,
) -> Imported:
    """Make a closed study of them, of `team` or else the default one, and read every answer.

    Models are asked outside of transactions, so a study whose reading fails is taken away again.
    Raises ImportRefused where it cannot be made, or where an answer could not be read.
    """
    study = _study(methodology, slug, team)
    try:
        sessions = [_held(study, one) for one in transcripts]
    except BaseException:
        Session.objects.filter(study=study).delete()
        study.revisions.all().delete()
        study.delete()
        raise
    audit.record(audit.Action.IMPORTED, study, by=by, fields=["transcripts"])
    return Imported(
        study=study,
        sessions=len(sessions),
        nodes=KGNode.objects.filter(session__study=study).count(),
        edges=KGEdge.objects.filter(session__study=study).count(),
    )


def _study(methodology: str, slug: str, team: Team | None) -> Study:
    if not slug:
        raise ImportRefused([("slug", "a transcript names no study: give it one by --slug")])
    if Study.objects.filter(slug=slug).exists():
        raise ImportRefused([("slug", f"there is a study {slug!r} already; give another slug")])
    try:
        version = newest(METHODOLOGY, methodology)
    except DocumentNotFound as error:
        raise ImportRefused([("methodology", str(error))]) from error
    study = studies.create_study(
        slug=slug,
        name=slug.replace("-", " ").capitalize(),
        mode=MODE,
        max_turns=200,
        methodology_version=version,
        **({"team": team} if team else {}),
    )
    # Nobody is to open its link: there is nothing to say to a respondent.
    study.status = Study.Status.CLOSED
    study.save(update_fields=["status"])
    return study


def _held(study: Study, one: Transcript) -> Session:
    """Go through an interview as the chat would, with the interviewer's own words."""
    lines = tuple(question or UNSAID for question, _ in one.exchanges)
    with held_back():
        session = services.start_session(study, seed=0, max_turns=len(lines))
        kept = stored_state(MODE, TranscriptState(lines=lines))
        session.state = SessionState(mode_state=kept).model_dump(mode="json")
        session.save(update_fields=["state"])
        _process(session, 0, one)
        for number, (_, answer) in enumerate(one.exchanges, start=1):
            services.accept_answer(session.pk, answer)
            _process(session, number, one)
    session.refresh_from_db()
    return session


def _process(session: Session, number: int, one: Transcript) -> None:
    turn = Turn.objects.get(session=session, number=number)
    while turn.status in {Turn.Status.QUEUED, Turn.Status.RUNNING}:
        services.process_turn(turn.pk)
        turn.refresh_from_db()
    if turn.status == Turn.Status.FAILED:
        told = f"answer {number} of {one.name!r} could not be read: {turn.error}"
        raise ImportRefused([(f"line {one.line}.session", told)])

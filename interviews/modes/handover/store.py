"""Questions and facts of a handover interview, in tables that go with the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from interviews.models import (
    BacklogQuestion,
    HandoverBrief,
    HandoverFact,
    HandoverSummary,
    SessionQuestion,
    Utterance,
)
from interviews.models.handover import Asked
from interviews.modes.handover import material as pure
from interviews.modes.handover.director import first_question
from interviews.modes.handover.rounds import material_of, round_of
from interviews.turns.context import SessionSnapshot, TurnView

CLOSED = ["ANSWERED_BY_INTERVIEW", "REFUSED"]


def open_of(study_id: str) -> QuerySet[BacklogQuestion]:
    """Questions of a study that neither a file nor any interview has closed."""
    closed = SessionQuestion.objects.filter(
        study_id=OuterRef("study_id"), question_id=OuterRef("question_id"), status__in=CLOSED
    )
    return BacklogQuestion.objects.filter(
        ~Exists(closed), study_id=study_id, status=BacklogQuestion.Status.OPEN
    ).order_by("position", "pk")


class QuestionStore:
    """Two queries before a turn, and its own rows with the turn's one commit."""

    def load(self, session: SessionSnapshot, turn: int) -> object:
        """The brief of the files, and the questions: the study's for the opening, then its own."""
        found = HandoverBrief.objects.filter(study_id=session.study_id).first()
        rows = (
            open_of(session.study_id)
            if turn == 0
            else SessionQuestion.objects.filter(session_id=session.id).order_by("position", "pk")
        )
        questions = tuple(_question(row) for row in rows)
        if found is None:
            return pure.Material(questions=questions)
        return pure.Material(
            questions=questions,
            summary=found.summary,
            corpus=found.corpus,
            names=tuple(found.names),
            files=tuple(found.files),
        )

    def save(self, context: TurnView) -> None:
        """Copy what is open at the opening; after an answer, what it closed, raised and told."""
        if context.is_opening:
            questions = material_of(context).questions
            _create(context, questions or (first_question(context)[0],))
            return
        found = round_of(context)
        if found.closed:
            SessionQuestion.objects.filter(
                session_id=context.session.id, question_id=found.question.question_id
            ).update(
                status=found.closed,
                answer=found.answer,
                confidence=found.confidence,
                closed_turn=context.job.number,
            )
        _create(context, found.added)
        HandoverFact.objects.bulk_create(
            HandoverFact(
                session_id=context.session.id,
                turn=context.job.number,
                number=number,
                question_id=found.question.question_id,
                text=text,
                confidence=found.confidence or 0.0,
            )
            for number, text in enumerate(found.facts, start=1)
        )

    def withdraw(self, session_id: str, turn: int) -> None:
        """Open again what the answer closed, and forget what it raised and told."""
        rows = SessionQuestion.objects.filter(session_id=session_id)
        rows.filter(made_turn=turn).delete()
        rows.filter(closed_turn=turn).update(
            status=SessionQuestion.Status.OPEN, answer="", confidence=None, closed_turn=None
        )
        HandoverFact.objects.filter(session_id=session_id, turn=turn).delete()

    def report(self, session_id: str) -> Mapping[str, Any]:
        """The interview as its own state: backlog, transcript, facts, summary."""
        questions = SessionQuestion.objects.filter(session_id=session_id)
        facts = list(HandoverFact.objects.filter(session_id=session_id))
        summary = HandoverSummary.objects.filter(session_id=session_id).first()
        return {
            "question_backlog": [backlog_entry(question) for question in questions],
            "interview_transcript": list(_transcript(session_id, list(questions), facts)),
            "extracted_facts": [fact.text for fact in facts],
            "interview_summary": summary.text if summary else "",
        }


def backlog_entry(question: Asked) -> dict[str, Any]:
    """A question as scripts read it."""
    return {
        "question_id": question.question_id,
        "text": question.text,
        "priority": question.priority,
        "origin": question.origin,
        "reference": question.reference,
        "status": question.status,
        "answer": question.answer or None,
        "confidence": question.confidence,
        "parent": question.parent or None,
    }


def _transcript(
    session_id: str, questions: list[SessionQuestion], facts: list[HandoverFact]
) -> Any:
    """One entry a round: the question in the words it was last asked in."""
    said = Utterance.objects.filter(session_id=session_id, aside=False)
    asked = {u.turn_number: u.text for u in said if u.speaker == Utterance.Speaker.INTERVIEWER}
    follow_ups = {q.parent: q.text for q in questions if q.question_id.startswith("followup-")}
    closed = sorted((q for q in questions if q.closed_turn), key=lambda q: q.closed_turn or 0)
    answers = {u.turn_number: u.text for u in said if u.speaker == Utterance.Speaker.RESPONDENT}
    for number, question in enumerate(closed, start=1):
        turn = question.closed_turn or 0
        yield {
            "turn_id": number,
            "question_id": question.question_id,
            "question_text": asked.get(turn - 1, question.text),
            "user_response": answers.get(turn, question.answer),
            "extracted_facts": [fact.text for fact in facts if fact.turn == turn],
            "follow_up": follow_ups.get(question.question_id),
        }


def _question(row: Asked) -> pure.SessionQuestion:
    return pure.SessionQuestion(
        question_id=row.question_id,
        text=row.text,
        about=row.about,
        priority="P0" if row.priority == "P0" else "P1",
        origin=row.origin,  # type: ignore[arg-type]
        reference=tuple(row.reference),
        status=row.status,
        parent=row.parent,
        position=row.position,
    )


def _create(context: TurnView, questions: tuple[pure.SessionQuestion, ...]) -> None:
    SessionQuestion.objects.bulk_create(
        SessionQuestion(
            session_id=context.session.id,
            study_id=context.session.study_id,
            made_turn=context.job.number,
            question_id=question.question_id,
            text=question.text,
            about=question.about[:300],
            priority=question.priority,
            origin=question.origin,
            reference=list(question.reference),
            parent=question.parent,
            position=question.position,
        )
        for question in questions
    )

"""The summary of a finished handover interview, under its five headings."""

from __future__ import annotations

from uuid import UUID

from interviews import dispatch
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.handover_texts import HANDOVER_SUMMARY, HandoverSummaryInputs
from interviews.llm.tasks.questions import TurnInput
from interviews.models import HandoverFact, HandoverSummary, Session
from interviews.modes.handover.store import QuestionStore
from interviews.sources.lease import claim, give_up, unattended

MOST_AT_ONCE = 50

MOST_AT_ONCE = 50

HEADINGS = {
    "decisions": "Key decisions and their rationale",
    "rules": "Undocumented rules, heuristics and manual processes",
    "dependencies": "Critical dependencies and the people behind them",
    "risks": "Risks, gotchas and failure modes",
    "history": "History that explains the present",
}


def summarise_if_handover(session: Session) -> None:
    """Sum up an interview of the handover mode; nothing in other modes."""
    if session.study.mode == "handover":
        summarise(session)


def summarise(session: Session, *, gateway: Gateway | None = None) -> HandoverSummary:
    """Have the interview summed up, anew where it was; by question and answer if nobody answers."""
    rounds = QuestionStore().report(str(session.pk))["interview_transcript"]
    turns = tuple(TurnInput(question=r["question_text"], answer=r["user_response"]) for r in rounds)
    facts = HandoverFact.objects.filter(session=session).values_list("text", flat=True)
    inputs = HandoverSummaryInputs(
        subject=session.study.name, turns=turns, facts=tuple(facts), language=session.language
    )
    try:
        reply = ask_for(session.study, HANDOVER_SUMMARY, inputs, gateway=gateway or build_gateway())
        parts = [(title, getattr(reply, name).strip()) for name, title in HEADINGS.items()]
        text = "\n\n".join(f"## {title}\n\n{said}" for title, said in parts if said)
    except LLMError:
        text = ""
    if not text:
        text = "\n\n".join(f"**{turn.question}**\n\n{turn.answer}" for turn in turns)
    made = {"text": text, "status": HandoverSummary.Status.DONE, "lease_until": None}
    summary, _ = HandoverSummary.objects.update_or_create(session=session, defaults=made)
    return summary


def work_on_summary(session_id: UUID | str, *, gateway: Gateway | None = None) -> None:
    """Sum up an interview that is due for it; twice at once asks a model once."""
    if claim(HandoverSummary, session_id) is None:
        return
    summarise(Session.objects.select_related("study").get(pk=session_id), gateway=gateway)


def sweep() -> int:
    """Have every finished handover interview summed up that is not yet; return how many are due."""
    over = Session.objects.filter(
        study__mode="handover",
        status=Session.Status.COMPLETED,
        handover_summary__isnull=True,
        questions__closed_turn__isnull=False,
    )
    for session_id in over.values_list("pk", flat=True).distinct()[:MOST_AT_ONCE]:
        _, made = HandoverSummary.objects.get_or_create(session_id=session_id)
        if made:
            dispatch.enqueue_task(dispatch.SUMMARISE, session_id)
    give_up(HandoverSummary)
    left = unattended(HandoverSummary)
    for pk in left:
        dispatch.enqueue_task(dispatch.SUMMARISE, pk)
    return len(left)

"""The summary of one interview, written when somebody asks for it: cited, kept, and marked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from graphs.chains import complete_chains
from graphs.store import load_session_graph
from interviews import audit, dispatch, graph_edits
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.questions import TurnInput
from interviews.llm.tasks.session_summary import SESSION_SUMMARY, SummaryConcept, SummaryInputs
from interviews.models import Session, Utterance, WrittenSummary
from interviews.pipeline.grounding import locate
from interviews.sources.lease import Superseded, claim, give_up, unattended
from interviews.turns.calls import CallRecord

MOST_CONCEPTS, MOST_CHAINS = 40, 12
FAILED = "Nobody answered: the language model could not be reached. Ask again later."


def ask_summary(session: Session, *, by: str) -> WrittenSummary:
    """Have an interview summed up, anew where it was; asking twice asks a model once."""
    with transaction.atomic():
        row, made = WrittenSummary.objects.select_for_update().get_or_create(
            session=session, defaults={"asked_by": by}
        )
        waits = row.status in (WrittenSummary.Status.QUEUED, WrittenSummary.Status.WORKING)
        if made or not waits:
            row.status, row.asked_by, row.reason = WrittenSummary.Status.QUEUED, by, ""
            row.attempt, row.queued_at = 0, timezone.now()
            row.save(update_fields=["status", "asked_by", "reason", "attempt", "queued_at"])
            audit.record(audit.Action.CHANGED, session, by=by, fields=["summary"])
            dispatch.enqueue_task(dispatch.SUM_UP, session.pk)
    return row


def work_on(session_id: UUID | str, *, gateway: Gateway | None = None) -> None:
    """Write a summary that is asked for; twice at once asks a model once."""
    claimed = claim(WrittenSummary, session_id)
    if claimed is None:
        return
    session = Session.objects.select_related(
        "study", "concept_version", "methodology_version__document"
    ).get(pk=UUID(str(session_id)))
    turns = turns_of(session)
    heard: list[CallRecord] = []
    try:
        reply = ask_for(
            session.study,
            SESSION_SUMMARY,
            inputs_of(session, turns),
            gateway=gateway or build_gateway(),
            heard=heard.extend,
        )
    except LLMError:
        written: dict[str, Any] = {"status": WrittenSummary.Status.FAILED, "reason": FAILED}
    else:
        answered = next((call for call in reversed(heard) if call.outcome == "ok"), None)
        written = {
            "status": WrittenSummary.Status.DONE,
            "told": {
                "summary": reply.summary,
                "key_points": list(reply.key_points),
                "open_points": list(reply.open_points),
                "quotes": cited(reply.quotes, turns),
            },
            "turns": len(turns),
            "provider": answered.provider if answered else "",
            "model": answered.model if answered else "",
            "made_at": timezone.now(),
        }
    try:
        with transaction.atomic():
            claimed.advance(lease_until=None, **written)
    except Superseded:
        return


def sweep() -> int:
    """Have summaries written that nobody is at; return how many those are."""
    give_up(WrittenSummary)
    left = unattended(WrittenSummary)
    for pk in left:
        dispatch.enqueue_task(dispatch.SUM_UP, pk)
    return len(left)


def turns_of(session: Session) -> list[tuple[int, TurnInput]]:
    """The answers with the questions before them, by turn."""
    spoken = Utterance.objects.filter(session=session, aside=False).order_by("sequence")
    questions = {u.turn_number: u.text for u in spoken if u.speaker == "interviewer"}
    return [
        (u.turn_number, TurnInput(question=questions.get(u.turn_number - 1, ""), answer=u.text))
        for u in spoken
        if u.speaker == "respondent"
    ]


def inputs_of(session: Session, turns: Sequence[tuple[int, TurnInput]]) -> SummaryInputs:
    """What a summary is made of: the turns, and the graph as it stands corrected."""
    graph = load_session_graph(session.pk)
    quotes: dict[str, list[str]] = defaultdict(list)
    for mention in graph.mentions:
        if mention.node_id:
            quotes[mention.node_id].append(mention.quote)
    nodes = sorted(graph.live_nodes(), key=lambda node: -len(quotes[node.id]))[:MOST_CONCEPTS]
    chains = complete_chains(graph, graph_edits.ontology_of(session), MOST_CHAINS)
    methodology = session.methodology_version
    return SummaryInputs(
        subject=session.study.name,
        methodology_name=methodology.document.name if methodology else "",
        turns=tuple(turn for _, turn in turns),
        concepts=tuple(
            SummaryConcept(
                label=node.label,
                node_type=node.node_type,
                stance=node.stance,
                mentions=max(len(quotes[node.id]), 1),
                quote=max(quotes[node.id], key=len, default=""),
            )
            for node in nodes
        ),
        chains=tuple(tuple(graph.nodes[pk].label for pk in chain) for chain in chains),
        language=session.language,
    )


def cited(
    quotes: Iterable[str], turns: Sequence[tuple[int, TurnInput]]
) -> list[dict[str, str | int]]:
    """Those quotes that stand in an answer, as they stand there, each with its turn."""
    found: list[dict[str, str | int]] = []
    for quote in dict.fromkeys(quotes):
        for number, turn in turns:
            span = locate(quote, turn.answer)
            if span:
                found.append({"turn": number, "quote": turn.answer[slice(*span)]})
                break
    return found

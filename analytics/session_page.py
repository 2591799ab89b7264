"""What the page of one session shows, made from the session's record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from analytics.corrections_shown import CorrectionsShown, corrections_shown
from analytics.decisions import Why, why
from analytics.highlights import Mark, Segment, segments
from analytics.levels import Band, Ladder
from analytics.method_views import MethodView
from analytics.over_turns import SATURATION_MEANS, OverTurns, over_turns
from analytics.records import SessionRecord
from analytics.session_graph_data import PROVENANCES, graph_data, revised_turns
from analytics.session_list import marks_told, summary_of
from analytics.session_views import view_of
from graphs.models import KGNode, Mention
from interviews.errors import PermanentPipelineError
from interviews.explain.decision import Decision
from interviews.explain.interpreter import decision_of
from interviews.explain.sentences import reason_of
from interviews.models import Session, SessionSummary, Turn, Utterance
from interviews.modes.base import Panel
from interviews.modes.registry import modes, read_state
from interviews.record import readable_result_of
from interviews.turns.flags import Flag
from interviews.turns.result import TurnResult
from interviews.turns.state import SessionState
from methodologies.signals.words import human

Results = Mapping[int, TurnResult | None]
"""The records of a session's turns by number, None where there is none to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number of the page's header."""

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A segment of an answer. `colours` go from the longest quote over it to the shortest.

    `target` is the most specific node; `stop` says whether the keyboard stops here, which is once
    for every quote.
    """

    text: str
    colours: tuple[int, ...] = ()
    nodes: str = ""
    target: str = ""
    title: str = ""
    stop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What was decided after an answer that no later answer follows."""

    number: int
    decision: Why
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """Turn n: the question asked before it and why, answer n, what it added, what came next.

    `why` explains `question`, so it is the decision of the turn before; `after` is told of the last
    turn alone.
    """

    number: int
    status: str
    asked_by: str
    question: str
    answer: tuple[Stretch, ...]
    added: str
    then: str
    utterance: str
    why: Why
    asked_after: int
    after: tuple[After, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Saturation over turns in a box of 100 × 36; `dots` are (turn, x, y, value)."""

    line: str = ""
    dots: tuple[tuple[int, float, float, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptRow:
    """A node in the table under the panes."""

    node: KGNode
    band: Band
    type_name: str
    mentions: Sequence[Mention]
    links: Sequence[str]
    revised: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """Everything the template draws; `data` goes to the page's scripts as JSON."""

    session: Session
    short_id: str
    subtitle: str
    figures: tuple[Figure, ...]
    turns: tuple[TurnView, ...]
    unanswered: str
    selected: int
    last: int
    curve: Curve
    bands: Sequence[Band]
    concepts: Sequence[ConceptRow]
    offline: bool
    degraded: bool
    marks: Sequence[str]
    came_with: Sequence[tuple[str, str]]
    panel: Panel | None
    view: MethodView | None
    over: OverTurns
    corrections: CorrectionsShown
    data: Mapping[str, Any]


def build_page(record: SessionRecord, turn: int | None) -> SessionPage:
    """Compose the page; `turn` is the chosen one, cut to those there are, the last by default."""
    ladder = Ladder(record.ontology, {n.node_type for n in record.nodes})
    results = {turn.number: readable_result_of(turn) for turn in record.turns}
    decisions = {turn.number: decision_of(turn, results[turn.number]) for turn in record.turns}
    turns = tuple(_turn_views(record, ladder, results, decisions))
    over = over_turns(decisions, results)
    last = max((t.number for t in turns if t.status == Turn.Status.DONE), default=0)
    selected = last if turn is None else min(max(turn, 0), last)
    summary = summary_of(record.session)
    corrections = corrections_shown(record)
    return SessionPage(
        session=record.session,
        short_id=str(record.session.pk)[:4],
        subtitle=_subtitle(record.session),
        figures=tuple(_figures(summary)),
        turns=turns,
        unanswered=_unanswered(record),
        selected=selected,
        last=last,
        curve=_curve(results),
        bands=ladder.bands,
        concepts=_concepts(record, ladder),
        offline=summary.only_offline,
        degraded=Flag.DEGRADED in summary.flags,
        marks=marks_told(summary),
        came_with=sorted((human(k), str(v)) for k, v in record.session.segments.items()),
        panel=_panel(record.session, results),
        view=view_of(record),
        over=over,
        corrections=corrections,
        data={
            "selected": selected,
            "last": last,
            "turns": [
                {"n": turn.number, "focus": _focus_before(record, turn)}
                for turn in record.turns
                if turn.status == Turn.Status.DONE
            ],
            "over": over.data(),
            **graph_data(record, ladder, corrections.machine),
        },
    )


def _focus_before(record: SessionRecord, turn: Turn) -> str | None:
    """The concept that the question before an answer was about: the turn before chose it."""
    focus = next((t.focus_node_id for t in record.turns if t.number == turn.number - 1), None)
    return str(focus) if focus else None


def _panel(session: Session, results: Results) -> Panel | None:
    """What the session's mode tells of the whole interview, None where it tells nothing."""
    mode = modes().get(session.study.mode)
    if mode is None or mode.panel is None or not session.state:
        return None
    stored = SessionState.model_validate(session.state).mode_state
    try:
        state = read_state(mode.name, stored)
    except PermanentPipelineError:
        return None
    evidence = [found.evidence for found in results.values() if found and found.evidence]
    return mode.panel(state, [e for e in evidence if e.mode == mode.name])


def _subtitle(session: Session) -> str:
    parts = [f"{session.turn_count} turn{'' if session.turn_count == 1 else 's'}"]
    if session.ended_at:
        minutes = (session.ended_at - session.started_at).total_seconds() / 60
        parts.append(f"{minutes:.0f} min" if minutes >= 1 else "under a minute")
    if session.termination_reason:
        parts.append(f"ended: {reason_of(session.termination_reason)}")
    elif not session.is_over:
        parts.append(f"at most {session.max_turns} turns")
    if session.simulated:
        parts.append("simulated respondent")
    return " · ".join(parts)


def _figures(summary: SessionSummary) -> Iterator[Figure]:
    chains, saturation, cost = summary.chains, summary.saturation, summary.cost_usd
    yield Figure(value=str(summary.nodes), label="concepts")
    yield Figure(value=str(summary.edges), label="links")
    yield Figure(value="–" if chains is None else str(chains), label="complete chains")
    yield Figure(
        value="–" if saturation is None else f"{saturation:.2f}",
        label="saturation",
        note=SATURATION_MEANS,
    )
    if summary.only_offline:
        yield Figure(value="offline rules", label="model cost", note="no language model was used")
    else:
        yield Figure(
            value=f"${cost:.2f}" if cost >= Decimal("0.01") or not cost else f"${cost:.4f}",
            label="model cost",
        )


def _turn_views(
    record: SessionRecord, ladder: Ladder, results: Results, decided: Mapping[int, Decision]
) -> Iterator[TurnView]:
    questions = {
        u.turn_number: u.text
        for u in record.utterances
        if u.speaker == Utterance.Speaker.INTERVIEWER
    }
    answers = {
        u.turn_number: u for u in record.utterances if u.speaker == Utterance.Speaker.RESPONDENT
    }
    nodes = {node.pk: node for node in record.nodes}
    over: dict[UUID, list[Mention]] = defaultdict(list)
    for mention in record.mentions:
        if mention.node_id:
            over[mention.utterance_id].append(mention)
    decisions = {number: why(decision) for number, decision in decided.items()}
    errors = {turn.number: turn.error for turn in record.turns}
    last = max((t.number for t in record.turns if t.status == Turn.Status.DONE), default=0)
    for turn in record.turns:
        result = results[turn.number]
        decision = decisions[turn.number]
        before = max(turn.number - 1, 0)
        answer = answers.get(turn.number)
        yield TurnView(
            number=turn.number,
            status=turn.status,
            asked_by=_asked_by(turn.number, decisions.get(turn.number - 1)),
            question=questions.get(turn.number - 1, ""),
            answer=_stretches(answer.text, over[answer.pk], nodes, ladder) if answer else (),
            added=_added(result) if result else "",
            then=_then(decision),
            utterance=str(answer.pk) if answer else "",
            why=decisions.get(before, decision),
            asked_after=before,
            after=tuple(
                After(number=number, decision=found, error=errors[number])
                for number, found in decisions.items()
                if turn.number == last and number >= max(last, 1)
            ),
        )


def _asked_by(number: int, before: Why | None) -> str:
    """Which choice the question before this answer came from: "strategy → focus"."""
    if number <= 1 or before is None:
        return "opening"
    if before.kind == "closing":
        return "closing question"
    return f"{before.strategy} → {before.focus}" if before.focus else before.strategy


def _then(decision: Why) -> str:
    if decision.kind == "choice":
        title = f"{decision.strategy} → {decision.focus}" if decision.focus else decision.strategy
        return f"next: {title}"
    return {"closing": "next: closing question", "end": "the interview ended"}.get(
        decision.kind, ""
    )


def _added(result: TurnResult) -> str:
    """What an answer gave, counted: "+2 concepts · +1 link · 1 merged"."""
    parts = []
    if nodes := len(result.nodes_added):
        parts.append(f"+{nodes} concept{'' if nodes == 1 else 's'}")
    if edges := len(result.edges_added):
        parts.append(f"+{edges} link{'' if edges == 1 else 's'}")
    if merges := len(result.merges):
        parts.append(f"{merges} known already")
    return " · ".join(parts)


def _stretches(
    text: str, mentions: Sequence[Mention], nodes: Mapping[UUID, KGNode], ladder: Ladder
) -> tuple[Stretch, ...]:
    marks = [
        Mark(key=str(m.node_id), start=m.start, end=m.end) for m in mentions if m.node_id in nodes
    ]
    return tuple(_stretch(segment, nodes, ladder) for segment in segments(text, marks))


def _stretch(segment: Segment, nodes: Mapping[UUID, KGNode], ladder: Ladder) -> Stretch:
    found = [nodes[UUID(key)] for key in segment.keys]
    return Stretch(
        text=segment.text,
        colours=tuple(ladder.of(node.node_type).colour for node in found),
        nodes=" ".join(segment.keys),
        target=segment.keys[-1] if segment.keys else "",
        title="; ".join(f"{node.label} ({human(node.node_type)})" for node in found),
        stop=bool(segment.opens),
    )


def _unanswered(record: SessionRecord) -> str:
    """The last question where no answer to it was accepted."""
    last = record.utterances[-1] if record.utterances else None
    if last is None or last.speaker == Utterance.Speaker.RESPONDENT:
        return ""
    return last.text


def _saturations(results: Results) -> Iterator[tuple[int, float]]:
    for number, result in results.items():
        saturation = result.saturation if result else None
        if saturation is not None and saturation.conversation is not None:
            yield number, saturation.conversation


def _curve(results: Results) -> Curve:
    points = list(_saturations(results))
    if not points:
        return Curve()
    first, last = points[0][0], points[-1][0]
    span = max(last - first, 1)
    dots = tuple(
        (n, round(3 + 94 * (n - first) / span, 2), round(33 - 30 * min(max(v, 0), 1), 2), v)
        for n, v in points
    )
    return Curve(line=" ".join(f"{x},{y}" for _, x, y, _ in dots), dots=dots)


def _concepts(record: SessionRecord, ladder: Ladder) -> list[ConceptRow]:
    labels = {node.pk: node.label for node in record.nodes}
    revised = revised_turns(record)
    mentions: dict[UUID, list[Mention]] = defaultdict(list)
    for mention in record.mentions:
        if mention.node_id:
            mentions[mention.node_id].append(mention)
    links: dict[UUID, list[str]] = defaultdict(list)
    provenance = record.provenance
    for edge in record.edges:
        link = f"{human(edge.edge_type)} {labels[edge.target_id]}"
        grounds = PROVENANCES.get(provenance.get(edge.pk))
        links[edge.source_id].append(f"{link} ({grounds})" if grounds else link)
    rows = [
        ConceptRow(
            node=node,
            band=ladder.of(node.node_type),
            type_name=human(node.node_type),
            mentions=mentions[node.pk],
            links=links[node.pk],
            revised=revised.get(node.pk),
        )
        for node in record.nodes
    ]
    rows.sort(key=lambda row: (-row.band.index, row.node.first_turn))
    return rows

"""What a well-formed file may still have wrong: references that lead nowhere, rows that clash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from analytics.interchange import Head, Interview, SessionFile
from interviews.epilogue.fields import FieldsInvalid, read_fields
from interviews.epilogue.state import EpilogueState
from interviews.models import Turn
from interviews.record import UnreadableTurn, result_of
from interviews.recruiting import RecruitingInvalid, read_recruiting
from interviews.turns.state import SessionState

Fault = tuple[str, str]
OVER = frozenset({"completed", "abandoned"})


def faults_of(head: Head, interviews: Sequence[Interview]) -> Iterator[Fault]:
    """Every fault with its field."""
    documents = {(one.kind, one.name, one.number) for one in head.documents}
    yield from _references("study", head.study, documents)
    try:
        read_fields(head.study.data_fields)
    except FieldsInvalid as error:
        yield "study.data_fields", str(error)
    try:
        read_recruiting(head.study.recruiting)
    except RecruitingInvalid as error:
        yield "study.recruiting", str(error)
    yield from _twice("revisions", "number", [one.number for one in head.revisions])
    yield from _twice("plans", "number", [one.number for one in head.plans])
    yield from _twice("backlog", "question_id", [one.question_id for one in head.backlog])
    for place, revision in enumerate(head.revisions):
        yield from _revision(f"revisions.{place}.data", revision.data, documents)
    yield from _themes(head, interviews)
    revisions = {one.number for one in head.revisions}
    yield from _twice("sessions", "session.id", [one.session.id for one in interviews])
    for place, one in enumerate(interviews):
        for field, fault in _interview(one, documents, revisions):
            yield (field if isinstance(head, SessionFile) else f"sessions.{place}.{field}"), fault


def _themes(head: Head, interviews: Sequence[Interview]) -> Iterator[Fault]:
    """Themes and what is written on them."""
    slots = {slot.id for one in interviews for slot in one.slots}
    yield from _twice("themes", "id", [one.id for one in head.themes])
    yield from _twice("themes", "name", [(one.node_type, one.name) for one in head.themes])
    yield from _twice("theme_acts", "number", [one.number for one in head.theme_acts])
    seen: set[UUID] = set()
    for place, theme in enumerate(head.themes):
        for number, member in enumerate(theme.members):
            if member.slot_id not in slots:
                yield f"themes.{place}.members.{number}.slot_id", "the file has no such slot"
            elif member.slot_id in seen:
                yield f"themes.{place}.members.{number}.slot_id", "it is in another theme, too"
            seen.add(member.slot_id)
    for place, act in enumerate(head.theme_acts):
        for name, side in (("before", act.before), ("after", act.after)):
            if any(one.theme not in side.themes for one in side.members.values()):
                yield f"theme_acts.{place}.{name}.members", "name a theme that is not there"
    for place, memo in enumerate(head.memos):
        if memo.about not in {"study", "theme"}:
            yield f"memos.{place}.about", "memos on an interview stand in its notes"


def _notes(one: Interview) -> Iterator[Fault]:
    """Memos and stars whose words or targets are not there."""
    if one.notes is None:
        return
    texts = {u.id: u.text for u in one.utterances}
    for place, memo in enumerate(one.notes.memos):
        if memo.about in {"study", "theme"}:
            yield f"notes.memos.{place}.about", "memos on the study stand before its interviews"
        elif memo.about == "quote" and not _within(texts.get(memo.target), memo.start, memo.end):
            yield f"notes.memos.{place}.end", "the span is not within its utterance's text"
        elif memo.about != "quote" and (memo.start, memo.end) != (None, None):
            yield f"notes.memos.{place}.start", "only a quote has a place"
    summary = one.notes.written_summary
    if summary is not None and not all(
        isinstance(summary.get(name), kind) and len(str(summary[name])) <= most
        for name, kind, most in (("provider", str, 40), ("model", str, 80), ("turns", int, 9))
    ):
        yield "notes.written_summary", "has no provider, model and number of turns"
    stars = [(s.utterance_id, s.start, s.end) for s in one.notes.starred_quotes]
    yield from _twice("notes.starred_quotes", "start", stars)
    for place, (utterance, start, end) in enumerate(stars):
        if not _within(texts.get(utterance), start, end):
            yield f"notes.starred_quotes.{place}.end", "the span is not within its utterance's text"


def _within(text: str | None, start: int | None, end: int | None) -> bool:
    return text is not None and start is not None and end is not None and start < end <= len(text)


def _references(
    where: str, part: Any, documents: Collection[tuple[str, str, int]]
) -> Iterator[Fault]:
    for kind in ("methodology", "concept", "guide"):
        said = getattr(part, kind)
        if said is not None and (kind, said.name, said.number) not in documents:
            yield f"{where}.{kind}", f"the file has no {kind} {said.name} of number {said.number}"


def _revision(
    where: str, data: dict[str, Any], documents: Collection[tuple[str, str, int]]
) -> Iterator[Fault]:
    for kind in ("methodology", "concept", "guide"):
        said = data.get(kind)
        if said is None:
            continue
        known = isinstance(said, dict) and (kind, said.get("name"), said.get("number"))
        if known not in documents:
            yield f"{where}.{kind}", "the file has no such document"


def _twice(where: str, field: str, values: Iterable[Any]) -> Iterator[Fault]:
    found = list(values)
    counts = Counter(found)
    for place, value in enumerate(found):
        if counts[value] > 1 and found.index(value) < place:
            yield f"{where}.{place}.{field}", "another one has the same"


def _interview(
    one: Interview, documents: Collection[tuple[str, str, int]], revisions: Collection[int]
) -> Iterator[Fault]:
    yield from _session(one, documents, revisions)
    yield from _unique(one)
    yield from _pointers(one)
    yield from _rows(one)
    yield from _notes(one)
    for place, turn in enumerate(one.turns):
        if turn.number and turn.answer_id is None:
            yield f"turns.{place}.answer_id", "only the opening has no answer"
        yield from _record(place, turn)


def _rows(one: Interview) -> Iterator[Fault]:
    """What the database would refuse of a row by itself."""
    texts = {u.id: u.text for u in one.utterances}
    for place, mention in enumerate(one.mentions):
        if (mention.node_id is None) == (mention.edge_id is None):
            yield f"mentions.{place}", "is of a node or of an edge, and not of both"
        if not mention.start < mention.end <= len(texts.get(mention.utterance_id, "")):
            yield f"mentions.{place}.end", "the span is not within its utterance's text"
    for place, slot in enumerate(one.slots):
        if (slot.status == "active") != (slot.promoted_turn is not None):
            yield f"slots.{place}.promoted_turn", "active slots have one, candidates none"
    for place, edge in enumerate(one.canonical_edges):
        if len(edge.support_ids) != len(edge.surface_edge_ids):
            yield f"canonical_edges.{place}.support_ids", "has not one for each surface_edge_ids"
    yield from _to_themselves("edges", one.edges)
    yield from _to_themselves("canonical_edges", one.canonical_edges)


def _to_themselves(name: str, rows: Sequence[Any]) -> Iterator[Fault]:
    for place, row in enumerate(rows):
        if row.source_id == row.target_id:
            yield f"{name}.{place}.target_id", "a link leads to another one"


def _session(
    one: Interview, documents: Collection[tuple[str, str, int]], revisions: Collection[int]
) -> Iterator[Fault]:
    said = one.session
    yield from _references("session", said, documents)
    if said.revision is not None and said.revision not in revisions:
        yield "session.revision", f"the file has no revision {said.revision}"
    if (said.status in OVER) != (said.ended_at is not None):
        yield "session.ended_at", "an interview that is over has one, another one has not"
    if said.status not in OVER and said.state:
        try:
            SessionState.model_validate(said.state)
        except ValidationError as error:
            yield "session.state", f"cannot be gone on with: {_first(error)}"
    try:
        EpilogueState.model_validate(said.epilogue)
    except ValidationError as error:
        yield "session.epilogue", _first(error)


def _unique(one: Interview) -> Iterator[Fault]:
    lists: dict[str, Sequence[Any]] = {
        name: getattr(one, name)
        for name in (
            *("utterances", "turns", "nodes", "edges", "mentions", "slots", "canonical_edges"),
            *("llm_calls", "corrections"),
        )
    }
    for name, rows in lists.items():
        yield from _twice(name, "id", [row.id for row in rows])
    yield from _twice("utterances", "sequence", [u.sequence for u in one.utterances])
    yield from _twice("turns", "number", [t.number for t in one.turns])
    yield from _twice("nodes", "label", [(n.node_type, n.label.lower()) for n in one.nodes])
    yield from _twice("slots", "slot_name", [(s.node_type, s.slot_name) for s in one.slots])
    yield from _twice("mappings", "node_id", [m.node_id for m in one.mappings])
    for name in ("edges", "canonical_edges"):
        ends = [(e.source_id, e.target_id, e.edge_type) for e in lists[name]]
        yield from _twice(name, "target_id", ends)
    support = [pk for edge in one.canonical_edges for pk in edge.support_ids]
    yield from _twice("canonical_edges", "support_ids", support)
    yield from _twice("corrections", "number", [c.number for c in one.corrections])
    yield from _twice("questions", "question_id", [q.question_id for q in one.questions])
    yield from _twice("facts", "number", [(f.turn, f.number) for f in one.facts])


def _pointers(one: Interview) -> Iterator[Fault]:
    """Ids that name no row of their kind in this interview."""
    nodes, edges = {n.id for n in one.nodes}, {e.id for e in one.edges}
    said, slots = {u.id for u in one.utterances}, {s.id for s in one.slots}
    turns = {t.id for t in one.turns}
    yield from _lost("nodes", one.nodes, superseded_by_id=nodes)
    yield from _lost("edges", one.edges, source_id=nodes, target_id=nodes)
    yield from _lost(
        "mentions", one.mentions, node_id=nodes, edge_id=edges, utterance_id=said, probe_id=said
    )
    yield from _lost("mappings", one.mappings, node_id=nodes, slot_id=slots)
    yield from _lost("canonical_edges", one.canonical_edges, source_id=slots, target_id=slots)
    yield from _lost("turns", one.turns, answer_id=said, question_id=said)
    yield from _lost("llm_calls", one.llm_calls, turn_id=turns)
    for place, edge in enumerate(one.canonical_edges):
        if not set(edge.surface_edge_ids) <= edges:
            yield f"canonical_edges.{place}.surface_edge_ids", "leads to no row of the interview"


def _lost(name: str, rows: Sequence[Any], **fields: Collection[UUID]) -> Iterator[Fault]:
    for place, row in enumerate(rows):
        for field, known in fields.items():
            value = getattr(row, field)
            if value is not None and value not in known:
                yield f"{name}.{place}.{field}", "leads to no row of the interview"


def _record(place: int, turn: Any) -> Iterator[Fault]:
    """Whether a turn's record is one, by its mode's own models."""
    if not turn.result:
        return
    stored = {**turn.result, "evidence": turn.evidence}
    try:
        result_of(Turn(number=turn.number, result=stored))
    except UnreadableTurn as error:
        yield f"turns.{place}.result", str(error)


def _first(error: ValidationError) -> str:
    one = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}"

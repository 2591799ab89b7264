"""One row a turn: an answer, what it added, and the question that followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import CONTINUATION, TURN_STATUSES, Cell, Column, Shape, Table
from interviews.record import readable_result_of


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The turns, the opening first."""
    texts = {u.pk: u.text for u in record.utterances}
    for t in record.turns:
        result = readable_result_of(t)
        heard = result if result and result.extracted else None
        saturation = heard.saturation if heard else None
        yield (
            t.pk,
            t.number,
            t.status,
            texts.get(t.answer_id, "") if t.answer_id else "",
            texts.get(t.question_id, "") if t.question_id else "",
            t.strategy,
            t.focus_node_id,
            t.focus_label,
            t.phase,
            t.continuation,
            t.continuation_reason,
            heard.heard.act if heard and heard.heard else "",
            len(heard.nodes_added) if heard else None,
            len(heard.edges_added) if heard else None,
            len(heard.merges) if heard else None,
            saturation.conversation if saturation else None,
            t.latency_ms,
            t.created_at,
        )


TABLE = Table(
    name="turns",
    meaning="One row a turn: an answer, what it added, and the question that followed.",
    columns=(
        Column("turn id", "id", "The row's own id."),
        Column("turn", "number", "Its place in the interview; 0 is the opening, without answer."),
        Column("status", "text", "What became of it.", "", TURN_STATUSES),
        Column("answer", "text", "What the respondent said."),
        Column("question asked next", "text", "What was asked then."),
        Column("strategy", "text", "By which strategy it was asked."),
        Column("focus id", "id", "The concept that it was about, where it was about one."),
        Column("focus", "text", "What it was about."),
        Column("phase", "text", "Where the interview stood, in its mode's words."),
        Column("continuation", "text", "Whether it goes on.", "", CONTINUATION),
        Column("reason", "text", "Why it does not."),
        Column("act", "text", "What the answer did besides answering."),
        Column("concepts added", "number", "Concepts that were new.", "concepts"),
        Column("links added", "number", "Links that were new.", "links"),
        Column("merges", "number", "Concepts that were there already.", "concepts"),
        Column("saturation", "number", "How near it was to bringing nothing new.", "0 to 1"),
        Column("milliseconds", "number", "How long the question took.", "ms"),
        Column("accepted at", "time", "When the answer was taken."),
    ),
    rows=rows,
)

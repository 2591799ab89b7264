"""One row an interview: how it was held, what it came to, and the data fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analytics.exports.loaded import WholeRecord
from analytics.exports.tables.base import STATUSES, Cell, Column, Kind, Shape, Table
from interviews.epilogue.fields import DataField
from interviews.models import Utterance


def rows(record: WholeRecord, shape: Shape) -> Iterator[Iterable[Cell]]:
    """The interview."""
    session, live = record.session, record.live
    said = [u.text for u in record.utterances if u.speaker == Utterance.Speaker.RESPONDENT]
    over = session.ended_at
    yield (
        session.study.mode,
        session.status,
        session.termination_reason,
        record.is_trial,
        session.simulated,
        session.language,
        session.revision.number if session.revision else None,
        str(session.methodology_version or ""),
        str(session.concept_version or ""),
        str(session.guide_version or ""),
        session.consented_at,
        session.started_at,
        over,
        (over - session.started_at).total_seconds() / 60 if over else None,
        session.turn_count,
        session.max_turns,
        sum(len(text.split()) for text in said),
        len(live),
        sum(edge.source_id in live and edge.target_id in live for edge in record.edges),
        record.summary.chains,
        sum(slot.status == "active" for slot in record.slots),
        record.summary.saturation,
        "; ".join(record.summary.flags),
        session.pasted,
        sum(one.undone_at is None for one in record.corrections),
        record.review.reviewed_by if record.review else None,
        record.review.reviewed_at if record.review else None,
        len(record.llm_calls),
        float(sum(call.cost_usd for call in record.llm_calls)),
        *(_value(one, session.segments.get(one.key)) for one in shape.fields),
        *(_value(one, record.personal.get(one.key)) for one in shape.personal),
    )


def of_study(shape: Shape) -> tuple[Column, ...]:
    """A column a data field."""
    return (
        *(_column(one, "field", "What the respondent gave") for one in shape.fields),
        *(_column(one, "personal", "Personal data in clear") for one in shape.personal),
    )


def _column(one: DataField, prefix: str, meaning: str) -> Column:
    kind: Kind = "number" if one.type == "number" else "text"
    codes = {option: option for option in one.options}
    return Column(f"{prefix} {one.key}", kind, f"{meaning}: {one.label or one.key}.", "", codes)


def _value(one: DataField, given: object) -> Cell:
    text = str(given) if given is not None else None
    if text is None or one.type != "number":
        return text
    try:
        return float(text.replace(" ", "").replace(",", "."))
    except ValueError:
        return None


TABLE = Table(
    name="sessions",
    meaning="One row an interview.",
    columns=(
        Column("mode", "text", "How interviews of the study are led."),
        Column("status", "text", "How the interview stands.", "", STATUSES),
        Column("reason", "text", "Why it ended."),
        Column("trial", "yes/no", "Whether it tried the study out."),
        Column("simulated", "yes/no", "Whether no respondent held it."),
        Column("language", "text", "The language of its questions."),
        Column("revision", "number", "The study's revision that it was held under."),
        Column("methodology", "text", "Name and version of the methodology."),
        Column("concept", "text", "Name and version of the concept."),
        Column("guide", "text", "Name and version of the topic guide."),
        Column("consented at", "time", "When the respondent agreed."),
        Column("started at", "time", "When it began."),
        Column("ended at", "time", "When it was over."),
        Column("duration", "number", "From beginning to end, pauses included.", "minutes"),
        Column("answers", "number", "Answers that were thought about.", "answers"),
        Column("most answers", "number", "Answers that it could have at most.", "answers"),
        Column("words", "number", "Words of all that the respondent said.", "words"),
        Column("concepts", "number", "Concepts that stand in its graph.", "concepts"),
        Column("links", "number", "Links between them that count here.", "links"),
        Column("chains", "number", "Complete chains, 200 at most.", "chains"),
        Column("slots", "number", "Canonical slots that are active.", "slots"),
        Column("saturation", "number", "How near it was to bringing nothing new.", "0 to 1"),
        Column("marks", "text", "What to mind of how it was led."),
        Column("pasted", "number", "How much of its answers was pasted.", "characters"),
        Column("corrections", "number", "Corrections by people that stand.", "corrections"),
        Column("reviewed by", "text", "Who said that it was read, graph and all."),
        Column("reviewed at", "time", "When."),
        Column("calls", "number", "Calls of language models, the rules included.", "calls"),
        Column("cost", "number", "What they cost.", "US dollars"),
    ),
    rows=rows,
    of_study=of_study,
)

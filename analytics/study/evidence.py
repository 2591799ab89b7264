"""The sentences behind a number of the study page: question and answer, where and by whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast
from uuid import UUID

from django.db.models import Q

from analytics.inclusion import InclusionInvalid
from analytics.session_graph_data import PROVENANCES
from analytics.study.reading import StudyReading, Theme
from graphs.domain import Provenance
from graphs.models import Mention
from interviews.models import Turn, Utterance

MOST = 200
KINDS = ("theme", "relation", "conflict", "chain", "strategy", "left", "act", "degraded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A passage: the answer's words before, in and after the quote, and the question before it."""

    session: str
    turn: int
    question: str
    before: str
    quote: str
    after: str
    provenance: str = ""

    @property
    def short(self) -> str:
        """The first letters of the interview's id."""
        return self.session[:4]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Sentences under a title, at most MOST; `found` says how many there are in all."""

    title: str
    interviews: int
    found: int
    sentences: tuple[Sentence, ...]


def evidence_of(reading: StudyReading, asked: Mapping[str, str]) -> Evidence:
    """What stands behind a number; `asked` has its `kind` and what that needs.

    Raises InclusionInvalid that names what is wrong with the question.
    """
    kind = asked.get("kind", "")
    if kind not in KINDS:
        raise InclusionInvalid({"kind": f"{kind!r} is none of {', '.join(KINDS)}"})
    if kind == "theme":
        theme = _theme(reading, asked, "theme")
        nodes = [
            node
            for one in reading.interviews
            for node, key in one.themes.items()
            if key == theme.id
        ]
        return _of_mentions(theme.name, Q(node__in=nodes))
    if kind in ("relation", "conflict"):
        source, target = _theme(reading, asked, "source"), _theme(reading, asked, "target")
        title = f"{source.name} {'→' if kind == 'relation' else '↔'} {target.name}"
        return _of_mentions(title, Q(edge__in=_links(reading, kind, source.id, target.id)))
    if kind == "chain":
        return _of_chain(reading, asked)
    return _of_turns(reading, kind, asked)


def _theme(reading: StudyReading, asked: Mapping[str, str], name: str) -> Theme:
    found = reading.themes.get(asked.get(name, ""))
    if found is None:
        raise InclusionInvalid({name: "names no theme of the interviews that count"})
    return found


def _links(reading: StudyReading, kind: str, source: str, target: str) -> list[str]:
    matrix = reading.matrix()
    if kind == "conflict":
        return [
            link
            for one in matrix.conflicts
            if (one.source, one.target) == (source, target)
            for link in one.links
        ]
    cell = matrix.cells.get((source, target))
    return [link for one in cell.bearers.values() for link in one.links] if cell else []


def _of_chain(reading: StudyReading, asked: Mapping[str, str]) -> Evidence:
    keys = tuple(part for part in asked.get("themes", "").split(",") if part)
    matrix = reading.matrix()
    who = dict(matrix.chains).get(keys)
    if who is None:
        raise InclusionInvalid({"themes": "is no chain of the interviews that count"})
    links = [
        link
        for pair in pairwise(keys)
        for one in who
        for link in matrix.cells[pair].bearers[one].links
    ]
    title = " → ".join(reading.themes[key].name for key in keys)
    return _of_mentions(title, Q(edge__in=links))


def _of_mentions(title: str, which: Q) -> Evidence:
    found = Mention.objects.filter(which).order_by("session__ended_at", "session", "turn", "start")
    rows = list(
        found.values_list(
            "session_id",
            "turn",
            "quote",
            "start",
            "end",
            "provenance",
            "utterance__text",
            "utterance__turn_number",
            "probe__text",
        )
    )
    shown = rows[:MOST]
    questions = _questions({(row[0], row[7] - 1) for row in shown})
    return Evidence(
        title=title,
        interviews=len({row[0] for row in rows}),
        found=len(rows),
        sentences=tuple(
            Sentence(
                session=str(session),
                turn=turn,
                question=probe or questions.get((session, number - 1), ""),
                before=text[:start],
                quote=text[start:end] or quote,
                after=text[end:],
                provenance=PROVENANCES.get(cast("Provenance", provenance), ""),
            )
            for session, turn, quote, start, end, provenance, text, number, probe in shown
        ),
    )


def _questions(wanted: Iterable[tuple[UUID, int]]) -> dict[tuple[UUID, int], str]:
    """What was asked in these turns, by (session, turn)."""
    turns: dict[UUID, set[int]] = defaultdict(set)
    for session, turn in wanted:
        turns[session].add(turn)
    asked = Utterance.objects.filter(
        session__in=turns, speaker=Utterance.Speaker.INTERVIEWER, aside=False
    )
    return {
        (session, turn): text
        for session, turn, text in asked.values_list("session_id", "turn_number", "text")
        if turn in turns[session]
    }


def _of_turns(reading: StudyReading, kind: str, asked: Mapping[str, str]) -> Evidence:
    ids = [UUID(one.id) for one in reading.held]
    turns = Turn.objects.filter(session__in=ids).order_by("session__ended_at", "session", "number")
    value = asked.get("value", "")
    if kind == "strategy":
        title, turns = f"asked by {value.replace('_', ' ')}", turns.filter(strategy=value)
        rows = list(turns.values_list("session_id", "number", "question__text"))
        answers = _answers([(session, number + 1) for session, number, _ in rows[:MOST]])
        found = [
            (session, number + 1, question or "", answers.get((session, number + 1), ""))
            for session, number, question in rows[:MOST]
        ]
        return _told(title, rows, found)
    if kind == "left":
        title = f"ended after {value} answers"
        over = ("completed", "abandoned")
        last = {UUID(o.id): o.turns for o in reading.held if o.status in over}
        ended = [session for session, number in last.items() if str(number) == value]
        turns = turns.filter(session__in=ended, number=value if value.isdigit() else 0)
    elif kind == "act":
        title, turns = f"answers that {value or 'refuses'}", turns.filter(result__heard__act=value)
    else:
        title = "turns in which a stand-in did the work of a language model"
        turns = turns.filter(result__degraded__0__isnull=False)
    rows = list(turns.values_list("session_id", "number", "answer__text"))
    questions = _questions({(row[0], row[1] - 1) for row in rows[:MOST]})
    found = [
        (session, number, questions.get((session, number - 1), ""), text or "")
        for session, number, text in rows[:MOST]
    ]
    return _told(title, rows, found)


def _answers(wanted: Sequence[tuple[UUID, int]]) -> dict[tuple[UUID, int], str]:
    pairs = set(wanted)
    said = Utterance.objects.filter(
        session__in={session for session, _ in pairs},
        speaker=Utterance.Speaker.RESPONDENT,
        aside=False,
    )
    return {
        (session, turn): text
        for session, turn, text in said.values_list("session_id", "turn_number", "text")
        if (session, turn) in pairs
    }


def _told(
    title: str, rows: Sequence[tuple[UUID, int, str]], found: Sequence[tuple[UUID, int, str, str]]
) -> Evidence:
    return Evidence(
        title=title,
        interviews=len({row[0] for row in rows}),
        found=len(rows),
        sentences=tuple(
            Sentence(
                session=str(session), turn=turn, question=question, before="", quote=text, after=""
            )
            for session, turn, question, text in found
        ),
    )

"""What an answer does to the questions, and which comes next: pure, and made again when asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphs.language.embeddings import shared_embedder
from interviews.acts import Act
from interviews.llm.tasks.handover_rounds import (
    EXTRACT_FACTS,
    SELECT_QUESTION,
    Confidence,
    ExtractFactsOutput,
)
from interviews.modes.common import endings
from interviews.modes.common.repairs import MOST_REPHRASINGS
from interviews.modes.handover.material import Material, SessionQuestion
from interviews.modes.handover.questions import SAME, Embed, question_id
from interviews.modes.handover.state import HandoverState, SelectedBy
from interviews.turns.context import TurnView

CONFIDENCES: dict[Confidence, float] = {"high": 0.9, "medium": 0.6, "low": 0.3}
NO_OPEN_QUESTIONS = "no_open_questions"
ROUND_CAP = "round_cap"
_SAYS_NOTHING: frozenset[Act] = frozenset(["asks", "drifted", "adds_nothing", "instructs"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What became of an answer.

    `question` is the one that was answered, `closed` its new status, "" where it stays open;
    `added` are new questions. `next` is asked next, None where the interview is over for `end`.
    """

    question: SessionQuestion
    closed: str
    answer: str = ""
    confidence: float | None = None
    facts: tuple[str, ...] = ()
    follow_up: SessionQuestion | None = None
    discovered: tuple[SessionQuestion, ...] = ()
    next: SessionQuestion | None = None
    selected_by: SelectedBy = "fallback"
    rewords: bool = False
    rounds: int = 0
    remaining: int = 0
    end: str = ""

    @property
    def added(self) -> tuple[SessionQuestion, ...]:
        """The questions that this answer raised."""
        return (*((self.follow_up,) if self.follow_up else ()), *self.discovered)


def material_of(context: TurnView) -> Material:
    """What the turn was loaded with. Raises TypeError where there is nothing."""
    if not isinstance(context.material, Material):
        raise TypeError("this interview was loaded without its questions")
    return context.material


def stood(context: TurnView) -> HandoverState:
    """The state in which the answer found the interview."""
    state = context.loaded.mode_state
    if not isinstance(state, HandoverState):
        raise TypeError(f"{type(state).__name__} is no state of a handover interview")
    return state


def embed(texts: Sequence[str]) -> Sequence[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """Unit vectors, by the process's own model."""
    return shared_embedder(os.environ.get("EMBEDDING_MODEL")).embed(texts)


def round_of(context: TurnView) -> Round:
    """What the turn's answer comes to. Always the same for the same turn."""
    material, state = material_of(context), stood(context)
    question = material.get(state.question_id)
    if question is None:
        raise LookupError("the question that was asked is not there any more")
    act = context.heard.act
    if act == "not_understood" and state.rewordings < MOST_REPHRASINGS:
        same = Round(question=question, closed="", next=question, rewords=True)
        return replace(
            same, selected_by=state.selected_by, rounds=state.rounds, remaining=state.remaining
        )
    read = _read(context, act)
    heard = _closed(question, act, context.utterance.text, read)
    if not heard.closed and act != "wants_to_stop":
        raise AssertionError("an answer leaves a question open only where the interview ends")
    follow_up = _follow_up(question, heard, read, material)
    heard = replace(
        heard,
        rounds=state.rounds + bool(heard.closed),
        follow_up=follow_up,
        discovered=_discovered(question, act, read, material, follow_up, embed),
    )
    return _continued(context, heard, material)


def _read(context: TurnView, act: Act) -> ExtractFactsOutput:
    """What the task read; an answer that nobody read, or of asides alone, tells nothing."""
    reply = context.extraction.replies.get(EXTRACT_FACTS)
    if reply is None or (act in _SAYS_NOTHING and not reply.facts):
        return ExtractFactsOutput(confidence="low", follow_up=reply.follow_up if reply else None)
    return reply


def _closed(question: SessionQuestion, act: Act, text: str, read: ExtractFactsOutput) -> Round:
    if act == "refuses":
        return Round(question=question, closed="REFUSED")
    if act == "not_understood":
        return Round(question=question, closed="DROPPED")
    if act == "wants_to_stop" and not read.facts:
        return Round(question=question, closed="")
    return Round(
        question=question,
        closed="ANSWERED_BY_INTERVIEW",
        answer=text,
        confidence=CONFIDENCES[read.confidence],
        facts=read.facts,
    )


def _follow_up(
    question: SessionQuestion, heard: Round, read: ExtractFactsOutput, material: Material
) -> SessionQuestion | None:
    """A follow-up where the answer left something open, once for a question and none on one."""
    if heard.closed != "ANSWERED_BY_INTERVIEW" or read.confidence == "high" or not read.follow_up:
        return None
    made = any(q.parent == question.question_id and _follows(q) for q in material.questions)
    if made or _follows(question):
        return None
    return SessionQuestion(
        question_id=question_id("followup", f"{question.question_id} {read.follow_up}"),
        text=read.follow_up,
        about=question.about,
        priority="P0",
        origin="FOLLOW_UP",
        reference=question.reference,
        parent=question.question_id,
        position=_behind(material),
    )


def _follows(question: SessionQuestion) -> bool:
    return question.question_id.startswith("followup-")


def _behind(material: Material) -> int:
    return max((q.position for q in material.questions), default=0) + 1


def _discovered(
    question: SessionQuestion,
    act: Act,
    read: ExtractFactsOutput,
    material: Material,
    follow_up: SessionQuestion | None,
    vectors: Embed,
) -> tuple[SessionQuestion, ...]:
    """Questions about what neither the backlog nor the files know."""
    if act in ("refuses", "not_understood"):
        return ()
    known = [*(q.text for q in material.questions), *material.reserved]
    names = {name.casefold() for name in material.names}
    found: list[SessionQuestion] = []
    for raised in read.discovered_questions:
        ident = question_id("discovered", raised.text)
        is_known = raised.about.casefold() in names if raised.about else False
        if is_known or material.get(ident) or _is_among(raised.text, known, vectors):
            continue
        known.append(raised.text)
        found.append(
            SessionQuestion(
                question_id=ident,
                text=raised.text,
                about=raised.about or raised.text,
                priority=raised.priority,
                origin="FOLLOW_UP",
                parent=question.question_id,
                position=_behind(material) + len(found) + bool(follow_up),
            )
        )
    return tuple(found)


def _is_among(text: str, known: Sequence[str], vectors: Embed) -> bool:
    if not known:
        return False
    one, *others = vectors([text, *known])
    cosines = np.einsum("rd,d->r", np.stack(others), one)
    if float(cosines.max()) < SAME:
        return False
    # Two people or systems are asked about in the same words: their names tell them apart.
    nearest = known[int(cosines.argmax())]
    return not _names(text) - _names(nearest)


def _names(text: str) -> frozenset[str]:
    return frozenset(word.strip(".,:;?") for word in text.split()[1:] if word[:1].isupper())


def _continued(context: TurnView, heard: Round, material: Material) -> Round:
    """The round with what comes next, or with why nothing does."""
    left = [
        q
        for q in (*material.questions, *heard.added)
        if q.is_open and (not heard.closed or q.question_id != heard.question.question_id)
    ]
    if end := _end(context, heard, bool(left)):
        return replace(heard, end=end, remaining=len(left))
    chosen, by = _select(context, heard, left)
    return replace(heard, next=chosen, selected_by=by, remaining=len(left) - 1)


def _end(context: TurnView, heard: Round, is_left: bool) -> str:
    if context.heard.act == "wants_to_stop":
        return endings.RESPONDENT_ENDED
    if heard.rounds >= context.session.max_turns:
        return ROUND_CAP
    if context.session.time_is_up and not context.session.may_extend:
        return endings.TIME_USED_UP
    return "" if is_left else NO_OPEN_QUESTIONS


def _select(
    context: TurnView, heard: Round, left: Sequence[SessionQuestion]
) -> tuple[SessionQuestion, SelectedBy]:
    if len(left) == 1:
        return left[0], "only"
    if heard.follow_up is not None:
        return heard.follow_up, "fallback"
    reply = context.extraction.replies.get(SELECT_QUESTION)
    named = reply.selected_question_id if reply else ""
    by_id = {q.question_id: q for q in left}
    if named in by_id:
        return by_id[named], "model"
    said = f"{context.loaded.last_question} {context.utterance.text}"
    return fallback(left, said, embed), "fallback"


def fallback(questions: Sequence[SessionQuestion], said: str, vectors: Embed) -> SessionQuestion:
    """Follow-ups first, P0 before P1, then nearest to what was said last, then oldest."""

    def urgency(question: SessionQuestion) -> tuple[bool, str]:
        return not _follows(question), question.priority

    first = min(urgency(question) for question in questions)
    best = [question for question in questions if urgency(question) == first]
    if said.strip() and len(best) > 1:
        one, *others = vectors([said, *(question.text for question in best)])
        near = [round(float(one @ other), 3) for other in others]
        best = [q for q, cosine in zip(best, near, strict=True) if cosine == max(near)]
    return min(best, key=lambda question: question.position)

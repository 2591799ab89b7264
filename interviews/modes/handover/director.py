"""Leads a handover interview: round by round through what the files leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, get_args

from interviews.guards import GuardProfile
from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.handover_rounds import (
    EXTRACT_FACTS,
    REPHRASE,
    SELECT_QUESTION,
    ExtractFactsInputs,
    OpenLine,
    RephraseInputs,
    SelectQuestionInputs,
    SourceLine,
)
from interviews.llm.tasks.questions import Problem, TurnInput
from interviews.modes.base import Ask, Director, QuestionTask, Retry
from interviews.modes.common import endings
from interviews.modes.common.reading import extraction_inputs
from interviews.modes.handover.evidence import HandoverEvidence
from interviews.modes.handover.material import SessionQuestion
from interviews.modes.handover.rounds import (
    NO_OPEN_QUESTIONS,
    embed,
    fallback,
    material_of,
    round_of,
    stood,
)
from interviews.modes.handover.state import HandoverState, SelectedBy
from interviews.turns.context import TurnView
from interviews.turns.contracts import Continuation, Focus, StrategySelection, Verdict

MOST_NAMES = 60
MOST_OFFERED = 40
NOTHING_TO_ASK = (
    "I have no open questions about your files. What should your successor know that is written "
    "down nowhere?"
)
UNWRITTEN = "discovered-00000000"
"""The question where the files leave nothing open."""
QUESTIONS = GuardProfile(checks=frozenset(get_args(Problem)) - {"duplicate"}, repairs=True)
"""What is asked differs by its id: two questions about two numbers may read alike."""


class HandoverDirector(Director):
    """Selects a question, has it put into words, and reads facts in the answer."""

    mode: ClassVar[str] = "handover"

    def opening(self, context: TurnView) -> Ask:
        question, _ = first_question(context)
        return _ask(context, question, remaining=_others(context), first=True)

    def reading(self, context: TurnView) -> Sequence[QuestionTask]:
        """Graph and act, facts, and which question could come next, side by side."""
        material, state = material_of(context), stood(context)
        question = material.get(state.question_id)
        told = {"hears": True, "subject": context.subject}
        tasks = [QuestionTask(EXTRACTION, extraction_inputs(context).model_copy(update=told))]
        facts = ExtractFactsInputs(
            question=context.loaded.last_question,
            about=question.about if question else "",
            answer=context.utterance.text,
            known=material.names[:MOST_NAMES],
            language=context.session.language,
        )
        tasks.append(QuestionTask(EXTRACT_FACTS, facts))
        left = [q for q in material.questions if q.is_open and q.question_id != state.question_id]
        if len(left) > 1:
            tasks.append(QuestionTask(SELECT_QUESTION, _selection(context, left)))
        return tasks

    def observe(self, context: TurnView) -> HandoverState:
        """Where the interview stands after the answer."""
        found = round_of(context)
        before, following = stood(context), found.next
        return HandoverState(
            question_id=following.question_id if following else "",
            raw_question=following.text if following else "",
            selected_by=found.selected_by,
            rewordings=before.rewordings + 1 if found.rewords else 0,
            rounds=found.rounds,
            remaining=found.remaining,
            end=found.end,
        )

    def choose(self, context: TurnView) -> StrategySelection:
        found, before = round_of(context), stood(context)
        following = found.next
        evidence = HandoverEvidence(
            phase=f"round {before.rounds + 1}",
            round=before.rounds + 1,
            question_id=found.question.question_id,
            raw_question=found.question.text,
            selected_by=before.selected_by,
            closed=found.closed,
            facts=found.facts,
            confidence=found.confidence,
            follow_up=found.follow_up.text if found.follow_up else None,
            discovered=tuple(question.text for question in found.discovered),
            remaining=found.remaining,
            next_id=following.question_id if following else "",
            next_by=found.selected_by,
        )
        return StrategySelection(
            strategy=_strategy(following, rewords=found.rewords),
            focus=_focus(following) if following else None,
            focus_mode="topic",
            closing=False,
            left_alone=frozenset(),
            evidence=evidence,
        )

    def proceed(self, context: TurnView) -> Continuation:
        state, chosen = _observed(context), context.selection
        rewords = chosen.strategy == "reword"
        return Continuation(
            verdict=Verdict.END if state.end else Verdict.CONTINUE,
            reason=state.end or (endings.NOT_UNDERSTOOD if rewords else ""),
            turns_remaining=max(context.session.max_turns - state.rounds, 0),
            strategy=chosen.strategy,
            focus=chosen.focus,
            rephrases=rewords,
        )

    def compose(self, context: TurnView) -> Ask:
        state, found = _observed(context), round_of(context)
        if found.next is None:
            raise LookupError("there is no question to ask")
        return _ask(context, found.next, remaining=state.remaining, rewords=state.rewordings)

    def remember(self, context: TurnView) -> HandoverState:
        if not context.is_opening:
            return _observed(context)
        question, by = first_question(context)
        return HandoverState(
            question_id=question.question_id,
            raw_question=question.text,
            selected_by=by,
            remaining=_others(context),
        )


def first_question(context: TurnView) -> tuple[SessionQuestion, SelectedBy]:
    """The question of turn 0; one that asks for anything where the files leave nothing open."""
    left = [q for q in material_of(context).questions if q.is_open]
    if not left:
        text = NOTHING_TO_ASK
        return SessionQuestion(question_id=UNWRITTEN, text=text, about="the work"), "only"
    return (left[0], "only") if len(left) == 1 else (fallback(left, "", embed), "fallback")


def _others(context: TurnView) -> int:
    return max(sum(q.is_open for q in material_of(context).questions) - 1, 0)


def _observed(context: TurnView) -> HandoverState:
    state = context.state.mode_state
    if not isinstance(state, HandoverState):
        raise TypeError(f"{type(state).__name__} is no state of a handover interview")
    return state


def _strategy(question: SessionQuestion | None, *, rewords: bool) -> str:
    if question is None:
        return NO_OPEN_QUESTIONS
    if rewords:
        return "reword"
    kinds = {"followup": "follow_up", "discovered": "discover", "global": "reconcile"}
    return kinds.get(question.question_id.partition("-")[0], "explain")


def _focus(question: SessionQuestion) -> Focus:
    label = question.about or question.text
    return Focus(kind="question", ref=question.question_id, label=label[:200])


def _turns(context: TurnView) -> tuple[TurnInput, ...]:
    told = tuple(
        TurnInput(question=exchange.question, answer=exchange.answer)
        for exchange in context.loaded.exchanges
    )
    if context.is_opening:
        return told
    latest = TurnInput(question=context.loaded.last_question, answer=context.utterance.text)
    return told if told and told[-1] == latest else (*told, latest)


def _selection(context: TurnView, left: Sequence[SessionQuestion]) -> SelectQuestionInputs:
    ordered = sorted(left, key=lambda q: (q.priority, q.position))[:MOST_OFFERED]
    return SelectQuestionInputs(
        open_questions=tuple(
            OpenLine(question_id=q.question_id, text=q.text, priority=q.priority) for q in ordered
        ),
        recent_turns=_turns(context)[-2:],
        language=context.session.language,
    )


def _ask(
    context: TurnView,
    question: SessionQuestion,
    *,
    remaining: int,
    first: bool = False,
    rewords: int = 0,
) -> Ask:
    material = material_of(context)
    inputs = RephraseInputs(
        raw_question=question.text,
        about=question.about,
        summary=material.summary,
        corpus=material.corpus,
        sources=tuple(
            SourceLine(file=str(r["file"]), place=str(r["place"]), quote=str(r["quote"]))
            for r in question.reference
        ),
        turns=_turns(context),
        files=material.files,
        remaining=remaining,
        first=first,
        rewords=rewords,
        act="answer" if first else context.heard.act,
        follow_up=question.question_id.startswith("followup-"),
        language=context.session.language,
    )
    plain = inputs.model_copy(update={"turns": (), "corpus": "", "first": False})
    odd = (word.strip(".,:;?!“”\"'`()[]") for word in question.text.split())
    return Ask(
        call=QuestionTask(REPHRASE, inputs),
        profile=QUESTIONS,
        spoken=(*material.names, *material.files, *(w for w in odd if w and not w.isalpha())),
        retry=lambda problems: Retry(name="plainer", calls=(QuestionTask(REPHRASE, plain),)),
        fixed=(question.text,),
    )

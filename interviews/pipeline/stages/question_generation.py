"""Stage 8: the words of the next question, and the guards behind every provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from graphs.language.vectors import Embedder
from interviews.guards import GuardContext, GuardReport, apply_guards, guarded, last_resort
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.questions import QUESTION_REPAIR, RepairInputs
from interviews.modes.base import Director, QuestionTask
from interviews.turns.context import TurnContext
from interviews.turns.contracts import (
    ContextLoadingOutput,
    ContinuationOutput,
    QuestionGenerationOutput,
    Verdict,
)

REFUSED_BY_GUARDS = "guards"
"""Stands for an outcome where a draft and its repair came and neither could be asked."""


class QuestionGenerationStage:
    """Has the question worded and guarded.

    Where nobody words one that may be asked, a plain question is asked: it is always valid, and a
    respondent is not kept waiting for a model that is away.
    """

    name: ClassVar[str] = "question_generation"
    reads: ClassVar[tuple[type, ...]] = (ContextLoadingOutput,)
    reads_answer: ClassVar[tuple[type, ...]] = (ContinuationOutput,)
    gives: ClassVar[type] = QuestionGenerationOutput
    opens: ClassVar[bool] = True

    def __init__(
        self, directors: Mapping[str, Director], gateway: Gateway, embedder: Embedder
    ) -> None:
        self._directors = directors
        self._gateway = gateway
        self._embedder = embedder

    def run(self, context: TurnContext) -> QuestionGenerationOutput:
        director = self._directors[context.session.mode]
        if context.is_opening:
            move = director.opening(context)
            return self._ask(context, QuestionTask(move.task, move.inputs), closing=False)
        continuation = context.continuation
        if continuation.verdict is Verdict.END:
            return QuestionGenerationOutput(question=None)
        return self._ask(
            context,
            director.compose(context),
            closing=continuation.verdict is Verdict.CLOSE,
            rephrases=continuation.rephrases,
        )

    def _ask(
        self,
        context: TurnContext,
        question: QuestionTask,
        *,
        closing: bool,
        rephrases: bool = False,
    ) -> QuestionGenerationOutput:
        """Word the question; a refused draft is repaired once, then the last resort is asked."""
        guards = GuardContext(
            subject=context.session.concept.subject,
            asked=context.loaded.asked_questions,
            closing=closing,
            rephrased=context.loaded.last_question if rephrases else "",
            nearest=self._nearest,
            forbidden=_internal_names(context),
            language=context.session.language,
        )
        try:
            report = apply_guards(self._reply(context, question), guards)
            if not report.valid:
                repair = QuestionTask(QUESTION_REPAIR, self._repair(context, report))
                report = apply_guards(self._reply(context, repair), guards)
        except LLMError as error:
            context.calls.add_last_resort(question.task.name, after=error.outcome)
            away = f"provider: {type(error).__name__}"
            return QuestionGenerationOutput(question=last_resort(guards), repairs=(away,))
        if not report.valid:
            report = self._instead(context, question, report, guards)
        return QuestionGenerationOutput(question=report.question, repairs=report.repairs)

    def _instead(
        self,
        context: TurnContext,
        question: QuestionTask,
        refused: GuardReport,
        guards: GuardContext,
    ) -> GuardReport:
        """What is asked where no draft may be: the rules' wording, else the last resort."""
        reply = self._gateway.stand_in(
            question.task, question.inputs, log=context.calls, after=REFUSED_BY_GUARDS
        )
        if reply is not None:
            report = apply_guards(str(reply.question), guards)
            if report.valid:
                return report
        context.calls.add_last_resort(question.task.name, after=REFUSED_BY_GUARDS)
        return guarded(refused.question, guards)

    def _nearest(self, question: str, others: Sequence[str]) -> float:
        """The highest cosine similarity of `question` to one of `others`, in [-1, 1]."""
        vector, *known = self._embedder.embed([question, *others])
        return max(float(vector @ other) for other in known)

    def _reply(self, context: TurnContext, question: QuestionTask) -> str:
        reply = self._gateway.run(
            question.task,
            question.inputs,
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
        )
        return str(reply.question)

    @staticmethod
    def _repair(context: TurnContext, report: GuardReport) -> RepairInputs:
        focus = None if context.is_opening else context.continuation.focus
        return RepairInputs(
            question=report.question,
            problems=report.problems,
            subject=context.session.concept.subject,
            focus_label=focus.label if focus else "",
            asked_questions=context.loaded.asked_questions,
            language=context.session.language,
            seed=context.session.seed,
        )


def _internal_names(context: TurnContext) -> tuple[str, ...]:
    """Names of strategies and types, which a question must never show."""
    methodology = context.methodology
    return (
        *(strategy.name for strategy in methodology.strategies),
        *(node.name for node in methodology.ontology.nodes),
        *(edge.name for edge in methodology.ontology.edges),
    )

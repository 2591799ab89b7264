"""Stage 8: the words of the next question, and the guards behind every provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from graphs.language.vectors import Embedder
from interviews.guards import (
    GuardContext,
    GuardReport,
    apply_guards,
    guarded,
    internal_looking,
    last_resort,
)
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.tasks.questions import QUESTION_REPAIR, RepairInputs
from interviews.modes.base import Ask, Director, QuestionTask, led
from interviews.turns.context import TurnView
from interviews.turns.contracts import (
    ContextLoadingOutput,
    ContinuationOutput,
    QuestionGenerationOutput,
    UtteranceSavingOutput,
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
    reads_answer: ClassVar[tuple[type, ...]] = (UtteranceSavingOutput, ContinuationOutput)
    gives: ClassVar[type] = QuestionGenerationOutput
    directs: ClassVar[tuple[str, ...]] = ("opening", "compose")
    opens: ClassVar[bool] = True

    def __init__(
        self, directors: Mapping[str, Director], gateway: Gateway, embedder: Embedder
    ) -> None:
        self._directors = directors
        self._gateway = gateway
        self._embedder = embedder

    def run(self, context: TurnView) -> QuestionGenerationOutput:
        director = self._directors[context.session.mode]
        if context.is_opening:
            return self._ask(context, director.opening(led(context, director, "opening")))
        continuation = context.continuation
        if continuation.verdict is Verdict.END:
            return QuestionGenerationOutput(question=None)
        return self._ask(
            context,
            director.compose(led(context, director, "compose")),
            closing=continuation.verdict is Verdict.CLOSE,
            rephrases=continuation.rephrases,
        )

    def _ask(
        self, context: TurnView, ask: Ask, *, closing: bool = False, rephrases: bool = False
    ) -> QuestionGenerationOutput:
        """Ask what the director wants asked; where the last resort is asked, without its block."""
        guards = GuardContext(
            subject=context.spoken_subject,
            profile=ask.profile,
            asked=_asked(context, ask),
            closing=closing,
            rephrased=context.loaded.last_question if rephrases else "",
            nearest=self._nearest,
            spoken=(*ask.spoken, *_said_names(context)),
            forbidden=_internal_names(context),
            language=context.session.language,
        )
        try:
            report = self._report(context, ask, guards)
        except LLMError as error:
            away = f"provider: {type(error).__name__}"
            return self._last_resort(context, ask, guards, after=error.outcome, repairs=(away,))
        if not report.valid:
            refused = report
            named = refused.repairs[:1] if ask.retry is not None else ()  # the guard that refused
            report = self._by_rules(context, ask, guards) or refused
            if not report.valid:
                repairs = (*named, *guarded(refused.question, guards).repairs)
                return self._last_resort(
                    context, ask, guards, after=REFUSED_BY_GUARDS, repairs=repairs
                )
            report = replace(report, repairs=(*named, *report.repairs))
        return QuestionGenerationOutput(
            question=report.question, repairs=report.repairs, block=ask.block
        )

    def _report(self, context: TurnView, ask: Ask, guards: GuardContext) -> GuardReport:
        """The question and what is wrong with it; a refused draft of a model is asked for again."""
        if ask.call is None:
            return apply_guards(ask.text, guards)
        report = apply_guards(self._reply(context, ask.call), guards)
        if report.valid:
            return report
        if ask.retry is None:
            repair = QuestionTask(QUESTION_REPAIR, self._repair(context, report))
            return apply_guards(self._reply(context, repair), guards)
        retry = ask.retry(report.problems)
        for call in retry.calls:
            report = apply_guards(self._reply(context, call), guards)
            if report.valid:
                break
        return replace(report, repairs=(retry.name, *report.repairs))

    def _by_rules(self, context: TurnView, ask: Ask, guards: GuardContext) -> GuardReport | None:
        """The rules' wording where no draft may be asked, None where they have none."""
        if ask.call is None:
            return None
        reply = self._gateway.stand_in(
            ask.call.task, ask.call.inputs, log=context.calls, after=REFUSED_BY_GUARDS
        )
        return apply_guards(str(reply.question), guards) if reply is not None else None

    @staticmethod
    def _last_resort(
        context: TurnView,
        ask: Ask,
        guards: GuardContext,
        *,
        after: str,
        repairs: tuple[str, ...],
    ) -> QuestionGenerationOutput:
        """A plain question that is always valid, or the last one as it was where it is put again.

        A block belongs to the question that this one replaces.
        """
        if ask.call is not None:
            context.calls.add_last_resort(ask.call.task.name, after=after)
        prepared = (guards.rephrased, *(_allowed(text, guards) for text in ask.fixed))
        question = next((text for text in prepared if text), "") or last_resort(guards)
        return QuestionGenerationOutput(question=question, repairs=repairs)

    def _nearest(self, question: str, others: Sequence[str]) -> float:
        """The highest cosine similarity of `question` to one of `others`, in [-1, 1]."""
        vector, *known = self._embedder.embed([question, *others])
        return max(float(vector @ other) for other in known)

    def _reply(self, context: TurnView, question: QuestionTask) -> str:
        reply = self._gateway.run(
            question.task,
            question.inputs,
            payer=context.session,
            log=context.calls,
            deadline=context.deadline,
        )
        return str(reply.question)

    @staticmethod
    def _repair(context: TurnView, report: GuardReport) -> RepairInputs:
        focus = None if context.is_opening else context.continuation.focus
        return RepairInputs(
            question=report.question,
            problems=report.problems,
            subject=context.subject,
            focus_label=focus.label if focus else "",
            asked_questions=context.loaded.asked_questions,
            language=context.session.language,
            seed=context.session.seed,
        )


def _asked(context: TurnView, ask: Ask) -> tuple[str, ...]:
    """The questions that this one must not repeat, oldest first."""
    asked = tuple(text for text in context.loaded.asked_questions if text not in ask.repeats)
    return asked if ask.profile.looks_back is None else asked[-ask.profile.looks_back :]


def _allowed(text: str, guards: GuardContext) -> str:
    """A prepared question, "" where it may not be asked here."""
    report = apply_guards(text, guards)
    return report.question if report.valid else ""


def _internal_names(context: TurnView) -> tuple[str, ...]:
    """Names of strategies and types, which a question must never show."""
    methodology = context.session.methodology
    if methodology is None:
        return ()
    return (
        *(strategy.name for strategy in methodology.strategies),
        *(node.name for node in methodology.ontology.nodes),
        *(edge.name for edge in methodology.ontology.edges),
    )


def _said_names(context: TurnView) -> tuple[str, ...]:
    """Words of the respondent's that look like internal names: what they say may be asked about."""
    if context.is_opening:
        return ()
    said = [context.utterance.text, *(exchange.answer for exchange in context.loaded.exchanges)]
    return tuple(name for text in said for name in internal_looking(text))

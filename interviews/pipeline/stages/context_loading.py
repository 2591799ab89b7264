"""Stage 1: what the turn needs to know of the interview so far."""

from __future__ import annotations

from typing import ClassVar

from interviews.llm.tasks.extraction import MOST_LABELS
from interviews.modes.registry import read_state
from interviews.turns.context import TurnView, UtteranceSnapshot
from interviews.turns.contracts import ContextLoadingOutput, Exchange


class ContextLoadingStage:
    """Reads the loaded snapshots into the contract that all later stages share."""

    name: ClassVar[str] = "context_loading"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = ()
    gives: ClassVar[type] = ContextLoadingOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = True

    def run(self, context: TurnView) -> ContextLoadingOutput:
        number = context.job.number
        questions = _by_turn(context.utterances, "interviewer")
        answers = _by_turn(context.utterances, "respondent")
        focus_history = context.session.state.focus_history
        newest = list(context.graph.live_nodes())[-MOST_LABELS:]
        return ContextLoadingOutput(
            turn_number=number,
            max_turns=context.session.max_turns,
            state=context.session.state,
            exchanges=tuple(
                Exchange(turn=turn, question=questions.get(turn - 1, ""), answer=answer)
                for turn, answer in sorted(answers.items())
                if turn < number
            ),
            last_question=questions.get(number - 1, ""),
            asked_questions=tuple(text for _, text in sorted(questions.items())),
            recent_node_labels=tuple((node.label, node.node_type) for node in newest),
            previous_focus=focus_history[-1] if focus_history else None,
            mode_state=read_state(context.session.mode, context.session.state.mode_state),
        )


def _by_turn(utterances: tuple[UtteranceSnapshot, ...], speaker: str) -> dict[int, str]:
    return {u.turn_number: u.text for u in utterances if u.speaker == speaker}

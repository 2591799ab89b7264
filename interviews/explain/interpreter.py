"""The one reader of decisions: from the record of a turn to what was decided, in words and numbers.

Knows no mode: what a mode tells of its own choices comes from its explanation
(:attr:`interviews.modes.base.Mode.explanation`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from interviews.explain.decision import Decision, Kind
from interviews.explain.sentences import sentences_of, stand_ins, wording
from interviews.models import Turn
from interviews.modes.common.endings import PUT_AGAIN
from interviews.modes.registry import modes
from interviews.record import UnreadableTurn, result_of
from interviews.turns.contracts import Verdict
from interviews.turns.rationale import Rationale, Scored, Weighed
from interviews.turns.result import Selected, TurnResult
from methodologies.registry import methodology_of
from methodologies.schema import MethodologySchema

OPENING = "opening"


class NotExplainable(Exception):
    """The turn has decided nothing yet, or its record cannot be read; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A turn's decision in sentences, and the numbers that they tell.

    `question` is None where none was asked, `methodology` where the study has none.
    """

    session: str
    methodology: str | None
    question: str | None
    sentences: tuple[str, ...]
    decision: Decision

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON-ready data."""
        decision = self.decision
        opening = decision.kind == "opening"
        head = {
            "session": self.session,
            "turn": decision.turn,
            "mode": decision.mode,
            "methodology": self.methodology,
            "outcome": OPENING if opening else decision.verdict.value,
            "question": self.question,
            "sentences": list(self.sentences),
            "degraded": [asdict(failed) for failed in decision.degraded],
        }
        return head if opening else head | _numbers(decision)


def explain(turn: Turn) -> Explanation:
    """Say why the turn's question was asked, or why none was. Raises NotExplainable."""
    if turn.status != Turn.Status.DONE:
        raise NotExplainable(f"turn {turn.number} is {turn.status} and has decided nothing")
    try:
        result = result_of(turn)
    except UnreadableTurn as error:
        raise NotExplainable(str(error)) from error
    version = turn.session.methodology_version
    if result.methodology and result.methodology != str(version):
        raise NotExplainable(
            f"turn {turn.number} was decided by {result.methodology}, "
            f"but its session is pinned to {version}"
        )
    decision = decision_of(turn, result, methodology_of(version) if version else None)
    return Explanation(
        session=str(turn.session_id),
        methodology=str(version) if version else None,
        question=turn.question.text if turn.question else None,
        sentences=tuple(_sentences(decision)),
        decision=decision,
    )


def decision_of(
    turn: Turn, result: TurnResult | None, methodology: MethodologySchema | None = None
) -> Decision:
    """Read what a turn decided from its record, None where it left none."""
    if result is None or turn.status != Turn.Status.DONE:
        return Decision(kind=_unfinished(turn), turn=turn.number)
    focus_id, evidence = str(turn.focus_node_id or ""), result.evidence
    return Decision(
        kind=_kind(result),
        turn=result.turn,
        mode=result.mode,
        strategy=turn.strategy,
        focus_id=focus_id,
        focus=turn.focus_label,
        phase=result.phase,
        verdict=result.continuation or Verdict.CONTINUE,
        reason=result.reason,
        selected=result.selected or Selected(strategy=turn.strategy, node_id=None),
        overridden=result.overridden,
        rephrased=result.reason in PUT_AGAIN,
        act=result.heard.act if result.heard else "",
        repairs=result.repairs,
        degraded=result.degraded,
        rationale=rationale_of(result, methodology),
        figures=evidence.figures() if evidence else {},
        focus_figures=evidence.node_figures().get(focus_id, {}) if evidence else {},
    )


def _unfinished(turn: Turn) -> Kind:
    match turn.status:
        case Turn.Status.DONE:
            return "unreadable"
        case Turn.Status.FAILED:
            return "failed"
        case _:
            return "waiting"


def _kind(result: TurnResult) -> Kind:
    if result.turn == 0:
        return "opening"
    match result.continuation:
        case Verdict.END:
            return "end"
        case Verdict.CLOSE:
            return "closing"
        case _:
            return "choice"


def rationale_of(result: TurnResult, methodology: MethodologySchema | None = None) -> Rationale:
    """Why the turn was decided as it was, in its mode's terms; empty where the mode tells none."""
    mode = modes().get(result.mode)
    if mode is None or mode.explanation is None:
        return Rationale()
    return mode.explanation(result, methodology)


def _sentences(decision: Decision) -> Iterator[str]:
    if decision.kind != "opening":
        yield from sentences_of(decision)
        return
    yield "This question opened the interview: there was no answer yet, so nothing was scored."
    yield from decision.rationale.sentences
    yield from wording(decision.repairs)
    yield from stand_ins(decision.degraded)


def _numbers(decision: Decision) -> dict[str, Any]:
    scores = decision.rationale.scores
    scored: dict[str, Any] = {}
    if scores is not None:
        scored = {
            "chosen": _entry(scores.chosen),
            "closing": _entry(scores.closing),
            "runner_up": _entry(scores.runner_up),
            "margin": scores.margin,
            "grounds": [asdict(ground) for ground in scores.grounds],
            "gated": [_entry(found) for found in scores.gated],
            "candidates": scores.considered,
        }
    if decision.rationale.weighed:
        scored = {"candidates": [weighed_entry(found) for found in decision.rationale.weighed]}
    return {
        "phase": decision.phase,
        "reason": decision.reason,
        **scored,
        "act": decision.act,
        "repairs": list(decision.repairs),
    }


def weighed_entry(weighed: Weighed) -> dict[str, Any]:
    """A candidate of a choice by multiplication as the command line and the exports give it."""
    return {
        "strategy": weighed.strategy,
        "tactic": weighed.tactic,
        "focus": {
            "kind": weighed.kind or None,
            "ref": weighed.ref or None,
            "label": weighed.label or None,
        },
        "base": weighed.base,
        "multipliers": {factor.name: factor.multiplier for factor in weighed.factors},
        "weights": {factor.name: factor.weight for factor in weighed.factors},
        "final": weighed.final,
        "vetoed_by": weighed.vetoed_by or None,
        "flagged": weighed.flagged,
    }


def _entry(scored: Scored | None) -> dict[str, Any] | None:
    return entry_of(scored) if scored else None


def entry_of(scored: Scored) -> dict[str, Any]:
    """A candidate as the command line and the exports give it."""
    candidate = scored.candidate
    return {
        "strategy": candidate.strategy,
        "node_id": candidate.node_id,
        "label": scored.label,
        "rank": candidate.rank,
        "final": candidate.final_score,
        "base": candidate.base_score,
        "phase_multiplier": candidate.phase_multiplier,
        "phase_bonus": candidate.phase_bonus,
        "gates": list(candidate.gates),
        "contributions": [part._asdict() for part in candidate.contributions],
        "node_score": candidate.node_score,
        "node_contributions": [part._asdict() for part in candidate.node_contributions],
    }

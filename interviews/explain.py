"""Why a question was asked: a turn's choice ranked again from its stored trace, and put in words.

Every number of an explanation comes from the replayed ranking, not from a text kept beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from interviews.explain_words import Decision, Ground, Scored, named, sentences_of, wording
from interviews.models import Turn
from interviews.modes.common.endings import NOT_UNDERSTOOD
from interviews.pipeline.trace import GATED_KEPT, TRACE_VERSION, candidate_entry
from interviews.turns.contracts import Verdict
from methodologies.qualifiers import parse_key
from methodologies.registry import methodology_of
from methodologies.schema import MethodologySchema
from methodologies.scoring import Candidate, NodeRef, Ranking, rank
from methodologies.signals.base import SignalReading
from methodologies.signals.words import statement

OPENING = "opening"


class NotExplainable(Exception):
    """The turn has decided nothing yet, or its trace cannot be read; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A turn's decision in sentences, and the numbers that they tell.

    `decision` is None for the opening, where nothing is scored; `question` where none was asked.
    """

    session: str
    turn: int
    methodology: str
    question: str | None
    sentences: tuple[str, ...]
    decision: Decision | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON-ready data; candidates look as in a turn's trace."""
        head = {
            "session": self.session,
            "turn": self.turn,
            "methodology": self.methodology,
            "outcome": self.decision.verdict.value if self.decision else OPENING,
            "question": self.question,
            "sentences": list(self.sentences),
        }
        return head | _numbers(self.decision) if self.decision else head


def _numbers(decision: Decision) -> dict[str, Any]:
    return {
        "phase": decision.phase,
        "reason": decision.reason,
        "chosen": _entry(decision.chosen),
        "closing": _entry(decision.closing),
        "runner_up": _entry(decision.runner_up),
        "margin": decision.margin,
        "grounds": [asdict(ground) for ground in decision.grounds],
        "gated": [_entry(scored) for scored in decision.gated],
        "candidates": decision.candidates,
        "intent": decision.intent,
        "repairs": list(decision.repairs),
    }


def _entry(scored: Scored | None) -> dict[str, Any] | None:
    return candidate_entry(scored.candidate, scored.label) if scored else None


def replay(turn: Turn, *, closing_only: bool = False) -> Ranking:
    """Rank the turn's candidates again, from what the turn stored and the pinned methodology alone.

    `closing_only` ranks the closing strategies, as a turn does that has to close. Raises
    NotExplainable.
    """
    trace = _trace_of(turn)
    return rank(
        _methodology_of(turn),
        _reading_of(turn),
        phase=trace["phase"],
        nodes=[
            NodeRef(id=node_id, first_turn=first_turn, order=order)
            for order, (node_id, first_turn) in enumerate(_live_nodes(turn))
        ],
        strategy_history=trace["strategy_history"],
        strategy_uses=trace["strategy_uses"],
        closing_allowed=trace["closing_allowed"],
        closed_nodes=frozenset(trace["closed_nodes"]),
        closing_only=closing_only,
    )


def _live_nodes(turn: Turn) -> Iterable[tuple[str, int]]:
    """Every live node's id and first turn, oldest first."""
    trace = _trace_of(turn)
    if trace["schema_version"] == 1:
        return [(node["id"], node["first_turn"]) for node in trace["nodes"]]
    return zip(_reading_of(turn).node_values, trace["first_turns"], strict=True)


def explain(turn: Turn) -> Explanation:
    """Say why the turn's question was asked, or why none was. Raises NotExplainable."""
    if turn.status != Turn.Status.DONE:
        raise NotExplainable(f"turn {turn.number} is {turn.status} and has decided nothing")
    decision = None if turn.number == 0 else _decision_of(turn)
    return Explanation(
        session=str(turn.session_id),
        turn=turn.number,
        methodology=str(turn.session.methodology_version),
        question=turn.question.text if turn.question else None,
        sentences=tuple(sentences_of(decision) if decision else _opening(turn)),
        decision=decision,
    )


def _opening(turn: Turn) -> Iterator[str]:
    method = methodology_of(turn.session.methodology_version).method
    yield "This question opened the interview: there was no answer yet, so nothing was scored."
    yield f"The methodology {method.title or method.name} opens so: {method.opening_bias}"
    yield from wording(turn.result.get("repairs", ()))


def _decision_of(turn: Turn) -> Decision:
    trace, ranking, result = _trace_of(turn), replay(turn), turn.result
    labels = _labels(turn)
    runner_up, closing, rephrased = ranking.runner_up, None, ""
    if result["overridden"]:
        closing = _scored(replay(turn, closing_only=True).chosen, labels)
    if turn.continuation_reason == NOT_UNDERSTOOD:
        rephrased = named(turn.strategy, turn.focus_label)
    return Decision(
        turn=turn.number,
        verdict=Verdict(turn.continuation),
        reason=turn.continuation_reason,
        phase=trace["phase"],
        chosen=_scored(ranking.chosen, labels),
        closing=closing,
        rephrased=rephrased,
        runner_up=_scored(runner_up, labels) if runner_up else None,
        gated=tuple(_scored(found, labels) for found in ranking.top_gated(GATED_KEPT)),
        grounds=tuple(_grounds(ranking.chosen, _reading_of(turn))),
        candidates=len(ranking),
        relaxed=ranking.relaxed,
        literal_phase=_methodology_of(turn).phase_rule == "literal",
        uses=trace["strategy_uses"],
        intent=result["extracted"]["intent"],
        refused=trace["refused"],
        repairs=tuple(result["repairs"]),
    )


def _trace_of(turn: Turn) -> Mapping[str, Any]:
    trace = turn.result.get("trace")
    known = range(1, TRACE_VERSION + 1)
    if not isinstance(trace, dict) or trace.get("schema_version") not in known:
        raise NotExplainable(f"turn {turn.number} holds no decision trace of a known version")
    return trace


def _methodology_of(turn: Turn) -> MethodologySchema:
    version, traced = turn.session.methodology_version, _trace_of(turn)["methodology_version"]
    if str(version) != traced:
        raise NotExplainable(
            f"turn {turn.number} was decided by {traced}, but its session is pinned to {version}"
        )
    return methodology_of(version)


def _reading_of(turn: Turn) -> SignalReading:
    kept = _trace_of(turn)["reading"]
    return SignalReading.from_dict({"global": turn.signals, "nodes": turn.node_signals, **kept})


def _labels(turn: Turn) -> Mapping[str, str]:
    """The labels that the nodes of an explanation had when the turn was decided."""
    entries = (*turn.decomposition, *_trace_of(turn)["gated"])
    labels = {entry["node_id"]: entry["label"] for entry in entries}
    return labels | {str(turn.focus_node_id): turn.focus_label}


def _scored(candidate: Candidate, labels: Mapping[str, str]) -> Scored:
    node_id = candidate.node_id
    return Scored(candidate=candidate, label=labels.get(node_id, node_id) if node_id else "")


def _grounds(candidate: Candidate, reading: SignalReading) -> Iterator[Ground]:
    """The weights that acted, the strongest first whichever way it spoke."""
    parts = [(part, False) for part in candidate.contributions]
    parts += [(part, True) for part in candidate.node_contributions]
    for part, of_node in sorted(parts, key=lambda pair: -abs(pair[0].contribution)):
        spec = parse_key(part.key).spec
        value = reading.value(spec, candidate.strategy, candidate.node_id)
        if part.contribution and value is not None:
            yield Ground(
                key=part.key,
                said=statement(spec, value),
                value=value,
                weight=part.weight,
                contribution=part.contribution,
                of_node=of_node,
            )

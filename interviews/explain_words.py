"""A turn's decision in sentences. Says nothing but what its numbers say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from interviews.turns.contracts import Verdict
from methodologies.scoring import TIE_DECIMALS, Candidate
from methodologies.signals.base import Value
from methodologies.signals.words import human

GATED_TOLD = 3
REASONS: Mapping[str, str] = {
    "max_turns_reached": "the limit of turns had been reached",
    "closing_strategy": "a closing strategy had scored highest",
    "respondent_ended": "the respondent wanted to stop",
    "respondent_left": "the respondent had left",
    "time_used_up": "the time for the interview was used up",
    "graph_saturated": "answer after answer had brought nothing new",
    "quality_degraded": "answer after answer had stayed on the surface",
    "depth_plateau": "the chains had stopped growing and nothing was new",
    "not_understood": "the respondent had not understood it",
    "all_nodes_exhausted": "every concept had been explored and none gave anything new",
}
REPAIRS: Mapping[str, str] = {
    "markup": "markup was removed",
    "preamble": "a preamble was cut",
    "praise": "praise was cut",
    "one_question": "it was cut to one question",
    "shortened": "it was shortened",
    "closure": "it was said to be the last question",
}
PROBLEMS: Mapping[str, str] = {
    "empty": "it was empty",
    "no_question": "it asked nothing",
    "too_long": "it was too long",
    "leaked_prompt": "it showed instructions, labels or markup that are not for the respondent",
    "incomplete": "it broke off in the middle",
    "duplicate": "it was asked before, in the same or nearly the same words",
    "not_closing": "it did not give the last word to the respondent",
    "bare_why": "a bare why sounds like a cross-examination",
}
LAST_RESORT, PROVIDER = "last_resort:", "provider: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A weight that acted: what its signal read in this turn, in words and as a value.

    `contribution` is in the unit of scores, negative where it spoke against the candidate;
    `of_node` marks the part that only ranked concepts within a strategy (two-stage selection).
    """

    key: str
    said: str
    value: Value
    weight: float
    contribution: float
    of_node: bool = False


def reason_of(code: str) -> str:
    """Why an interview closed or ended, to follow "because"; from the code that was stored."""
    return REASONS.get(code, human(code))


def named(strategy: str, label: str) -> str:
    """A strategy and the concept that it asks about, in words."""
    about = f' on "{label}"' if label else ""
    return f'the strategy "{strategy}"{about}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate with its node's label, empty for a strategy without a node."""

    candidate: Candidate
    label: str

    def __str__(self) -> str:
        """Return the strategy and what it asks about."""
        return named(self.candidate.strategy, self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a turn decided after its answer.

    `chosen` is what scoring put first, `closing` the candidate that replaced it where the turn had
    to close; `rephrased` names by what the last question was asked where it was put in other words,
    else it is "". `gated` are the best of those that a gate took out, `candidates` counts the
    others. `uses` counts each strategy's earlier uses in the session. `intent` is how the answer
    was meant, `refused` the label of the concept that it closed. `literal_phase` says that the
    phase's weight multiplies negative scores too.
    """

    turn: int
    verdict: Verdict
    reason: str
    phase: str
    chosen: Scored
    closing: Scored | None
    rephrased: str
    runner_up: Scored | None
    gated: tuple[Scored, ...]
    grounds: tuple[Ground, ...]
    candidates: int
    relaxed: bool
    literal_phase: bool
    uses: Mapping[str, int]
    intent: str
    refused: str | None
    repairs: Sequence[str]

    @property
    def margin(self) -> float | None:
        """The lead in final score over the runner-up, None without one."""
        if self.runner_up is None:
            return None
        return self.chosen.candidate.final_score - self.runner_up.candidate.final_score


def sentences_of(decision: Decision) -> Iterator[str]:
    """Tell a decision: the choice and its grounds first, what became of it, how it was worded."""
    yield _outcome(decision)
    yield from _score(decision)
    if decision.relaxed:
        gates = "; ".join(decision.chosen.candidate.gates)
        yield f"Every candidate was ruled out, so this one was taken against: {gates}."
    yield _runner_up(decision)
    yield _ruled_out(decision)
    yield from _heard(decision)
    yield from wording(decision.repairs)


def number(value: float) -> str:
    """Up to three decimals, more only where nothing else would be left."""
    if value and abs(value) < 0.0005:
        return f"{value:.1g}"
    return f"{value + 0.0:.3f}".rstrip("0").rstrip(".")


# -- the choice ------------------------------------------------------------------------------------
def _outcome(decision: Decision) -> str:
    chosen, closing, turn = decision.chosen, decision.closing, decision.turn
    score = number(chosen.candidate.final_score)
    reason = reason_of(decision.reason)
    first = f"first of {decision.candidates} candidates with a score of {score}"
    if decision.candidates == 1:
        first = f"the only candidate, with a score of {score}"
    if decision.verdict is Verdict.END:
        return (
            f"The interview ended with answer {turn}, because {reason}; no question was asked. "
            f"Otherwise {chosen} would have come next, {first}."
        )
    if decision.rephrased:
        return (
            f"After answer {turn} the last question was put in other words, by "
            f"{decision.rephrased}, because {reason}. "
            f"This went before the choice by score: {chosen}, {first}."
        )
    if closing is not None:
        return (
            f"After answer {turn} the closing question was asked by {closing}, because {reason}. "
            f"This overrode the choice by score: {chosen}, {first}."
        )
    if decision.verdict is Verdict.CLOSE:
        asked = f"After answer {turn} the closing question was asked by {chosen}, {first}."
        return f"{asked} The interview had to close, because {reason}."
    return f"After answer {turn} the next question was asked by {chosen}, {first}."


def _score(decision: Decision) -> Iterator[str]:
    candidate = decision.chosen.candidate
    grounds = [ground for ground in decision.grounds if not ground.of_node]
    yield from _for_and_against(grounds, "it")
    yield f"Together this gives {number(candidate.base_score)}{_phase(decision)}."
    if of_node := [ground for ground in decision.grounds if ground.of_node]:
        yield from _for_and_against(of_node, f'"{decision.chosen.label}" among the concepts')
        yield f"As a concept for this strategy it comes to {number(candidate.node_score)}."


def _for_and_against(grounds: Sequence[Ground], what: str) -> Iterator[str]:
    speaking = [_ground(ground) for ground in grounds if ground.contribution > 0]
    against = [_ground(ground) for ground in grounds if ground.contribution < 0]
    yield f"For {what} spoke: {'; '.join(speaking)}." if speaking else f"Nothing spoke for {what}."
    yield (
        f"Against {what} spoke: {'; '.join(against)}."
        if against
        else f"Nothing spoke against {what}."
    )


def _ground(ground: Ground) -> str:
    sign = "+" if ground.contribution > 0 else ""
    part = f"{ground.key}, {sign}{number(ground.contribution)}"
    return f"{ground.said} ({part})"


def _phase(decision: Decision) -> str:
    candidate = decision.chosen.candidate
    base, multiplier = candidate.base_score, candidate.phase_multiplier
    changes = []
    if multiplier != 1:
        divided = base < 0 < multiplier and not decision.literal_phase
        changes.append(f"{'divided' if divided else 'multiplied'} by {number(multiplier)}")
    if candidate.phase_bonus:
        changes.append(f"changed by {candidate.phase_bonus:+g}")
    if not changes:
        return ""
    final = number(candidate.final_score)
    return f", in the {decision.phase} phase {' and '.join(changes)}, so {final}"


# -- what else could have been asked ---------------------------------------------------------------
def _runner_up(decision: Decision) -> str:
    runner_up, margin = decision.runner_up, decision.margin
    if runner_up is None or margin is None:
        return "Nothing else could have been asked."
    if round(margin, TIE_DECIMALS) == 0:
        return f"Next came {runner_up} with the same score; {_tie(decision, runner_up.candidate)}."
    score = number(runner_up.candidate.final_score)
    return f"Next came {runner_up} with {score}, {number(margin)} behind."


def _tie(decision: Decision, other: Candidate) -> str:
    """What decided between two equal scores."""
    chosen, uses = decision.chosen.candidate, decision.uses
    if chosen.strategy == other.strategy:
        if round(chosen.node_score - other.node_score, TIE_DECIMALS) == 0:
            return "the concept that was mentioned first goes first"
        scores = f"{number(chosen.node_score)} against {number(other.node_score)}"
        return f"as concepts for this strategy they come to {scores}"
    mine, others = uses.get(chosen.strategy, 0), uses.get(other.strategy, 0)
    if mine != others:
        return f"the chosen strategy had been used less often, {mine} against {others} times"
    return "both strategies had been used equally often, so the order of their names decided"


def _ruled_out(decision: Decision) -> str:
    if not decision.gated:
        return "No candidate was ruled out."
    better = [scored for scored in decision.gated if _beats(scored.candidate, decision.chosen)]
    if not better:
        return f"Of those ruled out none would have won; the best was {_gated(decision.gated[0])}."
    told = "; ".join(_gated(scored) for scored in better[:GATED_TOLD])
    more = "; and others" if len(better) > GATED_TOLD else ""
    return f"Ruled out, though it would have scored higher: {told}{more}."


def _beats(other: Candidate, winner: Scored) -> bool:
    chosen = winner.candidate
    lead = round(other.final_score - chosen.final_score, TIE_DECIMALS)
    if lead == 0 and other.strategy == chosen.strategy:
        lead = round(other.node_score - chosen.node_score, TIE_DECIMALS)
    return lead > 0


def _gated(scored: Scored) -> str:
    gates = ", ".join(scored.candidate.gates)
    return f"{scored} with {number(scored.candidate.final_score)} ({gates})"


# -- the answer and the wording --------------------------------------------------------------------
def _heard(decision: Decision) -> Iterator[str]:
    if decision.intent == "refusal":
        closed = (
            f'"{decision.refused}" is not asked about again in this interview'
            if decision.refused
            else "it was about no single concept, so none is closed"
        )
        yield f"The respondent did not want to answer the last question: {closed}."
    elif decision.intent == "already_told":
        yield "The respondent had told this before" + _task(
            decision, "to acknowledge that and ask something new"
        )
    elif decision.intent == "clarify" and not decision.rephrased:
        yield "The respondent did not understand the last question" + _task(
            decision, "to leave it and ask something simpler"
        )


def _task(decision: Decision, task: str) -> str:
    """What the next question was told to do, where there was one."""
    return "." if decision.verdict is Verdict.END else f": the next one was told {task}."


def wording(repairs: Sequence[str]) -> Iterator[str]:
    """What was done to the question's wording after a model had drafted it."""
    problems = [r.removeprefix(LAST_RESORT) for r in repairs if r.startswith(LAST_RESORT)]
    away = [r.removeprefix(PROVIDER) for r in repairs if r.startswith(PROVIDER)]
    mended = [r for r in repairs if not r.startswith((LAST_RESORT, PROVIDER))]
    if mended:
        done = ", ".join(REPAIRS.get(r, human(r)) for r in mended)
        yield f"The wording was repaired: {done}."
    if problems:
        said = "; ".join(PROBLEMS.get(p, p) for p in problems)
        yield f"The drafted question could not be asked ({said}): a prepared one was."
    if away:
        yield f"No language model could word it ({', '.join(away)}): a prepared question was asked."

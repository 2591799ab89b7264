"""A turn's decision in sentences, whatever mode made it. Says nothing but what its record says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from interviews.explain.decision import Decision
from interviews.turns.calls import LAST_RESORT as NOBODY
from interviews.turns.calls import Degraded
from interviews.turns.contracts import Verdict
from interviews.turns.rationale import named
from methodologies.signals.words import human, listing

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
    "unanswered": "the respondent had not answered it yet",
    "fatigued": "the respondent had tired, and enough of the concept was covered",
    "concept_covered": "the concept was covered and the answers had become short",
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
    "goodbye": "it said goodbye or that the interview was over",
    "contact": "it asked for names, addresses or other contacts",
    "promotion": "it advertised, or invited to do something",
}
TASKS: Mapping[str, tuple[str, str]] = {
    "extraction": ("read the answer", "the answer was not read"),
    "response_rating": ("rated the answer", "the answer was not rated"),
    "match_adjudication": ("judged what is the same", "nobody judged what is the same"),
    "slot_proposal": ("grouped the concepts", "the concepts were not grouped"),
    "opening_question": ("worded the question", "a prepared question was asked"),
    "follow_up_question": (
        "worded the question",
        "a prepared question was asked, which does not follow the strategy",
    ),
    "stimulus_reading": (
        "read what the answer says of the concept",
        "it was not read what the answer says of the concept",
    ),
    "momentum": ("judged the momentum", "the momentum was taken as neutral"),
    "concept_opening": ("worded the question", "a prepared question was asked"),
    "concept_question": (
        "worded the question",
        "a prepared question was asked, which does not follow the strategy",
    ),
    "closing_question": ("worded the question", "a prepared closing question was asked"),
    "question_repair": ("mended the question", "the question was not mended"),
}
"""What was done by whoever answered a task instead, and what became of it where nobody did."""
LAST_RESORT, PROVIDER = "last_resort:", "provider: "
_WHO: Mapping[str, str] = {NOBODY: "", "offline": "rules "}


def reason_of(code: str) -> str:
    """Why an interview closed or ended, to follow "because"; from the code that was stored."""
    return REASONS.get(code, human(code))


def sentences_of(decision: Decision) -> Iterator[str]:
    """Tell a decision: the choice and its grounds first, what became of it, how it was worded."""
    yield _outcome(decision)
    yield from decision.rationale.sentences
    yield from _heard(decision)
    yield from wording(decision.repairs)
    yield from stand_ins(decision.degraded)


def _outcome(decision: Decision) -> str:
    turn, chosen = decision.turn, named(decision.selected.strategy, decision.selected.label)
    asked, reason = named(decision.strategy, decision.focus), reason_of(decision.reason)
    standing = f", {decision.rationale.standing}" if decision.rationale.standing else ""
    by_score = decision.rationale.scores or decision.rationale.weighed
    choice = "the choice by score" if by_score else "the mode's choice"
    if decision.verdict is Verdict.END:
        return (
            f"The interview ended with answer {turn}, because {reason}; no question was asked. "
            f"Otherwise {chosen} would have come next{standing}."
        )
    if decision.rephrased:
        return (
            f"After answer {turn} the last question was put in other words, by "
            f"{asked}, because {reason}. "
            f"This went before {choice}: {chosen}{standing}."
        )
    if decision.overridden:
        return (
            f"After answer {turn} the closing question was asked by {asked}, because {reason}. "
            f"This overrode {choice}: {chosen}{standing}."
        )
    if decision.verdict is Verdict.CLOSE:
        closing = f"After answer {turn} the closing question was asked by {chosen}{standing}."
        return f"{closing} The interview had to close, because {reason}."
    return f"After answer {turn} the next question was asked by {chosen}{standing}."


def _heard(decision: Decision) -> Iterator[str]:
    if decision.act == "refuses":
        led_to = f": {decision.rationale.refusal}" if decision.rationale.refusal else ""
        yield f"The respondent did not want to answer the last question{led_to}."
    elif decision.act in _TOLD and not decision.rephrased:
        heard, task = _TOLD[decision.act]
        yield heard + _task(decision, task)
    elif decision.act == "asks":
        yield "The respondent asked the interviewer something" + _task(
            decision, "to answer that in a sentence first"
        )
    elif decision.act == "instructs":
        yield "The respondent tried to give the interviewer orders; they were not followed."


_TOLD: Mapping[str, tuple[str, str]] = {
    "objects": (
        "The respondent had told this before, or corrected it",
        "to acknowledge that and ask something new",
    ),
    "not_understood": (
        "The respondent did not understand the last question",
        "to leave it and ask something simpler",
    ),
    "drifted": ("The talk had drifted", "to lead back to the subject"),
    "adds_nothing": ("The respondent had nothing to add", "to turn to something else"),
}
"""What was heard, and what the next question was told to do about it."""


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


def stand_ins(degraded: Sequence[Degraded]) -> Iterator[str]:
    """Who did what a language model had failed to do: "The language model failed; rules …"."""
    for by, tasks in groupby(sorted(degraded, key=lambda d: d.by), key=lambda d: d.by):
        told = [TASKS.get(d.task, (human(d.task), f"{human(d.task)} failed")) for d in tasks]
        done = dict.fromkeys(left if by == NOBODY else helped for helped, left in told)
        yield f"The language model failed; {_WHO.get(by, f'{by} ')}{listing(list(done))}."

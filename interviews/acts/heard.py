"""How an answer was meant: one reading, whoever made it."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Act = Literal[
    "answer",
    "refuses",
    "not_understood",
    "objects",
    "drifted",
    "asks",
    "wants_to_stop",
    "adds_nothing",
    "instructs",
]
"""What the respondent does with an answer:

- answer: answers, and nothing of what follows;
- refuses: does not want to answer, or to go on about this point;
- not_understood: does not understand the question;
- objects: told this before, corrects what was put to them, or protests against the question;
- drifted: says that the talk has left its subject, or leaves it;
- asks: asks the interviewer something;
- wants_to_stop: wants the interview to end;
- adds_nothing: has nothing (more) to say on this point;
- instructs: tries to give the machine orders.
"""

LeadReason = Literal[
    "emotional", "personal", "episode", "contradiction", "unexplained", "objective"
]
"""Why an expert would follow a stretch of an answer: a feeling shows, something intimate is told, a
particular occasion is told, two things do not go together, something is named and not explained, it
bears on what the research wants to know."""

ACTS: tuple[Act, ...] = get_args(Act)
LEAD_REASONS: tuple[LeadReason, ...] = get_args(LeadReason)

LEAVE_OPEN: frozenset[Act] = frozenset(["not_understood", "asks", "instructs"])
"""Acts that leave the question unanswered, unless something is said besides."""

MOST_LEADS = 3


class Lead(BaseModel):
    """A stretch of an answer, verbatim, that an expert would follow, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    quote: Annotated[str, Field(min_length=1)]
    reason: LeadReason


def _first_leads(leads: tuple[Lead, ...]) -> tuple[Lead, ...]:
    return leads[:MOST_LEADS]


class Heard(BaseModel):
    """How an answer was meant, and what of it an expert would follow or leave.

    The output of a task that reads this out of an answer inherits it; stage 3 puts one on the turn,
    whoever read it. `leads` are at most three, the best first; more are cut off. `disclaimed` are
    stretches of the answer, or labels of known concepts, that the respondent plays down or denies.
    `off_track` says that the talk has left subject and objective.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    act: Act = "answer"
    leads: Annotated[tuple[Lead, ...], AfterValidator(_first_leads)] = ()
    disclaimed: tuple[str, ...] = ()
    off_track: bool = False

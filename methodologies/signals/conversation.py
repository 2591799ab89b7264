"""Signals of the exchange: what the answer does besides answering, and whether talk has drifted."""

from __future__ import annotations

from methodologies.signals.base import Known, SignalInputs, SignalWords, signal

ACTS = (
    "answer",
    "refuses",
    "not_understood",
    "objects",
    "drifted",
    "asks",
    "wants_to_stop",
    "adds_nothing",
    "instructs",
)
"""What an answer can mainly be."""


@signal(
    name="conversation.act",
    kind="category",
    values=ACTS,
    summary="What the answer mainly does",
    words=SignalWords(
        name="what the answer does",
        clauses={
            "answer": "the answer answers",
            "refuses": "the respondent does not want to speak of it",
            "not_understood": "the question was not understood",
            "objects": "the respondent objects",
            "drifted": "the answer has left the subject",
            "asks": "the respondent asks something",
            "wants_to_stop": "the respondent wants to stop",
            "adds_nothing": "the respondent has nothing to add",
            "instructs": "the answer gives orders to the interviewer",
        },
    ),
)
def act(inputs: SignalInputs, known: Known) -> str:
    """One of the acts that the rating knows; answer where it heard nothing else."""
    return inputs.act


@signal(
    name="conversation.off_track",
    kind="bool",
    summary="The talk has left its subject",
    words=SignalWords(
        name="off track",
        phrases={"true": "far from the subject", "false": "on the subject"},
        clauses={
            "true": "the talk has left its subject",
            "false": "the talk is on its subject",
        },
        statements={
            "true": "The talk has left its subject",
            "false": "The talk is on its subject",
        },
    ),
)
def off_track(inputs: SignalInputs, known: Known) -> bool:
    """Whether the respondent says so, or the rating finds the answer far from the subject.

    "I think we're getting quite far from backpacks" makes it true for this turn.
    """
    return inputs.off_track

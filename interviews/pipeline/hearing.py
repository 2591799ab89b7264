"""How an answer was meant, out of what was read of it."""

from __future__ import annotations

from interviews.acts import Heard, Lead
from interviews.acts.rules import heard_in
from interviews.pipeline.grounding import Known, locate
from interviews.turns.replies import Replies


def heard_of(replies: Replies, answer: str, *, language: str, known: Known) -> Heard:
    """The reading of the first task that made one, of which only what the answer bears out is kept.

    Where no task of the mode reads it, or none could, rules read the answer's text: in every mode a
    wish to stop and a refusal are heard.
    """
    read = replies.of(Heard)
    if read is None:
        return heard_in(answer, language)
    leads = ((_said(lead.quote, answer), lead.reason) for lead in read.leads)
    disclaimed = (_said(text, answer) or (text if known(text) else "") for text in read.disclaimed)
    return Heard(
        act=read.act,
        leads=tuple(Lead(quote=quote, reason=reason) for quote, reason in leads if quote),
        disclaimed=tuple(text for text in disclaimed if text),
        off_track=read.off_track,
    )


def _said(quote: str, answer: str) -> str:
    """A stretch as the answer has it, "" where it is not in there."""
    span = locate(quote, answer)
    return answer[slice(*span)] if span else ""

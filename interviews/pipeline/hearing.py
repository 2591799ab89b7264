"""How an answer was meant, out of what was read of it."""

from __future__ import annotations

from interviews.acts import Heard, Lead
from interviews.acts.rules import heard_in, stretches
from interviews.pipeline.grounding import Known, Span, locate
from interviews.turns.replies import Replies


def heard_of(replies: Replies, answer: str, *, question: str, language: str, known: Known) -> Heard:
    """The reading of the first task that made one, of which only what the answer bears out is kept.

    Where no task of the mode reads it, or none could, rules read the answer's text: in every mode a
    wish to stop and a refusal are heard.
    """
    read = replies.of(Heard)
    if read is None:
        return heard_in(answer, language, question)
    leads = ((_said(lead.quote, answer), lead.reason) for lead in read.leads)
    disclaimed = (_said(text, answer) or (text if known(text) else "") for text in read.disclaimed)
    return Heard(
        act=read.act,
        leads=tuple(Lead(quote=quote, reason=reason) for quote, reason in leads if quote),
        disclaimed=tuple(text for text in disclaimed if text),
        off_track=read.off_track,
    )


def orders_in(heard: Heard, answer: str, language: str) -> list[Span]:
    """The spans of an answer that try to instruct the interviewer.

    The whole answer, where it was heard as such and no sentence of it stands out.
    """
    told = [s for s in stretches(answer, language) if s.act == "instructs"]
    if heard.act == "instructs" and not told:
        return [(0, len(answer))]
    return [(stretch.start, stretch.end) for stretch in told]


def _said(quote: str, answer: str) -> str:
    """A stretch as the answer has it, "" where it is not in there."""
    span = locate(quote, answer)
    return answer[slice(*span)] if span else ""

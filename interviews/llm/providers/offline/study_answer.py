"""Answer a question to a study by the best quotes, without prose: rules can cite, not conclude."""

from __future__ import annotations

import re

from interviews.llm.tasks.study_answer import (
    STUDY_ANSWER,
    CitedQuote,
    QuoteRole,
    SaidText,
    StudyAnswerInputs,
    StudyAnswerOutput,
)

MOST_QUOTE = 600
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_WORD = re.compile(r"[^\W_]{3,}")
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|not sure|i guess|i suppose|it depends|hard to say|might"
    r"|forse|magari|probabilmente|non so|non sono sicur[oa]|dipende)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\s*(?:wh|how|che|cosa|come|perch|quando|dove|chi)", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|neither|nor|without|hardly|non|mai|niente|nessuno)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def answer(inputs: StudyAnswerInputs) -> StudyAnswerOutput:
    """The sentence of each source that shares most with the question, with its role."""
    asked = _words(inputs.question)
    quotes = tuple(_quote(source, asked, inputs.question) for source in inputs.sources)
    return StudyAnswerOutput(found=bool(quotes), quotes=quotes)


def _quote(source: SaidText, asked: set[str], question: str) -> CitedQuote:
    sentences = [m[0].strip() for m in _SENTENCE.finditer(source.text) if m[0].strip()]
    best = max(sentences, key=lambda one: len(_words(one) & asked), default=source.text)
    return CitedQuote(ref=source.ref, quote=best[:MOST_QUOTE], role=_role(best, question))


def _role(sentence: str, question: str) -> QuoteRole:
    """What a sentence is to the question by its wording: hedged, of the other polarity, or for it.

    A question that asks for more than yes or no has no polarity to contradict.
    """
    if _HEDGE.search(sentence):
        return "uncertain"
    yes_or_no = not re.match(
        r"\s*(?:wh|how|che|cosa|come|perch|quando|dove|chi)", question, re.IGNORECASE
    )
    if yes_or_no and bool(_NOT.search(sentence)) != bool(_NOT.search(question)):
        return "contradicting"
    return "supporting"


def _words(text: str) -> set[str]:
    """Words by their first five letters: inflections of one word are one."""
    return {word.casefold()[:5] for word in _WORD.findall(text)}


RULES: dict[str, object] = {STUDY_ANSWER.name: answer}

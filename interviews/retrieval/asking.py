"""Ask a study: an answer in quotes, each where it was said, or that it is not in the material."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchVector
from django.db.models import F, Func, QuerySet, Value
from django.db.models.fields import TextField

from graphs.language.vectors import Embedder
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.study_answer import (
    STUDY_ANSWER,
    CitedQuote,
    SaidText,
    StudyAnswerInputs,
    StudyAnswerOutput,
)
from interviews.models import SearchEntry, Session, Study
from interviews.pipeline.grounding import locate
from interviews.retrieval.fusion import is_near, share
from interviews.retrieval.search import Hit, configs_of, nearest

NOT_FOUND = "This is not in the material."
SOURCES = 10
ROLES = ("supporting", "contradicting", "uncertain")

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+|\n|$)(?:\s*\[\d+\])*")
_REF = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a respondent, character by character, with what they are to the answer."""

    session: UUID
    turn: int
    quote: str
    role: str
    utterance: UUID

    def as_json(self) -> dict[str, Any]:
        """The quote as scripts read it."""
        return {
            "session": str(self.session),
            "turn": self.turn,
            "quote": self.quote,
            "role": self.role,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAnswer:
    """An answer; `found` is False where the material does not hold one.

    In `answer`, "[2]" is the second of `quotes`; without a language model there is no prose.
    """

    found: bool
    answer: str
    quotes: tuple[Quote, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """The answer as scripts read it."""
        quotes = [quote.as_json() for quote in self.quotes]
        return {"found": self.found, "answer": self.answer, "quotes": quotes}


def ask_study(
    study: Study,
    sessions: QuerySet[Session],
    question: str,
    *,
    gateway: Gateway | None = None,
    embedder: Embedder | None = None,
) -> StudyAnswer:
    """Answer from what was said in `sessions` of the study that is near enough to the question.

    Every quote stands in its source as it is given; a sentence that cites nothing is left out.
    Raises FormRefused for an empty or too long question.
    """
    near = near_answers(sessions, question, embedder=embedder)
    if not near:
        return StudyAnswer(found=False, answer=NOT_FOUND)
    inputs = StudyAnswerInputs(
        question=" ".join(question.split()),
        sources=tuple(SaidText(ref=ref, text=hit.text) for ref, hit in enumerate(near, start=1)),
        language=study.language,
    )
    try:
        reply = ask_for(study, STUDY_ANSWER, inputs, gateway=gateway or build_gateway())
    except LLMError:
        reply = StudyAnswerOutput(
            found=True,
            quotes=tuple(
                CitedQuote(ref=ref, quote=hit.text[:600], role="supporting")
                for ref, hit in enumerate(near, start=1)
            ),
        )
    return checked(reply, near)


def checked(reply: StudyAnswerOutput, near: Sequence[Hit]) -> StudyAnswer:
    """The reply with only those quotes that stand in their sources, and sentences that cite one."""
    quotes: dict[int, list[Quote]] = {}
    for cited in reply.quotes:
        if 0 < cited.ref <= len(near):
            hit = near[cited.ref - 1]
            span = locate(cited.quote, hit.text)
            if span:
                quote = Quote(
                    session=hit.session,
                    turn=hit.turn,
                    quote=hit.text[slice(*span)],
                    role=cited.role,
                    utterance=hit.source,
                )
                known = quotes.setdefault(cited.ref, [])
                if quote not in known:
                    known.append(quote)
    found = [(ref, quote) for role in ROLES for ref, of in quotes.items() for quote in of
             if quote.role == role]  # fmt: skip
    if not reply.found or not found:
        return StudyAnswer(found=False, answer=NOT_FOUND)
    places: dict[int, list[int]] = {}
    for place, (ref, _) in enumerate(found, start=1):
        places.setdefault(ref, []).append(place)
    answer = " ".join(_cited(reply.answer, places))
    return StudyAnswer(found=True, answer=answer, quotes=tuple(quote for _, quote in found))


def _cited(text: str, places: dict[int, list[int]]) -> Iterator[str]:
    """The sentences that cite a quote which stands, with the quotes' own numbers."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        refs = dict.fromkeys(int(ref) for ref in _REF.findall(sentence))
        cited = [place for ref in refs for place in places.get(ref, ())]
        plain = " ".join(_REF.sub("", sentence).split())
        if cited and plain:
            plain = re.sub(r"\s+([.,;!?])", r"\1", plain)
            yield f"{plain} {''.join(f'[{place}]' for place in cited)}"


def near_answers(
    sessions: QuerySet[Session], question: str, *, embedder: Embedder | None = None
) -> list[Hit]:
    """The answers of respondents that are near enough to the question, best first."""
    kinds = [SearchEntry.Kind.ANSWER]
    hits = nearest(sessions, question, kinds=kinds, most=2 * SOURCES, embedder=embedder)
    if not hits:
        return []
    asked = _lexemes_of(question, configs_of(sessions))
    held = _lexemes_held(hits)
    near = []
    for hit in hits:
        shared = max(share(words, held[hit.entry]) for words in asked)
        if is_near(hit.similarity, shared):
            near.append((hit.similarity + shared, hit))
    near.sort(key=lambda pair: -pair[0])
    return [hit for _, hit in near[:SOURCES]]


def _array(vector: Any) -> Func:
    return Func(vector, function="tsvector_to_array", output_field=TextField())


def _lexemes_of(text: str, configs: Iterable[str]) -> list[set[str]]:
    """What the question asks for in each language: its words without those that all texts have."""
    columns = [_array(SearchVector(Value(text), config=config)) for config in configs]
    row = Study.objects.values_list(*columns)[:1]
    return [set(words) for one in row for words in one]


def _lexemes_held(hits: Sequence[Hit]) -> dict[UUID, set[str]]:
    rows = SearchEntry.objects.filter(pk__in=[hit.entry for hit in hits])
    held = rows.annotate(lexemes=_array(F("words"))).values_list("pk", "lexemes")
    return {pk: set(lexemes) for pk, lexemes in held}

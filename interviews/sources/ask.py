"""Answers a successor from the files and interviews of a study, with citations or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.postgres.search import SearchVector

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Vector
from interviews.ingest.passages import Passage
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.llm.study_calls import ask_for
from interviews.llm.tasks.handover_texts import (
    ANSWER_FROM_SOURCES,
    AnswerFromSourcesInputs,
    SourceText,
)
from interviews.models import HandoverFact, SessionQuestion, SourcePassage, Study
from interviews.retrieval import fusion, ranking
from interviews.sources.work import passage_of

NOT_FOUND = "This is not in the material."
MOST_QUESTION = 1_000
NEAREST = 20
SHOWN = 5
_WORD = re.compile(r"\d+(?:\.\d+)?%?|[^\W\d_]+")
_LINE = re.compile(r"[^\n]+")
_ASKING = frozenset([
    "why", "what", "who", "how", "when", "where", "which", "is", "are", "was", "were", "the", "a",
    "an", "of", "in", "on", "at", "to", "for", "and", "or", "do", "does", "did", "we", "i", "you",
    "it", "this", "that", "there", "with", "from", "by", "be", "our", "their", "if", "should",
    "can", "has", "have", "not", "any", "as", "after", "before", "about", "many", "much",
])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source: a place of a file, or a turn of an interview; `similarity` is a cosine."""

    source: str
    quote: str
    similarity: float
    file: str | None = None
    place: str | None = None
    turn: int | None = None
    session: str | None = None
    passage: int | None = None

    @property
    def label(self) -> str:
        """As it stands in texts: [file, place] or [turn n]."""
        return f"[{self.file}, {self.place}]" if self.file else f"[turn {self.turn}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer; `found` is False where the material does not hold one."""

    found: bool
    answer: str
    citations: tuple[Citation, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The answer as scripts read it."""
        keys = ("source", "file", "place", "turn", "quote", "similarity")
        cited = [{key: asdict(c)[key] for key in keys} for c in self.citations]
        return {"found": self.found, "answer": self.answer, "citations": cited}


def ask(study: Study, question: str, *, gateway: Gateway | None = None) -> Answer:
    """Answer from what is near enough to the question."""
    near = nearest(study, question[:MOST_QUESTION])
    if not near:
        return Answer(found=False, answer=NOT_FOUND)
    sources = tuple(
        SourceText(ref=ref, label=source.label, text=source.quote)
        for ref, source in enumerate(near, start=1)
    )
    inputs = AnswerFromSourcesInputs(
        question=question[:MOST_QUESTION], sources=sources, language=study.language
    )
    try:
        reply = ask_for(study, ANSWER_FROM_SOURCES, inputs, gateway=gateway or build_gateway())
    except LLMError:
        told = "\n".join(f"{source.quote} {source.label}" for source in near)
        return Answer(found=True, answer=told, citations=near)
    cited = [near[ref - 1] for ref in dict.fromkeys(reply.refs) if 0 < ref <= len(near)]
    if not reply.found or not cited:
        return Answer(found=False, answer=NOT_FOUND)
    return Answer(found=True, answer=_labelled(reply.answer, near), citations=tuple(cited))


def _labelled(text: str, near: Sequence[Citation]) -> str:
    """The answer with places in the stead of numbers; a number that is none goes."""

    def place(match: re.Match[str]) -> str:
        ref = int(match[1])
        return near[ref - 1].label if 0 < ref <= len(near) else ""

    return re.sub(r"\[(\d+)\]", place, text)


def nearest(study: Study, question: str, most: int = SHOWN) -> tuple[Citation, ...]:
    """The sources nearest to a question by meaning and words, best first; none if none is near."""
    (vector,) = shared_embedder(settings.EMBEDDING_MODEL).embed([question])
    words = _words(question)
    ranked = (_by_meaning(study, vector), _by_words(study, words))
    by_id = {row.pk: row for rows in ranked for row in rows}
    scores = fusion.fuse(*([row.pk for row in rows] for rows in ranked))
    best = sorted(by_id.values(), key=lambda row: -scores[row.pk])[:NEAREST]
    found = [*_of_passages(best, vector, words), *_of_interviews(study, vector)]
    near = [source for source in found if _is_near(source, words)]
    near.sort(key=lambda source: -_closeness(source, words))
    return tuple(replace(source, similarity=round(source.similarity, 3)) for source in near[:most])


def _words(text: str) -> frozenset[str]:
    found = (word.casefold().rstrip("%") for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _ASKING and len(word) > 1)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _by_meaning(study: Study, vector: Vector) -> list[SourcePassage]:
    rows = SourcePassage.objects.filter(vector__study=study).select_related("file", "vector")
    return ranking.by_meaning(rows, "vector__embedding", vector, NEAREST)


def _by_words(study: Study, words: Iterable[str]) -> list[SourcePassage]:
    plain = [word for word in words if word.replace(".", "").isalnum()]
    if not plain:
        return []
    rows = SourcePassage.objects.filter(file__study=study).select_related("file", "vector")
    document = SearchVector("text", "file__name", config="english")
    return ranking.by_words(rows, document, ranking.word_query(plain, "english"), NEAREST)


def _of_passages(
    rows: Sequence[SourcePassage], vector: Vector, words: frozenset[str]
) -> Iterable[Citation]:
    for row in rows:
        place, quote = _line(passage_of(row), words)
        yield Citation(
            source="file",
            file=row.file.name,
            place=place,
            quote=quote,
            similarity=_cosine(row.vector.embedding, vector),
            passage=row.pk,
        )


def _line(passage: Passage, words: frozenset[str]) -> tuple[str, str]:
    """The line of a passage that shares most with the question, with its place; else all of it."""
    lines = [found for found in _LINE.finditer(passage.text) if found[0].strip()]
    best = max(lines, key=lambda found: len(_words(found[0]) & words))
    if not _words(best[0]) & words:
        return passage.place, " ".join(passage.text.split())[:400]
    return passage.place_of(best.start(), best.end() - 1), " ".join(best[0].split())[:400]


def _of_interviews(study: Study, vector: Vector) -> Iterable[Citation]:
    """Answers and the facts of them; a fact stands for its answer where both are near."""
    told = [
        (fact.text, fact.turn, str(fact.session_id))
        for fact in HandoverFact.objects.filter(session__study=study)
    ]
    answered = SessionQuestion.objects.filter(study=study, closed_turn__isnull=False)
    told += [(q.answer, q.closed_turn or 0, str(q.session_id)) for q in answered if q.answer]
    if not told:
        return
    vectors = shared_embedder(settings.EMBEDDING_MODEL).embed([text for text, _, _ in told])
    for (text, turn, session), own in zip(told, vectors, strict=True):
        yield Citation(
            source="interview",
            turn=turn,
            session=session,
            quote=" ".join(text.split())[:400],
            similarity=_cosine(own, vector),
        )


def _cosine(one: Any, other: Vector) -> float:
    return float(sum(a * b for a, b in zip(one, other, strict=True)))


def _share(source: Citation, words: frozenset[str]) -> float:
    held = _words(f"{source.quote} {source.file or ''} {source.place or ''}")
    return fusion.share(words, held)


def _closeness(source: Citation, words: frozenset[str]) -> float:
    return source.similarity + _share(source, words)


def _is_near(source: Citation, words: frozenset[str]) -> bool:
    return fusion.is_near(source.similarity, _share(source, words))

"""Search across interviews: words and meaning, merged by reciprocal rank."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.search import SearchHeadline, SearchQuery, SearchRank
from django.db import connection, transaction
from django.db.models import F, QuerySet, Value
from pgvector.django import CosineDistance

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder, Vector
from graphs.models import KGNode
from interviews.errors import FormRefused
from interviews.models import SearchEntry, Session, Utterance
from interviews.retrieval.fusion import LEAST, fuse
from interviews.retrieval.ranking import MOST_MATCHES, config_of, plain_words, word_query

MOST_TEXT = 400
MOST_WORDS = 32
CANDIDATES = 60
SHOWN = 20
OPENS, CLOSES = "\ue000", "\ue001"
"""Stand around what matched in a snippet: characters that no keyboard has."""
DEFAULT_KINDS = (SearchEntry.Kind.ANSWER, SearchEntry.Kind.CONCEPT)
EXACT_UP_TO = 10_000
"""Entries of a scope up to which every vector is compared; beyond, the index finds the nearest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something found: `score` is its reciprocal rank, `similarity` its cosine to the text.

    `snippet` are stretches of the text, each with whether it matched.
    """

    entry: UUID
    kind: str
    source: UUID
    study: UUID
    session: UUID
    turn: int
    text: str
    score: float
    similarity: float
    snippet: tuple[tuple[str, bool], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The result as scripts read it."""
        return {
            "kind": self.kind,
            "session": str(self.session),
            "turn": self.turn,
            "text": self.text,
            "score": self.score,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What is searched for: its words in each language that the interviews are held in."""

    vector: Vector
    words: Sequence[str]
    configs: Sequence[str]

    def query(self, *, every: bool) -> SearchQuery | None:
        """Rows with every word, or any, in one of the languages; None where there are no words."""
        if not self.words:
            return None
        first, *others = (word_query(self.words, c, every=every) for c in self.configs)
        for other in others:
            first = first | other
        return first


def search(
    sessions: QuerySet[Session],
    text: str,
    *,
    kinds: Collection[str] = DEFAULT_KINDS,
    most: int = SHOWN,
    embedder: Embedder | None = None,
) -> list[Hit]:
    """What was said in `sessions` that is nearest to `text`, best first.

    Raises FormRefused for an empty or too long text, and for a kind that there is not.
    """
    return snippets(
        nearest(sessions, text, kinds=kinds, most=most, embedder=embedder), sessions, text
    )


def nearest(
    sessions: QuerySet[Session],
    text: str,
    *,
    kinds: Collection[str] = DEFAULT_KINDS,
    most: int = SHOWN,
    embedder: Embedder | None = None,
) -> list[Hit]:
    """As `search`, without snippets."""
    text = _checked(text, kinds)
    (vector,) = (embedder or shared_embedder(settings.EMBEDDING_MODEL)).embed([text])
    searched = Searched(
        vector=vector, words=plain_words(text)[:MOST_WORDS], configs=configs_of(sessions)
    )
    rows = SearchEntry.objects.filter(session__in=sessions.order_by().values("pk"))
    rows = rows.filter(kind__in=kinds)
    meant = _by_meaning(rows, searched.vector)
    worded = _by_words(rows, searched)
    scores = fuse(meant, worded)
    best = sorted(scores, key=lambda key: (-scores[key], str(key)))[: 2 * most + 10]
    found = SearchEntry.objects.filter(pk__in=best).annotate(
        distance=CosineDistance("embedding", vector)
    )
    there = {entry.pk: entry for entry in found.defer("embedding", "words")}
    hits = [_hit(there[key], scores[key]) for key in best if key in there]
    literal = set(worded)
    near = [hit for hit in hits if hit.similarity >= LEAST or hit.entry in literal]
    return _standing(near)[:most]


def _checked(text: str, kinds: Collection[str]) -> str:
    text = " ".join(text.split())
    if not text or len(text) > MOST_TEXT:
        raise FormRefused(
            f"text: between 1 and {MOST_TEXT} characters to search for.",
            fields={"text": f"between 1 and {MOST_TEXT} characters"},
        )
    unknown = sorted(set(kinds) - set(SearchEntry.Kind.values))
    if unknown or not kinds:
        told = ", ".join(SearchEntry.Kind.values)
        named = f"{unknown[0]!r} is none" if unknown else "none is named"
        raise FormRefused(f"kind: {named}; there are {told}.", fields={"kind": f"one of {told}"})
    return text


def configs_of(sessions: QuerySet[Session]) -> list[str]:
    """The text search configurations of the languages that `sessions` are held in."""
    languages = sessions.order_by().values_list("language", flat=True).distinct()
    return sorted({config_of(language) for language in languages}) or [config_of("en")]


def _by_meaning(rows: QuerySet[SearchEntry], vector: Vector) -> list[UUID]:
    distance: Any = CosineDistance("embedding", vector)
    if rows.order_by()[: EXACT_UP_TO + 1].count() <= EXACT_UP_TO:
        distance = distance + Value(0.0)  # an expression for which there is no index
    nearest_first = rows.order_by(distance).values_list("pk", flat=True)
    with transaction.atomic(), connection.cursor() as cursor:
        # The index goes on until enough rows of the scope are found.
        cursor.execute("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)")
        cursor.execute("SELECT set_config('hnsw.ef_search', %s, true)", [str(2 * CANDIDATES)])
        return list(nearest_first[:CANDIDATES])


def _by_words(rows: QuerySet[SearchEntry], searched: Searched) -> list[UUID]:
    """Those with every word first, then those with any."""
    found: list[UUID] = []
    for every in (True, False):
        query = searched.query(every=every)
        if query is None or len(found) >= CANDIDATES:
            break
        matching = rows.filter(words=query).order_by().values("pk")[:MOST_MATCHES]
        ranked = SearchEntry.objects.filter(pk__in=matching)
        ranked = ranked.annotate(rank=SearchRank(F("words"), query)).order_by("-rank", "pk")
        found += ranked.values_list("pk", flat=True)[:CANDIDATES]
    return list(dict.fromkeys(found))[:CANDIDATES]


def _hit(entry: SearchEntry, score: float) -> Hit:
    return Hit(
        entry=entry.pk,
        kind=entry.kind,
        source=entry.source,
        study=entry.study_id,
        session=entry.session_id,
        turn=entry.turn,
        text=entry.text,
        score=round(score, 5),
        similarity=round(1 - float(vars(entry)["distance"]), 3),
    )


def _standing(hits: Sequence[Hit]) -> list[Hit]:
    """Without what has gone since it was read: a corrected concept, an answer taken back."""
    sources = [hit.source for hit in hits]
    said = Utterance.objects.filter(pk__in=sources).values_list("pk", flat=True)
    nodes = KGNode.objects.filter(pk__in=sources).live().values_list("pk", flat=True)
    there = {*said, *nodes}
    return [hit for hit in hits if hit.source in there]


def snippets(hits: Sequence[Hit], sessions: QuerySet[Session], text: str) -> list[Hit]:
    """The hits with the stretches of their texts that match marked."""
    words = plain_words(text)[:MOST_WORDS]
    if not hits or not words:
        return [_with(hit, hit.text) for hit in hits]
    config = configs_of(sessions)[0]
    headline = SearchHeadline(
        "text",
        word_query(words, config),
        config=config,
        start_sel=OPENS,
        stop_sel=CLOSES,
        max_words=40,
        min_words=25,
    )
    rows = SearchEntry.objects.filter(pk__in=[hit.entry for hit in hits])
    marked: Mapping[UUID, str] = dict(rows.annotate(marked=headline).values_list("pk", "marked"))
    return [_with(hit, marked.get(hit.entry, hit.text)) for hit in hits]


def _with(hit: Hit, marked: str) -> Hit:
    return replace(hit, snippet=tuple(_stretches(marked)))


def _stretches(marked: str) -> Iterable[tuple[str, bool]]:
    first, *others = marked.split(OPENS)
    if first:
        yield first, False
    for other in others:
        inside, _, after = other.partition(CLOSES)
        yield inside, True
        if after:
            yield after, False

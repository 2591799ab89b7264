"""Rows of any table ranked by words or by meaning, as the database does it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import F, Model, QuerySet
from pgvector.django import CosineDistance

from graphs.language.vectors import Vector
from interviews.wording.languages import base

Row = TypeVar("Row", bound=Model)

CONFIGS = {"en": "english", "it": "italian", "de": "german", "fr": "french", "es": "spanish"}
"""PostgreSQL's text search configuration of each language."""
MOST_MATCHES = 2_000
"""Of rows that hold any of the words no more are ranked: a word that all have tells nothing."""

_WORD = re.compile(r"[^\W_]+(?:\.\d+)?")


def config_of(language: str) -> str:
    """The text search configuration of a language; English where nobody speaks it."""
    return CONFIGS[base(language)]


def plain_words(text: str) -> list[str]:
    """The words of a text, each once and safe in a query."""
    return list(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))


def word_query(words: Iterable[str], config: str, *, every: bool = False) -> SearchQuery:
    """A query for rows that have `every` word, or any of them; the words are letters and digits."""
    joined = (" & " if every else " | ").join(f"'{word}'" for word in words)
    return SearchQuery(joined, search_type="raw", config=config)


def by_meaning(rows: QuerySet[Row], field: str, vector: Vector, most: int) -> list[Row]:
    """The rows whose embedding in `field` is nearest, nearest first."""
    return list(rows.order_by(CosineDistance(field, vector))[:most])


def by_words(
    rows: QuerySet[Row], document: SearchVector | F, query: SearchQuery, most: int
) -> list[Row]:
    """The rows whose text matches a query, best first; those ranked alike by their key."""
    matching = rows.alias(document=document).filter(document=query)
    ranked = matching.annotate(rank=SearchRank(document, query))
    return list(ranked.order_by("-rank", "pk")[:most])

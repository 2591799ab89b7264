"""What is searched across interviews, apart from the tables that interviews write to."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Now
from pgvector.django import HnswIndex, VectorField

from graphs.language.embeddings import DIMENSIONS
from interviews.models.session import Session
from interviews.models.study import Study


class SearchEntry(models.Model):
    """An answer, a question or a concept as search finds it, by the id of its utterance or node.

    Written by `interviews.retrieval.index` alone, and no foreign key to what it stands for: that is
    written by statements which know nothing of search, and what is gone is left out when found.
    """

    class Kind(models.TextChoices):
        ANSWER = "answer"
        QUESTION = "question"
        CONCEPT = "concept"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="search_entries")
    kind = models.CharField(max_length=8, choices=Kind)
    source = models.UUIDField()
    turn = models.PositiveIntegerField()
    text = models.TextField()
    words = SearchVectorField()
    embedding = VectorField(dimensions=DIMENSIONS)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "source"], name="uniq_search_source")
        ]
        indexes: ClassVar = [
            GinIndex(name="search_entry_words", fields=["words"]),
            HnswIndex(
                name="search_entry_hnsw", fields=["embedding"], opclasses=["vector_cosine_ops"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.session_id}"


class SearchedSession(models.Model):
    """How far an interview is in search: the graph and the utterances that were last read."""

    session = models.OneToOneField(
        Session, primary_key=True, on_delete=models.CASCADE, related_name="searched"
    )
    graph_version = models.PositiveIntegerField(default=0)
    last_sequence = models.PositiveIntegerField(default=0)
    read_at = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"search of {self.session_id}"


class SearchCollection(models.Model):
    """Results of a search that somebody keeps under a name, as they were: places, not words."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(
        Study, null=True, on_delete=models.CASCADE, related_name="collections"
    )
    name = models.CharField(max_length=120)
    text = models.CharField(max_length=400, help_text="What was searched for.")
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-made_at"]

    def __str__(self) -> str:
        return self.name


class CollectedEntry(models.Model):
    """A result in a collection; it goes with its interview."""

    collection = models.ForeignKey(
        SearchCollection, on_delete=models.CASCADE, related_name="entries"
    )
    entry = models.ForeignKey(SearchEntry, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["collection", "entry"], name="uniq_collected_entry")
        ]

    def __str__(self) -> str:
        return f"{self.position} of {self.collection_id}"

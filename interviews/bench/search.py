"""How long a search takes where a hundred thousand things were said."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import numpy as np
from django.conf import settings
from django.contrib.postgres.search import SearchVector
from django.db import connection
from django.db.models import Value
from numpy.typing import NDArray

from graphs.language.embeddings import DIMENSIONS, shared_embedder
from interviews.bench.turn import rolled_back, study_for_bench
from interviews.models import SearchEntry, Session, Study, Utterance
from interviews.retrieval.search import search

UTTERANCES, PER_SESSION = 100_000, 50
SAMPLES, WARM_UP = 60, 3
AT_ONCE = 2_000
SEED = 29
INDEX = "search_entry_hnsw"
THINGS = (
    "the straps", "the rain cover", "the weight", "my shoulders", "the price", "a zip",
    "the colour", "the frame", "the pockets", "my sleeping bag", "the summit", "a long walk",
    "the weather", "the shop", "the seams", "my back", "the bottle", "the map", "a friend",
)  # fmt: skip
DOINGS = (
    "made me feel free", "was too heavy after two hours", "kept everything dry",
    "broke last winter", "matters more than anything else", "cost too much", "never bothered me",
    "let me walk further", "was hard to reach", "gave me a sore neck", "is what I look at first",
    "saved the whole day",
)  # fmt: skip
QUESTIONS = (
    "what keeps things dry", "sore shoulders", "feeling free on the summit", "price",
    "a broken zip", "how far can one walk", "what is looked at first", "weight after two hours",
)  # fmt: skip


def bench_search(utterances: int = UTTERANCES, samples: int = SAMPLES) -> dict[str, Any]:
    """Return p50 and p95 milliseconds of a search of everything, and of one study of a hundred.

    The text's embedding and the snippets included; everything is rolled back.
    """
    sessions = max(utterances // PER_SESSION, 1)
    with rolled_back():
        study, other = study_for_bench(), study_for_bench()
        began = time.perf_counter()
        _fill(study, other, sessions)
        filled = time.perf_counter() - began
        every = Session.objects.filter(study__in=[study, other])
        timed = {
            "all": _measured(every, samples),
            "study": _measured(every.filter(study=other), samples),
        }
    return {
        "utterances": sessions * PER_SESSION,
        "p50_ms": timed["all"]["p50_ms"],
        "p95_ms": timed["all"]["p95_ms"],
        "study": timed["study"],
        "conditions": {
            "sessions": sessions,
            "sessions_of_the_study": max(sessions // 100, 1),
            "samples": samples,
            "fill_seconds": round(filled, 1),
        },
    }


def _fill(study: Study, other: Study, sessions: int) -> None:
    """Store interviews with their entries; the index is built once they are there.

    Vectors are those of real sentences with noise of their own: embedding each would take an hour.
    """
    few = max(sessions // 100, 1)
    rows = Session.objects.bulk_create(
        (
            Session(study=other if n < few else study, last_sequence=PER_SESSION)
            for n in range(sessions)
        ),
        batch_size=AT_ONCE,
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"DROP INDEX {INDEX}")
    chance = random.Random(SEED)  # noqa: S311 - material of a measurement
    noise = np.random.default_rng(SEED)
    known = _sentences()
    for first in range(0, len(rows), AT_ONCE // PER_SESSION):
        _store(rows[first : first + AT_ONCE // PER_SESSION], known, chance, noise)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL maintenance_work_mem = '512MB'")
        cursor.execute(
            f"CREATE INDEX {INDEX} ON interviews_searchentry USING hnsw "
            "(embedding vector_cosine_ops)"
        )
        cursor.execute("ANALYZE")


def _sentences() -> list[tuple[str, NDArray[np.float32]]]:
    texts = [f"{thing} {doing}" for thing in THINGS for doing in DOINGS]
    vectors = shared_embedder(settings.EMBEDDING_MODEL).embed(texts)
    return list(zip(texts, vectors, strict=True))


def _store(
    rows: list[Session],
    known: list[tuple[str, NDArray[np.float32]]],
    chance: random.Random,
    noise: np.random.Generator,
) -> None:
    said: list[Utterance] = []
    entries: list[SearchEntry] = []
    for session in rows:
        for place, (text, vector) in enumerate(_answers(known, chance, noise), start=1):
            utterance = Utterance(
                id=uuid4(),
                session=session,
                turn_number=place,
                sequence=place,
                speaker=Utterance.Speaker.RESPONDENT,
                text=text,
            )
            said.append(utterance)
            entries.append(
                SearchEntry(
                    study_id=session.study_id,
                    session=session,
                    kind=SearchEntry.Kind.ANSWER,
                    source=utterance.pk,
                    turn=place,
                    text=text,
                    words=SearchVector(Value(text), config="english"),
                    embedding=vector,
                )
            )
    Utterance.objects.bulk_create(said)
    SearchEntry.objects.bulk_create(entries)


def _answers(
    known: list[tuple[str, NDArray[np.float32]]], chance: random.Random, noise: np.random.Generator
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for number in range(PER_SESSION):
        chosen = chance.sample(known, 3)
        mixed = sum(vector for _, vector in chosen) + noise.normal(0, 0.03, DIMENSIONS)
        text = ". ".join(text.capitalize() for text, _ in chosen)
        yield f"{text}. That was time {number}.", (mixed / np.linalg.norm(mixed)).astype("float32")


def _measured(sessions: Any, samples: int) -> dict[str, float]:
    taken = []
    for sample in range(WARM_UP + samples):
        # A number of its own keeps a text from being embedded already.
        text = f"{QUESTIONS[sample % len(QUESTIONS)]} {sample}"
        began = time.perf_counter()
        found = search(sessions, text)
        elapsed = (time.perf_counter() - began) * 1000
        assert found, "a search of the bench finds something"
        if sample >= WARM_UP:
            taken.append(elapsed)
    taken.sort()
    return {
        "p50_ms": round(statistics.median(taken), 1),
        "p95_ms": round(taken[math.ceil(0.95 * len(taken)) - 1], 1),
    }

"""Own time of a turn: everything but the language model, at several sizes of graph."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection, transaction

from graphs import store as graph_store
from graphs.canonical import aggregate_edges
from graphs.domain import Mention, Node, SessionGraph, Slot, SlotMapping, new_id
from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder, Vector
from graphs.matching import SharedReader
from graphs.matching.alignment import Features
from graphs.resident import resident_graphs
from graphs.tracker import NodeStateTracker
from interviews import dispatch, services
from interviews.bench.stub import StubGateway
from interviews.models import Session, Study, Turn, Utterance
from interviews.pipeline import runner
from interviews.pipeline.assembly import build_engine, warm_up
from methodologies.registry import CONCEPT, METHODOLOGY, methodology_of, newest
from methodologies.schema import MethodologySchema

SIZES = (25, 250, 1000)
SAMPLES = 21
WARM_UP = 3
ANSWER = (
    "Well, the shoulder straps are soft, so I can walk further, and that matters because "
    "I feel free when I reach the top before the others do."
)
QUALITIES = ("sturdy", "soft", "quiet", "bright", "narrow", "warm", "plain", "quick", "deep", "odd")
THINGS = ("strap", "zip", "lid", "handle", "frame", "pocket", "buckle", "seam", "label", "hinge")
SETTINGS = (
    *("at work", "in the rain", "on the train", "at the gym", "in winter"),
    *("at night", "on holiday", "with the children", "in the kitchen", "at school"),
)
"""Words of the labels in the graph; together they give LARGEST."""
LARGEST = 1000


class TimedEmbedder:
    """An embedder that adds up the seconds it took; its cache is not used."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.dimensions = inner.dimensions
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        started = time.perf_counter()
        vectors = self._inner.embed(texts)
        self.seconds += time.perf_counter() - started
        return vectors


class TimedReader:
    """The reader of labels that ships; adds up the seconds it took."""

    def __init__(self) -> None:
        self._inner = SharedReader()
        self.seconds = 0.0

    @property
    def threshold(self) -> float:
        """The probability from which two labels are one concept."""
        return self._inner.threshold

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        """Judge as the reader does."""
        started = time.perf_counter()
        chances = self._inner.probabilities(pairs, found)
        self.seconds += time.perf_counter() - started
        return chances


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one turn took, in milliseconds, and its queries."""

    total: float
    embedding: float
    reading: float
    queries: int

    @property
    def beside(self) -> float:
        """All but embedding."""
        return self.total - self.embedding


def bench_turn(sizes: Sequence[int] = SIZES, samples: int = SAMPLES) -> dict[str, Any]:
    """Return p50 and p95 of a turn's own time in milliseconds, and its queries, by graph size.

    `embedding_p50_ms` is the embedding model's share, `reading_p50_ms` that of the network which
    reads labels together, `beside_p50_ms` the median of all but embedding and `beside_min_ms` its
    least, which says more where other programs share the processor; `beside_models_p50_ms` is
    without the network, too. `loaded_` stands before the figures of a turn whose process has not
    worked on the session before, or has forgotten it: it reads the whole graph first. The language
    model answers at once with five new concepts a turn; database, labels, embeddings and matching
    are real, and slots and SRL are on; the process is warmed up as a worker's is. Everything is
    rolled back, so the time includes the check of foreign keys that a commit makes, but not the
    flush to disk. `sizes` go up to LARGEST.
    """
    warm_up()
    embedder, reader = TimedEmbedder(shared_embedder(settings.EMBEDDING_MODEL)), TimedReader()
    engine = build_engine(
        lambda context, stage: None, gateway=StubGateway(), embedder=embedder, reader=reader
    )

    def measured(turn: Turn) -> Measured:
        embedder.seconds = reader.seconds = 0.0
        with counted_queries() as count:
            started = time.perf_counter()
            outcome = runner.process_turn(turn.pk, engine=engine)
            elapsed = time.perf_counter() - started
        elapsed += _seconds_of_deferred_checks()
        if outcome is not runner.Outcome.DONE:
            turn.refresh_from_db()
            raise RuntimeError(f"the measured turn did not finish: {turn.error}")
        return Measured(
            total=elapsed * 1000,
            embedding=embedder.seconds * 1000,
            reading=reader.seconds * 1000,
            queries=count(),
        )

    results = []
    with rolled_back():
        study = study_for_bench()
        for size in sizes:
            kept: list[Measured] = []
            loaded: list[Measured] = []
            for sample in range(2 * (samples + WARM_UP)):
                # The first turn brings the graph to its size, and into the process.
                turn = prepared_turn(study, size - StubGateway.CONCEPTS, sample)
                measured(turn)
                if sample & (sample - 1) == 0:
                    _analyze()
                if sample % 2:
                    resident_graphs.forget(str(turn.session_id))
                (loaded if sample % 2 else kept).append(measured(next_turn(turn, sample)))
            results.append(
                {"nodes": size}
                | _figures(kept[WARM_UP:])
                | {f"loaded_{name}": v for name, v in _figures(loaded[WARM_UP:]).items()}
            )
    return {
        "sizes": results,
        "conditions": {
            "samples": samples,
            "new_concepts_a_turn": StubGateway.CONCEPTS,
            "llm_latency_ms": 0,
            "srl": True,
            "canonical_slots": True,
            "embedding_model": "all-MiniLM-L6-v2",
        },
    }


def _figures(turns: Sequence[Measured]) -> dict[str, Any]:
    totals = [turn.total for turn in turns]
    return {
        "p50_ms": round(statistics.median(totals), 1),
        "p95_ms": round(float(np.percentile(totals, 95)), 1),
        "embedding_p50_ms": round(statistics.median(turn.embedding for turn in turns), 1),
        "reading_p50_ms": round(statistics.median(turn.reading for turn in turns), 1),
        "beside_p50_ms": round(statistics.median(turn.beside for turn in turns), 1),
        "beside_min_ms": round(min(turn.beside for turn in turns), 1),
        "beside_models_p50_ms": round(
            statistics.median(turn.beside - turn.reading for turn in turns), 1
        ),
        "queries": max(turn.queries for turn in turns),
    }


def study_for_bench() -> Study:
    """Make the study whose turns are measured; call it inside `rolled_back`."""
    methodology, concept = (
        newest(METHODOLOGY, "means_end_chain"),
        newest(CONCEPT, "hiking_backpacks"),
    )
    return Study.objects.create(
        slug=f"bench-{new_id()}",
        name="Bench",
        methodology_version=methodology,
        concept_version=concept,
        max_turns=60,
        enable_srl=True,
        enable_canonical_slots=True,
    )


def prepared_turn(study: Study, size: int, sample: int) -> Turn:
    """A session whose graph already has `size` nodes, with an answer accepted and not processed.

    The nodes come from one earlier answer; every node and edge has its mention there.
    """
    methodology = methodology_of(study.methodology_version)
    with dispatch.held_back():
        session = services.start_session(study, seed=sample, simulated=True)
        services.accept_answer(session.pk, ANSWER)
        Turn.objects.filter(session=session).update(status=Turn.Status.DONE)
        said = Utterance.objects.get(session=session, turn_number=1)
        graph = _filled_graph(size, methodology)
        _mention_everything(graph, str(said.pk))
        aggregate_edges(graph)
        graph_store.save(session.pk, graph)
        tracker = NodeStateTracker()
        for node in graph.nodes.values():
            tracker.register_node(node, 1, 0.0, methodology.graph_ontology)
        for mapping in graph.mappings.values():
            tracker.follow_slot(mapping.node_id, mapping.slot_id)
        Session.objects.filter(pk=session.pk).update(
            node_tracker_state=tracker.to_dict(), turn_count=1
        )
    return next_turn(Turn.objects.get(session=session, number=1), sample)


def next_turn(turn: Turn, sample: int) -> Turn:
    """The newest turn of the session, with an answer accepted and not processed.

    Other words in every sample: what is remembered of a text must not make the next faster.
    """
    number = Session.objects.values_list("turn_count", flat=True).get(pk=turn.session_id) + 1
    with dispatch.held_back():
        services.accept_answer(
            turn.session_id, f"{ANSWER} That was on walk {number} of day {sample}."
        )
    connection.check_constraints()
    return Turn.objects.get(session_id=turn.session_id, number=number)


def _filled_graph(size: int, methodology: MethodologySchema) -> SessionGraph:
    """`size` nodes over all types, each joined to an earlier one where the ontology permits."""
    ontology, graph = methodology.graph_ontology, SessionGraph()
    random = np.random.default_rng(7)
    types = [node_type.name for node_type in ontology.node_types]
    chain = [e for e in ontology.edge_types if e.chain]
    previous: dict[str, str] = {}
    for index, (label, vector) in enumerate(_labels()[:size]):
        node_type = types[index % len(types)]
        node = graph.add_node(
            label=label,
            node_type=node_type,
            level=ontology.level_of(node_type),
            turn=1,
            vector=vector,
        )
        _map_to_slot(graph, node, index // len(types), random)
        for source_type, source in previous.items():
            edge = next((e for e in chain if (source_type, node_type) in e.permitted), None)
            if edge is not None:
                graph.add_edge(source_id=source, target_id=node.id, edge_type=edge.name, turn=1)
                break
        previous[node_type] = node.id
    return graph


def _map_to_slot(graph: SessionGraph, node: Node, number: int, random: np.random.Generator) -> None:
    """Two nodes of a type share an active slot, as paraphrases do.

    Its vector is random, so that every new concept ends in a new slot: the longest way.
    """
    name = f"{node.node_type}_{number // 2}"
    slot = next((s for s in graph.slots.values() if s.slot_name == name), None)
    if slot is None:
        slot = Slot(
            id=new_id(),
            slot_name=name,
            description=f"What is meant by {node.label}",
            node_type=node.node_type,
            support_count=1,
            first_seen_turn=1,
        )
        vector = random.standard_normal(384).astype(np.float32)
        graph.put_slot(slot, vector / np.linalg.norm(vector))
    else:
        graph.put_slot(replace(slot, status="active", support_count=2, promoted_turn=1))
    graph.put_mapping(
        SlotMapping(node_id=node.id, slot_id=slot.id, similarity=1.0, assigned_turn=1)
    )


def _mention_everything(graph: SessionGraph, utterance_id: str) -> None:
    """One mention of every node and every edge, all in one utterance."""
    things: list[tuple[str | None, str | None]] = [(node_id, None) for node_id in graph.nodes]
    things += [(None, edge_id) for edge_id in graph.edges]
    for node_id, edge_id in things:
        graph.add_mention(
            Mention(
                id=new_id(),
                utterance_id=utterance_id,
                quote="the shoulder straps are soft",
                start=6,
                end=34,
                turn=1,
                label="the shoulder straps are soft",
                node_id=node_id,
                edge_id=edge_id,
            )
        )


@cache
def _labels() -> Sequence[tuple[str, Vector]]:
    """LARGEST labels with their embeddings."""
    texts = [
        f"{QUALITIES[n % 10]} {THINGS[(n // 10 + n) % 10]} {SETTINGS[(n // 100 + n) % 10]}"
        for n in range(LARGEST)
    ]
    vectors = shared_embedder(settings.EMBEDDING_MODEL).embed(texts)
    return list(zip(texts, vectors, strict=True))


@contextmanager
def counted_queries() -> Iterator[Callable[[], int]]:
    """Count the statements of this connection, transaction control aside."""
    count = 0

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        count += not sql.startswith(("SAVEPOINT", "RELEASE SAVEPOINT"))
        return run(sql, params, many, context)

    with connection.execute_wrapper(execute):
        yield lambda: count


def _analyze() -> None:
    """Tell the planner how large the tables are, as autovacuum does while interviews go on.

    It sees nothing of a transaction that is open; without it statements would be planned for the
    tables as they were before, and those may have been empty. How large they were outlasts the
    rollback, until autovacuum comes by.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _seconds_of_deferred_checks() -> float:
    """Make the checks that a commit would make, and return how long they took."""
    started = time.perf_counter()
    connection.check_constraints()
    return time.perf_counter() - started


@contextmanager
def rolled_back() -> Iterator[None]:
    """Keep nothing of what the block writes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)

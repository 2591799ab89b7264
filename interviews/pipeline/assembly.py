"""Puts the twelve stages together with their ports, where they meet the real world."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache

from django.conf import settings

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Embedder
from graphs.matching import Label, Matcher, PairJudge, SharedReader
from interviews import nlp
from interviews.llm.gateway import Gateway
from interviews.llm.setup import build_gateway
from interviews.modes.base import Director
from interviews.modes.registry import director_of, modes
from interviews.pipeline import tracking
from interviews.pipeline.engine import Engine, Observer, Stage
from interviews.pipeline.stages.context_loading import ContextLoadingStage
from interviews.pipeline.stages.continuation import ContinuationStage
from interviews.pipeline.stages.extraction import ExtractionStage
from interviews.pipeline.stages.graph_update import GraphUpdateStage
from interviews.pipeline.stages.question_generation import QuestionGenerationStage
from interviews.pipeline.stages.response_saving import ResponseSavingStage
from interviews.pipeline.stages.scoring_persistence import ScoringPersistenceStage
from interviews.pipeline.stages.slot_discovery import SlotDiscoveryStage
from interviews.pipeline.stages.srl_preprocessing import SRLPreprocessingStage
from interviews.pipeline.stages.state_computation import StateComputationStage
from interviews.pipeline.stages.strategy_selection import StrategySelectionStage
from interviews.pipeline.stages.utterance_saving import UtteranceSavingStage

YOUNG_OBJECTS = 20_000
"""How many new objects make the collector look for cycles among them."""


def directors() -> Mapping[str, Director]:
    """Every mode's director, by mode."""
    return {name: director_of(name) for name in modes()}


def stages(
    *,
    gateway: Gateway,
    embedder: Embedder,
    by_mode: Mapping[str, Director],
    reader: PairJudge | None = None,
) -> Sequence[Stage]:
    """The twelve stages in their order; `reader` has the last word on which labels are one."""
    matcher_for = lru_cache(maxsize=64)(
        lambda synonyms, near: Matcher(embedder, synonyms=synonyms, reader=reader, near=near)
    )
    return (
        ContextLoadingStage(),
        UtteranceSavingStage(),
        SRLPreprocessingStage(lambda text: nlp.analyse(text, model=settings.SPACY_MODEL)),
        ExtractionStage(by_mode, gateway),
        GraphUpdateStage(matcher_for, gateway),
        SlotDiscoveryStage(gateway, embedder, matcher_for),
        StateComputationStage(by_mode),
        StrategySelectionStage(by_mode),
        ContinuationStage(by_mode),
        QuestionGenerationStage(by_mode, gateway, embedder),
        ResponseSavingStage(),
        ScoringPersistenceStage(by_mode),
    )


def build_engine(
    observe: Observer,
    *,
    gateway: Gateway | None = None,
    embedder: Embedder | None = None,
    reader: PairJudge | None = None,
) -> Engine:
    """The engine as this installation is configured; its ports may be given from outside.

    With an embedder from outside, and no reader, nothing else reads labels: what it makes of them
    decides.
    """
    by_mode = directors()
    return Engine(
        stages(
            gateway=gateway or build_gateway(),
            embedder=embedder or shared_embedder(settings.EMBEDDING_MODEL),
            by_mode=by_mode,
            reader=reader or (None if embedder else SharedReader()),
        ),
        directors=list(by_mode.values()),
        follow=tracking.follow,
        clock=time.monotonic,
        observe=observe,
    )


def warm_up() -> None:
    """Load every model and lexicon that a turn uses, so that no respondent waits for them.

    Raises EmbeddingModelUnavailable where the embedding model cannot be loaded.
    """
    build_gateway().warm_up()
    embedder = shared_embedder(settings.EMBEDDING_MODEL)
    embedder.load()
    one, other = (Label(text=text, node_type="") for text in ("soft straps", "padded straps"))
    Matcher(embedder, reader=SharedReader()).compare(one, other)
    # After the models above, which bring the same libraries: what loads both at once may crash.
    nlp.analyse("The straps are soft, so I can walk further.", model=settings.SPACY_MODEL)
    # All this stays for good. A full collection that walked through it, 400,000 objects, would hold
    # up every turn of the process for a fifth of a second.
    gc.collect()
    gc.freeze()
    # What a turn makes it keeps to its end: looking through it at every 700th object, as Python
    # does by itself, finds nothing and takes a twentieth of a large turn.
    gc.set_threshold(YOUNG_OBJECTS)
    _return_memory()


def _return_memory() -> None:
    """Give back to the system what loading left unused, where the C library can (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)

"""Time of scoring: every strategy on every node, and the winner with its contributions."""

from __future__ import annotations

import statistics
import time
from itertools import cycle, islice
from typing import Any

import numpy as np

from methodologies.qualifiers import qualifiers_of
from methodologies.registry import LIBRARY
from methodologies.schema import MethodologySchema
from methodologies.scoring import NodeRef, rank
from methodologies.signals.base import (
    PairValues,
    SignalReading,
    SignalSpec,
    StrategyValues,
    Value,
    load_signals,
)
from methodologies.yaml_loader import load_methodology

STRATEGIES, NODES = 30, 1000
SAMPLES, WARM_UP = 101, 5
METHODOLOGY = "means_end_chain"


def bench_scoring(
    strategies: int = STRATEGIES, nodes: int = NODES, samples: int = SAMPLES
) -> dict[str, Any]:
    """Return p50 and p95 in milliseconds of ranking all pairs and working out the winner.

    The strategies are a shipped methodology's, repeated under new names; every node has its own
    values of all signals.
    """
    methodology = _methodology(strategies)
    random = np.random.default_rng(7)
    refs = [NodeRef(id=f"n{i}", first_turn=i // 5 + 1, order=i) for i in range(nodes)]
    reading = _reading(methodology, [ref.id for ref in refs], random)
    names = [strategy.name for strategy in methodology.strategies]
    times = []
    for sample in range(samples + WARM_UP):
        started = time.perf_counter()
        ranking = rank(methodology, reading, phase="mid", nodes=refs, strategy_history=names[:2])
        chosen = ranking.chosen
        elapsed = (time.perf_counter() - started) * 1000
        if not chosen.contributions:
            raise RuntimeError("the winner came without contributions")
        if sample >= WARM_UP:
            times.append(elapsed)
    return {
        "p50_ms": round(statistics.median(times), 2),
        "p95_ms": round(float(np.percentile(times, 95)), 2),
        "conditions": {
            "strategies": strategies,
            "nodes": nodes,
            "weights": sum(len(s.signal_weights) for s in methodology.strategies),
            "signals": len(load_signals().names),
            "samples": samples,
            "measured": "ranking of all pairs, and the winner's contributions",
        },
    }


def _methodology(strategies: int) -> MethodologySchema:
    path = LIBRARY / "methodologies" / f"{METHODOLOGY}.yaml"
    shipped = load_methodology(path.read_text(encoding="utf-8"), path.name)
    many = tuple(
        strategy.model_copy(update={"name": f"{strategy.name}_{number}"})
        for number, strategy in enumerate(islice(cycle(shipped.strategies), strategies))
    )
    return shipped.model_copy(update={"strategies": many})


def _reading(
    methodology: MethodologySchema, node_ids: list[str], random: np.random.Generator
) -> SignalReading:
    """A value of every signal for everything that it is read for."""
    reading = SignalReading(node_values={node_id: {} for node_id in node_ids})
    names = [strategy.name for strategy in methodology.strategies]
    for spec in load_signals():
        match spec.scope:
            case "global":
                reading.global_values[spec.name] = _value(spec, methodology, random)
            case "node":
                for values in reading.node_values.values():
                    values[spec.name] = _value(spec, methodology, random)
            case "strategy":
                reading.strategy_values[spec.name] = StrategyValues(
                    default=0.0, values={name: _value(spec, methodology, random) for name in names}
                )
            case "strategy_node":
                reading.pair_values[spec.name] = PairValues(
                    default="none",
                    values={
                        (names[i % len(names)], node_id): _value(spec, methodology, random)
                        for i, node_id in enumerate(node_ids)
                    },
                )
    return reading


def _value(spec: SignalSpec, methodology: MethodologySchema, random: np.random.Generator) -> Value:
    match spec.kind:
        case "ratio":
            return float(random.random())
        case "bool":
            return bool(random.integers(2))
        case "count":
            return int(random.integers(10))
        case "category":
            named = spec.values or qualifiers_of(spec, methodology.graph_ontology)
            return str(random.choice(named))

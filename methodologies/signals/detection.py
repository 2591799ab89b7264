"""Takes a turn's reading: every signal that a methodology names, in the proven order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from methodologies.signals.base import (
    Measured,
    NodeView,
    PairValues,
    SignalReading,
    SignalSpec,
    StrategyValues,
    Value,
    load_signals,
    plan_signals,
)
from methodologies.signals.inputs import SignalInputs

_TYPE, _LEVEL, _STANCE = attrgetter("node_type"), attrgetter("level"), attrgetter("stance")


def detect(names: Sequence[str], inputs: SignalInputs) -> SignalReading:
    """Measure the named signals (group names allowed) in an order proven from their dependencies.

    What they require is measured too but only the named ones are in the reading. Every live node
    has an entry in `node_values`. Raises SignalError for an unknown name.
    """
    order = plan_signals(tuple(names))
    registry = load_signals()
    wanted = {member for name in names for member in registry.expand(name)}
    reading = SignalReading()
    for spec in order:
        if spec.scope != "node":
            known = {name: reading.global_values.get(name) for name in spec.requires}
            _keep(reading, spec, spec.measure(inputs, known))
    per_node = [spec for spec in order if spec.scope == "node"]
    reading.node_values.update(_measure_nodes(per_node, inputs, reading.global_values, wanted))
    return replace(
        reading,
        global_values={k: v for k, v in reading.global_values.items() if k in wanted},
    )


def _keep(reading: SignalReading, spec: SignalSpec, measured: Measured) -> None:
    if isinstance(measured, StrategyValues):
        reading.strategy_values[spec.name] = measured
    elif isinstance(measured, PairValues):
        reading.pair_values[spec.name] = measured
    elif measured is not None:
        reading.global_values[spec.name] = measured


def _measure_nodes(
    specs: Sequence[SignalSpec],
    inputs: SignalInputs,
    global_values: Mapping[str, Value],
    wanted: Collection[str],
) -> dict[str, dict[str, Value]]:
    """Measure each distinct view once; nodes whose views are equal share their wanted values."""
    tracker, nodes = inputs.tracker, list(inputs.graph.live_nodes())
    focus = tracker.previous_focus and tracker.key_of(tracker.previous_focus)
    # A state that nothing happened to says nothing that other nodes' states do not.
    telling = inputs.histories.keys() | {focus}
    ids = list(inputs.state_keys)
    alike = zip(
        map(_TYPE, nodes),
        map(_LEVEL, nodes),
        [inputs.degree[node_id] for node_id in ids],
        map(inputs.with_outgoing.__contains__, ids),
        map(inputs.with_incoming.__contains__, ids),
        map(inputs.chain_gaps.__getitem__, ids),
        [key if key in telling else None for key in inputs.state_keys.values()],
        map(_STANCE, nodes),
        map(inputs.mentioned_now.__contains__, ids),
        [inputs.leads.get(node_id, 0.0) for node_id in ids],
        map(inputs.disclaimed.__contains__, ids),
        strict=True,
    )
    found: dict[tuple[Any, ...], dict[str, Value]] = {}
    read: dict[str, dict[str, Value]] = {}
    for node_id, seen in zip(ids, alike, strict=True):
        if seen not in found:
            node_type, own_level, edges, leads_on, led_to, gap, key, *exchange = seen
            stance, mentioned_now, lead, disclaimed = exchange
            level = inputs.ontology.level_of(node_type)
            view = NodeView(
                node_type=node_type,
                level=own_level if level is None else level,
                edge_count=edges,
                has_outgoing=leads_on,
                has_incoming=led_to,
                chain_gap=gap,
                state=inputs.histories.get(key),
                is_current_focus=key is not None and key == focus,
                stance=stance,
                mentioned_now=mentioned_now,
                lead=lead,
                disclaimed=disclaimed,
            )
            found[seen] = _measure_view(specs, inputs, view, global_values, wanted)
        read[node_id] = found[seen]
    return read


def _measure_view(
    specs: Sequence[SignalSpec],
    inputs: SignalInputs,
    view: NodeView,
    global_values: Mapping[str, Value],
    wanted: Collection[str],
) -> dict[str, Value]:
    values: dict[str, Any] = {}
    for spec in specs:
        known = {name: values.get(name, global_values.get(name)) for name in spec.requires}
        values[spec.name] = spec.measure(inputs, replace(view, known=known) if known else view)
    return {name: v for name, v in values.items() if name in wanted and v is not None}

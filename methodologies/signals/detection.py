"""Takes a turn's reading: every signal that a methodology names, in the proven order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
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
    tracker, degree = inputs.tracker, inputs.degree
    focus = tracker.previous_focus and tracker.key_of(tracker.previous_focus)
    found: dict[tuple[Any, ...], dict[str, Value]] = {}
    read: dict[str, dict[str, Value]] = {}
    for node in inputs.graph.live_nodes():
        key, edges = inputs.state_keys[node.id], degree[node.id]
        leads_on, led_to = node.id in inputs.with_outgoing, node.id in inputs.with_incoming
        state = tracker.states.get(key)
        if state is not None and not state.has_history:
            state = None
        gap = inputs.chain_gaps[node.id]
        near = (edges, leads_on, led_to, gap)
        alike = (node.node_type, node.level, near, state and key, key == focus)
        if alike not in found:
            level = inputs.ontology.level_of(node.node_type)
            view = NodeView(
                node_type=node.node_type,
                level=node.level if level is None else level,
                edge_count=edges,
                has_outgoing=leads_on,
                has_incoming=led_to,
                chain_gap=gap,
                state=state,
                is_current_focus=key == focus,
            )
            found[alike] = _measure_view(specs, inputs, view, global_values, wanted)
        read[node.id] = found[alike]
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

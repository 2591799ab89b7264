"""Stored turns of older versions, brought up to date a version at a time.

Versions 1 to 3 were kept in five columns, of which `result` has taken up the other four:
`signals`, `node_signals`, `decomposition` and `saturation`. All of them led the exploratory mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interviews.turns.result import RESULT_VERSION
from methodologies.signals.base import pack_nodes, unpack_nodes

Stored = Mapping[str, Any]


class UnknownVersion(ValueError):
    """A stored turn of a version that this installation does not know; says which."""


def version_of(stored: Stored) -> int:
    """The version that a stored turn was written as, 0 for none; openings had none before 4."""
    if "version" in stored:
        return int(stored["version"])
    trace = stored.get("trace")
    if trace is None:
        return 3 if "repairs" in stored else 0
    return int(trace.get("schema_version", 0))


def upgraded(stored: Stored, turn: int) -> Stored:
    """Return a stored turn as the present version stores it. Raises UnknownVersion."""
    version = version_of(stored)
    if version != RESULT_VERSION and version not in _UPGRADES:
        raise UnknownVersion(f"turn {turn} holds no decision trace of a known version")
    for step in range(version, RESULT_VERSION):
        stored = _UPGRADES[step](stored, turn)
    return stored


def _from_1(stored: Stored, turn: int) -> Stored:
    """Version 1 listed each live node as an object and read all nodes beside the others."""
    trace = dict(stored["trace"])
    nodes = trace.pop("nodes")
    values = unpack_nodes(stored["node_signals"])
    ordered = {node["id"]: values.get(node["id"], {}) for node in nodes}
    trace["first_turns"] = [node["first_turn"] for node in nodes]
    trace["reading"] = {**trace["reading"], "nodes": pack_nodes(ordered)}
    return {**stored, "trace": {**trace, "schema_version": 2}}


def _from_2(stored: Stored, turn: int) -> Stored:
    """Version 2 had what nodes read twice: each by itself, and in the reading, in their order."""
    reading = dict(stored["trace"]["reading"])
    nodes = reading.pop("nodes", stored["node_signals"])
    reading.pop("global", None)
    trace = {**stored["trace"], "reading": reading, "schema_version": 3}
    return {**stored, "node_signals": nodes, "trace": trace}


def _from_3(stored: Stored, turn: int) -> Stored:
    """Version 3 spoke of signals and candidates as if there were one mode."""
    if turn == 0:
        return {
            "version": 4,
            "mode": "exploratory",
            "turn": 0,
            "repairs": stored["repairs"],
            "degraded": stored.get("degraded", []),
        }
    trace, selected = stored["trace"], stored["selected"]
    entries = (*stored["decomposition"], *trace["gated"])
    labels = {found["node_id"]: found["label"] for found in entries if found["node_id"]}
    moved = {"trace", "signals", "node_signals", "decomposition"}
    graph = {k: v for k, v in stored["graph_state"].items() if k != "longest_chain"}
    return {
        **{key: value for key, value in stored.items() if key not in moved},
        "version": 4,
        "mode": "exploratory",
        "methodology": trace["methodology_version"],
        "graph_state": graph,
        "selected": {**selected, "label": labels.get(selected["node_id"], "")},
        "left_alone": trace["closed_nodes"],
        "evidence": {
            "mode": "exploratory",
            "phase": trace["phase"],
            "closing_allowed": trace["closing_allowed"],
            "reading": {
                "global": stored["signals"],
                "nodes": stored["node_signals"],
                "strategies": trace["reading"]["strategies"],
                "pairs": trace["reading"]["pairs"],
            },
            "first_turns": trace["first_turns"],
            "strategy_history": trace["strategy_history"],
            "strategy_uses": trace["strategy_uses"],
            "refused": trace["refused"],
            "relaxed": trace["relaxed"],
            "considered": trace["candidates"],
            "best": [_candidate(found) for found in stored["decomposition"]],
            "gated": [_candidate(found) for found in trace["gated"]],
            "labels": labels,
        },
    }


def _candidate(entry: Stored) -> Stored:
    """A candidate as the scoring names its parts; what added nothing is left out."""
    names = ("strategy", "node_id", "rank", "phase_multiplier", "phase_bonus", "gates")
    return {
        **{name: entry[name] for name in names},
        "final_score": entry["final"],
        "base_score": entry["base"],
        "contributions": _acting(entry["contributions"]),
        "node_score": entry["node_score"],
        "node_contributions": _acting(entry["node_contributions"]),
    }


def _acting(parts: list[Stored]) -> list[list[Any]]:
    return [
        [part["key"], part["value"], part["weight"], part["contribution"]]
        for part in parts
        if part["contribution"]
    ]


_ACTS = {
    "answer": "answer",
    "refusal": "refuses",
    "already_told": "objects",
    "clarify": "not_understood",
    "end": "wants_to_stop",
}


def _from_4(stored: Stored, turn: int) -> Stored:
    """Version 4 knew five intents of an answer, and nothing of what was worth following."""
    if not stored.get("extracted"):
        return {**stored, "version": 5}
    extracted = dict(stored["extracted"])
    return {
        **stored,
        "version": 5,
        "heard": {"act": _ACTS[extracted.pop("intent")]},
        "extracted": extracted,
    }


_UPGRADES: Mapping[int, Callable[[Stored, int], Stored]] = {
    1: _from_1,
    2: _from_2,
    3: _from_3,
    4: _from_4,
}

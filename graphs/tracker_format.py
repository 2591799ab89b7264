"""The stored form of a tracker: a versioned document, checked strictly when it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphs.node_state import NodeState

SCHEMA_VERSION: Literal[2] = 2
Count = Annotated[int, Field(ge=0)]
Depth = Literal["surface", "shallow", "moderate", "deep"]
_FIELDS = tuple(field.name for field in fields(NodeState))
_DERIVED_IN_VERSION_1 = ("turns_since_last_focus", "turns_since_last_yield", "yield_rate")


class TrackerStateInvalid(ValueError):
    """A stored tracker state cannot be read; starting afresh would forget the interview."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StateDocument(_Strict):
    """A stored NodeState; sets are sorted lists."""

    node_id: str
    label: str
    node_type: str
    created_at_turn: Count
    depth: Annotated[float, Field(ge=0)]
    level: int | None
    is_terminal: bool
    focus_count: Count
    first_focus_turn: Count | None
    last_focus_turn: Count | None
    current_focus_streak: Count
    last_yield_turn: Count | None
    yield_count: Count
    all_response_depths: list[Depth]
    connected_node_ids: list[str]
    edge_count_outgoing: Count
    edge_count_incoming: Count
    strategy_usage_count: dict[str, Count]
    last_strategy_used: str | None
    consecutive_same_strategy: Count


class TrackerDocument(_Strict):
    """A stored tracker: states by key, and who shares whose."""

    schema_version: Literal[2]
    previous_focus: str | None
    closed: list[str]
    slots: dict[str, str]
    moved: dict[str, str]
    states: dict[str, StateDocument]

    def node_states(self) -> dict[str, NodeState]:
        """The states as the tracker holds them."""
        return {key: _state(document) for key, document in self.states.items()}


def write_document(
    *,
    states: Mapping[str, NodeState],
    previous_focus: str | None,
    closed: Collection[str],
    slots: Mapping[str, str],
    moved: Mapping[str, str],
) -> dict[str, Any]:
    """Give the JSON-ready form that :func:`read_document` reads.

    It is not validated on the way out: a turn writes up to a thousand states, and they were built
    by typed code.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "previous_focus": previous_focus,
        "closed": sorted(closed),
        "slots": dict(slots),
        "moved": dict(moved),
        "states": {key: _written(state) for key, state in states.items()},
    }


def _written(state: NodeState) -> dict[str, Any]:
    return {
        **{name: getattr(state, name) for name in _FIELDS},
        "depth": float(state.depth),
        "connected_node_ids": sorted(state.connected_node_ids),
        "all_response_depths": list(state.all_response_depths),
        "strategy_usage_count": dict(state.strategy_usage_count),
    }


def read_document(data: Mapping[str, Any]) -> TrackerDocument:
    """Check stored data, bringing version 1 up to date.

    Raises TrackerStateInvalid with the places at fault.
    """
    if not isinstance(data, Mapping):
        raise TrackerStateInvalid(f"a tracker state is an object, not {type(data).__name__}")
    version = data.get("schema_version")
    try:
        document = TrackerDocument.model_validate(_upgraded(data) if version == 1 else data)
    except ValidationError as error:
        places = "; ".join(
            f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5]
        )
        raise TrackerStateInvalid(f"tracker state (version {version!r}): {places}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TrackerStateInvalid(f"tracker state (version {version!r}): {error!r}") from error
    for key, state in document.states.items():
        if key != state.node_id:
            raise TrackerStateInvalid(f"the state under {key} says it is of {state.node_id}")
        _check_focus(state)
    return document


def _check_focus(state: StateDocument) -> None:
    turns = (state.first_focus_turn, state.last_focus_turn)
    if (state.focus_count > 0) is not all(turn is not None for turn in turns):
        raise TrackerStateInvalid(f"focus count and focus turns of {state.node_id} disagree")


def _state(document: StateDocument) -> NodeState:
    values = document.model_dump()
    values["connected_node_ids"] = set(document.connected_node_ids)
    return NodeState(**values)


def _upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Bring version 1 up to date: it had no slots, successors, closed nodes or first focus turn."""
    return {
        "schema_version": SCHEMA_VERSION,
        "previous_focus": data.get("previous_focus"),
        "closed": [],
        "slots": {},
        "moved": {},
        "states": {key: _upgraded_state(state) for key, state in data["states"].items()},
    }


def _upgraded_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Give the latest first focus turn that agrees with the count of focused turns."""
    upgraded = {k: v for k, v in state.items() if k not in _DERIVED_IN_VERSION_1}
    upgraded["depth"] = float(state["depth"])
    upgraded["connected_node_ids"] = sorted(state["connected_node_ids"])
    last, count = state["last_focus_turn"], state["focus_count"]
    upgraded["first_focus_turn"] = (
        None if last is None else max(last - max(count - 1, 0), min(state["created_at_turn"], last))
    )
    return upgraded

"""The stored form of a tracker: a versioned document, checked strictly when it is read.

A turn reads and writes it whole, and most nodes of a long interview were never asked about: so
version 3 holds only states with a history and the slots of these, without what is still as it
began, and without the edges, which every turn counts anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphs.node_state import NodeState

SCHEMA_VERSION: Literal[3] = 3
Count = Annotated[int, Field(ge=0)]
Depth = Literal["surface", "shallow", "moderate", "deep"]
_COUNTED_ANEW = ("connected_node_ids", "edge_count_outgoing", "edge_count_incoming")
_DERIVED_IN_VERSION_1 = ("turns_since_last_focus", "turns_since_last_yield", "yield_rate")


class TrackerStateInvalid(ValueError):
    """A stored tracker state cannot be read; starting afresh would forget the interview."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StateDocument(_Strict):
    """A stored NodeState; a field that is not there is as in a node that was never asked about."""

    node_id: str
    label: str
    node_type: str
    created_at_turn: Count
    focus_count: Count
    depth: Annotated[float, Field(ge=0)] = 0.0
    level: int | None = None
    is_terminal: bool = False
    first_focus_turn: Count | None = None
    last_focus_turn: Count | None = None
    current_focus_streak: Count = 0
    last_yield_turn: Count | None = None
    yield_count: Count = 0
    all_response_depths: list[Depth] = Field(default_factory=list)
    strategy_usage_count: dict[str, Count] = Field(default_factory=dict)
    last_strategy_used: str | None = None
    consecutive_same_strategy: Count = 0


_OPTIONAL = {
    name: field.get_default(call_default_factory=True, validated_data={})
    for name, field in StateDocument.model_fields.items()
    if not field.is_required()
}
"""What each field begins as that need not be there."""


class TrackerDocument(_Strict):
    """A stored tracker: states by key, and who shares whose."""

    schema_version: Literal[3]
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

    It is not validated on the way out: the states were built by typed code.
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
    written: dict[str, Any] = {
        "node_id": state.node_id,
        "label": state.label,
        "node_type": state.node_type,
        "created_at_turn": state.created_at_turn,
        "focus_count": state.focus_count,
    }
    for name, beginning in _OPTIONAL.items():
        value = getattr(state, name)
        if value != beginning:
            written[name] = copy(value)
    return written


def read_document(data: Mapping[str, Any]) -> TrackerDocument:
    """Check stored data, bringing older versions up to date.

    Raises TrackerStateInvalid with the places at fault.
    """
    if not isinstance(data, Mapping):
        raise TrackerStateInvalid(f"a tracker state is an object, not {type(data).__name__}")
    version = data.get("schema_version")
    try:
        if version == 1:
            data = _from_version_1(data)
        elif version == 2:
            data = _from_version_2(data)
        document = TrackerDocument.model_validate(data)
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
    # The document is read once and thrown away: its lists may become the state's own.
    return NodeState(**vars(document))


def _from_version_2(data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the edges, which version 2 still held."""
    states = {
        key: {name: value for name, value in state.items() if name not in _COUNTED_ANEW}
        for key, state in data["states"].items()
    }
    return {**data, "schema_version": SCHEMA_VERSION, "states": states}


def _from_version_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """Bring version 1 up to date: it had no slots, successors, closed nodes or first focus turn."""
    return {
        "schema_version": SCHEMA_VERSION,
        "previous_focus": data.get("previous_focus"),
        "closed": [],
        "slots": {},
        "moved": {},
        "states": {key: _state_of_version_1(state) for key, state in data["states"].items()},
    }


def _state_of_version_1(state: Mapping[str, Any]) -> dict[str, Any]:
    """Give the latest first focus turn that agrees with the count of focused turns."""
    left_out = (*_DERIVED_IN_VERSION_1, *_COUNTED_ANEW)
    upgraded = {k: v for k, v in state.items() if k not in left_out}
    upgraded["depth"] = float(state["depth"])
    last, count = state["last_focus_turn"], state["focus_count"]
    upgraded["first_focus_turn"] = (
        None if last is None else max(last - max(count - 1, 0), min(state["created_at_turn"], last))
    )
    return upgraded

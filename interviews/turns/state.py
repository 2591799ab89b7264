"""What a session remembers between turns, as validated JSON."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

STATE_SCHEMA_VERSION = 2
"""Version 1 knew nodes as foci only, under `node_id`, and no state of a mode."""
HISTORY_KEPT = 30

FocusKind = Literal["node", "topic", "element", "tension", "question"]
"""What a question can be about; only a node is one of the graph."""


class StateModel(BaseModel):
    """Base of what is stored: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModeState(StateModel):
    """Base of what a mode keeps of an interview between turns; this one keeps nothing.

    It is written with every turn, so it holds what is small: where a plan stands, not the plan.
    A change that makes stored data unreadable raises `VERSION` and gives `upgraded` a branch.
    """

    VERSION: ClassVar[int] = 1

    @classmethod
    def upgraded(cls, version: int, data: dict[str, Any]) -> dict[str, Any]:
        """Return data of an older version in this one's form. Raises ValueError for no such one."""
        raise ValueError(f"{cls.__name__} has no version {version}; it is at {cls.VERSION}")


class StoredModeState(StateModel):
    """A mode's state as it is stored; `data` is for the mode's own model to read."""

    mode: str
    version: int = Field(ge=1)
    data: dict[str, Any]


class FocusEntry(StateModel):
    """Which strategy asked about what after answer `turn`; no kind where it was about nothing.

    `ref` is a node's id, or whatever the mode knows a topic, element, … by.
    """

    turn: int = Field(ge=0)
    kind: FocusKind | None = None
    ref: str = ""
    label: str = ""
    strategy: str

    @property
    def node_id(self) -> str | None:
        """The node that was asked about, None for anything else."""
        return self.ref if self.kind == "node" else None


class VelocityState(StateModel):
    """How quickly new concepts arrive; the averages are exponentially weighted."""

    surface_ewma: float = 0.0
    surface_peak: float = 0.0
    prev_surface_node_count: int = 0
    canonical_ewma: float = 0.0
    canonical_peak: float = 0.0
    prev_canonical_node_count: int = 0


class CounterState(StateModel):
    """Turns running without anything new; they decide on saturation."""

    consecutive_zero_yield: int = 0
    consecutive_shallow: int = 0
    consecutive_depth_plateau: int = 0
    prev_max_depth: float | None = None


class SessionState(StateModel):
    """The part of a session that only the pipeline reads and writes.

    `closing_reason` is set once the closing question was asked: the answer to it ends the
    interview with that reason. Histories of strategies
    and depths keep the last 30 entries, that of foci all, oldest first. `rephrasings`
    counts how often running the last question was put in other words. `mode_state` is None before
    the opening, and in sessions of schema version 1.
    """

    schema_version: int = STATE_SCHEMA_VERSION
    strategy_history: tuple[str, ...] = ()
    strategy_uses: dict[str, int] = Field(default_factory=dict)
    depth_history: tuple[str, ...] = ()
    focus_history: tuple[FocusEntry, ...] = ()
    velocity: VelocityState = VelocityState()
    counters: CounterState = CounterState()
    closing_reason: str = ""
    rephrasings: int = Field(default=0, ge=0)
    mode_state: StoredModeState | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_version_1(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("schema_version") != 1:
            return data
        history = [_with_kind(entry) for entry in data.get("focus_history", ())]
        return data | {"schema_version": STATE_SCHEMA_VERSION, "focus_history": history}

    @model_validator(mode="after")
    def _is_known(self) -> SessionState:
        if self.schema_version != STATE_SCHEMA_VERSION:
            raise ValueError(
                f"a session's state of version {self.schema_version} was stored by a newer "
                f"program; this one knows versions 1 to {STATE_SCHEMA_VERSION}"
            )
        return self


def _with_kind(entry: dict[str, Any]) -> dict[str, Any]:
    node_id = entry.get("node_id", "")
    kept = {name: value for name, value in entry.items() if name != "node_id"}
    return kept | ({"kind": "node", "ref": node_id} if node_id else {})

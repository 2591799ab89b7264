"""What a session remembers between turns, as validated JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

STATE_SCHEMA_VERSION = 1
HISTORY_KEPT = 30


class StateModel(BaseModel):
    """Base of what is stored: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FocusEntry(StateModel):
    """Which strategy asked about which node after answer `turn`; no node for a global strategy."""

    turn: int = Field(ge=0)
    node_id: str = ""
    label: str = ""
    strategy: str


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
    interview with that reason. Histories keep the last 30 entries, oldest first. `rephrasings`
    counts how often running the last question was put in other words.
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

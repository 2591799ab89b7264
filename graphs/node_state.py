"""The history of one node in an interview, and the figures read off it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

DEPTHS = ("surface", "shallow", "moderate", "deep")
"""Response depths, least first."""
_RECENT = 3
_STAGNATION = 3


@dataclass(slots=True, kw_only=True)
class NodeState:
    """The history of one node, or of one slot and all nodes in it.

    Turns are numbers of the turn in which something happened, None for never. `depth` is in
    [0, 1]. `current_focus_streak` is the number of consecutive turns of the latest run as focus;
    it is kept when the focus leaves and starts at 1 when it returns.
    """

    node_id: str
    label: str
    node_type: str
    created_at_turn: int
    depth: float = 0.0
    level: int | None = None
    is_terminal: bool = False
    focus_count: int = 0
    first_focus_turn: int | None = None
    last_focus_turn: int | None = None
    current_focus_streak: int = 0
    last_yield_turn: int | None = None
    yield_count: int = 0
    all_response_depths: list[str] = field(default_factory=list)
    connected_node_ids: set[str] = field(default_factory=set)
    edge_count_outgoing: int = 0
    edge_count_incoming: int = 0
    strategy_usage_count: dict[str, int] = field(default_factory=dict)
    last_strategy_used: str | None = None
    consecutive_same_strategy: int = 0

    @property
    def has_history(self) -> bool:
        """Whether anything happened with the node since it was registered."""
        return bool(self.focus_count or self.yield_count or self.all_response_depths)

    @property
    def is_orphan(self) -> bool:
        """Whether no live edge touches the node."""
        return not (self.edge_count_incoming or self.edge_count_outgoing)

    @property
    def edge_count(self) -> int:
        """Live edges in both directions."""
        return self.edge_count_incoming + self.edge_count_outgoing

    @property
    def yield_rate(self) -> float:
        """Yields ÷ times in focus; 0 if never focused."""
        return self.yield_count / self.focus_count if self.focus_count else 0.0

    def turns_since_last_yield(self, turn: int) -> int:
        """`turn` - the later of last yield and first focus; 0 if never focused."""
        if self.first_focus_turn is None:
            return 0
        return max(turn - max(self.last_yield_turn or 0, self.first_focus_turn), 0)

    def turns_since_last_focus(self, turn: int) -> int | None:
        """Turns between the last question about the node and turn `turn`; None for never.

        0 means that the answer of this turn is to a question about it.
        """
        return None if self.last_focus_turn is None else max(turn - 1 - self.last_focus_turn, 0)

    @property
    def shallow_ratio(self) -> float:
        """Share of surface or shallow among the last 3 depths; 0 without any."""
        return self._recent_share({"surface", "shallow"})

    @property
    def surface_ratio(self) -> float:
        """Share of surface among the last 3 depths; 0 without any."""
        return self._recent_share({"surface"})

    def is_exhausted(self, turn: int) -> bool:
        """Asked at least twice running, 3 turns without yield, recent answers mostly surface."""
        return (
            self.focus_count > 0
            and self.turns_since_last_yield(turn) >= _STAGNATION
            and self.current_focus_streak >= 2
            and len(self.all_response_depths) >= 2
            and self.surface_ratio >= 2 / 3
        )

    def exhaustion_score(self, turn: int) -> float:
        """min(tsly, 10)/10·0.4 + min(streak, 5)/5·0.3 + shallow_ratio·0.3; 0 if never focused."""
        if not self.focus_count:
            return 0.0
        return (
            min(self.turns_since_last_yield(turn), 10) / 10 * 0.4
            + min(self.current_focus_streak, 5) / 5 * 0.3
            + self.shallow_ratio * 0.3
        )

    def strategy_run(self, strategy: str) -> int:
        """How often running this strategy was the last one used on the node."""
        return self.consecutive_same_strategy if strategy == self.last_strategy_used else 0

    def _recent_share(self, wanted: set[str]) -> float:
        recent = self.all_response_depths[-_RECENT:]
        return sum(depth in wanted for depth in recent) / len(recent) if recent else 0.0

    def merged_into(self, other: NodeState) -> NodeState:
        """Return one state for both histories, with the identity of `other`.

        Counts add up, first turns are the earlier, last turns the later; the run of focus and of
        strategy and the order of depths follow whichever was in focus last. Edge counts are
        `other`'s until they are counted anew.
        """
        recent = other
        if (self.last_focus_turn or -1) > (other.last_focus_turn or -1):
            recent = self
        earlier = self if recent is other else other
        usage = dict(other.strategy_usage_count)
        for strategy, count in self.strategy_usage_count.items():
            usage[strategy] = usage.get(strategy, 0) + count
        return replace(
            other,
            created_at_turn=min(self.created_at_turn, other.created_at_turn),
            depth=max(self.depth, other.depth),
            focus_count=self.focus_count + other.focus_count,
            first_focus_turn=_earlier(self.first_focus_turn, other.first_focus_turn),
            last_focus_turn=recent.last_focus_turn,
            current_focus_streak=recent.current_focus_streak,
            last_yield_turn=_later(self.last_yield_turn, other.last_yield_turn),
            yield_count=self.yield_count + other.yield_count,
            all_response_depths=earlier.all_response_depths + recent.all_response_depths,
            strategy_usage_count=usage,
            last_strategy_used=recent.last_strategy_used,
            consecutive_same_strategy=recent.consecutive_same_strategy,
        )


def _earlier(one: int | None, other: int | None) -> int | None:
    turns = [turn for turn in (one, other) if turn is not None]
    return min(turns) if turns else None


def _later(one: int | None, other: int | None) -> int | None:
    turns = [turn for turn in (one, other) if turn is not None]
    return max(turns) if turns else None

"""What a session's stored turns tell of its nodes, where the tracker's own record is lost."""

from __future__ import annotations

from collections.abc import Iterator

from graphs.domain import SessionGraph
from graphs.tracker import TurnRecord
from interviews.acts import LEAVE_OPEN
from interviews.models import Turn
from interviews.modes.common.endings import PUT_AGAIN
from interviews.record import readable_result_of
from interviews.turns.contracts import Verdict
from interviews.turns.result import TurnResult
from methodologies.signals.llm import depth_of


def turn_records(session_id: str, graph: SessionGraph) -> Iterator[TurnRecord]:
    """The finished turns of a session, oldest first; a focus that is gone is none.

    Of a turn whose record cannot be read, what its row says.
    """
    done = Turn.objects.filter(session_id=session_id, number__gte=1, status=Turn.Status.DONE)
    focus: str | None = None
    for turn in done.order_by("number").iterator():
        result = readable_result_of(turn) or TurnResult(mode="", turn=turn.number)
        act = result.heard.act if result.heard else None
        yielded = bool(result.nodes_added or result.edges_added or result.revived)
        rated = result.ratings.get("response_depth")
        answered = yielded or act not in LEAVE_OPEN
        asked = turn.continuation != Verdict.END and turn.continuation_reason not in PUT_AGAIN
        closed = (focus,) if focus and act == "refuses" else ()
        if asked:
            node = graph.nodes.get(str(turn.focus_node_id))
            focus = node.id if node and node.first_turn <= turn.number else None
        yield TurnRecord(
            turn=turn.number,
            focus_node_id=focus,
            strategy=turn.strategy,
            response_depth=depth_of(rated) if rated and answered else None,
            yielded=yielded,
            closed_node_ids=closed,
            asked=asked,
        )

"""What the exchange means for the next question: leads, what was disclaimed or refused, the line.

Read off how the answer was meant, the graph and the earlier foci; nothing here chooses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from graphs.domain import Mention, SessionGraph
from interviews.acts import Lead
from interviews.modes.exploratory.state import ExploratoryState
from interviews.turns.context import TurnView
from interviews.turns.state import FocusEntry
from methodologies.gates import MOST_LADDERING, Exchange

LEAD_STRENGTHS = (1.0, 0.7, 0.4)
"""Of the first, second and third lead."""

REST = 2
"""Questions for which what lies beside a refused node is left alone."""

Neighbours = Mapping[str, Set[str]]


def leads_of(leads: Sequence[Lead], answer: str, mentions: Iterable[Mention]) -> dict[str, float]:
    """How strong a lead each mentioned node is: that of the best lead its mention overlaps.

    Two stretches overlap where they share at least half of the shorter one.
    """
    said = [(m.node_id, m.start, m.end) for m in mentions if m.node_id]
    strengths: dict[str, float] = {}
    for lead, strength in zip(leads, LEAD_STRENGTHS, strict=False):
        start = answer.find(lead.quote)
        if start < 0:
            continue
        end = start + len(lead.quote)
        for node_id, begins, ends in said:
            shared = min(end, ends) - max(start, begins)
            if shared > 0 and 2 * shared >= min(end - start, ends - begins):
                strengths.setdefault(node_id, strength)
    return strengths


def mentions_now(context: TurnView) -> list[Mention]:
    """The mentions of this answer."""
    return [m for m in context.graph.mentions if m.turn == context.job.number]


# -- what lasts ------------------------------------------------------------------------------------
def observed(context: TurnView) -> ExploratoryState:
    """The mode's state after the answer; what the respondent came back to unasked counts anew."""
    before, heard, graph = state_before(context), context.heard, context.graph
    asked = asked_about(context)
    unasked = {m.node_id for m in mentions_now(context) if m.node_id} - {asked}
    disclaimed = _disclaimed(context)
    kept = {node_id for node_id in before.disclaimed if node_id not in unasked}
    finished = {node_id for node_id in before.finished if node_id not in unasked}
    resting = {n: until for n, until in before.resting if until >= context.job.number}
    if asked is not None and heard.act == "adds_nothing":
        finished |= line_of(context)
    if asked is not None and heard.act == "refuses":
        beside = neighbours_of(graph, [asked])[asked]
        stance = graph.nodes[asked].stance
        until = context.job.number + REST - 1
        resting |= {n: until for n in beside if graph.nodes[n].stance == stance}
    live = {node.id for node in graph.live_nodes()}
    return before.model_copy(
        update={
            "disclaimed": tuple(sorted((kept | disclaimed) & live)),
            "finished": tuple(sorted((finished - disclaimed) & live)),
            "resting": tuple(sorted(resting.items())),
        }
    )


def state_before(context: TurnView) -> ExploratoryState:
    """The mode's state before the answer; an empty one where none was kept yet."""
    found = context.loaded.mode_state
    return found if isinstance(found, ExploratoryState) else ExploratoryState()


def state_after(context: TurnView) -> ExploratoryState:
    """The mode's state after the answer, where it was observed."""
    found = context.state.mode_state
    return found if isinstance(found, ExploratoryState) else ExploratoryState()


def remembered(context: TurnView) -> ExploratoryState:
    """What the next turn starts from: what was observed, and since when nothing new has come."""
    state = state_after(context)
    since = state.saturated_since
    if context.state.saturation_reason is None:
        since = None
    elif since is None:
        since = context.job.number
    return state.model_copy(update={"saturated_since": since})


def _disclaimed(context: TurnView) -> set[str]:
    """The live nodes that this answer plays down: of that label, or said in that stretch."""
    answer, graph = context.utterance.text, context.graph
    found: set[str] = set()
    for text in context.heard.disclaimed:
        called = graph.called(text)
        found |= {called[0].id} if called else set()
        start = answer.find(text)
        if not called and start >= 0:
            end = start + len(text)
            found |= {
                m.node_id
                for m in mentions_now(context)
                if m.node_id and m.start < end and start < m.end
            }
    return found


# -- the line --------------------------------------------------------------------------------------
def asked_about(context: TurnView) -> str | None:
    """The live node that the answered question was about, None where it was about none."""
    focus = context.loaded.previous_focus
    return _live(focus, context.graph) if focus else None


def neighbours_of(graph: SessionGraph, node_ids: Iterable[str]) -> Neighbours:
    """The live nodes one edge away from each of these, in either direction."""
    wanted = set(node_ids)
    found: dict[str, set[str]] = defaultdict(set)
    for edge in graph.live_edges():
        if edge.source_id in wanted:
            found[edge.source_id].add(edge.target_id)
        if edge.target_id in wanted:
            found[edge.target_id].add(edge.source_id)
    return found


def run_of(foci: Sequence[str | None], beside: Neighbours) -> list[str]:
    """The trailing foci that follow one line, the last first: each the next one's or beside it."""
    run: list[str] = []
    for focus in reversed(foci):
        if focus is None:
            break
        if run and focus != run[-1] and focus not in beside.get(run[-1], ()):
            break
        run.append(focus)
    return run


def line_of(context: TurnView) -> set[str]:
    """The foci of the line that was followed last, and what lies beside the last of them.

    What this answer adds to it is no part of it yet.
    """
    run, beside = _run(context)
    if not run:
        return set()
    new = {node.id for node in context.graph_update.nodes_added}
    return (set(run) | set(beside.get(run[0], ()))) - new


def _run(context: TurnView) -> tuple[list[str], Neighbours]:
    graph, history = context.graph, context.loaded.state.focus_history
    foci = [_live(entry, graph) for entry in history]
    beside = neighbours_of(graph, {focus for focus in foci if focus})
    return run_of(foci, beside), beside


def _live(entry: FocusEntry, graph: SessionGraph) -> str | None:
    node_id = entry.node_id
    return graph.successor(node_id) if node_id and node_id in graph.nodes else None


def line_run(context: TurnView) -> int:
    """How many questions running followed one line."""
    return len(_run(context)[0])


def _laddered(context: TurnView, run: int) -> int:
    """How many of the last questions on the line laddered, without another one between."""
    by_name = context.methodology.strategies_by_name
    count = 0
    for entry in context.loaded.state.focus_history[::-1][:run]:
        strategy = by_name.get(entry.strategy)
        if strategy is None or not strategy.ladders:
            break
        count += 1
    return count


# -- what bars -------------------------------------------------------------------------------------
def off_track(context: TurnView) -> bool:
    """Whether the talk has left its subject, as the answer says or shows."""
    return context.heard.off_track or context.heard.act == "drifted"


def exchange_of(context: TurnView) -> Exchange:
    """What of the exchange bars strategies and nodes in this turn."""
    heard, state = context.heard, state_after(context)
    run, beside = _run(context)
    previous = context.loaded.previous_focus
    laddered = _laddered(context, len(run))
    return Exchange(
        refused_by=previous.strategy if previous and heard.act == "refuses" else "",
        resting=frozenset(node_id for node_id, _ in state.resting),
        finished=frozenset(state.finished),
        disclaimed=frozenset(state.disclaimed),
        line=frozenset({run[0], *beside.get(run[0], ())}) if run else frozenset(),
        laddered=laddered,
        topped=frozenset(_topped(context)),
        opened=bool(
            context.graph_update.nodes_added or context.graph_update.revived or heard.leads
        ),
        line_finished=laddered >= MOST_LADDERING
        or heard.act in ("adds_nothing", "refuses")
        or _exhausted(context),
        mentioned=frozenset(m.node_id for m in mentions_now(context) if m.node_id),
        off_track=off_track(context),
    )


def _topped(context: TurnView) -> Iterator[str]:
    """Nodes above which something is known, or nothing can be."""
    above = context.state.chains.successors
    is_terminal = context.ontology.is_terminal
    for node in context.graph.live_nodes():
        if node.id in above or is_terminal(node.node_type):
            yield node.id


def _exhausted(context: TurnView) -> bool:
    """Whether what was asked about gives nothing more."""
    asked = asked_about(context)
    state = context.tracker.state_of(asked) if asked else None
    return state is not None and state.is_exhausted(context.job.number)

"""What speaks for the type of a statement besides its words: the interview so far, and the focus.

All figures are natural log odds, added to the network's weights, one for each node type of an
extraction, in its order.
"""

from __future__ import annotations

from interviews.llm.tasks.extraction import ExtractionInputs, NodeTypeInput

GROUND = 1.0
"""What speaks for the types of the lowest level, shared among them.

Without its ground a chain has no beginning, and the network is wary of naming one.
"""

MISSING_GROUND = (1.0, 0.2, 4.0)
"""The same for each of them while other concepts are known and none of the lowest level.

The first figure, the second for each concept known, at most the third: an interview has its ground,
and the longer none was seen, the likelier one was passed over.
"""

MISSING_TOP = (1.5, 0.1, 3.0)
"""What speaks for the terminal types while the level below them is known and they are not."""

NOT_PERMITTED = -4.0
UP = {0: -0.3, 1: 0.5, 2: 0.5}
FAR_UP, TURNED_UP = -0.4, -2.0
UP_TO_THE_TOP = 1.0
DOWN = {0: 0.4, 1: 0.4, 2: 0.4}
FAR_DOWN, TURNED_DOWN = -0.2, -1.5
"""How much oftener than chance coders saw a step of so many levels, where one leads to the other.

UP is a statement that the focus leads to, DOWN one that leads to the focus; FAR are more than two
levels, TURNED those against the order of levels, UP_TO_THE_TOP comes to a terminal type. Rounded
log ratios of the relations with a focus in the labelled answers, all five methodologies together.
"""


def level_odds(inputs: ExtractionInputs) -> list[float]:
    """Return what speaks for types by their level alone: for the lowest, and for the terminal ones.

    Known concepts are those that the task names: the newest, in a long interview.
    """
    types, known = inputs.node_types, {node.node_type for node in inputs.existing_labels}
    levels = {t.name: t.level for t in types if t.level is not None}
    bottom, reached = min(levels.values(), default=0), {levels.get(name) for name in known}
    lowest = {name for name, level in levels.items() if level == bottom}
    terminal = {t.name for t in types if t.terminal}
    top_level = min((levels[name] for name in terminal if name in levels), default=0)
    below_top = max((level for level in levels.values() if level < top_level), default=0)
    ground, top = GROUND / max(1, len(lowest)), 0.0
    if known and known.isdisjoint(lowest):
        ground = _growing(MISSING_GROUND, len(inputs.existing_labels))
    if below_top in reached and known.isdisjoint(terminal):
        top = _growing(MISSING_TOP, len(inputs.existing_labels))
    return [ground * (t.name in lowest) + top * (t.name in terminal) for t in types]


def focus_odds(inputs: ExtractionInputs, leads: float, led: float) -> list[float]:
    """Return what a statement's relation to the focus of the question says of its type.

    `leads` is the probability that the focus leads to it, `led` that it leads to the focus; both 0
    where the question has no focus.
    """
    named = inputs.focus.node_type if inputs.focus else ""
    focus = next((t for t in inputs.node_types if t.name == named), None)
    if focus is None or not (leads or led):
        return [0.0] * len(inputs.node_types)
    permitted = {pair for edge in inputs.edge_types for pair in edge.permitted_connections}
    return [
        leads * _up(focus, t, (named, t.name) in permitted)
        + led * _down(focus, t, (t.name, named) in permitted)
        for t in inputs.node_types
    ]


def _growing(figures: tuple[float, float, float], known: int) -> float:
    least, each, most = figures
    return min(most, least + each * known)


def _up(focus: NodeTypeInput, reached: NodeTypeInput, permitted: bool) -> float:
    if not permitted:
        return NOT_PERMITTED
    step = _step(focus, reached)
    return (TURNED_UP if step < 0 else UP.get(step, FAR_UP)) + UP_TO_THE_TOP * reached.terminal


def _down(focus: NodeTypeInput, ground: NodeTypeInput, permitted: bool) -> float:
    if not permitted:
        return NOT_PERMITTED
    step = _step(ground, focus)
    return TURNED_DOWN if step < 0 else DOWN.get(step, FAR_DOWN)


def _step(source: NodeTypeInput, target: NodeTypeInput) -> int:
    """Return how many levels lead up from one type to another, 0 where one has none."""
    return 0 if source.level is None or target.level is None else target.level - source.level

"""The seven strategies: whether each applies, and what it would ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from interviews.modes.evaluative.situation import Option, Situation, Target
from methodologies.evaluative import EvaluativeStrategySpec, StrategyName

Targets = Callable[[Situation], Iterator[Target]]


def options_in(
    situation: Situation, strategies: Mapping[StrategyName, EvaluativeStrategySpec]
) -> Iterator[Option]:
    """Yield every strategy that applies, with each focus that it offers, the first ones first."""
    for name, targets in STRATEGIES.items():
        for target in targets(situation):
            yield Option(strategy=name, group=strategies[name].group, target=target)


def ensure_coverage(situation: Situation) -> Iterator[Target]:
    """The first gap of each element that can still be asked about.

    A connection is named by both of its elements: to ask for it repeats no question on either.
    """
    seen: set[str] = set()
    for gap in situation.coverage.open_gaps:
        if gap.element in seen or gap.element in situation.left_alone:
            continue
        seen.add(gap.element)
        ends = [gap.element, *([gap.other] if gap.other else [])]
        yield Target(
            kind="element",
            ref=gap.element,
            label=" and ".join(situation.elements[end].label for end in ends),
            gap=gap.kind,
            other=gap.other or "",
        )


def resolve_ambiguity(situation: Situation) -> Iterator[Target]:
    """The newest ambiguous node."""
    yield from _newest(situation, situation.topology.ambiguous)


def connect_isolate(situation: Situation) -> Iterator[Target]:
    """The newest isolated node, beside others."""
    if len(situation.topology.order) > 1:
        yield from _newest(situation, situation.topology.isolated)


def resolve_schema_tension(situation: Situation) -> Iterator[Target]:
    """The oldest open tension."""
    for tension in situation.tensions:
        if not {tension.source_id, tension.target_id} & situation.left_alone:
            yield Target(
                kind="tension",
                ref=tension.id,
                label=f"{tension.source} → {tension.target}",
                node_type=tension.source_type,
            )
            return


def deepen_branch(situation: Situation) -> Iterator[Target]:
    """The newest node of the active branch, where chains do not end with it."""
    for node_id in situation.topology.active_branch[:1]:
        if node_id not in situation.topology.terminal and node_id not in situation.left_alone:
            yield _on(situation, node_id)


def explore_breadth(situation: Situation) -> Iterator[Target]:
    """The unexplored node with the fewest edges, of several the oldest."""
    open_ = [n for n in situation.topology.unexplored if n not in situation.left_alone]
    if open_:
        yield _on(situation, min(open_, key=lambda n: situation.topology.degree.get(n, 0)))


def introduce_seed(situation: Situation) -> Iterator[Target]:
    """Nothing in particular: where nothing is left to explore or to cover, or for reflection."""
    done = not situation.topology.unexplored and situation.coverage.complete
    if done or situation.reflects:
        yield Target()


def _newest(situation: Situation, node_ids: tuple[str, ...]) -> Iterator[Target]:
    for node_id in reversed(node_ids):
        if node_id not in situation.left_alone:
            yield _on(situation, node_id)
            return


def _on(situation: Situation, node_id: str) -> Target:
    node = situation.nodes[node_id]
    return Target(kind="node", ref=node_id, label=node.label, node_type=node.node_type)


STRATEGIES: Mapping[StrategyName, Targets] = {
    "ensure_coverage": ensure_coverage,
    "resolve_ambiguity": resolve_ambiguity,
    "connect_isolate": connect_isolate,
    "resolve_schema_tension": resolve_schema_tension,
    "deepen_branch": deepen_branch,
    "explore_breadth": explore_breadth,
    "introduce_seed": introduce_seed,
}

"""Everything that strategies and scorers read; nothing of it knows a database or a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphs.domain import Node
from graphs.ontology import Ontology
from interviews.modes.evaluative.coverage import Coverage
from interviews.modes.evaluative.elements import Element
from interviews.modes.evaluative.mapping import Cosine
from interviews.modes.evaluative.state import Asked, Level, TargetKind, Tension
from interviews.modes.evaluative.topology import Topology
from methodologies.evaluative import GapKind, StrategyClass, StrategyName


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a question could be about; no kind where it is about nothing in particular.

    `gap` is what is missing of an element, `other` the element that it is to be connected to.
    """

    kind: TargetKind | None = None
    ref: str = ""
    label: str = ""
    gap: GapKind | None = None
    other: str = ""
    node_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A strategy on a focus, before it is scored."""

    strategy: StrategyName
    group: StrategyClass
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Where an interview stands after an answer.

    `nodes` are live ones by id, `tensions` those not asked about yet, oldest first. `asked` are the
    questions so far with what their answers brought, oldest first. `left_alone` are ids of nodes
    and elements that the next question must not be about. `opened` are the elements that a lead of
    the answer touches. `steps` are permitted chain steps from a node type up to a terminal one.
    """

    elements: Mapping[str, Element]
    coverage: Coverage
    topology: Topology
    nodes: Mapping[str, Node]
    tensions: tuple[Tension, ...]
    momentum: Level
    asked: tuple[Asked, ...]
    left_alone: frozenset[str]
    opened: frozenset[str]
    steps: Mapping[str, int]
    complete_chain: bool
    barren: int
    reflects: bool
    cosine: Cosine

    @property
    def uses(self) -> Mapping[str, int]:
        """How often each strategy was used."""
        counts: dict[str, int] = {}
        for asked in self.asked:
            counts[asked.strategy] = counts.get(asked.strategy, 0) + 1
        return counts


def steps_to_terminal(ontology: Ontology) -> dict[str, int]:
    """Permitted chain steps from each node type up to the nearest terminal type; 0 for those.

    Types from which none is reached are left out.
    """
    below: dict[str, set[str]] = {}
    for edge in ontology.edge_types:
        if edge.name in ontology.chain_edge_types:
            for source, target in edge.permitted:
                below.setdefault(target, set()).add(source)
    steps = dict.fromkeys(sorted(ontology.terminal_types), 0)
    front, distance = set(steps), 0
    while front:
        distance += 1
        front = {source for target in front for source in below.get(target, ())} - steps.keys()
        steps |= dict.fromkeys(sorted(front), distance)
    return steps

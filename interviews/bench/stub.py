"""A gateway that answers at once, for measuring everything else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from pydantic import BaseModel

from interviews.llm.gateway import Gateway
from interviews.llm.tasks.extraction import (
    Concept,
    ExtractionInputs,
    ExtractionOutput,
    Relationship,
)
from interviews.llm.tasks.questions import Question
from interviews.llm.tasks.response_rating import RUBRICS, Rating, RatingInputs, RatingOutput
from interviews.llm.tasks.slot_proposal import (
    SlotProposal,
    SlotProposalInputs,
    SlotProposalOutput,
)

THINGS = ("screen", "motor", "ladder", "blanket", "window", "ticket", "garden", "teacher")
POINTS = ("cracked", "humming", "borrowed", "woollen", "crowded", "printed", "shared", "strict")
PLACES = (
    *("at the station", "in August", "near the office", "after lunch", "for guests", "by the sea"),
    *("on Fridays", "under the roof", "before exams", "with neighbours", "without asking"),
    *("during lectures", "behind the shed", "across town", "since spring", "until noon", "abroad"),
)
"""Words of the new labels; together they give 1,088."""


class StubGateway(Gateway):
    """Five new concepts, each joined to the one before it, middling ratings, a slot a concept."""

    CONCEPTS = 5

    def __init__(self) -> None:
        """Needs no configuration: it asks nobody."""
        self._numbers = count(1)

    def run(self, task: Any, inputs: BaseModel, **_: Any) -> Any:
        if isinstance(inputs, ExtractionInputs):
            return self._extract(inputs)
        if isinstance(inputs, RatingInputs):
            return RatingOutput(**{rubric: Rating(score=3) for rubric in RUBRICS})
        if isinstance(inputs, SlotProposalInputs):
            return SlotProposalOutput(
                proposals=tuple(
                    SlotProposal(
                        number=node.number,
                        slot_name=f"slot_{next(self._numbers)}",
                        description=f"What is meant by {node.label}",
                    )
                    for node in inputs.nodes
                )
            )
        return Question(question=f"And what does that mean for you, part {next(self._numbers)}?")

    def run_all(self, calls: Sequence[tuple[Any, BaseModel]], **options: Any) -> list[Any]:
        return [self.run(task, inputs, **options) for task, inputs in calls]

    def stand_in(self, task: Any, inputs: BaseModel, **_: Any) -> Any:
        """Nobody fails here."""
        return None

    def _extract(self, inputs: ExtractionInputs) -> ExtractionOutput:
        words = inputs.answer.split()
        chain = next(e for e in inputs.edge_types if e.chain)
        pairs = [p for p in chain.permitted_connections if p[0] != p[1]]
        types = [pairs[0][0], pairs[0][1]]
        concepts = tuple(
            Concept(
                label=_label(next(self._numbers)),
                node_type=types[index % 2],
                quote=words[index],
                confidence=0.9,
            )
            for index in range(self.CONCEPTS)
        )
        relationships = tuple(
            Relationship(
                source=concepts[index].label,
                source_type=concepts[index].node_type,
                target=concepts[index + 1].label,
                target_type=concepts[index + 1].node_type,
                edge_type=chain.name,
                quote=concepts[index].quote,
            )
            for index in range(0, self.CONCEPTS - 1, 2)
        )
        return ExtractionOutput(extractable=True, concepts=concepts, relationships=relationships)


def _label(number: int) -> str:
    """A label that shares as little as can be with those of the numbers before it."""
    point, thing = POINTS[number % 8], THINGS[(number // 8 + number) % 8]
    return f"{point} {thing} {PLACES[number % len(PLACES)]}"

"""One small question a role, for checks and for warming up."""

from __future__ import annotations

from typing import Any

from interviews.llm.tasks.base import Role, Task, TaskModel
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    EdgeTypeInput,
    ExtractionInputs,
    NodeTypeInput,
)
from interviews.llm.tasks.questions import (
    FOLLOW_UP_QUESTION,
    FocusInput,
    FollowUpInputs,
    StrategyInput,
    TurnInput,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RUBRICS, RatingInputs

QUESTION = "What made you choose oat milk?"
ANSWER = "It froths well, and that saves me time in the morning."

SAMPLES: dict[Role, tuple[Task[Any, Any], TaskModel]] = {
    "extraction": (
        EXTRACTION,
        ExtractionInputs(
            answer=ANSWER,
            question=QUESTION,
            subject="oat milk",
            methodology_name="check",
            node_types=(
                NodeTypeInput(name="attribute", level=1, description="a property of the product"),
                NodeTypeInput(name="consequence", level=2, description="what the property does"),
            ),
            edge_types=(
                EdgeTypeInput(
                    name="leads_to",
                    description="the first brings about the second",
                    permitted_connections=(("attribute", "consequence"),),
                ),
            ),
        ),
    ),
    "scoring": (
        RESPONSE_RATING,
        RatingInputs(
            question=QUESTION,
            answer=ANSWER,
            rubrics="\n".join(f"- {name}: 1 is the least, 5 the most" for name in RUBRICS),
        ),
    ),
    "generation": (
        FOLLOW_UP_QUESTION,
        FollowUpInputs(
            subject="oat milk",
            strategy=StrategyInput(
                name="follow_up", description="Ask what follows from it.", probes=("consequence",)
            ),
            focus=FocusInput(label="froths well", node_type="attribute", quote="It froths well"),
            recent_turns=(TurnInput(question=QUESTION, answer=ANSWER),),
        ),
    ),
}

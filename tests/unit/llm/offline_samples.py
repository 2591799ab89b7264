"""Inputs for the offline provider's tests, built from the methodologies that ship."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    EdgeTypeInput,
    ExtractionInputs,
    ExtractionOutput,
    LabelledNode,
    NodeTypeInput,
)
from interviews.llm.tasks.questions import (
    FOLLOW_UP_QUESTION,
    FocusInput,
    FollowUpInputs,
    StrategyInput,
)
from methodologies.schema import MethodologySchema, StrategySpec

ROOT = Path(__file__).resolve().parents[3]
FOCI = (
    FocusInput(label="padded straps", node_type="attribute", level=1, quote="the padded straps"),
    FocusInput(label="don't have to worry", level=2, stance=1),
    FocusInput(label="bag gets wet", level=2, stance=-1, quote="my bag gets wet"),
    FocusInput(label="feel safe", level=3),
    FocusInput(label="freedom", level=5, terminal=True),
)
SHIPPED_METHODOLOGIES = (
    "means_end_chain",
    "jobs_to_be_done",
    "critical_incident",
    "customer_journey",
    "repertory_grid",
)


@cache
def methodology(name: str) -> MethodologySchema:
    path = ROOT / "methodologies" / "library" / "methodologies" / f"{name}.yaml"
    return MethodologySchema.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


SHIPPED = [strategy for name in SHIPPED_METHODOLOGIES for strategy in methodology(name).strategies]


def extraction_inputs(
    answer: str,
    *,
    method: str = "means_end_chain",
    question: str = "What comes to mind?",
    focus: tuple[str, str] | None = None,
    existing: tuple[tuple[str, str], ...] = (),
    **more: Any,
) -> ExtractionInputs:
    ontology = methodology(method).ontology
    return ExtractionInputs(
        answer=answer,
        question=question,
        methodology_name=method,
        node_types=tuple(
            NodeTypeInput(**node.model_dump(exclude={"nature"})) for node in ontology.nodes
        ),
        edge_types=tuple(EdgeTypeInput(**edge.model_dump()) for edge in ontology.edges),
        existing_labels=tuple(LabelledNode(label=a, node_type=b) for a, b in existing),
        focus=LabelledNode(label=focus[0], node_type=focus[1]) if focus else None,
        **more,
    )


def extract(answer: str, **inputs: Any) -> ExtractionOutput:
    return OfflineProvider().complete(EXTRACTION, extraction_inputs(answer, **inputs))


def edges(output: ExtractionOutput) -> set[tuple[str, str, str]]:
    return {(r.source, r.edge_type, r.target) for r in output.relationships}


def strategy_input(spec: StrategySpec) -> StrategyInput:
    return StrategyInput(
        name=spec.name,
        description=spec.description,
        rationale=spec.rationale,
        focus_mode=spec.focus_mode,
        probes=spec.probes,
    )


def follow_up(strategy: StrategyInput, **more: object) -> str:
    inputs = FollowUpInputs.model_validate(
        {"subject": "your hiking backpack", "strategy": strategy, **more}
    )
    return OfflineProvider().complete(FOLLOW_UP_QUESTION, inputs).question

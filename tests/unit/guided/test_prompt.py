"""The prompt of a guided question: seven blocks, each rule in one of them."""

from __future__ import annotations

import re

import pytest

from interviews.llm.tasks.base import prompt_text, render
from interviews.llm.tasks.guided_question import GUIDED_QUESTION
from interviews.modes.guided.memory import GUIDANCE
from tests.unit.llm_prompts.samples import GUIDED_INPUTS

BLOCKS = (
    "Identity",
    "Interview Context",
    "Topic Focus",
    "Memory",
    "Knowledge",
    "Turn Guidance",
    "Guards",
)
RULES = {
    "one question": ("Identity", r"\bone question\b"),
    "question mark": ("Identity", r"question mark"),
    "no contacts": ("Identity", r"contacts?\b|addresses"),
    "no advertising": ("Identity", r"promote|advertis"),
    "no goodbye": ("Identity", r"goodbye|interview is over"),
    "language": ("Identity", r"write in the language"),
    "pace": ("Interview Context", r"minutes are left|hardly any time|keep it short"),
    "the topic": ("Topic Focus", r"stay within the topic"),
    "what was told is not asked again": ("Memory", r"not to be asked again"),
    "take up the answer": ("Turn Guidance", r"last answer comes first|take up something specific"),
    "no praise": ("Turn Guidance", r"praise"),
    "openings": ("Turn Guidance", r"do not begin"),
    "back to the topic": ("Guards", r"left the topic|come back to it"),
}


def blocks(text: str) -> dict[str, str]:
    """The blocks of a prompt or a template by their headings."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def words(line: str) -> frozenset[str]:
    return frozenset(w for w in re.findall(r"[a-z]+", line.casefold()) if len(w) > 3)


def test_a_prompt_has_the_seven_blocks_in_their_order() -> None:
    prompt = render(GUIDED_QUESTION, GUIDED_INPUTS)
    assert tuple(blocks(f"{prompt.system}\n{prompt.user}")) == BLOCKS


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_said_in_its_block_alone(rule: str) -> None:
    block, pattern = RULES[rule]
    found = blocks(prompt_text(GUIDED_QUESTION.prompt))
    saying = [name for name, text in found.items() if re.search(pattern, text, re.IGNORECASE)]
    assert saying == [block]


def test_no_two_lines_of_the_template_say_the_same() -> None:
    """Two rules that share most of their words are one rule, said twice."""
    text = re.sub(r"\{[{%].*?[%}]\}", "", prompt_text(GUIDED_QUESTION.prompt))
    lines = [line for line in text.splitlines() if len(words(line)) >= 4]
    alike = [
        (one, other)
        for place, one in enumerate(lines)
        for other in lines[place + 1 :]
        if len(words(one) & words(other)) / len(words(one) | words(other)) >= 0.5
    ]
    assert alike == []


def test_the_band_is_told_in_the_words_of_its_guidance() -> None:
    for sentence in GUIDANCE.values():
        told = GUIDED_INPUTS.model_copy(update={"guidance": sentence})
        assert sentence in blocks(render(GUIDED_QUESTION, told).user)["Turn Guidance"]


def test_a_manual_guide_takes_the_place_of_what_the_plan_knows() -> None:
    told = GUIDED_INPUTS.model_copy(
        update={"knowledge": "Ask for bakers.", "cues": (), "signals": (), "angles": ()}
    )
    known = blocks(render(GUIDED_QUESTION, told).user)["Knowledge"]
    assert "Ask for bakers." in known
    assert "To read answers by" not in known

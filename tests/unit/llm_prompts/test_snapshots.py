"""What models are really sent, word for word.

UPDATE_SNAPSHOTS=1 in the environment writes the files anew; read the difference before it is kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from graphs.metrics import SaturationReason
from interviews.llm.providers.anthropic import message_parameters
from interviews.llm.providers.base import ChatRequest, Repair, Structure
from interviews.llm.providers.openai_compatible import completion_parameters
from interviews.llm.schemas import portable_schema
from interviews.llm.tasks import base, load_tasks
from interviews.llm.tasks.base import FENCE_CLOSE, FENCE_OPEN, render
from interviews.modes.common.endings import MAX_TURNS, TIME_USED_UP
from interviews.modes.exploratory.director import CLOSING_STRATEGY

from .samples import SAMPLES

SNAPSHOTS = Path(__file__).with_name("snapshots")
CLOSING_REASONS = (CLOSING_STRATEGY, MAX_TURNS, TIME_USED_UP)


def completion(request: ChatRequest) -> dict[str, Any]:
    return completion_parameters(request, "max_tokens")


def rendered(name: str) -> str:
    prompt = render(*SAMPLES[name])
    return f"# system\n\n{prompt.system}\n\n# user\n\n{prompt.user}\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_prompt_reads_as_it_did(name: str) -> None:
    file = SNAPSHOTS / f"{name}.md"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        file.write_text(rendered(name), encoding="utf-8")
    assert rendered(name) == file.read_text(encoding="utf-8")


def test_every_task_has_a_snapshot_and_no_snapshot_is_left_over() -> None:
    assert {task.name for task, _ in SAMPLES.values()} == set(load_tasks())
    assert {file.stem for file in SNAPSHOTS.iterdir()} == set(SAMPLES)


@pytest.mark.parametrize("name", SAMPLES)
def test_fences_are_closed_where_they_were_opened_and_nowhere_else(name: str) -> None:
    user = render(*SAMPLES[name]).user
    assert user.count(FENCE_OPEN) == user.count(FENCE_CLOSE)
    for part in user.split(FENCE_OPEN)[1:]:
        assert part.count(FENCE_CLOSE) == 1
    assert "\u200b" not in user


@pytest.mark.parametrize("reason", [*get_args(SaturationReason), *CLOSING_REASONS, "something_new"])
def test_a_closing_prompt_gives_its_reason_in_words(reason: str) -> None:
    task, inputs = SAMPLES["closing_question"]
    user = render(task, inputs.model_copy(update={"reason": reason})).user
    assert reason not in user
    assert re.search(r"The interview closes because [a-z ,]{15,}\.$", user, flags=re.MULTILINE)


def test_no_prompt_says_a_thing_twice() -> None:
    for name in SAMPLES:
        lines = [line.strip("- ") for line in rendered(name).splitlines() if len(line) > 25]
        told = [line for line in lines if not line.startswith(('"', "Question:", "It has to"))]
        assert [line for line in told if told.count(line) > 1] == [], name


@pytest.mark.parametrize("structure", Structure)
@pytest.mark.parametrize("adapter", [message_parameters, completion])
def test_no_word_for_a_model_stands_in_the_code(
    adapter: Callable[[ChatRequest], dict[str, Any]],
    structure: Structure,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With every prompt file emptied, a request holds names, limits and data alone."""
    monkeypatch.setattr(base, "prompt_text", lambda name: f"[{name}] <!-- user --> [data]")
    for task, inputs in SAMPLES.values():
        prompt = render(task, inputs)
        request = ChatRequest(
            name=task.name,
            model="m",
            system=prompt.system,
            user=prompt.user,
            schema=portable_schema(task.asked_for(inputs)),
            structure=structure,
            max_tokens=1,
            timeout=1.0,
            repair=Repair(answer="[answer]", complaint="[complaint]"),
        )
        for text in texts_of(adapter(request)):
            assert not re.search(r"[a-z]+ [a-z]+ [a-z]+", text), text


def texts_of(value: object) -> Iterator[str]:
    """Every string in a request, but for a schema that is told as text."""
    if isinstance(value, str):
        yield re.sub(r"\{.*\}", "", value, flags=re.DOTALL)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner)


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_the_template_is_left_in_a_prompt(name: str) -> None:
    text = rendered(name)
    assert not any(mark in text for mark in ("{{", "}}", "{%", "%}", "<!--", "Undefined", "None"))

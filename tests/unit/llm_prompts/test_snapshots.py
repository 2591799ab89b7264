"""What models are really sent, word for word.

UPDATE_SNAPSHOTS=1 in the environment writes the files anew; read the difference before it is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interviews.llm.tasks import load_tasks
from interviews.llm.tasks.base import FENCE_CLOSE, FENCE_OPEN, render

from .samples import SAMPLES

SNAPSHOTS = Path(__file__).with_name("snapshots")


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


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_the_template_is_left_in_a_prompt(name: str) -> None:
    text = rendered(name)
    assert not any(mark in text for mark in ("{{", "}}", "{%", "%}", "<!--", "Undefined", "None"))

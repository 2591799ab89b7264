"""What a language-model task is, and how its prompt is rendered.

A task declares its role, its inputs and output as strict models, its prompt file and its limits.
It knows no provider: the gateway decides who answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Generic, Literal, TypeVar

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict

Role = Literal["extraction", "scoring", "generation"]

USER_MARK = "<!-- user -->"
"""The line of a prompt file that divides the stable system part from the part of this call."""

FENCE_OPEN = "<respondent_text>"
FENCE_CLOSE = "</respondent_text>"


class TaskModel(BaseModel):
    """Base of all task inputs and outputs: frozen, and unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_FENCE_TAG = re.compile(r"<(?=\s*/?\s*respondent)", re.IGNORECASE)

In = TypeVar("In", bound=TaskModel)
Out = TypeVar("Out", bound=TaskModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Generic[In, Out]):
    """One kind of call.

    `prompt` is a file in `interviews/llm/prompts`; `temperature` is in [0, 2], `max_tokens` counts
    output tokens, `timeout` is in seconds.
    """

    name: str
    role: Role
    inputs: type[In]
    output: type[Out]
    prompt: str
    temperature: float
    max_tokens: int
    timeout: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPrompt:
    """A prompt ready to send; `system` changes least from call to call and is worth caching."""

    system: str
    user: str


def clean(text: str) -> str:
    """Return `text` without invisible characters (format, control, private use, surrogates).

    Zero-width joiners, direction marks, tag characters and the like can hide an instruction from
    a human reader but not from a model. Line breaks and tabs stay.
    """
    return "".join(
        character
        for character in text
        if character in "\n\t" or not unicodedata.category(character).startswith("C")
    )


def fence(text: object) -> str:
    """Mark `text` as what somebody said: data, in which nothing can close the fence."""
    body = _FENCE_TAG.sub("‹", clean(str(text)))
    return f"{FENCE_OPEN}\n{body}\n{FENCE_CLOSE}"


def inline(text: object) -> str:
    """Return respondent text for use inside a line: quoted, one line, unable to open a fence."""
    body = " ".join(_FENCE_TAG.sub("‹", clean(str(text))).split())
    return '"' + body.replace('"', "'") + '"'


def cut(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, at the end of a word where there is one."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    if not text[limit].isspace() and (space := head.rfind(" ")) > 0:
        head = head[:space]
    return head.rstrip()


def render(task: Task[Any, Any], inputs: TaskModel) -> RenderedPrompt:
    """Fill the task's template with `inputs`.

    Raises jinja2.UndefinedError where the template names something that the inputs do not have,
    and TypeError where the inputs are those of another task.
    """
    if not isinstance(inputs, task.inputs):
        raise TypeError(f"{task.name} takes {task.inputs.__name__}, not {type(inputs).__name__}")
    values: Mapping[str, object] = {
        name: getattr(inputs, name) for name in type(inputs).model_fields
    }
    system, _, user = prompt_text(task.prompt).partition(USER_MARK)
    environment = _environment()
    return RenderedPrompt(
        system=environment.from_string(system).render(values).strip(),
        user=environment.from_string(user).render(values).strip(),
    )


@cache
def prompt_text(name: str) -> str:
    """Read a prompt file. Raises FileNotFoundError for an unknown name."""
    return resources.files("interviews.llm").joinpath("prompts", name).read_text(encoding="utf-8")


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,  # prompts are plain text; respondent text goes through the fence
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fence"] = fence
    environment.filters["inline"] = inline
    return environment

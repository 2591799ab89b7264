"""What a language-model task is, and how its prompt is rendered.

A task declares its role, its inputs and output as strict models, its prompt file and its limits.
It knows no provider: the gateway decides who answers.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Generic, Literal, TypeVar

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict

Role = Literal["extraction", "scoring", "generation"]

USER_MARK = "<!-- user -->"
"""The line of a prompt file that divides the stable system part from the part of this call."""

FENCE_OPEN = "<respondent_text>"
FENCE_CLOSE = "</respondent_text>"

WORDS_TO_FIND_BY = 9
LEFT_OUT = " … "

DATA_BEGINS, DATA_ENDS = "\x02", "\x03"
"""Stand around data while a prompt is rendered and go before it is sent; `clean` removes them from
whatever is data, so that none can be forged."""


class TaskModel(BaseModel):
    """Base of all task inputs and outputs: frozen, and unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_FENCE_TAG = re.compile(r"[<﹤＜](?=\s*/?\s*respondent)", re.IGNORECASE)
_SEEN_BY_NOBODY = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers and variation selectors: invisible, though marks and letters by their category."""

_DATA = re.compile(f"{DATA_BEGINS}[^{DATA_ENDS}]*{DATA_ENDS}")
_UNMARK = re.compile(f"[{DATA_BEGINS}{DATA_ENDS}]")

In = TypeVar("In", bound=TaskModel)
Out = TypeVar("Out", bound=TaskModel)


class Drafts(TaskModel):
    """What a model fills in where it tries several answers and picks one."""

    def picked(self) -> TaskModel:
        """Return the one that it picked: the task's output."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Generic[In, Out]):
    """One kind of call.

    `prompt` is a file in `interviews/llm/prompts`; `temperature` is in [0, 2], `max_tokens` counts
    output tokens, `timeout` is in seconds. `narrowed` gives, where a task has it, the model that
    these inputs want of the output: a subclass of `output`. Where `drafts` gives a model for these
    inputs, several outputs are asked for in the one call, and the pick alone is handed on.
    """

    name: str
    role: Role
    inputs: type[In]
    output: type[Out]
    prompt: str
    temperature: float
    max_tokens: int
    timeout: float = 30.0
    narrowed: Callable[[In], type[Out]] | None = None
    drafts: Callable[[In], type[Drafts] | None] | None = None

    def output_for(self, inputs: In) -> type[Out]:
        """The model of the output that these inputs ask for."""
        return self.narrowed(inputs) if self.narrowed else self.output

    def asked_for(self, inputs: In) -> type[TaskModel]:
        """What a language model is to fill in for these inputs."""
        drafts = self.drafts(inputs) if self.drafts else None
        return drafts or self.output_for(inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPrompt:
    """A prompt ready to send; `system` changes least from call to call and is worth caching.

    `instructions` is what of it is not data (what the respondent said, labels made of it, the
    subject): no answer may repeat it. `data` is the rest. `mark` names the prompt and is part of
    the system text only.
    """

    system: str
    user: str
    instructions: str = ""
    data: str = ""
    mark: str = ""


def clean(text: str) -> str:
    """Return `text` without invisible characters (format, control, fillers, variation selectors).

    Zero-width joiners, direction marks, tag characters and the like can hide an instruction from
    a human reader but not from a model. Line breaks and tabs stay.
    """
    return "".join(
        character
        for character in _SEEN_BY_NOBODY.sub("", text)
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


def opening(text: object) -> str:
    """The first words of a longer text, with a sign that it goes on: enough to find it by."""
    words = str(text).split()
    return " ".join(words if len(words) <= WORDS_TO_FIND_BY else [*words[:WORDS_TO_FIND_BY], "…"])


def cut(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, at the end of a word where there is one."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    if not text[limit].isspace() and (space := head.rfind(" ")) > 0:
        head = head[:space]
    return head.rstrip()


def ending(text: str, limit: int) -> str:
    """Return the last of `text`, at most `limit` characters, from the beginning of a word."""
    return cut(text[::-1], limit)[::-1]


def cut_middle(text: str, limit: int) -> str:
    """Return both ends of `text` with a sign for what is left out, at most `limit` characters."""
    if len(text) <= limit:
        return text
    half = (limit - len(LEFT_OUT)) // 2
    return f"{cut(text, half)}{LEFT_OUT}{ending(text, half)}"


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
    text = prompt_text(task.prompt)
    mark = mark_of(text)
    system, _, user = text.partition(USER_MARK)
    parts = [
        f"{_template(system).render(values).strip()}\n\n{fill('_mark.md', mark=mark)}",
        _template(user).render(values).strip(),
    ]
    subject = str(values.get("subject") or "")
    return RenderedPrompt(
        system=_UNMARK.sub("", parts[0]),
        user=_UNMARK.sub("", parts[1]),
        instructions="\n".join(
            _without(subject, said) for part in parts for said in _DATA.split(part)
        ),
        data="\n".join([subject, *(said for part in parts for said in _DATA.findall(part))]),
        mark=mark,
    )


def mark_of(text: str) -> str:
    """A short name of a prompt's text, always the same for the same text.

    It serves as a canary: a model that gives it away gives its instructions away.
    """
    return f"ref-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _without(subject: str, text: str) -> str:
    return text.replace(subject, "\n") if subject else text


def fill(name: str, **values: object) -> str:
    """Fill a prompt file that belongs to no task: what protocols need said beside a task's prompt.

    Raises FileNotFoundError for an unknown name and jinja2.UndefinedError for a missing value.
    """
    return _template(prompt_text(name)).render(values).strip()


@cache
def prompt_text(name: str) -> str:
    """Read a prompt file. Raises FileNotFoundError for an unknown name."""
    return resources.files("interviews.llm").joinpath("prompts", name).read_text(encoding="utf-8")


@lru_cache(maxsize=256)
def _template(text: str) -> Template:
    return _environment().from_string(text)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,  # prompts are plain text; respondent text goes through the fence
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fence"] = lambda text: f"{DATA_BEGINS}{fence(text)}{DATA_ENDS}"
    environment.filters["inline"] = lambda text: f"{DATA_BEGINS}{inline(text)}{DATA_ENDS}"
    environment.filters["opening"] = opening
    environment.globals["part"] = lambda name: prompt_text(name).strip()
    return environment

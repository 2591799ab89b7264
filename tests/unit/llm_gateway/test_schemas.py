from __future__ import annotations

import importlib
import pkgutil
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from interviews.llm import tasks
from interviews.llm.schemas import portable_schema
from interviews.llm.tasks.base import Task
from interviews.llm.tasks.questions import QuestionDrafts
from tests.llm_protocol.validation import closed_schema_complaints


class Inner(BaseModel):
    score: int = Field(ge=1, le=5)


class Outer(BaseModel):
    """What is asked for."""

    word: str = Field(min_length=2, description="one word")
    kind: Literal["a", "b"] = "a"
    inner: Inner = Field(description="a reference takes no description")
    many: tuple[Inner, ...] = ()
    maybe: int | None = None


class WithFreeKeys(BaseModel):
    anything: dict[str, int]


def all_tasks() -> list[Task[Any, Any]]:
    modules = [
        importlib.import_module(f"{tasks.__name__}.{info.name}")
        for info in pkgutil.iter_modules(tasks.__path__)
    ]
    found = {
        value.name: value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Task)
    }
    return [found[name] for name in sorted(found)]


def test_objects_are_closed_and_every_field_is_required() -> None:
    assert portable_schema(Outer) == {
        "type": "object",
        "properties": {
            "word": {"type": "string", "description": "one word (minLength 2)"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "inner": {"$ref": "#/$defs/Inner"},
            "many": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["word", "kind", "inner", "many", "maybe"],
        "additionalProperties": False,
        "$defs": {
            "Inner": {
                "type": "object",
                "properties": {"score": {"type": "integer", "description": "maximum 5, minimum 1"}},
                "required": ["score"],
                "additionalProperties": False,
            }
        },
    }


def test_free_keys_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"WithFreeKeys\.anything: an object with free keys"):
        portable_schema(WithFreeKeys)


def outputs() -> list[type[BaseModel]]:
    return [QuestionDrafts, *(task.output for task in all_tasks())]


@pytest.mark.parametrize("output", outputs(), ids=lambda output: output.__name__)
def test_every_tasks_output_fits_constrained_decoding(output: type[BaseModel]) -> None:
    assert closed_schema_complaints(portable_schema(output), strict=True) == []


def test_the_server_would_notice_an_open_schema() -> None:
    assert closed_schema_complaints(Outer.model_json_schema(), strict=True) != []

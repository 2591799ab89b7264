"""JSON schemas in the subset that every provider's structured output understands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

KEPT = ("type", "enum", "const", "description")
"""Keywords that all providers take as they are; a reference stands alone."""

DROPPED = ("title", "default", "additionalProperties", "required", "properties")
"""Keywords that are rewritten or say nothing to a model; what is left becomes a description."""


@cache
def portable_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of `model` with closed objects whose fields are all required.

    Limits that constrained decoding does not know (lengths, ranges, patterns) are told in the
    field's description and checked when the answer is validated. Callers must not change the
    result. Raises ValueError for a model with free keys (a dict field), which cannot be closed.
    """
    return _portable(model.model_json_schema(), where=model.__name__)


def _portable(schema: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    kept = ("$ref",) if "$ref" in schema else KEPT
    if schema.get("type") == "object":
        kept = (
            "type",
        )  # a model's docstring speaks to programmers; what a model is told is a file
    result: dict[str, Any] = {key: schema[key] for key in kept if key in schema}
    if "$defs" in schema:
        result["$defs"] = {
            name: _portable(part, where=name) for name, part in schema["$defs"].items()
        }
    if schema.get("type") == "object":
        if not isinstance(schema.get("additionalProperties", False), bool):
            raise ValueError(f"{where}: an object with free keys has no portable schema")
        fields = schema.get("properties", {})
        result["properties"] = {
            name: _portable(part, where=f"{where}.{name}") for name, part in fields.items()
        }
        result["required"] = list(fields)
        result["additionalProperties"] = False
    variants = schema.get("anyOf") or schema.get("oneOf")
    if variants:
        result["anyOf"] = [_portable(part, where=where) for part in variants]
    if "items" in schema:
        result["items"] = _portable(schema["items"], where=f"{where}[]")
    told = (*KEPT, *DROPPED, "$ref", "$defs", "anyOf", "oneOf", "items", "discriminator")
    limits = ", ".join(f"{key} {value}" for key, value in schema.items() if key not in told)
    if limits and "$ref" not in result:
        described = result.get("description")
        result["description"] = f"{described} ({limits})" if described else limits
    return result

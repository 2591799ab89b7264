"""Shape errors in a writer's words: what was found and what was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from methodologies.schema import IMAGE_NAME
from methodologies.validation import nearest

_EXPECTED = {
    "string_type": "expected text; put it in quotes",
    "string_too_short": "expected some text",
    "float_type": "expected a number",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "tuple_type": "expected a list",
    "list_type": "expected a list",
    "dict_type": "expected a mapping of keys to values",
    "model_type": "expected a mapping of keys to values",
    "finite_number": "expected a finite number",
}


def describe(value: Any) -> str:
    """What was found, in a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:60]}…"'
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    return f"a list of {len(value)}"


def expectation(item: Mapping[str, Any]) -> str:
    """What was expected, from one of Pydantic's errors, with the nearest right value."""
    kind, context = item["type"], item.get("ctx", {})
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    if kind == "literal_error":
        options = re.findall(r"'([^']*)'", context["expected"])
        return f"expected {context['expected']}{nearest(str(item['input']), options)}"
    if kind == "string_pattern_mismatch" and context["pattern"] == IMAGE_NAME:
        return (
            "expected the name of a png, jpeg or webp file, without a folder: letters, digits, _ "
            "and - only"
        )
    if kind == "string_pattern_mismatch":
        return (
            f"expected a name of a-z, 0-9 and _ that begins with a letter{_as_name(item['input'])}"
        )
    if kind == "string_too_long":
        return f"expected at most {context['max_length']} characters"
    if kind == "too_short":
        return f"expected at least {context['min_length']}"
    if kind == "too_long":
        return f"expected at most {context['max_length']}"
    for bound, words in (("ge", "at least"), ("le", "at most"), ("gt", "more than")):
        if bound in context:
            return f"expected {words} {context[bound]}"
    return f"expected otherwise: {item['msg']}"


def _as_name(text: str) -> str:
    """The nearest name that would do."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_0123456789")[:60]
    return f'; did you mean "{name}"?' if name else ""

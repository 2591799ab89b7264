"""From a model's text to a task's output, or to words about what is wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TypeVar

from pydantic import BaseModel, ValidationError

Output = TypeVar("Output", bound=BaseModel)

COMPLAINTS = 10
FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(?P<body>.*)\n\s*```\s*\Z", re.DOTALL)


class InvalidAnswerError(Exception):
    """An answer that does not fit its schema.

    `complaint` is for the model and may hold parts of its answer; `kinds` is for people and logs
    and holds only Pydantic's names of the errors.
    """

    def __init__(self, *, complaint: str, kinds: str) -> None:
        super().__init__(kinds)
        self.complaint = complaint
        self.kinds = kinds


def parse(output: type[Output], text: str) -> Output:
    """Validate `text` as JSON of `output`; a Markdown fence around it is taken off.

    Raises InvalidAnswerError.
    """
    fenced = FENCED.match(text)
    try:
        return output.model_validate_json(fenced["body"] if fenced else text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
    complaint = "\n".join(
        f"- {'.'.join(map(str, item['loc'])) or 'the whole answer'}: {item['msg']}"
        for item in found[:COMPLAINTS]
    )
    kinds = Counter(item["type"] for item in found)
    raise InvalidAnswerError(
        complaint=complaint,
        kinds=", ".join(f"{count} × {kind}" for kind, count in sorted(kinds.items())),
    )

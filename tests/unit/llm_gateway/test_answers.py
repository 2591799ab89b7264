from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict, Field

from interviews.llm.answers import InvalidAnswerError, parse


class Point(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    values: tuple[int, ...] = Field(max_length=2)


def test_json_is_validated_though_the_model_is_strict() -> None:
    assert parse(Point, '{"name": "a", "values": [1, 2]}') == Point(name="a", values=(1, 2))


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "  ```\n{}\n```\n"])
def test_a_markdown_fence_is_taken_off(fence: str) -> None:
    text = fence.replace("{}", '{"name": "a", "values": []}')
    assert parse(Point, text).name == "a"


def test_the_complaint_names_each_field_and_what_is_wrong() -> None:
    with pytest.raises(InvalidAnswerError) as caught:
        parse(Point, '{"values": [1, "x"], "more": 1}')
    assert caught.value.complaint == (
        "- name: Field required\n"
        "- values.1: Input should be a valid integer\n"
        "- more: Extra inputs are not permitted"
    )


def test_what_people_see_holds_no_word_of_the_answer() -> None:
    with pytest.raises(InvalidAnswerError) as caught:
        parse(Point, '{"values": [1, "private"], "private": 1}')
    assert str(caught.value) == "1 × extra_forbidden, 1 × int_type, 1 × missing"


def test_what_is_no_json_is_told_so() -> None:
    with pytest.raises(InvalidAnswerError) as caught:
        parse(Point, "Sorry, no.")
    assert caught.value.complaint.startswith("- the whole answer: Invalid JSON")
    assert caught.value.kinds == "1 × json_invalid"

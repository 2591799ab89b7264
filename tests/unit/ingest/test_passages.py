from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from interviews.ingest.passages import (
    MOST_TOKENS,
    Passage,
    Section,
    Segment,
    lines,
    packed,
    span,
    tokens,
)


@given(st.lists(st.text(max_size=3000), max_size=6))
def test_passages_are_short_keep_all_text_and_know_each_place(texts: list[str]) -> None:
    segments = [Segment(text=f"{text}\n", mark=f"line {n}") for n, text in enumerate(texts)]
    found = list(packed([Section(segments=segments)]))
    assert all(tokens(passage.text) <= MOST_TOKENS for passage in found)
    said = "".join("".join(passage.text.split()) for passage in found)
    assert said == "".join("".join(texts).split())
    assert all(passage.marks[0][0] == 0 for passage in found)


def test_a_passage_goes_through_json_and_tells_the_place_of_each_part() -> None:
    (passage,) = packed([Section(segments=lines("a = 1\nb = 2\nc = 3"), heading="function f")])
    again = Passage.of_json(json.loads(json.dumps(passage.as_json())))
    assert again == passage
    assert again.place == "function f, lines 1–3"
    assert again.place_of(again.text.index("b = 2")) == "function f, line 2"


def test_places_read_as_people_write_them() -> None:
    assert span("Params!A4", "Params!C9") == "Params!A4:C9"
    assert span("page 3", "page 3") == "page 3"
    assert span("page 3", "page 4") == "pages 3–4"
    assert span("table 1 row 2", "paragraph 9") == "table 1 row 2 – paragraph 9"

"""Quotes that overlap, nest, touch and coincide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analytics.highlights import Mark, Segment, segments


def mark(key: str, start: int, end: int) -> Mark:
    return Mark(key=key, start=start, end=end)


def test_text_without_marks_is_one_plain_segment() -> None:
    assert segments("just words", []) == [Segment(text="just words")]


def test_empty_text_has_no_segments() -> None:
    assert segments("", [mark("a", 0, 3)]) == []


def test_a_mark_in_the_middle_gives_three_segments() -> None:
    assert segments("I feel free now", [mark("a", 2, 11)]) == [
        Segment(text="I "),
        Segment(text="feel free", keys=("a",), opens=("a",)),
        Segment(text=" now"),
    ]


def test_a_nested_mark_comes_after_the_longer_one_around_it() -> None:
    found = segments("relax when it rains", [mark("in", 6, 19), mark("out", 0, 19)])
    assert found == [
        Segment(text="relax ", keys=("out",), opens=("out",)),
        Segment(text="when it rains", keys=("out", "in"), opens=("in",)),
    ]


def test_overlapping_marks_share_only_what_they_share() -> None:
    found = segments("abcdef", [mark("x", 0, 4), mark("y", 2, 6)])
    assert [(s.text, s.keys, s.opens) for s in found] == [
        ("ab", ("x",), ("x",)),
        ("cd", ("x", "y"), ("y",)),
        ("ef", ("y",), ()),
    ]


def test_equal_spans_of_two_nodes_are_one_segment_with_both() -> None:
    assert segments("dry", [mark("b", 0, 3), mark("a", 0, 3)]) == [
        Segment(text="dry", keys=("a", "b"), opens=("a", "b"))
    ]


def test_overlapping_marks_of_one_node_count_as_one() -> None:
    assert segments("stay dry", [mark("a", 0, 5), mark("a", 3, 8)]) == [
        Segment(text="stay dry", keys=("a",), opens=("a",))
    ]


def test_marks_outside_the_text_are_cut_or_left_out() -> None:
    assert segments("dry", [mark("a", 1, 99), mark("b", 7, 9), mark("c", 2, 2)]) == [
        Segment(text="d"),
        Segment(text="ry", keys=("a",), opens=("a",)),
    ]


def test_positions_count_code_points_not_bytes() -> None:
    assert segments("🙂 così libero", [mark("a", 2, 6)])[1].text == "così"


marks = st.lists(
    st.builds(
        mark, st.sampled_from("abc"), st.integers(min_value=-3, max_value=25), st.integers(0, 25)
    ),
    max_size=8,
)


@given(text=st.text(max_size=20), given_marks=marks)
def test_segments_give_the_text_back_and_know_every_mark_over_each_character(
    text: str, given_marks: list[Mark]
) -> None:
    found = segments(text, given_marks)
    assert "".join(s.text for s in found) == text
    position = 0
    for segment in found:
        for offset in range(position, position + len(segment.text)):
            over = {m.key for m in given_marks if m.start <= offset < m.end}
            assert set(segment.keys) == over
        position += len(segment.text)


@given(text=st.text(max_size=20), given_marks=marks)
def test_order_of_marks_does_not_matter(text: str, given_marks: list[Mark]) -> None:
    assert segments(text, given_marks) == segments(text, given_marks[::-1])

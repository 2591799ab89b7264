"""The map of a report as a drawing: who stands where, and where arrows leave and arrive."""

from __future__ import annotations

from analytics.reports.drawing import GUTTER, MOST_BOXES, WIDTH, Box, Drawing, Named, draw

BANDS = [("attribute", 1), ("functional consequence", 2), ("value", 3)]


def drawn(themes: dict[str, int], relations: list[tuple[str, str, int]]) -> Drawing:
    named = {key: Named(band=band, text=f"{key} · 3") for key, band in themes.items()}
    found = draw(named, relations, BANDS)
    assert found is not None
    return found


def box(drawing: Drawing, key: str) -> Box:
    return next(one for one in drawing.boxes if one.lines[0] == f"{key} · 3")


def test_higher_levels_stand_over_lower_ones_and_arrows_run_from_edge_to_edge() -> None:
    drawing = drawn({"a": 0, "c": 1, "v": 2}, [("a", "c", 4), ("c", "v", 2)])
    a, c, v = (box(drawing, key) for key in "acv")
    assert v.y < c.y < a.y
    assert [strip.lines for strip in drawing.strips] == [
        ("value",), ("functional", "consequence"), ("attribute",)
    ]  # fmt: skip
    first, second = drawing.arrows
    assert first.points == ((a.x + a.width / 2, a.y), (c.x + c.width / 2, c.y + c.height))
    assert (first.strength, first.upward) == ("4", True)
    assert first.width == 4.0
    assert second.width == 2.5


def test_an_arrow_down_leaves_at_the_foot_and_one_within_a_row_goes_over_its_boxes() -> None:
    drawing = drawn({"a": 0, "b": 0, "c": 1}, [("c", "a", 1), ("a", "b", 1)])
    a, b, c = (box(drawing, key) for key in "abc")
    down, across = drawing.arrows
    assert not down.upward
    assert not across.upward
    assert down.points[0][1] == c.y + c.height
    assert down.points[-1][1] == a.y
    assert across.points[1][1] < min(a.y, b.y)
    assert across.points[-1][1] == b.y


def test_arrows_of_one_box_do_not_leave_at_one_point_and_do_not_cross() -> None:
    relations = [("a", f"c{n}", 1) for n in range(3)]
    drawing = drawn({"a": 0, "c0": 1, "c1": 1, "c2": 1}, relations)
    ways = sorted((arrow.points[0][0], arrow.points[-1][0]) for arrow in drawing.arrows)
    assert len({start for start, _ in ways}) == 3
    assert [end for _, end in ways] == sorted(end for _, end in ways)


def test_boxes_never_overlap_nor_leave_the_drawing() -> None:
    themes = {f"theme of many words number {n}": n % 3 for n in range(MOST_BOXES)}
    drawing = drawn(themes, [])
    for one in drawing.boxes:
        assert one.x >= GUTTER
        assert one.x + one.width <= WIDTH
        assert one.y + one.height <= drawing.height
        strip = next(s for s in drawing.strips if s.y <= one.y < s.y + s.height)
        assert one.y + one.height < strip.y + strip.height
        assert strip.colour == one.colour
    for n, one in enumerate(drawing.boxes):
        for other in drawing.boxes[n + 1 :]:
            beside = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert beside or one.y + one.height <= other.y or other.y + other.height <= one.y


def test_numbers_of_arrows_stand_on_no_box() -> None:
    themes = {"a": 0, **{f"c{n}": 1 for n in range(5)}, "v": 2}
    drawing = drawn(themes, [("a", "v", 2), *(("a", f"c{n}", 1) for n in range(5))])
    for x, y in (arrow.label for arrow in drawing.arrows):
        assert not any(
            one.x < x < one.x + one.width and one.y < y - 4 < one.y + one.height
            for one in drawing.boxes
        )


def test_what_nobody_could_read_is_not_drawn() -> None:
    many = {str(n): Named(band=0, text=str(n)) for n in range(MOST_BOXES + 1)}
    assert draw(many, [], BANDS) is None
    assert draw({}, [], BANDS) is None
    tight = [(str(a), str(b), 1) for a in range(8) for b in range(8) if a != b]
    few = {str(n): Named(band=0, text="word " * 40) for n in range(8)}
    crowded = draw(few, tight, BANDS)
    assert crowded is not None
    assert {arrow.strength for arrow in crowded.arrows} == {""}
    assert all(len(one.lines) == 3 and one.lines[-1].endswith("…") for one in crowded.boxes)

"""The value map as a drawing that needs no script: where boxes, arrows and levels are. Pure.

Levels stand over each other, the concrete end at the bottom; within a level a box stands near to
what leads to it. One unit is a pixel on a page, and page and PDF draw the same places.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

WIDTH = 760
MOST_BOXES = 60
"""Themes that a page has room for; with more of them nobody could read the drawing."""
GUTTER = 96
PER_ROW = 4
BOX_WIDTH, GAP, ROW_GAP, PADDING = 150, 14, 40, 22
LINE_HEIGHT, BOX_PADDING = 13, 12
LETTERS, MOST_LINES = 23, 3
NAME_LETTERS = 14
THIN, THICK = 1.0, 4.0
NUMBERED = 40
"""Arrows up to which the strength of each stands beside it."""
STEP = 6.0
LABEL_AT = 18.0
"""How far before an arrow's tip the middle of its number is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A theme: upper left corner, size, the lines of its name, and its level's colour, 1 to 5."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    colour: int

    @property
    def placed(self) -> Iterator[tuple[float, float, str]]:
        """Each line of the name: the middle of its foot, and its text."""
        top = self.y + (self.height - len(self.lines) * LINE_HEIGHT) / 2 + LINE_HEIGHT - 3
        for number, line in enumerate(self.lines):
            yield self.x + self.width / 2, top + number * LINE_HEIGHT, line


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A relation: points from source to target, its width, and how many make it ("" where many).

    `upward` is False where it leads to the same or a lower level; it is dashed then.
    """

    points: tuple[tuple[float, float], ...]
    width: float
    strength: str
    upward: bool

    @property
    def path(self) -> str:
        """The points as SVG writes them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)

    @property
    def label(self) -> tuple[float, float]:
        """Where the number stands: before the head, where no box is."""
        (x1, y1), (x2, y2) = self.points[-2], self.points[-1]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
        back = min(LABEL_AT / length, 0.5)
        return round(x2 - (x2 - x1) * back, 1), round(y2 - (y2 - y1) * back + 4, 1)

    @property
    def head(self) -> tuple[tuple[float, float], ...]:
        """The triangle at its end, for drawings that know no markers."""
        (x1, y1), (x, y) = self.points[-2], self.points[-1]
        length = ((x - x1) ** 2 + (y - y1) ** 2) ** 0.5 or 1.0
        along, across = ((x - x1) / length, (y - y1) / length), 3.0
        foot = x - along[0] * 7, y - along[1] * 7
        return (
            (x, y),
            (foot[0] - along[1] * across, foot[1] + along[0] * across),
            (foot[0] + along[1] * across, foot[1] - along[0] * across),
        )

    @property
    def triangle(self) -> str:
        """The head as SVG writes it."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.head)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A level across the drawing, with the lines of its name."""

    y: float
    height: float
    lines: tuple[str, ...]
    colour: int
    shaded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Everything that is drawn, boxes over arrows over strips."""

    height: float
    strips: tuple[Strip, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    width: float = WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A theme to draw: its level's place, 0 the concrete end, and what its box says."""

    band: int
    text: str


def draw(
    themes: Mapping[str, Named],
    relations: Sequence[tuple[str, str, int]],
    bands: Sequence[tuple[str, int]],
) -> Drawing | None:
    """Lay out a map of themes and relations (source, target, strength); bands are (name, colour).

    None where there is nothing to draw, or more than a page has room for.
    """
    if not themes or len(themes) > MOST_BOXES:
        return None
    rows, band_rows = _rows(themes, relations)
    boxes: dict[str, Box] = {}
    strips: list[Strip] = []
    y = 0.0
    for shaded, band in enumerate(sorted(band_rows, reverse=True)):
        top = y
        y += PADDING
        for row in reversed(band_rows[band]):
            placed = _row(rows[row], themes, y, bands[band][1])
            boxes |= placed
            y += max(box.height for box in placed.values()) + ROW_GAP
        y += PADDING - ROW_GAP
        name = tuple(textwrap.wrap(bands[band][0], NAME_LETTERS, break_long_words=True))
        strips.append(
            Strip(y=top, height=y - top, lines=name, colour=bands[band][1], shaded=shaded % 2 == 0)
        )
    row_of = {theme: number for number, row in enumerate(rows) for theme in row}
    levels = {theme: one.band for theme, one in themes.items()}
    return Drawing(
        height=y,
        strips=tuple(strips),
        boxes=tuple(boxes.values()),
        arrows=tuple(_arrows(relations, boxes, row_of, levels)),
    )


def _rows(
    themes: Mapping[str, Named], relations: Sequence[tuple[str, str, int]]
) -> tuple[list[list[str]], dict[int, list[int]]]:
    """Rows of themes from the bottom up, and which rows each level has."""
    below: dict[str, list[str]] = defaultdict(list)
    for source, target, _ in relations:
        below[target].append(source)
    across: dict[str, float] = {}
    rows: list[list[str]] = []
    band_rows: dict[int, list[int]] = defaultdict(list)
    for band in sorted({one.band for one in themes.values()}):
        own = [theme for theme, one in themes.items() if one.band == band]
        wanted = {
            theme: fmean([across[one] for one in below[theme] if one in across] or [0.5])
            for theme in own
        }
        number = -(-len(own) // PER_ROW)
        size = -(-len(own) // number)
        own.sort(key=lambda theme: wanted[theme])
        parts = [own[place::number] for place in range(number)]
        for part in parts:
            assert len(part) <= size
            for place, theme in enumerate(part):
                across[theme] = (place + 0.5) / len(part)
            band_rows[band].append(len(rows))
            rows.append(part)
    return rows, band_rows


def _row(row: Sequence[str], themes: Mapping[str, Named], y: float, colour: int) -> dict[str, Box]:
    room = WIDTH - GUTTER - GAP
    space = room / len(row)
    found = {}
    for place, theme in enumerate(row):
        lines = textwrap.wrap(
            themes[theme].text, LETTERS, max_lines=MOST_LINES, placeholder=" …"
        ) or ["–"]
        found[theme] = Box(
            x=round(GUTTER + space * (place + 0.5) - BOX_WIDTH / 2, 1),
            y=y,
            width=BOX_WIDTH,
            height=len(lines) * LINE_HEIGHT + BOX_PADDING,
            lines=tuple(lines),
            colour=colour,
        )
    return found


def _arrows(
    relations: Sequence[tuple[str, str, int]],
    boxes: Mapping[str, Box],
    row_of: Mapping[str, int],
    levels: Mapping[str, int],
) -> Iterator[Arrow]:
    most = max((strength for *_, strength in relations), default=1)
    doors = _doors(relations, boxes, row_of)
    for number, (source, target, strength) in enumerate(relations):
        start, end = doors[source, target]
        points = [start, end]
        if row_of[source] == row_of[target]:
            over = min(start[1], end[1]) - 8 - STEP * (number % 4)
            points = [start, (start[0], over), (end[0], over), end]
        yield Arrow(
            points=tuple((round(x, 1), round(y, 1)) for x, y in points),
            width=round(THIN + (THICK - THIN) * strength / most, 2),
            strength=str(strength) if len(relations) <= NUMBERED else "",
            upward=levels[target] > levels[source],
        )


def _doors(
    relations: Sequence[tuple[str, str, int]],
    boxes: Mapping[str, Box],
    row_of: Mapping[str, int],
) -> dict[tuple[str, str], tuple[tuple[float, float], tuple[float, float]]]:
    """Where each arrow leaves and arrives: along the edge of its boxes, in the others' order."""
    sides: dict[tuple[str, bool], list[tuple[float, tuple[str, str], int]]] = defaultdict(list)
    for source, target, _ in relations:
        up, same = row_of[target] > row_of[source], row_of[target] == row_of[source]
        ends = (source, target, up or same), (target, source, not up or same)
        for end, (own, other, at_top) in enumerate(ends):
            sides[own, at_top].append((boxes[other].x, (source, target), end))
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(
        lambda: [(0.0, 0.0), (0.0, 0.0)]
    )
    for (theme, at_top), ends_here in sides.items():
        box = boxes[theme]
        for place, (_, key, end) in enumerate(sorted(ends_here)):
            x = box.x + box.width * (place + 1) / (len(ends_here) + 1)
            found[key][end] = (x, box.y if at_top else box.y + box.height)
    return {key: (ends[0], ends[1]) for key, ends in found.items()}

"""The map of a report drawn into a PDF."""

from __future__ import annotations

from collections.abc import Callable

from fpdf import FPDF

from analytics.reports.drawing import Arrow, Box, Drawing, Strip

LEVELS = ((53, 101, 200), (29, 122, 114), (149, 96, 11), (176, 58, 104), (106, 69, 181))
"""The colours of the levels on pages, the concrete end first."""
INK, SHADE = (90, 98, 115), (244, 245, 248)
POINTS = 11 * 72 / 25.4
"""Letters of 11 units of the drawing, in points a millimetre."""
_TYPOGRAPHIC = str.maketrans("“”„‘’–—…→•−", '"""\'\'--.>--')

Place = Callable[[float, float], tuple[float, float]]
"""From a place of the drawing to one on the page, in millimetres."""


def draw_map(made: FPDF, drawing: Drawing) -> None:
    """The map as wide as the text, or as high as a page where it is higher than that."""
    page = made.h - made.t_margin - made.b_margin
    scale = min(made.epw / drawing.width, page / drawing.height)
    made.ln(2)
    if made.get_y() + drawing.height * scale > made.h - made.b_margin:
        made.add_page()
    left, top = made.l_margin, made.get_y()

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * scale, top + y * scale

    for strip in drawing.strips:
        _strip(made, strip, drawing.width, at, scale)
    made.set_draw_color(*INK)
    for arrow in drawing.arrows:
        _arrow(made, arrow, at, scale)
    for box in drawing.boxes:
        _box(made, box, at, scale)
    made.set_text_color(0)
    made.set_font("helvetica", "B", POINTS * scale)
    for arrow in drawing.arrows:
        _number(made, arrow, at, scale)
    made.set_font("helvetica", size=10)
    made.set_xy(left, top + drawing.height * scale + 3)


def _strip(made: FPDF, strip: Strip, width: float, at: Place, scale: float) -> None:
    if strip.shaded:
        made.set_fill_color(*SHADE)
        made.rect(*at(0, strip.y), width * scale, strip.height * scale, style="F")
    made.set_fill_color(*LEVELS[strip.colour - 1])
    made.rect(*at(0, strip.y), 4 * scale, strip.height * scale, style="F")
    made.set_font("helvetica", size=POINTS * scale)
    for number, line in enumerate(strip.lines):
        made.text(*at(12, strip.y + 20 + 14 * number), western(line))


def _arrow(made: FPDF, arrow: Arrow, at: Place, scale: float) -> None:
    made.set_line_width(arrow.width * scale)
    dash = 0.0 if arrow.upward else 5 * scale
    made.set_dash_pattern(dash=dash, gap=dash)
    made.polyline([at(*point) for point in arrow.points])
    made.set_dash_pattern()
    made.set_fill_color(*INK)
    made.polygon([at(*point) for point in arrow.head], style="F")


def _box(made: FPDF, box: Box, at: Place, scale: float) -> None:
    made.set_fill_color(*LEVELS[box.colour - 1])
    corner, size = at(box.x, box.y), (box.width * scale, box.height * scale)
    made.rect(*corner, *size, style="F", round_corners=True, corner_radius=7 * scale)
    made.set_text_color(255)
    made.set_font("helvetica", size=POINTS * scale)
    for x, y, line in box.placed:
        _centred(made, *at(x, y), western(line))


def _number(made: FPDF, arrow: Arrow, at: Place, scale: float) -> None:
    if not arrow.strength:
        return
    x, y = at(*arrow.label)
    room = made.get_string_width(arrow.strength) + 3 * scale
    made.set_fill_color(255)
    made.rect(x - room / 2, y - 10 * scale, room, 12 * scale, style="F")
    _centred(made, x, y, arrow.strength)


def _centred(made: FPDF, x: float, y: float, text: str) -> None:
    made.text(x - made.get_string_width(text) / 2, y, text)


def western(text: str) -> str:
    """The text in letters that the font has, a question mark for each other."""
    return text.translate(_TYPOGRAPHIC).encode("latin-1", "replace").decode("latin-1")

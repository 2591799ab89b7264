"""The report on paper, in a font that every reader has, which knows Western letters only."""

from __future__ import annotations

from fpdf import FPDF

from analytics.reports.content import Report
from analytics.reports.pdf_map import draw_map, western


def as_pdf(report: Report) -> bytes:
    """The whole report as a PDF."""
    made = FPDF(format="A4")
    made.set_title(western(report.study.name))
    made.set_auto_page_break(auto=True, margin=18)
    made.add_page()
    made.set_font("helvetica", "B", 18)
    _line(made, report.study.name, 9)
    for section in report.sections:
        made.ln(3)
        made.set_font("helvetica", "B", 13)
        _line(made, section.title, 8)
        made.set_font("helvetica", size=10)
        _line(made, section.text, 5)
        if section.key == "map":
            _map(made, report)
        if section.key == "themes":
            _themes(made, report)
    return bytes(made.output())


def _map(made: FPDF, report: Report) -> None:
    if report.drawing:
        draw_map(made, report.drawing)
    for title, names in report.levels:
        _line(made, f"{title.capitalize()}: {', '.join(names)}", 5)
    for arrow in report.arrows:
        counts = f"{arrow.direct} direct, {arrow.indirect} indirect"
        _line(made, f"- {arrow.source} → {arrow.target} ({counts})", 5)


def _themes(made: FPDF, report: Report) -> None:
    for theme in report.themes:
        made.set_font("helvetica", "B", 10)
        _line(made, f"{theme.name} ({theme.respondents})", 6)
        made.set_font("helvetica", size=10)
        for quote in theme.quotes:
            _line(made, f"“{quote.text}” {quote.respondent}", 5)


def _line(made: FPDF, text: str, height: int) -> None:
    made.multi_cell(0, height, western(text), new_x="LMARGIN", new_y="NEXT")

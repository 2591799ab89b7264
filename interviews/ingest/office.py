"""Documents and slides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import pptx
from docx.table import Table

from interviews.ingest.archives import check_office
from interviews.ingest.limits import Unreadable
from interviews.ingest.passages import Section, Segment


def document(path: Path) -> Iterator[Section]:
    """Paragraphs and tables of a docx, each under the path of its headings."""
    check_office(path)
    try:
        opened = docx.Document(str(path))
    except Exception as error:  # whatever the library stumbles over in a damaged file
        raise Unreadable("The file is damaged: it cannot be opened as a document.") from error
    path_of: list[tuple[int, str]] = []
    held: list[Segment] = []
    number = tables = 0
    for item in opened.iter_inner_content():
        if isinstance(item, Table):
            tables += 1
            held.extend(_rows(item, f"table {tables}"))
            continue
        text = item.text.strip()
        if not text:
            continue
        number += 1
        level = _level(item)
        if level:
            yield Section(segments=held, heading=" > ".join(name for _, name in path_of))
            path_of = [*((deep, name) for deep, name in path_of if deep < level), (level, text)]
            held = []
        held.append(Segment(text=f"{text}\n", mark=f"paragraph {number}"))
    yield Section(segments=held, heading=" > ".join(name for _, name in path_of))


def _level(paragraph: Any) -> int:
    name = str(paragraph.style.name or "") if paragraph.style is not None else ""
    level = name.removeprefix("Heading ")
    return int(level) if name.startswith("Heading ") and level.isdigit() else int(name == "Title")


def _rows(table: Any, name: str) -> Iterator[Segment]:
    for number, row in enumerate(table.rows, start=1):
        cells = " | ".join(dict.fromkeys(cell.text.strip() for cell in row.cells))
        if cells.strip(" |"):
            yield Segment(text=f"{cells}\n", mark=f"{name} row {number}")


def slides(path: Path) -> Iterator[Section]:
    """The slides of a pptx: title, texts, tables, and the speaker's notes."""
    check_office(path)
    try:
        opened = pptx.Presentation(str(path))
    except Exception as error:  # as above
        raise Unreadable("The file is damaged: it cannot be opened as a presentation.") from error
    for number, slide in enumerate(opened.slides, start=1):
        title = slide.shapes.title
        texts = [text for shape in slide.shapes for text in _of_shape(shape)]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            texts += [f"Notes: {notes}"] if notes else []
        yield Section(
            segments=[Segment(text=f"{text}\n", mark=f"slide {number}") for text in texts],
            heading=title.text.strip() if title is not None and title.has_text_frame else "",
        )


def _of_shape(shape: Any) -> Iterator[str]:
    if shape.has_text_frame and shape.text_frame.text.strip():
        yield shape.text_frame.text.strip()
    if getattr(shape, "has_table", False):
        for row in shape.table.rows:
            yield " | ".join(cell.text.strip() for cell in row.cells)
    for inner in getattr(shape, "shapes", ()):
        yield from _of_shape(inner)

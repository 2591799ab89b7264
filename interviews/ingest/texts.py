"""Plain text, Markdown, and tables of separated values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from interviews.ingest.limits import ROWS_KEPT
from interviews.ingest.passages import Section, Segment, lines
from interviews.ingest.tables import Columns

_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
csv.field_size_limit(1024 * 1024)


def text(source: str) -> Iterator[Section]:
    """Lines of a text."""
    yield Section(segments=lines(source))


def markdown(source: str) -> Iterator[Section]:
    """Sections of a Markdown text, each under the path of its headings."""
    path: list[tuple[int, str]] = []
    held: list[Segment] = []
    fenced = False
    for segment in lines(source):
        fenced ^= bool(_FENCE.match(segment.text))
        found = None if fenced else _HEADING.match(segment.text)
        if found:
            yield _section(path, held)
            level = len(found[1])
            path = [*((deep, name) for deep, name in path if deep < level), (level, found[2])]
            held = []
        held.append(segment)
    yield _section(path, held)


def _section(path: list[tuple[int, str]], held: list[Segment]) -> Section:
    return Section(segments=held, heading=" > ".join(name for _, name in path))


def table(source: str, name: str) -> Iterator[Section]:
    """The first rows of a table as they are, and its columns summed up where it has more."""
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(source[:8192], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if name.casefold().endswith(".tsv") else csv.excel
    rows = csv.reader(io.StringIO(source, newline=""), dialect)
    header = [field.strip() for field in next(rows, [])]
    columns = Columns(header)
    kept = [Segment(text=f"{' | '.join(header)}\n", mark="row 1")]
    for number, row in enumerate(rows, start=2):
        columns.add(row)
        if number <= ROWS_KEPT + 1:
            pairs = (
                f"{header[at] if at < len(header) else f'column {at + 1}'}: {value.strip()}"
                for at, value in enumerate(row)
                if value.strip()
            )
            kept.append(Segment(text=f"{'; '.join(pairs)}\n", mark=f"row {number}"))
    yield Section(segments=kept)
    if columns.rows > ROWS_KEPT:
        yield Section(segments=columns.summary("all rows"))

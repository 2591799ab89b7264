"""Reads one file: says what it is and gives its passages, or why it cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from interviews.ingest.kinds import Kind, decoded, kind_of
from interviews.ingest.limits import FILE_BYTES, MB, Refused, Unreadable
from interviews.ingest.passages import Passage, Section, packed


def kind_at(path: Path, name: str) -> Kind:
    """What the file is. Raises Unreadable, and Refused for one that is too large."""
    if path.stat().st_size > FILE_BYTES:
        raise Refused(f"The file is larger than {FILE_BYTES // MB} MB.")
    return kind_of(path.read_bytes(), name)


def passages(path: Path, name: str, kind: Kind) -> Iterator[Passage]:
    """The passages of a file that is no archive, in their order. Raises Unreadable and Refused."""
    nothing = True
    for passage in packed(_sections(path, name, kind)):
        nothing = False
        yield passage
    if nothing:
        hint = " It may be scanned: text is needed." if kind == "pdf" else ""
        raise Unreadable(f"The file has no text in it.{hint}")


def _sections(path: Path, name: str, kind: Kind) -> Iterator[Section]:
    # Each reader brings a library of its own, which a process that reads another kind never needs.
    if kind == "pdf":
        from interviews.ingest.pdf import pages

        yield from pages(path)
    elif kind in ("docx", "pptx"):
        from interviews.ingest import office

        yield from (office.document if kind == "docx" else office.slides)(path)
    elif kind == "xlsx":
        from interviews.ingest.workbook import workbook

        yield from workbook(path)
    elif kind == "sqlite":
        from interviews.ingest.databases import database

        yield from database(path)
    else:
        yield from _of_text(decoded(path.read_bytes()), name, kind)


def _of_text(source: str, name: str, kind: Kind) -> Iterator[Section]:
    from interviews.ingest import code, texts

    match kind:
        case "csv":
            yield from texts.table(source, name)
        case "markdown":
            yield from texts.markdown(source)
        case "notebook":
            yield from code.notebook(source)
        case "code":
            yield from code.code(source, name)
        case "sql":
            yield from code.sql(source)
        case _:
            yield from texts.text(source)

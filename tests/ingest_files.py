"""Real files for tests, made by the libraries that people's programs use, and bombs (S10)."""

from __future__ import annotations

import io
import json
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import docx
import openpyxl
import pptx
from fpdf import FPDF
from openpyxl.workbook.defined_name import DefinedName
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DecodedStreamObject, NameObject, StreamObject


def pdf(*pages: str, password: str = "") -> bytes:
    made = FPDF()
    made.set_font("helvetica", size=11)
    for text in pages:
        made.add_page()
        made.multi_cell(0, 6, text)
    data = bytes(made.output())
    if not password:
        return data
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, algorithm="RC4-128")
    return _written(writer.write)


def document() -> bytes:
    made = docx.Document()
    made.add_heading("Policy", level=1)
    made.add_paragraph("The history covers 12 quarters.")
    made.add_heading("Escalation", level=2)
    made.add_paragraph("Ask the risk desk first.")
    table = made.add_table(rows=2, cols=2)
    for at, text in enumerate(["Tier", "Limit", "Gold", "0.3"]):
        table.cell(at // 2, at % 2).text = text
    return _written(made.save)


def workbook(rows: int = 0) -> bytes:
    made = openpyxl.Workbook()
    params = made.active
    assert params is not None
    params.title = "Params"
    params["A1"], params["B1"] = "Name", "Value"
    params["A4"], params["B4"] = "Loss threshold", 0.3
    params["A5"], params["B5"] = "Doubled", "=B4*2"
    made.defined_names["LOSS_THRESHOLD"] = DefinedName("LOSS_THRESHOLD", attr_text="Params!$B$4")
    if rows:
        data = made.create_sheet("Data")
        data.append(["region", "amount"])
        for number in range(rows):
            data.append([f"region {number % 3}", number])
    return _written(made.save)


def slides() -> bytes:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "Freeze the model in March."
    slide.notes_slide.notes_text_frame.text = "Maria agreed."
    return _written(made.save)


def database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.sqlite"
        made = sqlite3.connect(path)
        made.executescript(
            "CREATE TABLE limits (tier TEXT, most REAL);"
            "INSERT INTO limits VALUES ('gold', 0.3), ('silver', 0.2);"
            "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT * FROM n;"
        )
        made.close()
        return path.read_bytes()


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Weights\n", "Set by hand.\n"]},
        {"cell_type": "code", "source": "CUT = 0.25\nprint(CUT)", "outputs": []},
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


CODE = b'''"""Scores losses."""

CUTOFF = 0.3


def score(loss):
    """Weigh a loss."""
    if loss > CUTOFF:
        return loss * 1.5
    return loss


class Desk:
    owner = None
'''


def archive(files: Mapping[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return held.getvalue()


# -- S10 -----------------------------------------------------------------------------------------
_ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, (b"&%c;" % (97 + n)) * 10) for n in range(9))
    + b"]>"
)
_OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


def _replaced(office: bytes, part: str, prolog: bytes) -> bytes:
    """An office file whose part begins with a prolog of its own."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(office)) as source, zipfile.ZipFile(held, "w") as made:
        for name in source.namelist():
            content = source.read(name)
            if name == part:
                content = prolog + content.split(b"?>", 1)[-1]
            made.writestr(name, content)
    return held.getvalue()


def _padded(office: bytes, size: int) -> bytes:
    held = io.BytesIO(office)
    with zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED) as made:
        made.writestr("docProps/padding.xml", b"<a>" + b" " * size + b"</a>")
    return held.getvalue()


def lying_archive() -> bytes:
    """An archive whose directory claims that its entry is small."""
    data = bytearray(archive({"big.txt": b"0" * 30_000_000}))
    real, small = struct.pack("<I", 30_000_000), struct.pack("<I", 1_000)
    return bytes(data.replace(real, small))


def _pdf_with(stream: StreamObject) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("one"))))
    page = writer.pages[0]
    page[NameObject("/Contents")] = writer._add_object(stream)
    return _written(writer.write)


def _flate(size: int, times: int = 1) -> bytes:
    data, packer = b"", zlib.compressobj(9)
    block = b"(x) Tj " * 100_000
    parts = [packer.compress(block) for _ in range(size // len(block))]
    data = b"".join([*parts, packer.flush()])
    for _ in range(times - 1):
        data = zlib.compress(data, 9)
    stream = DecodedStreamObject()
    stream.set_data(data)
    name = NameObject("/FlateDecode")
    stream[NameObject("/Filter")] = ArrayObject([name] * times)
    return _pdf_with(stream)


def pdf_of_endless_pages() -> bytes:
    """A PDF whose tree of pages refers to itself."""
    data = pdf("one")
    return data.replace(b"/Kids [3 0 R]", b"/Kids [1 0 R]", 1)


BOMBS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "ratio": ("bomb.zip", lambda: archive({"zeros.txt": b"0" * 20_000_000})),
    "unpacked": (
        "large.zip",
        lambda: archive({f"{n}.txt": b"ab" * 11_000_000 for n in range(10)}),
    ),
    "entries": ("many.zip", lambda: archive({f"{n}.txt": b"x" for n in range(2_001)})),
    "nested": ("nested.zip", lambda: archive({"inner.zip": archive({"a.txt": b"a"})})),
    "nested gzip": ("nested.zip", lambda: archive({"a.gz": b"\x1f\x8b" + b"\0" * 40})),
    "up": ("up.zip", lambda: archive({"../../evil.txt": b"x"})),
    "absolute": ("root.zip", lambda: archive({"/etc/evil.txt": b"x"})),
    "backslash": ("windows.zip", lambda: archive({"..\\evil.txt": b"x"})),
    "entities in docx": (
        "a.docx",
        lambda: _replaced(document(), "word/document.xml", _ENTITIES),
    ),
    "entities in xlsx": (
        "a.xlsx",
        lambda: _replaced(workbook(), "xl/workbook.xml", _ENTITIES),
    ),
    "entities in pptx": (
        "a.pptx",
        lambda: _replaced(slides(), "ppt/presentation.xml", _OUTSIDE),
    ),
    "docx that is large inside": ("b.docx", lambda: _padded(document(), 150_000_000)),
    "pdf stream": ("a.pdf", lambda: _flate(400_000_000)),
    "pdf stream in a stream": ("b.pdf", lambda: _flate(150_000_000, times=3)),
}
"""Files that are to be refused within 10 seconds and 512 MB, by what they try: name and content."""


def _written(write: Callable[[io.BytesIO], object]) -> bytes:
    held = io.BytesIO()
    write(held)
    return held.getvalue()

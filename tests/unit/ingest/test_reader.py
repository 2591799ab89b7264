from __future__ import annotations

from pathlib import Path

import pytest

from interviews.ingest.limits import Unreadable
from interviews.ingest.passages import MOST_TOKENS, Passage, tokens
from interviews.ingest.reader import kind_at, passages
from tests import ingest_files


def read(folder: Path, name: str, content: bytes) -> tuple[str, list[Passage]]:
    path = folder / "source"
    path.write_bytes(content)
    kind = kind_at(path, name)
    return kind, list(passages(path, name, kind))


def text_at(found: list[Passage], quote: str) -> str:
    """The place of a quote."""
    for passage in found:
        if quote in passage.text:
            return passage.place_of(passage.text.index(quote))
    raise AssertionError(f"{quote!r} is in no passage")


@pytest.mark.parametrize(
    ("name", "content", "kind", "quote", "place"),
    [
        ("a.pdf", ingest_files.pdf("First page.", "The cap is 0.3."), "pdf", "0.3", "page 2"),
        (
            "a.docx",
            ingest_files.document(),
            "docx",
            "risk desk",
            "Policy > Escalation, paragraph 4",
        ),
        (
            "a.docx",
            ingest_files.document(),
            "docx",
            "Gold | 0.3",
            "Policy > Escalation, table 1 row 2",
        ),
        ("a.xlsx", ingest_files.workbook(), "xlsx", "B4 (LOSS_THRESHOLD): 0.3", "Params!B4"),
        ("a.xlsx", ingest_files.workbook(), "xlsx", "=B4*2", "Params!B5"),
        ("a.pptx", ingest_files.slides(), "pptx", "Freeze the model", "Plan, slide 1"),
        ("a.pptx", ingest_files.slides(), "pptx", "Maria agreed", "Plan, slide 1"),
        ("a.csv", b"tier;limit\ngold;0.3\n", "csv", "tier: gold; limit: 0.3", "row 2"),
        ("a.md", b"# A\nx\n## B\nfour\n", "markdown", "four", "A > B, line 4"),
        ("a.txt", b"one\ntwo\n", "text", "two", "line 2"),
        ("a.ipynb", ingest_files.notebook(), "notebook", "CUT = 0.25", "cell 2, line 1"),
        ("a.py", ingest_files.CODE, "code", "loss > CUTOFF", "function score, line 8"),
        ("a.py", ingest_files.CODE, "code", "owner = None", "class Desk, line 14"),
        ("a.py", ingest_files.CODE, "code", "CUTOFF = 0.3", "line 3"),
        (
            "a.R",
            b"\nweigh <- function(x) {\n  x * 2\n}\n",
            "code",
            "x * 2",
            "weigh, line 3",
        ),
        ("a.sql", b"CREATE TABLE caps (\n  most REAL\n);", "sql", "most REAL", "caps, line 2"),
        (
            "a.bin",
            ingest_files.database(),
            "sqlite",
            "tier: gold; most: 0.3",
            "table limits, row 1",
        ),
    ],
)
def test_a_file_is_read_by_its_content_and_each_part_knows_its_place(
    tmp_path: Path, name: str, content: bytes, kind: str, quote: str, place: str
) -> None:
    found_kind, found = read(tmp_path, name, content)
    assert found_kind == kind
    assert text_at(found, quote) == place
    assert all(tokens(passage.text) <= MOST_TOKENS for passage in found)


def test_content_decides_where_the_name_says_something_else(tmp_path: Path) -> None:
    assert read(tmp_path, "report.txt", ingest_files.pdf("Hello."))[0] == "pdf"
    assert read(tmp_path, "data.csv", ingest_files.workbook())[0] == "xlsx"


def test_a_long_table_keeps_its_first_rows_and_sums_up_the_rest(tmp_path: Path) -> None:
    rows = "\n".join(f"region {n % 3},{n}" for n in range(1000))
    _, found = read(tmp_path, "a.csv", f"region,amount\n{rows}\n".encode())
    said = "\n".join(passage.text for passage in found)
    assert "amount: 199" in said
    assert "region: region 2; amount: 200" not in said
    assert "1000 rows in all." in said
    assert "amount: 1000 values; 0 to 999, 499.5 on average" in said
    assert "region: 1000 values; region 0, region 1, region 2" in said


def test_a_long_sheet_keeps_its_first_rows_and_sums_up_the_rest(tmp_path: Path) -> None:
    _, found = read(tmp_path, "a.xlsx", ingest_files.workbook(rows=500))
    said = "\n".join(passage.text for passage in found)
    assert "B201: 199" in said
    assert "B202: 200" not in said
    assert "amount: 500 values; 0 to 499, 249.5 on average" in said
    assert found[-1].place == "Data, all rows"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"  \n", "The file is empty."),
        ("a.pdf", ingest_files.pdf("Secret.", password="x"), "protected by a password"),
        ("a.pdf", ingest_files.pdf(""), "no text in it. It may be scanned"),
        ("a.pdf", b"%PDF-1.7\nnothing of it", "cannot be opened as a PDF"),
        ("a.docx", ingest_files.document()[:2000], "its archive cannot be opened"),
        (
            "a.docx",
            ingest_files.archive({"[Content_Types].xml": b"<a/>", "word/document.xml": b"<a/>"}),
            "cannot be opened as a document",
        ),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old binary format"),
        (
            "a.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "protected by a password",
        ),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, "kind that is not known"),
        ("a.db", b"SQLite format 3\0" + b"x" * 200, "cannot be opened as a database"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(tmp_path, name, content)


def test_a_view_of_a_database_is_shown_and_never_run(tmp_path: Path) -> None:
    _, found = read(tmp_path, "a.db", ingest_files.database())
    view = next(passage for passage in found if passage.heading == "view endless")
    assert view.text.startswith("CREATE VIEW endless")

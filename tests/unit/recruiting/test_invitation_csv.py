"""Lists of invitations: every fault is told, and with one nothing is made."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.invitation_csv import MOST_ROWS, read

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "data",
    [
        b"note,expires_at\nAna,2026-12-31\n",
        b"\xef\xbb\xbfnote,expires_at\r\nAna,2026-12-31\r\n\r\n",
        b"Note;Expires_At\nAna;2026-12-31\n",
        b"expires_at,note\n2026-12-31,Ana\n",
        b"note,expires_at\n Ana ,2026-12-31T23:59:59+00:00\n,,\n",
    ],
)
def test_a_list_is_read_with_comma_or_semicolon_and_with_or_without_a_mark(data: bytes) -> None:
    wanted, faults = read(data, NOW)
    assert faults == []
    assert [(one.note, one.expires_at) for one in wanted] == [
        ("Ana", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC))
    ]


def test_a_link_without_an_expiry_counts_for_good() -> None:
    assert [one.expires_at for one in read(b"note,expires_at\nAna,\nBen\n", NOW)[0]] == [None, None]
    assert len(read(b"note\nAna\n", NOW)[0]) == 1


def test_all_wrong_rows_are_told_at_once() -> None:
    wrong = [b"note,expires_at", b"good,2027-01-01"]
    wrong += [b"past,2020-01-01"] * 4 + [b"no time,soon"] * 4 + [b"x" * 121 + b",", b"a,,b"]
    wanted, faults = read(b"\n".join(wrong), NOW)
    assert wanted == []
    assert [(fault.row, fault.column) for fault in faults] == [
        *((row, "expires_at") for row in range(2, 10)),
        (10, "note"),
        (11, ""),
    ]
    assert faults[0].message == "This time has passed."
    assert faults[4].message == "'soon' is no time; expected 2026-12-31 or 2026-12-31T18:00."
    assert faults[8].message == "121 characters; 120 at most."


@pytest.mark.parametrize(
    ("data", "column", "message"),
    [
        (b"", "note", "The first line has to name the columns"),
        (b"name,expires_at\nAna,\n", "name", "Unknown column"),
        (b"note,note\nAna,Ben\n", "note", "This column is there twice."),
        ("note\nZoë".encode("latin-1"), "", "The file is not UTF-8"),
        (b'note\n"Ana', "", "The file is no CSV"),
        (b"note\n" + b"Ana\n" * (MOST_ROWS + 1), "", "10001 rows; 10000 at most. Split the file."),
    ],
)
def test_a_file_that_cannot_be_a_list_is_refused_as_a_whole(
    data: bytes, column: str, message: str
) -> None:
    wanted, faults = read(data, NOW)
    assert wanted == []
    assert any(f.row == 0 and f.column == column and message in f.message for f in faults)


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_file_makes_all_of_its_rows_or_none(data: bytes) -> None:
    wanted, faults = read(data, NOW)
    assert not (wanted and faults)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)))
def test_every_note_that_a_spreadsheet_writes_comes_back(notes: list[str]) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["note", "expires_at"])
    writer.writerows([note, ""] for note in notes)
    wanted, faults = read(out.getvalue().encode(), NOW)
    assert faults == []
    assert [one.note for one in wanted] == [note.strip() for note in notes if note.strip()]

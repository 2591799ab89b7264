"""Transcripts read from CSV and Markdown."""

from __future__ import annotations

import pytest

from analytics.interchange import ImportRefused
from analytics.transcripts import read_transcripts

CSV = """session,Speaker,text
one,Interviewer,What do you like?
one,R,"It is light,
and dry."
one,respondent,It is cheap.
two,participant,I begin.
one,I,Why?
one,moderator,Tell me.
one,r,Because I walk.
one,I,Thank you.
two,Q,And then?
two,A,I end.
"""
MARKDOWN = """Kept out: a preface.

# Ann
**Interviewer:** What do you like?
**Respondent:** It is light.
It is dry.

I: Why: because?
R: Because I walk.
## Ben ##
__Q__: And you?
A: Nothing: really.
"""


def test_csv_is_read_interview_by_interview() -> None:
    one, two = read_transcripts(CSV.encode("utf-8-sig"), markdown=False)
    assert (one.name, one.line) == ("one", 2)
    assert one.exchanges == [
        ("What do you like?", "It is light,\nand dry.\nIt is cheap."),
        ("Why?\nTell me.", "Because I walk."),
    ]
    assert two.exchanges == [("", "I begin."), ("And then?", "I end.")]


def test_markdown_is_read_interview_by_interview() -> None:
    ann, ben = read_transcripts(MARKDOWN.encode(), markdown=True)
    assert (ann.name, ben.name) == ("Ann", "Ben")
    assert ann.exchanges == [
        ("What do you like?", "It is light.\nIt is dry."),
        ("Why: because?", "Because I walk."),
    ]
    assert ben.exchanges == [("And you?", "Nothing: really.")]


@pytest.mark.parametrize(
    ("data", "markdown", "faults"),
    [
        (b"\xff\xfe", False, {"": "the file is not UTF-8 text: invalid start byte"}),
        (b"a\0b", True, {"": "the file holds NUL characters, so it is no text"}),
        (b"", True, {"": "the file holds no interview"}),
        (b"session,speaker,text\n", False, {"": "the file holds no interview"}),
        (
            b"who,text\nR,yes\n",
            False,
            dict.fromkeys(
                ("session", "speaker"),
                "is not among the columns of the first row; needed are session, speaker, text",
            ),
        ),
        (
            b"session,speaker,text\n1,X,yes\n1,Y,no\n",
            False,
            {
                "line 2.speaker": "'X' is neither interviewer nor respondent",
                "line 3.speaker": "'Y' is neither interviewer nor respondent",
            },
        ),
        (b"session,speaker,text\n1,I,yes?\n", False, {"line 2.session": "'1' has no answer"}),
        (
            b"session,speaker,text\n1,R," + b"a" * 8001 + b"\n",
            False,
            {"line 2.text": "has 8001 characters; 8000 is the most"},
        ),
        (
            b"session,speaker,text\n" + b"1,I,Why?\n1,R,So.\n" * 201,
            False,
            {"line 2.session": "'1' has 201 answers; 200 is the most"},
        ),
        (
            b'session,speaker,text\n1,R,"yes\n',
            False,
            {"": "this is not CSV: unexpected end of data"},
        ),
    ],
)
def test_what_is_wrong_is_told_by_its_line(
    data: bytes, markdown: bool, faults: dict[str, str]
) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_transcripts(data, markdown=markdown)
    assert dict(refused.value.faults) == faults

"""Transcripts of interviews that people held, read from CSV or Markdown. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from analytics.interchange import ImportRefused

COLUMNS: Final = ("session", "speaker", "text")
INTERVIEWERS: Final = frozenset({"interviewer", "i", "q", "moderator", "researcher"})
RESPONDENTS: Final = frozenset({"respondent", "r", "a", "participant", "interviewee", "p"})
MOST_ANSWERS: Final = 200
LONGEST: Final = 8000
"""Characters of one answer, as in the chat."""

_SPOKEN = re.compile(r"^\s*(?:\*\*|__)?\s*([A-Za-z]+)\s*(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


@dataclass(slots=True)
class Transcript:
    """An interview: (question, answer) in order; `line` is where it begins in the file."""

    name: str
    line: int
    exchanges: list[tuple[str, str]] = field(default_factory=list)


Said = tuple[int, str, str, str]
"""Line, session, speaker as written, text."""


def read_transcripts(data: bytes, *, markdown: bool) -> list[Transcript]:
    """The interviews of a file. Raises ImportRefused with every wrong line."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise ImportRefused([("", f"the file is not UTF-8 text: {error.reason}")]) from error
    if "\0" in text:
        raise ImportRefused([("", "the file holds NUL characters, so it is no text")])
    said = list(_of_markdown(text) if markdown else _of_csv(text))
    faults = [(f"line {line}.speaker", _unknown(who)) for line, _, who, _ in said if not _role(who)]
    faults += [
        (f"line {line}.text", f"has {len(words)} characters; {LONGEST} is the most")
        for line, _, _, words in said
        if len(words) > LONGEST
    ]
    if faults:
        raise ImportRefused(faults)
    found = _gathered(said)
    for one in found:
        if not one.exchanges:
            faults.append((f"line {one.line}.session", f"{one.name!r} has no answer"))
        if len(one.exchanges) > MOST_ANSWERS:
            told = f"{one.name!r} has {len(one.exchanges)} answers; {MOST_ANSWERS} is the most"
            faults.append((f"line {one.line}.session", told))
    if not found:
        faults.append(("", "the file holds no interview"))
    if faults:
        raise ImportRefused(faults)
    return found


def _of_csv(text: str) -> Iterator[Said]:
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        names = [name.strip().lower() for name in rows.fieldnames or ()]
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            told = f"is not among the columns of the first row; needed are {', '.join(COLUMNS)}"
            raise ImportRefused([(name, told) for name in missing])
        rows.fieldnames = names
        for row in rows:
            words = (row["text"] or "").strip()
            if words:
                session = (row["session"] or "").strip()
                yield rows.line_num, session, (row["speaker"] or "").strip(), words
    except csv.Error as error:
        raise ImportRefused([("", f"this is not CSV: {error}")]) from error


def _of_markdown(text: str) -> Iterator[Said]:
    """A heading begins an interview, `Speaker:` an utterance; other lines belong to the last."""
    session, held = "1", None
    for number, line in enumerate(text.split("\n"), start=1):
        heading, spoken = _HEADING.match(line), _SPOKEN.match(line)
        if heading or (spoken and _role(spoken[1])):
            if held:
                yield held
            held = None
        if heading:
            session = heading[1] or str(number)
        elif spoken and _role(spoken[1]):
            held = (number, session, spoken[1], spoken[2].strip())
        elif held and line.strip():
            held = (*held[:3], f"{held[3]}\n{line.strip()}".strip())
    if held:
        yield held


def _gathered(said: list[Said]) -> list[Transcript]:
    """Interviews in the order in which they begin; what one says running is one utterance."""
    found: dict[str, Transcript] = {}
    asked: dict[str, list[str]] = {}
    answers: dict[str, bool] = {}
    for line, session, who, words in said:
        one = found.setdefault(session, Transcript(session, line))
        questions = asked.setdefault(session, [])
        if _role(who) == "interviewer":
            questions.append(words)
        elif answers.get(session) and not questions:
            before, answer = one.exchanges[-1]
            one.exchanges[-1] = (before, f"{answer}\n{words}")
        else:
            one.exchanges.append(("\n".join(questions), words))
            questions.clear()
        answers[session] = _role(who) == "respondent"
    return list(found.values())


def _role(who: str) -> str:
    name = who.strip().lower()
    if name in INTERVIEWERS:
        return "interviewer"
    return "respondent" if name in RESPONDENTS else ""


def _unknown(who: str) -> str:
    return f"{who!r} is neither interviewer nor respondent"

"""Files of a handover read by rules: numbers, formulas, names and wordings as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from interviews.llm.providers.offline.handover_values import (
    amount,
    by_table,
    in_code,
    in_sentence,
    terms,
)
from interviews.llm.tasks.handover_files import (
    BACKLOG,
    DEEP_DIVE,
    FILE_SUMMARY,
    RECONCILE,
    AnsweredByFile,
    BacklogInputs,
    BacklogOutput,
    Conflict,
    DeepDiveInputs,
    DeepDiveOutput,
    FileSummaryInputs,
    FileSummaryOutput,
    FindingInPassage,
    FindingKind,
    KnownFinding,
    Priority,
    QuestionToAsk,
    ReconcileInputs,
    ReconcileOutput,
)

MOST_FINDINGS = 60
MOST_QUOTE = 600
MOST_QUOTED = 16
"""In words, within a question."""
MOST_SUMMARY_WORDS = 380

_CODE_KINDS = frozenset(["code", "sql", "notebook"])
_TABLES = frozenset(["csv", "sqlite", "xlsx"])
_NUMBERS = frozenset(["threshold", "constant", "formula"])
_DATA_KINDS = frozenset(["csv", "sqlite"])
"""A number in a row of data was measured, not set."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(*\d-])|\n\s*\n|\n(?=\s*(?:[-*#>]|\d+\.)\s)")
_COMMENT = re.compile(r"(?:#|//|--|\"\"\")\s?(.*)$")
_REASON = re.compile(
    r"\b(?:because|since then|decided|decision|agreed|chose|chosen|so that|due to|therefore"
    r"|the reason|in order to|we (?:keep|switched)|was raised|was lowered)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:TODO|FIXME|XXX|HACK|TBD|not sure|unclear|to be decided|open question|no idea)\b"
    r"|\?\s*$"
)
_UNFINISHED = re.compile(
    r"\b(?:incomplete|unfinished|not (?:yet )?(?:written|documented|finished|complete)"
    r"|to be (?:written|completed|added|filled in|defined|documented)|still missing|TBD"
    r"|work in progress|placeholder)\b",
    re.IGNORECASE,
)
_BY_HAND = re.compile(
    r"\b(?:by hand|manual(?:ly)?|overrid(?:e|es|den)|overwrit(?:e|es|ten))\b", re.IGNORECASE
)
_NAME = r"[A-Z][a-zà-ÿ]+(?:\s[A-Z][a-zà-ÿ]+)?"
_ALONE = re.compile(
    rf"\b(?:[Oo]nly ({_NAME})(?:\s\w+)? (?:knows|understands|can|has|remembers)"
    rf"|({_NAME}) is the only|({_NAME}) alone"
    rf"|(?:[Nn]obody(?: else)?|[Nn]o one) (?:but|except) ({_NAME}))"
)
_PERSON = re.compile(
    rf"\b(?:[Aa]sk|[Cc]all|[Tt]ell|[Ss]ee|by|with|from|to|cc|and|Owner:|Author:|Contact:)\s"
    rf"({_NAME})\b|\b({_NAME})\s(?:knows|owns|approves|signs|decides|maintains|checks|reviews|said"
    rf"|agreed|wants|sends|asked|runs)\b"
)
_SYSTEM = re.compile(
    r"\b([A-Z][\w-]*(?:\s[A-Z][\w-]*)?)\s(?:system|database|server|warehouse|platform|dashboard"
    r"|API|portal|ledger|tool|cluster|scheduler|mailbox|feed|job)\b"
    r"|\b(?:from|in|into|to|on|via|through)\s(?:the\s)?([A-Z]{2,}[A-Za-z0-9]*|[A-Z][a-z]+[A-Z]\w+)\b"
)
_FILE = re.compile(r"\b[\w-]+\.(?:csv|xlsx?|py|sql|docx?|pptx?|pdf|md|txt|ipynb|json|ya?ml|db)\b")
_NO_NAMES = frozenset([
    "the", "a", "an", "this", "that", "these", "those", "it", "we", "they", "he", "she", "you",
    "only", "i", "if", "when", "then", "there", "here", "please", "note", "in", "on", "at", "to",
    "from", "by", "for", "and", "or", "but", "no", "not", "our", "your", "their", "its", "each",
    "every", "all", "any", "some", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december", "python", "excel", "table",
    "figure", "section", "page", "true", "false", "none", "null", "todo", "select", "where",
    "group", "order", "with", "what", "which", "who", "how", "why", "ask", "see",
])  # fmt: skip
_SUBJECT = re.compile(r"^[\s#>*\-\d.]*(.{3,80}?)(?:[.:;,(]|\s(?:is|are|was|were|has|have)\s|$)")


def deep_dive(inputs: DeepDiveInputs) -> DeepDiveOutput:
    """What stands in a passage; each finding quotes it, and the same one is told once."""
    found: dict[tuple[str, str, str], FindingInPassage] = {}
    for finding in _findings(inputs):
        key = (finding.kind, finding.name.casefold(), finding.value)
        found.setdefault(key, finding)
    return DeepDiveOutput(findings=tuple(found.values())[:MOST_FINDINGS])


def _findings(inputs: DeepDiveInputs) -> Iterator[FindingInPassage]:
    if inputs.kind == "xlsx":
        yield from _told(by_table(inputs.text))
        prose = inputs.text.splitlines()
    elif inputs.kind in _CODE_KINDS:
        yield from _told(in_code(inputs.text, inputs.place))
        prose = list(_comments(inputs.text))
    else:
        prose = [s.strip() for s in _SENTENCES.split(inputs.text) if s and s.strip()]
        if inputs.kind not in _DATA_KINDS:
            yield from _told(chain.from_iterable(in_sentence(sentence) for sentence in prose))
    for sentence in prose:
        yield from _of_wording(sentence, inputs.text)


def _told(found: Iterable[tuple[str, str, str, str]]) -> Iterator[FindingInPassage]:
    for kind, name, value, quote in found:
        if name.strip() and quote.strip():
            yield _finding(kind, name, quote, value)


def _finding(kind: str, name: str, quote: str, value: str = "") -> FindingInPassage:
    return FindingInPassage.model_validate(
        {
            "kind": kind,
            "name": " ".join(name.split())[:200].strip(),
            "value": " ".join(value.split())[:300],
            "quote": quote.strip()[:MOST_QUOTE],
        }
    )


def _comments(text: str) -> Iterator[str]:
    """The comments of a source, and the lines of its texts between three quotation marks."""
    inside = False
    for line in text.splitlines():
        marks = line.count('"""')
        if inside or marks:
            said = line.replace('"""', "").strip()
            if said:
                yield said
        elif (found := _COMMENT.search(line)) and found[1].strip():
            yield found[1].strip()
        inside ^= marks % 2 == 1


def _of_wording(sentence: str, text: str) -> Iterator[FindingInPassage]:
    """Gaps, decisions, open questions and names by the words that give them away."""
    if sentence not in text:
        return
    about = _about(sentence)
    alone = _ALONE.search(sentence)
    if alone:
        name = next(filter(None, alone.groups()))
        yield _finding("gap", f"only {name} knows: {about}", sentence)
    if _BY_HAND.search(sentence):
        yield _finding("gap", f"done by hand: {about}", sentence)
    if _UNFINISHED.search(sentence):
        yield _finding("gap", f"not finished: {about}", sentence)
    elif _OPEN.search(sentence):
        yield _finding("open_question", about, sentence)
    if _REASON.search(sentence):
        yield _finding("decision", about, sentence)
    yield from _named(sentence)


def names_in(text: str) -> Iterator[tuple[FindingKind, str]]:
    """Systems and people that a text names."""
    kinds: tuple[tuple[FindingKind, re.Pattern[str]], ...] = (
        ("system", _SYSTEM),
        ("person", _PERSON),
    )
    taken: set[str] = set()
    for kind, pattern in kinds:
        for match in pattern.finditer(text):
            name = next(filter(None, match.groups()))
            words = name.casefold().split()
            if name in taken or any(word in _NO_NAMES for word in words):
                continue
            taken.add(name)
            yield kind, name


def _named(sentence: str) -> Iterator[FindingInPassage]:
    for kind, name in names_in(sentence):
        yield _finding(kind, name, sentence)
    for file in _FILE.findall(sentence):
        yield _finding("artefact", file, sentence)


def _about(sentence: str) -> str:
    found = _SUBJECT.match(sentence)
    said = found[1] if found else sentence
    words = said.split()[:12]
    return " ".join(words).strip(" #>*-.:,") or sentence[:60]


def file_summary(inputs: FileSummaryInputs) -> FileSummaryOutput:
    """Its first sentence that says something, and how much of what was found in it.

    Of a table what it is a table of: its columns, or what its first numbers are called.
    """
    if inputs.kind in _TABLES:
        return FileSummaryOutput(purpose=_of_table(inputs)[:600])
    sentences = (" ".join(s.split()) for s in _SENTENCES.split(inputs.beginning) if s)
    said = [s.strip(' #"*') for s in sentences if len(s.split()) >= 4]
    begins = " ".join(said[0].split()[:30]) if said else inputs.file
    counts: dict[str, int] = {}
    for found in inputs.findings:
        counts[found.kind] = counts.get(found.kind, 0) + 1
    told = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in counts.items())
    return FileSummaryOutput(purpose=f"{begins}{f' ({told})' if told else ''}"[:600])


def _of_table(inputs: FileSummaryInputs) -> str:
    header = inputs.beginning.partition("\n")[0]
    if inputs.kind == "csv":
        return f"A table with the columns {', '.join(part.strip() for part in header.split('|'))}."
    names = dict.fromkeys(found.name for found in inputs.findings if found.kind in _NUMBERS)
    what = "workbook" if inputs.kind == "xlsx" else "database"
    return f"A {what} with {', '.join(list(names)[:12]) or 'tables'}."


def _plural(kind: str, count: int) -> str:
    said = kind.replace("_", " ")
    if count == 1:
        return said
    return {"person": "people"}.get(said, f"{said}s")


_AT = "In {file} at {place} "
_QUOTED = "{file} says at {place}: “{quote}”. "
_QUESTIONS: dict[str, tuple[Priority, str]] = {
    "threshold": ("P0", _AT + "{name} is {value}: where does that number come from?"),
    "formula": ("P0", _AT + "{name} is calculated as {value}: why in this way?"),
    "decision": ("P0", _QUOTED + "What led to that decision?"),
    "gap": ("P0", _QUOTED + "What belongs there?"),
    "constant": ("P1", _AT + "{name} is {value}: who set it, and when would you change it?"),
    "open_question": ("P1", _QUOTED + "What is the answer by now?"),
    "person": ("P1", _AT + "{name} is named: what should your successor go to {name} for?"),
    "system": ("P1", _AT + "{name} is named: what depends on it, and who gives access?"),
}
_GAPS = {
    "only ": _QUOTED + "What of that should be written down now?",
    "done by hand": _QUOTED + "How exactly is that done by hand, and when?",
    "no value": _AT + "{name} has no value: what should it be, and what happens without?",
}


def backlog(inputs: BacklogInputs) -> BacklogOutput:
    """A question for each finding that an author alone can explain."""
    asked = []
    for found in inputs.findings:
        if found.kind not in _QUESTIONS:
            continue
        priority, wording = _QUESTIONS[found.kind]
        if found.kind == "gap":
            fitting = (text for start, text in _GAPS.items() if found.name.startswith(start))
            wording = next(fitting, wording)
        asked.append(
            QuestionToAsk.model_validate(
                {"ref": found.ref, "priority": priority, "text": _filled(wording, found)[:500]}
            )
        )
    return BacklogOutput(questions=tuple(asked)[:200])


def _filled(wording: str, found: KnownFinding) -> str:
    name = found.name.removeprefix("no value: ")
    quote = " ".join(found.quote.split())
    return wording.format(
        file=f"`{found.file}`",
        place=found.place,
        name=name,
        value=found.value,
        quote=_cut(quote),
    )


def _cut(quote: str) -> str:
    plain = quote.strip(" -*#>.!?").translate(str.maketrans("“”", "''", "?!"))
    words = plain.replace(". ", "; ").split()
    return " ".join(words if len(words) <= MOST_QUOTED else [*words[:MOST_QUOTED], "…"])


def reconcile(inputs: ReconcileInputs) -> ReconcileOutput:
    """Compare numbers of one name, and find reasons that other files give."""
    return ReconcileOutput(
        summary=_summary(inputs),
        conflicts=tuple(_conflicts(inputs.findings))[:60],
        answered=tuple(_answered(inputs))[:200],
    )


def _summary(inputs: ReconcileInputs) -> str:
    lines = [f"{line.file}: {line.purpose}" for line in inputs.files]
    words = " \n".join(lines).split(" ")
    return " ".join(words[:MOST_SUMMARY_WORDS])


def _conflicts(findings: Iterable[KnownFinding]) -> Iterator[Conflict]:
    """Groups of numbers that go by one name and differ."""
    valued = [
        (found, terms(found.name, found.value), amount(found.value))
        for found in findings
        if found.kind in ("threshold", "constant")
    ]
    used: set[int] = set()
    for at, (one, words, number) in enumerate(valued):
        if number is None or one.ref in used or not words:
            continue
        same = [
            (other, figure)
            for other, others, figure in valued[at + 1 :]
            if figure is not None and other.ref not in used and _one_thing(words, others)
        ]
        if not any(figure != number for _, figure in same):
            continue
        group = [one, *(other for other, _ in same)][:8]
        used.update(found.ref for found in group)
        said = "; ".join(f"{f.value} in `{f.file}` at {f.place}" for f in group)
        yield Conflict(
            about=one.name,
            refs=tuple(found.ref for found in group),
            question=f"{one.name} is {said}: which one holds, and why do they differ?"[:500],
        )


def _one_thing(one: frozenset[str], other: frozenset[str]) -> bool:
    if one == other:
        return True
    shared, differing = one & other, one ^ other
    return len(shared) >= 2 and len(differing) <= 1


def _answered(inputs: ReconcileInputs) -> Iterator[AnsweredByFile]:
    """Questions about a number or a formula whose reason stands in another file."""
    by_ref = {found.ref: found for found in inputs.findings}
    reasons = [
        (found, terms(found.quote))
        for found in inputs.findings
        if found.kind == "decision" and re.search(r"\b(?:because|due to|so that)\b", found.quote)
    ]
    for question in inputs.questions:
        about = [by_ref[ref] for ref in question.refs if ref in by_ref]
        if len(about) != 1 or about[0].kind not in ("threshold", "formula", "constant"):
            continue
        words = terms(about[0].name)
        for reason, said in reasons:
            if reason.file != about[0].file and len(words) >= 2 and words <= said:
                yield AnsweredByFile(question_id=question.question_id, ref=reason.ref)
                break


RULES: dict[str, object] = {
    DEEP_DIVE.name: deep_dive,
    FILE_SUMMARY.name: file_summary,
    BACKLOG.name: backlog,
    RECONCILE.name: reconcile,
}

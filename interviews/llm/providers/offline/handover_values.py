"""Numbers that somebody set, and formulas, by patterns: in code, in cells, in sentences.

Each function gives (kind, name, value, quote) tuples; the quote stands in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

Found = tuple[str, str, str, str]

_NUMBER = r"-?\d[\d,_]*(?:\.\d+)?(?:e-?\d+)?(?:\s?%)?"
_EMPTY = r"None|null|NULL|nil|NA|NaN|undefined|\"TODO\"|'TODO'|\"\"|''|\.\.\."
_LIMIT = re.compile(
    r"threshold|cut_?off|limit|cap\b|max|min\b|minimum|floor|ceiling|trigger|tolerance|at most"
    r"|at least|more than|less than|exceed|above|below|over\b|under\b",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    rf"^(?P<pad>\s*)(?:(?:const|let|var|final|static|public|private|export|double|float|int)\s+)*"
    rf"(?P<name>[A-Za-z_][\w.\[\]\"']*)\s*(?::\s*[\w\[\], |.]+?)?\s*(?:=|<-|:=)\s*"
    rf"(?P<value>{_NUMBER}|{_EMPTY})\s*[;,)]?\s*(?P<rest>(?:#|//|--).*)?$"
)
_ENTRY = re.compile(
    rf"(?:^|[{{,(]\s*)\s*[\"']?(?P<name>[A-Za-z_][\w -]*?)[\"']?\s*[:=]\s*(?P<value>{_NUMBER})"
    rf"(?=\s*(?:[,}})#;]|$))"
)
_COMPARED = re.compile(
    rf"(?P<name>[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:\([^()]*\))?)\s*(?:<=|>=|<>|<|>|==)\s*"
    rf"(?P<value>{_NUMBER})(?![\w.])"
)
_COMPUTED = re.compile(
    r"^\s*(?P<name>[A-Za-z_][\w.\[\]\"']*)\s*(?:=|<-)\s*"
    r"(?P<value>[^=\n]*[*/+][^=\n]*|[^=\n]*\s-\s[^=\n]*)$"
)
_RETURNED = re.compile(r"^\s*return\s+(?P<value>[^=\n]*(?:[*/+]|\s-\s)[^=\n]*)$")
_SELECTED = re.compile(r"(?P<value>[^,\n]*[*/][^,\n]*)\s+AS\s+(?P<name>\w+)", re.IGNORECASE)
_CELL = re.compile(r"([A-Z]{1,3}\d+)(?: \((\w+)\))?: (.*?)(?= \| [A-Z]{1,3}\d+(?: \(\w+\))?: |$)")
_IN_FORMULA = re.compile(rf"(?:<=|>=|<>|<|>)\s*({_NUMBER})")
_FACTOR = re.compile(rf"[*/]\s*({_NUMBER})(?![\w.$])|(?<![\w.$])({_NUMBER})\s*\*")
_PLAIN = re.compile(_NUMBER)
_UNFILLED = re.compile(r"(?i)^(?:todo|tbd|\?+|n/?a|tbc|fill in.*)$")
_VERBS = (
    r"(?:is|are|was|were|stays?|sits|remains)(?:\s(?:now|currently|set|fixed|kept|capped|at|to))*"
    r"|covers?|uses?|takes?|needs?|goes back|of|(?:must|may|should|can) not (?:exceed|fall below)"
    r"|exceeds?|(?:rises?|goes|climbs?) (?:above|over)|(?:falls?|drops?) below|above|over|below"
    r"|under|at most|at least|equals|=|:"
)
_LEADING = (
    r"set (?:to|at)|about|around|only|just|the last|exactly|at|to|more than|less than|at most"
    r"|at least|back"
)
_UNIT = (
    r"percent|quarters?|months?|weeks?|days?|years?|hours?|minutes?|rows?|points?|times|euros?"
    r"|dollars?|EUR|USD|k\b|million|bps"
)
_STATED = re.compile(
    rf"(?P<name>(?:[A-Za-z][\w'’/-]*\s?){{1,7}}?)\s?(?:{_VERBS})\s(?:(?:{_LEADING})\s)*"
    rf"(?P<value>{_NUMBER}(?:\s(?:{_UNIT}))?)"
)
_TOO_COMMON = frozenset({"0", "1", "-1", "2", "100", "0.0", "1.0"})
_STOP = frozenset([
    "the", "a", "an", "of", "in", "on", "at", "to", "for", "and", "or", "by", "with", "from",
    "as", "is", "are", "was", "were", "be", "it", "its", "this", "that", "we", "our", "you",
    "your", "they", "their", "if", "when", "then", "than", "not", "no", "must", "may", "should",
    "can", "more", "less", "least", "most", "about", "only", "value", "number", "set", "use",
    "uses", "used", "per", "each", "any", "all", "which", "what", "who", "how", "why", "there",
    "have", "has", "because", "due", "so", "threshold", "limit", "trigger", "cutoff", "cut",
    "off", "cap", "max", "min", "maximum", "minimum", "floor", "ceiling", "default", "exceed",
    "exceeds", "above", "below", "over", "under", "column", "row", "sheet", "param", "params",
    "const", "go", "goes", "cover", "covers", "take", "takes", "rise", "rises", "back", "last",
    "now",
])  # fmt: skip
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_UNITS = re.compile(
    r"(percent|quarter|month|week|day|year|hour|minute|row|point)s?\b", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def terms(name: str, value: str = "") -> frozenset[str]:
    """The words that tell what a name is of, by their stems, with the unit of its value."""
    words = [word.casefold() for word in _WORDS.findall(name)]
    unit = [match[1].casefold() for match in _UNITS.finditer(value)]
    kept = {_stem(word) for word in words if len(word) > 1 and word not in _STOP}
    return frozenset(kept | {_stem(word) for word in unit if word != "percent"})


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def amount(value: str) -> float | None:
    """The number in a value, a percentage as its share; None where there is none."""
    found = _PLAIN.search(value)
    if found is None:
        return None
    digits = found[0].replace(",", "").replace("_", "").replace("%", "").strip()
    try:
        number = float(digits)
    except ValueError:
        return None
    is_share = "%" in found[0] or re.search(r"\bpercent\b", value)
    return round(number / 100 if is_share else number, 9)


def kind_of(name: str) -> str:
    """Whether a number of this name decides something."""
    return "threshold" if _LIMIT.search(name.replace("_", " ")) else "constant"


def in_code(text: str, place: str) -> Iterator[Found]:
    """Assignments, entries, comparisons with a number, and calculations, line by line."""
    heading = re.match(r"(?:function |class )?([A-Za-z_][\w.]*), ", place)
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "//", "--", "import ", "from ", '"""')):
            continue
        yield from _of_line(line, stripped, heading[1] if heading else "the result")


def _of_line(line: str, stripped: str, heading: str) -> Iterator[Found]:
    assigned = _ASSIGNED.match(line)
    if assigned:
        yield from _assigned(assigned, stripped)
        return
    for entry in _ENTRY.finditer(line):
        if entry["value"].strip() not in _TOO_COMMON or entry["name"].isupper():
            yield kind_of(entry["name"]), entry["name"], entry["value"].strip(), stripped
    for compared in _COMPARED.finditer(line):
        if compared["value"].strip() not in _TOO_COMMON:
            yield "threshold", compared["name"], compared["value"].strip(), stripped
    computed = _COMPUTED.match(line) or _RETURNED.match(line)
    if computed and _is_arithmetic(computed["value"]):
        name = computed.groupdict().get("name") or heading
        yield "formula", name, computed["value"].split("#")[0].strip(), stripped
    for selected in _SELECTED.finditer(line):
        yield "formula", selected["name"], selected["value"].strip(), stripped


def _assigned(found: re.Match[str], stripped: str) -> Iterator[Found]:
    name, value = found["name"], found["value"].strip()
    is_constant = name.replace("_", "").isupper()
    if _PLAIN.fullmatch(value):
        if is_constant or value not in _TOO_COMMON:
            yield kind_of(name), name, value, stripped
    elif is_constant:
        yield "gap", f"no value: {name}", value, stripped


def _is_arithmetic(expression: str) -> bool:
    """Whether an expression computes with names, and is no text put together."""
    bare = re.sub(r"\[[^\]]*\]|\([\"'][^)]*\)", "", expression)
    return (
        '"' not in bare
        and "'" not in bare
        and not bare.rstrip().endswith(("(", ","))
        and bool(re.search(r"[A-Za-z_]\w*", bare))
        and bool(re.search(r"[\w)\]]\s*(?:[*/+]|\s-\s)\s*[\w(]", bare))
    )


def by_table(text: str) -> Iterator[Found]:
    """Cells of a workbook: numbers beside a label, formulas, and numbers inside of formulas."""
    shapes: set[str] = set()
    header: dict[str, str] = {}
    for line in text.splitlines():
        cells = [(ref, name or "", said) for ref, name, said in _CELL.findall(line)]
        if not cells:
            continue
        words = [said for _, _, said in cells if not _is_number(said) and not said.startswith("=")]
        if len(words) == len(cells) and len(cells) > 1:
            header = {_column(ref): said for ref, _, said in cells}
        yield from _of_row(line, cells, header, shapes)


def _of_row(
    line: str, cells: list[tuple[str, str, str]], header: dict[str, str], shapes: set[str]
) -> Iterator[Found]:
    numbers = sum(_is_number(said) for _, _, said in cells)
    for at, (ref, named, said) in enumerate(cells):
        before = cells[at - 1][2] if at else ""
        label = before if before and not _is_number(before) and before[0] != "=" else ""
        quote = _quoted(line, ref)
        if said.startswith("="):
            formula = said.split(" → ")[0]
            shape = re.sub(r"\d+", "", formula) if header.get(_column(ref)) else formula
            if shape in shapes:
                continue
            shapes.add(shape)
            name = label if label and numbers <= 1 else header.get(_column(ref)) or label or ref
            yield from _formula(name, formula, quote)
        elif _is_number(said) and (named or (label and numbers <= 2)):
            name, after = label or named, cells[at + 1][2] if at + 1 < len(cells) else ""
            value = f"{said} {after}" if _UNITS.match(after) else said
            yield kind_of(f"{name} {named}"), name, value, quote
        elif label and _UNFILLED.match(said.strip()):
            yield "gap", f"no value: {label}", said, quote


def _formula(name: str, formula: str, quote: str) -> Iterator[Found]:
    if not re.search(r"[A-Z]{1,3}\$?\d", formula) and "(" not in formula:
        return
    yield "formula", name, formula, quote
    for match in _IN_FORMULA.finditer(formula):
        if match[1].strip() not in _TOO_COMMON:
            yield "threshold", f"{name} threshold", match[1].strip(), quote
    for match in _FACTOR.finditer(formula):
        factor = (match[1] or match[2]).strip()
        if factor not in _TOO_COMMON:
            yield "constant", f"{name} factor", factor, quote


def _quoted(line: str, ref: str) -> str:
    """The cell as it stands in the line; places are read off where a quote begins."""
    found = re.search(rf"(?:^|(?<= ))({ref}(?: \(\w+\))?: .*?)(?= \| [A-Z]{{1,3}}\d+|$)", line)
    return found[1] if found else line


def _column(ref: str) -> str:
    return ref.rstrip("0123456789")


def _is_number(said: str) -> bool:
    return bool(_PLAIN.fullmatch(said.strip()))


def in_sentence(sentence: str) -> Iterator[Found]:
    """Numbers that a sentence states of something."""
    for match in _STATED.finditer(sentence):
        name = _noun_phrase(match["name"])
        if name:
            whole = match[0]
            kind = "threshold" if _LIMIT.search(whole) else "constant"
            yield kind, name, match["value"].strip(), sentence


def _noun_phrase(words: str) -> str:
    """The end of a stretch of words that names something: without what only leads up to it."""
    kept = words.split()
    starts = [
        at
        for at, word in enumerate(kept)
        if word.casefold()
        in ("the", "a", "an", "our", "when", "if", "that", "and", "where", "once")
    ]
    kept = kept[starts[-1] + 1 :] if starts else kept
    return " ".join(kept) if terms(" ".join(kept)) else ""

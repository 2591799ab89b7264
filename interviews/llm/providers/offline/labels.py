"""Turn a stretch of speech into a short label, and cut lists into their items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from graphs.language.tagging import tokens
from interviews.llm.providers.offline.lexicon import (
    hits,
    listed,
    pattern,
    phrase_pattern,
    plain,
    word_set,
    words_of,
)
from interviews.llm.tasks.base import cut

MAX_WORDS = 10
LONGEST_ITEM = 6
FULL_STATEMENT = 5
"""So many different words say something together, even where each is an everyday one."""

LONGEST_LABEL = 80
"""In characters; a single endless "word" is cut there too."""

_DENIED = re.compile(r"(?:\b(?:can)?not|n't) $")
_STILL_DENIED = frozenset(["really", "actually", "basically", "honestly", "definitely"])
_KEEP_CASE = re.compile(r"I(?:'\w+)?\b|[A-Z]{2,}\w*")
_OBJECT = re.compile(r"(?:me|it|him|us|them|her)\b")
"""Without the verb before it, nobody knows what these are the object of."""
_STRAIGHT = str.maketrans("’‘“”", "''\"\"")


@cache
def _filler_pattern() -> re.Pattern[str]:
    phrases = sorted(listed("fillers"), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, phrases))})(?![\w'-])[\s,.…-]*", re.IGNORECASE)


def strip_fillers(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the fillers, hedges and spaces around it; empty for mere fillers."""
    fillers, flat = _filler_pattern(), plain(text)
    if is_filler(flat[start:end]):
        return end, end
    while start < end:
        while start < end and not flat[start].isalnum():
            start += 1
        match = fillers.match(flat, start, end)
        if match is None or match.end() >= end or _is_needed(flat, match, end):
            break
        start = match.end()
    end = _shrunk(flat, start, end)
    while (tail := pattern("tail_phrase").search(flat[start:end])) is not None:
        end = _shrunk(flat, start, start + tail.start())
    return start, end


def is_filler(text: str) -> bool:
    """Whether `text` is nothing but a filler or a hedge."""
    return bool(_filler_pattern().fullmatch(plain(text).strip(" ,.!?-–—…;:")))


def _shrunk(flat: str, start: int, end: int) -> int:
    while end > start and not flat[end - 1].isalnum():
        end -= 1
    return end


def _is_needed(flat: str, match: re.Match[str], end: int) -> bool:
    """Keep what only looks like a filler: "no sugar", "that one", "I don't know how to cook"."""
    word, rest = match.group().strip(" ,.-…"), flat[match.end() : end]
    if "," in match.group():
        return False
    if word == "no":
        return True
    if word in {"only", "even"}:
        return not rest.startswith(("i ", "it ", "we ", "the "))
    if word == "that":
        return bool(pattern("that_as_subject").match(rest))
    if word in {"i find", "i don't know"}:
        return bool(re.match(r"(?:out|how|what|where|who)\b", rest))
    return False


def split_list(text: str, start: int, end: int, *, verbal: bool) -> Iterator[tuple[int, int]]:
    """Cut "light, durable and cheap" into its items; verb phrases only before another verb."""
    piece = plain(text[start:end])
    kept = [m.span() for m in phrase_pattern(listed("keep_together")).finditer(piece)]
    begin = start
    for match in pattern("list").finditer(piece):
        inside = any(a <= match.start() < b for a, b in kept)
        before, rest = piece[: match.start()], piece[match.end() :]
        if inside or not rest or not before.strip() or not _separates(before, rest, verbal=verbal):
            continue
        yield begin, start + match.start()
        begin = start + match.end()
    if begin < end:
        yield begin, end


_GOES_TO = re.compile(r"\b(?:come|comes|came|go|goes|went|try|tries|wait|stay|sit|stop)$")
"""Verbs that another follows with "and" in one act: "come and rescue me"."""


def _separates(before: str, rest: str, *, verbal: bool) -> bool:
    if rest.startswith("not ") or _GOES_TO.search(before):
        return False
    found = tokens(re.split(r",| and | or ", rest, maxsplit=1)[0])
    if not found or _in_number(before, rest):
        return False
    if verbal and found[0].lower == "to":
        found = found[1:]
    if not found:
        return False
    if verbal:
        verb = found[0].tag.startswith("VB") or found[0].lower in word_set("verbs")
        return verb and len(found) > 1 and len(words_of(before)) > 1
    return len(found) <= LONGEST_ITEM and not found[0].tag.startswith(("IN", "TO", "W", "MD"))


def _in_number(before: str, rest: str) -> bool:
    """Whether a joint stands inside a number or between two: "a hundred and fifty"."""
    left, right = words_of(before)[-1:], words_of(rest)[:1]
    return all(
        bool(side) and (side[0] in word_set("numerals") or side[0].isdigit())
        for side in (left, right)
    )


def label_of(quote: str, *, prefix: str = "") -> str:
    """Return a label of at most ten words in the respondent's own words, "" where none is left.

    `prefix` is "being" (which replaces a leading "be") or "not".
    """
    text = " ".join(quote.translate(_STRAIGHT).split()).strip(" ,.;:!?-–—…\"'")
    if is_filler(text):
        return ""
    text = _unhedged(_lower(text))
    text = " ".join(text.replace(" ,", ",").split())
    if prefix == "being":
        text = re.sub(r"^be (?=\S)", "", text)
    text = pattern("verb_with_person").sub(r"\1 ", text)
    text = re.sub(r"^(?:feels?|felt|feeling) (?:like (?=\w+ing))?", "feel ", text)
    text = _copula(text)
    leading = pattern("leading").match(f"{text} ")
    if prefix != "being" and leading and not _OBJECT.match(text, leading.end()):
        text = text[leading.end() :]
    text = _shortened(_without_tail(text, "dangling")).strip(" ,;:")
    if prefix and text:
        text = f"{prefix} {text}"
    return cut(text, LONGEST_LABEL) if _says_something(text) else ""


def _unhedged(text: str) -> str:
    """Drop words that only soften; behind a negation they say what is denied: "not just for me"."""

    def kept(found: re.Match[str]) -> str:
        denied = _DENIED.search(text, 0, found.start()) and found.group() not in _STILL_DENIED
        return found.group() if denied else " "

    return phrase_pattern(listed("hedge_words")).sub(kept, text)


def _lower(text: str) -> str:
    return " ".join(w if _KEEP_CASE.match(w) else w.lower() for w in text.split())


def _without_tail(text: str, words: str = "trailing") -> str:
    """Drop what a label cannot end on: after a cut every function word, else what joins clauses."""
    while True:
        shorter = pattern(words).sub("", pattern("tail_phrase").sub("", text))
        if shorter == text:
            return text
        text = shorter


def _copula(text: str) -> str:
    """Turn "the straps are padded" into "padded straps"."""
    match = pattern("copula").fullmatch(text)
    if match is None or re.search(r"(?:ing|mine|there|here|gone)$", match["u"]):
        return text
    return f"{match['a'] or ''}{match['u']} {match['s']}"


def _shortened(text: str) -> str:
    """Cut a long label before its last side clause or prepositional phrase that leaves enough."""
    words = text.split()
    if len(words) <= MAX_WORDS:
        return text
    best = 0
    for match in pattern("cuts").finditer(text):
        if 2 <= len(text[: match.start()].split()) <= MAX_WORDS:
            best = match.start()
    short = _without_tail(text[:best])
    return short if _says_something(short) else _without_tail(" ".join(words[:MAX_WORDS]))


def _says_something(label: str) -> bool:
    content = word_set("empty_heads") | word_set("thin_words")
    words = words_of(label)
    if len(set(words)) >= FULL_STATEMENT or hits(label, "values"):
        return True
    return any(len(word) > 1 and word not in content for word in words)

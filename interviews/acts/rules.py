"""How an answer was meant, by rules: who reads it where no model does.

An answer is read a sentence at a time, so that an act is heard wherever it stands and however long
the answer is. What was said about others ("he said that's enough") is none: most patterns begin
where a clause of the respondent's own begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from interviews.acts.heard import Act, Heard

FIRST_HEARD: tuple[Act, ...] = (
    "instructs",
    "wants_to_stop",
    "refuses",
    "objects",
    "not_understood",
    "asks",
    "drifted",
)
"""Which of several acts of an answer is the one to react to; having nothing to add comes last."""

EVERYWHERE = "en"
"""The language whose patterns are read in every interview."""

LONGEST_ECHO = 7
"""In words; "which transition?" asks what the question means, a longer question asks more."""

LONGEST_NOTHING = 150
"""In characters; who has nothing to add does not need more."""

_PART = re.compile(r"[,;:–—] ?")
_EMBRACING = r"\W*<fill>(?:{})?\W*<fill>\W*"
_NAMED = re.compile(r"<(\w+)>")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'"})
_SENTENCE = re.compile(r"[^.!?…\n]{1,400}[.!?…]*")
"""What nobody ended is cut: a pattern's work grows with the square of a sentence's length."""

_QUOTED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)\"[^\"]*\"")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_WHICH = re.compile(
    r"(?:which|what|whose|what kind of|what sort of|in which|at what)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:but |no,? )?(?:i (?:didn't|did not|never) (?:say|said|mean|meant|call|called)\b"
    r"|not (?:the|an?|my) \w+, "
    r"|(?:it|that|he|she|they|there)(?: was| is|'s) ?(?:n't|not) an? "
    r"|(?:it|that|he|she|they|there) (?:wasn't|isn't|weren't|aren't) an? )",
    re.IGNORECASE,
)
"""How a word of the question is denied where the question had it wrong."""

_COMMON = frozenset(
    ["what", "which", "whose", "when", "where", "does", "this", "that", "these", "those", "with",
     "from", "about", "have", "your", "would", "could", "there", "them", "they", "their", "then",
     "than", "been", "were", "will", "just", "more", "most", "some", "else", "like", "know", "feel",
     "think", "tell", "said", "mean", "means", "anything", "something"]
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A sentence of an answer by its character span, and what it does."""

    start: int
    end: int
    act: Act


def heard_in(answer: str, language: str = "en", question: str = "") -> Heard:
    """Read how `answer` to `question` was meant; the same is always read the same way."""
    return Heard(act=act_of(answer, language, question))


def act_of(answer: str, language: str = "en", question: str = "") -> Act:
    """Return what an answer does: the most pressing of its sentences' acts."""
    acts = [stretch.act for stretch in stretches(answer, language, question)]
    if not any(_WORD.search(part) for part in _SENTENCE.findall(answer)):
        return "answer"
    if all(act == "adds_nothing" for act in acts):
        return "adds_nothing"
    return next((act for act in FIRST_HEARD if act in acts), "answer")


def answering(answer: str, language: str = "en", question: str = "") -> str:
    """Return an answer with the sentences that do something else blanked out; offsets stay.

    Objections stay: what corrects a question says something.
    """
    kept = list(answer)
    for stretch in stretches(answer, language, question):
        if stretch.act not in ("answer", "objects"):
            kept[stretch.start : stretch.end] = " " * (stretch.end - stretch.start)
    return "".join(kept)


def stretches(answer: str, language: str = "en", question: str = "") -> list[Stretch]:
    """Return the sentences of an answer in order, each with what it does by itself."""
    plain = _QUOTED.sub(lambda quote: " " * len(quote[0]), answer.translate(_APOSTROPHES))
    found = []
    for match in _SENTENCE.finditer(plain):
        if said := " ".join(match[0].split()):
            act = _act_of_sentence(said, language[:2].lower(), question)
            found.append(Stretch(start=match.start(), end=match.end(), act=act))
    return found


def _act_of_sentence(said: str, code: str, question: str) -> Act:
    for act in FIRST_HEARD:
        if any(pattern.search(said) for pattern in _patterns(act, code)) or (
            act in _ECHOES and _ECHOES[act](said, question)
        ):
            return act
    return "adds_nothing" if _says_nothing(said, code) else "answer"


def _says_nothing(said: str, code: str) -> bool:
    """Whether a sentence, or each of its parts between commas, has nothing to add."""
    if len(said) > LONGEST_NOTHING:
        return False
    patterns = _patterns("adds_nothing", code)
    return any(
        all(any(pattern.fullmatch(part) for pattern in patterns) for part in parts)
        for parts in ([said], _PART.split(said))
    )


def _asks_which(said: str, question: str) -> bool:
    """Whether a short question asks what a word of the interviewer's question refers to."""
    return (
        said.endswith("?")
        and bool(_WHICH.match(said))
        and len(_WORD.findall(said)) <= LONGEST_ECHO
        and bool(_content(said) & _content(question))
    )


def _denies(said: str, question: str) -> bool:
    """Whether what the interviewer's question took for granted is denied."""
    denied = _DENIED.match(said)
    return denied is not None and bool(_content(said[:60]) & _content(question))


_ECHOES = {"not_understood": _asks_which, "objects": _denies}


def _content(text: str) -> frozenset[str]:
    """The content words of a text by their first five letters, so that forms of a word agree."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word[:5] for word in words if len(word) > 3 and word not in _COMMON)


@cache
def _patterns(act: Act, code: str) -> tuple[re.Pattern[str], ...]:
    written = [*_written(EVERYWHERE, act), *(_written(code, act) if code != EVERYWHERE else ())]
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in written)


def _written(code: str, act: Act) -> Iterator[str]:
    """The patterns of a language for an act, with macros filled in."""
    for pattern in _document().get(code, {}).get(act, ()):
        yield _filled(_EMBRACING.format(pattern) if act == "adds_nothing" else pattern)


def _filled(pattern: str) -> str:
    """A pattern with what its <names> stand for; macros may hold macros."""
    macros = _document()["macros"]
    filled = _NAMED.sub(lambda name: macros.get(name[1], name[0]), pattern)
    return filled if filled == pattern else _filled(filled)


@cache
def _document() -> Mapping[str, Mapping[str, Any]]:
    path = resources.files("interviews.acts").joinpath("patterns.yaml")
    document: Mapping[str, Mapping[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document

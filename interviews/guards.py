"""What every question passes before it is asked: form, closure, repetition, completion.

Guards are pure and repair what they can by rule: they drop praise, headings and all questions but
one. What cannot be repaired is reported, so that the caller may let the model try again; in the end
`last_resort` gives a question that is always valid and was never asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from interviews.llm.tasks.base import clean
from interviews.llm.tasks.questions import Problem
from interviews.wording import last_resort as plain_questions
from interviews.wording.languages import base
from interviews.wording.repetition import similarity, was_asked

MOST_WORDS = 60
"""A question has fewer words than this."""

SAME_MEANING = 0.92
"""From this cosine similarity on, a question means the same as one asked before."""

WORTH_COMPARING = 0.25
"""Questions that share fewer words than this (Jaccard) are never that near in meaning."""

Nearest = Callable[[str, Sequence[str]], float]
"""Takes a question and others; returns its highest cosine similarity to one of them, in [-1, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardProfile:
    """What kind of question it is: which problems it is checked for, and whether it is repaired.

    `never` are problems with the pattern of what a question of this kind must not say; `looks_back`
    is how many of the questions asked before it must not repeat, None for all.
    """

    checks: frozenset[Problem]
    repairs: bool
    never: tuple[tuple[Problem, re.Pattern[str]], ...] = ()
    looks_back: int | None = None


ADAPTIVE = GuardProfile(checks=frozenset(get_args(Problem)), repairs=True)
"""A question worded by a model or by rules: every check, and repairs."""
AS_WRITTEN = GuardProfile(checks=frozenset({"empty", "duplicate"}), repairs=False)
"""A question that a researcher wrote: asked word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardContext:
    """What a question is checked against.

    `asked` are all questions of the session, oldest first, but for those that may be repeated;
    `closing` says that this is the last one; `forbidden` are internal names (strategies, node
    types, a prompt's canary) that must not show. A name with underscores is taken for one. Words
    in `spoken` may stand in the question whatever they look like: the respondent or the mode said
    them. `rephrased` is the question, one of `asked`, that this one puts in other words: it has to
    mean the same.
    """

    subject: str
    profile: GuardProfile = ADAPTIVE
    asked: tuple[str, ...] = ()
    closing: bool = False
    forbidden: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    rephrased: str = ""
    nearest: Nearest | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """A question as it may be asked, what was repaired in it, and what is still wrong.

    `question` may be asked only where `problems` is empty.
    """

    question: str
    repairs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the question may be asked."""
        return not self.problems


_PRAISE = re.compile(
    r"\s*(?:(?:that(?:'s| is| was)|what) (?:a |an |such a |really |very |so |absolutely |truly )*"
    r"(?:great|good|wonderful|excellent|fantastic|amazing|fascinating|interesting|lovely|perfect"
    r"|insightful|valuable"
    r"|helpful|thoughtful|brilliant|powerful|beautiful|awesome|useful|impressive)(?: \w+){0,4}"
    r"|(?:great|wonderful|excellent|fantastic|amazing|fascinating|lovely|perfect|brilliant"
    r"|awesome|very good|good|nice|well said|well done"
    r"|interesting|beautiful|impressive)(?: (?:answer|point|insight|question|example|observation"
    r"|story|perspective|job|response|thought|one))?"
    r"|(?:thank you|thanks)(?: (?:so|very) much)?(?: for [^.!?]{1,60})?|i (?:really )?(?:love"
    r"|like|appreciate) (?:that|your|how|the way)[^.!?,]{0,60}"
    r"|che (?:bello|interessante)|(?:ottima|bella|bellissima) (?:risposta|domanda|osservazione)"
    r"|molto interessante|grazie(?: mille)?(?: per [^.!?]{1,60})?)"
    r"\s*[.!,–—-]+\s*",
    re.IGNORECASE,
)  # fmt: skip
_PREAMBLE = re.compile(
    r"\s*(?:\*\*)?(?:(?:next |follow-?up |opening |closing |final |interview )?question"
    r"|interviewer|assistant|here(?:'s| is) (?:the |my |a )?"
    r"(?:next |follow-?up )?question|output|answer|candidate \d|option \d"
    r"|\d+[.)])(?:\*\*)?\s*[:–-]\s*|\s*\d+[.)]\s+",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|`+|^#+\s*|^>\s*", re.MULTILINE)
_LEAK = re.compile(
    r"</?\w+[^>]*>|https?://|\bwww\.|\{\{|\}\}|\{%|\b(?:llm|graph|meta|temporal"
    r"|technique)\.[a-z_]+|respondent_text"
    r"|\b(?:system prompt|node type|my instructions|as an ai|language model|the strategy|signal_"
    r"|json)\b|\"question\"\s*:|\[[A-Z_ ]{3,}\]",
    re.IGNORECASE,
)
_SNAKE_CASE = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b", re.IGNORECASE)
_EN_IT = r"and|or|but|the|an|your|my|because|e|o|ma|il|la|lo|un|una|di|del|della|perché"
_BROKEN_END = {
    language: re.compile(rf"\b(?:{words})\s*\?\s*$", re.IGNORECASE)
    for language, words in {
        "en": _EN_IT,
        "it": _EN_IT,
        "de": r"und|oder|aber|weil",
        "fr": r"et|ou|mais|parce que",
        "es": r"y|o|pero|porque",
    }.items()
}
"""Words with which no question of a language ends: it breaks off after them."""
_MARKS = (("“", "”"), ("(", ")"))
_GERMAN_MARKS = (("„", "“"), ("(", ")"))
_BARE_WHY = re.compile(
    r"[\s¿]*(?:and |but |so )?"
    r"(?:why|why not|why is that|why so|perché|warum|wieso|pourquoi|por qué)\s*\?\s*",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:before we (?:finish|close|end|stop|wrap up|go)|last (?:question|thing|word)"
    r"|final(?:ly)?|to (?:finish|close|end|conclude)|as we come to the end"
    r"|end of (?:the|our) (?:interview|conversation)|anything else (?:you|that)|(?:would"
    r"|d) you like to add|want to add|haven't (?:I )?asked|wrap(?:ping)? up"
    r"|prima di (?:finire|concludere|chiudere|salutarci)|ultima domanda|per (?:finire|concludere)"
    r"|aggiungere"
    r"|bevor wir (?:zum ende|zum schluss|schließen|aufhören)|zum (?:abschluss|schluss)"
    r"|letzte frage|hinzufügen"
    r"|avant de (?:finir|terminer|conclure)|pour (?:finir|terminer|conclure)"
    r"|dernière question|ajouter"
    r"|antes de (?:terminar|acabar|concluir)|para (?:terminar|acabar|concluir)"
    r"|última pregunta|añadir|agregar)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”»)]*\s+")


def apply_guards(question: str, context: GuardContext) -> GuardReport:
    """Repair `question` by rule and say what is still wrong with it.

    The order is: form (markup, praise, one question, length, leaks), closure, repetition,
    completion. Passing a repaired question once more changes nothing.
    """
    spoken = _Spoken(context.spoken)
    masked = spoken.masked(question)
    repairs: tuple[str, ...] = ()
    if context.profile.repairs:
        masked, form = _repair_form(masked)
        masked, closed = _repair_closure(masked, context)
        repairs = (*form, *closed)
    text = spoken.restored(masked)
    problems = _problems(masked, text, context)
    return GuardReport(question=text, repairs=repairs, problems=tuple(dict.fromkeys(problems)))


class _Spoken:
    """Words that may stand in a question, out of sight of its checks and repairs.

    Each of them is a made-up word while the question is looked at. Plain words need none.
    """

    def __init__(self, words: Iterable[str]) -> None:
        odd = sorted({w for w in words if w and not w.isalpha()}, key=lambda w: (-len(w), w))
        self._stand_ins = {word: f"Saidword{'x' * place}q" for place, word in enumerate(odd, 1)}
        self._pattern = re.compile("|".join(map(re.escape, odd)), re.IGNORECASE) if odd else None
        self._said: dict[str, str] = {}

    def masked(self, text: str) -> str:
        """The text with stand-ins for the words, whichever way their letters are written."""
        return self._pattern.sub(self._mask, text) if self._pattern else text

    def restored(self, text: str) -> str:
        """The text with the words as they were written."""
        for stand_in, said in self._said.items():
            text = re.sub(re.escape(stand_in), lambda _: said, text, flags=re.IGNORECASE)  # noqa: B023 - used at once
        return text

    def _mask(self, match: re.Match[str]) -> str:
        word = next(w for w in self._stand_ins if w.casefold() == match.group().casefold())
        self._said[self._stand_ins[word]] = match.group()
        return self._stand_ins[word]


def internal_looking(text: str) -> tuple[str, ...]:
    """Words of a text that look like internal names: who says them may hear them.

    Names of the prompts themselves are none of them, whoever says them.
    """
    return tuple(dict.fromkeys(w for w in _SNAKE_CASE.findall(text) if not _LEAK.search(w)))


def guarded(question: str, context: GuardContext) -> GuardReport:
    """Return a report whose question may always be asked: the repaired one, or the last resort."""
    report = apply_guards(question, context)
    if report.valid:
        return report
    return GuardReport(
        question=last_resort(context),
        repairs=(*report.repairs, *(f"last_resort:{problem}" for problem in report.problems)),
    )


def last_resort(context: GuardContext) -> str:
    """Return a question that is valid in every context and was never asked, without a model."""
    return plain_questions.last_resort(
        context.subject, context.asked, language=context.language, closing=context.closing
    )


# -- repairs ---------------------------------------------------------------------------------------
def _repair_form(question: str) -> tuple[str, tuple[str, ...]]:
    """Strip markup, headings and praise, and keep one question."""
    repairs: list[str] = []
    text = " ".join(clean(question).replace("？", "?").split())
    for name, repair in (
        ("markup", _without_markup),
        ("preamble", _without_preamble),
        ("praise", _without_praise),
        ("one_question", _one_question),
        ("shortened", _shortened),
    ):
        repaired = repair(text)
        if repaired != text:
            repairs.append(name)
            text = repaired
    return text, tuple(repairs)


def _without_markup(text: str) -> str:
    stripped = _MARKUP.sub("", text).strip()
    if (
        len(stripped) > 1
        and stripped[0] in '"“«'
        and stripped[-1] in '"”»'
        and stripped.count(stripped[-1]) <= 2
    ):
        stripped = stripped[1:-1].strip()
    return stripped


def _without_preamble(text: str) -> str:
    match = _PREAMBLE.match(text)
    return _capital(text[match.end() :]) if match and match.end() < len(text) else text


def _without_praise(text: str) -> str:
    while (match := _PRAISE.match(text)) and match.end() < len(text):
        text = _capital(text[match.end() :])
    return text


def _one_question(text: str) -> str:
    """Keep the last question and the statements before it; drop what follows it.

    The last one, because a model that asks twice sharpens the question the second time.
    """
    sentences = _SENTENCE_END.split(text)
    asking = [i for i, sentence in enumerate(sentences) if "?" in sentence]
    if not asking:
        return text
    last = asking[-1]
    kept = [s for i, s in enumerate(sentences[: last + 1]) if i == last or "?" not in s]
    tail = kept[-1]
    if tail.count("?") > 1:
        parts = [part.strip(" -–—,;") for part in tail.split("?") if part.strip(' "”»)-–—,;')]
        tail = _capital(parts[-1]) + "?"
    kept[-1] = tail[: tail.rindex("?") + 1]
    return " ".join(kept)


def _shortened(text: str) -> str:
    """Drop statements before the question, the first ones first, until it is short enough."""
    sentences = _SENTENCE_END.split(text)
    while len(text.split()) >= MOST_WORDS and len(sentences) > 1:
        sentences = sentences[1:]
        text = " ".join(sentences)
    return text


def _repair_closure(text: str, context: GuardContext) -> tuple[str, tuple[str, ...]]:
    """Say that a closing question is the last one; one that is not must not say so."""
    if not context.closing or not text or _CLOSING.search(text):
        return text, ()
    longer = plain_questions.as_closing(text, context.language)
    return (longer, ("closure",)) if len(longer.split()) < MOST_WORDS else (text, ())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- problems --------------------------------------------------------------------------------------
def _problems(masked: str, text: str, context: GuardContext) -> list[Problem]:
    """What is wrong with `text`; `masked` is without the words that may stand in it."""
    if not any(character.isalpha() for character in text):
        return ["empty"]
    checks: tuple[tuple[Problem, bool], ...] = (
        ("leaked_prompt", bool(_LEAK.search(masked)) or _names_internal(masked, context)),
        ("no_question", "?" not in text),
        ("too_long", len(text.split()) >= MOST_WORDS),
        ("bare_why", bool(_BARE_WHY.fullmatch(text))),
        ("not_closing", context.closing and not _CLOSING.search(text)),
        ("duplicate", _is_duplicate(text, context)),
        ("incomplete", _is_incomplete(text, context.language)),
    )
    never = ((problem, bool(said.search(masked))) for problem, said in context.profile.never)
    found = (*checks, *never)
    return [problem for problem, wrong in found if wrong and problem in context.profile.checks]


def _names_internal(text: str, context: GuardContext) -> bool:
    folded = text.casefold()
    if _SNAKE_CASE.search(text):
        return True
    return any(
        name and "_" in name and name.casefold() in folded for name in context.forbidden
    ) or any(name in text for name in context.forbidden if name and not name.islower())


def _is_duplicate(text: str, context: GuardContext) -> bool:
    """A repetition in words of the last six or, word for word, of any; or in meaning of any."""
    if was_asked(text, context.asked):
        return True
    near = [
        other
        for other in context.asked
        if other != context.rephrased and similarity(text, other) >= WORTH_COMPARING
    ]
    if context.nearest is None or not near:
        return False
    return context.nearest(text, near) >= SAME_MEANING


def _is_incomplete(text: str, language: str) -> bool:
    """Whether a question breaks off: no mark at its end, a dangling word, or open quotation."""
    if not text.rstrip('"”“») ').endswith("?") or _BROKEN_END[base(language)].search(text):
        return True
    marks = _GERMAN_MARKS if "„" in text else _MARKS
    return any(text.count(opening) != text.count(closing) for opening, closing in marks)

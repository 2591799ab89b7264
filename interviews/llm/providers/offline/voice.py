"""Fills wordings with a respondent's point and the subject of the interview."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from interviews.llm.providers.offline.elements import others_of
from interviews.llm.providers.offline.phrasing import Phrase, phrases_of
from interviews.llm.providers.offline.quoting import harmless, quoted, second_person
from interviews.llm.providers.offline.wording import (
    bank,
    is_english,
    least_used,
    rotation,
    spread,
)
from interviews.llm.tasks.base import cut
from interviews.llm.tasks.questions import FocusInput

LONGEST_SUBJECT = 80

_AT_THAT = re.compile(r"\bthe (time|moment) of that\b")
_NUMBERED = re.compile(
    r"\b(?:does|has|is|was) \{it\}|\{it\} (?:is|was|has|doesn't|means|plays|turns|counts|mattered"
    r"|comes?|came|went|were|weren't|stands)\b"
)
"""Where a template's verb agrees with the point, which then stands before it as "that"."""


def phrases_in(focus: FocusInput, language: str, answers: Sequence[str] = ()) -> Sequence[Phrase]:
    """Return the ways to speak of a focus; outside English the respondent's words are quoted."""
    if is_english(language):
        return phrases_of(focus, answers)
    said = quoted(focus.label)
    return (Phrase(noun=said, bare=said, said=said),)


_NAMES = re.compile(r"\{(?:it|it_bare|said|subject)\}")
"""What a question names of what it is about."""
POINTS_BACK = "I just asked"
"""What a lead says that points back at the question before, which was about the same point."""
_BEFORE_QUOTATION = ("{said}", "{reported}", POINTS_BACK)
_NAMES_POINT = ("{it", *_BEFORE_QUOTATION)
"""What tells in a lead which point is meant; "{it" does not where the point has to be quoted."""


class Voice:
    """Fills templates with one way to speak of a focus, and a subject."""

    def __init__(
        self,
        *,
        subject: str,
        phrase: Phrase | None,
        seed: int,
        language: str,
        beside: Sequence[str] = (),
        other: str = "",
    ) -> None:
        self.subject = subject_of(subject)
        self.about_focus = phrase is not None
        self.seed = seed
        self.that = "that" if is_english(language) else ""
        self.bank = bank(language)
        self.beside = list(beside)
        self.other = other
        self.phrase = phrase or Phrase(noun=self.subject, bare=self.subject, said=quoted(subject))

    def can(self, template: str, lead: str = "") -> bool:
        """Whether a template can be filled after a lead.

        Nothing stands for a quotation without an article, a question that names nothing ("What
        happened then?") wants a lead that names the point, and what was quoted just before is not
        quoted again.
        """
        if not _NAMES.search(template):
            return not self.about_focus or any(name in lead for name in _NAMES_POINT)
        if POINTS_BACK in lead and "{said}" in template:
            return False
        return not (self.phrase.quotes and "{it_bare}" in template)

    def templates(self, move: str, asked: Sequence[str]) -> list[str]:
        """Return the templates of a move, those least used in this session first."""
        found = list(spread(self.of(move), rotation(self.seed, move, len(asked))))
        return least_used(found, asked)

    def of(self, move: str) -> Sequence[str]:
        """Return all templates of a move, those of its stand-in where it has none of its own."""
        moves = self.bank["moves"]
        found: Sequence[str] = moves.get(move) or moves[self.bank["instead"][move]]
        return found

    def wordings(self, move: str, asked: Sequence[str]) -> Iterator[str]:
        """Yield the wordings of a move without anything before them."""
        return (
            self.fill(template) for template in self.templates(move, asked) if self.can(template)
        )

    def after(self, lead: str, template: str) -> str:
        """Put a lead before a question; where it names the point, the question says "that"."""
        if not lead:
            return self.fill(template)
        if self.phrase.quotes and any(name in lead for name in _BEFORE_QUOTATION):
            if "{it}" not in template and _NAMES.search(template):
                return self.fill(template)
            return f"{self.fill(lead).strip()} {self.fill(template, it=self.that)}"
        points = "{it" in lead or POINTS_BACK in lead
        names_it = self.about_focus and points and bool(self.that)
        if "{it" in lead and not self.that:
            return self.fill(template)
        if names_it and ("{said}" in template or "{it_bare}" in template):
            return self.fill(template)
        return f"{self.fill(lead).strip()} {self.fill(template, it=self.that if names_it else '')}"

    def fill(self, template: str, *, it: str = "") -> str:
        """Fill one template; the result begins with a capital. `it` replaces the noun phrase.

        A point that makes no noun phrase is quoted first: "You said “…”. What follows from that?"
        """
        if self.phrase.quotes and not it and "{it" in template:
            verb = "said" if self.phrase.clause else "mentioned"
            return f"You {verb} {self.phrase.said}. {self.fill(template, it=self.that)}"
        if self.phrase.plural and not it and _NUMBERED.search(template):
            return f"You mentioned {self.phrase.noun}. {self.fill(template, it=self.that)}"
        text = template.format(
            it=it or self.phrase.noun,
            it_bare=self.phrase.bare,
            it_said=self.phrase.noun,
            said=self.phrase.said,
            reported=self.phrase.reported,
            subject=self.subject,
            other=self.other,
            others=others_of(self.subject),
            **dict(zip(("first", "second"), self.beside, strict=False)),
        )
        if it:
            text = _AT_THAT.sub(r"that \1", text)
        return text[:1].upper() + text[1:]


def subject_of(subject: str) -> str:
    """Return the subject as the respondent's own, harmless in a question."""
    text = second_person(" ".join(harmless(cut(subject, LONGEST_SUBJECT)).split("_")))
    text = text.rstrip(".!,;: ")
    return (text[:1].lower() + text[1:] if text[1:2].islower() else text) or "this"

"""The things that are compared: by what name an answer speaks of one, and of all the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from interviews.llm.providers.offline.lexicon import word_set
from interviews.llm.providers.offline.quoting import EVERYBODY
from interviews.nlp import Token, lemma, tokens

_DEFINITE = frozenset(["the", "my", "our"])
_INDEFINITE = frozenset(["a", "an"])
_LINKS = frozenset(["IN", "TO", "RP", "RB"])
_VERBS = frozenset(["VB", "VBD", "VBZ", "VBP", "VBN"])
_INSIDE = ("NN", "JJ", "CD", "VBG", "DT", "IN", "RB", "RP", "PRP$")
_NO_NAME = frozenset(["first", "second", "third", "last", "next", "only", "extreme"])
_SEVERAL = re.compile(
    r"(?:(?:the|your|our|these|those) )?(?P<kind>(?:[\w'-]+ ){0,3}?[\w'-]+[^\Wsiu]s)"
    r"(?= (?:you|that|which|who|in|of|for|from|on|at|with|to)\b|$)",
    re.IGNORECASE,
)


def named_element(said: str) -> str:
    """Return the definite noun phrase by which `said` names one thing, "" where there is none.

    It begins the statement, or follows a verb: "the third was the big one at the bridge" is about
    the big one at the bridge, "to the Linden it's forty minutes" about the Linden. What something
    is said to be is definite, too. A name is preferred: "the neighbours swear by the Castle".
    """
    phrases = list(_phrases(tokens(said)))
    named = [p for p in phrases if any(token.text[:1].isupper() for token in p[1:])]
    for first, *rest in named or phrases:
        begin = rest[0].start if first.lower in _INDEFINITE else first.start
        the = "the " if first.lower in _INDEFINITE else ""
        return the + said[begin : rest[-1].end]
    return ""


def others_of(subject: str) -> str:
    """Return how to speak of the other things of the subject's kind: "the other schools"."""
    several = _SEVERAL.match(subject)
    return f"the other {several['kind']}" if several else "the others"


def _phrases(found: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the noun phrases that may name what is compared, from article to noun."""
    for i in range(len(found)):
        if _is_in_place(found, i):
            inside = (j for j in range(i + 1, len(found)) if not _is_inside(found[j]))
            last = next(inside, len(found))
            phrase = _without_loose_end(found[i:last])
            if _names_something(phrase) and not _is_owner(found[last : last + 2]):
                yield phrase


def _is_in_place(found: Sequence[Token], i: int) -> bool:
    """Whether an article there begins the statement or stands behind a verb."""
    article, before = found[i].lower, i
    if i and found[i - 1].tag in _LINKS and article in _DEFINITE:
        before -= 1
    verb = found[before - 1] if before else None
    if article in _INDEFINITE:
        of_a_subject = before > 1 and found[before - 2].tag != "EX"
        return verb is not None and of_a_subject and verb.tag != "VB" and _is_be(verb)
    return article in _DEFINITE and (verb is None or verb.tag in _VERBS)


def _is_be(verb: Token) -> bool:
    return lemma(verb.lower) == "be" or verb.lower == "'s"


def _is_inside(token: Token) -> bool:
    """Whether a word may go on the phrase; "everybody" begins a clause of its own there."""
    return token.tag.startswith(_INSIDE) and token.lower not in EVERYBODY


def _is_owner(rest: Sequence[Token]) -> bool:
    """Whether what follows a phrase is its: "my wife's favourite", but "the Linden's got bees"."""
    return (
        len(rest) > 1 and rest[0].tag == "POS" and rest[1].tag.startswith(("NN", "JJ", "CD", "VBG"))
    )


def _without_loose_end(phrase: Sequence[Token]) -> Sequence[Token]:
    """Drop what nothing follows any more: "the Linden in", "the school the"."""
    end = len(phrase)
    while end and not phrase[end - 1].tag.startswith(("NN", "CD", "JJ")):
        end -= 1
    return phrase[:end]


def _names_something(phrase: Sequence[Token]) -> bool:
    """Whether more than an ordinal or "one" follows the article, and no relative who chose it."""
    if phrase and phrase[-1].lower in word_set("relatives"):
        return False
    return any(
        token.tag.startswith(("NN", "JJ"))
        and token.lower not in _NO_NAME
        and token.lower not in word_set("empty_heads")
        for token in phrase[1:]
    )

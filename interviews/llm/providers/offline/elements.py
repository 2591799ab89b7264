"""The things that are compared: by what name an answer speaks of one, and of all the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphs.language.lemmas import table_lemma
from graphs.language.tagging import Token, tokens
from interviews.llm.providers.offline.lexicon import lemmas, pattern, word_set
from interviews.llm.providers.offline.phrasing import Phrase, noun_phrase, quotation_of
from interviews.llm.providers.offline.quoting import (
    EVERYBODY,
    harmless,
    lower_first,
    quoted,
    second_person,
)
from interviews.llm.providers.offline.weaving import is_noun_phrase, is_plural
from interviews.llm.tasks.questions import FocusInput

_DEFINITE = frozenset(["the", "my", "our"])
_INDEFINITE = frozenset(["a", "an"])
_LINKS = frozenset(["IN", "TO", "RP", "RB"])
_VERBS = frozenset(["VB", "VBD", "VBZ", "VBP", "VBN"])
_INSIDE = ("NN", "JJ", "CD", "VBG", "DT", "IN", "RB", "RP", "PRP$")
_ORDINALS = frozenset(["first", "second", "third", "last", "next", "one"])
_NO_NAME = _ORDINALS | {"only", "extreme"}
_SEVERAL = re.compile(
    r"(?:(?:the|your|our|these|those) )?(?P<kind>[\w' -]+?)"
    r"(?= (?:you|that|which|who|in|of|for|from|on|at|with|to)\b|$)",
    re.IGNORECASE,
)


def named_element(said: str, subject: str = "") -> str:
    """Return the definite noun phrase by which `said` names one thing, "" where there is none.

    It follows a verb ("the third was the big one at the bridge" is about the big one at the bridge)
    or begins the statement. Where something is only said of it there, it has to be singled out: by
    a name, a number, or as one of the kind that `subject` speaks of; "the price was too high" names
    no school. A name is preferred: "the neighbours swear by the Castle".
    """
    phrases = list(_phrases(tokens(said), lemmas(subject)))
    phrase = next(filter(_has_name, phrases), phrases[0] if phrases else None)
    if phrase is None:
        return ""
    article = "the" if phrase[0].lower in _INDEFINITE else phrase[0].lower
    return f"{article} {said[phrase[1].start : phrase[-1].end]}"


def name_of(words: str, subject: str) -> str:
    """Return by what name `words` speak of one thing, in the second person; "" where they do not.

    `words` may name it and nothing else ("Latin school"), or tell something about it.
    """
    said = harmless(words)
    if found := named_element(said, subject):
        return second_person(found)
    label = lower_first(said)
    return noun_phrase(label) if is_noun_phrase(label) else ""


def as_compared(focus: FocusInput, subject: str, answers: Sequence[str]) -> Phrase:
    """Return the name of what is compared, as it was last said or else as it is known.

    Where the focus is only told of such a thing, what was said is quoted: that is nothing to be set
    beside two others.
    """
    name = name_of(focus.quote, subject) or name_of(focus.label, subject)
    if not name:
        return quotation_of(focus, answers)
    bare = pattern("determiner").sub("", name, count=1)
    return Phrase(noun=name, bare=bare, said=quoted(name), plural=is_plural(name))


def others_of(subject: str) -> str:
    """Return how to speak of the other things of the subject's kind: "the other schools"."""
    several = _SEVERAL.match(subject)
    kind = several["kind"] if several else ""
    found = tokens(kind)
    nominal = all(token.tag.startswith(("NN", "JJ")) for token in found)
    return f"the other {kind}" if nominal and found and found[-1].tag == "NNS" else "the others"


def _phrases(found: Sequence[Token], kind: frozenset[str]) -> Iterator[Sequence[Token]]:
    """Yield the noun phrases that may name what is compared, from article to noun."""
    for i in range(len(found)):
        if not _is_in_place(found, i):
            continue
        inside = (j for j in range(i + 1, len(found)) if not _is_inside(found[j]))
        last = next(inside, len(found))
        phrase = _without_loose_end(found[i:last])
        if not _names_something(phrase) or _is_owner(found[last : last + 2]):
            continue
        if not _is_told_of(found, i, last) or _is_singled_out(phrase, kind):
            yield phrase


def _is_in_place(found: Sequence[Token], i: int) -> bool:
    """Whether an article there begins the statement or stands behind a verb."""
    article, before = found[i].lower, i
    if i and found[i - 1].tag in _LINKS and article in _DEFINITE:
        before -= 1
    verb = found[before - 1] if before else None
    if article in _INDEFINITE:
        of_a_thing = before > 1 and found[before - 2].tag.startswith(("NN", "JJ", "CD"))
        return verb is not None and of_a_thing and verb.tag != "VB" and _is_be(verb)
    return article in _DEFINITE and (verb is None or verb.tag in _VERBS)


def _is_be(verb: Token) -> bool:
    return table_lemma(verb.lower) == "be" or verb.lower == "'s"


def _is_told_of(found: Sequence[Token], i: int, last: int) -> bool:
    """Whether the phrase is what a statement begins with and goes on about, or what "it" is."""
    begins = i == 0 and last < len(found)
    of_it = i > 1 and _is_be(found[i - 1]) and found[i - 2].tag in {"PRP", "DT"}
    return begins or of_it


def _is_singled_out(phrase: Sequence[Token], kind: frozenset[str]) -> bool:
    words = {token.lower for token in phrase}
    by_number = bool(words & _ORDINALS) or any(token.tag == "CD" for token in phrase)
    return by_number or _has_name(phrase) or any(table_lemma(word) in kind for word in words)


def _has_name(phrase: Sequence[Token]) -> bool:
    return any(token.text[:1].isupper() for token in phrase[1:])


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

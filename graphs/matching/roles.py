"""Who does what to whom in a label: differences that the words alone do not show.

"Help others" and "others help me" share every word, and so do "respect for colleagues" and "respect
from colleagues", "my health" and "my family's health".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.language.lemmas import is_noun, is_verb, lemma, root
from graphs.language.words import Word

_SPEAKER = frozenset({"i", "we"})
_SPEAKER_AS_OBJECT = frozenset({"me", "us"})
_DOERS = frozenset({"other", "everyone", "everybody", "they", "he", "she", "somebody"})
_AUXILIARIES = frozenset(
    "be have do can could will would may might must shall should not to always never often"  # noqa: SIM905
    " also still".split()
)
_DETERMINERS = frozenset(
    "a an the this that these those my your his her its our their own any some all".split()  # noqa: SIM905
)
_AGAINST: Mapping[str, frozenset[str]] = {
    "from": frozenset({"to", "for", "into", "toward", "towards"}),
    "out": frozenset({"in", "into", "to", "up", "on"}),
    "off": frozenset({"on", "onto"}),
    "against": frozenset({"for", "with"}),
    "down": frozenset({"up"}),
    "outside": frozenset({"inside", "in", "within"}),
    "under": frozenset({"over", "above", "on"}),
    "below": frozenset({"above", "over"}),
    "after": frozenset({"before"}),
    "behind": frozenset({"before"}),
}
_PREPOSITIONS = frozenset(_AGAINST) | frozenset().union(*_AGAINST.values()) | {"of", "at", "by"}
_OWN = re.compile(r"\b(?:my|our|one['’]s)\s+(?:own\s+)?([^\W\d_]+)", re.IGNORECASE)
_OF_OWNER = re.compile(r"\b([^\W\d_]+)\s+of\s+(?:my|our|the|other)\s+([^\W\d_]+)", re.IGNORECASE)
_OWNED = re.compile(r"\b([^\W\d_]+?)(?:['’]s|(?<=s)['’])\s+(?:own\s+)?([^\W\d_]+)", re.IGNORECASE)
_SHORTENED = frozenset("it that there he she what who here let one where how".split())  # noqa: SIM905
_SELF = "me"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The parts that people and things play in a label, by the roots of words.

    `done` are verbs that the speaker does, `undergone` those done to the speaker or by somebody;
    `owners` say whose a thing is, `directions` with which prepositions it is governed.
    """

    done: frozenset[str]
    undergone: frozenset[str]
    owners: Mapping[str, str]
    directions: Mapping[str, frozenset[str]]


def roles(text: str, tokens: Sequence[Word]) -> Roles:
    """Read the roles off a label and its tokens."""
    undergone = frozenset(_undergone(tokens))
    return Roles(
        done=frozenset(_done(tokens)) - undergone,
        undergone=undergone,
        owners=_owners(text),
        directions=_directions(tokens),
    )


def exchanged(one: Roles, other: Roles) -> bool:
    """Whether somebody does in one label what is done to them in the other."""
    return not one.done.isdisjoint(other.undergone) or not other.done.isdisjoint(one.undergone)


def contrary(one: Roles, other: Roles) -> bool:
    """Whether the same thing is governed by prepositions of contrary directions."""
    return any(
        _against(prepositions, other.directions[thing])
        for thing, prepositions in one.directions.items()
        if thing in other.directions
    )


def owners(one: Roles, other: Roles) -> list[tuple[str, str]]:
    """The differing owners of the same thing, one from each label."""
    return [
        (owner, other.owners[thing])
        for thing, owner in one.owners.items()
        if thing in other.owners and other.owners[thing] != owner
    ]


def _against(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(
        away in left and not left & right and _AGAINST[away] & right
        for left, right in ((one, other), (other, one))
        for away in _AGAINST
    )


def _done(tokens: Sequence[Word]) -> Iterator[str]:
    """The opening verb, and every verb after "I" or "we"."""
    if tokens and tokens[0].text == tokens[0].lemma and is_verb(tokens[0].lemma):
        yield root(tokens[0].lemma)
    speaking = False
    for token in tokens:
        if token.lemma in _SPEAKER:
            speaking = True
        elif speaking and token.lemma not in _AUXILIARIES:
            speaking = False
            if is_verb(token.lemma):
                yield root(token.lemma)


def _undergone(tokens: Sequence[Word]) -> Iterator[str]:
    """Verbs of what others do: "helped by others", "clients complain to us", "have it repaired"."""
    for position, token in enumerate(tokens):
        if not is_verb(token.lemma):
            continue
        after = [t.lemma for t in tokens[position + 1 : position + 5]]
        doer = tokens[position - 1].lemma if position else ""
        by_others = after[:1] == ["by"] and token.text != token.lemma
        to_speaker = (is_noun(doer) or doer in _DOERS) and _reaches_speaker(after)
        if by_others or to_speaker:
            yield root(token.lemma)
        elif token.lemma == "have":
            yield from (
                root(t.lemma)
                for t in tokens[position + 2 : position + 5]
                if t.text != t.lemma and t.text.endswith(("ed", "en")) and is_verb(t.lemma)
            )


def _reaches_speaker(after: Sequence[str]) -> bool:
    """Whether "me" or "us" follows, at once or behind a preposition: "recommend it to me"."""
    for position, word in enumerate(after):
        if word in _SPEAKER_AS_OBJECT:
            return position == 0 or after[position - 1] in _PREPOSITIONS
    return False


def _owners(text: str) -> dict[str, str]:
    found = {_thing(match.group(1)): _SELF for match in _OWN.finditer(text)}
    for match in _OF_OWNER.finditer(text):
        found[_thing(match.group(1))] = lemma(match.group(2).casefold())
    for match in _OWNED.finditer(text):
        owner = lemma(match.group(1).casefold())
        if owner not in _SHORTENED:
            found[_thing(match.group(2))] = owner
    return found


def _thing(word: str) -> str:
    return root(lemma(word.casefold()))


def _directions(tokens: Sequence[Word]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    run: set[str] = set()
    for token in tokens:
        if token.lemma in _PREPOSITIONS:
            run.add(token.lemma)
        elif token.lemma not in _DETERMINERS:
            if run:
                found[root(token.lemma)] = frozenset(run)
            run = set()
    return found

"""Whether a label may be woven into a sentence as a noun phrase or a gerund.

Only what is safely grammatical may be: anything that may hold a finite verb of its own, ends on a
word that wants another, or is long, is left to quotation marks.
"""

from __future__ import annotations

import re
from itertools import pairwise

from graphs.language.lemmas import table_lemma
from graphs.language.tagging import Token, tokens
from interviews.llm.providers.offline.lexicon import pattern, plain, word_set, words_of

LONGEST_VERB_PHRASE = 8
LONGEST_NOUN_PHRASE = 6

_FINITE = ("VBZ", "VBD", "VBP", "MD")
_CLAUSE = re.compile(
    r"\b(?:that|what|who|which|where|how|why|because|since|if|when|while|until|than|so|but|then"
    r"|i|we|you|he|she|it's|they|there|i'm|i've|we're|that's|is|are|was|were|has|had|does|did"
    r"|nobody|everybody|everyone|somebody|someone|nothing's|please)\b|n't\b|[,;:/]"
)
_NOMINAL = ("NN", "JJ", "CD", "DT", "PRP$", "VBG", "VBN", "POS", "RBR", "RBS")
_BETWEEN = frozenset(["of", "in", "on", "at", "for", "with", "from", "to", "by", "about", "and",
                      "or", "without", "between", "after", "before", "under", "round",
                      "around"])  # fmt: skip
_COORDINATED = re.compile(r"\b(?:and|or)(?: not)? (\w+)")
_PERSON = re.compile(r"(?:me|us)\b")
_OBJECT = re.compile(
    r"(?:a|an|the|my|our|your|his|her|their|its|this|that|these|those|it|them|him|myself|ourselves"
    r"|some|any|no|every|each|all|both|half|nothing|something|everything|anything|someone|\d+"
    r"|one|two|three|four|five|six|ten|up|down|off|out|back|to|nearly|over|about)\b"
)
_OBJECTS = frozenset(["nothing", "something", "everything", "anything", "things", "one", "a", "an",
                      "the", "my", "our", "your", "his", "her", "their"])  # fmt: skip
_BEFORE_ARTICLES = frozenset(["half", "all", "both", "such", "quite", "not"])
_PARTICLES = frozenset(["up", "down", "off", "on", "out", "away", "back", "in", "over", "along",
                        "through", "around", "outside", "inside", "together"])  # fmt: skip


def is_verb_phrase(label: str, as_gerund: str) -> bool:
    """Whether `label` is a bare verb phrase whose gerund (given) can stand for it."""
    if not as_gerund or len(label.split()) > LONGEST_VERB_PHRASE:
        return False
    first, rest = words_of(label)[:1], label.partition(" ")[2]
    if not first or not rest or not _is_verb(first[0]) or "," in label.split(maxsplit=1)[0]:
        return False
    if re.match(r"\w{2,}ing\b", plain(rest)):
        return False  # "stop staring": two in -ing
    if _PERSON.match(plain(rest)) or (_is_past(first[0]) and not _OBJECT.match(plain(rest))):
        return False  # "moves me", "scared of it", "fixed hours": no act of the person's
    second = _COORDINATED.search(plain(rest))
    if second and second[1] in word_set("verbs"):
        return False  # "do my share and not help out": the second verb would want its own ending
    found = tokens(label)
    return not _CLAUSE.search(plain(rest)) and not _has_predicate(found) and _may_end(found)


def is_noun_phrase(label: str) -> bool:
    """Whether `label` is a plain noun phrase: modifiers, a noun, at most a phrase with "of"."""
    found = tokens(label)
    if not found or len(label.split()) > LONGEST_NOUN_PHRASE or _CLAUSE.search(plain(label)):
        return False
    if not found[-1].tag.startswith(("NN", "VBG")) or found[0].lower in _BETWEEN:
        return False
    if any(token.lower in {"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"} for token in found):
        return False
    if len(found) > 1 and found[0].lower not in _BEFORE_ARTICLES and found[1].lower in _OBJECTS:
        return False
    return all(_is_nominal(token) for token in found) and not _hides_verb(found)


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes a plural verb: its head, before any preposition, is a plural."""
    if words_of(phrase)[:1] and words_of(phrase)[0].endswith("ing"):
        return False
    head = tokens(re.split(pattern("after_head"), phrase)[0])
    return bool(head) and head[-1].tag == "NNS"


def _is_verb(word: str) -> bool:
    known = word_set("verbs")
    if word in known or table_lemma(word) in known:
        return True
    return (word.endswith("ing") and len(word) > 4) or word.removesuffix("s") in known


def _is_past(word: str) -> bool:
    """Whether a verb form is a past one, which may as well be a participle."""
    return word not in word_set("verbs") and not word.endswith(("s", "ing"))


def _is_nominal(token: Token) -> bool:
    return token.tag.startswith(_NOMINAL) or token.lower in _BETWEEN or token.lower == "not"


def _has_predicate(found: tuple[Token, ...]) -> bool:
    """Whether a verb phrase is the subject of another verb: "rely on my things gives me calm"."""
    return any(
        verb.tag == "VBZ" and not before.tag.startswith(("PRP$", "DT", "JJ"))
        for before, verb in pairwise(found)
    )


def _hides_verb(found: tuple[Token, ...]) -> bool:
    """Whether a word after the first noun may be its predicate: "kids try stuff", "lid leaks"."""
    nouns = 0
    if any(a.tag in {"VBD", "VBN"} and b.lower in _OBJECTS for a, b in pairwise(found)):
        return True  # "key changed everything"
    for token, following in zip(found, (*found[1:], None), strict=True):
        third_person = token.lower.endswith("s") and table_lemma(token.lower) in word_set("verbs")
        form = token.lower in word_set("verbs") and token.lower not in word_set("noun_or_verb")
        if nouns and (third_person or form):
            return following is not None or third_person
        nouns += token.tag.startswith("NN")
    return False


def _may_end(found: tuple[Token, ...]) -> bool:
    last = found[-1]
    if last.lower in _PARTICLES:
        return True
    return not last.tag.startswith(("IN", "TO", "DT", "CC", "PRP$", "MD", "WP", "WRB"))

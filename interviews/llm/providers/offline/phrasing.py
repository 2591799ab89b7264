"""Put a respondent's words into an interviewer's mouth: second person, noun phrases, quotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphs.language.lemmas import table_lemma
from graphs.language.tagging import Token, tokens
from interviews.llm.providers.offline.lexicon import hits, pattern, plain, word_set, words_of
from interviews.llm.providers.offline.quoting import (
    as_written,
    harmless,
    is_clause,
    lower_first,
    quoted,
    reported,
    second_person,
    verbatim,
)
from interviews.llm.providers.offline.weaving import is_noun_phrase, is_plural, is_verb_phrase
from interviews.llm.tasks.questions import FocusInput

LONGEST_DESCRIPTION = 4
"""In words; a longer description of how somebody is reads better as a quotation."""

_OBJECT_CASE = {"he": "him", "she": "her", "they": "them", "i": "you", "we": "you"}
_IRREGULAR_ING = {
    "be": "being",
    "die": "dying",
    "lie": "lying",
    "tie": "tying",
}
_DOUBLING = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")
_NEGATION = re.compile(r"^(?:do not|don't|didn't|doesn't|won't|wouldn't|never|not) (?P<rest>.+)$")
_UNABLE = re.compile(r"^(?:can't|cannot|couldn't|can not) (?P<rest>.+)$")
_LIKE = (
    r"(?:(?<!what it)(?<!what that)"
    r"(?:'s|'re| is| was| are| were| be| feels?| felt| looks?| sounds?)"
    r"(?: just| almost| more| a bit| rather)?|\bsomething) like"
)
_DETERMINERS = "the|my|our|your|his|her|their|its|these|those|a|an"
_DEGREE_WORDS = frozenset(["too", "very", "not", "more", "less", "so", "always", "never"])
_TOUCHES = re.compile(
    r"(?:goes|gets|comes|went|got|speaks|spoke|means|meant)\b.*\b(?:me|us|my \w+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A respondent's point: as a noun phrase, the same without an article, and quoted."""

    noun: str
    bare: str
    said: str
    quotes: bool = False
    """Whether the point has to be quoted, because it makes no noun phrase."""
    plural: bool = False
    clause: bool = False
    """Whether what is quoted has its subject; else it is a fragment."""
    reported: str = ""
    """A quoted clause in the second person, as it stands after "you said that".

    Empty where the subject is a pronoun that only its surroundings explain.
    """


def phrases_of(focus: FocusInput, answers: Sequence[str] = ()) -> tuple[Phrase, ...]:
    """Return the ways to speak of a focus in the second person, one or two, the safer first.

    `answers` are those that its quote may stand in; the subject before it there is quoted along.
    What was said as a whole clause is given back as one ("you said that you cried") or turned into
    a noun phrase ("crying"); what makes no noun phrase is quoted.
    """
    label = harmless(as_written(focus.label, focus.quote)).strip(" .,;:!") or "that"
    label = lower_first(label, answers)
    quotation = quotation_of(focus, answers)
    if not makes_noun_phrase(label) or _is_simile(label, (focus.quote, *answers)):
        return (quotation,)
    noun = noun_phrase(label, focus.quote)
    named = Phrase(
        noun=noun,
        bare=pattern("determiner").sub("", noun, count=1),
        said=quoted(label),
        plural=is_plural(noun),
    )
    if not quotation.reported:
        return (named,)
    return (named, quotation) if is_noun_phrase(label) else (quotation,)


def quotation_of(focus: FocusInput, answers: Sequence[str] = ()) -> Phrase:
    """Return the words of a focus in quotation marks."""
    words = verbatim(focus, answers)
    return Phrase(
        noun="that",
        bare="such thing",
        said=quoted(words),
        quotes=True,
        clause=is_clause(words),
        reported=reported(words, answers),
    )


def _is_simile(label: str, said: Sequence[str]) -> bool:
    """Whether `label` is what something is like ("it's like talking to a wall"), not what it is."""
    like = re.compile(rf"{_LIKE} (?:an? |the )?{re.escape(plain(label))}(?!\w)")
    return any(like.search(plain(text)) for text in said)


def noun_phrase(label: str, quote: str = "") -> str:
    """Return `label`, which begins small unless with a name, as a noun phrase in the second person.

    A verb phrase becomes a gerund ("save money" → "saving money"), an adjective gets "being", a
    clause its gerund ("lid leaks" → "the lid leaking"), a noun an article where it wants one.
    """
    if match := _UNABLE.match(label):
        return "not being able to " + second_person(match["rest"])
    if (match := _NEGATION.match(label)) and (turned := gerund(match["rest"], quote)):
        return "not " + second_person(turned)
    if (match := pattern("leading_adverb").match(label)) and (
        turned := gerund(match["rest"], quote)
    ):
        return f"{match['a']} {second_person(turned)}"
    if (match := pattern("stirs").match(label)) and hits(match["v"], "feelings"):
        return f"what {match['v']} you{second_person(match['rest'])}"
    for turn in _TURNS:
        if turned := turn(label, quote):
            return second_person(turned)
    return second_person(_with_article(label, quote))


def makes_noun_phrase(label: str) -> bool:
    """Whether `label` can be spoken of inside a sentence, rather than quoted."""
    if _TOUCHES.fullmatch(label):
        return False  # "goes right to my heart": what it does, not what the person does
    if match := _UNABLE.match(label) or _NEGATION.match(label):
        return is_verb_phrase(match["rest"], gerund(match["rest"]))
    if match := pattern("leading_adverb").match(label):
        return is_verb_phrase(match["rest"], gerund(match["rest"]))
    if turned := gerund(label):
        return is_verb_phrase(label, turned)
    if _is_adjective(label):
        return _is_personal(label) and len(label.split()) <= LONGEST_DESCRIPTION
    return is_noun_phrase(label)


# -- verb phrases ----------------------------------------------------------------------------------
def gerund(label: str, quote: str = "") -> str:
    """Return a verb phrase as a gerund phrase, "" where `label` does not begin with a verb."""
    del quote
    first, _, rest = label.partition(" ")
    word = plain(first)
    if word in word_set("adjectives") and rest.startswith("to "):
        return ""  # "close to home": a description
    if word.endswith("ing") and len(word) > 4:
        return "" if word in word_set("empty_heads") or word in word_set("no_gerunds") else label
    if word in {"keep", "keeps", "kept"} and re.match(r"\w{3,}ing\b", rest):
        return rest
    base = _verb_base(word, label, rest)
    return f"{ing(base)} {rest}".strip() if base else ""


def _verb_base(word: str, label: str, rest: str) -> str:
    """Return the base form of the verb that `label` begins with, "" where it begins with none."""
    verbs, found = word_set("verbs"), tokens(label)
    doubtful = word in word_set("noun_or_verb") or word not in verbs
    if doubtful and len(found) > 1 and found[1].tag in {"VBZ", "VBD", "MD"}:
        return ""  # "phone died": the first word is the subject
    if found and found[0].tag == "NN" and rest.startswith(("and ", "or ")):
        return ""  # "water and salt in it"
    if word in verbs:
        compound = word in word_set("noun_or_verb") and (
            not rest or pattern("compound_follows").match(rest)
        )
        return "" if compound else word
    base, tag = table_lemma(word), found[0].tag if found else ""
    if tag in {"VBZ", "VBP", "VB"} and (base in verbs or rest):
        return base
    inflected = base in verbs and base != word and word not in word_set("noun_forms")
    if not inflected and word.endswith("s") and word[:-1] in verbs and rest:
        return word[:-1] if word not in word_set("noun_forms") else ""
    return base if inflected else ""


def ing(verb: str) -> str:
    """Return the -ing form of a verb's base form."""
    if verb in _IRREGULAR_ING:
        return _IRREGULAR_ING[verb]
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    short = len(re.findall(r"[aeiouy]+", verb)) == 1
    doubles = short and _DOUBLING.search(verb) and verb not in word_set("undoubled_verbs")
    if doubles or verb in word_set("doubled_verbs"):
        return verb + verb[-1] + "ing"
    return verb + "ing"


# -- clauses ---------------------------------------------------------------------------------------
def _copular_gerund(label: str, quote: str) -> str:
    """Return "the price being too high" for "price is too high", "" for other labels."""
    match = pattern("finite_clause").fullmatch(label)
    if match is None:
        return ""
    negation = "not " if match["v"].endswith("n't") else ""
    return f"{_subject(match['s'], quote)} {negation}being {match['r']}"


def _modal_gerund(label: str, quote: str) -> str:
    """Return "the neighbours complaining" for "neighbours would complain"."""
    match = pattern("modal_clause").fullmatch(label)
    if match is None:
        return ""
    negation = "not " if match["n"] else ""
    return (
        f"{_subject(match['s'], quote)} {negation}{ing(table_lemma(match['v']))}{match['r'] or ''}"
    )


def _clause_gerund(label: str, quote: str) -> str:
    """Return "the lid leaking" for "lid leaks", "" where `label` is no clause."""
    found = tokens(label)
    for i in range(1, min(4, len(found))):
        before = label[: found[i].start].strip()
        if found[i].lower in {"don't", "do", "does", "did"} and _negated(found, i):
            head, _, tail = label[found[i + 2].start :].partition(" ")
            return f"{_subject(before, quote)} not {ing(table_lemma(head))} {tail}".strip()
        if _is_finite(found, i):
            rest = label[found[i].end :].strip()
            return f"{_subject(before, quote)} {ing(table_lemma(found[i].lower))} {rest}".strip()
    return ""


def _negated(found: Sequence[Token], i: int) -> bool:
    return i + 2 < len(found) and found[i + 1].lower in {"n't", "not"}


def _is_finite(found: Sequence[Token], i: int) -> bool:
    after_noun = found[i - 1].tag.startswith(("NN", "PRP"))
    if found[i].tag in {"VBZ", "VBP", "VBD"}:
        return after_noun or i > 1
    base = table_lemma(found[i].lower)
    ends_like_one = found[i].lower.endswith("s") and base in word_set("verbs")
    follows = i + 1 < len(found) and found[i + 1].tag in {"DT", "PRP", "PRP$", "NN", "RB"}
    more = follows or base in word_set("predicate_verbs")
    return ends_like_one and found[i].tag == "NNS" and after_noun and more


def _subject(text: str, quote: str) -> str:
    """Return the subject of a gerund: an article for a noun, the object case for a pronoun."""
    word = plain(text)
    if word in word_set("bare_subjects"):
        return _OBJECT_CASE.get(word, text)
    return _with_article(text, quote)


# -- adjectives and nouns --------------------------------------------------------------------------
def _adjective_phrase(label: str, quote: str) -> str:
    """Return "it being light", "being proud of that" for a bare description, "" for others."""
    del quote
    if not _is_adjective(label):
        return ""
    return f"{'' if _is_personal(label) else 'it '}being {label}"


def _is_personal(label: str) -> bool:
    """Whether a description is one of the person rather than of the thing."""
    return bool(
        hits(label, "feelings")
        or hits(label, "manner")
        or words_of(label)[0] in word_set("person_adjectives")
    )


def _is_adjective(label: str) -> bool:
    found = tokens(label)
    skip = 0
    while skip < len(found) and (
        found[skip].tag.startswith("RB") or found[skip].lower in _DEGREE_WORDS
    ):
        skip += 1
    if skip >= len(found):
        return False
    head, rest = found[skip], [t.tag for t in found[skip + 1 :]]
    described = not rest or rest[0] in {"TO", "IN"}
    known = head.lower in word_set("adjectives") or head.lower in word_set("person_adjectives")
    return described and (known or head.tag.startswith(("JJ", "VBN")))


def _with_article(label: str, quote: str) -> str:
    if quote and plain(quote) == plain(label) and [t.tag for t in tokens(quote)] == ["NNP"]:
        return quote
    if label.startswith("own ") or plain(label) in word_set("relatives"):
        return f"your {label}"
    if label.startswith("few "):
        return f"a {label}"
    if label.split(" ", maxsplit=1)[0] in word_set("definite_heads"):
        return f"the {label}"
    if pattern("determiner").match(f"{label} "):
        return label
    first, whole = re.escape(plain(label).split(" ")[0]), re.escape(plain(label))
    said = re.match(rf"({_DETERMINERS}) {first}(?!\w)", plain(quote)) or re.search(
        rf"\b({_DETERMINERS}) {whole}(?!\w)", plain(quote)
    )
    if said:
        given = said.group(1)
        return f"{'the' if given in {'its', 'these', 'those', 'their'} else given} {label}"
    return label if _goes_bare(label) else f"the {label}"


def _goes_bare(label: str) -> bool:
    """Whether a noun phrase wants no article: plurals, masses, feelings, values, pronouns."""
    found = tokens(label)
    head = re.split(pattern("after_head"), plain(label))[0].split()[-1:]
    last = head[0] if head else ""
    if plain(label).split(" ")[0] in word_set("bare_subjects"):
        return True
    if last.endswith("s") and not last.endswith("ss"):
        return True
    if pattern("no_article").search(last) or hits(last, "values") or hits(last, "feelings"):
        return True
    starts = bool(found) and found[0].tag.startswith(("PRP", "WP", "VB", "IN"))
    return last.endswith("ing") or starts


def enumeration(parts: list[str], *, joint: str = " and ") -> str:
    """Return "a", "a and b" or "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])}{joint}{parts[-1]}"


_TURNS: tuple[Callable[[str, str], str], ...] = (
    _copular_gerund,
    _modal_gerund,
    gerund,
    _adjective_phrase,
    _clause_gerund,
)
"""Tried in this order; the first that applies gives the noun phrase."""

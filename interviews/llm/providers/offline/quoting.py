"""A respondent's own words for the interviewer to quote or report: whole, harmless, not misread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from graphs.language.lemmas import table_lemma
from graphs.language.tagging import Token, tokens
from interviews.llm.providers.offline.asides import after_frame
from interviews.llm.providers.offline.labels import strip_fillers
from interviews.llm.providers.offline.lexicon import hits, plain, word_set
from interviews.llm.tasks.base import clean
from interviews.llm.tasks.questions import FocusInput
from interviews.nlp import clauses

LONGEST_QUOTATION = 14
"""In words; of a longer passage the label is quoted."""
LONGEST_REST = 3
"""In words; so many that end the clause are quoted along."""

_PERSON = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "ourselves": "yourselves",
    "i'm": "you're",
    "i've": "you've",
    "i'd": "you'd",
    "i'll": "you'll",
    "we're": "you're",
    "we've": "you've",
    "we'd": "you'd",
    "we'll": "you'll",
    "am": "are",
}
_LEAD_IN = re.compile(
    r"^(?:(?:as things are|that way|and|but|so|because|since|that|which|well|then|though|also"
    r"|to (?:put it|be|say it) \w+|let me see|i mean|you see"
    r"|in the end|maybe|perhaps|probably|i guess|i think|i suppose|hm|oh|look|honestly"
    r"),? )+",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"\b(?:before|until|till|unless|if|whether|than|as though|when|whenever|once|imagine|suppose)"
    r"\s+$",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:when|whenever|if|while|until|once|before|after|unless)\s+$", re.IGNORECASE
)
"""What a clause is quoted with: it may hold under that alone."""
_DANGLING = re.compile(
    r"(?:(?<!now)[\s,]+(?:and|but|so) then"
    r"|[\s,]+(?:and|or|but|because|when|while|if|than|as|the|an|my|kind of|sort of|you know|i think"
    r"|i guess|i suppose|maybe|perhaps|frankly|mind you))+$",
    re.IGNORECASE,
)
"""What a quotation does not end on."""
_SENTENCES = re.compile(r"(?<=[.!?…])(?<!\b(?:Dr|Mr|Ms|St)\.)(?<!\bMrs\.)\s+")
_SAID = re.compile(r"(?P<who>(?:[\w']+ ){0,3})(?:said|says|told|asked)\b[^.!?]*$")
_SPEAKERS = frozenset(["i", "i've", "i'd", "we", "we've", "we'd"])
_FIRST_PERSON = frozenset(["i", "we", "me", "us", "myself", "you"])
EVERYBODY = frozenset(["everybody", "everyone", "nobody", "somebody", "someone"])
_NO_SUBJECT = frozenset(["not", "if", "whether", "when", "because", "since", "to", "than"])
_HARMFUL = re.compile(r"[?“”\"<>\[\]{}|`]")


def harmless(text: str) -> str:
    """Return `text` on one line without what could break a question or look like markup."""
    return " ".join(_HARMFUL.sub("", clean(text)).split())


def second_person(text: str) -> str:
    """Turn "my shoulders", "I am" into "your shoulders", "you are"."""
    turned = re.sub(
        r"\b[A-Za-z]+(?:['’][A-Za-z]+)?\b",
        lambda m: _PERSON.get(plain(m.group()), m.group()),
        text,
    )
    return re.sub(r"\byou was(n.t)?\b", r"you were\1", turned)


def reported(words: str, answers: Sequence[str]) -> str:
    """Return a clause in the second person, as after "you said that"; "" where it cannot be.

    A relative at its head is the respondent's: "dad laughed" becomes "your dad laughed".
    """
    if not reportable(words, answers):
        return ""
    head, *rest = tokens(words)
    turned = second_person(words)
    if head.lower in word_set("relatives") and rest and rest[0].tag in {"VBD", "VBZ", "MD"}:
        return f"your {head.lower}{turned[head.end :]}"
    return turned


def quoted(text: str) -> str:
    """Return `text` in typographic quotation marks, harmless inside a question."""
    return f"“{harmless(text).strip(' .,;:!…')}”"


def verbatim(focus: FocusInput, answers: Sequence[str] = ()) -> str:
    """Return the words to quote: the clause, where it is short, else the quote or the label.

    Where clause and quote say nothing by themselves ("I hope"), the sentence, if it is short.
    """
    label, quote = as_written(focus.label, focus.quote), focus.quote.strip()
    candidates = [*_clauses_with(quote, answers), quote, *_sentence_with(quote, answers), label]
    negated = bool(hits(focus.label, "negations"))
    fitting: list[str] = []
    for candidate in candidates:
        said = _DANGLING.sub("", _without_lead_in(harmless(candidate).strip(" .,;:!…-–—")))
        fits = 0 < len(said.split()) <= LONGEST_QUOTATION and not re.search(r"[.!;:]", said)
        if fits and bool(hits(said, "negations")) >= negated:
            fitting.append(said)
    said = next(filter(_says_something, fitting), fitting[0] if fitting else "")
    return lower_first(said or harmless(label).strip(" .,;:!"), answers) or "that"


def _says_something(words: str) -> bool:
    """Whether there is more than somebody and a verb that leaves open what it is about."""
    found = tokens(words)
    return not any(token.tag for token in found) or any(
        token.tag.startswith(("NN", "JJ", "CD", "VBG"))
        or (token.tag.startswith("VB") and not _is_bare(token.text))
        for token in found
    )


def _is_bare(verb: str) -> bool:
    return verb.startswith("'") or table_lemma(verb) in word_set("bare_verbs")


def as_written(label: str, quote: str) -> str:
    """Return `label` as it stands in `quote`, else with the capitals that its words have there."""
    place = plain(quote).find(plain(label))
    if label and place >= 0:
        return quote[place : place + len(label)]
    inside = (word for before, word in pairwise(quote.split()) if before[-1] not in ".!?")
    names = {plain(word): word for word in inside if word[:1].isupper()}
    return " ".join(names.get(plain(word), word) for word in label.split(" "))


def is_clause(words: str) -> bool:
    """Whether `words` are a statement with its subject, rather than a piece of one."""
    found = tokens(words)
    if not found or found[0].tag.startswith(("VB", "W", "CC")) or found[0].lower in _NO_SUBJECT:
        return False
    verbs = (
        i
        for i in range(1, len(found))
        if found[i].tag in {"VBD", "VBZ", "VBP", "MD"}
        or (found[i].tag == "VBN" and found[i - 1].tag == "PRP")
        or (found[i].tag == "VB" and _is_subject(found[:i]))
    )
    before = found[: next(verbs, 0)]
    if any(token.tag.startswith("W") for token in before) or _names_what_is_told_of(before):
        return False
    subject = any(token.tag.startswith(("PRP", "NN", "EX", "DT")) for token in before)
    return subject and "," not in words[: before[-1].end]


def _is_subject(before: Sequence[Token]) -> bool:
    """Whether a present tense may follow, which taggers read as an infinitive: "I pay a third"."""
    adverb = before[-1].tag == "RB" and len(before) > 1
    return before[-2 if adverb else -1].tag in {"PRP", "NNS"}


def _names_what_is_told_of(before: Sequence[Token]) -> bool:
    """Whether a second subject follows a noun: "the one everybody talks about" is no statement."""
    return any(
        token.lower in EVERYBODY and noun.tag.startswith(("NN", "CD"))
        for noun, token in pairwise(before)
    )


def reportable(words: str, answers: Sequence[str]) -> bool:
    """Whether "you said that …" of a clause says what was said, and can be understood by itself.

    What stood under a condition or a "before" was not said to be so, what somebody else said is not
    the respondent's; a pronoun of the third person points at what is not quoted.
    """
    pronouns = [token.lower for token in tokens(words) if token.tag == "PRP"]
    if not is_clause(words) or (pronouns and pronouns[0] not in _FIRST_PERSON):
        return False
    before = [answer[: max(plain(answer).find(plain(words)), 0)] for answer in answers]
    return not any(_UNDER.search(text) or _is_of_another(text) for text in before)


def _is_of_another(before: str) -> bool:
    """Whether what follows `before` in its sentence is what somebody but the respondent said."""
    found = _SAID.search(plain(before))
    return found is not None and _SPEAKERS.isdisjoint(found["who"].split())


def _without_lead_in(words: str) -> str:
    """Return `words` without the connectives and asides before the statement."""
    shorter = _LEAD_IN.sub("", words)
    return shorter if len(shorter.split()) > 1 else words


def _clauses_with(quote: str, answers: Sequence[str]) -> Sequence[str]:
    """Return the clause that `quote` stands in: with the few words after the quote, and without.

    Empty where the quote is in none of the answers.
    """
    for answer in reversed(answers if quote else ()):
        place = answer.rfind(quote)
        for clause in clauses(answer) if place >= 0 else ():
            if clause.start <= place < clause.end:
                said = place + len(quote)
                begin = clause.start
                if under := _WHEN.search(answer[:begin]):
                    begin = under.start()  # "when my bus is stuck I get up"
                start = after_frame(answer, begin, clause.end)
                last = next((c.end for c in clauses(answer) if c.end >= said), said)
                start, end = strip_fillers(answer, start, last)
                rest = answer[said:end].split()
                ends = [end, said] if 0 < len(rest) <= LONGEST_REST else [said]
                return [answer[min(start, place) : end] for end in ends]
    return ()


def _sentence_with(quote: str, answers: Sequence[str]) -> Sequence[str]:
    """Return the sentence that `quote` stands in, none where it is in none of the answers."""
    for answer in reversed(answers if quote else ()):
        for sentence in _SENTENCES.split(answer):
            if quote in sentence:
                return [sentence]
    return ()


def lower_first(label: str, answers: Sequence[str] = ()) -> str:
    """Return `label` with a small first letter, unless it is "I" or a name.

    A name is all in capitals, or has its capital inside a sentence of one of `answers`.
    """
    first = label.split(" ", 1)[0]
    if plain(first).split("'")[0] == "i" or (len(first) > 1 and first.isupper()):
        return label
    inside = re.compile(rf"[\w,] {re.escape(first)}(?!\w)")
    if first[:1].isupper() and any(inside.search(answer) for answer in answers):
        return label
    return label[:1].lower() + label[1:]

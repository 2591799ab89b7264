"""A respondent's own words for the interviewer to quote or report: whole, harmless, not misread."""

from __future__ import annotations

import re
from collections.abc import Sequence

from interviews.llm.providers.offline.asides import after_frame
from interviews.llm.providers.offline.labels import strip_fillers
from interviews.llm.providers.offline.lexicon import hits, plain
from interviews.llm.tasks.base import clean
from interviews.llm.tasks.questions import FocusInput
from interviews.nlp import clauses, tokens

LONGEST_QUOTATION = 14
"""In words; of a longer passage the label is quoted."""

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
    r"^(?:(?:as things are|and|but|so|because|since|that|which|well|then|though|also"
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
_FIRST_PERSON = frozenset(["i", "we", "me", "us", "myself", "you"])
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


def quoted(text: str) -> str:
    """Return `text` in typographic quotation marks, harmless inside a question."""
    return f"“{harmless(text).strip(' .,;:!…')}”"


def verbatim(focus: FocusInput, answers: Sequence[str] = ()) -> str:
    """Return the words to quote: the clause, where it is short, else the quote or the label."""
    candidates = [_clause_with(focus.quote.strip(), answers), focus.quote, focus.label]
    negated = bool(hits(focus.label, "negations"))
    for candidate in candidates:
        said = _without_lead_in(harmless(candidate).strip(" .,;:!…-–—"))
        fits = 0 < len(said.split()) <= LONGEST_QUOTATION and not re.search(r"[.!;:]", said)
        if fits and bool(hits(said, "negations")) >= negated:
            return lower_first(said)
    return lower_first(harmless(focus.label).strip(" .,;:!")) or "that"


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
    )
    before = found[: next(verbs, 0)]
    subject = any(token.tag.startswith(("PRP", "NN", "EX", "DT")) for token in before)
    return subject and "," not in words[: before[-1].end]


def reportable(words: str, answers: Sequence[str]) -> bool:
    """Whether "you said that …" of a clause says what was said, and can be understood by itself.

    What stood under a condition or a "before" was not said to be so; a pronoun of the third person
    points at what is not quoted.
    """
    pronouns = [token.lower for token in tokens(words) if token.tag == "PRP"]
    if not is_clause(words) or (pronouns and pronouns[0] not in _FIRST_PERSON):
        return False
    return not any(
        _UNDER.search(answer[: max(plain(answer).find(plain(words)), 0)]) for answer in answers
    )


def _without_lead_in(words: str) -> str:
    """Return `words` without the connectives and asides before the statement."""
    shorter = _LEAD_IN.sub("", words)
    return shorter if len(shorter.split()) > 1 else words


def _clause_with(quote: str, answers: Sequence[str]) -> str:
    """Return the clause that `quote` stands in up to the end of the quote, "" where not found."""
    for answer in reversed(answers if quote else ()):
        place = answer.rfind(quote)
        for clause in clauses(answer) if place >= 0 else ():
            if clause.start <= place < clause.end:
                start = after_frame(answer, clause.start, clause.end)
                start, _ = strip_fillers(answer, start, place + len(quote))
                return answer[min(start, place) : place + len(quote)]
    return ""


def lower_first(label: str) -> str:
    """Return `label` with a small first letter, unless it is "I" or a name all in capitals."""
    first = label.split(" ", 1)[0]
    if plain(first).split("'")[0] == "i" or (len(first) > 1 and first.isupper()):
        return label
    return label[:1].lower() + label[1:]

"""Clauses of an answer and the connectives between them, from rules alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from interviews.nlp.joints import new_subjects

Kind = Literal["cause", "result", "purpose", "condition", "contrast", "time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of the answer: its text and character offsets, end exclusive."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscourseRelation:
    """A marker such as "because" and the clauses that it joins.

    `first` is the clause that comes first in the order of events or reasons (the ground, the
    condition, the earlier), `second` what follows from it or is set against it, in whichever order
    they were said.
    """

    marker: str
    kind: Kind
    first: Span
    second: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch between clause boundaries.

    `marker` and `kind` name the connective that introduces it; `grounds` says whether the clause
    it introduces comes first in the order of reasons; `initial` whether it opens its sentence, so
    that its partner follows it.
    """

    text: str
    start: int
    end: int
    sentence: int
    marker: str = ""
    kind: Kind | None = None
    grounds: bool = False
    initial: bool = False

    @property
    def span(self) -> Span:
        """The clause as a span of the answer."""
        return Span(text=self.text, start=self.start, end=self.end)


_SUBJECT = (
    r"(?:i|i'm|i'd|i've|i'll|we|we're|we've|we'd|we'll|you|you're|you've|you'd|you'll|he|he's|she"
    r"|she's|it|it's|it'll|it'd|they|they're|they've|they'd|that|that's|this|there|there's|my|our"
    r"|your|his|her|their|the|these|those|everyone|everybody|everything|nobody|nothing|people"
    r"|someone|something|no one)\b"
)
_PRONOUN = (
    r"(?:i|i'm|i'd|i've|i'll|we|we're|we've|we'd|we'll|you|you're|you've|you'd|you'll|he|he's|she"
    r"|she's|it|it's|it'll|it'd|they|they're|they've|they'd|that|that's|this|there's)\b"
)
_EFFECT = (
    r"(?:makes?|made|lets?|gives?|gave|helps?|helped|saves?|saved|keeps?|kept|allows?|enables?"
    r"|leads?|leaves|left|gets?|stops?|frees|means?|meant|takes?|costs?|is|was|feels?|drives)\b"
)
_NOT_RESULT = (
    r"(?:much|many|far|called|often|long|little|few|good|nice|bad|easy|hard|great|very|well|on\b"
    r"|happy|tired|soft|big|small|that\b|as\b)"
)

_AT_WILL = r"(?:i|you|we|they|he|she)(?:'d)? (?:like|want|wish|need|please|can)s?\b"

_SAID_BEFORE = (
    r" (?:what|something) (?:i|we)(?:'ve)? (?:just |already )?(?:said|told you|mentioned)"
    r"(?: before| earlier)?,?(?: that)?"
)

_MARKERS: tuple[tuple[str, Kind, bool], ...] = (
    ((r"(?:and |so )?(?:all )?(?:because of|due to|thanks to|on account of|as a result of)"
      rf" (?:that|this|it|all that)(?=,|\s+{_SUBJECT})"), "result", False),
    (r"because of|due to|thanks to|on account of", "cause", True),
    ((r"(?:and )?(?:that|this|it)(?:'s| is| was) (?:(?:mainly|mostly|just|simply|probably|only"
      r"|partly|also) )?(?:because|since)"), "cause", True),
    (r"(?:(?:mainly|mostly|just|simply|probably|only) )?(?:because|cos|cuz|'cause)", "cause", True),
    ((rf"since(?=\s+(?:probably |maybe |perhaps |actually |really )?{_SUBJECT})"
     r"|given that|seeing as"), "cause", True),
    (rf"(?<=, )as(?=\s+{_PRONOUN})", "cause", True),
    (r"(?:so|such) that(?!'s)|in order that", "purpose", False),
    (r"(?:just |simply )?in order to|so as to", "purpose", False),
    (r"(?:and )?(?:which is why|(?:so )?that's why|that is why|this is why)", "result", False),
    (r"(?:and )?(?:therefore|consequently|as a result|for that reason|hence)", "result", False),
    ((r"(?:and )?(?:ultimately|underneath (?:that|it(?: all)?)|at bottom|deep down)"
      r"|(?:(?<=[.!?] )|(?<=, )|\A)(?:and )?in the end"
      r"|(?:and )?what(?:'s| is) behind (?:that|it|this) is(?: that)?"
      r"|(?:and )?what (?:it|that|this) (?:all |really )*(?:comes|boils) down to is(?: that)?"),
     "result", False),
    ((r"(?:and )?(?:that|this|it) (?:has|had) (?:a lot |something |much )?to do with"
      r"(?: the fact that| how)?"
      r"|(?:and )?(?:that|this|it) (?:ties in|fits in|goes together|hangs together|connects) with"
      rf"(?: the fact that|{_SAID_BEFORE})?"
      rf"|(?:and )?(?:that|this|it) brings me back to(?: the fact that|{_SAID_BEFORE})?"
      r"|(?:again )?it (?:all )?(?:comes|boils) down to the fact that"), "cause", True),
    ((r"(?:and )?(?:which|that|this|it|and that) (?:basically |just |also |then |really )?"
     r"(?:means|meant)(?: that)?(?= \w)"), "result", False),
    (r"meaning(?: that)?(?=\s+" + _SUBJECT + r")", "result", False),
    (rf"(?<=\w )(?:just |also |really )?(?:means|meant)(?: that)?(?=\s+{_PRONOUN})",
     "result", False),
    (r"(?:and |so )?(?:that|this) way", "result", False),
    (rf"(?:and )?which(?= (?:also |just |really |then |in turn )?{_EFFECT})", "result", False),
    (r"(?<=, )which(?= \w+s\b)", "result", False),
    (rf"(?:and )?(?:that|this)(?= (?:also |just |really |then |in turn )?(?!is|was){_EFFECT})",
     "result", False),
    ((rf"and so(?! {_NOT_RESULT})|so then|(?<=[,.;!] )so(?! {_NOT_RESULT})"
     rf"|so(?=,? {_SUBJECT})|\Aso(?! {_NOT_RESULT})"), "result", False),
    (r"otherwise|or else", "condition", False),
    ((rf"(?:and |but )?(?<!even )if(?=\s)|unless|as long as(?=\s+{_SUBJECT})(?!\s+{_AT_WILL})"
     rf"|(?:every|each) time(?=\s+{_SUBJECT})|whenever"
     rf"|(?<!the )(?<!remember )(?<!even )(?:especially |only )?when(?=\s)"
     rf"|(?:as soon as|once(?!\s+\w+ (?:was|were|had|got|went|came)\b))(?=\s+{_SUBJECT})"),
     "condition", True),
    ((r"even (?:if|when)|even though|although|(?<!as )(?<!even )though(?=\s)|whereas|however"
     r"|on the other hand"
     r"|(?<!body )(?<!thing )(?<!no one )but(?= )|except that|rather than|instead of"
     rf"|yet(?=\s+{_PRONOUN})"), "contrast", False),
    (rf"(?:until|till|before)(?=\s+(?:{_PRONOUN}|\w+ing\b))", "time", False),
    (rf"after(?=\s+(?:{_PRONOUN}|\w+ing\b))", "time", True),
    (rf"while(?=\s+(?:{_PRONOUN}|\w+ing\b))", "time", True),
    (r"(?:and )?(?:after that|afterwards|and then)", "time", False),
)  # fmt: skip
_MARKER = re.compile(
    "|".join(rf"(?P<m{i}>(?<![\w'])(?:{pattern})(?![\w']))" for i, (pattern, _, _) in
             enumerate(_MARKERS)), re.IGNORECASE)  # fmt: skip
_LATER = (
    r"(?:(?:also|then|so|there|here|now|sometimes|eventually|suddenly|after a while|after that"
    r"|at some point|in the end|these days|the next day|before that|back then),? )"
)
_JOINT = re.compile(
    rf",? (?:and|or|plus) (?=(?:{_LATER})?{_PRONOUN})|, (?:like |once )?(?={_PRONOUN})",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?]+(?=\s|$)|[…;\n]+|\.{2,}|\s+[-–—]+\s+|—|:\s")
_EDGES = ' \t\n\r,.;:!?…-–—"“”()'
_ONLY_OPENER = re.compile(
    r"[\W_]*(?:(?:and|but|so|well|yeah|yes|no|also|plus|then|or|oh|um|uh)[\W_]+)*", re.IGNORECASE
)
_POINTS_BACK = re.compile(r"(?:and |again )*(?:that|this|it)\b", re.IGNORECASE)
_NOMINATIVE = (
    r"(?:(?:i|we|he|she|they)\b|you (?!to\b|that\b|in\b|on\b|for\b|and\b|or\b|i\b|with\b|at\b)"
    r"|(?:it|that|there)(?:'s|'d|'ll| (?:just |really |always )?(?:is|was|can|will|would|has|does"
    r"|doesn't|isn't|feels?|makes?|gets?|takes?|goes|works?|looks?|means)\b))"
)
_FRONTED = re.compile(rf",\s*(?:then\s+)?|\s+then\s+|\s+(?={_NOMINATIVE})", re.IGNORECASE)


@lru_cache(maxsize=32)
def clauses(text: str) -> tuple[Clause, ...]:
    """Split `text` into clauses in the order they were said, with the connective of each.

    Remembered: a turn asks several times for those of its answer.
    """
    text = text.replace("’", "'").replace("‘", "'")  # keeps offsets
    found: list[Clause] = []
    for number, (start, end) in enumerate(_sentences(text)):
        found.extend(_sentence_clauses(text, start, end, number))
    return tuple(found)


def relations_by_rule(text: str) -> tuple[DiscourseRelation, ...]:
    """Return the discourse relations between the clauses of `text`, from connectives alone."""
    parts = clauses(text)
    relations = []
    for index, clause in enumerate(parts):
        partner = partner_of(parts, index)
        if clause.kind is None or partner is None:
            continue
        own, other = _original(text, clause), _original(text, parts[partner])
        first, second = (own, other) if clause.grounds else (other, own)
        relations.append(
            DiscourseRelation(
                marker=clause.marker.lower(), kind=clause.kind, first=first, second=second
            )
        )
    return tuple(relations)


def partner_of(parts: Sequence[Clause], index: int) -> int | None:
    """Return the clause that the connective of `parts[index]` joins it to, None without one.

    A fronted subordinate clause belongs to the one after it, any other to the one before it. Only a
    result may reach back over a full stop ("It is light. So I can walk further.").
    """
    clause = parts[index]
    if clause.kind is None:
        return None
    other = index + 1 if clause.initial and clause.grounds else index - 1
    if 0 < other < index and parts[other].marker.lower() in _IN_PLACE_OF:
        other -= 1  # "by bus instead of by car because …" gives a reason for the bus
    while 0 < other < index and _is_aside_of_main(clause, parts[other]):
        other -= 1  # "I take the train, even when it is late, because …" explains the train
    if not 0 <= other < len(parts):
        return None
    same = parts[other].sentence == clause.sentence
    reaches = not clause.grounds or clause.kind == "cause"
    near = abs(parts[other].sentence - clause.sentence) <= 1 and other < index
    return other if same or (reaches and near) else None


def _is_aside_of_main(clause: Clause, before: Clause) -> bool:
    """Whether the clause before is subordinate, so that reasons and results go back past it."""
    if before.sentence != clause.sentence:
        return False
    if before.initial:
        return before.grounds
    marker = before.marker.lower()
    return (
        clause.kind in {"cause", "result", "purpose"}
        and (
            before.kind in {"condition", "time"}
            or marker.startswith(("even", "although", "though"))
        )
        and marker not in {"otherwise", "or else"}
    )


_IN_PLACE_OF = frozenset(["instead of", "rather than"])


def _original(text: str, clause: Clause) -> Span:
    return Span(text=text[clause.start : clause.end], start=clause.start, end=clause.end)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in _SENTENCE.finditer(text):
        if text[start : mark.start()].strip(_EDGES):
            yield start, mark.start()
        start = mark.end()
    if text[start:].strip(_EDGES):
        yield start, len(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """A boundary: where it stands, where the clause after it begins, and its connective."""

    at: int
    begin: int
    marker: str = ""
    kind: Kind | None = None
    grounds: bool = False
    initial: bool = False


def _sentence_clauses(text: str, start: int, end: int, number: int) -> Iterator[Clause]:
    """Cut one sentence at its connectives and at joints before a new subject."""
    cuts = sorted(_cuts(text, start, end), key=lambda cut: (cut.at, cut.begin))
    stops = [*(cut.at for cut in cuts[1:]), end]
    for cut, stop in zip(cuts, stops, strict=True):
        clause = _trimmed(text, cut.begin, max(cut.begin, stop), number)
        if clause is not None:
            yield replace(
                clause,
                marker=cut.marker,
                kind=cut.kind,
                grounds=cut.grounds,
                initial=cut.initial,
            )


def _cuts(text: str, start: int, end: int) -> Iterator[_Cut]:
    """Yield the boundaries of a sentence, its connectives in the order said, then its joints.

    A subordinate clause right after a boundary stands before its main clause; the connective of an
    outer clause that it opens ("because if you hurry, you fall") introduces that main clause.
    """
    joints = [joint.span() for joint in _JOINT.finditer(text, start, end)]
    joints += list(new_subjects(text, start, end))
    markers = list(_MARKER.finditer(text, start, end))
    ends = {match.end() for match in markers}  # "in the end, it …": the comma is the marker's
    joints = [(at, begin) for at, begin in joints if at not in ends]
    yield _Cut(at=start, begin=start)
    outer = _Cut(at=start, begin=start)
    for match in markers:
        _, kind, grounds = _MARKERS[int(str(match.lastgroup)[1:])]
        since = max([outer.begin, *(b for _, b in joints if b <= match.start())])
        initial = bool(_ONLY_OPENER.fullmatch(text[since : match.start()]))
        initial = initial and not _POINTS_BACK.match(match.group())
        cut = _Cut(
            at=match.start(),
            begin=match.end(),
            marker=match.group(),
            kind=kind,
            grounds=grounds,
            initial=initial and (grounds or since == start),
        )
        yield cut
        if initial and grounds and (front := _FRONTED.search(text, match.end() + 4, end)):
            inherited = outer if outer.kind and since == outer.begin else _Cut(at=0, begin=0)
            yield replace(inherited, at=front.start(), begin=front.end(), initial=False)
        outer = cut
    yield from (_Cut(at=at, begin=begin) for at, begin in joints)


def _trimmed(text: str, start: int, end: int, sentence: int) -> Clause | None:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    if not any(character.isalnum() for character in text[start:end]):
        return None
    return Clause(text=text[start:end], start=start, end=end, sentence=sentence)

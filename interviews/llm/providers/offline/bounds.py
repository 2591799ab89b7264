"""Where a statement of an answer begins and ends: with its negation, and not inside a phrase."""

from __future__ import annotations

import re

_WANTS_MORE = re.compile(
    r"(?:\b(?:an?|the|my|our|your|his|her|its|their|to|of|in|on|at|for|with|from|by|like"
    r"|about|into|behind|after|before|without|i|we|they|he|she|have|has|get|gets|got|be|been|very|so"
    r"|too|than|as|how|what|which|if|is|are|was|were|worth"
    r"|will|would|can|could|should|might|must|do|does|did|those|these|every|each|no|not|let|lets"
    r"|(?:when|if|because|that|what|how|where|while|than) it)"
    r"|n['’]t|['’](?:ve|re|m|s|ll|d))$",
    re.IGNORECASE,
)
"""On these a stretch may end ("as well as I have"), but a word that follows belongs to it."""
_NEXT_WORD = re.compile(
    r" (?!(?:and|but|or|so|because|that(?! ?[,.;!?]| ?$)|when|if|then)\b)[\w'’-]+", re.IGNORECASE
)
_RELATIVE = re.compile(r"\b(?:who|whom|whose)$", re.IGNORECASE)
_ITS_CLAUSE = re.compile(r"(?: [\w'’-]+){1,5}(?=[,.;!?…]|\s*$)")
_PARTICLE = re.compile(r" (?:up|off|out|down|away|apart|together)\b", re.IGNORECASE)
_OF_ITS_VERB = re.compile(
    r"(?<!\bthe )(?<!\ba )(?<!\bof )\b(?:look(?:s|ed|ing)?(?= (?:after|at|for)\b)"
    r"|talk(?:s|ed|ing)?(?= (?:about|to)\b)|(?:think(?:s|ing)?|thought)(?= (?:about|of)\b)"
    r"|(?:listen|belong)(?:s|ed|ing)?(?= to\b)|car(?:e|es|ed|ing)(?= (?:about|for)\b)"
    r"|(?:depend(?:s|ed|ing)?|rel(?:y|ies|ied|ying))(?= on\b)|deal(?:s|t|ing)?(?= with\b)"
    r"|worr(?:y|ies|ied|ying)(?= about\b))(?P<own> \w+)",
    re.IGNORECASE,
)
"""A verb and the preposition without which it says something else or nothing."""
_HEDGE = re.compile(r",? more or less(?=\s*(?:[,.;!?…]|$))", re.IGNORECASE)
_CONJUNCTION = re.compile(r"\s+(?:and|or|but|(?<!all )means|(?P<that>that))$", re.IGNORECASE)

_ENDS = re.compile(r" ?(?:[,.;!?…]|$)")


def completed(answer: str, start: int, end: int) -> int:
    """Return where a stretch ends that may not end in the middle of a phrase.

    It goes on while its last word asks for another, takes the particle of its verb ("lights up")
    or the preposition ("talks about"), and leaves out a conjunction or a piece of a hedge.
    """
    for hedge in _HEDGE.finditer(answer, start):
        if start < hedge.start() < end < hedge.end():
            return hedge.start()
    conjunction = _CONJUNCTION.search(answer, start, end)
    if conjunction and not (conjunction["that"] and _ENDS.match(answer, end)):
        return conjunction.start()
    if _RELATIVE.search(answer, start, end) and (rest := _ITS_CLAUSE.match(answer, end)):
        return rest.end()
    for verb in _OF_ITS_VERB.finditer(answer, start):
        if verb.start("own") == end:
            end = verb.end()
    while _WANTS_MORE.search(answer, start, end):
        following = _NEXT_WORD.match(answer, end)
        if following is None:
            break
        end = following.end()
    particle = _PARTICLE.match(answer, end)
    return particle.end() if particle else end


_NOT_SO = re.compile(
    r"\b(?:\w+n['’]t|cannot|never|no longer|not(?! only)|hardly|barely|nearly|almost"
    r"|(?:could|would|should|might) have)"
    r"(?: (?:really|even|quite|ever|have|had|been|be|is|makes?|made|gets?|got|feels?|felt|lets?"
    r"|want|need|to|me|us|it|him|her|them|an?|the|my|our|so|too|very|all|any|as))* $",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?:i|we|you|he|she|it|they|there)\b", re.IGNORECASE)
_OF_A_VERB = re.compile(r"\b[a-z]{3,} (?:me|us|him|her|them|it) $")
_BESIDE_A_VERB = re.compile(r"(?:up|down|out|off|away|apart|together|mad|crazy)\b")


def with_its_negation(answer: str, stop: int, start: int) -> int:
    """Return where a stretch begins with the word before it that says it is not or was not so.

    "doesn't make me nervous" is no nervousness, "I could have hugged her" no hug. Coders of the
    labelled answers nearly always marked such a word along. `stop` is where its clause begins.
    """
    found = _NOT_SO.search(answer, stop, start)
    return found.start() if found and not _SUBJECT.match(answer, start) else start


def needed_before(said: str, place: int) -> int | None:
    """Return where a label has to begin that stands at `place`; None where it is whole.

    It keeps what says that it is not so, and the verb that "up the wall" belongs to.
    """
    if place <= 0:
        return None
    found = _NOT_SO.search(said, 0, place)
    if found is None and _BESIDE_A_VERB.match(said, place):
        found = _OF_A_VERB.search(said, 0, place)
    return found.start() if found else None


_SUBJECT_AND_VERB = re.compile(
    r"(?:i|we|you|he|she|it|they|that|there|this)(?:['’](?:m|ve|d|ll|re|s))? [\w'’]+$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?! (?:and|but|or|so|because|when|if|while|then)\b)(?: [\w'’-]+){1,6}(?=,|\W*$)",
    re.IGNORECASE,
)


def to_its_end(answer: str, start: int, end: int, stop: int) -> int:
    """Return the end of the clause, at `stop`, for a subject and a verb that break off before it.

    "I raise my voice" says something else than "I raise".
    """
    if not _SUBJECT_AND_VERB.match(answer[start:end]):
        return end
    rest = _GOES_ON.match(answer[end:stop])
    return end + rest.end() if rest else end

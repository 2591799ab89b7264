"""How engaged an answer is, by B's rubric in rules: what it elaborates, tells and feels.

Hedging never makes an answer low by itself; it is low where nothing is left besides.
"""

from __future__ import annotations

import re

from interviews.acts.rules import act_of, answering
from interviews.llm.providers.offline.emptiness import emptiness
from interviews.llm.providers.offline.lexicon import hits, pattern, plain, word_set, words_of
from interviews.llm.providers.offline.sentiment import tone
from interviews.llm.tasks.momentum import MOMENTUM, MomentumInputs, MomentumLevel, MomentumOutput

LONG = 25
"""In words: from here on an answer elaborates."""
FULL = 35
"""In words: a long answer, in which one sign of engagement is enough."""
LEAST_CONTENT = 2
"""So many words with content and no elaboration are no withdrawal."""
REPEATED = 0.8
"""Share of an answer's content that was said before, from which it repeats."""
STRONG_TONE = 0.6

_FILLER = re.compile(
    r"\b(?:i (?:really |honestly )?(?:do not|don't|dont) know|dunno|not (?:really |quite )?sure"
    r"|no (?:idea|clue|difference|opinion)|hard to (?:say|tell)|whatever"
    r"|nothing (?:special|really|much)"
    r"|i (?:guess|suppose|think)|to be honest|honestly|you know|as (?:before|i said)|same as before"
    r"|(?:i )?already said (?:it|that)|like anything else|next question|(?:can we )?move on|please"
    r"|(?:it|that)(?:'s| is) (?:what it is|fine|ok|okay|alright|all right|good|nice|it)"
    r"|just because"
    r"|kind of|sort of|somehow|maybe|perhaps|probably|possibly|eh|meh|hmm*|um+|uh+|well|yeah|yes|no"
    r"|nope|nah|ok|okay|fine|sorry|really|to me|non (?:lo )?so|boh|forse|mah|niente|va bene)\b"
)
_GENERAL = frozenset(
    ["be", "is", "it", "that", "this", "they", "have", "thing", "things", "something", "anything",
     "everything", "nothing", "say", "said", "tell", "think", "guess", "like", "just", "about"]
)  # fmt: skip
_OWN = re.compile(
    r"\b(?:i|we|my|our|mia|mio|ho|abbiamo)\b.{0,60}?\b(?:was|were|had|tried|bought|used to|went"
    r"|came|felt|remember|told|called|paid|fell|changed|made|drove|gave|lost|found|started|stopped"
    r"|love|hate|lie awake|can't|ho|abbiamo)\b"
)
_PEOPLE = re.compile(
    r"\b(?:daughter|son|kids?|children|mother|father|mum|mom|dad|parents?|sister|brother|wife"
    r"|husband|partner|friends?|grandmother|grandfather|guests?|boss|neighbours?|family|figli\w*"
    r"|madre|padre|amic\w+|moglie|marito)\b"
)


def momentum(inputs: MomentumInputs) -> MomentumOutput:
    """Say the level of one answer; the same inputs always give the same."""
    said = plain(inputs.answer)
    act = act_of(inputs.answer, inputs.language, inputs.question)
    told = plain(answering(inputs.answer, inputs.language, inputs.question))
    content = _content(told)
    if emptiness(inputs.answer) or act in ("wants_to_stop", "adds_nothing"):
        return _level("low", "nothing is said on the matter")
    if act == "refuses" and len(content) < LEAST_CONTENT:
        return _level("low", "the respondent withdraws")
    signs = _signs(inputs.answer, _FILLER.sub(" ", said))
    length = len(words_of(said))
    if not signs and len(content) < LEAST_CONTENT:
        return _level("low", f"{len(content)} words with content, nothing elaborated")
    if not signs and _repeats(content, inputs):
        return _level("low", "it repeats what was said before")
    if (length >= FULL and signs) or (length >= LONG and len(signs) > 1):
        return _level("high", f"{length} words with {', '.join(signs)}")
    return _level("neutral", f"{length} words, {', '.join(signs) or 'nothing elaborated'}")


def _level(level: MomentumLevel, reason: str) -> MomentumOutput:
    return MomentumOutput(level=level, reason=reason)


def _signs(answer: str, said: str) -> list[str]:
    """What shows engagement, in words."""
    found = (
        ("reasons", bool(pattern("rating_reason").search(said))),
        ("an occasion", bool(pattern("rating_example").search(said))),
        ("own experience", bool(_OWN.search(said))),
        ("people", bool(_PEOPLE.search(said))),
        ("feeling", bool(hits(said, "feelings")) or abs(tone(said)) >= STRONG_TONE),
        ("emphasis", "!" in answer),
    )
    return [name for name, shows in found if shows]


def _content(said: str) -> frozenset[str]:
    """The words that are left of an answer without fillers, hedges and general words."""
    left = words_of(_FILLER.sub(" ", said))
    return frozenset(w for w in left if w not in word_set("stop_words") and w not in _GENERAL)


def _repeats(content: frozenset[str], inputs: MomentumInputs) -> bool:
    earlier = frozenset[str]().union(*(_content(plain(turn.answer)) for turn in inputs.earlier))
    return bool(content) and len(content & earlier) / len(content) >= REPEATED


RULES = {MOMENTUM.name: momentum}

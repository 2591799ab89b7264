"""How a simulated respondent puts statements into words: frames, connectives, manner.

A clause from the world is dropped into sentence frames: ``{x}`` as it stands, ``{X}`` with a
capital, and likewise a filler word. Frames are drawn from shuffled decks, so that no wording comes
back before the others had their turn.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from interviews.simulation.world import Probe, Statement

# What leads into an answer, by the kind of question.
LEADS: dict[Probe, tuple[str, ...]] = {
    "open": (
        "{X}",
        "{X}",
        "{FILLER}, {x}",
        "Something else I notice is that {x}",
        "There's also this: {x}",
        "One thing is that {x}",
        "What comes to mind is that {x}",
    ),
    "why": (
        "{X}",
        "Because {x}",
        "{FILLER}, {x}",
        "The thing is, {x}",
        "I'd say it's that {x}",
        "It matters because {x}",
        "What it comes down to is that {x}",
    ),
    "feeling": ("{X}", "{FILLER}, {x}", "To put it plainly, {x}", "How it feels? {X}"),
    "incident": (
        "{X}",
        "Yes, there is one. {X}",
        "{FILLER}, {x}",
        "Oh, I remember it well: {x}",
    ),
    "relation": ("{X}", "{FILLER}, {x}", "It goes together with the fact that {x}"),
    "absence": (
        "I'd miss it, because {x}",
        "That would bother me, since {x}",
        "It'd be a real loss. As it is, {x}",
        "{filler}, as things are {x}",
    ),
    "contrast": (
        "The difference is that {x}",
        "Compared with others, {x}",
        "{X}",
        "{FILLER}, {x}",
    ),
    "concrete": (
        "Well, concretely, {x}",
        "What I have in mind: {x}",
        "{X}, that's what I mean",
        "For example, {x}",
    ),
    "reflection": (
        "Yes, that's about right. And {x}",
        "Mostly, yes. Though {x}",
        "That sums it up quite well. {X}",
        "Pretty much. What's missing is that {x}",
    ),
    "closing": (
        "Just one thing: {x}",
        "I'd only add that {x}",
        "Maybe this: {x}",
    ),
}
OPENING = (
    "{X}",
    "{FILLER}, {x}",
    "The first thing I think of is that {x}",
    "Where do I start? {X}",
)
LOSS = (
    "{X}",
    "{FILLER}, {x}",
    "That would hit me, I think. {X}",
    "Then I'd notice what it's worth to me. {X}",
)
MEMORY = ("{X}", "Oh, I know what that's like. {X}", "{FILLER}, {x}", "I've been there: {x}")

UPWARD = (
    "{X}, so {y}",
    "{X}, which means {y}",
    "{X}. That way {y}",
    "{X}, and because of that {y}",
    "{Y} because {x}",
    "Because {x}, {y}",
    "Since {x}, {y}",
    "{X}. So {y}",
    "{X}, and that's why {y}",
    "{Y}, and that's because {x}",
)
UPWARD_TO_VALUE = (
    "{X}, and what is behind that is that {y}",
    "{X}. And underneath that, {y}",
    "{X}, because {y}",
    "{X}. In the end {y}",
    "{X}, and ultimately {y}",
)
GROUNDED = ("{Y} because {x}", "{Y}, and that's because {x}", "{Y}, since {x}")
ONWARD = ("So {y}", "And that way {y}", "And because of that {y}", "Which means {y}")
ONWARD_TO_VALUE = (
    "In the end {y}",
    "And underneath that, {y}",
    "Ultimately {y}",
    "What it comes down to is that {y}",
)
GROUND = ("That's because {y}", "That has to do with the fact that {y}")
AGAIN = (
    "That brings me back to what I said, that {x}",
    "Again it comes down to the fact that {x}",
    "It's the same reason again, {x}",
    "Like I said, it's because {x}",
)
TIES = (
    "It ties in with what I told you, that {x}",
    "It goes together with what I said, that {x}",
    "That has to do with the fact that {x}",
)
AFTER_STORY = ("{X}. Since then I know how much it counts that {y}", "{X}. And so {y}")
BESIDE = (
    "And {y}",
    "Also, {y}",
    "Oh, and {y}",
    "Another thing is that {y}",
    "Apart from that, {y}",
)

# Hedges that can stand anywhere in a sentence, and those that begin or end a whole one.
HEDGES = (
    "I guess {x}",
    "I think {x}",
    "maybe {x}",
    "perhaps {x}",
    "I suppose {x}",
    "probably {x}",
    "{x}, I think",
    "{x}, kind of",
)
WIDE_HEDGES = (
    "I'm not entirely sure, but {x}",
    "It's hard to say, but {x}",
    "I could be wrong, but {x}",
    "I've never really thought about it, but I'd say {x}",
    "{X}, or something like that",
    "{X}, more or less",
    "{X}, if that makes sense",
)
EMOTIONS = (
    "Honestly, I love that.",
    "It really gets to me, to be honest.",
    "That makes me so happy!",
    "I can't tell you how much that means to me.",
    "It still moves me when I think of it.",
    "I get quite emotional about it, sorry.",
    "It goes right to my heart, you know.",
    "I'm so grateful for it.",
)
DOUBTS = (
    "Whether it's really worth it is another question.",
    "I don't believe half of what they promise, though.",
    "I'm not sure what you are getting at.",
    "But who knows if that's really the reason.",
    "Not that I'd make a big thing out of it.",
    "People make too much fuss about this, if you ask me.",
    "I'd want to see proof of that, frankly.",
    "That may just be good marketing, of course.",
)
REFUSALS = (
    "I'd rather not say.",
    "I'd prefer not to go into that.",
    "Can we skip this one?",
    "That's private, sorry.",
    "I don't want to talk about that.",
    "Skip, please.",
)
TIRED = (
    "I don't know.",
    "No idea, really.",
    "Not much to say there.",
    "It's fine, I suppose.",
    "Same as before.",
    "Hm. Hard to say.",
    "I've got nothing on that, sorry.",
    "It's been a long day.",
    "Could be. I don't mind.",
)
SHORT: dict[Probe, tuple[str, ...]] = {
    "open": ("Not that I know of.", "Hm, not really.", "It depends.", "Just the usual things."),
    "concrete": ("Just what I said.", "Hm, the usual.", "It depends."),
    "contrast": ("They're all much the same.", "Better, I guess.", "Not that different."),
    "reflection": ("Yes, pretty much.", "Sort of, yes.", "Yes.", "That's okay so."),
}
NOTHING_NEW: dict[Probe, tuple[str, ...]] = {
    "open": (
        "No, nothing else comes to mind.",
        "I think I've told you everything about that.",
        "That's really all, I'm afraid.",
        "Nothing new, no.",
        "I can't think of anything more.",
        "I'm running out of things to say here.",
        "That covers it from my side.",
        "No, my head's empty now.",
    ),
    "why": (
        "I can't really explain it any further. It just is like that for me.",
        "It simply is important, I don't know what's behind it.",
        "That's as far down as it goes, I think.",
        "There's nothing behind it, it speaks for itself.",
        "I've never asked myself that. It's just me.",
        "No deeper reason that I'm aware of.",
    ),
    "incident": (
        "No particular time comes to mind.",
        "I can't pin that down to one day.",
        "It's not one moment, it's more or less always like that.",
        "I don't recall another occasion, sorry.",
    ),
    "concrete": (
        "I can't put it any more exactly than that.",
        "Just what I said, really.",
        "Hm, it's hard to pin down.",
        "It's nothing more specific than that.",
    ),
    "contrast": (
        "I've nothing to compare it with.",
        "There isn't much of a difference, I'd say.",
        "It's about the same everywhere.",
        "I haven't thought about alternatives.",
    ),
    "closing": (
        "No, I think we've covered it. Thank you.",
        "No, that's everything from me.",
        "Nothing to add, thanks for listening.",
        "That's a fair summary. I've got nothing more.",
    ),
    "reflection": (
        "Yes, you've got that right.",
        "That's how I see it, yes.",
        "Yes, nothing wrong with that.",
        "I couldn't have put it better.",
    ),
}
DRIFTS = (
    "What does come to mind is that {x}",
    "But something else: {x}",
    "Though, now that I think of it, {x}",
    "What I haven't said yet: {x}",
)
LINKS = (
    "What I can say is that {x}",
    "Though, thinking about it, {x}",
    "I only know that {x}",
)
RETURNS = (
    "For me it always comes back to the same thing: {x}",
    "I keep saying it, but {x}",
    "As I said, {x}",
    "Sorry to come back to it, but {x}",
    "What counts for me is still that {x}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A statement in the wording chosen for it; `again` where it was told before."""

    statement: Statement
    text: str
    again: bool = False


class Decks:
    """Draws from pools of wordings without repeating one before its pool is used up."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._left: dict[tuple[str, ...], list[str]] = {}
        self._last: dict[tuple[str, ...], str] = {}

    def draw(self, pool: Sequence[str]) -> str:
        """Return the next wording of this pool's shuffled deck."""
        key = tuple(pool)
        left = self._left.get(key)
        if not left:
            left = list(key)
            self._rng.shuffle(left)
            # A fresh shuffle must not begin with the wording that was used last.
            if len(left) > 1 and left[-1] == self._last.get(key):
                left[0], left[-1] = left[-1], left[0]
            self._left[key] = left
        self._last[key] = left.pop()
        return self._last[key]


def fill(frame: str, **clauses: str) -> str:
    """Put clauses into a frame: ``{x}`` as it stands, ``{X}`` with a capital.

    >>> fill("{X}, so {y}", x="it rains", y="I stay in")
    'It rains, so I stay in'
    """
    capitals = {name.upper(): capital(clause) for name, clause in clauses.items()}
    return frame.format(**clauses, **capitals)


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Return the text as it stands inside a sentence; "I" and its contractions keep their capital.

    >>> uncapital("Because it rains"), uncapital("I'd rather stay in")
    ('because it rains', "I'd rather stay in")
    """
    first = text.split(" ", 1)[0]
    return text if first.split("'")[0] == "I" else text[:1].lower() + text[1:]


def sentence(text: str) -> str:
    """Return the text as a sentence: capital first, closing mark last."""
    text = capital(text.strip())
    return text if text.endswith((".", "!", "?")) else text + "."


def upward_frames(source: Statement, target: Statement) -> tuple[str, ...]:
    """Frames that join a statement to what it leads to."""
    if source.kind == "incident":
        return AFTER_STORY if target.kind == "value" else AFTER_STORY[-1:]
    return UPWARD_TO_VALUE if target.kind == "value" else UPWARD


def onward_frames(target: Statement) -> tuple[str, ...]:
    """Frames for what follows from the sentence before."""
    return ONWARD_TO_VALUE if target.kind == "value" else ONWARD

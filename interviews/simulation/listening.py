"""How a simulated respondent understands a question: what kind it is and what it is about.

Both readings are lexical. The kind comes from the wording of the question itself, with quoted
words left out, since a quotation of the respondent says nothing about what the interviewer wants.
The subject is the statement whose words the question shares, rare words counting more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from interviews.simulation.world import Probe, Statement, World

_QUOTED = re.compile(r'["“„][^"”“]*["”]|(?<!\w)[\'‘][^\'’]*(?:[\'’]\w[^\'’]*)*[\'’](?!\w)')
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")

_FOR_ONE = r"\bwhich (other )?(ones?|three|examples?)\b"

# The first kind whose pattern is found wins, so the more telling wordings stand first.
_KINDS: dict[Probe, tuple[str, ...]] = {
    "closing": (
        r"to add\b",
        r"add (or|anything)",
        r"before we (finish|end|close|stop|wrap)",
        r"wrap(ping)? up",
        r"\b(last|final) (word|question|thing)",
        r"put right",
        r"(haven't|have not) asked",
        r"did(n't| not) (talk|ask)",
        r"(haven't|have not|didn't|did not) i ask",
        r"come to the end",
    ),
    "incident": (
        r"\b(time|occasion|moment|situation|day) (when|where|that|in which)",
        r"last time",
        r"which (time|moment|day|occasion)",
        r"\bremember\b",
        r"what happened",
        r"particular (time|day|moment|occasion|situation)",
        r"(tell|describe|walk|take) me (about|through|back) (a|one|the last|that) ",
        r"\bexperience where",
        r"(best|worst) (time|moment|day|experience)",
        r"most recent",
    ),
    "open": (
        r"what else",
        r"something else",
        r"anything else",
        r"other (things|aspects|sides|areas|parts)",
        r"another (thing|aspect|side|part|area)",
        r"apart from",
        r"besides",
        r"leaving .* aside",
        r"comes? to mind",
        r"pay attention to",
        r"\boverlook",
        r"look at first",
        r"could change (one|a|any)",
        r"what (do|did) you notice",
        r"turn(ing)? to something",
        _FOR_ONE,
        r"\bnot (yet )?(touched|talked|spoken)",
        r"\b(surprised|annoys|annoyed) you\b",
        r"\bnew to\b",
        r"\bturn(ing)? (your|their) back\b",
        r"\bwho else (has a say|plays)\b",
        r"\b(which|what) other (occasion|way|part|side)",
        r"\bin the course of a\b",
        r"\bthe ideal one\b",
    ),
    "reflection": (
        r"so far",
        r"\bright\?",
        r"did i (get|understand)",
        r"have i (got|understood)",
        r"if i understand",
        r"sum(ming)? (it |that |this )?up",
        r"summar",
        r"it sounds like",
        r"would you (agree|correct)",
        r"what (is|have i) miss(ing|ed)",
    ),
    "relation": (
        r"to do with (the|what|any)",
        r"\bconnect",
        r"\brelated?\b",
        r"hangs? together",
        r"(fits?|ties?|goes?|belongs?) (in )?(together|with)",
    ),
    "absence": (
        r"\bwithout\b",
        r"were(n't| not)",
        r"was(n't| not) (there|possible)",
        r"could(n't| not)",
        r"no longer",
        r"\bmiss(ing|ed)?\b",
        r"\blos(e|t|ing)\b",
        r"disappear",
        r"taken away",
        r"went away",
        r"\bif (it|that|this|you) (had|didn't|did not|stopped|failed)",
        r"avoid",
        r"prevent",
        r"(not|never) (have|having|be|being|want|wish) to (go through|deal|be)",
        r"keep (you |it |that )?from",
        r"steer clear",
    ),
    "contrast": (
        r"compar",
        r"differen",
        r"versus",
        r"\bunlike\b",
        r"alternative",
        r"other (people|brands|products|ones)",
        r"someone who (sees|thinks|does|doesn|disagrees|prefers|would)",
        r"before you",
        r"used to",
        r"\binstead\b",
        r"rather than",
        r"better than",
        r"worse than",
        r"\bopposite\b",
    ),
    "why": (
        r"\bwhy\b",
        r"matter",
        r"important",
        r"importance",
        r"give you",
        r"gives you",
        r"do for you",
        r"does for you",
        r"means? (to|for) you",
        r"at stake",
        r"comes? of\b",
        r"affect",
        r"people (around|close to) you",
        r"lead",
        r"allow",
        r"enable",
        r"help you",
        r"benefit",
        r"get out of",
        r"consequence",
        r"result",
        r"follow",
        r"then what",
        r"(good|bad|valuable|worth\w*) (about|for)",
        r"bring you",
        r"brings you",
        r"change for you",
        r"what for",
        r"how come",
        r"reason",
        r"\bafter with\b",
        r"\bbehind\b",
        r"\bfor the sake\b",
        r"\bgain\b",
        r"(stand|stands) for\b",
    ),
    "feeling": (
        r"\bfeel",
        r"emotion",
        r"\bmood\b",
        r"(mind|head) (when|then|at that)",
        r"how was that",
    ),
    "concrete": (
        r"exactly",
        r"which part",
        r"specific",
        r"concrete",
        r"example",
        r"mean by",
        r"look like",
        r"looks like",
        r"what (is it )?(about|makes|made)",
        r"in practice",
        r"in detail",
        r"(come|came|comes) (from|about)",
        r"\bled (up )?to\b",
        r"\bshaped\b",
        r"(brings?|brought) .*\babout\b",
        r"describe",
        r"picture",
    ),
}
_SCENES = frozenset({"closing", "incident", "absence", "contrast"})
"""Kinds that a lead-in may set up by itself."""

_PATTERNS = tuple((kind, re.compile("|".join(parts))) for kind, parts in _KINDS.items())

_STOPWORD_TEXT = """
a about after again all also always am an and any are as at be because been before being but by
came can come comes could did do does doing don't down even ever every first for from get gets
getting give gives go goes going got had has have having he her here him his how i i'd i'm i've
if in into is it it's its just kind know let like made make makes making many me mean means
mention mentioned might mind mine more most much my need no not notice now of off on once one
only or other our out over own part quite really said same say says see she so some something
such sure take tell than thank thanks that that's the their them then there there's these they
thing things think this those through time to told too up us use used very want was way we well
were what what's when where which while who why will with would you you'd you're you've your
yours
"""
_STOPWORDS = frozenset(_STOPWORD_TEXT.split())
_SUFFIXES = ("ingly", "edly", "ness", "ings", "ing", "ies", "ied", "ers", "est", "ed", "es", "ly")
_SHORTEST_STEM = 3


def asks_for_one(question: str) -> bool:
    """Whether a question asks to name one or more of what the interview is about."""
    return re.search(_FOR_ONE, question.casefold()) is not None


def points_back(question: str) -> bool:
    """Whether a question says that it is about the same point as the one before."""
    return "i just asked" in question.casefold()


def probe_kind(question: str) -> Probe | None:
    """Return what kind of answer a question asks for, None where its wording does not tell.

    The last sentence that asks is read first. What stands before it is lead-in: it may set a scene
    ("Think of the last time …"), but what it happens to repeat is no question.
    """
    text = _QUOTED.sub(" ", question.casefold().replace("’", "'"))
    asking = [part for part in re.split(r"(?<=[.!?])\s+", text) if part.rstrip().endswith("?")]
    for passage, kinds in ((" ".join(asking[-1:]), None), (text, _SCENES)):
        for kind, pattern in _PATTERNS:
            if (kinds is None or kind in kinds) and pattern.search(passage):
                return kind
    return None


def stem(word: str) -> str:
    """Cut the commonest English endings; crude on purpose, the same word always gives the same."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word[: -len(suffix)]
            break
    else:
        if word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST_STEM:
            word = word[:-1]
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that carry content."""
    words = _WORD.findall(text.casefold().replace("’", "'"))
    return frozenset(stem(w.removesuffix("'s")) for w in words if w not in _STOPWORDS)


class Ear:
    """Finds the statement that a question is about."""

    def __init__(self, world: World) -> None:
        self._stems: Mapping[str, frozenset[str]] = {
            s.id: content_stems(" ".join((*s.phrasings, *s.topics))) for s in world.statements
        }
        counts = Counter(word for words in self._stems.values() for word in words)
        total = len(self._stems)
        self._rarity = {word: math.log(1 + total / count) for word, count in counts.items()}

    def overlap(self, question: str, statements: Iterable[Statement]) -> Mapping[str, float]:
        """Return the summed rarity of the words each statement shares with the question.

        Statements that share none are left out.
        """
        asked = content_stems(question)
        scores = {
            s.id: sum(self._rarity[word] for word in asked & self._stems[s.id]) for s in statements
        }
        return {name: score for name, score in scores.items() if score > 0}

    def subject(
        self, question: str, *, told: Iterable[Statement], untold: Iterable[Statement]
    ) -> str | None:
        """Return the id of what the question is about, None where it names nothing known.

        What was told already is preferred unless something untold fits clearly better: a question
        nearly always takes up the respondent's own words.
        """
        best = _best(self.overlap(question, told))
        other = _best(self.overlap(question, untold))
        if other and (best is None or other[1] > 2 * best[1]):
            return other[0]
        return best[0] if best else None


def _best(scores: Mapping[str, float]) -> tuple[str, float] | None:
    return max(scores.items(), key=lambda item: (item[1], item[0]), default=None)

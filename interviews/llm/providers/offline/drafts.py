"""The questions that may be asked next: ways to speak of the point, times wordings of a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from graphs.language.embeddings import EmbeddingModelUnavailable, shared_embedder
from interviews.llm.providers.offline.elements import as_compared, name_of
from interviews.llm.providers.offline.leads import leads_for
from interviews.llm.providers.offline.lexicon import lemmas, overlap
from interviews.llm.providers.offline.phrasing import Phrase, makes_noun_phrase, noun_phrase
from interviews.llm.providers.offline.quoting import harmless, lower_first
from interviews.llm.providers.offline.voice import POINTS_BACK, Voice, phrases_in
from interviews.llm.providers.offline.wording import is_english, rotated, rotation, worded_by
from interviews.llm.tasks.questions import FollowUpInputs
from interviews.wording.repetition import is_repeat

MOST_WORDS = 58
NAMED_BESIDE = 2
LONGEST_OTHER = 6
"""In words; a longer concept is not named beside another."""
RELATED = 0.35
"""Cosine from which two concepts are near enough to be asked about together."""

_COMPARISONS = frozenset(
    [
        "triad",
        "triad_by",
        "triad_named",
        "triad_said",
        "pole",
        "placement",
        "elements",
        "connection_named",
    ]
)
"""Moves that set several things side by side; nothing else does what they are for."""

_FORMS = ("_event", "_negative", "_inner", "_welcome")

Way = tuple[Voice, str]
"""A voice, and what stands before its question."""


class Drafts:
    """Sound questions on one strategy and focus, not asked before; the most fitting first.

    `moves` are those to choose from. One wording of each move comes first, then the next of each.
    """

    def __init__(self, inputs: FollowUpInputs, moves: Sequence[str]) -> None:
        if moves[0] == "summary" and not inputs.summary_labels:
            moves = ("broaden",)
        self._asked = inputs.asked_questions
        rephrases = bool(inputs.acknowledge.again)
        self._last = self._asked[-1] if self._asked and not rephrases else ""
        voices = _voices(inputs, moves)
        self._voice = voice = voices[0]
        if voice.phrase.quotes:
            moves = ["triad_said" if move == "triad" else move for move in moves]
        elif len(voice.beside) >= NAMED_BESIDE:
            moves = ["triad_named" if move == "triad" else move for move in moves]
        if moves[0] == "connection" and voice.other:
            moves = ("connection_named",)
        if rephrases:
            wordings = list(_simpler(inputs, voice, moves))
        else:
            turn = rotation(inputs.seed, inputs.strategy.name, len(self._asked)) + len(self._asked)
            forms = [*rotated(moves, turn), *_other_forms(moves)]
            wordings = [voice.templates(move, self._asked) for move in forms]
        self.compares = not _COMPARISONS.isdisjoint(moves)
        """Whether what is asked for is a comparison, which asking for more does not give."""
        rounds = zip_longest(*wordings)
        self._templates = [t for templates in rounds for t in templates if t is not None]
        self.ways: Sequence[Way] = [
            (way, lead) for way in voices for lead in leads_for(inputs, way, moves[0])
        ]

    @property
    def about_focus(self) -> bool:
        """Whether they are about the focus, rather than the subject or the interview so far."""
        return self._voice.about_focus

    def by(self, *ways: Way, openly: bool = False) -> Iterator[str]:
        """Yield the questions that speak in one of `ways`; `openly` ones just ask for more.

        More is not asked for twice running, nor of a point that was just asked about.
        """
        found = self._templates
        if openly:
            more = self._voice.templates("more", self._asked)
            again = worded_by(more, self._last) or any(POINTS_BACK in lead for _, lead in ways)
            found = [] if again else more
        texts = (
            voice.after(lead, template)
            for template in found
            if not worded_by([template], self._last)
            for voice, lead in ways
            if voice.can(template, lead)
        )
        return (text for text in texts if is_sound(text, self._asked))

    def all(self) -> Iterator[str]:
        """Yield the questions in every way, and others on the subject when they come to an end."""
        yield from self.by(*self.ways)
        for text in self._voice.wordings("broaden", self._asked):
            if is_sound(text, self._asked):
                yield text


def is_sound(text: str, asked: Sequence[str]) -> bool:
    """Whether a question asks once, is not too long and repeats none of `asked`."""
    return text.count("?") == 1 and len(text.split()) <= MOST_WORDS and not is_repeat(text, asked)


def _other_forms(moves: Sequence[str]) -> Sequence[str]:
    """Return the plain moves beside those for an event, a drawback or a feeling: rules err."""
    plain = (move.removesuffix(form) for move in moves for form in _FORMS if move.endswith(form))
    return [move for move in dict.fromkeys(plain) if move not in moves]


def _voices(inputs: FollowUpInputs, moves: Sequence[str]) -> Sequence[Voice]:
    """Return a voice for each way to speak of the focus, or one for the subject as a whole."""
    about_all = moves[0] == "last_word" or inputs.strategy.focus_mode != "recent_node"
    phrases: Sequence[Phrase | None] = [None]
    beside: Sequence[str] = ()
    if inputs.focus is not None and not about_all:
        answers = [turn.answer for turn in inputs.recent_turns]
        phrases = phrases_in(inputs.focus, inputs.language, answers)
        if "triad" in moves and is_english(inputs.language):
            compared = as_compared(inputs.focus, inputs.subject, answers)
            names = (name_of(words, inputs.subject) for words in inputs.beside)
            beside = [name for name in dict.fromkeys(names) if name not in ("", compared.noun)]
            phrases = [compared]
    return [
        Voice(
            subject=inputs.subject,
            phrase=phrase,
            seed=inputs.seed,
            language=inputs.language,
            beside=beside,
            other=_other(inputs),
        )
        for phrase in phrases
    ]


def _other(inputs: FollowUpInputs) -> str:
    """Return the main concept that is nearest to the focus, "" where none is near enough."""
    if inputs.focus is None or not is_english(inputs.language):
        return ""
    focus = lemmas(inputs.focus.label)
    found = [
        label
        for label in (lower_first(harmless(label)) for label in inputs.summary_labels)
        if makes_noun_phrase(label)
        and len(label.split()) <= LONGEST_OTHER
        and not overlap(lemmas(label), focus)
    ]
    nearest = _nearest(inputs.focus.label, found) if found else ""
    return noun_phrase(nearest) if nearest else ""


def _nearest(label: str, others: Sequence[str]) -> str:
    """Return the one of `others` that is closest in meaning, "" where all are far or unknown."""
    try:
        own, *vectors = shared_embedder().embed([label, *others])
    except EmbeddingModelUnavailable:
        return ""
    cosines = [float(own @ vector) for vector in vectors]
    nearest = max(cosines)
    return others[cosines.index(nearest)] if nearest >= RELATED else ""


def _simpler(inputs: FollowUpInputs, voice: Voice, moves: Sequence[str]) -> Iterator[list[str]]:
    """Yield wordings of the question that was not understood: what it was after, the short first.

    Then plainer ways to ask about the same point, the subject or the summary.
    """
    last = inputs.acknowledge.again
    after = [move for move in moves if worded_by(voice.of(move), last)] or moves
    for move in after:
        templates = [t for t in voice.templates(move, inputs.asked_questions) if voice.can(t)]
        yield sorted(templates, key=lambda t: len(t.split()))
    if voice.about_focus:
        plainer = "simpler"
    else:
        plainer = "simpler_summary" if inputs.strategy.focus_mode == "summary" else "simpler_topic"
    yield voice.templates(plainer, inputs.asked_questions)

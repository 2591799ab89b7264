"""What may stand before a question: what was heard, what it takes up, what was said so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from interviews.llm.providers.offline.lexicon import lemmas, overlap, plain
from interviews.llm.providers.offline.phrasing import enumeration, makes_noun_phrase, noun_phrase
from interviews.llm.providers.offline.quoting import harmless, lower_first, quoted
from interviews.llm.providers.offline.voice import Voice
from interviews.llm.providers.offline.wording import bank, is_english, rotated, rotation
from interviews.llm.tasks.questions import FollowUpInputs

POINTS_IN_SUMMARY = 3
FEWEST_POINTS = 2
LONGEST_POINT = 7


def leads_for(inputs: FollowUpInputs, voice: Voice, move: str) -> Iterator[str]:
    """Yield what may stand before the question, the most fitting first, nothing at last."""
    leads = bank(inputs.language)["leads"]
    turn = len(inputs.asked_questions)
    heard = _heard(inputs, leads, turn, closes=move == "last_word")
    if move == "last_word":
        yield heard  # what few labels tell is no summary to end on
    elif move == "summary":
        if points := _points(inputs):
            for lead in rotated(leads["summary"], rotation(inputs.seed) + turn):
                yield heard + lead.replace("{points}", points)
        yield heard
    elif heard:
        yield heard
        return  # what takes up a refusal is not left out because a question reads better alone
    elif voice.about_focus:
        yield _to_point(inputs, voice, leads)
        if voice.phrase.quotes:
            return
    elif inputs.recent_turns:
        yield rotated(leads["turn"], rotation(inputs.seed) + turn)[0]
    yield ""


def _to_point(inputs: FollowUpInputs, voice: Voice, leads: Mapping[str, list[str]]) -> str:
    """Return what takes up the point: one of the last answer, an older one, or the same again."""
    if _just_asked(inputs, voice):
        return rotated(leads["again"], rotation(inputs.seed) + len(inputs.asked_questions))[0]
    group = "fresh" if _in_last_answer(inputs) else "older"
    if not voice.phrase.quotes:
        return _another(leads[group], group, inputs)
    fitting = leads[f"{group}_{'clause' if voice.phrase.clause else 'fragment'}"]
    if not voice.phrase.reported:
        fitting = [lead for lead in fitting if "{reported}" not in lead]
    return _another(fitting, group, inputs)


def _another(leads: Sequence[str], group: str, inputs: FollowUpInputs) -> str:
    """Return the lead whose turn it is, another one where the last question began like it."""
    turn, asked = len(inputs.asked_questions), inputs.asked_questions
    found = rotated(leads, rotation(inputs.seed, group) + turn)
    if not asked:
        return found[0]
    return next((lead for lead in found if not _begins(asked[-1], lead)), found[0])


def _begins(question: str, lead: str) -> bool:
    opening = lead.partition("{")[0]
    return bool(opening) and question.startswith(opening)


def _just_asked(inputs: FollowUpInputs, voice: Voice) -> bool:
    """Whether the last question was about the same point: to quote it once more would be odd."""
    if not inputs.asked_questions or not is_english(inputs.language):
        return False
    last, phrase = plain(inputs.asked_questions[-1]), voice.phrase
    names = (phrase.noun if not phrase.quotes else "", phrase.said.strip("“”"), phrase.reported)
    return any(
        re.search(rf"(?<!\w){re.escape(plain(name))}(?!\w)", last)
        for name in names
        if name and plain(name) not in plain(voice.subject)
    )


def _heard(
    inputs: FollowUpInputs, leads: Mapping[str, list[str]], turn: int, *, closes: bool
) -> str:
    """Return what takes up a refusal, a repetition or a question back, "" after other answers.

    A question that `closes` announces no other subject.
    """
    kind, quote = inputs.acknowledge.kind, inputs.acknowledge.quote
    if kind in ("none", "instructs"):
        return ""
    group: str = kind
    if kind == "asks":
        group = asked_about(inputs.recent_turns[-1].answer if inputs.recent_turns else "")
    elif kind == "objects":
        group = f"{kind}_at_last" if closes else f"{kind}_quoted" if quote else kind
    lead = rotated(leads[group], rotation(inputs.seed, kind) + turn)[0]
    return lead.replace("{quote}", quoted(quote)).replace("{subject}", inputs.subject)


_ASKED_ABOUT = (
    (
        "asks_who",
        r"\b(?:robot|bot|human|person|machine|ai|computer|software|real|name|umano|macchina)\b",
    ),
    (
        "asks_data",
        r"\b(?:data|record\w*|anonym\w*|publish\w*|stored?|delet\w*|read\w*|sees?|legge|dati)\b",
    ),
    ("asks_time", r"\b(?:how (?:long|many|much)|left|over|minutes|time|quanto|manca)\b"),
)


def asked_about(answer: str) -> str:
    """The group of wordings that answers what the respondent asked."""
    said = plain(answer)
    return next((name for name, words in _ASKED_ABOUT if re.search(words, said)), "asks")


def _points(inputs: FollowUpInputs) -> str:
    """Return the main points as an enumeration.

    What can be spoken of inside a sentence goes first: a list of quotations is no summary.
    """
    short = [label for label in inputs.summary_labels if len(label.split()) <= LONGEST_POINT]
    points = [lower_first(harmless(label)) for label in short or inputs.summary_labels[:1]]
    if not is_english(inputs.language):
        spoken = [quoted(point) for point in points]
    else:
        spoken = [noun_phrase(point) for point in points if makes_noun_phrase(point)]
        if len(spoken) < FEWEST_POINTS:
            spoken += [quoted(point) for point in points if not makes_noun_phrase(point)]
    return enumeration(spoken[:POINTS_IN_SUMMARY], joint=bank(inputs.language)["points_joint"])


def _in_last_answer(inputs: FollowUpInputs) -> bool:
    if not inputs.recent_turns or inputs.focus is None:
        return False
    answer = plain(inputs.recent_turns[-1].answer)
    quote = plain(inputs.focus.quote or inputs.focus.label)
    return quote in answer or overlap(lemmas(quote), lemmas(answer) & lemmas(quote)) >= 0.99

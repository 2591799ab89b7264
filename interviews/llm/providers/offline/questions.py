"""Compose questions from strategy, focus and the respondent's words; never one asked before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, zip_longest

from interviews.llm.providers.offline.lexicon import lemmas, overlap, pattern, plain
from interviews.llm.providers.offline.moves import moves_of
from interviews.llm.providers.offline.phrasing import (
    Phrase,
    enumeration,
    makes_noun_phrase,
    noun_phrase,
    phrase_of,
)
from interviews.llm.providers.offline.quoting import harmless, quoted, second_person
from interviews.llm.providers.offline.wording import (
    bank,
    is_english,
    least_used,
    rotated,
    rotation,
    spread,
    worded_by,
)
from interviews.llm.tasks.base import clean, cut
from interviews.llm.tasks.questions import (
    CLOSING_QUESTION,
    FOLLOW_UP_QUESTION,
    OPENING_QUESTION,
    QUESTION_REPAIR,
    ClosingInputs,
    FocusInput,
    FollowUpInputs,
    OpeningInputs,
    Question,
    RepairInputs,
)
from interviews.llm.tasks.repetition import is_repeat

MOST_WORDS = 58
POINTS_IN_SUMMARY = 3
NAMED_BESIDE = 2
LONGEST_POINT = 7
LONGEST_SUBJECT = 80

STEP = 7919
"""A prime that divides no number of combinations, so that steps of it visit them all."""

_AT_THAT = re.compile(r"\bthe (time|moment) of that\b")
_NUMBERED = re.compile(
    r"\b(?:does|has|is|was) \{it\}|\{it\} (?:is|was|has|doesn't|means|plays|turns|counts|mattered"
    r"|comes?|came|went|were|weren't|stands)\b"
)
"""Where a template's verb agrees with the point, which then stands before it as "that"."""

_SAYS_LITTLE = re.compile(
    r"\b(?:because|so|and|but|which|that|if|when|to|the|a)$|\b(?:don't know|not sure|think|explain"
    r"|can't say|no idea|never (?:asked|thought))\b"
    r"|^(?:it|that)(?:'s| is) (?:because|since|why|how)\b"
    r"|^you(?:'d| would)? (?:say|guess|suppose|mean)\b"
)
"""What is not given back as heard: half a clause, a reason without what it is for, a blank."""

_OPENINGS: tuple[tuple[str, str], ...] = (
    (r"incident|especially (?:good|well|bad)|went wrong|stands out|critical", "incident"),
    (
        r"first contact|journey|from the beginning|stages|touchpoint|chronolog|first heard",
        "journey",
    ),
    (r"three|triad|elements|alike|differ|compare", "compare"),
    (
        r"circumstance|struggl|need comes up|job|progress|last time they needed|trying to get done",
        "need",
    ),
    (r"notice|associations|attribute|comes to mind|use or do", "notice"),
)


def opening_question(inputs: OpeningInputs) -> Question:
    """Invite a lived account in the way that the methodology's opening asks for."""
    bias = plain(f"{inputs.opening_bias} {inputs.methodology_name.replace('_', ' ')}")
    name = next((name for pattern, name in _OPENINGS if re.search(pattern, bias)), "story")
    openings: Sequence[str] = bank(inputs.language)["openings"][name]
    template = rotated(openings, rotation("opening", inputs.seed))[0]
    return Question(question=template.format(subject=_subject(inputs.subject)))


def follow_up_question(inputs: FollowUpInputs) -> Question:
    """Carry out the strategy on its focus in a wording not used before."""
    return Question(question=_first_new(inputs, moves_of(inputs.strategy, inputs.focus)))


def closing_question(inputs: ClosingInputs) -> Question:
    """Give back the main thread and leave the last word to the respondent."""
    return Question(question=_first_new(inputs, ("last_word",)))


def repaired_question(inputs: RepairInputs) -> Question:
    """Ask anew what a refused question was after, in a wording of the bank."""
    focus = FocusInput(label=inputs.focus_label) if inputs.focus_label else None
    fallback = _Voice(
        subject=inputs.subject or "this", focus=focus, seed=inputs.seed, language=inputs.language
    )
    moves = ("simpler", "situation", "third_person") if focus else ("broaden",)
    for move in moves:
        for text in fallback.wordings(move, inputs.asked_questions):
            if _sound(text, (*inputs.asked_questions, inputs.question)):
                return Question(question=text)
    return Question(
        question=last_resort(
            inputs.subject,
            (*inputs.asked_questions, inputs.question),
            language=inputs.language,
        )
    )


def last_resort(
    subject: str, asked: Sequence[str], *, language: str = "en", closing: bool = False
) -> str:
    """Return a question that is always valid and never one of `asked`.

    It joins an angle and an occasion; every combination is tried once. A `closing` one says so.
    """
    words = bank(language)
    lead = str(words["closing_lead"]) if closing else ""
    templates, angles, occasions = words["last_resorts"], words["angles"], words["occasions"]
    total = len(templates) * len(angles) * len(occasions)
    start = rotation("resort", subject, len(asked))
    for i in range(total):
        which, rest = divmod(start + i * STEP, len(templates))[::-1]
        angle, occasion = rest % len(angles), rest // len(angles) % len(occasions)
        text: str = templates[which].format(
            angle=angles[angle], occasion=occasions[occasion], subject=_subject(subject)
        )
        text = lead + text if lead else text[0].upper() + text[1:]
        if not is_repeat(text, asked):
            return text
    numbered = (lead + str(words["numbered"]).format(number=n) for n in count(len(asked) + 1))
    found: str = next(text for text in numbered if not is_repeat(text, asked))
    return found


def _phrase(focus: FocusInput, language: str, answers: Sequence[str] = ()) -> Phrase:
    """Return the ways to speak of a focus; outside English the respondent's words are quoted."""
    if is_english(language):
        return phrase_of(focus, answers)
    said = quoted(focus.label)
    return Phrase(noun=said, bare=said, said=said)


class _Voice:
    """Fills templates with one focus and subject."""

    def __init__(
        self,
        *,
        subject: str,
        focus: FocusInput | None,
        seed: int,
        language: str,
        answers: Sequence[str] = (),
        beside: Sequence[str] = (),
    ) -> None:
        self.subject = _subject(subject)
        self.focus = focus
        self.seed = seed
        self.that = "that" if is_english(language) else ""
        self.bank = bank(language)
        self.beside = [noun_phrase(label) for label in beside if makes_noun_phrase(label)]
        self.phrase = (
            _phrase(focus, language, answers)
            if focus
            else Phrase(noun=self.subject, bare=self.subject, said=quoted(subject))
        )

    def templates(self, move: str, asked: Sequence[str]) -> list[str]:
        """Return the templates of a move, those least used in this session first."""
        found = list(spread(self.of(move), rotation(self.seed, move, len(asked))))
        if self.phrase.quotes:  # nothing stands for the point without an article or a quotation
            found = [template for template in found if "{it_bare}" not in template]
        return least_used(found, asked)

    def of(self, move: str) -> Sequence[str]:
        """Return all templates of a move, those of its stand-in where it has none of its own."""
        moves = self.bank["moves"]
        found: Sequence[str] = moves.get(move) or moves[self.bank["instead"][move]]
        return found

    def wordings(self, move: str, asked: Sequence[str]) -> Iterator[str]:
        """Yield the wordings of a move without anything before them."""
        return (self.fill(template) for template in self.templates(move, asked))

    def after(self, lead: str, template: str) -> str:
        """Put a lead before a question; where it names the point, the question says "that"."""
        if not lead:
            return self.fill(template)
        if self.phrase.quotes and ("{said}" in lead or "{reported}" in lead):
            if "{it}" not in template:
                return self.fill(template)
            return f"{self.fill(lead).strip()} {self.fill(template, it=self.that)}"
        names_it = self.focus is not None and "{it" in lead and bool(self.that)
        if "{it" in lead and not self.that:
            return self.fill(template)
        if names_it and ("{said}" in template or "{it_bare}" in template):
            return self.fill(template)
        return f"{self.fill(lead).strip()} {self.fill(template, it=self.that if names_it else '')}"

    def fill(self, template: str, *, it: str = "") -> str:
        """Fill one template; the result begins with a capital. `it` replaces the noun phrase.

        A point that makes no noun phrase is quoted first: "You said “…”. What follows from that?"
        """
        if self.phrase.quotes and not it and "{it" in template:
            verb = "said" if self.phrase.clause else "mentioned"
            return f"You {verb} {self.phrase.said}. {self.fill(template, it=self.that)}"
        if self.phrase.plural and not it and _NUMBERED.search(template):
            return f"You mentioned {self.phrase.noun}. {self.fill(template, it=self.that)}"
        text = template.format(
            it=it or self.phrase.noun,
            it_bare=self.phrase.bare,
            it_said=self.phrase.noun,
            said=self.phrase.said,
            reported=self.phrase.reported,
            subject=self.subject,
            **dict(zip(("first", "second"), self.beside, strict=False)),
        )
        if it:
            text = _AT_THAT.sub(r"that \1", text)
        return text[:1].upper() + text[1:]


def _first_new(inputs: FollowUpInputs, moves: Sequence[str]) -> str:
    """Return the first sound question not asked before, going through the moves in turn."""
    asked = inputs.asked_questions
    drafts = (text for text in _drafts(inputs, moves) if _sound(text, asked))
    return next(drafts, "") or last_resort(inputs.subject, asked, language=inputs.language)


def _drafts(inputs: FollowUpInputs, moves: Sequence[str]) -> Iterator[str]:
    """Yield questions, the most fitting first: one wording of each move, then the next of each."""
    asked = inputs.asked_questions
    if moves[0] == "summary" and not inputs.summary_labels:
        moves = ("broaden",)
    about_all = moves[0] == "last_word" or inputs.strategy.focus_mode != "recent_node"
    focus = None if about_all else inputs.focus
    voice = _Voice(
        subject=inputs.subject,
        focus=focus,
        seed=inputs.seed,
        language=inputs.language,
        answers=[turn.answer for turn in inputs.recent_turns],
        beside=inputs.beside,
    )
    if len(voice.beside) >= NAMED_BESIDE and not voice.phrase.quotes:
        moves = ["triad_named" if move == "triad" else move for move in moves]
    if inputs.acknowledge.kind == "clarify":
        wordings = list(_simpler(inputs, voice, moves))
    else:
        turn = rotation(inputs.seed, inputs.strategy.name, len(asked)) + len(asked)
        wordings = [voice.templates(move, asked) for move in rotated(moves, turn)]
    leads = list(_leads(inputs, voice, moves[0]))
    for round_of in zip_longest(*wordings):
        for template in round_of:
            if template is not None:
                yield from (voice.after(lead, template) for lead in leads)
    yield from voice.wordings("broaden", asked)


def _simpler(inputs: FollowUpInputs, voice: _Voice, moves: Sequence[str]) -> Iterator[list[str]]:
    """Yield wordings of the question that was not understood: what it was after, the short first.

    Then plainer ways to ask about the same point, the subject or the summary.
    """
    last = inputs.acknowledge.quote
    after = [move for move in moves if worded_by(voice.of(move), last)] or moves
    for move in after:
        yield sorted(voice.templates(move, inputs.asked_questions), key=lambda t: len(t.split()))
    if voice.focus is not None:
        plainer = "simpler"
    else:
        plainer = "simpler_summary" if inputs.strategy.focus_mode == "summary" else "simpler_topic"
    yield voice.templates(plainer, inputs.asked_questions)


def _sound(text: str, asked: Sequence[str]) -> bool:
    return text.count("?") == 1 and len(text.split()) <= MOST_WORDS and not is_repeat(text, asked)


def _leads(inputs: FollowUpInputs, voice: _Voice, move: str) -> Iterator[str]:
    """Yield what may stand before the question, the most fitting first, nothing at last."""
    leads = bank(inputs.language)["leads"]
    turn = len(inputs.asked_questions)
    heard = _heard(inputs, leads, turn)
    if move in {"summary", "last_word"}:
        if points := _points(inputs):
            for lead in rotated(leads["summary"], rotation(inputs.seed) + turn):
                yield heard + lead.replace("{points}", points)
        yield heard
    elif heard:
        yield heard
    elif voice.focus is not None:
        group = "fresh" if _in_last_answer(inputs) else "older"
        if voice.phrase.quotes:
            fitting: list[str] = leads[f"{group}_{'clause' if voice.phrase.clause else 'fragment'}"]
            if not voice.phrase.reported:
                fitting = [lead for lead in fitting if "{reported}" not in lead]
            yield rotated(fitting, rotation(inputs.seed, group) + turn)[0]
            return
        yield rotated(leads[group], rotation(inputs.seed, group) + turn)[0]
    elif echo := _echo(inputs):
        yield rotated(leads["heard"], rotation(inputs.seed) + turn)[0].replace("{echo}", echo)
    yield ""


def _heard(inputs: FollowUpInputs, leads: Mapping[str, list[str]], turn: int) -> str:
    """Return what takes up a refusal, a repetition or a question back, "" after other answers."""
    kind, quote = inputs.acknowledge.kind, inputs.acknowledge.quote
    if kind == "none":
        return ""
    group = "already_told_quoted" if kind == "already_told" and quote else kind
    lead = rotated(leads[group], rotation(inputs.seed, kind) + turn)[0]
    return lead.replace("{quote}", quoted(quote))


def _points(inputs: FollowUpInputs) -> str:
    short = [label for label in inputs.summary_labels if len(label.split()) <= LONGEST_POINT]
    labels = short or inputs.summary_labels[:1]
    english = is_english(inputs.language)
    points = [harmless(label) for label in labels]
    if english:  # what reads well in a sentence goes first
        points.sort(key=lambda point: not makes_noun_phrase(point))
    spoken = [
        noun_phrase(point) if english and makes_noun_phrase(point) else quoted(point)
        for point in points[:POINTS_IN_SUMMARY]
    ]
    return enumeration(spoken, joint=bank(inputs.language)["points_joint"])


def _in_last_answer(inputs: FollowUpInputs) -> bool:
    if not inputs.recent_turns or inputs.focus is None:
        return False
    answer = plain(inputs.recent_turns[-1].answer)
    quote = plain(inputs.focus.quote or inputs.focus.label)
    return quote in answer or overlap(lemmas(quote), lemmas(answer) & lemmas(quote)) >= 0.99


def _echo(inputs: FollowUpInputs) -> str:
    """Return a clause of the last answer in the second person, "" where none can be said back."""
    if not is_english(inputs.language):
        return ""
    if not inputs.recent_turns or (inputs.seed + len(inputs.asked_questions)) % 2:
        return ""
    match = pattern("echo").search(" ".join(clean(inputs.recent_turns[-1].answer).split()))
    if match is None or len(match["clause"].split()) > 14:
        return ""
    clause = second_person(match["clause"]).strip()
    if _SAYS_LITTLE.search(clause):
        return ""
    return clause[:1].lower() + clause[1:]


def _subject(subject: str) -> str:
    """Return the subject as the respondent's own, harmless in a question."""
    text = second_person(" ".join(harmless(cut(subject, LONGEST_SUBJECT)).split("_")))
    text = text.rstrip(".!,;: ")
    return (text[:1].lower() + text[1:] if text[1:2].islower() else text) or "this"


RULES: dict[str, object] = {
    OPENING_QUESTION.name: opening_question,
    FOLLOW_UP_QUESTION.name: follow_up_question,
    CLOSING_QUESTION.name: closing_question,
    QUESTION_REPAIR.name: repaired_question,
}

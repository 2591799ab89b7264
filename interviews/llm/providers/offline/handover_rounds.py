"""Rounds of a handover interview by rules: the next question, its words, and facts of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from interviews.llm.providers.offline.handover_files import names_in
from interviews.llm.providers.offline.handover_values import terms
from interviews.llm.providers.offline.wording import rotated, rotation
from interviews.llm.tasks.handover_rounds import (
    EXTRACT_FACTS,
    REPHRASE,
    SELECT_QUESTION,
    Confidence,
    DiscoveredQuestion,
    ExtractFactsInputs,
    ExtractFactsOutput,
    OpenLine,
    RephraseInputs,
    SelectQuestionInputs,
    SelectQuestionOutput,
)
from interviews.llm.tasks.handover_texts import (
    ANSWER_FROM_SOURCES,
    HANDOVER_SUMMARY,
    AnswerFromSourcesInputs,
    AnswerFromSourcesOutput,
    HandoverSummaryInputs,
    HandoverSummaryOutput,
)
from interviews.llm.tasks.questions import Question
from interviews.wording.repetition import was_asked

MOST_WORDS = 58
MOST_QUOTED = 10
MOST_NAMED = 5
"""In words; what has a longer name is a sentence and nobody's subject."""
MOST_FILES = 3
MOST_SOURCES = 3
URGENT = 3
FULL_FROM = 12
"""An answer of so many words can be complete."""
BRIEF_UNDER = 5

_CLAUSES = re.compile(r"(?<=[.!?;])\s+|\n+")
_HEDGES = re.compile(
    r"\b(?:maybe|perhaps|i think|i guess|probably|not sure|i don't (?:know|remember)|sort of"
    r"|kind of|somehow|more or less|no idea|i believe|it depends|hard to say)\b",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"\d|\b(?:because|since|so that|therefore|due to|never|always|only|unless|after|before|until"
    r"|instead of|every)\b|(?<=[a-z,] )[A-Z][a-z]+"
)
_NOTHING = re.compile(
    r"^(?:well|ok(?:ay)?|yes|no|sure|hm+|thanks?(?: you)?|good question|let me think"
    r"|i don't (?:know|remember)|no idea|not sure)?[\s,.!…]*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:(?:and|but|so|well|yes|no|oh|actually|honestly)[,\s]+)*"
    r"(it|that|this|they|these|those)('s|\s(?:is|was|are|were|has|had|comes?|came|means?|goes|went"
    r"|started|began|stands|dates|should|must|can|will|would|needs?|depends?)\b)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"^(?:because|since|due to|so that|to)\b", re.IGNORECASE)
_RULE = re.compile(r"\b(?:always|never|by hand|manual|must|only if|unless|every)\b", re.IGNORECASE)
_NEEDS = re.compile(
    r"\b(?:depends?|needs?|waits?|from|with|ask|approves?|access|owner|team)\b", re.IGNORECASE
)
_WRONG = re.compile(
    r"\b(?:fails?|wrong|risk|careful|trap|break|broke|twice|lost|late|error|otherwise)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|decided|agreed|chose|instead|reason|so that)\b", re.IGNORECASE)

_WORDS: Mapping[str, tuple[str, ...]] = {
    "first": ("Hello, and thank you for taking the time. I have read {files}.",),
    "after": ("You said “{quote}”.", "I noted “{quote}”.", "You mentioned “{quote}”."),
    "refuses": ("Fine, we leave that.",),
    "not_understood": ("Then we leave that one.",),
    "objects": ("Sorry, I had that wrong.",),
    "asks": ("I am software; your team and your successor read what you say.",),
    "adds_nothing": ("Then we go on.",),
    "rewords": (
        "Put more simply: what should your successor know about {about}?",
        "In other words: how would you explain {about} to somebody new?",
    ),
    "follow_up": (
        "Who would notice first if {about} were wrong, and how?",
        "Can you take me through one particular case with {about}, step by step?",
        "What would have to happen before you would change {about}?",
    ),
    "person": ("You named {name}: what does somebody new need {name} for?",),
    "system": ("You named {name}: what does the work need it for, and who gives access?",),
}


def select_question(inputs: SelectQuestionInputs) -> SelectQuestionOutput:
    """Of the few most urgent, which come first, the one nearest in words to what was said last."""
    said = " ".join(f"{turn.question} {turn.answer}" for turn in inputs.recent_turns[-1:])
    words = terms(said)
    first = inputs.open_questions[0]
    urgent = [
        q for q in inputs.open_questions if (q.priority, _of(q)) == (first.priority, _of(first))
    ]
    best = max(urgent[:URGENT], key=lambda question: len(terms(question.text) & words))
    return SelectQuestionOutput(selected_question_id=best.question_id)


def _of(question: OpenLine) -> str:
    """Where a question comes from: contradictions between files are not put off for others."""
    return question.question_id.partition("-")[0]


def rephrase(inputs: RephraseInputs) -> Question:
    """The question with what leads over to it, as far as there is room."""
    asked = [turn.question for turn in inputs.turns]
    if inputs.rewords:
        about = _short(inputs.about or inputs.raw_question)
        drafts = [text.format(about=about) for text in _WORDS["rewords"]]
        turned = rotated(drafts, inputs.rewords - 1)
        return Question(question=next((d for d in turned if not was_asked(d, asked)), turned[0]))
    before = _leading(inputs, rotation(len(asked)))
    whole = f"{before} {inputs.raw_question}".strip()
    return Question(question=whole if len(whole.split()) <= MOST_WORDS else inputs.raw_question)


def _leading(inputs: RephraseInputs, turn: int) -> str:
    if inputs.first:
        shown = [f"`{file}`" for file in inputs.files[:MOST_FILES]]
        more = len(inputs.files) - len(shown)
        if more > 0:
            shown.append(f"{more} more file{'s' if more > 1 else ''}")
        return _WORDS["first"][0].format(files=", ".join(shown)) if shown else ""
    if inputs.act in _WORDS:
        return _WORDS[inputs.act][0]
    quote = _quote(inputs.turns[-1].answer) if inputs.turns else ""
    return rotated(_WORDS["after"], turn)[0].format(quote=quote) if quote else ""


def _quote(answer: str) -> str:
    """The clause of an answer that says most, on one line."""
    clauses = [" ".join(clause.split()) for clause in _CLAUSES.split(answer)]
    said = [clause for clause in clauses if not _NOTHING.match(clause)]
    if not said:
        return ""
    best = max(said, key=lambda clause: len(_SPECIFIC.findall(clause)))
    words = best.translate(str.maketrans('“”"?', "''' ")).strip(" .,;:!").split()
    return " ".join(words if len(words) <= MOST_QUOTED else [*words[:MOST_QUOTED], "…"])


def _short(text: str) -> str:
    words = text.split()
    return " ".join(words if len(words) <= MOST_QUOTED else [*words[:MOST_QUOTED], "…"]).strip("?")


def extract_facts(inputs: ExtractFactsInputs) -> ExtractFactsOutput:
    """Clauses with their subject filled in, and by length, hedges and specifics how sure."""
    clauses = [" ".join(clause.split()) for clause in _CLAUSES.split(inputs.answer)]
    said = [clause for clause in clauses if clause and not _NOTHING.match(clause)]
    about = inputs.about or "this"
    facts = tuple(_alone(clause, about)[:600] for clause in said if not clause.endswith("?"))[:20]
    confidence = _confidence(inputs.answer, bool(facts))
    wordings = rotated(_WORDS["follow_up"], rotation(inputs.question))
    return ExtractFactsOutput(
        facts=facts,
        confidence=confidence,
        follow_up=None if confidence == "high" else wordings[0].format(about=_short(about)),
        discovered_questions=tuple(_discovered(inputs))[:5],
    )


def _alone(clause: str, about: str) -> str:
    """A clause with the thing that it is about in the place of a pronoun, or before it."""
    found = _SUBJECT.match(clause)
    if len(about.split()) > MOST_NAMED:
        return f"On “{_short(about)}”: {clause}"
    if found:
        verb = " is" if found[2] == "'s" else found[2]
        return f"{about[:1].upper()}{about[1:]}{verb}{clause[found.end() :]}"
    if _BECAUSE.match(clause):
        return f"{about[:1].upper()}{about[1:]} is so {clause[:1].lower()}{clause[1:]}"
    if len(terms(clause) & terms(about)) or len(clause.split()) > FULL_FROM:
        return clause
    return f"{clause} (about {about})"


def _confidence(answer: str, tells: bool) -> Confidence:
    words, specifics = len(answer.split()), len(_SPECIFIC.findall(answer))
    hedges = len(_HEDGES.findall(answer))
    if not tells or words < BRIEF_UNDER or hedges > specifics:
        return "low"
    if words >= FULL_FROM and specifics >= 2 and not hedges:
        return "high"
    return "medium"


def _discovered(inputs: ExtractFactsInputs) -> Iterator[DiscoveredQuestion]:
    known = " ".join([*inputs.known, inputs.question]).casefold()
    for kind, name in dict.fromkeys(names_in(inputs.answer)):
        if name.casefold() not in known:
            yield DiscoveredQuestion(text=_WORDS[kind][0].format(name=name), about=name)


def handover_summary(inputs: HandoverSummaryInputs) -> HandoverSummaryOutput:
    """The facts, each under the heading that its wording speaks for."""
    parts: dict[str, list[str]] = {
        name: [] for name in ("decisions", "rules", "dependencies", "risks", "history")
    }
    marks = (("risks", _WRONG), ("decisions", _WHY), ("rules", _RULE), ("dependencies", _NEEDS))
    for fact in inputs.facts:
        name = next((name for name, pattern in marks if pattern.search(fact)), "history")
        parts[name].append(fact if fact.endswith((".", "!", "?", ")")) else f"{fact}.")
    return HandoverSummaryOutput(**{name: " ".join(said) for name, said in parts.items()})


def answer_from_sources(inputs: AnswerFromSourcesInputs) -> AnswerFromSourcesOutput:
    """The best sources as they stand, each cited."""
    best = inputs.sources[:MOST_SOURCES]
    told = [f"{' '.join(source.text.split())} [{source.ref}]" for source in best]
    return AnswerFromSourcesOutput(
        found=bool(best), answer="\n".join(told)[:3000], refs=tuple(s.ref for s in best)
    )


RULES: dict[str, object] = {
    SELECT_QUESTION.name: select_question,
    REPHRASE.name: rephrase,
    EXTRACT_FACTS.name: extract_facts,
    HANDOVER_SUMMARY.name: handover_summary,
    ANSWER_FROM_SOURCES.name: answer_from_sources,
}

"""Does it listen? What is taken up next, held against what two readers find sensible.

The material and its code book are in `tests/data/listening`; half of the interviews is held out,
and of that half only sums are returned. What counts as sensible with two readers is said in
:mod:`interviews.bench.listening_sense`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from interviews.bench.errors import BenchImpossible
from interviews.bench.listening_material import SPLITS, listening_interviews, readings
from interviews.bench.listening_models import CodedInterview, Judgement
from interviews.bench.listening_replay import MAX_TURNS, Choice, Way, choices_in
from interviews.bench.listening_sense import (
    BASELINES,
    Sense,
    Taken,
    agreement,
    both_readers,
    labels_by,
    one_reader,
)
from interviews.bench.turn import rolled_back
from methodologies.registry import load_library

DATA = Path("tests") / "data" / "listening"
HELD_OUT = "held_out"
GOALS = {
    Way.REPLAY: {"sensible": 0.90, "senseless": 0.02},
    Way.WITHOUT_LEADS: {"sensible": 0.85, "senseless": 0.02},
    Way.OFFLINE: {"sensible": 0.75},
}

Play = Callable[[Sequence[CodedInterview], Way], Sequence[Choice]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A choice with what the readers make of it, apart and together."""

    choice: Choice
    each: tuple[Sense, ...]
    verdict: Sense


def bench_listening(
    split: str = HELD_OUT, folder: Path | None = None, play: Play = choices_in
) -> dict[str, Any]:
    """Return what was taken up after each answer of a half of the material, by who read it.

    At the top stand the figures of the coder's reading; `without_leads` withholds the coder's
    leads, in `offline` the rules read. `sensible` and `senseless` are shares of turns by both
    readers together, `sensible_to_both` the share that both name. `misses` are told of the half
    `dev` alone. Raises BenchImpossible where the material is missing or not whole.
    """
    if split not in SPLITS:
        raise BenchImpossible(f"no half {split!r}; there are: {', '.join(SPLITS)}")
    folder = folder or Path(settings.BASE_DIR) / DATA
    interviews = [i for i in listening_interviews(folder) if i.split == split]
    judgements = _judgements(folder, interviews)
    with rolled_back():
        list(load_library())
        played = {way: play(interviews, way) for way in Way}
    figures = {way: _figures(interviews, judgements, played[way], split) for way in Way}
    return {
        "split": split,
        **figures[Way.REPLAY],
        "without_leads": figures[Way.WITHOUT_LEADS],
        "offline": figures[Way.OFFLINE],
        "baselines": {
            name: _shares(_judged(interviews, judgements, _by_rule(interviews, name, rule)))
            for name, rule in BASELINES.items()
        },
        "agreement": agreement(
            (labels, first, second)
            for interview in interviews
            for labels, (first, second) in zip(
                labels_by(interview), judgements[interview.id], strict=True
            )
        ),
        "goals": {way.value: goals for way, goals in GOALS.items()},
        "conditions": {
            "interviews": len(interviews),
            "answers_an_interview": len(interviews[0].turns) if interviews else 0,
            "readers": 2,
            "max_turns": MAX_TURNS,
            "next_question": "the coder's, whatever was chosen",
            "embedding_model": settings.EMBEDDING_MODEL or "all-MiniLM-L6-v2",
        },
    }


def _judgements(
    folder: Path, interviews: Sequence[CodedInterview]
) -> dict[str, list[tuple[Judgement, ...]]]:
    """By interview, for each turn what each reader wrote."""
    found: dict[str, list[tuple[Judgement, ...]]] = {}
    of_all = readings(folder, listening_interviews(folder))
    for interview in interviews:
        sheets = [reading.turns for reading in of_all if reading.interview == interview.id]
        if len(sheets) != 2:
            raise BenchImpossible(f"{interview.id} was judged by {len(sheets)} readers, not by two")
        found[interview.id] = list(zip(*sheets, strict=True))
    return found


def _by_rule(
    interviews: Sequence[CodedInterview], name: str, rule: Callable[[CodedInterview, int], Taken]
) -> list[Choice]:
    return [
        Choice(
            interview=interview.id,
            turn=turn.turn,
            strategy=name,
            chosen="",
            taken=rule(interview, turn.turn),
        )
        for interview in interviews
        for turn in interview.turns
    ]


def _judged(
    interviews: Sequence[CodedInterview],
    judgements: dict[str, list[tuple[Judgement, ...]]],
    choices: Sequence[Choice],
) -> list[Judged]:
    answers = {(i.id, turn.turn): turn.answer for i in interviews for turn in i.turns}
    found = []
    for choice in choices:
        answer = answers[choice.interview, choice.turn]
        sheets = judgements[choice.interview][choice.turn - 1]
        each = tuple(one_reader(choice.taken, sheet, answer) for sheet in sheets)
        found.append(Judged(choice=choice, each=each, verdict=both_readers(each)))
    return found


def _figures(
    interviews: Sequence[CodedInterview],
    judgements: dict[str, list[tuple[Judgement, ...]]],
    choices: Sequence[Choice],
    split: str,
) -> dict[str, Any]:
    judged = _judged(interviews, judgements, choices)
    return {
        **_shares(judged),
        "last_answer_share": _share(j.choice.taken.of_last_answer for j in judged),
        "by_strategy": _by_strategy(judged),
        "misses": []
        if split == HELD_OUT
        else [
            _miss(found, interviews, judgements)
            for found in judged
            if found.verdict is not Sense.SENSIBLE
        ],
    }


def _shares(judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "turns": len(judged),
        "sensible": _share(j.verdict is Sense.SENSIBLE for j in judged),
        "senseless": _share(j.verdict is Sense.SENSELESS for j in judged),
        "disputed": _share(j.verdict is Sense.DISPUTED for j in judged),
        "sensible_to_both": _share(set(j.each) == {Sense.SENSIBLE} for j in judged),
    }


def _share(flags: Any) -> float | None:
    values = list(flags)
    return round(sum(values) / len(values), 3) if values else None


def _by_strategy(judged: Sequence[Judged]) -> dict[str, Any]:
    chosen = Counter(j.choice.strategy for j in judged)
    sensible = Counter(j.choice.strategy for j in judged if j.verdict is Sense.SENSIBLE)
    return {
        name: {"chosen": times, "sensible": sensible[name]} for name, times in chosen.most_common()
    }


def _miss(
    found: Judged,
    interviews: Sequence[CodedInterview],
    judgements: dict[str, list[tuple[Judgement, ...]]],
) -> dict[str, Any]:
    choice = found.choice
    interview = next(i for i in interviews if i.id == choice.interview)
    sheets = judgements[choice.interview][choice.turn - 1]
    return {
        "interview": choice.interview,
        "turn": choice.turn,
        "said": interview.turns[choice.turn - 1].answer,
        "chosen": choice.chosen,
        "strategy": choice.strategy,
        "verdict": found.verdict.value,
        "sensible": sorted({entry for sheet in sheets for entry in sheet.sensible}),
        "senseless": sorted({entry for sheet in sheets for entry in sheet.senseless}),
    }

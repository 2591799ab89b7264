"""Fitting the network that chooses among questions to questions that were judged in their place.

The questions are the offline interviewer's own, a few for a point in an answer; a judge said of
each whether a skilled interviewer could say exactly that there.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn import functional

from graphs.language.minilm import Encoder
from interviews.llm.providers.offline.chooser.choosing import (
    Chooser,
    PlacedQuestion,
    odds_of,
    place,
)
from interviews.llm.providers.offline.chooser.network import ChoiceNetwork, save
from interviews.training.course import Course, Progress, run
from interviews.training.errors import LabelsUnusable

JUDGED = Path(__file__).with_name("data") / "questions.tsv"
BATCH = 32
EPOCHS = 3
RATE = 5e-4
DECAY = 0.05
KEPT = 0.99
"""How much of the moving average stays from one step to the next."""
LEFT_OUT = 5
"""Every fifth field is left out of fitting, to see what the network is worth there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question about a `point` of an answer, and whether it suits."""

    field: str
    point: str
    answer: str
    question: str
    good: bool


def read_questions(file: Path = JUDGED) -> list[JudgedQuestion]:
    """Read a tab-separated set with a header. Raises LabelsUnusable where it cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as source:
            rows = list(csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE))
    except OSError as error:
        raise LabelsUnusable(
            f"{file}: the judged questions are missing; they come with the project"
        ) from error
    try:
        return [
            JudgedQuestion(
                field=row["field"],
                point=row["point"],
                answer=row["answer"],
                question=row["question"],
                good={"0": False, "1": True}[row["good"]],
            )
            for row in rows
        ]
    except (KeyError, TypeError) as error:
        raise LabelsUnusable(
            f"{file}: expected the columns field, point, answer, question and good (0 or 1)"
        ) from error


def fit_choices(
    judged: Sequence[JudgedQuestion],
    *,
    epochs: int = EPOCHS,
    seed: int = 1,
    progress: Progress = lambda _: None,
) -> ChoiceNetwork:
    """Fit a network to judged questions. Raises ValueError without any.

    The same seed, questions and version of torch on the same kind of processor give the same.
    """
    if not judged:
        raise ValueError("nothing to fit")
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - batches, not secrets
    network = ChoiceNetwork()
    placed = [(place(q.answer, q.point, q.question), q.good) for q in judged]

    def batches() -> Iterator[list[tuple[PlacedQuestion, bool]]]:
        shuffled = order.sample(placed, len(placed))
        yield from (shuffled[i : i + BATCH] for i in range(0, len(shuffled), BATCH))

    def loss_of(encoder: Encoder, batch: Sequence[tuple[PlacedQuestion, bool]]) -> torch.Tensor:
        odds = odds_of(network, encoder, [text for text, _ in batch])
        good = torch.tensor([float(is_good) for _, is_good in batch])
        return functional.binary_cross_entropy_with_logits(odds, good)

    steps = epochs * math.ceil(len(placed) / BATCH)
    course = Course(epochs=epochs, steps=steps, rate=RATE, decay=DECAY, kept=KEPT)
    return run(network, course, batches, loss_of, progress)


def write(progress: Progress) -> None:
    """Fit the network that chooses among questions, in the place of the one that ships.

    Every fifth field is left out, and how well the network orders its questions is reported.
    """
    judged = read_questions()
    fields = sorted({q.field for q in judged})
    left_out = frozenset(fields[::LEFT_OUT])
    kept = [q for q in judged if q.field not in left_out]
    network = fit_choices(kept, progress=progress)
    note = (
        f"Fitted to {len(kept)} questions of this project about "
        f"{len(fields) - len(left_out)} fields, judged in their place; made by "
        "manage.py fit chooser"
    )
    save(network, note)
    rest = [q for q in judged if q.field in left_out]
    progress(f"{len(left_out)} fields left out: {ordered(rest, Chooser(network)):.3f} in order")


def ordered(judged: Sequence[JudgedQuestion], chooser: Chooser) -> float:
    """Return how often a good question is held for more suitable than a bad one, in [0, 1].

    Over all pairs of the two kinds: the area under the ROC curve. Raises ValueError without both.
    """
    chances = [chooser.suitable(q.answer, q.point, [q.question])[0] for q in judged]
    good = [chance for chance, q in zip(chances, judged, strict=True) if q.good]
    bad = [chance for chance, q in zip(chances, judged, strict=True) if not q.good]
    if not good or not bad:
        raise ValueError("good and bad questions are needed")
    wins = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return wins / (len(good) * len(bad))

"""How well answers are read: concepts, types, relations, stance and depth on labelled answers.

A concept counts as found when its quote overlaps the labelled span with a token IoU of at least
0.5; each labelled concept pairs with at most one that was read, the best overlaps first. Relations
are directed and count when both ends pair and the direction is right. The held-out set was written
after the offline reader was fitted, in fields that it never saw; only counts of it are reported.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from django.conf import settings

from interviews.bench.statistics import figure, spearman, wilson
from interviews.llm.budget import NOBODY
from interviews.llm.setup import build_gateway
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    ExtractionInputs,
    ExtractionOutput,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingInputs
from interviews.modes.common.reading import rubrics_text
from interviews.training.answers import (
    FOCUS,
    LEAST_OVERLAP,
    LabelledAnswer,
    fields_of,
    fitted_answers,
    inputs_of,
    interrupted,
    labelled_answers,
    small_talk,
)
from interviews.turns.calls import CallLog

HELD_OUT_FOLDER = Path("tests") / "data"
HELD_OUT = "extraction_heldout.yaml"
HELD_OUT_BESIDE = "extraction_heldout_beside.yaml"
"""Held-out answers of the methodologies that the targets do not speak of."""

SMALL_TALK_HELD_OUT = "small_talk_heldout.txt"

TARGETS = {"concepts_f1": 0.6, "types_right": 0.7, "edges_f1": 0.5, "depth_spearman": 0.7}

Reader = Callable[[ExtractionInputs], ExtractionOutput]
Rater = Callable[[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A labelled answer, what was read off it, which concepts pair, and the depth it was given."""

    gold: LabelledAnswer
    output: ExtractionOutput
    pairs: Mapping[int, int]
    depth: int


def bench_extraction(folder: Path | None = None) -> dict[str, Any]:
    """Return precision, recall and F1 of the held-out set, with the conditions.

    `by_methodology` also tells of further held-out answers, of the other methodologies. `folder`
    holds the held-out sets, by default the project's tests. Raises LabelsUnusable where a set is
    missing or not valid.
    """
    folder = folder or Path(settings.BASE_DIR) / HELD_OUT_FOLDER
    log = CallLog()
    gateway = build_gateway()

    def reader(inputs: ExtractionInputs) -> ExtractionOutput:
        return gateway.run(EXTRACTION, inputs, payer=NOBODY, log=log)

    def rater(question: str, answer: str) -> int:
        inputs = RatingInputs(question=question, answer=answer, rubrics=rubrics_text())
        return gateway.run(RESPONSE_RATING, inputs, payer=NOBODY, log=log).response_depth.score

    fitted = fitted_answers()
    held_out = read_all(labelled_answers(folder / HELD_OUT), reader, rater)
    beside = read_all(labelled_answers(folder / HELD_OUT_BESIDE), reader, rater)
    by_method: dict[str, list[Read]] = defaultdict(list)
    for read in (*held_out, *beside):
        by_method[read.gold.method].append(read)
    return {
        "held_out": report(held_out) | {"blind": True},
        "by_methodology": {method: report(read) for method, read in sorted(by_method.items())},
        "with_small_talk": small_talk_taken(
            held_out, small_talk(folder / SMALL_TALK_HELD_OUT), reader
        ),
        "fitted_to": {"answers": len(fitted), "fields": len(fields_of(fitted))},
        "targets": TARGETS,
        "conditions": {
            "answered_by": sorted({f"{call.provider}/{call.model}" for call in log.drain()}),
            "least_overlap": LEAST_OVERLAP,
            "overlap": "token IoU of the quotes",
            "interval": "Wilson, 95 %",
        },
    }


def read_all(answers: Iterable[LabelledAnswer], reader: Reader, rater: Rater) -> list[Read]:
    """Have every answer read and rated, each on its own."""
    found = []
    for gold in answers:
        output = reader(inputs_of(gold))
        found.append(
            Read(
                gold=gold,
                output=output,
                pairs=paired(gold, output),
                depth=rater(gold.question, gold.answer),
            )
        )
    return found


def paired(gold: LabelledAnswer, output: ExtractionOutput) -> dict[int, int]:
    """Pair labelled with read concepts by position, the best overlaps first."""
    wanted = [_tokens(gold.answer, concept.quote) for concept in gold.concepts]
    found = [_tokens(gold.answer, concept.quote) for concept in output.concepts]
    overlaps = sorted(
        (
            (overlap(wanted[g], found[f]), -g, -f)
            for g, f in product(range(len(wanted)), range(len(found)))
        ),
        reverse=True,
    )
    result: dict[int, int] = {}
    for score, g, f in overlaps:
        if score >= LEAST_OVERLAP and -g not in result and -f not in result.values():
            result[-g] = -f
    return result


def overlap(a: frozenset[int], b: frozenset[int]) -> float:
    """Intersection over union of two sets of tokens, in [0, 1]."""
    return len(a & b) / len(a | b) if a | b else 0.0


def _tokens(answer: str, quote: str) -> frozenset[int]:
    """Where the tokens of the quote begin in the answer."""
    start = answer.index(quote)
    words = re.finditer(r"[\w'’-]+", answer)
    return frozenset(w.start() for w in words if start <= w.start() < start + len(quote))


def report(read: Sequence[Read]) -> dict[str, Any]:
    """Figures of one set: counts and shares only, never an answer."""
    hits = sum(len(r.pairs) for r in read)
    pairs = [(r.gold.concepts[g], r.output.concepts[f]) for r in read for g, f in r.pairs.items()]
    stances = [(a.stance, b.stance) for a, b in pairs if a.stance is not None]
    edges = [(wanted_edges(r), found_edges(r)) for r in read]
    depths = [(r.gold.depth, r.depth) for r in read if r.gold.depth is not None]
    empty = [r for r in read if not r.gold.concepts]
    return {
        "answers": len(read),
        "fields": len({r.gold.field for r in read}),
        "concepts": shares(
            hits, sum(len(r.output.concepts) for r in read), sum(len(r.gold.concepts) for r in read)
        ),
        "concepts_of_the_right_type": shares(
            sum(a.type == b.node_type for a, b in pairs),
            sum(len(r.output.concepts) for r in read),
            sum(len(r.gold.concepts) for r in read),
        ),
        "types_right": figure(wilson(sum(a.type == b.node_type for a, b in pairs), len(pairs))),
        "stances_right": figure(wilson(sum(a == b for a, b in stances), len(stances))),
        "edges": shares(
            sum((want & have).total() for want, have in edges),
            sum(have.total() for _, have in edges),
            sum(want.total() for want, _ in edges),
        ),
        "edges_reversed": figure(
            wilson(
                sum(turned(want, have) for want, have in edges),
                sum(have.total() for _, have in edges),
            )
        ),
        "empty_answers_kept_empty": {
            "answers": len(empty),
            "right": sum(not r.output.concepts for r in empty),
        },
        "depth_spearman": spearman(depths),
    }


def small_talk_taken(read: Sequence[Read], lines: Sequence[str], reader: Reader) -> dict[str, Any]:
    """Count the answers with a line of small talk in them of which the line gives a concept.

    Every other answer is read again, with a line drawn for it; beside that the concepts of the
    answers themselves, with small talk and without.
    """
    order = random.Random(3)  # noqa: S311 - small talk, not secrets
    taken, again, before = 0, [], []
    for one in read[::2]:
        line = order.choice(lines)
        gold = interrupted(one.gold, line, order)
        if gold is one.gold:
            continue
        output = reader(inputs_of(gold))
        taken += any(c.quote not in one.gold.answer for c in output.concepts)
        again.append((gold, output))
        before.append(one)
    hits = sum(len(paired(gold, output)) for gold, output in again)
    wanted = sum(len(gold.concepts) for gold, _ in again)
    return {
        "answers": len(again),
        "taken_for_a_concept": figure(wilson(taken, len(again))),
        "concepts": shares(hits, sum(len(output.concepts) for _, output in again), wanted),
        "concepts_without": shares(
            sum(len(r.pairs) for r in before), sum(len(r.output.concepts) for r in before), wanted
        ),
    }


def wanted_edges(read: Read) -> Counter[tuple[object, object]]:
    """The labelled edges as pairs of positions."""
    return Counter(tuple(edge) for edge in read.gold.edges)  # type: ignore[misc]


def found_edges(read: Read) -> Counter[tuple[object, object]]:
    """The edges that were read, in labelled positions; ends that pair with nothing keep a name."""
    position = {f: g for g, f in read.pairs.items()}
    names: dict[str, object] = {
        c.label: position.get(i, c.label) for i, c in enumerate(read.output.concepts)
    }
    if read.gold.focus is not None:
        names.setdefault(read.gold.focus[0], FOCUS)
    ends = ((r.source, r.target) for r in read.output.relationships)
    return Counter({(names.get(a, a), names.get(b, b)) for a, b in ends})


def turned(want: Counter[tuple[object, object]], have: Counter[tuple[object, object]]) -> int:
    """How many edges were read from the effect to its cause."""
    effects = Counter({(target, source): count for (source, target), count in want.items()})
    return (effects & (have - want)).total()


def shares(hits: int, found: int, wanted: int) -> dict[str, Any]:
    """Precision, recall and F1 with the counts they rest on."""
    return {
        "hits": hits,
        "found": found,
        "wanted": wanted,
        "precision": figure(wilson(hits, found)),
        "recall": figure(wilson(hits, wanted)),
        "f1": round(2 * hits / (found + wanted), 4) if found + wanted else None,
    }

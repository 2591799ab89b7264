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
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from interviews import nlp
from interviews.bench.errors import BenchImpossible
from interviews.bench.statistics import figure, spearman, wilson
from interviews.llm.budget import NOBODY
from interviews.llm.setup import build_gateway
from interviews.llm.tasks.extraction import (
    EXTRACTION,
    ExtractionInputs,
    ExtractionOutput,
    LabelledNode,
)
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RatingInputs
from interviews.modes.common.reading import reading_terms, rubrics_text
from interviews.turns.calls import CallLog
from methodologies.registry import LIBRARY
from methodologies.schema import MethodologySchema
from methodologies.yaml_loader import load_methodology

LABELLED = Path("tests") / "data"
FITTED = "answers"
"""Folder of the labelled answers that the offline reader was fitted to."""

HELD_OUT = "extraction_heldout.yaml"
HELD_OUT_BESIDE = "extraction_heldout_beside.yaml"
"""Held-out answers of the methodologies that the targets do not speak of."""

SMALL_TALK = "small_talk.txt"
SMALL_TALK_HELD_OUT = "small_talk_heldout.txt"
"""Lines that people say in an interview and that no coder would code, whatever the subject."""

LEAST_OVERLAP = 0.5
TARGETS = {"concepts_f1": 0.6, "types_right": 0.7, "edges_f1": 0.5, "depth_spearman": 0.7}
FOCUS = "F"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""As safe, and several times as fast where PyYAML comes with libyaml."""

_GAP = re.compile(r"(?<=[.!?…])\s+")

Reader = Callable[[ExtractionInputs], ExtractionOutput]
Rater = Callable[[str, str], int]
Ends = tuple[int | Literal["F"], int | Literal["F"]]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelledConcept(_Model):
    """A statement that a coder marked, by its span of the answer."""

    quote: Annotated[str, Field(min_length=1)]
    type: str
    stance: Annotated[int, Field(ge=-1, le=1)] | None = None


class LabelledAnswer(_Model):
    """An answer with its labels. Edges are positions of concepts, "F" the focus; cause first."""

    field: str = ""
    method: str = "means_end_chain"
    question: str = "What comes to mind?"
    focus: tuple[str, str] | None = None
    answer: str
    concepts: tuple[LabelledConcept, ...] = ()
    edges: tuple[Ends, ...] = ()
    depth: Annotated[int, Field(ge=1, le=5)] | None = None


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
    holds the sets, by default the project's tests. Raises BenchImpossible where one of
    them is missing or not valid.
    """
    folder = folder or Path(settings.BASE_DIR) / LABELLED
    log = CallLog()
    gateway = build_gateway()

    def reader(inputs: ExtractionInputs) -> ExtractionOutput:
        return gateway.run(EXTRACTION, inputs, payer=NOBODY, log=log)

    def rater(question: str, answer: str) -> int:
        inputs = RatingInputs(question=question, answer=answer, rubrics=rubrics_text())
        return gateway.run(RESPONSE_RATING, inputs, payer=NOBODY, log=log).response_depth.score

    fitted = fitted_answers(folder)
    held_out = read_all(labelled_answers(folder / HELD_OUT), reader, rater)
    beside = read_all(labelled_answers(folder / HELD_OUT_BESIDE), reader, rater)
    by_method: dict[str, list[Read]] = defaultdict(list)
    for read in (*held_out, *beside):
        by_method[read.gold.method].append(read)
    return {
        "held_out": report(held_out) | {"blind": True},
        "by_methodology": {method: report(read) for method, read in sorted(by_method.items())},
        "with_small_talk": small_talk_taken(
            held_out, small_talk(folder, SMALL_TALK_HELD_OUT), reader
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


def fitted_answers(folder: Path | None = None) -> list[LabelledAnswer]:
    """Read the answers that the offline reader is fitted to, in the order of their files.

    Raises BenchImpossible, as `labelled_answers` does.
    """
    folder = (folder or Path(settings.BASE_DIR) / LABELLED) / FITTED
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise BenchImpossible(f"{folder}: no labelled answers; they come with the project's tests")
    return [answer for file in files for answer in labelled_answers(file)]


def small_talk(folder: Path | None = None, name: str = SMALL_TALK) -> list[str]:
    """Read the lines that say nothing about any subject. Raises BenchImpossible without them."""
    file = (folder or Path(settings.BASE_DIR) / LABELLED) / name
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BenchImpossible(f"{file}: missing; it comes with the project's tests") from error


def interrupted(gold: LabelledAnswer, line: str, order: random.Random) -> LabelledAnswer:
    """Return the answer with `line` put before it, after it, or between two of its sentences."""
    line = line if line.endswith(tuple(".!?…")) else f"{line}."
    places = [0, *(gap.start() for gap in _GAP.finditer(gold.answer)), len(gold.answer)]
    at = order.choice(places)
    said = f"{gold.answer[:at]} {line} {gold.answer[at:].lstrip()}".strip()
    clear = all(c.quote in said and c.quote not in line for c in gold.concepts)
    return gold.model_copy(update={"answer": said}) if clear else gold


def fields_of(answers: Iterable[LabelledAnswer]) -> frozenset[str]:
    """Return the fields of life that answers are about, without the unnamed."""
    return frozenset(answer.field.casefold() for answer in answers if answer.field)


def labelled_answers(file: Path) -> list[LabelledAnswer]:
    """Read a labelled set. Raises BenchImpossible, which says what is wrong where."""
    try:
        document = yaml.load(file.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506
        answers = TypeAdapter(list[LabelledAnswer]).validate_python(document)
    except OSError as error:
        raise BenchImpossible(
            f"{file}: the labelled answers are missing; they come with the project's tests"
        ) from error
    except (yaml.YAMLError, ValidationError) as error:
        raise BenchImpossible(f"{file}: {error}") from error
    for number, answer in enumerate(answers, start=1):
        if problem := _problem(answer):
            raise BenchImpossible(f"{file}, answer {number}: {problem}")
    return answers


def _problem(answer: LabelledAnswer) -> str:
    types = _methodology(answer.method).graph_ontology.nodes_by_name
    for concept in answer.concepts:
        if concept.quote not in answer.answer:
            return f"{concept.quote!r} is not in the answer"
        if concept.type not in types:
            return f"{answer.method} has no node type {concept.type!r}"
    for end in (end for edge in answer.edges for end in edge):
        if end == FOCUS and answer.focus is None:
            return "an edge names the focus, and there is none"
        if end != FOCUS and not 0 <= int(end) < len(answer.concepts):
            return f"an edge names concept {end}, and there is none"
    return ""


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


def inputs_of(gold: LabelledAnswer) -> ExtractionInputs:
    """Return what an extraction of this answer would be given, at the start of an interview."""
    focus = LabelledNode(label=gold.focus[0], node_type=gold.focus[1]) if gold.focus else None
    analysis = nlp.analyse(gold.answer)
    return reading_terms(_methodology(gold.method), gold.answer).model_copy(
        update={
            "question": gold.question,
            "subject": gold.field,
            "focus": focus,
            "existing_labels": (focus,) if focus else (),
            "discourse_relations": tuple(analysis.relations),
            "predicate_frames": tuple(analysis.frames),
        }
    )


@cache
def _methodology(name: str) -> MethodologySchema:
    file = LIBRARY / "methodologies" / f"{name}.yaml"
    return load_methodology(file.read_text(encoding="utf-8"), str(file))


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

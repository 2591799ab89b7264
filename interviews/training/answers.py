"""The labelled answers that the offline reader is fitted to, and small talk to put among them.

`README.md` tells what a label says. Held-out answers, which only measure, are read by the same
functions from where they are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from interviews import nlp
from interviews.llm.tasks.extraction import ExtractionInputs, LabelledNode
from interviews.modes.common.reading import reading_terms
from interviews.training.errors import LabelsUnusable
from methodologies.registry import LIBRARY
from methodologies.schema import MethodologySchema
from methodologies.yaml_loader import load_methodology

DATA = Path(__file__).with_name("data")
ANSWERS = DATA / "answers"
SMALL_TALK = DATA / "small_talk.txt"
"""Lines that people say in an interview and that no coder would code, whatever the subject."""

FOCUS = "F"
LEAST_OVERLAP = 0.5
"""Token IoU from which a span counts as the labelled one."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""As safe, and several times as fast where PyYAML comes with libyaml."""
_GAP = re.compile(r"(?<=[.!?…])\s+")

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


def fitted_answers(folder: Path = ANSWERS) -> list[LabelledAnswer]:
    """Read the answers that the offline reader is fitted to, in the order of their files.

    Raises LabelsUnusable, as `labelled_answers` does.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise LabelsUnusable(f"{folder}: no labelled answers; they come with the project")
    return [answer for file in files for answer in labelled_answers(file)]


def small_talk(file: Path = SMALL_TALK) -> list[str]:
    """Read the lines that say nothing about any subject. Raises LabelsUnusable without them."""
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise LabelsUnusable(f"{file}: missing; it comes with the project") from error


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
    """Read a labelled set. Raises LabelsUnusable, which says what is wrong where."""
    try:
        document = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506
        answers = TypeAdapter(list[LabelledAnswer]).validate_python(document)
    except OSError as error:
        raise LabelsUnusable(
            f"{file}: the labelled answers are missing; they come with the project"
        ) from error
    except (yaml.YAMLError, ValidationError) as error:
        raise LabelsUnusable(f"{file}: {error}") from error
    for number, answer in enumerate(answers, start=1):
        if problem := _problem(answer):
            raise LabelsUnusable(f"{file}, answer {number}: {problem}")
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

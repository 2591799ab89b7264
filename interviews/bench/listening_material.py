"""Reads and checks the material of the bench of listening; the folder's README is the code book.

Files are `dev` and `held_out` (interviews) and `readers/first`, `readers/second` (judgements).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

import methodologies
from graphs.domain import fold
from interviews.bench.errors import BenchImpossible
from interviews.bench.listening_models import (
    CLOSE,
    LEAD,
    TOPIC,
    CodedInterview,
    CodedTurn,
    Judgement,
    ReaderSheet,
)
from methodologies.schema import MethodologySchema
from methodologies.yaml_loader import load_methodology

SPLITS = ("dev", "held_out")


def listening_interviews(folder: Path) -> list[CodedInterview]:
    """Read `dev` and `held_out` of `folder`, in the order of their files.

    Raises BenchImpossible, which names file and turn, where a document is not valid or the splits
    are not balanced.
    """
    interviews: list[CodedInterview] = []
    for file in sorted(file for split in SPLITS for file in (folder / split).glob("*.yaml")):
        interview = _document(file, CodedInterview)
        _refuse(file, _problems(interview))
        if (interview.id, interview.split) != (file.stem, file.parent.name):
            raise BenchImpossible(f"{file}: id and split must be those of the file's name")
        interviews.append(interview)
    _refuse(folder, _imbalances(interviews))
    return interviews


def readings(folder: Path, interviews: Iterable[CodedInterview]) -> list[ReaderSheet]:
    """Read the judgements under `folder`/readers on `interviews`, reader by reader.

    Raises BenchImpossible, which names file and turn, where one does not fit its interview.
    """
    by_id = {interview.id: interview for interview in interviews}
    found: list[ReaderSheet] = []
    for file in sorted((folder / "readers").glob("*/*.yaml")):
        reading = _document(file, ReaderSheet)
        interview = by_id.get(reading.interview)
        if interview is None or reading.interview.split("_")[0] != file.stem:
            raise BenchImpossible(f"{file}: no interview {reading.interview!r} of that number")
        if reading.reader != file.parent.name:
            raise BenchImpossible(f"{file}: reader must be that of the folder")
        _refuse(file, _misjudged(reading, interview))
        found.append(reading)
    return found


_Document = TypeVar("_Document", bound=BaseModel)


def _document(file: Path, model: type[_Document]) -> _Document:
    try:
        return model.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise BenchImpossible(f"{file}: {error}") from error


def _refuse(where: Path, problems: Iterable[str]) -> None:
    if found := list(problems):
        raise BenchImpossible(f"{where}: " + "; ".join(found))


@cache
def _methodology(name: str) -> MethodologySchema | None:
    folder = Path(methodologies.__file__).parent / "library" / "methodologies"
    file = folder / f"{name}.yaml"
    return load_methodology(file.read_text(encoding="utf-8"), str(file)) if file.exists() else None


def _problems(interview: CodedInterview) -> Iterator[str]:
    method = _methodology(interview.methodology)
    if method is None:
        yield f"no methodology {interview.methodology!r}"
        return
    for number, turn in enumerate(interview.turns, start=1):
        before, known = interview.types_by(number - 1), interview.types_by(number)
        found = [
            *_misnumbered(turn, number),
            *_misasked(turn, before, method),
            *_misquoted(turn),
            *_mislabelled(turn, before, known, method),
            *_misrelated(turn, known, method),
        ]
        yield from (f"turn {number}: {problem}" for problem in found)


def _misnumbered(turn: CodedTurn, number: int) -> Iterator[str]:
    if turn.turn != number:
        yield f"is numbered {turn.turn}"
    extraction = turn.extraction
    if extraction.extractable != bool(extraction.concepts):
        yield "extractable is to say whether there are concepts"


def _misasked(turn: CodedTurn, before: dict[str, str], method: MethodologySchema) -> Iterator[str]:
    strategy = method.strategies_by_name.get(turn.asked.strategy)
    if strategy is None:
        yield f"{method.method.name} has no strategy {turn.asked.strategy!r}"
    elif strategy.node_binding == "none" and turn.asked.focus is not None:
        yield f"{turn.asked.strategy} takes no focus"
    if turn.asked.focus is not None and turn.asked.focus not in before:
        yield f"the focus {turn.asked.focus!r} was not known"


def _misquoted(turn: CodedTurn) -> Iterator[str]:
    answer = fold(turn.answer)
    quotes = [concept.quote for concept in turn.extraction.concepts]
    quotes += [relation.quote for relation in turn.extraction.relationships]
    quotes += [lead.quote for lead in turn.rating.leads]
    yield from (f"{quote!r} is not in the answer" for quote in quotes if fold(quote) not in answer)


def _mislabelled(
    turn: CodedTurn, before: dict[str, str], known: dict[str, str], method: MethodologySchema
) -> Iterator[str]:
    spellings = {fold(label): label for label in before}
    labels = Counter(concept.label for concept in turn.extraction.concepts)
    yield from (f"{label!r} is coded {times} times" for label, times in labels.items() if times > 1)
    for concept in turn.extraction.concepts:
        label, kind = concept.label, concept.node_type
        if kind not in method.graph_ontology.nodes_by_name:
            yield f"{label!r}: no node type {kind!r}"
        if before.get(label, kind) != kind:
            yield f"{label!r} was {before[label]}, not {kind}"
        if spellings.get(fold(label), label) != label:
            yield f"{label!r} was spelt {spellings[fold(label)]!r}"
    for label in turn.rating.disclaimed:
        if label not in known:
            yield f"{label!r} is disclaimed but not known"


def _misrelated(turn: CodedTurn, known: dict[str, str], method: MethodologySchema) -> Iterator[str]:
    for relation in turn.extraction.relationships:
        unknown = [end for end in (relation.source, relation.target) if end not in known]
        yield from (f"{end!r} is related but not known" for end in unknown)
        if unknown:
            continue
        ends = known[relation.source], known[relation.target]
        if relation.source == relation.target:
            yield f"{relation.source!r} is related to itself"
        if not method.graph_ontology.permits(relation.edge_type, *ends):
            yield f"{relation.edge_type} may not join {relation.source!r} and {relation.target!r}"


def _imbalances(interviews: Sequence[CodedInterview]) -> Iterator[str]:
    """Splits are of one size, have the same acts, and differ by one a methodology at most."""
    dev, held_out = ([i for i in interviews if i.split == split] for split in SPLITS)
    if len(dev) != len(held_out):
        yield f"{len(dev)} interviews in dev, {len(held_out)} held out"
    for name in {interview.methodology for interview in interviews}:
        counts = [sum(i.methodology == name for i in part) for part in (dev, held_out)]
        if abs(counts[0] - counts[1]) > 1:
            yield f"{name}: {counts[0]} in dev, {counts[1]} held out"
    acts = [{turn.rating.act for i in part for turn in i.turns} for part in (dev, held_out)]
    yield from (f"the act {act} is in one split only" for act in sorted(acts[0] ^ acts[1]))


def _misjudged(reading: ReaderSheet, interview: CodedInterview) -> Iterator[str]:
    for number, (judged, turn) in enumerate(zip(reading.turns, interview.turns, strict=True), 1):
        known = interview.types_by(number)
        found = [f"is numbered {judged.turn}"] if judged.turn != number else []
        found += [
            f"{entry!r} is no known label, TOPIC, CLOSE or LEAD: with a verbatim stretch"
            for entry in (*judged.sensible, *judged.senseless)
            if not _is_entry(entry, known, turn)
        ]
        found += _both(judged)
        yield from (f"turn {number}: {problem}" for problem in found)


def _is_entry(entry: str, known: dict[str, str], turn: CodedTurn) -> bool:
    if entry.startswith(LEAD):
        stretch = fold(entry.removeprefix(LEAD))
        return bool(stretch) and stretch in fold(turn.answer)
    return entry in known or entry in {TOPIC, CLOSE}


def _both(judged: Judgement) -> list[str]:
    both = set(judged.sensible) & set(judged.senseless)
    return [f"{entry!r} is called sensible and senseless" for entry in sorted(both)]

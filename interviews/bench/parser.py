"""How much of the discourse relations and predicate frames of spoken sentences is read rightly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from graphs.language.lemmas import table_lemma
from interviews import nlp
from interviews.bench.errors import BenchImpossible
from interviews.bench.statistics import figure, wilson
from interviews.nlp import DiscourseRelation, PredicateFrame

SENTENCES = Path(__file__).resolve().parents[2] / "tests" / "data" / "parser_sentences.yaml"
ALIKE = 0.5
"""Share of their words (Jaccard) from which two spans are the same clause or argument."""

NO_MODEL = "no_such_model"
"""A name that no model has: rules and a tagger read then."""


def bench_parser(file: Path = SENTENCES) -> dict[str, Any]:
    """Return precision and recall of relations and frames, by the parser and by rules alone.

    A relation is right if its kind is and both clauses are alike (a contrast in either order); a
    frame if predicate, negation, subject and every argument are. Raises BenchImpossible without
    the sentences.
    """
    if not file.is_file():
        raise BenchImpossible(f"{file} is missing: the bench runs in a checkout of the repository")
    sentences = yaml.safe_load(file.read_text(encoding="utf-8"))
    ways = {"rules": NO_MODEL}
    if nlp.status().parser:
        ways["parser"] = nlp.DEFAULT_MODEL
    return {
        way: _figures(sentences, [nlp.analyse(s["text"], model=model) for s in sentences])
        for way, model in ways.items()
    } | {"sentences": len(sentences), "conditions": {"parser": nlp.status().note}}


def _figures(
    sentences: Sequence[Mapping[str, Any]], read: Sequence[nlp.ParsedAnswer]
) -> dict[str, Any]:
    relations, frames = [0, 0, 0], [0, 0, 0]
    for sentence, analysis in zip(sentences, read, strict=True):
        labelled = sentence.get("relations") or []
        _count(relations, labelled, analysis.relations, _is_relation)
        _count(frames, sentence.get("frames") or [], analysis.frames, _is_frame)
    return {"relations": _shares(relations), "frames": _shares(frames)}


def _count(counts: list[int], labelled: Any, found: Any, alike: Any) -> None:
    """Add right ones, labelled ones and found ones; each label is met once at most."""
    left = list(labelled)
    for one in found:
        match = next((label for label in left if alike(label, one)), None)
        if match is not None:
            left.remove(match)
            counts[0] += 1
    counts[1] += len(labelled)
    counts[2] += len(found)


def _shares(counts: Sequence[int]) -> dict[str, Any]:
    right, labelled, found = counts
    return {
        "precision": figure(wilson(right, found)),
        "recall": figure(wilson(right, labelled)),
        "labelled": labelled,
        "found": found,
    }


def _is_relation(label: Mapping[str, str], found: DiscourseRelation) -> bool:
    if label["kind"] != found.kind:
        return False
    ends = (found.first.text, found.second.text)
    orders = [ends, ends[::-1]] if found.kind == "contrast" else [ends]
    return any(_same(label["first"], a) and _same(label["second"], b) for a, b in orders)


def _is_frame(label: Mapping[str, Any], found: PredicateFrame) -> bool:
    if table_lemma(found.predicate.lower()) != table_lemma(str(label["predicate"]).lower()):
        return False
    if bool(label.get("negation")) != found.negation:
        return False
    return all(
        _same(str(label.get(role) or ""), getattr(found, role) or "")
        for role in ("nsubj", "dobj", "xcomp", "obl")
    )


def _same(one: str, other: str) -> bool:
    """Whether two stretches share enough words; two absent ones do."""
    first, second = _words(one), _words(other)
    if not first or not second:
        return not first and not second
    return len(first & second) / len(first | second) >= ALIKE


def _words(text: str) -> set[str]:
    return {word.strip(".,;:!?\"'").lower() for word in text.split()} - {""}

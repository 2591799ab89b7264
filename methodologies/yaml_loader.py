"""YAML text → a document of any kind, or every error at once with its line and column.

A document goes through three gates: it must be YAML of the plain kind (`yaml_tree`), have the
shape of its kind (`schema`, once `dialect` has read older words), and fit together (`validation`).
What fails at the second gate is patched, so that the third can still speak about the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from methodologies.dialect import Kind, adapt
from methodologies.repair import KEY, repair, shape_errors
from methodologies.schema import (
    ConceptSchema,
    GuideSchema,
    MethodologySchema,
    PersonaSchema,
    StrictModel,
    StudySchema,
)
from methodologies.validation import Finding, check
from methodologies.validation import nearest as _nearest
from methodologies.wording import describe, expectation
from methodologies.yaml_tree import Path, Problem, Tree, YamlRefused, parse_yaml

__all__ = [
    "DocumentInvalid",
    "LoadedDocument",
    "LoadedStudy",
    "Problem",
    "load_concept",
    "load_document",
    "load_guide",
    "load_methodology",
    "load_persona",
    "load_study",
    "problem_at",
]

Model = TypeVar("Model", bound=StrictModel)

MAX_PROBLEMS = 200
MODELS: dict[Kind, type[StrictModel]] = {
    "methodology": MethodologySchema,
    "concept": ConceptSchema,
    "persona": PersonaSchema,
    "guide": GuideSchema,
    "study": StudySchema,
}
INLINE: tuple[Kind, ...] = ("concept", "methodology", "guide")
"""Documents that a study file may hold itself, by the key that they stand under."""


class DocumentInvalid(ValueError):
    """A document has errors; its text is one line a problem, as `file:line:column: message`."""

    def __init__(self, problems: Sequence[Problem], source: str) -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__("\n".join(problem.format(source) for problem in self.problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDocument:
    """A valid document and what is odd about it."""

    kind: Kind
    schema: StrictModel
    warnings: tuple[Problem, ...]


def load_methodology(text: str, source: str = "document") -> MethodologySchema:
    """Return the methodology in `text`; raises DocumentInvalid with every error."""
    return _load(MethodologySchema, text, source)


def load_concept(text: str, source: str = "document") -> ConceptSchema:
    """Return the concept in `text`; raises DocumentInvalid with every error."""
    return _load(ConceptSchema, text, source)


def load_persona(text: str, source: str = "document") -> PersonaSchema:
    """Return the persona in `text`; raises DocumentInvalid with every error."""
    return _load(PersonaSchema, text, source)


def load_guide(text: str, source: str = "document") -> GuideSchema:
    """Return the guide in `text`; raises DocumentInvalid with every error."""
    return _load(GuideSchema, text, source)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedStudy:
    """A study file: its settings, and the texts of the documents that stand in it, by kind."""

    schema: StudySchema
    inline: Mapping[Kind, str]
    warnings: tuple[Problem, ...]


def load_study(text: str, source: str = "document") -> LoadedStudy:
    """Return the study in `text`, the documents in it checked with it.

    Raises DocumentInvalid with every error, those of the documents included.
    """
    tree, problems = _read(text, source)
    return _study(tree, problems, source)


def load_document(text: str, source: str = "document") -> LoadedDocument:
    """Return the document in `text`, of the kind that its keys speak for, with its warnings.

    Raises DocumentInvalid with every error, warnings included.
    """
    tree, problems = _read(text, source)
    kind = _kind_of(tree)
    if kind is None:
        message = (
            "no methodology (method, ontology, signals, strategies), concept (id, name, "
            "methodology), persona (id, name, description, traits), guide (id, title, "
            "research_goal, topics) or study (slug, name, mode)"
        )
        problem = Problem(line=tree.line, column=tree.column, path=(), message=message)
        raise DocumentInvalid([*problems, problem], source)
    if kind == "study":
        study = _study(tree, problems, source)
        return LoadedDocument(kind=kind, schema=study.schema, warnings=study.warnings)
    problems += adapt(kind, tree)
    schema, problems = _build(MODELS[kind], tree, problems, source)
    return LoadedDocument(kind=kind, schema=schema, warnings=tuple(problems))


def problem_at(text: str, path: Path, message: str) -> Problem:
    """A problem with what stands at `path` of a document that can be read, at its line and column.

    Raises YamlRefused where `text` cannot be read.
    """
    tree, _ = parse_yaml(text)
    line, column = tree.position(path)
    return Problem(line=line, column=column, path=path, message=message)


def _load(model: type[Model], text: str, source: str) -> Model:
    tree, problems = _read(text, source)
    kind = next(kind for kind, found in MODELS.items() if found is model)
    schema, _ = _build(model, tree, [*problems, *adapt(kind, tree)], source)
    return schema


def _read(text: str, source: str) -> tuple[Tree, list[Problem]]:
    try:
        return parse_yaml(text)
    except YamlRefused as error:
        raise DocumentInvalid([error.problem], source) from error


def _build(
    model: type[Model], tree: Tree, problems: list[Problem], source: str
) -> tuple[Model, list[Problem]]:
    """Return the schema and the warnings; raises DocumentInvalid where there is any error."""
    schema = None
    try:
        schema = model.model_validate(tree.data)
        findings: Iterator[Finding] = check(schema)
    except ValidationError as error:
        problems += _shape_problems(model, tree, error)
        repaired = repair(model, tree.data)
        findings = filter(repaired.blames, check(repaired.document)) if repaired else iter(())
    problems += [_located(tree, finding) for finding in islice(findings, MAX_PROBLEMS)]
    # What stands once in the text may be wrong at several places of what it was read as.
    problems = list({(p.line, p.column, p.message): p for p in problems}.values())
    problems.sort(key=lambda problem: (problem.line, problem.column))
    if schema is None or any(problem.severity == "error" for problem in problems):
        raise DocumentInvalid(problems, source)
    return schema, problems


def _study(tree: Tree, problems: list[Problem], source: str) -> LoadedStudy:
    """A study and the documents that stand in it; each of them counts as its name in the study."""
    inline: dict[Kind, str] = {}
    names: dict[str, Any] = {}
    for kind in INLINE:
        part = tree.children.get(kind)
        if part is None or not isinstance(part.data, dict):
            continue
        names[kind] = f"the {kind} in this file"
        inline[kind] = yaml.safe_dump(part.data, sort_keys=False, allow_unicode=True)
        try:
            _, found = _build(MODELS[kind], part, adapt(kind, part), source)
        except DocumentInvalid as error:
            found = list(error.problems)
        problems += [replace(problem, path=(kind, *problem.path)) for problem in found]
    if isinstance(tree.data, dict):
        tree = replace(tree, data=tree.data | names)
    schema, problems = _build(StudySchema, tree, problems, source)
    return LoadedStudy(schema=schema, inline=inline, warnings=tuple(problems))


def _located(tree: Tree, finding: Finding) -> Problem:
    line, column = tree.position(finding.path, at_key=finding.at_key)
    return Problem(
        line=line,
        column=column,
        path=finding.path,
        message=finding.message,
        severity=finding.severity,
    )


def _kind_of(tree: Tree) -> Kind | None:
    """The kind that the document names, or whose own keys it has most of; None where none."""
    data = tree.data if isinstance(tree.data, dict) else {}
    named = next((kind for kind in MODELS if kind == data.get("kind")), None)
    if named is not None:
        return named
    keys = set(data)
    fields = {kind: set(model.model_fields) for kind, model in MODELS.items()}
    kinds_with = Counter(name for names in fields.values() for name in names)
    own = {kind: sum(kinds_with[name] == 1 for name in keys & fields[kind]) for kind in MODELS}
    best = max(own, key=lambda kind: own[kind])
    if own[best]:
        return best
    return "concept" if keys & fields["concept"] else None


# -- shape -----------------------------------------------------------------------------------------
def _shape_problems(model: type[BaseModel], tree: Tree, error: ValidationError) -> list[Problem]:
    return [_shape_problem(model, tree, item) for item in shape_errors(error)[:MAX_PROBLEMS]]


def _shape_problem(model: type[BaseModel], tree: Tree, item: Mapping[str, Any]) -> Problem:
    path: Path = tuple(item["loc"])
    at_key = item["type"] == "extra_forbidden"
    if path and path[-1] == KEY:
        path, at_key = path[:-1], True
    line, column = tree.position(path, at_key=at_key)
    return Problem(
        line=line, column=column, path=path, message=_message(model, path, item, tree.data)
    )


def _message(model: type[BaseModel], path: Path, item: Mapping[str, Any], data: Any) -> str:
    last = path[-1] if path else "document"
    if item["type"] == "missing":
        if isinstance(last, int):
            return f"found {describe(item['input'])}, expected item {last + 1} as well"
        present = set(item["input"]) if isinstance(item["input"], dict) else set()
        found = f"found {', '.join(sorted(map(str, present))[:12])}" if present else "found nothing"
        return f'key "{last}" is missing; {found}'
    if item["type"] == "extra_forbidden":
        fields = _fields_at(model, path[:-1])
        hint = _nearest(str(last), fields) or f"; expected one of {', '.join(fields)}"
        return f'unknown key "{str(last)[:80]}"{hint}'
    return f"{last}: found {describe(item['input'])}, {expectation(item)}"


def _fields_at(model: type[BaseModel], path: Iterable[Any]) -> list[str]:
    """Names of the keys that belong at `path`, by the models' own annotations."""
    here: Any = model
    for part in path:
        here = _without_none(here)
        if isinstance(here, type) and issubclass(here, BaseModel):
            found = here.model_fields.get(str(part))
            here = found.annotation if found else None
        else:
            here = _item_type(here)
    here = _model_in(here)
    return [field.alias or name for name, field in here.model_fields.items()] if here else []


def _without_none(annotation: Any) -> Any:
    """What an annotation is where there is something."""
    arguments = get_args(annotation)
    others = [argument for argument in arguments if argument is not type(None)]
    return others[0] if len(others) == 1 < len(arguments) else annotation


def _item_type(annotation: Any) -> Any:
    arguments = [a for a in get_args(annotation) if a is not Ellipsis and a is not type(None)]
    return arguments[-1] if arguments else None


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation is or wraps."""
    while annotation is not None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return annotation
        annotation = _item_type(annotation)
    return None

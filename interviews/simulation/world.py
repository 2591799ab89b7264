"""What a synthetic respondent could say about one concept: a small hidden graph of statements.

A world is a YAML file in ``worlds/``. Its statements climb from concrete features (level 1) to
values (level 5) along ``leads_to`` links; some are told only when asked in the right way. Worlds
belong to the simulation alone: neither the interviewer nor its extraction ever reads them, so the
share of a world that an interview brings to light measures the interviewer.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

WORLDS_DIR = Path(__file__).with_name("worlds")
MINIMUM_STATEMENTS = 25

Kind = Literal["feature", "consequence", "feeling", "value", "incident"]
Probe = Literal[
    "open",
    "why",
    "feeling",
    "incident",
    "relation",
    "absence",
    "contrast",
    "concrete",
    "reflection",
    "closing",
]
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3)]
Phrasing = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"[^.!?,;:\s]$")]


class WorldModel(BaseModel):
    """Base of the world documents: unknown keys are errors, instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, ignored_types=(cached_property,))


class Statement(WorldModel):
    """One thing that the respondent could say, in several wordings of their own.

    A phrasing is a clause that can follow "because" or "so": it begins in lower case unless its
    first word demands a capital, and ends without punctuation. Incidents may run over several
    sentences. `level` is 1 (concrete) to 5 (a value). With `tell_when` empty the statement comes
    up freely; otherwise only a question of one of those kinds brings it out.
    """

    id: Identifier
    level: Annotated[int, Field(ge=1, le=5)]
    kind: Kind
    phrasings: Annotated[tuple[Phrasing, ...], Field(min_length=2)]
    leads_to: tuple[Identifier, ...] = ()
    because: tuple[Identifier, ...] = ()
    tell_when: tuple[Probe, ...] = ()
    topics: Annotated[tuple[Line, ...], Field(min_length=1)]


class World(WorldModel):
    """A respondent's hidden graph about one concept, with the small talk around it.

    `fillers` open a sentence ("well"), `greetings` answer a welcome, `tangents` are complete
    sentences that have nothing to do with the subject.
    """

    concept: Identifier
    respondent: Line
    greetings: Annotated[tuple[Line, ...], Field(min_length=2)]
    fillers: Annotated[tuple[str, ...], Field(min_length=2)]
    tangents: Annotated[tuple[Line, ...], Field(min_length=2)]
    statements: Annotated[tuple[Statement, ...], Field(min_length=MINIMUM_STATEMENTS)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*_id_problems(self.statements), *_phrasing_problems(self.statements)]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @cached_property
    def by_id(self) -> Mapping[str, Statement]:
        """Statements by their id."""
        return {statement.id: statement for statement in self.statements}

    @cached_property
    def upward(self) -> Mapping[str, tuple[str, ...]]:
        """What each statement leads to, from `leads_to` and the `because` of others."""
        links: dict[str, list[str]] = {s.id: list(s.leads_to) for s in self.statements}
        for statement in self.statements:
            for cause in statement.because:
                if statement.id not in links[cause]:
                    links[cause].append(statement.id)
        return {source: tuple(targets) for source, targets in links.items()}

    @cached_property
    def downward(self) -> Mapping[str, tuple[str, ...]]:
        """What each statement rests on: the reverse of `upward`."""
        links: dict[str, list[str]] = {s.id: [] for s in self.statements}
        for source, targets in self.upward.items():
            for target in targets:
                links[target].append(source)
        return {target: tuple(sources) for target, sources in links.items()}

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Ids of the statements linked to this one either way."""
        return (*self.upward[name], *self.downward[name])

    def around(self, start: str, *, limit: int | None = None) -> Iterator[Statement]:
        """Statements linked to `start` either way, nearest first, at most `limit` steps off."""
        seen, queue = {start}, deque([(start, 0)])
        while queue:
            here, steps = queue.popleft()
            if limit is not None and steps >= limit:
                continue
            for name in self.neighbours(here):
                if name not in seen:
                    seen.add(name)
                    yield self.by_id[name]
                    queue.append((name, steps + 1))

    @property
    def edges(self) -> Iterator[tuple[str, str]]:
        """Every link of the hidden graph as (source, target)."""
        return ((source, target) for source, ends in self.upward.items() for target in ends)


def load_world(concept: str, *, directory: Path = WORLDS_DIR) -> World:
    """Read the world of a concept id.

    Raises FileNotFoundError where there is none and pydantic's ValidationError (a ValueError)
    where the file breaks the rules or speaks of another concept.
    """
    world = read_world((directory / f"{concept}.yaml").read_text(encoding="utf-8"))
    if world.concept != concept:
        raise ValueError(f"the world of {concept!r} says that it is about {world.concept!r}")
    return world


def read_world(text: str) -> World:
    """Parse a world from YAML text. Raises ValueError where it is not valid."""
    return World.model_validate(yaml.safe_load(text))


def available_worlds(*, directory: Path = WORLDS_DIR) -> tuple[str, ...]:
    """Concept ids that have a world, sorted."""
    return tuple(sorted(path.stem for path in directory.glob("*.yaml")))


def _id_problems(statements: Iterable[Statement]) -> Iterator[str]:
    statements = tuple(statements)
    counts = Counter(statement.id for statement in statements)
    yield from (f"statement {name!r} is defined {n} times" for name, n in counts.items() if n > 1)
    for statement in statements:
        for link in (*statement.leads_to, *statement.because):
            if link not in counts:
                yield f"statement {statement.id!r} links to {link!r}, which does not exist"
            elif link == statement.id:
                yield f"statement {statement.id!r} links to itself"


def _phrasing_problems(statements: Iterable[Statement]) -> Iterator[str]:
    counts = Counter(p.casefold() for s in statements for p in s.phrasings)
    yield from (f"phrasing {text!r} is used {n} times" for text, n in counts.items() if n > 1)

"""How concept tests are led: strategies with their tactics, and what nine scorers multiply by.

The shipped rules are `library/evaluative/strategies.yaml`. A methodology may hold a section
`evaluative` of the same form, in which it says only what it changes: a strategy or a scorer that
stands there takes the place of the shipped one of its name, whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

StrategyName = Literal[
    "ensure_coverage",
    "resolve_ambiguity",
    "connect_isolate",
    "resolve_schema_tension",
    "deepen_branch",
    "explore_breadth",
    "introduce_seed",
]
StrategyClass = Literal["coverage", "structure", "depth", "breadth", "seed"]
GapKind = Literal["unmentioned", "no_reaction", "no_comprehension", "unconnected"]
STRATEGY_NAMES: tuple[StrategyName, ...] = get_args(StrategyName)
CLASSES: tuple[StrategyClass, ...] = get_args(StrategyClass)
"""In the order in which an interview comes to them."""
GAP_KINDS: tuple[GapKind, ...] = get_args(GapKind)
"""In the order in which they are asked about."""

SHIPPED = Path(__file__).parent / "library" / "evaluative" / "strategies.yaml"

Multiplier = Annotated[float, Field(strict=True, ge=0, le=10, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1, le=50)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Part(BaseModel):
    """Base of the rules' parts: unknown keys are errors, instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class TacticSpec(Part):
    """A way to ask. `fits` are kinds of gaps or node types; it fits all where there are none."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
    guidance: Words
    fits: tuple[str, ...] = ()


class EvaluativeStrategySpec(Part):
    """What a strategy is for, where its score starts, and the tactics that it may use."""

    group: StrategyClass = Field(alias="class")
    base: Annotated[float, Field(strict=True, gt=0, le=10, allow_inf_nan=False)]
    intent: Words
    tactics: Annotated[tuple[TacticSpec, ...], Field(min_length=1)]


class RedundancySpec(Part):
    """`repeated` where a focus of the last `questions` by the same strategy is as `similar`."""

    weight: Weight
    similar: Share
    questions: Count
    repeated: Multiplier


class KnowledgeCeilingSpec(Part):
    """`unknown` where one of the last `answers` did not know or refused this focus."""

    weight: Weight
    answers: Count
    unknown: Multiplier


class MomentumAlignmentSpec(Part):
    """What low momentum makes of depth, and of breadth and seed, and high momentum of depth."""

    weight: Weight
    low_depth: Multiplier
    low_elsewhere: Multiplier
    high_depth: Multiplier


class RecencyDiversitySpec(Part):
    """`repeated` for each of the last `turns` with this strategy."""

    weight: Weight
    turns: Count
    repeated: Multiplier


class VerticalLadderingSpec(Part):
    """Depth, and depth one or two permitted chain steps below a terminal type."""

    weight: Weight
    depth: Multiplier
    two_steps: Multiplier
    one_step: Multiplier


class BranchHealthSpec(Part):
    """After `stale` turns of depth running: what depth, isolates and breadth are multiplied by."""

    weight: Weight
    stale: Count
    depth: Multiplier
    connect_isolate: Multiplier
    breadth: Multiplier


class CoverageQualitySpec(Part):
    """For foci on elements; `opened` besides for the one that the answer just opened.

    `first`: never mentioned nor asked; `own_checks`: some of its own three checks open;
    `connection`: only a connection open, `connection_again` once that was asked for. What was asked
    `stuck` times without a new edge is divided by `stuck_divisor` besides.
    """

    weight: Weight
    first: Multiplier
    own_checks: Multiplier
    connection: Multiplier
    connection_again: Multiplier
    stuck: Count
    stuck_divisor: Annotated[float, Field(strict=True, ge=1, le=10)]
    opened: Multiplier


class SchemaTensionReadinessSpec(Part):
    """`ready` where both ends have an edge or were a focus, else `early`."""

    weight: Weight
    ready: Multiplier
    early: Multiplier


class ReflectionModeSpec(Part):
    """Once a chain is complete and `answers` running brought no node."""

    weight: Weight
    answers: Count
    depth: Multiplier
    seed: Multiplier


class ScorersSection(Part):
    """The scorers that a methodology changes."""

    redundancy: RedundancySpec | None = None
    knowledge_ceiling: KnowledgeCeilingSpec | None = None
    momentum_alignment: MomentumAlignmentSpec | None = None
    recency_diversity: RecencyDiversitySpec | None = None
    vertical_laddering: VerticalLadderingSpec | None = None
    branch_health: BranchHealthSpec | None = None
    coverage_quality: CoverageQualitySpec | None = None
    schema_tension_readiness: SchemaTensionReadinessSpec | None = None
    reflection_mode: ReflectionModeSpec | None = None


class ScorersSpec(Part):
    """All nine."""

    redundancy: RedundancySpec
    knowledge_ceiling: KnowledgeCeilingSpec
    momentum_alignment: MomentumAlignmentSpec
    recency_diversity: RecencyDiversitySpec
    vertical_laddering: VerticalLadderingSpec
    branch_health: BranchHealthSpec
    coverage_quality: CoverageQualitySpec
    schema_tension_readiness: SchemaTensionReadinessSpec
    reflection_mode: ReflectionModeSpec


SCORERS = tuple(ScorersSpec.model_fields)
"""The nine names, in the order in which they are told."""


class EvaluativeSection(Part):
    """The section `evaluative` of a methodology."""

    strategies: dict[StrategyName, EvaluativeStrategySpec] = Field(default_factory=dict)
    scorers: ScorersSection = ScorersSection()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What concept tests are led by: every strategy, every scorer, and a checksum of all of it."""

    strategies: Mapping[StrategyName, EvaluativeStrategySpec]
    scorers: ScorersSpec
    checksum: str

    def weights(self) -> dict[str, float]:
        """The weight of each scorer, in (0, 1]."""
        return {name: getattr(self.scorers, name).weight for name in SCORERS}


@cache
def shipped_rules() -> Rules:
    """The rules of `library/evaluative/strategies.yaml`.

    Raises pydantic.ValidationError, or ValueError where a strategy is missing.
    """
    data = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    section = EvaluativeSection.model_validate(data)
    scorers = ScorersSpec.model_validate(data["scorers"])
    if missing := sorted(set(STRATEGY_NAMES) - set(section.strategies)):
        raise ValueError(f"the shipped strategies lack {', '.join(missing)}")
    return _rules(section.strategies, scorers)


def rules_with(section: EvaluativeSection | None) -> Rules:
    """The shipped rules, with what a methodology changes of them."""
    shipped = shipped_rules()
    if section is None:
        return shipped
    changed = {name: getattr(section.scorers, name) for name in SCORERS}
    scorers = shipped.scorers.model_copy(update={n: s for n, s in changed.items() if s})
    return _rules({**shipped.strategies, **section.strategies}, scorers)


def _rules(
    strategies: Mapping[StrategyName, EvaluativeStrategySpec], scorers: ScorersSpec
) -> Rules:
    data: dict[str, Any] = {
        "strategies": {n: s.model_dump(by_alias=True) for n, s in sorted(strategies.items())},
        "scorers": scorers.model_dump(),
    }
    told = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return Rules(
        strategies=strategies,
        scorers=scorers,
        checksum=hashlib.sha256(told.encode()).hexdigest(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """A name in the section that fits nothing: its path from the section on, and what is wrong."""

    path: tuple[str | int, ...]
    message: str
    options: tuple[str, ...] = ()
    name: str = ""


def misfits(section: EvaluativeSection, node_types: tuple[str, ...]) -> Iterator[Misfit]:
    """What a single field of the section cannot know: tactics twice, and what tactics fit."""
    known = (*GAP_KINDS, *node_types)
    for name, strategy in section.strategies.items():
        seen: set[str] = set()
        for i, tactic in enumerate(strategy.tactics):
            path = ("strategies", name, "tactics", i)
            if tactic.name in seen:
                yield Misfit(
                    path=(*path, "name"),
                    message=f'tactic "{tactic.name}" is there already; expected each name once',
                )
            seen.add(tactic.name)
            for j, fit in enumerate(tactic.fits):
                if fit not in known:
                    message = f'unknown gap or node type "{fit[:80]}"'
                    yield Misfit(path=(*path, "fits", j), message=message, options=known, name=fit)

"""Two groups of a study's interviews beside each other: segments, revisions or methodologies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analytics.inclusion import InclusionInvalid
from analytics.study.comparison import (
    SAMPLES,
    SEED,
    Estimate,
    difference,
    difference_of_shares,
    mean,
    share,
)
from analytics.study.course import Effort
from analytics.study.reading import Held, StudyReading, Theme

METHODOLOGY, REVISION = "methodology", "revision"
MOST_THEMES = 30


@dataclass(frozen=True, slots=True)
class Division:
    """A way to divide interviews: its key, what it is called, and the interviews by value."""

    key: str
    label: str
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A figure of both groups. `differs` where the interval of the difference leaves out 0."""

    label: str
    first: Estimate
    second: Estimate
    gap: Estimate
    theme: Theme | None = None

    @property
    def differs(self) -> bool:
        """Whether it can be told apart from no difference at all."""
        low, high = self.gap.low, self.gap.high
        return low is not None and high is not None and (low > 0 or high < 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two groups: shares of interviews with a theme, and means of what an interview took."""

    division: Division
    first: str
    second: str
    sizes: tuple[int, int]
    shares: tuple[Line, ...]
    means: tuple[Line, ...]

    @property
    def sentence(self) -> str:
        """What is known of the difference, and what is not."""
        lines = [*self.shares, *self.means]
        told = [line.label for line in lines if line.differs]
        few = min(self.sizes)
        known = (
            f"The two differ in {', '.join(told)}: there the 95 % interval of the difference "
            "leaves out none."
            if told
            else "No figure tells the two apart: every 95 % interval of a difference holds none."
        )
        by_chance = len(lines) * 0.05
        return (
            f"{known} Of {len(lines)} figures, about {by_chance:.1f} would seem to differ by "
            "chance alone. What is not known: whether the value itself makes the difference, for "
            f"nobody was put into a group by lot, and what more than {few} interviews in the "
            "smaller group would say."
        )

    @property
    def how(self) -> str:
        """By which method the intervals were made."""
        return (
            f"Shares: Wilson intervals, differences by Newcombe. Means: bootstrap of {SAMPLES} "
            f"samples with the seed {SEED}. All 95 %."
        )


def divisions(reading: StudyReading, keys: Sequence[str]) -> list[Division]:
    """Every way to divide the interviews into two groups or more; `keys` are data fields."""
    found = []
    for key, label, of in _ways(keys):
        counts: dict[str, int] = {}
        for one in reading.held:
            value = of(one)
            if value:
                counts[value] = counts.get(value, 0) + 1
        if len(counts) > 1:
            found.append(Division(key, label, dict(sorted(counts.items()))))
    return found


def _ways(keys: Sequence[str]) -> Iterator[tuple[str, str, Callable[[Held], str]]]:
    yield METHODOLOGY, "methodology", lambda one: one.methodology
    yield REVISION, "revision", lambda one: str(one.revision or "")
    for key in keys:
        yield f"field:{key}", key.replace("_", " "), _segment(key)


def _segment(key: str) -> Callable[[Held], str]:
    return lambda one: str(one.segments.get(key) or "")


def compare(
    reading: StudyReading,
    efforts: Mapping[str, Effort],
    ways: Sequence[Division],
    *,
    by: str,
    first: str,
    second: str,
) -> Comparison | None:
    """Compare two groups; by default the two largest of the first way. None without any way.

    Raises InclusionInvalid where `by`, or a value of it, is not there.
    """
    if not ways:
        if by:
            raise InclusionInvalid({"by": f"{by!r} divides these interviews into no two groups"})
        return None
    known = {way.key: way for way in ways}
    if by and by not in known:
        raise InclusionInvalid({"by": f"{by!r} is none of {', '.join(known)}"})
    way = known[by] if by else ways[0]
    for name, value in (("first", first), ("second", second)):
        if value and value not in way.values:
            raise InclusionInvalid({name: f"{value!r} is none of {', '.join(way.values)}"})
    largest = sorted(way.values, key=lambda value: (-way.values[value], value))
    first = first or next(value for value in largest if value != second)
    second = second or next(value for value in largest if value != first)
    groups = [_members(reading, way, value) for value in (first, second)]
    return Comparison(
        division=way,
        first=first,
        second=second,
        sizes=(len(groups[0]), len(groups[1])),
        shares=tuple(_shares(reading, groups)),
        means=tuple(_means(reading, efforts, groups)),
    )


def _members(reading: StudyReading, way: Division, value: str) -> list[str]:
    keys = [way.key.removeprefix("field:")] if way.key.startswith("field:") else []
    of = next(of for key, _, of in _ways(keys) if key == way.key)
    return [one.id for one in reading.held if of(one) == value]


def _shares(reading: StudyReading, groups: Sequence[Sequence[str]]) -> Iterator[Line]:
    said = {one.id: set(one.themes.values()) for one in reading.interviews}
    themes = [theme for theme in reading.themes.values() if not theme.own][:MOST_THEMES]
    for theme in themes:
        parts = [sum(theme.id in said[one] for one in group) for group in groups]
        yield Line(
            theme.name,
            share(parts[0], len(groups[0])),
            share(parts[1], len(groups[1])),
            difference_of_shares(parts[0], len(groups[0]), parts[1], len(groups[1])),
            theme,
        )


def _means(
    reading: StudyReading, efforts: Mapping[str, Effort], groups: Sequence[Sequence[str]]
) -> Iterator[Line]:
    concepts = {one.id: float(len(one.themes)) for one in reading.interviews}
    links = {one.id: float(len(one.links)) for one in reading.interviews}
    figures: list[tuple[str, Mapping[str, float | None]]] = [
        ("active minutes", {key: one.minutes for key, one in efforts.items()}),
        ("words", {key: float(one.words) for key, one in efforts.items()}),
        ("answers", {key: float(one.answers) for key, one in efforts.items()}),
        ("depth of answers", {key: one.depth for key, one in efforts.items()}),
        ("concepts", dict(concepts)),
        ("links", dict(links)),
    ]
    for label, values in figures:
        first, second = (
            [value for one in group if (value := values.get(one)) is not None] for group in groups
        )
        if first and second:
            yield Line(label, mean(first), mean(second), difference(first, second))

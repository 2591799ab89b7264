"""The levels of a study's map, each with a name and a colour."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from analytics.levels import COLOURS
from analytics.study.reading import StudyReading
from analytics.study.value_map import Place
from methodologies.signals.words import human

ABSTRACTNESS_BANDS = 4


@dataclass(frozen=True, slots=True)
class Band:
    """A level of the map, the concrete end first; `colour` is 1 to 5."""

    name: str
    colour: int


def bands_of(
    reading: StudyReading, places: Mapping[str, Place]
) -> tuple[tuple[Band, ...], dict[str, int]]:
    """The map's levels, and which each theme is of; by abstractness where no theme has a level."""
    types: dict[int | None, Counter[str]] = defaultdict(Counter)
    for theme in reading.themes.values():
        types[theme.level][theme.node_type] += theme.respondents
    levels = sorted(level for level in types if level is not None)
    if not levels:
        bands = tuple(
            Band(f"abstractness from {n / ABSTRACTNESS_BANDS:.2f}", n + 1)
            for n in range(ABSTRACTNESS_BANDS)
        )
        of = {
            key: min(int(place.abstractness * ABSTRACTNESS_BANDS), ABSTRACTNESS_BANDS - 1)
            for key, place in places.items()
        }
        return bands, of
    order: list[int | None] = [*levels, *([None] if None in types else [])]
    bands = tuple(
        Band(
            " / ".join(human(name) for name, _ in types[level].most_common(2)),
            index % COLOURS + 1,
        )
        for index, level in enumerate(order)
    )
    return bands, {key: order.index(theme.level) for key, theme in reading.themes.items()}

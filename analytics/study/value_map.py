"""The hierarchical value map: the relations that many say, drawn without redundancy. Pure.

Formulas: abstractness, centrality and prestige after Pieters, Baumgartner and Allen (1995).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analytics.study.matrix import Cell
from graphs.paths import components

BORNE_OUT = 0.5
"""Share of relations that run upwards, under which a map of levels is not borne out."""


class CutoffOutOfRange(ValueError):
    """The cut-off is not one at which anything could be drawn."""

    def __init__(self, cutoff: int, highest: int) -> None:
        super().__init__(
            f"cutoff: {cutoff} is out of range; give a whole number from 1 to {highest}, "
            "the strongest relation of what is looked at."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A theme on the map. `in_` and `out` are sums of direct and indirect counts, of all relations.

    `abstractness` = in ÷ (in + out); `centrality` = (in + out) ÷ the sum of all counts;
    `prestige` = in ÷ that sum; each 0 where undefined.
    """

    theme: str
    level: int | None
    in_: int
    out: int
    abstractness: float
    centrality: float
    prestige: float


@dataclass(frozen=True, slots=True)
class Kept:
    """Shares of relations and of themes that a cut-off keeps, 0 to 1."""

    cutoff: int
    relations_kept: float
    themes_kept: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMap:
    """The map at a cut-off: `edges` are the arrows that are drawn, `hidden` those that a path says.

    `upward_share` is of all relations between themes whose levels are known, None without any.
    """

    cutoff: int
    relations_kept: float
    themes_kept: float
    upward_share: float | None
    nodes: tuple[Place, ...]
    edges: tuple[Cell, ...]
    hidden: tuple[Cell, ...]
    cutoffs: tuple[Kept, ...]

    @property
    def borne_out(self) -> bool:
        """Whether the test of hierarchy lets one draw levels."""
        return self.upward_share is None or self.upward_share >= BORNE_OUT


class MapMaker:
    """Maps of one matrix, for any cut-off.

    `levels` has every theme that was looked at; levels are from 1, the concrete end, None where
    a theme's type has none.
    """

    def __init__(self, cells: Iterable[Cell], levels: Mapping[str, int | None]) -> None:
        self.cells = [cell for cell in cells if cell.strength]
        self.levels = levels
        self.highest = max((cell.strength for cell in self.cells), default=1)
        self.places = self._places()
        self.upward_share = self._upward_share()
        self.cutoffs = self._cutoffs()

    def at(self, cutoff: int) -> ValueMap:
        """The map of the relations of at least `cutoff`. Raises CutoffOutOfRange."""
        if not 1 <= cutoff <= self.highest:
            raise CutoffOutOfRange(cutoff, self.highest)
        kept = [cell for cell in self.cells if cell.strength >= cutoff]
        hidden = redundant(kept)
        on_map = {end for cell in kept for end in (cell.source, cell.target)}
        shares = self.cutoffs[cutoff - 1]
        return ValueMap(
            cutoff=cutoff,
            relations_kept=shares.relations_kept,
            themes_kept=shares.themes_kept,
            upward_share=self.upward_share,
            nodes=tuple(place for place in self.places if place.theme in on_map),
            edges=tuple(cell for cell in kept if (cell.source, cell.target) not in hidden),
            hidden=tuple(cell for cell in kept if (cell.source, cell.target) in hidden),
            cutoffs=self.cutoffs,
        )

    def _places(self) -> tuple[Place, ...]:
        into: Counter[str] = Counter()
        out: Counter[str] = Counter()
        for cell in self.cells:
            out[cell.source] += cell.strength
            into[cell.target] += cell.strength
        whole = into.total()
        places = [
            Place(
                theme=theme,
                level=level,
                in_=into[theme],
                out=out[theme],
                abstractness=_ratio(into[theme], into[theme] + out[theme]),
                centrality=_ratio(into[theme] + out[theme], whole),
                prestige=_ratio(into[theme], whole),
            )
            for theme, level in self.levels.items()
        ]
        return tuple(
            sorted(places, key=lambda p: (p.level is None, p.level or 0, -p.centrality, p.theme))
        )

    def _upward_share(self) -> float | None:
        upward = known = 0
        for cell in self.cells:
            source, target = self.levels.get(cell.source), self.levels.get(cell.target)
            if source is not None and target is not None:
                known += 1
                upward += target > source
        return upward / known if known else None

    def _cutoffs(self) -> tuple[Kept, ...]:
        strongest: dict[str, int] = defaultdict(int)
        for cell in self.cells:
            for end in (cell.source, cell.target):
                strongest[end] = max(strongest[end], cell.strength)
        relations = Counter(cell.strength for cell in self.cells)
        themes = Counter(strongest.values())
        found, kept_relations, kept_themes = [], relations.total(), themes.total()
        for cutoff in range(1, self.highest + 1):
            found.append(
                Kept(
                    cutoff,
                    _ratio(kept_relations, relations.total()),
                    _ratio(kept_themes, len(self.levels)),
                )
            )
            kept_relations -= relations[cutoff]
            kept_themes -= themes[cutoff]
        return tuple(found)


def redundant(cells: Sequence[Cell]) -> set[tuple[str, str]]:
    """The arrows that a drawn path of two or more arrows says already.

    Where there are no cycles this leaves the transitive reduction, which is the only smallest
    drawing. Arrows within a cycle are all drawn; of several arrows from one cycle to another the
    strongest is.
    """
    nodes = dict.fromkeys(end for cell in cells for end in (cell.source, cell.target))
    after: dict[str, list[str]] = defaultdict(list)
    for cell in cells:
        after[cell.source].append(cell.target)
    groups = components(nodes, after)  # each before those that lead to it
    group = {node: place for place, found in enumerate(groups) for node in found}
    onward = [
        {group[target] for node in found for target in after.get(node, ())} - {place}
        for place, found in enumerate(groups)
    ]
    below: list[int] = []  # the groups that each leads to, a bit each
    longer: list[int] = []  # those that it leads to over another group
    for targets in onward:
        over = 0
        for target in targets:
            over |= below[target]
        longer.append(over)
        below.append(over | sum(1 << target for target in targets))
    hidden, drawn = set(), set()
    for cell in sorted(cells, key=lambda one: (-one.strength, one.source, one.target)):
        source, target = group[cell.source], group[cell.target]
        if source == target:
            continue
        if longer[source] >> target & 1 or (source, target) in drawn:
            hidden.add((cell.source, cell.target))
        drawn.add((source, target))
    return hidden


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

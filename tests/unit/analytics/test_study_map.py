"""The value map: a worked example, and the same by networkx."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from analytics.study.matrix import Cell
from analytics.study.value_map import CutoffOutOfRange, MapMaker, redundant


def cell(ends: str, direct: int, indirect: int = 0) -> Cell:
    return Cell(
        source=ends[0],
        target=ends[1],
        direct=direct,
        indirect=indirect,
        negative=0,
        provenance={},
        bearers={},
    )


LEVELS = {"a": 1, "b": 2, "c": 3, "d": 1, "e": 2}
CELLS = [cell("ab", 3, 1), cell("bc", 3), cell("ac", 0, 3), cell("db", 1), cell("cb", 0, 1)]


def test_worked_example() -> None:
    found = MapMaker(CELLS, LEVELS).at(3)
    # of five relations three are kept, of five themes a, b and c
    assert (found.relations_kept, found.themes_kept) == (3 / 5, 3 / 5)
    assert [f"{one.source}{one.target}" for one in found.edges] == ["ab", "bc"]
    assert [f"{one.source}{one.target}" for one in found.hidden] == ["ac"]
    # ab, bc, ac and db run upwards, cb does not
    assert found.upward_share == 4 / 5
    assert found.borne_out
    assert [(one.cutoff, one.relations_kept, one.themes_kept) for one in found.cutoffs] == [
        (1, 1, 4 / 5),
        (2, 3 / 5, 3 / 5),
        (3, 3 / 5, 3 / 5),
        (4, 1 / 5, 2 / 5),
    ]


def test_worked_example_of_a_themes_place() -> None:
    places = {one.theme: one for one in MapMaker(CELLS, LEVELS).at(1).nodes}
    # 4 + 3 + 3 + 1 + 1 = 12 in all; into b come ab 4, db 1 and cb 1, out of it goes bc 3
    b = places["b"]
    assert (b.in_, b.out) == (6, 3)
    assert b.abstractness == pytest.approx(6 / 9)
    assert b.centrality == pytest.approx(9 / 12)
    assert b.prestige == pytest.approx(6 / 12)
    assert "e" not in places
    assert [one.theme for one in MapMaker(CELLS, LEVELS).at(1).nodes] == ["a", "d", "b", "c"]


def test_undefined_figures_are_nothing() -> None:
    empty = MapMaker([], {"a": 1}).at(1)
    assert (empty.relations_kept, empty.themes_kept, empty.upward_share) == (0, 0, None)
    assert (empty.nodes, empty.edges) == ((), ())
    (alone,) = MapMaker([], {"a": 1}).places
    assert (alone.abstractness, alone.centrality, alone.prestige) == (0, 0, 0)


def test_a_map_that_runs_down_is_not_borne_out() -> None:
    assert not MapMaker([cell("ba", 1), cell("ca", 1), cell("ab", 1)], LEVELS).at(1).borne_out


@pytest.mark.parametrize("cutoff", [-1, 0, 5])
def test_a_cutoff_out_of_range_is_told_with_its_name_and_the_range(cutoff: int) -> None:
    with pytest.raises(CutoffOutOfRange, match=r"cutoff: .* from 1 to 4"):
        MapMaker(CELLS, LEVELS).at(cutoff)


def test_a_longer_paths_arrow_is_drawn_where_the_path_is_not() -> None:
    weak = [cell("ab", 3), cell("bc", 1), cell("ac", 2)]
    drawn = MapMaker(weak, LEVELS).at(2).edges
    assert [f"{one.source}{one.target}" for one in drawn] == ["ab", "ac"]


def test_all_of_a_cycle_is_drawn() -> None:
    assert redundant([cell(ends, 1) for ends in ("ab", "bc", "ca", "ac")]) == set()


def test_without_cycles_the_drawing_is_the_transitive_reduction() -> None:
    for seed in range(60):
        chance = random.Random(seed)
        names = "abcdefghij"
        cells = [
            cell(s + t, chance.randint(1, 5))
            for place, s in enumerate(names)
            for t in names[place + 1 :]
            if chance.random() < 0.4
        ]
        graph = nx.DiGraph([(one.source, one.target) for one in cells])
        drawn = set(nx.transitive_reduction(graph).edges)
        assert set(graph.edges) - redundant(cells) == drawn


def test_with_cycles_each_hidden_arrow_has_a_drawn_path_and_no_other_could_go() -> None:
    for seed in range(80):
        chance = random.Random(seed)
        pairs = [(s, t) for s in "abcdefgh" for t in "abcdefgh" if s != t]
        cells = [cell(s + t, chance.randint(1, 5)) for s, t in chance.sample(pairs, 14)]
        hidden = redundant(cells)
        drawn = nx.DiGraph([(one.source, one.target) for one in cells])
        drawn.remove_edges_from(hidden)
        cycles = list(nx.strongly_connected_components(drawn))
        for source, target in hidden:
            assert nx.has_path(drawn, source, target)
        for source, target in list(drawn.edges):
            if any({source, target} <= cycle for cycle in cycles):
                continue
            drawn.remove_edge(source, target)
            assert not nx.has_path(drawn, source, target)
            drawn.add_edge(source, target)


def test_places_as_networkx_sums_them() -> None:
    chance = random.Random(3)
    pairs = [(s, t) for s in "abcde" for t in "abcde" if s != t]
    cells = [cell(s + t, chance.randint(0, 4), chance.randint(0, 2)) for s, t in pairs]
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((one.source, one.target, one.strength) for one in cells)
    whole = graph.size(weight="weight")
    for place in MapMaker(cells, LEVELS).places:
        into = graph.in_degree(place.theme, weight="weight")
        out = graph.out_degree(place.theme, weight="weight")
        assert (place.in_, place.out) == (into, out)
        assert place.abstractness == pytest.approx(into / (into + out))
        assert place.centrality == pytest.approx((into + out) / whole)
        assert place.prestige == pytest.approx(into / whole)

"""The implication matrix: a worked example, and an independent count by networkx."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import pairwise

import networkx as nx
import pytest

from analytics.study.ladders import Interview, Link, ladders_of
from analytics.study.matrix import Count, Matrix, matrix_of


def interview(name: str, *links: str, against: str = "", plain: str = "") -> Interview:
    """Concepts are named theme + number, as "a1"; a link is "a1>b1", marked ":s", ":p" or ":i"."""
    provenance = {"s": "stated", "p": "answer_to_probe", "i": "inferred", "": ""}
    found, nodes = [], dict.fromkeys(plain.split())
    for text in links:
        ends, _, mark = text.partition(":")
        source, target = ends.split(">")
        nodes |= dict.fromkeys([source, target])
        found.append(
            Link(
                id=f"{name}:{ends}",
                source=source,
                target=target,
                provenance=provenance.get(mark, ""),
                chain=mark != "x",
                conflict=mark == "x",
            )
        )
    return Interview(
        id=name,
        themes={node: node[0] for node in nodes},
        links=found,
        against=frozenset(against.split()),
    )


def counts(matrix: Matrix) -> dict[str, tuple[int, int, int]]:
    return {
        f"{cell.source}{cell.target}": (cell.direct, cell.indirect, cell.negative)
        for cell in matrix.cells.values()
    }


STUDY = (
    # Two ladders: a b c and a d c. Both say a to c, indirectly.
    interview("one", "a1>b1:s", "b1>c1:s", "a1>d1:i", "d1>c1:p"),
    # One ladder a b c says a to c indirectly, another a c directly.
    interview("two", "a1>b1:s", "b1>c1:i", "a2>c2:s"),
    # A ladder against: it counts nowhere but among the negative ones.
    interview("three", "a1>b1:s", "b1>c1:s", against="b1"),
)


def test_worked_example_counts_each_relation_once_a_respondent() -> None:
    assert counts(matrix_of(STUDY)) == {
        "ab": (2, 0, 1),
        "bc": (2, 0, 1),
        "ac": (1, 2, 1),
        "ad": (1, 0, 0),
        "dc": (1, 0, 0),
    }


def test_worked_example_counts_each_relation_once_a_ladder() -> None:
    matrix = matrix_of(STUDY, "ladder")
    assert counts(matrix) == {
        "ab": (2, 0, 1),
        "bc": (2, 0, 1),
        "ac": (1, 3, 1),
        "ad": (1, 0, 0),
        "dc": (1, 0, 0),
    }
    assert (matrix.ladders, matrix.negative_ladders) == (5, 1)


def test_a_cell_says_by_which_links_and_how_they_are_known() -> None:
    cell = matrix_of(STUDY).cells["a", "c"]
    assert set(cell.bearers["one"].links) == {f"one:{e}" for e in ("a1>b1", "b1>c1", "a1>d1")} | {
        "one:d1>c1"
    }
    # nine links: stated 6, answer to a probe 1, inferred 2
    assert dict(cell.provenance) == {
        "answer_to_probe": pytest.approx(1 / 9),
        "inferred": pytest.approx(2 / 9),
        "stated": pytest.approx(6 / 9),
    }


def test_a_ladder_with_a_direct_link_says_nothing_indirect_of_the_same_themes() -> None:
    # a1 > b1 > c1 > b2: a leads to b directly, and by two links more only again.
    assert counts(matrix_of([interview("one", "a1>b1", "b1>c1", "c1>b2")])) == {
        "ab": (1, 0, 0),
        "ac": (0, 1, 0),
        "bc": (1, 0, 0),
        "cb": (1, 0, 0),
    }


def test_two_concepts_of_one_theme_lead_nowhere_by_themselves() -> None:
    assert counts(matrix_of([interview("one", "a1>a2", "a2>b1")])) == {"ab": (1, 0, 0)}


def test_conflicts_are_counted_apart() -> None:
    matrix = matrix_of([interview("one", "a1>b1:x"), interview("two", "a1>b1:x", "a1>c1")])
    assert counts(matrix) == {"ac": (1, 0, 0)}
    (conflict,) = matrix.conflicts
    assert (conflict.source, conflict.target, conflict.respondents) == ("a", "b", 2)


def test_a_cut_says_so_and_loses_no_direct_link() -> None:
    links = [f"{s}{i}>{t}{j}" for s, t in pairwise("abcde") for i in range(4) for j in range(4)]
    whole, cut = interview("one", *links), interview("two", *links)
    assert len(ladders_of(whole, 5000).paths) == 4**5
    assert not ladders_of(whole, 5000).cut
    assert len(ladders_of(cut).paths) == 200
    matrix = matrix_of([cut])
    assert matrix.cut == ("two",)
    assert {f"{s}{t}" for s, t in matrix.cells} >= {"ab", "bc", "cd", "de"}
    by_ends = {link for cell in matrix.cells.values() for link in cell.bearers["two"].links}
    assert by_ends == {f"two:{link}" for link in links}


def test_cycles_are_followed_once() -> None:
    assert set(ladders_of(interview("one", "a1>b1", "b1>c1", "c1>a1")).paths) == {
        ("a1", "b1", "c1"),
        ("b1", "c1", "a1"),
        ("c1", "a1", "b1"),
    }
    assert ladders_of(interview("one", "z1>a1", "a1>b1", "b1>a1", "b1>c1")).paths == (
        ("z1", "a1", "b1", "c1"),
        ("b1", "a1"),
    )


def test_concepts_without_a_link_are_no_ladder() -> None:
    assert ladders_of(interview("one", plain="a1 b1")).paths == ()


# -- the same by other means -----------------------------------------------------------------------
def random_interview(chance: random.Random, name: str) -> Interview:
    nodes = [f"{theme}{number}" for theme in "abcdef" for number in (1, 2)]
    links = {tuple(chance.sample(nodes, 2)) for _ in range(chance.randint(0, 11))}
    return Interview(
        id=name,
        themes={node: node[0] for node in nodes},
        links=[Link(id=f"{name}{s}{t}", source=s, target=t) for s, t in sorted(links)],
        against=frozenset(chance.sample(nodes, chance.choice([0, 0, 1]))),
    )


def maximal_paths(interview: Interview) -> set[tuple[str, ...]]:
    """All simple paths of networkx, without those that a link lengthens at an end."""
    graph = nx.DiGraph([(link.source, link.target) for link in interview.links])
    every = [
        tuple(path)
        for source in graph
        for target in graph
        if source != target
        for path in nx.all_simple_paths(graph, source, target)
    ]
    return {
        path
        for path in every
        if set(graph.successors(path[-1])) <= set(path)
        and set(graph.predecessors(path[0])) <= set(path)
    }


def counted(interviews: list[Interview], count: Count) -> dict[str, tuple[int, int, int]]:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in interviews:
        mine: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for path in maximal_paths(one):
            run = [one.themes[node] for node in path]
            pairs = {
                (s, t): j - i
                for i, s in reversed(list(enumerate(run)))
                for j, t in reversed(list(enumerate(run)))
                if j > i and s != t
            }
            direct = {(s, t) for s, t in pairwise(run) if s != t}
            for pair in pairs:
                kind = 0 if pair in direct else 1
                kind = 2 if one.against & set(path) else kind
                mine["".join(pair)][kind] += 1
        for pair_name, numbers in mine.items():
            for kind, number in enumerate(numbers):
                totals[pair_name][kind] += bool(number) if count == "respondent" else number
    return {name: (a, b, c) for name, (a, b, c) in totals.items()}


@pytest.mark.parametrize("count", ["respondent", "ladder"])
def test_networkx_counts_the_same(count: Count) -> None:
    for seed in range(40):
        chance = random.Random(seed)
        interviews = [random_interview(chance, f"i{number}") for number in range(4)]
        for one in interviews:
            found = ladders_of(one, 100_000)
            assert not found.cut
            assert len(set(found.paths)) == len(found.paths)
            assert set(found.paths) == maximal_paths(one)
        assert counts(matrix_of(interviews, count, 100_000)) == counted(interviews, count)

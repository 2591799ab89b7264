"""Coverage by one pass over the edges equals a naive reading of the rules on any graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.domain import Edge
from interviews.modes.evaluative.coverage import Coverage, Gap, coverage_of
from interviews.modes.evaluative.elements import Element
from methodologies.evaluative import GAP_KINDS

from .samples import ELEMENTS, FOAM, PRICE, edge

NODES = ("a", "b", "c", "d", "e")
IDS = ("e0", "e1", "e2", "e3")


def covered(
    links: Sequence[tuple[str, str]] = (),
    reacted: Sequence[str] = (),
    edges: Sequence[Edge] = (),
    exhausted: Sequence[str] = (),
    elements: Sequence[Element] = ELEMENTS,
) -> Coverage:
    return coverage_of(
        elements,
        links=links,
        reacted=set(reacted),
        live=set(NODES),
        edges=edges,
        exhausted=set(exhausted),
    )


def test_an_element_that_nobody_mentioned_has_that_gap_alone() -> None:
    found = covered()
    assert [(g.kind, g.element) for g in found.gaps] == [
        ("unmentioned", "price"),
        ("unmentioned", "foam"),
        ("unmentioned", "farms"),
    ]
    assert (found.checks, found.closed, found.ratio) == (10, 0, 0.0)
    assert not found.complete


def test_a_mentioned_element_lacks_reaction_comprehension_and_connection() -> None:
    found = covered([("a", "foam"), ("b", "price")])
    assert [(g.kind, g.element, g.other) for g in found.gaps] == [
        ("unmentioned", "farms", None),
        ("no_reaction", "price", None),
        ("no_reaction", "foam", None),
        ("no_comprehension", "price", None),
        ("no_comprehension", "foam", None),
        ("unconnected", "foam", "price"),
    ]
    assert found.closed == 2


def test_two_nodes_or_an_edge_show_comprehension_and_an_edge_either_way_connects() -> None:
    assert covered([("a", "foam"), ("b", "foam")]).standings["foam"].understood
    joined = covered([("a", "foam"), ("b", "price")], edges=[edge("b", "a")])
    assert joined.standings["foam"].understood
    assert joined.standings["price"].understood
    assert not [gap for gap in joined.gaps if gap.kind == "unconnected"]
    same_node = covered([("a", "foam"), ("a", "price")], edges=[edge("a", "c")])
    assert [gap.kind for gap in same_node.gaps_of("foam")] == ["no_reaction", "unconnected"]


def test_a_reaction_counts_without_a_node_and_exhausted_gaps_stay_but_are_not_open() -> None:
    assert covered(reacted=["foam"]).closed == 1
    tired = covered(exhausted=["foam", "price", "farms"])
    assert tired.complete
    assert len(tired.gaps) == 3


def test_dead_nodes_and_unknown_elements_count_for_nothing() -> None:
    assert covered([("gone", "foam"), ("a", "nothing")]).closed == 0


@pytest.mark.parametrize("elements", [(FOAM,), (PRICE,)])
def test_a_requirement_is_a_check_of_its_own(elements: tuple[Element, ...]) -> None:
    assert covered(elements=elements).checks == 3 + len(elements[0].connects_to)


# -- any graph -------------------------------------------------------------------------------------
links = st.lists(st.tuples(st.sampled_from([*NODES, "gone"]), st.sampled_from([*IDS, "none"])))
pairs = st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda p: p[0] != p[1])
edges = st.lists(pairs.map(lambda pair: edge(*pair)), max_size=8)


@st.composite
def concepts(draw: st.DrawFn) -> tuple[Element, ...]:
    return tuple(
        Element(
            id=name,
            label=name,
            place=place,
            priority=draw(st.integers(1, 3)),
            connects_to=tuple(draw(st.sets(st.sampled_from([i for i in IDS if i != name])))),
        )
        for place, name in enumerate(IDS)
    )


def naively(
    elements: Sequence[Element],
    found: Sequence[tuple[str, str]],
    reacted: set[str],
    joined: Sequence[Edge],
) -> Iterator[Gap]:
    """The rules as they are written, by looking at every pair of nodes."""
    nodes = {e.id: {n for n, of in found if of == e.id and n in NODES} for e in elements}
    ends = [{e.source_id, e.target_id} for e in joined]
    for element in elements:
        mine = nodes[element.id]
        if not mine:
            yield Gap(element=element.id, kind="unmentioned")
            continue
        if element.id not in reacted:
            yield Gap(element=element.id, kind="no_reaction")
        if len(mine) < 2 and not any(n in pair for n in mine for pair in ends):
            yield Gap(element=element.id, kind="no_comprehension")
        for other in element.connects_to:
            theirs = nodes[other]
            if theirs and not any({a, b} in ends for a in mine for b in theirs if a != b):
                yield Gap(element=element.id, kind="unconnected", other=other)


@given(elements=concepts(), found=links, reacted=st.sets(st.sampled_from(IDS)), joined=edges)
def test_gaps_are_those_of_a_naive_reading_in_the_order_of_asking(
    elements: tuple[Element, ...],
    found: list[tuple[str, str]],
    reacted: set[str],
    joined: list[Edge],
) -> None:
    coverage = covered(found, sorted(reacted), joined, elements=elements)
    assert set(coverage.gaps) == set(naively(elements, found, reacted, joined))
    assert len(coverage.gaps) == len(set(coverage.gaps))
    places = [GAP_KINDS.index(gap.kind) for gap in coverage.gaps]
    assert places == sorted(places)
    assert 0 <= coverage.ratio <= 1
    assert coverage.complete is (not coverage.gaps)


@given(found=links, joined=edges, one=st.sets(st.sampled_from([e.id for e in ELEMENTS])))
def test_a_further_reaction_never_lowers_the_ratio(
    found: list[tuple[str, str]], joined: list[Edge], one: set[str]
) -> None:
    before = covered(found, sorted(one), joined)
    after = covered(found, sorted(one | {"foam"}), joined)
    assert after.ratio >= before.ratio

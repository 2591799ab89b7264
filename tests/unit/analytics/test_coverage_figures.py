"""What respondents made of elements: worked examples, and bounds on any graph."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.coverage.figures import (
    REACTIONS,
    Element,
    Heard,
    Quote,
    Reaction,
    Step,
    chains_of,
    depth_of,
    rows_of,
    shares_of,
)

FOAM, PRICE, OLD = (
    Element(id="foam", label="Foam"),
    Element(id="price", label="Price"),
    Element(id="old", label="Old", dropped=True),
)


def heard(session: str = "a", **fields: object) -> Heard:
    return Heard(session=session, elements=frozenset({"foam", "price"}), **fields)  # type: ignore[arg-type]


def test_the_last_reaction_counts_and_every_quote_is_told_once() -> None:
    first = heard(
        mentioned=frozenset({"foam"}),
        understood=frozenset({"foam"}),
        reactions={
            "foam": [
                Reaction(kind="skeptical", quote="hm", turn=1),
                Reaction(kind="positive", quote="I like it", turn=3),
            ]
        },
        quotes={"foam": [Quote(turn=3, quote="I like it"), Quote(turn=2, quote="it froths")]},
    )
    second = heard("b", mentioned=frozenset({"foam"}), asked=frozenset({"price"}))
    foam, price, old = rows_of([FOAM, PRICE, OLD], [first, second])
    assert [cell.reaction for cell in foam.cells] == ["positive", None]
    assert [(q.turn, q.quote) for q in foam.cells[0].quotes] == [
        (1, "hm"),
        (2, "it froths"),
        (3, "I like it"),
    ]
    assert (foam.mentioned, foam.understood, foam.not_understood_by) == (2, 1, ("b",))
    assert not foam.never_understood
    assert (price.mentioned, price.not_understood_by) == (0, ("b",))
    assert price.never_understood
    assert price.depth_mean is None
    assert [cell.shown for cell in old.cells] == [False, False]
    assert not old.never_understood


def test_shares_have_wilson_intervals_that_were_computed_by_hand() -> None:
    shares = shares_of(["positive"] * 8 + ["negative"] * 2)
    positive = shares["positive"]
    assert (positive.n, positive.share) == (8, 0.8)
    assert positive.low == pytest.approx(0.490162, abs=1e-6)
    assert positive.high == pytest.approx(0.943318, abs=1e-6)
    assert (shares["curious"].n, shares["curious"].low) == (0, 0.0)
    assert all(share.share is None for share in shares_of([]).values())


def test_a_chain_is_the_shortest_way_up_and_its_steps_have_quotes() -> None:
    one = heard(
        mentioned=frozenset({"foam"}),
        nodes={"foam": ["thick"]},
        successors={"thick": ["cosy", "warm"], "warm": ["cosy"], "cosy": ["home", "thick"]},
        terminal=frozenset({"home", "thick"}),
        told={"thick": Step(label="thick", quote="so thick"), "home": Step(label="home", quote="")},
    )
    (chain,) = chains_of("foam", one)
    assert [step.label for step in chain.steps] == ["thick", "", "home"]
    assert chain.steps[0].quote == "so thick"
    assert depth_of("foam", one) == 2
    assert depth_of("price", one) == 0
    (row,) = rows_of([FOAM], [one])
    assert row.depth_mean == 2


names = st.sampled_from("abcdef")


@given(
    starts=st.lists(names, unique=True, max_size=3),
    edges=st.lists(st.tuples(names, names), max_size=15),
    terminal=st.frozensets(names),
)
def test_on_any_graph_chains_are_ways_along_edges_to_terminals(
    starts: list[str], edges: list[tuple[str, str]], terminal: frozenset[str]
) -> None:
    successors: dict[str, list[str]] = {}
    for source, target in edges:
        successors.setdefault(source, []).append(target)
    told = {name: Step(label=name, quote="") for name in "abcdef"}
    one = heard(nodes={"foam": starts}, successors=successors, terminal=terminal, told=told)
    assert 0 <= depth_of("foam", one) <= 5
    for chain in chains_of("foam", one):
        labels = [step.label for step in chain.steps]
        assert labels[0] in starts
        assert labels[-1] in terminal
        assert set(itertools.pairwise(labels)) <= set(edges)
        assert len(set(labels)) == len(labels)


@given(st.lists(st.sampled_from(REACTIONS)))
def test_shares_add_up_and_lie_in_their_intervals(reactions: list[str]) -> None:
    shares = shares_of(reactions)
    assert sum(share.n for share in shares.values()) == len(reactions)
    for share in shares.values():
        if share.share is not None and share.low is not None and share.high is not None:
            assert 0 <= share.low <= share.share + 1e-12
            assert share.share - 1e-12 <= share.high <= 1

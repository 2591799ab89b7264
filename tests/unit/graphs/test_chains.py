"""Chains from an entry concept to a terminal one, and what is missing of them."""

from __future__ import annotations

from graphs.chains import Chains, complete_chains

from .samples import LADDER, graph_of


def test_complete_chains_run_from_entry_to_the_first_terminal_in_order_and_capped() -> None:
    graph, ids = graph_of(
        [
            ("a1", "attribute"),
            ("a2", "attribute"),
            ("b", "consequence"),
            ("dead end", "consequence"),
            ("c1", "value"),
            ("c2", "value"),
        ],
        [("a1", "b"), ("a2", "b"), ("b", "c1"), ("b", "c2"), ("c1", "c2"), ("a1", "dead end")],
    )
    expected = [
        tuple(ids[label] for label in path)
        for path in (("a1", "b", "c1"), ("a1", "b", "c2"), ("a2", "b", "c1"), ("a2", "b", "c2"))
    ]
    assert complete_chains(graph, LADDER) == expected
    assert complete_chains(graph, LADDER, limit=3) == expected[:3]


def test_complete_chains_end_in_dense_cycles() -> None:
    names = [f"b{i}" for i in range(14)]
    graph, _ = graph_of(
        [("a", "attribute"), *((n, "consequence") for n in names), ("c", "value")],
        [("a", names[0]), (names[-1], "c"), *((m, n) for m in names for n in names if m != n)],
    )
    chains = complete_chains(graph, LADDER, limit=50)
    assert len(chains) == 50
    assert all(len(set(chain)) == len(chain) for chain in chains)


def test_gaps_say_what_a_chain_through_a_concept_lacks() -> None:
    graph, ids = graph_of(
        [
            ("strap", "attribute"),
            ("carry", "consequence"),
            ("free", "value"),
            ("blue", "attribute"),
            ("calm", "consequence"),
            ("peace", "value"),
            ("heavy", "consequence"),
            ("slow", "consequence"),
            ("home", "value"),
        ],
        [("strap", "carry"), ("carry", "free"), ("calm", "peace"), ("heavy", "slow")],
    )
    gaps = Chains(graph, LADDER).gaps
    assert {label: gaps[node_id] for label, node_id in ids.items()} == {
        "strap": "none",
        "carry": "none",
        "free": "none",
        "blue": "above",
        "calm": "below",
        "peace": "below",
        "heavy": "both",
        "slow": "both",
        "home": "below",
    }

"""Names for readers, also for what nobody has named yet."""

from __future__ import annotations

import pytest

from analytics.wording import NAMES, clause_of, listing, name_of, reason_of, signal_name
from graphs.chains import CHAIN_GAPS
from methodologies.signals.base import load_signals


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("graph.node.exhaustion_score.low", "branch still fresh"),
        ("llm.certainty.mid", "certainty: mid"),
        ("llm.brand_new", "brand new"),
    ],
)
def test_weight_keys_have_short_names(key: str, name: str) -> None:
    assert name_of(key) == name


def test_a_signal_without_a_name_is_named_after_its_key() -> None:
    assert signal_name("graph.node.brand_new") == "node brand new"


def test_every_signal_has_a_name() -> None:
    assert {spec.name for spec in load_signals()} - set(NAMES) == set()


@pytest.mark.parametrize("signal", ["chain_gap", "first_chain"])
def test_each_gap_of_a_chain_reads_as_a_clause(signal: str) -> None:
    gaps = [clause_of(f"graph.node.{signal}.{gap}") for gap in CHAIN_GAPS]
    assert len(set(gaps)) == 4
    assert not [said for said in gaps if signal.replace("_", " ") in said]


def test_clauses_fall_back_to_signal_and_qualifier() -> None:
    assert clause_of("llm.certainty.mid") == "certainty was mid"
    assert clause_of("graph.node.type.terminal_value") == "it is of the type terminal value"
    assert clause_of("llm.brand_new") == "brand new spoke for it"


def test_unknown_reasons_are_readable() -> None:
    assert reason_of("budget_spent") == "budget spent"


def test_lists_read_as_in_a_sentence() -> None:
    assert [listing(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]

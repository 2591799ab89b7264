"""Words for readers, also for what nobody has named yet."""

from __future__ import annotations

import pytest

from graphs.chains import CHAIN_GAPS
from methodologies.qualifiers import parse_key, qualifiers_of
from methodologies.reference import ANY_ONTOLOGY
from methodologies.signals.base import Value, load_signals
from methodologies.signals.words import clause, key_name, signal_name, statement, value_text


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("graph.node.exhaustion_score.low", "branch still fresh"),
        ("graph.node.exhaustion_score", "branch worked on"),
        ("graph.node.type.terminal_value", "terminal value"),
        ("llm.certainty", "certainty"),
        ("llm.certainty.mid", "certainty: mid"),
        ("llm.brand_new", "brand new"),
    ],
)
def test_weight_keys_have_short_names(key: str, name: str) -> None:
    assert key_name(key) == name


def test_a_signal_that_is_none_any_more_is_named_after_its_key() -> None:
    assert signal_name("graph.node.brand_new") == "node brand new"


def test_every_signal_has_a_name() -> None:
    assert [spec.name for spec in load_signals() if not spec.words.name] == []


def test_words_are_kept_only_for_what_a_signal_can_read_or_be_asked() -> None:
    for spec in load_signals():
        asked = {"", *qualifiers_of(spec, ANY_ONTOLOGY)}
        assert set(spec.words.phrases) | set(spec.words.clauses) <= asked, spec.name
        assert set(spec.words.statements) <= {"true", "false", *spec.values}, spec.name


@pytest.mark.parametrize("signal", ["chain_gap", "first_chain"])
def test_each_gap_of_a_chain_reads_as_a_clause(signal: str) -> None:
    gaps = [clause(f"graph.node.{signal}.{gap}") for gap in CHAIN_GAPS]
    assert len(set(gaps)) == 4
    assert not [said for said in gaps if signal.replace("_", " ") in said]


def test_clauses_fall_back_to_signal_and_qualifier() -> None:
    assert clause("llm.certainty.mid") == "certainty was mid"
    assert clause("graph.node.type.terminal_value") == "it is of the type terminal value"
    assert clause("llm.brand_new") == "brand new spoke for it"


@pytest.mark.parametrize(
    ("value", "text"), [(True, "yes"), (False, "no"), (0.4523, "0.452"), (1234, "1234"), ("a", "a")]
)
def test_values_are_written_for_reading(value: Value, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("graph.node.is_orphan", True, "Nothing is related to it yet"),
        ("graph.node.is_orphan", False, "Something is related to it already"),
        ("graph.node.has_outgoing", False, "It leads nowhere yet"),
        (
            "llm.engagement",
            0.25,
            "How willingly the respondent takes part came out low, at 0.25 of 1",
        ),
        ("llm.specificity", 0.5, "How concrete the answer is came out middling, at 0.5 of 1"),
        ("llm.specificity", 0.75, "How concrete the answer is came out high, at 0.75 of 1"),
        ("graph.node_count", 0, "Concepts in the graph came to 0"),
        ("graph.node.chain_gap", "below", "No chain leads from an entry concept to it yet"),
        ("meta.interview.phase", "mid", "Where in the interview this turn stands came out as mid"),
    ],
)
def test_a_reading_is_told_as_a_sentence_that_is_true_of_it(
    name: str, value: Value, sentence: str
) -> None:
    assert statement(parse_key(name).spec, value) == sentence


def test_every_signal_that_is_true_or_false_has_words_for_both() -> None:
    for spec in load_signals():
        if spec.kind == "bool":
            told = {statement(spec, value) for value in (True, False)}
            assert len(told) == 2
            assert not any(":" in sentence or "does not hold" in sentence for sentence in told)

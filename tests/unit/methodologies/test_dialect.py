"""Documents in the words of the system that the format comes from load, and say what was read."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from interviews.simulation.respondent import SimulatedRespondent
from interviews.simulation.world import load_world
from methodologies.schema import MethodologySchema, PersonaSchema
from methodologies.yaml_loader import DocumentInvalid, load_document

OLDER = """\
method:
  name: hand_me_down
  goal: Learn what follows from what
  opening_bias: Ask for one concrete occasion.
ontology:
  nodes:
    - {name: cause, description: what brings something about}
    - {name: effect, description: what follows}
  edges:
    - name: leads_to
      description: brings about
      permitted_connections:
        - [cause, "*"]
    - name: hinders
      description: stands in the way of
      permitted_connections: ["*"]
  relationship_examples:
    plain:
      text: The rain made us late
      source: the rain
      source_type: cause
      target: being late
      target_type: effect
      edge_type: leads_to
  extractability_criteria:
    non_extractable_contains: [only yes or no]
signals:
  llm: [llm.engagement]
strategies:
  - name: explore
    description: Ask about the subject
    node_binding: none
    focus_mode: topic
    signal_weights: {llm.engagement: 0.5, llm.certainty.low: 0.2}
  - name: deepen
    description: Ask why
    signal_weights: {graph.node.is_orphan: 0.4}
    valid_when: {graph.node.exhausted: false}
"""


def methodology() -> tuple[MethodologySchema, list[str]]:
    loaded = load_document(OLDER, "older.yaml")
    assert isinstance(loaded.schema, MethodologySchema)
    return loaded.schema, [problem.format("older.yaml") for problem in loaded.warnings]


def test_a_star_stands_for_every_node_type() -> None:
    leads_to, hinders = methodology()[0].ontology.edges
    assert leads_to.permitted_connections == (("cause", "cause"), ("cause", "effect"))
    types = ("cause", "effect")
    assert hinders.permitted_connections == tuple((a, b) for a in types for b in types)


@pytest.mark.parametrize("pair", ['"*"', '["*", "*"]', '["*", effect]', '[cause, "*"]'])
def test_a_star_may_stand_at_either_end_or_alone(pair: str) -> None:
    text = OLDER.replace('[cause, "*"]', pair)
    schema = load_document(text).schema
    assert isinstance(schema, MethodologySchema)
    assert ("cause", "effect") in schema.ontology.edges[0].permitted_connections


def test_a_wrong_name_beside_a_star_is_told_at_its_place() -> None:
    with pytest.raises(DocumentInvalid) as caught:
        load_document(OLDER.replace('[cause, "*"]', '[couse, "*"]'), "older.yaml")
    found = [problem.format("older.yaml") for problem in caught.value.problems]
    assert found.count('older.yaml:13:12: unknown node type "couse"; did you mean "cause"?') == 1


def test_signals_that_are_used_and_not_listed_are_added_with_a_warning() -> None:
    schema, warnings = methodology()
    listed = {name for names in schema.signals.values() for name in names}
    assert {"llm.certainty", "graph.node.is_orphan", "graph.node.exhausted"} <= listed
    assert any("llm.certainty is not listed" in warning for warning in warnings)


def test_examples_under_names_and_older_criteria_are_read() -> None:
    schema, warnings = methodology()
    assert [e.text for e in schema.ontology.relationship_examples] == ["The rain made us late"]
    assert schema.ontology.extractability_criteria == {"not_extractable": ("only yes or no",)}
    assert any("non_extractable_contains is read as not_extractable" in w for w in warnings)


def test_a_methodology_that_cannot_close_gets_the_shipped_closing_strategy() -> None:
    schema, warnings = methodology()
    assert [s.name for s in schema.closing_strategies] == ["reflect_and_close"]
    assert any("no strategy closes the interview" in warning for warning in warnings)


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    text = OLDER.replace("name: deepen", "name: reflect_and_close")
    schema = load_document(text).schema
    assert isinstance(schema, MethodologySchema)
    assert [s.name for s in schema.closing_strategies] == ["reflect_and_close_interview"]


def test_warnings_stand_where_the_text_does() -> None:
    lines = OLDER.splitlines()
    for problem in load_document(OLDER, "older.yaml").warnings:
        if "is not listed" in problem.message:
            assert str(problem.path[-1]) in lines[problem.line - 1]


# -- personas ------------------------------------------------------------------------------------
PERSONA: dict[str, Any] = {
    "id": "skeptical_analyst",
    "name": "Skeptical analyst",
    "description": "Doubts what is promised.",
    "traits": ["skeptical", "detail-oriented", "left-handed"],
    "speech_pattern": "Precise, few adjectives.",
    "response_patterns": {"start": ["To be precise"], "doubt": ["I would want to see figures"]},
    "deflection_patterns": ["That is not something I discuss"],
}


def persona(**changed: Any) -> tuple[PersonaSchema, list[str]]:
    loaded = load_document(yaml.safe_dump({**PERSONA, **changed}, sort_keys=False))
    assert isinstance(loaded.schema, PersonaSchema)
    return loaded.schema, [problem.message for problem in loaded.warnings]


def test_words_for_a_manner_become_the_rates_they_mean() -> None:
    schema, warnings = persona()
    assert schema.traits.scepticism == 0.7
    assert schema.traits.statements_per_answer == (2, 4)
    assert any('trait "left-handed" does not act' in warning for warning in warnings)


def test_patterns_are_what_the_respondent_says() -> None:
    schema, _ = persona()
    assert schema.openers == ("To be precise", "I would want to see figures")
    assert schema.deflections == ("That is not something I discuss",)
    assert schema.traits.refusals > 0
    assert schema.description.endswith("Precise, few adjectives.")


def test_openers_and_deflections_are_heard_in_answers() -> None:
    schema, _ = persona(traits={"refusals": 0.2})
    respondent = SimulatedRespondent(load_world("hiking_backpacks"), schema, seed=3)
    answers = [respondent.answer("Why does that matter to you?", turn) for turn in range(1, 16)]
    assert any(a == "That is not something I discuss" for a in answers)
    assert any(a.startswith(("To be precise.", "I would want to see figures.")) for a in answers)

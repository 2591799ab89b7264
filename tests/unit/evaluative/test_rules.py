"""The shipped rules of concept tests, and a methodology that changes some of them."""

from __future__ import annotations

import pytest
import yaml

from methodologies.evaluative import (
    SCORERS,
    SHIPPED,
    STRATEGY_NAMES,
    EvaluativeSection,
    rules_with,
    shipped_rules,
)
from methodologies.registry import LIBRARY
from methodologies.yaml_loader import DocumentInvalid, load_methodology

BASES = {
    "ensure_coverage": ("coverage", 1.3),
    "resolve_ambiguity": ("structure", 0.9),
    "connect_isolate": ("structure", 0.9),
    "resolve_schema_tension": ("structure", 0.9),
    "deepen_branch": ("depth", 0.55),
    "explore_breadth": ("breadth", 0.6),
    "introduce_seed": ("seed", 0.5),
}
METHODOLOGY = (LIBRARY / "methodologies" / "means_end_chain.yaml").read_text(encoding="utf-8")
TACTIC = "        - {name: upward_linking, guidance: Ask what it gives them., fits: [attribute]}"
SECTION = """
evaluative:
  strategies:
    deepen_branch:
      class: depth
      base: 0.7
      intent: Climb.
      tactics:
        - {name: upward_linking, guidance: Ask what it gives them., fits: [attribute]}
  scorers:
    redundancy: {weight: 0.5, similar: 0.9, questions: 4, repeated: 0.3}
"""


def test_the_shipped_rules_hold_every_strategy_with_its_class_and_base() -> None:
    rules = shipped_rules()
    assert {n: (s.group, s.base) for n, s in rules.strategies.items()} == BASES
    assert set(BASES) == set(STRATEGY_NAMES)
    weights = dict.fromkeys(SCORERS, 1.0)
    assert rules.weights() == weights | {"recency_diversity": 0.8}
    assert len(SCORERS) == 9


def test_a_section_replaces_what_it_names_and_the_checksum_tells() -> None:
    changed = load_methodology(METHODOLOGY + SECTION).evaluative
    rules = rules_with(changed)
    assert rules.strategies["deepen_branch"].base == 0.7
    assert rules.strategies["explore_breadth"] == shipped_rules().strategies["explore_breadth"]
    assert rules.scorers.redundancy.questions == 4
    assert rules.scorers.branch_health == shipped_rules().scorers.branch_health
    assert rules.checksum != shipped_rules().checksum
    same = EvaluativeSection.model_validate(yaml.safe_load(SHIPPED.read_text(encoding="utf-8")))
    assert rules_with(same).checksum == rules_with(None).checksum == shipped_rules().checksum


@pytest.mark.parametrize(
    ("old", "new", "told", "starts"),
    [
        ("deepen_branch:", "deepen_brunch:", "deepen_brunch", "deepen_brunch:"),
        ("class: depth", "class: deep", 'class: found "deep"', "deep"),
        ("base: 0.7", "base: 0", "base: found the number 0, expected more than 0", "0"),
        ("intent: Climb.", "aim: Climb.", 'unknown key "aim"; expected one of class, base', "aim:"),
        ("weight: 0.5", "weight: 1.5", "weight: found the number 1.5, expected at most 1", "1.5"),
        ("[attribute]", "[atribute]", 'type "atribute"; did you mean "attribute"?', "atribute"),
        (
            "redundancy:",
            "redundance:",
            'unknown key "redundance"; did you mean "redundancy"?',
            "redundance:",
        ),
        (
            TACTIC,
            "        - {name: one, guidance: Ask.}\n        - {name: one, guidance: Ask.}",
            'tactic "one" is there already',
            "one",
        ),
    ],
)
def test_what_is_wrong_in_a_section_is_told_with_its_line_and_column(
    old: str, new: str, told: str, starts: str
) -> None:
    assert old in SECTION
    with pytest.raises(DocumentInvalid) as refused:
        load_methodology(METHODOLOGY + SECTION.replace(old, new))
    found = [problem for problem in refused.value.problems if told in problem.message]
    assert found, [problem.message for problem in refused.value.problems]
    line = (METHODOLOGY + SECTION.replace(old, new)).splitlines()[found[0].line - 1]
    assert new.splitlines()[-1].strip(" []").partition(":")[0].lstrip("- {") in line
    assert line[found[0].column - 1 :].startswith(starts)

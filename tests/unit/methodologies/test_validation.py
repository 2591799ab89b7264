from __future__ import annotations

from typing import Any

import pytest

from methodologies.validation import Finding, check
from methodologies.yaml_loader import (
    DocumentInvalid,
    load_concept,
    load_document,
    load_methodology,
    load_persona,
)
from tests.unit.methodologies.samples import TEXT, methodology, strategy


def messages(*changes: tuple[str, str]) -> list[str]:
    """Errors of the sample methodology after some changes, as line:column: message."""
    text = TEXT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    with pytest.raises(DocumentInvalid) as caught:
        load_methodology(text, "f")
    return [line.removeprefix("f:") for line in str(caught.value).splitlines()]


def findings(*strategies: dict[str, Any], **more: Any) -> list[Finding]:
    """Findings about a methodology with these strategies beside the necessary ones."""
    necessary = (
        strategy("opener", node_binding="none"),
        strategy("closer", node_binding="none", generates_closing_question=True),
    )
    return list(check(methodology(*necessary, *strategies, **more)))


def test_sample_has_no_findings() -> None:
    assert load_document(TEXT).warnings == ()
    assert findings() == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # names of signals and their qualifiers
        (
            "graph: [graph.max_depth,",
            "graph: [graph.max_dept,",
            '24:11: unknown signal "graph.max_dept"; did you mean "graph.max_depth"?',
        ),
        (
            "llm.engagement.high: 0.5",
            "llm.engagement.hihg: 0.5",
            '36:7: llm.engagement has no qualifier "hihg"; did you mean "high"?',
        ),
        (
            "llm.engagement.high: 0.5",
            "llm.engagement.true: 0.5",
            '36:7: llm.engagement has no qualifier "true"; expected low, mid or high',
        ),
        (
            "graph.node.is_orphan: 0.3",
            "graph.node.type.valu: 0.3",
            '37:7: graph.node.type has no qualifier "valu"; did you mean "value"?',
        ),
        (
            "graph.node.is_orphan: 0.3",
            "graph.chain_completion: 0.3",
            (
                "37:7: graph.chain_completion is a group of signals; expected one of them: "
                "graph.chain_completion.has_complete or graph.chain_completion.ratio"
            ),
        ),
        (
            "graph.node.is_orphan: 0.3",
            "graph.node.is_orfan: 0.3",
            '37:7: unknown signal "graph.node.is_orfan"; did you mean "graph.node.is_orphan"?',
        ),
        # what cannot be weighed as it is
        (
            "graph.node_count.zero: 1.0",
            "graph.node_count: 1.0",
            (
                "32:7: graph.node_count has no upper limit and cannot be weighed as it is; "
                "expected a qualifier: graph.node_count.zero or graph.node_count.nonzero"
            ),
        ),
        (
            "llm.engagement.high: 0.5",
            "llm.response_depth: 0.5",
            (
                "36:7: llm.response_depth is a category and cannot be weighed as it is; expected a "
                "qualifier: llm.response_depth.surface, "
            ),
        ),
        (
            "graph.max_depth: 0.7",
            "graph.max_depth: 1e9",
            "44:24: found 1e+09, expected a weight from -1000 to 1000",
        ),
        # ontology
        (
            "- [attribute, consequence]",
            "- [atribute, consequence]",
            '21:12: unknown node type "atribute"; did you mean "attribute"?',
        ),
        (
            "    - name: consequence",
            "    - name: attribute",
            '10:13: node type "attribute" is there already; expected each name once',
        ),
        (
            "level: 3",
            "level: 1",
            "14:14: terminal node type value is at level 1, where chains begin; expected a higher",
        ),
        (
            "        - [consequence, value]\n",
            "",
            "15:17: no permitted chain leads from level 1 to terminal node type value",
        ),
        (
            "      permitted_connections:",
            "      chain: false\n      permitted_connections:",
            "15:17: no permitted chain leads from level 1 to terminal node type value",
        ),
        # strategies and phases
        (
            "  - name: deepen",
            "  - name: explore",
            '33:11: strategy "explore" is there already; expected each name once',
        ),
        (
            "      explore: 1.5",
            "      explroe: 1.5",
            '48:7: unknown strategy "explroe"; did you mean "explore"?',
        ),
        (
            "      explore: 1.5",
            "      explore: 0.0001",
            "48:16: found 0.0001, expected 0 or a weight from 0.001 to 1000",
        ),
        (
            "      explore: 0.2",
            "      explore: 5000",
            "50:16: found 5000, expected a bonus from -1000 to 1000",
        ),
        (
            "    node_binding: none\n    signal_weights:",
            "    signal_weights:",
            "27:1: no strategy can be asked on an empty graph; expected one with node_binding",
        ),
        (
            "phases:\n",
            "phase_boundaries: {early_until: 5, late_from: 5}\nphases:\n",
            "45:47: found 5, expected a turn after early_until (5)",
        ),
    ],
)
def test_error(old: str, new: str, expected: str) -> None:
    assert any(line.startswith(expected) for line in messages((old, new))), messages((old, new))


EXAMPLE = """\
  relationship_examples:
    - text: It is light, so I walk further.
      source: light
      source_type: {source}
      target: walk further
      target_type: consequence
      edge_type: {edge}
signals:
"""


@pytest.mark.parametrize(
    ("source", "edge", "expected"),
    [
        ("value", "leads_to", "29:18: leads_to from value to consequence is not among permitted"),
        ("attribute", "leds_to", '29:18: unknown edge type "leds_to"; did you mean "leads_to"?'),
        ("atribute", "leads_to", '26:20: unknown node type "atribute"; did you mean "attribute"?'),
        ("attribute", "revises", "29:18: revises from attribute to consequence is not among"),
    ],
)
def test_relationship_example_that_the_ontology_does_not_permit(
    source: str, edge: str, expected: str
) -> None:
    found = messages(("signals:\n", EXAMPLE.format(source=source, edge=edge)))
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_relationship_example_that_is_permitted() -> None:
    text = TEXT.replace("signals:\n", EXAMPLE.format(source="attribute", edge="leads_to"), 1)
    assert load_methodology(text).ontology.relationship_examples[0].edge_type == "leads_to"


def test_node_weight_on_a_strategy_without_a_node_is_a_warning() -> None:
    text = TEXT.replace("graph.max_depth: 0.7", "graph.node.is_orphan: 0.7")
    loaded = load_document(text, "f")
    assert [w.format("f") for w in loaded.warnings] == [
        (
            "f:44:7: warning: graph.node.is_orphan belongs to a node and strategy close has none "
            "(node_binding: none): this weight never acts"
        )
    ]


def test_warnings_are_shown_along_with_errors() -> None:
    found = messages(
        ("graph.max_depth: 0.7", "graph.node.is_orphan: 0.7"), ("explore: 1.5", "explroe: 1.5")
    )
    assert [line.split(": ")[1] for line in found] == [
        "warning",
        'unknown strategy "explroe"; did you mean "explore"?',
    ]


@pytest.mark.parametrize(
    ("binding", "key", "expected"),
    [
        ("required", "graph.node.exhausted", None),
        ("required", "graph.node.type.value", None),
        ("none", "llm.engagement.high", None),
        ("none", "temporal.strategy_repetition_count.low", None),
        ("none", "graph.node.exhausted", "the condition never holds"),
        ("none", "technique.node.strategy_repetition.low", "the condition never holds"),
        ("required", "llm.engagement", "llm.engagement is neither true nor false; expected a qual"),
        ("required", "graph.node_count", "graph.node_count is neither true nor false; expected"),
        ("required", "llm.engagment.high", 'unknown signal "llm.engagment.high"; did you mean'),
        ("required", "llm.engagement.top", 'llm.engagement has no qualifier "top"'),
    ],
)
def test_condition(binding: str, key: str, expected: str | None) -> None:
    found = findings(strategy("subject", node_binding=binding, valid_when={key: True}))
    if expected is None:
        assert found == []
    else:
        assert [(f.path, f.severity) for f in found] == [
            (("strategies", 2, "valid_when", key), "error")
        ]
        assert expected in found[0].message


def flat(**nodes: Any) -> dict[str, Any]:
    """An ontology of two types joined in one direction; keywords change the second type."""
    return {
        "nodes": [
            {"name": "one", "level": 1, "description": "1"},
            {"name": "two", "level": 2, "description": "2", **nodes},
        ],
        "edges": [
            {"name": "to", "description": "t", "permitted_connections": [["one", "two"]]},
        ],
    }


def test_chain_completion_without_a_terminal_never_acts() -> None:
    weights = {"graph.chain_completion.ratio": 1.0}
    weighed = findings(strategy("subject", weights), ontology=flat())
    assert [(f.severity, f.path[-1]) for f in weighed] == [
        ("warning", "graph.chain_completion.ratio")
    ]
    condition = {"graph.chain_completion.has_complete": False}
    gated = findings(strategy("subject", valid_when=condition), ontology=flat())
    assert [(f.severity, f.path[-1]) for f in gated] == [
        ("error", "graph.chain_completion.has_complete")
    ]
    assert findings(strategy("subject", weights), ontology=flat(terminal=True)) == []


def test_terminals_without_levels_are_a_warning() -> None:
    ontology = flat(terminal=True)
    for node in ontology["nodes"]:
        del node["level"]
    assert [(f.severity, f.path) for f in findings(ontology=ontology)] == [
        ("warning", ("ontology", "nodes"))
    ]


def test_one_of_several_terminals_out_of_reach_is_a_warning() -> None:
    ontology = flat(terminal=True)
    ontology["nodes"].append({"name": "far", "level": 3, "terminal": True, "description": "f"})
    assert [(f.severity, f.path) for f in findings(ontology=ontology)] == [
        ("warning", ("ontology", "nodes", 2, "terminal"))
    ]


def test_phase_that_shuts_out_every_strategy_without_a_node_is_a_warning() -> None:
    found = findings(phases={"mid": {"signal_weights": {"opener": 0}}})
    assert [(f.severity, f.path) for f in found] == [
        ("warning", ("phases", "mid", "signal_weights"))
    ]


def test_repeated_element_of_a_concept() -> None:
    text = (
        "id: bags\nname: Bags\nmethodology: laddering\nelements:\n"
        "  - {id: strap, label: Strap}\n  - {id: strap, label: Belt}\n"
    )
    with pytest.raises(DocumentInvalid) as caught:
        load_concept(text, "f")
    assert str(caught.value) == 'f:6:10: element "strap" is there already; expected each id once'


STIMULUS = """\
id: drink
name: Drink
methodology: laddering
stimulus:
  text: Creamy, and 3 euros a litre.
elements:
  - {id: creamy, label: Creamy, kind: claim, priority: 1, connects_to: [price]}
  - {id: price, label: 3 euros a litre, kind: price, aliases: [cost]}
"""


def test_a_stimulus_and_its_elements() -> None:
    concept = load_concept(STIMULUS)
    assert concept.stimulus is not None
    assert concept.stimulus.text == "Creamy, and 3 euros a litre."
    assert concept.unshown == ()
    assert [(e.id, e.kind, e.priority, e.connects_to) for e in concept.elements] == [
        ("creamy", "claim", 1, ("price",)),
        ("price", "price", 2, ()),
    ]


def concept_errors(old: str, new: str) -> list[str]:
    assert old in STIMULUS
    with pytest.raises(DocumentInvalid) as caught:
        load_concept(STIMULUS.replace(old, new), "f")
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("[price]", "[pryce]", 'f:7:73: unknown element "pryce"; did you mean "price"?'),
        ("[price]", "[creamy]", 'f:7:73: element "creamy" cannot connect to itself; name another'),
        ("[price]", "[price, price]", 'f:7:80: element "price" is there already; expected each id'),
        ("{id: price", "{id: creamy", 'f:8:10: element "creamy" is there already; expected each'),
        ("kind: claim", "kind: clame", "f:7:39: kind: found \"clame\", expected 'claim'"),
        ("priority: 1", "priority: 4", "f:7:56: priority: found the number 4, expected at most 3"),
        ("priority: 1", "priority: 0", "f:7:56: priority: found the number 0, expected at least 1"),
        (
            "  text: Creamy",
            "  image: carton.png\n  text: Creamy",
            "f:5:10: image without a description; expected image_alt",
        ),
        (
            "  text: Creamy",
            "  image: ../carton.gif\n  image_alt: A carton\n  text: Creamy",
            'f:5:10: image: found "../carton.gif", expected the name of a png, jpeg or webp file',
        ),
        ("  text: Creamy, and 3 euros", "  image_alt: Creamy, and", "f:5:3: nothing to show; "),
        ("text: Creamy", f"text: {'x' * 4000}y", "f:5:9: text: found "),
    ],
)
def test_faults_of_a_stimulus_and_its_elements_at_their_places(
    old: str, new: str, error: str
) -> None:
    found = concept_errors(old, new)
    assert any(line.startswith(error) for line in found), found


def test_elements_are_one_to_twenty() -> None:
    start = STIMULUS.split("elements:", maxsplit=1)[0]
    for count, expected in ((0, "at least 1"), (21, "at most 20")):
        listed = ", ".join(f"{{id: e{i}, label: E{i}}}" for i in range(count))
        with pytest.raises(DocumentInvalid, match=f"f:6:11: elements: found .*{expected}"):
            load_concept(f"{start}elements: [{listed}]\n", "f")


def test_a_concept_says_what_it_lacks_to_be_shown() -> None:
    bare = load_concept("id: drink\nname: Drink\nmethodology: laddering\n")
    assert bare.unshown == ("stimulus", "elements")


def test_persona_with_its_range_turned_round() -> None:
    text = "id: calm\nname: Calm\ndescription: d\ntraits:\n  statements_per_answer: [3, 1]\n"
    with pytest.raises(DocumentInvalid) as caught:
        load_persona(text, "f")
    assert str(caught.value) == "f:5:26: found 3 to 1, expected the smaller number first"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            "    valid_when: {graph.node.is_orphan: false}\n",
            "valid_when wants graph.node.is_orphan",
        ),
        ("    valid_when: {graph.node.is_orphan: true}\n", ""),
        ("    valid_when: {llm.engagement.low: true}\n", "valid_when wants llm.engagement.low"),
        ("    valid_when: {llm.engagement.high: true}\n", ""),
        ("    suits: {types: [value]}\n", ""),
    ],
)
def test_a_weight_that_a_condition_shuts_out_is_a_warning(more: str, why: str) -> None:
    text = TEXT.replace(
        "    description: Ask why it matters\n", f"    description: Ask why\n{more}"
    )
    warnings = [warning.message for warning in load_document(text).warnings]
    assert [why in warning and "never acts" in warning for warning in warnings] == [True] * bool(
        why
    )


def test_a_weight_on_a_kind_that_a_strategy_does_not_suit_is_a_warning() -> None:
    text = TEXT.replace(
        "    description: Ask why it matters\n",
        "    description: Ask why\n    suits: {types: [value]}\n",
    ).replace("      graph.node.is_orphan: 0.3\n", "      graph.node.type.attribute: 0.3\n")
    (warning,) = load_document(text).warnings
    assert warning.message == (
        "graph.node.type.attribute never acts: the strategy suits types value only"
    )

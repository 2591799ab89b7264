from __future__ import annotations

from collections.abc import Collection

import pytest

from graphs.ontology import EdgeType, NodeType, Ontology
from interviews.llm.tasks.extraction import Concept, ExtractionOutput, Relationship
from interviews.pipeline.stages.extraction import check, locate
from interviews.turns.contracts import ExtractionOutput as Checked

ONTOLOGY = Ontology(
    node_types=(NodeType(name="feature", level=1), NodeType(name="value", level=2, terminal=True)),
    edge_types=(EdgeType(name="leads_to", permitted=frozenset({("feature", "value")})),),
)
ANSWER = "It has Soft  straps,\nso I feel free."


def concept(label: str, node_type: str = "feature", quote: str = "soft straps") -> Concept:
    return Concept(label=label, node_type=node_type, quote=quote)


def relation(
    source: tuple[str, str], target: tuple[str, str], edge_type: str = "leads_to"
) -> Relationship:
    return Relationship(
        source=source[0],
        source_type=source[1],
        target=target[0],
        target_type=target[1],
        edge_type=edge_type,
        quote="so I feel free",
    )


def run(
    *concepts: Concept, relations: tuple[Relationship, ...] = (), known: Collection[str] = ()
) -> Checked:
    return check(
        ExtractionOutput(extractable=True, concepts=concepts, relationships=relations),
        answer=ANSWER,
        ontology=ONTOLOGY,
        known_labels=set(known),
        ratings={},
    )


def test_a_quote_is_found_across_case_and_white_space_and_kept_as_it_was_said() -> None:
    kept = run(concept("soft straps")).concepts[0]
    assert (kept.quote, kept.start, kept.end) == ("Soft  straps", 7, 19)


@pytest.mark.parametrize(
    ("proposed", "reason"),
    [
        (concept("soft straps", node_type="colour"), "unknown node type colour"),
        (concept("hard straps", quote="hard straps"), "the quote is not in the answer"),
    ],
)
def test_what_ontology_or_answer_do_not_bear_out_is_dropped_with_its_reason(
    proposed: Concept, reason: str
) -> None:
    output = run(proposed)
    assert output.concepts == ()
    assert [(d.kind, d.reason) for d in output.dropped] == [("concept", reason)]


def test_a_permitted_relationship_is_kept_with_its_span() -> None:
    output = run(
        concept("soft straps"),
        concept("freedom", "value", "feel free"),
        relations=(relation(("soft straps", "feature"), ("freedom", "value")),),
    )
    assert [(r.source, r.target) for r in output.relationships] == [("soft straps", "freedom")]
    assert ANSWER[output.relationships[0].start : output.relationships[0].end] == "so I feel free"


@pytest.mark.parametrize(
    ("proposed", "reason"),
    [
        (
            relation(("freedom", "value"), ("soft straps", "feature")),
            "leads_to may not join value to feature",
        ),
        (
            relation(("soft straps", "feature"), ("freedom", "value"), "causes"),
            "unknown edge type causes",
        ),
        (
            relation(("soft straps", "feature"), ("joy", "value")),
            "an end of the relationship is neither in the answer nor in the graph",
        ),
    ],
)
def test_a_relationship_that_cannot_hold_is_dropped_with_its_reason(
    proposed: Relationship, reason: str
) -> None:
    output = run(
        concept("soft straps"), concept("freedom", "value", "feel free"), relations=(proposed,)
    )
    assert output.relationships == ()
    assert [d.reason for d in output.dropped] == [reason]


def test_a_relationship_may_end_at_a_node_of_an_earlier_turn() -> None:
    output = run(
        concept("soft straps"),
        relations=(relation(("soft straps", "feature"), ("freedom", "value")),),
        known={"freedom"},
    )
    assert len(output.relationships) == 1


def test_an_answer_with_nothing_to_extract_keeps_nothing() -> None:
    output = check(
        ExtractionOutput(extractable=False, reason="one word", concepts=(concept("soft straps"),)),
        answer=ANSWER,
        ontology=ONTOLOGY,
        known_labels=set(),
        ratings={"response_depth": 1},
    )
    assert (output.concepts, output.dropped, output.ratings) == ((), (), {"response_depth": 1})


def test_locate_treats_the_quote_as_text_not_as_a_pattern() -> None:
    assert locate("a.c", "abc a.c") == (4, 7)
    assert locate("  ", "anything") is None

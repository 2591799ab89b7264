from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.domain import Node, SessionGraph
from graphs.ontology import EdgeType, NodeType, Ontology
from interviews.acts import Heard
from interviews.llm.tasks.extraction import Concept, ExtractionOutput, Relationship
from interviews.nlp import relations_by_rule
from interviews.pipeline.grounding import TURNED, Known, Span, grounded, locate
from interviews.turns.contracts import ExtractionOutput as Checked

ONTOLOGY = Ontology(
    node_types=(NodeType(name="feature", level=1), NodeType(name="value", level=2, terminal=True)),
    edge_types=(EdgeType(name="leads_to", permitted=frozenset({("feature", "value")})),),
)
ANSWER = "It has Soft  straps,\nso I feel free."


def concept(label: str, node_type: str = "feature", quote: str = "soft straps") -> Concept:
    return Concept(label=label, node_type=node_type, quote=quote)


def nothing(label: str) -> list[Node]:
    return []


def relation(
    source: tuple[str, str],
    target: tuple[str, str],
    edge_type: str = "leads_to",
    *,
    denied: bool = False,
) -> Relationship:
    return Relationship(
        source=source[0],
        source_type=source[1],
        target=target[0],
        target_type=target[1],
        edge_type=edge_type,
        quote="so I feel free",
        denied=denied,
    )


def run(
    *concepts: Concept,
    relations: tuple[Relationship, ...] = (),
    known: Known = nothing,
    orders: tuple[Span, ...] = (),
) -> Checked:
    return grounded(
        ExtractionOutput(extractable=True, concepts=concepts, relationships=relations),
        answer=ANSWER,
        ontology=ONTOLOGY,
        known=known,
        heard=Heard(),
        orders=orders,
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
        (
            relation(("soft straps", "feature"), ("Soft  Straps", "feature")),
            "leads_to may not join feature to feature",
        ),
        (
            relation(("soft straps", "feature"), ("freedom", "value"), denied=True),
            "the respondent denies it",
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
    graph = SessionGraph(nodes=[Node(id="f", label="freedom", node_type="value")])
    output = run(
        concept("soft straps"),
        relations=(relation(("Soft  straps", "feature"), ("Freedom ", "value")),),
        known=graph.called,
    )
    assert [(r.source, r.target) for r in output.relationships] == [("soft straps", "freedom")]


def test_an_end_of_another_type_than_the_one_named_keeps_its_own() -> None:
    graph = SessionGraph(nodes=[Node(id="f", label="freedom", node_type="value")])
    (kept,) = run(
        concept("soft straps"),
        relations=(relation(("soft straps", "feature"), ("freedom", "feature")),),
        known=graph.called,
    ).relationships
    assert kept.target_type == "value"


NAMES = ["soft straps", "free hands", "freedom", "a day off", "grey foam"]


def spread(name: str) -> str:
    return f"  {name.replace(' ', '  ')}"


AS_WRITTEN: list[Callable[[str], str]] = [str, str.upper, str.title, spread]


@given(st.data())
def test_no_edge_between_two_known_labels_is_dropped_because_an_end_is_not_known(
    data: st.DataObject,
) -> None:
    graph = SessionGraph()
    known: dict[str, str] = {}
    for turn, name in enumerate(data.draw(st.lists(st.sampled_from(NAMES), min_size=2)), start=1):
        node_type = data.draw(st.sampled_from(["feature", "value"]))
        if graph.find(node_type, name) is None:
            known[name] = graph.add_node(label=name, node_type=node_type, turn=turn).id
    words = [f"also {name}" for name in known if data.draw(st.booleans())]
    graph = SessionGraph(
        nodes=graph.nodes.values(),
        aliases=[(known[word.removeprefix("also ")], word) for word in words],
    )
    for old in list(graph.nodes):
        new = data.draw(st.sampled_from([None, *graph.nodes]))
        if new is not None and graph.is_live(new):
            graph.supersede(old, by=new)
    every = [*known, *words]
    ends = [
        data.draw(st.sampled_from(AS_WRITTEN))(data.draw(st.sampled_from(every))) for _ in range(2)
    ]
    types = [data.draw(st.sampled_from(["feature", "value", "colour"])) for _ in range(2)]
    output = run(
        relations=(relation((ends[0], types[0]), (ends[1], types[1])),), known=graph.called
    )
    assert not any("neither in the answer" in drop.reason for drop in output.dropped)
    for kept in output.relationships:
        assert {node.label for end in ends for node in graph.called(end)} >= {
            kept.source,
            kept.target,
        }


def test_an_answer_with_nothing_to_extract_keeps_nothing() -> None:
    output = grounded(
        ExtractionOutput(extractable=False, reason="one word", concepts=(concept("soft straps"),)),
        answer=ANSWER,
        ontology=ONTOLOGY,
        known=nothing,
        heard=Heard(),
        orders=(),
        ratings={"response_depth": 1},
    )
    assert (output.concepts, output.dropped, output.ratings) == ((), (), {"response_depth": 1})


def test_locate_treats_the_quote_as_text_not_as_a_pattern() -> None:
    assert locate("a.c", "abc a.c") == (4, 7)
    assert locate("  ", "anything") is None


def test_what_stands_in_an_order_to_the_interviewer_is_no_concept() -> None:
    inside = locate("soft straps", ANSWER)
    assert inside is not None
    output = run(concept("soft straps"), orders=(inside,))
    assert output.concepts == ()
    assert [drop.reason for drop in output.dropped] == ["it is an order to the interviewer"]


WAYS = Ontology(
    node_types=(NodeType(name="step", level=1),),
    edge_types=(EdgeType(name="leads_to", permitted=frozenset({("step", "step")})),),
)


@pytest.mark.parametrize(
    ("answer", "read", "turns"),
    [
        ("I sleep badly, so I drink coffee.", ("drink coffee", "sleep badly"), True),
        ("I sleep badly, so I drink coffee.", ("sleep badly", "drink coffee"), False),
        ("I drink coffee because I sleep badly.", ("drink coffee", "sleep badly"), False),
    ],
)
def test_a_relation_that_runs_against_a_connective_is_turned_round(
    answer: str, read: tuple[str, str], turns: bool
) -> None:
    source, target = read
    output = grounded(
        ExtractionOutput(
            extractable=True,
            concepts=tuple(concept(one, "step", one) for one in read),
            relationships=(
                Relationship(
                    source=source, source_type="step", target=target, target_type="step",
                    edge_type="leads_to", quote=answer,
                ),
            ),
        ),
        answer=answer, ontology=WAYS, known=nothing, heard=Heard(), orders=(), ratings={},
        joined=relations_by_rule(answer),
    )  # fmt: skip
    found = [(one.source, one.target) for one in output.relationships]
    assert found == [(target, source) if turns else (source, target)]
    assert [one.reason for one in output.dropped] == ([TURNED] if turns else [])

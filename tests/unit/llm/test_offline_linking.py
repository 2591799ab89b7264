"""How relations between statements get the edge types that an ontology permits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.llm.providers.offline.linking import link
from interviews.llm.providers.offline.reader.reading import Related
from interviews.llm.providers.offline.statements import ReadAnswer, Statement
from tests.unit.llm.offline_samples import extraction_inputs


@pytest.mark.parametrize(
    ("types", "contrast", "edge", "source"),
    [
        (("psychosocial_consequence", "instrumental_value"), False, "leads_to", 0),
        (("psychosocial_consequence", "instrumental_value"), True, "conflicts_with", 0),
        # no chain runs down from a value, and a reason is no conflict: it is what leads up to it
        (("instrumental_value", "psychosocial_consequence"), False, "leads_to", 1),
        (("instrumental_value", "psychosocial_consequence"), True, "conflicts_with", 0),
    ],
)
def test_a_relation_gets_an_edge_type_of_its_own_kind(
    types: tuple[str, str], contrast: bool, edge: str, source: int
) -> None:
    ends = [
        Statement(label=name, node_type=name, start=place, end=place + 1, types={name: 1.0})
        for place, name in enumerate(types)
    ]
    related = Related(source=0, target=1, probability=0.9, contrast=contrast)
    reading = ReadAnswer(statements=tuple(ends), related=((ends[0], ends[1], related),))
    (found,) = link(extraction_inputs("ab"), reading)
    assert (found.edge_type, found.source) == (edge, ends[source])


UNUSUAL = ("attribute", "terminal_value")


def read(types: tuple[str, str], *, start: int = 0) -> ReadAnswer:
    ends = [
        Statement(label=f"{place}", node_type=name, start=start * place, end=start * place + place,
                  types={name: 1.0})
        for place, name in enumerate(types, start=1)
    ]  # fmt: skip
    related = Related(source=0, target=1, probability=0.9, contrast=False)
    return ReadAnswer(statements=tuple(ends), related=((ends[0], ends[1], related),))


def test_a_relation_that_nothing_permits_is_told_only_where_it_is_asked_for() -> None:
    plain = extraction_inputs("ab")
    unusual = plain.model_copy(update={"unusual": True})
    assert link(plain, read(UNUSUAL)) == []
    (found,) = link(unusual, read(UNUSUAL))
    assert (found.source.label, found.target.label, found.edge_type) == ("1", "2", "leads_to")
    assert (found.source.node_type, found.target.node_type) == UNUSUAL
    of_focus = read(UNUSUAL)
    of_focus.related[0][1].start = of_focus.related[0][1].end  # not said in this answer
    assert link(unusual, of_focus) == []


TYPES = st.sampled_from([one.name for one in extraction_inputs("ab").node_types])


@given(st.tuples(TYPES, TYPES))
def test_to_ask_for_unusual_relations_changes_nothing_about_those_that_are_permitted(
    types: tuple[str, str],
) -> None:
    plain = extraction_inputs("ab")
    usual = [
        (one.source.label, one.target.label, one.edge_type) for one in link(plain, read(types))
    ]
    asked = link(plain.model_copy(update={"unusual": True}), read(types))
    told = [(one.source.label, one.target.label, one.edge_type) for one in asked]
    assert len(told) == 1
    assert usual in ([], told)

"""How relations between statements get the edge types that an ontology permits."""

from __future__ import annotations

import pytest

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

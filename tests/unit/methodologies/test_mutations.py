"""Shipped methodologies gone wrong in any way: refused with their lines, or fit to lead a turn.

Each example changes a shipped file as a slip of an editor would: something is deleted, renamed,
doubled, swapped with another value, or given another type. Words that only extraction reads are
left out first, so that the changes fall where they can do harm.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import event, given, settings
from hypothesis import strategies as st

from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.tasks.questions import (
    FOLLOW_UP_QUESTION,
    FocusInput,
    FollowUpInputs,
    StrategyInput,
)
from methodologies.schema import MethodologySchema
from methodologies.scoring import NodeRef, rank
from methodologies.signals.detection import detect
from methodologies.signals.meta import interview_phase
from methodologies.yaml_loader import DocumentInvalid, load_methodology
from tests.unit.methodologies.samples import Interview

LIBRARY = Path(__file__).parents[3] / "methodologies" / "library" / "methodologies"
SHIPPED = sorted(path.stem for path in LIBRARY.glob("*.yaml"))
LOCATED = re.compile(r"f:[1-9]\d*:[1-9]\d*: \S.*")
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 1e9, 0.5, "", "x", "graph.node.exhausted", "llm.engagement.high",
    "meta", "none", [], ["x"], {}, {"x": 1}, [["x", "y"]],
)  # fmt: skip
RATINGS = dict.fromkeys(
    ("response_depth", "specificity", "certainty", "valence", "engagement",
     "intellectual_engagement"), 4,
)  # fmt: skip
PROVIDER = OfflineProvider()


class WithoutAliases(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    def ignore_aliases(self, data: Any) -> bool:
        return True


@cache
def plain(name: str) -> Any:
    """A shipped methodology without the words that its extraction goes by; not to be changed."""
    document = yaml.safe_load((LIBRARY / f"{name}.yaml").read_text(encoding="utf-8"))
    for node in document["ontology"]["nodes"]:
        node.pop("cues", None)
        node.pop("examples", None)
    document["ontology"].pop("synonyms", None)
    document["ontology"].pop("extractability_criteria", None)
    return yaml.safe_load(written(document))  # nothing stands in two places


@cache
def plain_text(name: str) -> str:
    return written(plain(name))


def written(document: Any) -> str:
    """The document as text, with what stands in two places written out twice."""
    return str(yaml.dump(document, Dumper=WithoutAliases, sort_keys=False, width=100))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a document with every key or index in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def changed(document: Any, draw: Any) -> str:
    """Make one change and return its kind."""
    found = list(places(document))
    parent, key = found[draw(st.integers(0, len(found) - 1))]
    kind: str = draw(st.sampled_from(["delete", "rename", "double", "swap", "retype"]))
    if kind == "delete":
        del parent[key]
    elif kind == "retype":
        parent[key] = copy.deepcopy(VALUES[draw(st.integers(0, len(VALUES) - 1))])
    elif kind == "swap":
        other, place = found[draw(st.integers(0, len(found) - 1))]
        parent[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(parent[key])
    elif kind == "double" and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif isinstance(parent, dict):  # a name mistyped, or given to something that has one
        other_key = str(found[draw(st.integers(0, len(found) - 1))][1])
        parent[f"{key}x" if kind == "rename" else other_key] = parent.pop(key)
    else:
        parent[key] = f"{parent[key]}x"
    return kind


def lead_turns(methodology: MethodologySchema) -> None:
    """Score an empty graph and a full one, early and late, and word what was chosen."""
    ontology = methodology.graph_ontology
    full = Interview(ontology)
    for turn, kind in enumerate(ontology.node_types, start=1):
        full.ask(full.node(f"a {kind.name} of theirs", kind.name, turn), turn)
        full.answer("surface", turn)
    for edge in ontology.edge_types:
        for source, target in sorted(edge.permitted):
            ends = [next(n.id for n in full.graph.nodes.values() if n.node_type == end)
                    for end in (source, target)]  # fmt: skip
            if ends[0] != ends[1]:
                full.graph.add_edge(
                    source_id=ends[0], target_id=ends[1], edge_type=edge.name, turn=1
                )
    boundaries = methodology.phase_boundaries
    limits = (boundaries.early_until, boundaries.late_from) if boundaries else None
    names = [name for group in methodology.signals.values() for name in group]
    for interview in (Interview(ontology), full):
        nodes = [NodeRef(id=n, first_turn=1, order=i) for i, n in enumerate(interview.graph.nodes)]
        for turn in (1, 8, 15):
            inputs = interview.inputs(
                turn=turn, max_turns=15, ratings=RATINGS, phase_boundaries=limits
            )
            reading = detect(names, inputs)
            phase = interview_phase(turn, 15, limits)
            for closing_only in (False, True):
                ranking = rank(
                    methodology, reading, phase=phase, nodes=nodes, closing_only=closing_only
                )
                spec = methodology.strategies_by_name[ranking.chosen.strategy]
                assert spec.generates_closing_question is closing_only
                ask(methodology, spec.name, interview, ranking.chosen.node_id)


def ask(
    methodology: MethodologySchema, name: str, interview: Interview, node_id: str | None
) -> None:
    spec = methodology.strategies_by_name[name]
    node = interview.graph.nodes[node_id] if node_id else None
    inputs = FollowUpInputs(
        subject="tea",
        strategy=StrategyInput(
            name=spec.name,
            description=spec.description,
            focus_mode=spec.focus_mode,
            probes=spec.probes,
        ),
        focus=FocusInput(label=node.label, node_type=node.node_type) if node else None,
    )
    assert PROVIDER.complete(FOLLOW_UP_QUESTION, inputs).question.endswith("?")


def refused_or_fit(text: str) -> str:
    try:
        methodology = load_methodology(text, "f")
    except DocumentInvalid as error:
        lines = str(error).splitlines()
        assert lines
        assert [line for line in lines if not LOCATED.fullmatch(line)] == []
        return "refused"
    lead_turns(methodology)
    return "fit"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_methodology_is_fit_as_it_is(name: str) -> None:
    assert refused_or_fit(plain_text(name)) == "fit"


@settings(max_examples=100)
@given(name=st.sampled_from(SHIPPED), data=st.data())
def test_a_changed_methodology_is_refused_with_its_lines_or_leads_a_turn(
    name: str, data: st.DataObject
) -> None:
    document = copy.deepcopy(plain(name))
    kinds = [changed(document, data.draw) for _ in range(data.draw(st.integers(1, 3)))]
    event(f"{kinds[0]}: {refused_or_fit(written(document))}")


@settings(max_examples=60)
@given(name=st.sampled_from(SHIPPED), data=st.data())
def test_a_line_doubled_moved_or_lost_is_refused_or_leads_a_turn(
    name: str, data: st.DataObject
) -> None:
    lines = plain_text(name).splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    line = lines[at]
    kind = data.draw(st.sampled_from(["double", "lose", "move", "indent"]))
    if kind == "double":
        lines.insert(at, line)
    elif kind == "indent":
        lines[at] = f"  {line}"
    else:
        del lines[at]
        if kind == "move":
            lines.insert(data.draw(st.integers(0, len(lines))), line)
    event(f"{kind}: {refused_or_fit(chr(10).join(lines))}")


WRONG = [
    ("an unknown signal", r"graph\.node\.is_orphan\b", "graph.node.is_orfan"),
    ("an unknown qualifier", r"\.high: ", ".hihg: "),
    ("an unknown node type in a connection", r"(permitted_connections:\n +- - )\w+", r"\1nothing"),
    ("a phase for an unknown strategy", r"(signal_weights:\n +)reflect: ", r"\1reflekt: "),
    ("a plain weight on a count", r"graph\.orphan_count\.(?:non)?zero: |graph\.edge_count\.zero: ",
     "graph.node_count: "),
    ("a terminal at the level where chains begin", r"level: [2-9]\n(  +terminal: true)",
     r"level: 1\n\1"),
    ("two types of one name", r"(- name: )(\w+)(\n +level: 1\n(?:.*\n)*?)( +- name: )\w+",
     r"\1\2\3\4\2"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "by"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
@pytest.mark.parametrize("name", SHIPPED)
def test_each_kind_of_mistake_is_refused_where_it_stands(name: str, pattern: str, by: str) -> None:
    text = plain_text(name)
    wrong = re.sub(pattern, by, text, count=1)
    if wrong == text:  # this file holds nothing that this mistake could be made with
        wrong = re.sub(r"(signal_weights:\n)( +)", r"\1\2graph.node_count: 0.5\n\2", text, count=1)
    with pytest.raises(DocumentInvalid) as caught:
        load_methodology(wrong, "f")
    errors = [p for p in caught.value.problems if p.severity == "error"]
    assert errors
    assert all(1 <= p.line <= wrong.count("\n") + 1 and p.column >= 1 for p in errors)

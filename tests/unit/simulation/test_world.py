"""Worlds: what the loader refuses, and that every shipped world is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml
from pydantic import ValidationError

from interviews.simulation.world import (
    MINIMUM_STATEMENTS,
    available_worlds,
    load_world,
    read_world,
)

CONCEPTS = Path(__file__).parents[3] / "methodologies" / "library" / "concepts"


def document(count: int = MINIMUM_STATEMENTS) -> dict[str, Any]:
    """A valid world of `count` statements, each leading to the next."""
    return {
        "concept": "umbrellas",
        "respondent": "somebody",
        "greetings": ["Hello.", "Hi there."],
        "fillers": ["well", "hm"],
        "tangents": ["It is raining.", "My dog barks."],
        "statements": [
            {
                "id": f"s{i}",
                "level": 1 + i * 4 // (count - 1),
                "kind": "feature",
                "topics": ["rain"],
                "phrasings": [f"it is the number {i}", f"number {i} it is"],
                "leads_to": [f"s{i + 1}"] if i + 1 < count else [],
            }
            for i in range(count)
        ],
    }


def refusal(data: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        read_world(yaml.safe_dump(data))
    return str(caught.value)


def test_a_sound_world_is_read() -> None:
    world = read_world(yaml.safe_dump(document()))
    assert len(world.statements) == 25
    assert world.upward["s0"] == ("s1",)
    assert world.downward["s1"] == ("s0",)
    assert len(list(world.edges)) == 24


def test_too_few_statements_are_refused() -> None:
    assert "at least 25 items" in refusal(document(24))


def test_a_link_to_nowhere_is_refused() -> None:
    data = document()
    data["statements"][3]["because"] = ["s99"]
    assert "statement 's3' links to 's99', which does not exist" in refusal(data)


def test_a_link_to_itself_is_refused() -> None:
    data = document()
    data["statements"][3]["leads_to"] = ["s3"]
    assert "statement 's3' links to itself" in refusal(data)


def test_an_id_used_twice_is_refused() -> None:
    data = document()
    data["statements"][4]["id"] = "s3"
    assert "statement 's3' is defined 2 times" in refusal(data)


def test_a_phrasing_used_twice_is_refused() -> None:
    data = document()
    data["statements"][4]["phrasings"][0] = "It is the number 3"
    assert "phrasing 'it is the number 3' is used 2 times" in refusal(data)


def test_an_unknown_key_is_refused() -> None:
    data = document()
    data["statements"][0]["mood"] = "good"
    assert "Extra inputs are not permitted" in refusal(data)


def test_a_phrasing_with_closing_punctuation_is_refused() -> None:
    data = document()
    data["statements"][0]["phrasings"][0] = "it has ended."
    assert "String should match pattern" in refusal(data)


def test_because_is_a_link_from_the_ground_upward() -> None:
    data = document()
    data["statements"][9]["because"] = ["s2"]
    world = read_world(yaml.safe_dump(data))
    assert world.upward["s2"] == ("s3", "s9")
    assert world.downward["s9"] == ("s2", "s8")


def test_a_world_under_another_concepts_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "parasols.yaml").write_text(yaml.safe_dump(document()), encoding="utf-8")
    with pytest.raises(ValueError, match="the world of 'parasols' says that it is about"):
        load_world("parasols", directory=tmp_path)


def test_every_world_is_about_a_shipped_concept_and_there_are_six() -> None:
    concepts = {path.stem for path in CONCEPTS.glob("*.yaml")}
    assert set(available_worlds()) <= concepts
    assert len(available_worlds()) >= 6


@pytest.mark.parametrize("concept", available_worlds())
class TestShippedWorlds:
    def test_has_every_level_and_kind_in_several_phrasings(self, concept: str) -> None:
        world = load_world(concept)
        assert len(world.statements) >= 25
        assert {s.level for s in world.statements} == {1, 2, 3, 4, 5}
        assert {s.kind for s in world.statements} == {
            "feature",
            "consequence",
            "feeling",
            "value",
            "incident",
        }
        assert all(len(s.phrasings) >= 2 for s in world.statements)

    def test_links_never_run_downward_or_in_circles(self, concept: str) -> None:
        world = load_world(concept)
        assert nx.is_directed_acyclic_graph(nx.DiGraph(world.edges))
        for source, target in world.edges:
            assert world.by_id[source].level <= world.by_id[target].level, (source, target)

    def test_most_concrete_statements_reach_a_value(self, concept: str) -> None:
        world = load_world(concept)
        graph = nx.DiGraph(world.edges)
        graph.add_nodes_from(world.by_id)
        concrete = [s.id for s in world.statements if s.level == 1]
        reaching = [
            name
            for name in concrete
            if any(world.by_id[end].level >= 4 for end in nx.descendants(graph, name))
        ]
        assert len(reaching) >= 0.7 * len(concrete)

    def test_values_and_incidents_want_the_right_question(self, concept: str) -> None:
        for statement in load_world(concept).statements:
            if statement.kind == "incident":
                assert "incident" in statement.tell_when, statement.id
            if statement.kind == "value":
                assert statement.tell_when, statement.id

    def test_something_can_be_told_without_being_asked_rightly(self, concept: str) -> None:
        free = [s for s in load_world(concept).statements if not s.tell_when]
        assert {s.level for s in free} >= {1, 2}
        assert len(free) >= 10

"""The methodologies' own views, worked out by hand."""

from __future__ import annotations

import yaml

from analytics.method_views import Grid, Link, MethodView, Said, method_view
from graphs.ontology import Ontology
from methodologies.registry import LIBRARY
from methodologies.schema import MethodologySchema


def ontology(name: str) -> Ontology:
    text = (LIBRARY / "methodologies" / f"{name}.yaml").read_text("utf-8")
    return MethodologySchema.model_validate(yaml.safe_load(text)).graph_ontology


def view(name: str, concepts: dict[str, str], links: list[tuple[str, str, str]]) -> MethodView:
    said = [
        Said(id=label, label=label, kind=kind, turn=1, order=(1, place))
        for place, (label, kind) in enumerate(concepts.items())
    ]
    found = method_view(
        ontology(name), said, [Link(source=a, kind=kind, target=b) for a, kind, b in links]
    )
    assert found is not None
    return found


def plain(grid: Grid) -> dict[str, list[str]]:
    """Each row by what stands at its head; a cell as its concepts and rating."""

    def text(cell: object) -> str:
        concepts = [one.label for one in cell.concepts]  # type: ignore[attr-defined]
        return " + ".join([*concepts, *([cell.rating] if cell.rating else [])])  # type: ignore[attr-defined]

    return {text(head): [text(cell) for cell in cells] for head, cells in grid.rows}


def test_forces_and_timeline_of_a_job() -> None:
    found = view(
        "jobs_to_be_done",
        {
            "app": "current_solution",
            "paper list": "current_solution",
            "moved in": "job_trigger",
            "forget things": "pain_point",
            "learning it": "pain_point",
            "plan the week": "functional_job",
            "nothing goes bad": "desired_outcome",
            "on top of things": "emotional_job",
        },
        [
            ("app", "replaces", "paper list"),
            ("moved in", "triggers", "plan the week"),
            ("learning it", "blocks", "plan the week"),
            ("plan the week", "enables", "on top of things"),
        ],
    )
    forces, timeline = found.grids
    assert plain(forces) == {
        "Push of the situation": ["moved in + forget things"],
        "Pull of what is hoped for": ["nothing goes bad"],
        "Anxiety and hindrance": ["learning it"],
        "Habit: what is used now": ["app + paper list"],
    }
    assert plain(timeline) == {
        "paper list": ["", ""],
        "app": ["", ""],
        "moved in": ["plan the week", "on top of things"],
    }


def test_an_incident_is_told_from_its_cause_to_what_it_taught() -> None:
    found = view(
        "critical_incident",
        {
            "alone at night": "situation",
            "no briefing": "contributing_factor",
            "rang the ward": "action",
            "got help": "outcome",
            "felt safe": "personal_meaning",
            "always ask": "learned_principle",
            "felt lost": "personal_meaning",
        },
        [
            ("alone at night", "led_to", "rang the ward"),
            ("no briefing", "led_to", "rang the ward"),
            ("rang the ward", "led_to", "got help"),
            ("got help", "meant", "felt safe"),
            ("felt safe", "taught", "always ask"),
        ],
    )
    assert plain(found.grids[0]) == {
        "alone at night": ["no briefing", "rang the ward", "got help", "felt safe", "always ask"],
        "not tied to a situation": ["", "", "", "felt lost", ""],
    }


def test_stages_of_a_journey_stand_in_their_order_with_what_was_felt() -> None:
    found = view(
        "customer_journey",
        {
            "paid": "step",
            "web shop": "touchpoint",
            "slow page": "pain",
            "nice box": "delight",
            "be in control": "underlying_need",
        },
        [
            ("web shop", "followed_by", "paid"),
            ("web shop", "experienced_as", "slow page"),
            ("slow page", "touches", "be in control"),
        ],
    )
    grid = found.grids[0]
    assert [cells.concepts[0].label for cells, _ in grid.rows[:2]] == ["web shop", "paid"]
    assert plain(grid) == {
        "web shop": ["slow page", "", "be in control"],
        "paid": ["", "", ""],
        "not tied to a stage": ["", "nice box", ""],
    }


def test_elements_are_rated_by_the_poles_that_were_said_of_them() -> None:
    found = view(
        "repertory_grid",
        {
            "first boss": "element",
            "new boss": "element",
            "old firm": "element",
            "neighbour": "element",
            "door open": "concrete_sign",
            "takes you seriously": "construct_pole",
            "rather stiff": "construct_pole",
        },
        [
            ("takes you seriously", "opposite_of", "rather stiff"),
            ("first boss", "characterised_by", "door open"),
            ("door open", "characterised_by", "takes you seriously"),
            ("new boss", "differs_from", "takes you seriously"),
            ("old firm", "characterised_by", "rather stiff"),
            ("old firm", "characterised_by", "takes you seriously"),
        ],
    )
    grid = found.grids[0]
    assert grid.columns == ("construct", "first boss", "new boss", "old firm", "neighbour")
    assert plain(grid) == {"takes you seriously + rather stiff": ["1", "5", "3", ""]}


def test_what_replaces_one_another_in_a_circle_is_still_listed_once() -> None:
    found = view(
        "jobs_to_be_done",
        {"a": "current_solution", "b": "current_solution"},
        [("a", "replaces", "b"), ("b", "replaces", "a")],
    )
    assert list(plain(found.grids[1])) == ["a", "b"]


def test_a_ladder_has_no_view_of_its_own() -> None:
    assert method_view(ontology("means_end_chain"), [], []) is None

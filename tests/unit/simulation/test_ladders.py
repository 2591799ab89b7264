"""A world written as ladders: lines of what leads to what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.simulation.ladders import LaddersInvalid, world_of_ladders
from interviews.simulation.respondent import SimulatedRespondent
from methodologies.registry import LIBRARY
from methodologies.schema import PersonaSchema
from methodologies.yaml_loader import load_persona

LADDERS = """
the lid closes tightly / nothing runs out > I throw it into my bag > feeling: I feel at ease
the cup keeps warm > I drink slowly > feeling: I calm down > I stay in balance
it is light > I throw it into my bag. > I am out more often
"""


def faults_of(text: str) -> tuple[str, ...]:
    with pytest.raises(LaddersInvalid) as raised:
        world_of_ladders("cup", text)
    return raised.value.faults


def test_lines_that_share_a_step_meet_in_it() -> None:
    world = world_of_ladders("cup", LADDERS)
    lid = world.statements[0]
    assert lid.phrasings == ("the lid closes tightly", "nothing runs out")
    assert [(one.kind, one.level) for one in world.statements[:3]] == [
        ("feature", 1),
        ("consequence", 3),
        ("feeling", 5),
    ]
    bag = world.by_id[lid.leads_to[0]]
    assert {world.by_id[name].phrasings[0] for name in world.upward[bag.id]} == {
        "I feel at ease",
        "I am out more often",
    }


@pytest.mark.parametrize("name", sorted(path.stem for path in (LIBRARY / "personas").glob("*")))
def test_every_persona_answers_thirty_questions_from_a_small_world(name: str) -> None:
    persona: PersonaSchema = load_persona(
        (LIBRARY / "personas" / f"{name}.yaml").read_text(encoding="utf-8")
    )
    respondent = SimulatedRespondent(world_of_ladders("cup", LADDERS), persona, 3)
    asked = ["What do you think of the cup?", *["Why is that important to you?"] * 15,
             *["What else do you notice about it?"] * 14]  # fmt: skip
    assert all(respondent.answer(question, n) for n, question in enumerate(asked, 1))
    assert respondent.told


def test_all_that_is_wrong_is_told_with_its_line() -> None:
    faults = faults_of("only one step\na cup > a > b\nit is warm > It is warm!\n")
    assert [fault.split(":")[0] for fault in faults[:3]] == [
        "Line 1",
        "Line 2, step 2",
        "Line 3, step 2",
    ]
    assert "different steps" in faults[3]


def test_nothing_written_is_no_world() -> None:
    assert len(faults_of("")) == 2
    assert "at most" in faults_of("x" * 50_000)[0]


@given(st.text(alphabet="ab >/:.\nfeling", max_size=400))
def test_any_text_is_a_world_or_told_why_not(text: str) -> None:
    told: tuple[str, ...] = ()
    size = 0
    try:
        size = len(world_of_ladders("cup", text).statements)
    except LaddersInvalid as error:
        told = error.faults
    assert bool(told) != (size >= 8)

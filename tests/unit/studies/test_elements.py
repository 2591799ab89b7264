from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from interviews.elements import NothingToPropose, propose, settled
from interviews.llm.tasks.element_proposal import ProposedElement

LAMP = "GlowOne follows  the daylight.\nIt costs 39 euros."


def proposed(id_: str, quote: str, **more: object) -> ProposedElement:
    return ProposedElement.model_validate({"id": id_, "label": id_, "quote": quote, **more})


def test_what_a_model_proposes_holds_as_far_as_it_stands_in_the_text() -> None:
    found = settled(
        LAMP,
        [
            proposed("Price!", "it costs 39 EUROS", kind="price", aliases=("cost", "Cost")),
            proposed("light", "follows the daylight", connects_to=("Price!", "light", "moon")),
            proposed("warmth", "keeps you warm"),
            proposed("price", "39 euros"),
            proposed("again", "follows the daylight"),
        ],
    )
    assert [(p.id, p.quote, p.start, p.end) for p in found] == [
        ("light", "follows  the daylight", 8, 29),
        ("price", "It costs 39 euros", 31, 48),
    ]
    assert found[0].connects_to == ("price",)
    assert found[1].aliases == ("cost",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no text"),
        (" ... ", "no text"),
        ("word " * 801, "4,005 characters; a stimulus has 4,000"),
    ],
)
def test_a_text_that_gives_no_elements_says_why(text: str, why: str) -> None:
    with pytest.raises(NothingToPropose, match=why):
        propose(text)


def test_the_command_prints_proposals_with_their_places(tmp_path: Path) -> None:
    file, out = tmp_path / "lamp.txt", StringIO()
    file.write_text(LAMP, encoding="utf-8")
    call_command("elements", str(file), "--json", stdout=out)
    elements = json.loads(out.getvalue())["elements"]
    keys = ["id", "label", "aliases", "kind", "priority", "connects_to", "quote", "start", "end"]
    assert [list(element) for element in elements] == [keys] * 2
    assert [LAMP[e["start"] : e["end"]] for e in elements] == [e["quote"] for e in elements]
    assert [e["kind"] for e in elements] == ["claim", "price"]


def test_an_empty_file_exits_with_1(tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_text("\n")
    with pytest.raises(CommandError, match="no text to find elements in") as caught:
        call_command("elements", str(file))
    assert caught.value.returncode == 1

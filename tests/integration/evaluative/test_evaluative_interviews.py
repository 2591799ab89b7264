"""Whole concept tests through the services, by the offline rules."""

from __future__ import annotations

import io
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from methodologies.evaluative import SCORERS, shipped_rules
from methodologies.registry import load_library

pytestmark = pytest.mark.django_db

CONCEPT = Path(__file__).parents[2] / "data" / "evaluative" / "concept.yaml"
ANSWERS = (
    "It sounds nice, and I like the foam because a flat coffee makes me sad in the morning.",
    "I doubt that it costs less than milk, the oat drinks in my shop are always expensive.",
    "Three ingredients is great, because then I know what I drink and I feel safe.",
    "dunno",
    "The bottle is annoying, since I have to carry it back and I have no car.",
    "I don't want to talk about that.",
    "Knowing where the oats come from gives me trust, and that lets me enjoy it.",
    "When it foams well I can treat my guests, and that makes me proud.",
    "It would save me money every week, so I could buy better coffee.",
    "whatever",
    "no idea",
    "meh",
    "nothing",
)


@pytest.fixture(autouse=True)
def library() -> None:
    list(load_library())


def held(folder: Path, answers: tuple[str, ...], *more: str) -> dict[str, Any]:
    """The report of an interview with these answers."""
    file, out = folder / "answers.txt", io.StringIO()
    file.write_text("\n".join(answers), encoding="utf-8")
    options = [
        "--mode",
        "evaluative",
        "--methodology",
        "means_end_chain",
        "--concept",
        str(CONCEPT),
    ]
    call_command("interview", *options, "--answers", str(file), "--json", *more, stdout=out)
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def test_an_interview_tells_what_it_covered_and_how_it_chose(tmp_path: Path) -> None:
    report = held(tmp_path, ANSWERS)
    assert report["mode"] == "evaluative"
    assert report["termination_reason"] == "fatigued"
    assert report["opening_block"]["kind"] == "stimulus"
    turns = report["turns"]
    for turn in turns:
        told = turn["evaluative"]
        assert set(told) == {"momentum", "coverage", "mapped", "reactions", "graph", "tactic"}
        assert set(told["momentum"]) == {"level", "score", "consecutive_low", "fatigued"}
        assert set(told["coverage"]) == {"ratio", "complete", "gaps"}
        assert set(told["graph"]) == {
            "isolated",
            "ambiguous",
            "terminal",
            "unexplored",
            "active_branch",
            "tensions",
        }
        assert turn["evidence"]["rules"] == shipped_rules().checksum
        for candidate in turn["candidates"]:
            assert tuple(candidate["multipliers"]) == tuple(candidate["weights"]) == SCORERS
            final = candidate["base"] * math.prod(
                value ** candidate["weights"][name]
                for name, value in candidate["multipliers"].items()
            )
            assert math.isclose(candidate["final"], final, abs_tol=1e-9)
            assert set(candidate["focus"]) == {"kind", "ref", "label"}
    first, second = turns[0], turns[1]
    assert first["candidates"][0]["strategy"] == first["strategy"] == "ensure_coverage"
    assert first["focus"]["label"] == "costs less than milk"  # priority 1, and foam was named
    assert [found["element"] for found in first["evaluative"]["mapped"]] == ["foam"]
    assert ("price", "skeptical") in reactions(second)
    refused = next(turn for turn in turns if turn["act"] == "refuses")
    assert refused["evidence"]["refused"] == "oats from farms in your region"
    assert [turn["evaluative"]["momentum"]["level"] for turn in turns[-3:]] == ["low"] * 3
    by_id = {row["element"]: row for row in report["coverage"]}
    assert set(by_id) == {"foam", "ingredients", "region", "price", "bottle"}
    assert by_id["price"]["reaction"] == by_id["price"]["reactions"][-1]["reaction"]
    assert len(by_id["price"]["reactions"]) > 1
    assert by_id["region"]["exhausted"]
    assert by_id["bottle"]["mentioned"]
    assert by_id["bottle"]["quotes"][0]["quote"].startswith("The bottle")
    assert set(by_id["foam"]) == {
        "element",
        "mentioned",
        "reaction",
        "reactions",
        "understood",
        "focuses",
        "exhausted",
        "gaps",
        "quotes",
    }


def reactions(turn: dict[str, Any]) -> list[tuple[str, str]]:
    return [(found["element"], found["reaction"]) for found in turn["evaluative"]["reactions"]]


def test_why_a_question_was_asked_is_told_with_its_multipliers(tmp_path: Path) -> None:
    report = held(tmp_path, ANSWERS[:2])
    out = io.StringIO()
    call_command("explain", report["session"], "1", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["candidates"] == report["turns"][0]["candidates"]
    said = " ".join(told["sentences"])
    assert "it was not spoken of yet" in said
    assert "coverage_quality, ×2.5" in said


def test_the_page_draws_the_choice_from_base_to_final(tmp_path: Path, admin_client: Client) -> None:
    report = held(tmp_path, ANSWERS[:2])
    html = admin_client.get(f"/dashboard/sessions/{report['session']}/").content.decode()
    drawn = html.split("waterfall__table")[1].split("</table>")[0]
    names = re.findall(r'<th scope="row">([a-z ]+)', drawn)
    assert names == ["base", *(name.replace("_", " ") for name in SCORERS), "final"]
    assert "open element probe" in drawn
    assert f"{report['turns'][0]['candidates'][0]['final']:.3f}" in html


@pytest.mark.parametrize("answers", [("",), ("?!",), ("yes", "no"), ("stop it, please",)])
def test_it_ends_on_any_answers(tmp_path: Path, answers: tuple[str, ...]) -> None:
    many = tuple(answer or "." for answer in answers * 12)
    report = held(tmp_path, many, "--max-turns", "5")
    assert report["status"] in ("completed", "abandoned")
    assert len(report["turns"]) <= 5


def test_a_question_that_was_not_understood_is_put_again_on_the_same_element(
    tmp_path: Path,
) -> None:
    report = held(tmp_path, ("I like the foam.", "What do you mean by that?", "Ah, it is cheap."))
    first, again = report["turns"][0], report["turns"][1]
    assert again["continuation"]["reason"] == "not_understood"
    assert again["focus"]["label"] == first["focus"]["label"]
    assert again["question"] != first["question"]
    row = next(row for row in report["coverage"] if row["element"] == "price")
    assert row["focuses"] == 1


def test_a_concept_without_elements_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "plain.yaml"
    file.write_text("id: plain\nname: Plain\nmethodology: means_end_chain\n", encoding="utf-8")
    with pytest.raises(CommandError, match="stimulus"):
        call_command(
            "interview",
            *("--mode", "evaluative", "--methodology", "means_end_chain"),
            *("--concept", str(file), "--json", "--answers", str(CONCEPT)),
            stdout=io.StringIO(),
        )

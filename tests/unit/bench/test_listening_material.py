"""The material of the bench of listening: all of it loads, and what is wrong is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from interviews.bench.errors import BenchImpossible
from interviews.bench.listening_material import listening_interviews, readings
from interviews.bench.listening_models import CodedInterview

DATA = Path(__file__).parents[2] / "data" / "listening"


@pytest.fixture(scope="module")
def interviews() -> list[CodedInterview]:
    return listening_interviews(DATA)


def test_all_interviews_and_readings_load(interviews: list[CodedInterview]) -> None:
    assert len(interviews) % 2 == 0
    assert len({interview.id for interview in interviews}) == len(interviews) > 0
    readings(DATA, interviews)


def test_every_methodology_is_in_both_splits(interviews: list[CodedInterview]) -> None:
    splits = Counter((interview.methodology, interview.split) for interview in interviews)
    assert len(splits) == 10


def _turn(number: int) -> dict[str, Any]:
    return {
        "turn": number,
        "asked": {"strategy": "explore", "focus": None},
        "question": "What about your kettle?",
        "answer": "It is loud, so I wake the whole house.",
        "extraction": {
            "extractable": True,
            "concepts": [
                _concept("loud", "attribute", "It is loud"),
                _concept(
                    "wake the whole house", "functional_consequence", "I wake the whole house"
                ),
            ],
            "relationships": [
                {
                    "source": "loud",
                    "target": "wake the whole house",
                    "edge_type": "leads_to",
                    "quote": "It is  LOUD, so I wake",
                    "confidence": 0.9,
                }
            ],
        },
        "rating": {
            "response_depth": 3,
            "specificity": 3,
            "certainty": 3,
            "valence": 2,
            "engagement": 3,
            "intellectual_engagement": 3,
            "act": "answer",
        },
    }


def _concept(label: str, node_type: str, quote: str) -> dict[str, Any]:
    return {"label": label, "node_type": node_type, "quote": quote, "confidence": 0.9, "stance": 0}


def _interview(number: int, split: str) -> dict[str, Any]:
    return {
        "id": f"{number:02}_means_end_chain",
        "split": split,
        "methodology": "means_end_chain",
        "concept": {"name": "Kettles", "subject": "your kettle", "objective": "Learn of kettles."},
        "person": "made up for this test",
        "opening": "What about your kettle?",
        "turns": [_turn(turn) for turn in range(1, 9)],
    }


def _write(folder: Path, *documents: dict[str, Any]) -> None:
    for document in documents:
        file = folder / document["split"] / f"{document['id']}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(document), encoding="utf-8")


def test_quotes_are_compared_without_case_and_double_spaces(tmp_path: Path) -> None:
    _write(tmp_path, _interview(1, "dev"), _interview(2, "held_out"))
    assert [i.split for i in listening_interviews(tmp_path)] == ["dev", "held_out"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "extraction.concepts.0.quote",
            "It is noisy",
            "turn 8: 'It is noisy' is not in the answer",
        ),
        ("extraction.concepts.0.node_type", "feature", "'loud': no node type 'feature'"),
        (
            "extraction.concepts.0.node_type",
            "terminal_value",
            "'loud' was attribute, not terminal_value",
        ),
        ("extraction.concepts.0.label", "Loud", "'Loud' was spelt 'loud'"),
        ("extraction.concepts.1.label", "loud", "'loud' is coded 2 times"),
        ("extraction.relationships.0.source", "heavy", "'heavy' is related but not known"),
        ("extraction.relationships.0.source", "wake the whole house", "is related to itself"),
        ("extraction.relationships.0.edge_type", "contrasts_with", "contrasts_with may not join"),
        ("extraction.relationships.0.quote", "because", "'because' is not in the answer"),
        ("extraction.extractable", False, "extractable is to say whether there are concepts"),
        ("rating.leads", [{"quote": "x", "reason": "personal"}], "'x' is not in the answer"),
        ("rating.disclaimed", ["heavy"], "'heavy' is disclaimed but not known"),
        ("asked.strategy", "ladder", "means_end_chain has no strategy 'ladder'"),
        ("asked.focus", "loud", "explore takes no focus"),
        ("asked", {"strategy": "ladder_up", "focus": "heavy"}, "the focus 'heavy' was not known"),
        ("turn", 3, "turn 8: is numbered 3"),
        ("rating.act", "sulks", "turns.7.rating.act"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, path: str, value: Any, message: str) -> None:
    document = _interview(1, "dev")
    *parents, last = path.split(".")
    place: Any = document["turns"][7]
    for name in parents:
        place = place[int(name) if name.isdigit() else name]
    place[last] = value
    _write(tmp_path, document, _interview(2, "held_out"))
    with pytest.raises(BenchImpossible) as refused:
        listening_interviews(tmp_path)
    assert message in str(refused.value)
    assert "01_means_end_chain.yaml" in str(refused.value)


def test_splits_have_to_be_balanced(tmp_path: Path) -> None:
    _write(tmp_path, _interview(1, "dev"), _interview(2, "dev"), _interview(3, "dev"))
    with pytest.raises(BenchImpossible, match="means_end_chain: 3 in dev, 0 held out"):
        listening_interviews(tmp_path)


def test_an_act_has_to_be_in_both_splits(tmp_path: Path) -> None:
    refusing = _interview(1, "dev")
    refusing["turns"][4]["rating"]["act"] = "refuses"
    _write(tmp_path, refusing, _interview(2, "held_out"))
    with pytest.raises(BenchImpossible, match="the act refuses is in one split only"):
        listening_interviews(tmp_path)


def test_an_id_has_to_be_that_of_its_file(tmp_path: Path) -> None:
    _write(tmp_path, _interview(1, "dev"))
    (tmp_path / "dev" / "01_means_end_chain.yaml").rename(tmp_path / "dev" / "02_x.yaml")
    with pytest.raises(BenchImpossible, match="those of the file's name"):
        listening_interviews(tmp_path)


def _judge(folder: Path, number: str = "01", **first: Any) -> None:
    turns = [
        {"turn": n, "sensible": ["loud", "TOPIC"], "senseless": [], "why": "It was just said."}
        for n in range(1, 9)
    ]
    turns[0] |= first
    document = {"interview": "01_means_end_chain", "reader": "second", "turns": turns}
    file = folder / "readers" / "second" / f"{number}.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump(document), encoding="utf-8")


def test_a_reading_names_labels_topic_close_and_stretches_of_the_answer(tmp_path: Path) -> None:
    _write(tmp_path, _interview(1, "dev"), _interview(2, "held_out"))
    _judge(tmp_path, sensible=["LEAD:the whole house", "loud"], senseless=["CLOSE", "TOPIC"])
    (reading,) = readings(tmp_path, listening_interviews(tmp_path))
    assert reading.turns[0].sensible == ("LEAD:the whole house", "loud")


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ({"sensible": ["heavy"]}, "turn 1: 'heavy' is no known label"),
        ({"sensible": ["LEAD:my boat"]}, "turn 1: 'LEAD:my boat' is no known label"),
        ({"sensible": ["LEAD:"]}, "turn 1: 'LEAD:' is no known label"),
        ({"senseless": ["TOPIC"]}, "turn 1: 'TOPIC' is called sensible and senseless"),
        ({"sensible": []}, "turns.0.sensible"),
    ],
)
def test_what_is_wrong_in_a_reading_is_named(
    tmp_path: Path, first: dict[str, Any], message: str
) -> None:
    _write(tmp_path, _interview(1, "dev"), _interview(2, "held_out"))
    _judge(tmp_path, **first)
    with pytest.raises(BenchImpossible) as refused:
        readings(tmp_path, listening_interviews(tmp_path))
    assert message in str(refused.value)


def test_a_reading_has_the_number_of_its_interview(tmp_path: Path) -> None:
    _write(tmp_path, _interview(1, "dev"), _interview(2, "held_out"))
    _judge(tmp_path, number="02")
    with pytest.raises(BenchImpossible, match="no interview '01_means_end_chain' of that number"):
        readings(tmp_path, listening_interviews(tmp_path))

"""The labelled sets of acts and of parsed sentences are whole and in their format."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
import yaml

from interviews.acts import Act
from interviews.nlp import Kind

DATA = Path(__file__).parents[2] / "data"


def _acts(name: str) -> list[dict[str, str]]:
    with (DATA / "acts" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize(
    ("name", "least", "each"), [("dev.tsv", 100, 9), ("held_out.tsv", 150, 15)]
)
def test_each_act_is_there_often_enough(name: str, least: int, each: int) -> None:
    rows = _acts(name)
    counts = Counter(row["act"] for row in rows)
    assert len(rows) >= least
    assert set(counts) == set(get_args(Act))
    assert min(counts.values()) >= each


def test_what_rules_are_written_on_does_not_measure_them() -> None:
    texts = [
        {row["text"].casefold() for row in _acts(name)} for name in ("dev.tsv", "held_out.tsv")
    ]
    assert texts[0].isdisjoint(texts[1])


def test_what_is_joined_and_framed_stands_in_the_sentence() -> None:
    sentences = yaml.safe_load((DATA / "parser_sentences.yaml").read_text(encoding="utf-8"))
    assert len(sentences) >= 150
    for sentence in sentences:
        text = sentence["text"]
        for relation in sentence["relations"]:
            assert relation["kind"] in get_args(Kind)
            assert relation["first"] in text
            assert relation["second"] in text
            assert relation["marker"] in text.casefold()
        for frame in sentence["frames"]:
            parts = [frame.get(role, "") for role in ("nsubj", "dobj", "xcomp", "obl")]
            assert all(part in text for part in parts), (text, frame)

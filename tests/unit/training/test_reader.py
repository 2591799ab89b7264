"""Fitting the reader, on a handful of answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from interviews.llm.providers.offline.reader.network import Network, load, save
from interviews.llm.providers.offline.reader.reading import spans
from interviews.training.answers import LabelledAnswer, LabelledConcept
from interviews.training.course import mean_of
from interviews.training.reader import (
    INTERRUPTED,
    as_marked,
    example_of,
    fit_reader,
    with_small_talk,
)


def _answer(answer: str, *concepts: tuple[str, str], **more: Any) -> LabelledAnswer:
    return LabelledAnswer(
        field="lamps",
        answer=answer,
        concepts=tuple(LabelledConcept(quote=q, type=t, stance=1) for q, t in concepts),
        **more,
    )


ANSWERS = (
    _answer(
        "It is bright, so I can read.",
        ("It is bright", "attribute"),
        ("I can read", "functional_consequence"),
        edges=((0, 1),),
    ),
    _answer("I feel calm.", ("I feel calm", "psychosocial_consequence"),
            question="What does that give you?", focus=("can read", "functional_consequence"),
            edges=(("F", 0),)),
    _answer("Not really."),
)  # fmt: skip


def test_an_example_holds_what_the_coder_marked() -> None:
    example = example_of(ANSWERS[0])
    assert example is not None
    assert [p.characters for p in example.placed] == [(0, 12), (17, 27)]
    assert example.edges == {(0, 1)}
    assert example.tags.count(1) == 2
    assert [example.names[t] for t in example.types] == ["attribute", "functional_consequence"]


def test_the_focus_comes_after_the_statements() -> None:
    example = example_of(ANSWERS[1])
    assert example is not None
    assert (example.said, len(example.placed)) == (1, 2)
    assert example.placed[-1].characters is None
    assert example.edges == {(1, 0)}


def test_small_talk_is_put_into_further_answers_and_no_label_moves() -> None:
    answers = ANSWERS[:1] * 40
    seen = with_small_talk(answers, ["The cat wants out"], random.Random(1))
    talked = seen[len(answers) :]
    assert (seen[:40], len(talked)) == (list(answers), 40 * INTERRUPTED)
    assert {gold.answer for gold in talked} == {
        "The cat wants out. It is bright, so I can read.",
        "It is bright, so I can read. The cat wants out.",
    }
    example = example_of(talked[0])
    assert example is not None
    assert example.tags.count(1) == 2


def test_small_talk_that_says_what_was_labelled_is_left_out() -> None:
    seen = with_small_talk(ANSWERS[:1] * 40, ["I can read"], random.Random(1))
    assert {gold.answer for gold in seen} == {ANSWERS[0].answer}


def test_an_answer_that_is_read_in_several_parts_is_left_out() -> None:
    assert example_of(_answer("It is a bright lamp. " * 60)) is None


def test_relations_are_learned_on_statements_as_the_reader_marks_them() -> None:
    example = example_of(ANSWERS[0])
    assert example is not None
    (bright, read), at = (p.tokens for p in example.placed), example.encoded.answer_at
    tags = torch.full((len(example.tags), 3), -9.0)
    tags[:, 0] = 0.0
    for start, end in ((bright[0], bright[1] - 1), (read[0] - 1, read[0])):
        tags[start - at : end - at, 0] = -9.0
        tags[start - at, 1] = 0.0
        tags[start - at + 1 : end - at, 2] = 0.0

    seen = [as_marked(example, tags, random.Random(seed)) for seed in range(20)]
    shorter, mistaken = (bright[0], bright[1] - 1), (read[0] - 1, read[0])
    assert {standing[0] for standing in seen} == {(bright, 0), (shorter, 0)}
    # What no coder marked leads to nothing; what the reader missed stays where the coder marked it.
    assert {tuple(standing[1:]) for standing in seen} == {((mistaken, None), (read, 1))}


def test_nothing_cannot_be_fitted() -> None:
    with pytest.raises(ValueError, match="nothing to fit"):
        fit_reader([])
    with pytest.raises(ValueError, match="nothing to take the mean of"):
        mean_of([])


def test_the_mean_of_networks_lies_between_them() -> None:
    low, high = Network(["attribute"]), Network(["attribute"])
    with torch.no_grad():
        for value in low.parameters():
            value.fill_(1.0)
        for value in high.parameters():
            value.fill_(4.0)
    mean = mean_of([low, high])
    assert mean.own_types == ("attribute",)
    assert all(bool((value == 2.5).all()) for value in mean.parameters())
    assert not mean.training


@pytest.mark.material
def test_fitting_can_be_repeated() -> None:
    first, again = (fit_reader(ANSWERS, epochs=3).state_dict() for _ in range(2))
    for name, value in first.items():
        assert torch.equal(value, again[name]), name


@pytest.mark.material
def test_fitting_learns_the_labels(tmp_path: Path) -> None:
    reports: list[str] = []
    network = fit_reader(ANSWERS, epochs=20, progress=reports.append)
    assert len(reports) == 20
    save(network, tmp_path / "reader.safetensors", "three answers")
    kept, encoder = load(tmp_path / "reader.safetensors")
    for gold in ANSWERS:
        example = example_of(gold)
        assert example is not None
        with torch.inference_mode():
            (states,) = encoder.states([example.encoded.ids], [example.encoded.segments])
            tags = kept.tags(states, example.encoded).log_softmax(-1).numpy()
        found = list(spans(tags, example.encoded.answer_at))
        assert found == [p.tokens for p in example.placed[: example.said]]

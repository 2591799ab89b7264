"""The measure of the extraction, with figures worked out by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interviews.bench.extraction import (
    HELD_OUT,
    HELD_OUT_BESIDE,
    Read,
    paired,
    read_all,
    report,
    small_talk_taken,
)
from interviews.bench.statistics import spearman
from interviews.llm.tasks.extraction import (
    Concept,
    ExtractionInputs,
    ExtractionOutput,
    Relationship,
)
from interviews.training.answers import (
    LabelledAnswer,
    LabelledConcept,
    fields_of,
    fitted_answers,
    labelled_answers,
)

DATA = Path(__file__).parents[2] / "data"
ANSWER = "The seat is soft, so my back does not hurt and I sleep on the train."


def gold(**more: Any) -> LabelledAnswer:
    document = {
        "answer": ANSWER,
        "focus": ["night train", "attribute"],
        "concepts": [
            {"quote": "The seat is soft", "type": "attribute", "stance": 1},
            {"quote": "my back does not hurt", "type": "functional_consequence", "stance": 1},
            {"quote": "I sleep on the train", "type": "functional_consequence", "stance": 0},
        ],
        "edges": [[0, 1], [0, 2], ["F", 0]],
        "depth": 3,
    }
    return LabelledAnswer.model_validate(document | more)


def concept(quote: str, node_type: str, stance: int = 0) -> Concept:
    return Concept(label=quote.lower(), node_type=node_type, quote=quote, stance=stance)


def relation(source: str, target: str) -> Relationship:
    return Relationship(
        source=source,
        source_type="attribute",
        target=target,
        target_type="functional_consequence",
        edge_type="leads_to",
        quote=ANSWER,
    )


OUTPUT = ExtractionOutput(
    extractable=True,
    concepts=(
        concept("seat is soft", "attribute", 1),  # three of four tokens
        concept("does not hurt", "psychosocial_consequence", 1),  # three of five
        concept("the train", "attribute"),  # two of five: not found
    ),
    relationships=(
        relation("seat is soft", "does not hurt"),  # right
        relation("does not hurt", "seat is soft"),  # the wrong way round
        relation("night train", "the train"),  # to what nobody labelled
    ),
)


def read(answer: LabelledAnswer, output: ExtractionOutput, depth: int = 4) -> Read:
    return read_all([answer], lambda _: output, lambda *_: depth)[0]


def test_concepts_pair_where_half_of_their_tokens_are_shared() -> None:
    assert paired(gold(), OUTPUT) == {0: 0, 1: 1}


def test_one_quote_pairs_with_one_label_only() -> None:
    twice = ExtractionOutput(
        extractable=True,
        concepts=(concept("The seat is soft", "attribute"), concept("seat is soft", "attribute")),
    )
    assert paired(gold(), twice) == {0: 0}


def test_the_report_counts_concepts_types_stances_and_directed_edges() -> None:
    figures = report([read(gold(), OUTPUT)])
    assert (figures["concepts"]["hits"], figures["concepts"]["f1"]) == (2, round(4 / 6, 4))
    assert figures["concepts_of_the_right_type"]["hits"] == 1
    assert figures["types_right"]["value"] == 0.5
    assert figures["stances_right"]["value"] == 1.0
    assert (figures["edges"]["hits"], figures["edges"]["found"], figures["edges"]["wanted"]) == (
        1,
        3,
        3,
    )
    assert figures["edges_reversed"]["value"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["depth_spearman"] is None  # one answer has no order


def test_nothing_read_off_an_empty_answer_is_right() -> None:
    empty = gold(concepts=[], edges=[])
    nothing = ExtractionOutput(extractable=False, reason="nothing is said")
    figures = report([read(empty, nothing), read(empty, OUTPUT)])
    assert figures["empty_answers_kept_empty"] == {"answers": 2, "right": 1}
    assert figures["concepts"]["recall"] is None


def test_spearman_averages_tied_ranks() -> None:
    assert spearman([(1, 10), (2, 20), (3, 30)]) == 1.0
    assert spearman([(1, 30), (2, 20), (3, 10)]) == -1.0
    # ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5
    assert spearman([(1, 1), (2, 2), (2, 3), (3, 4)]) == round(4.5 / (4.5 * 5) ** 0.5, 4)


@cache
def all_fitted() -> list[LabelledAnswer]:
    return fitted_answers()


@pytest.mark.material
@pytest.mark.parametrize(("file", "least"), [(HELD_OUT, 500), (HELD_OUT_BESIDE, 200)])
def test_the_labelled_answers_are_valid_and_many_enough(file: str, least: int) -> None:
    fitted, held_out = all_fitted(), labelled_answers(DATA / file)
    assert len({answer.answer for answer in fitted}) >= 5000
    assert len({answer.answer for answer in held_out}) == len(held_out) >= least


@pytest.mark.material
@pytest.mark.parametrize("file", [HELD_OUT, HELD_OUT_BESIDE])
def test_the_held_out_answers_are_of_fields_that_nothing_was_fitted_to(file: str) -> None:
    fitted, held_out = all_fitted(), labelled_answers(DATA / file)
    # What says next to nothing ("Peace.", "I'd rather not say.") may be said twice.
    told = {a.answer for a in fitted if a.concepts and len(a.answer.split()) > 5}
    assert not told & {a.answer for a in held_out}
    assert not fields_of(fitted) & fields_of(held_out)


def test_small_talk_that_gives_a_concept_is_counted() -> None:
    bright = LabelledAnswer(
        field="lamps",
        answer="It is bright.",
        concepts=(LabelledConcept(quote="It is bright", type="attribute"),),
    )
    quiet = ExtractionOutput(extractable=False)
    read = [Read(gold=bright, output=quiet, pairs={}, depth=1)] * 4

    def reader(inputs: ExtractionInputs) -> ExtractionOutput:
        talk = Concept(label="cat", node_type="attribute", quote="The cat", confidence=0.9)
        return ExtractionOutput(extractable=True, concepts=(talk,))

    found = small_talk_taken(read, ["The cat wants out"], reader)
    assert found["answers"] == 2
    assert found["taken_for_a_concept"]["value"] == 1.0
    assert (found["concepts"]["hits"], found["concepts"]["wanted"]) == (0, 2)
    assert small_talk_taken(read, ["It is bright"], reader)["answers"] == 0

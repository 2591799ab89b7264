"""The offline extractor on everyday speech."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.acts.rules import act_of
from interviews.bench.extraction import Read, read_all, report
from interviews.llm.providers.offline import OfflineProvider
from interviews.llm.providers.offline.evidence import RuleEvidence
from interviews.llm.tasks.extraction import EXTRACTION, ExtractionOutput
from interviews.training.answers import labelled_answers
from tests.unit.llm.offline_samples import edges, extract, extraction_inputs, methodology

DEV_SET = Path(__file__).resolve().parents[3] / "interviews/training/data/answers/00.yaml"


def _labels(output: ExtractionOutput) -> list[str]:
    return [concept.label for concept in output.concepts]


@pytest.mark.parametrize(
    ("answer", "act"),
    [
        ("I'd rather not say.", "refuses"),
        ("skip", "refuses"),
        ("No comment", "refuses"),
        ("That's too personal.", "refuses"),
        ("I already told you that.", "objects"),
        ("You asked me that before", "objects"),
        ("What do you mean?", "not_understood"),
        ("I don't understand the question", "not_understood"),
        ("Let's stop here.", "wants_to_stop"),
        ("Sorry, I have to go", "wants_to_stop"),
    ],
)
def test_asides_are_told_from_answers(answer: str, act: str) -> None:
    output = extract(answer)
    assert act_of(answer) == act
    assert not output.extractable
    assert output.concepts == ()
    assert output.reason


@pytest.mark.parametrize(
    "answer",
    [
        "I have to go to the bank every Friday because the machine is broken.",
        "I skip breakfast so I can leave early.",
        "I like that they end the course with a small exam.",
        "My private life comes first.",
    ],
)
def test_words_of_asides_do_not_make_an_answer_one(answer: str) -> None:
    output = extract(answer)
    assert act_of(answer) == "answer"
    assert output.extractable


@pytest.mark.parametrize(
    "answer",
    [
        *("ok", "Yes.", "I don't know", "hmm, not sure", "...", "It depends.", "no idea", ""),
        "There's nothing behind it, it speaks for itself.",
    ],
)
def test_nothing_is_read_off_an_empty_answer(answer: str) -> None:
    output = extract(answer)
    assert not output.extractable
    assert output.reason
    assert (output.concepts, output.relationships) == ((), ())


def test_a_chain_of_consequences_is_read_step_by_step() -> None:
    output = extract("The lid closes tightly, so nothing spills, which means I feel relaxed.")
    assert _labels(output) == ["lid closes tightly", "nothing spills", "feel relaxed"]
    assert edges(output) >= {
        ("lid closes tightly", "leads_to", "nothing spills"),
        ("nothing spills", "leads_to", "feel relaxed"),
    }


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("I think it's basically not too sweet", "not too sweet"),
        ("I cook for others and not just for show", "cook for others and not just for show"),
        ("I don't really have to worry", "don't have to worry"),
        ("Nobody has to come and help me", "nobody has to come and help me"),
        ("Morning coffee is best", "morning coffee is best"),
        ("I got mine from my aunt", "from my aunt"),
        ("I can walk to work", "walk to work"),
        ("the straps are padded", "padded straps"),
        ("Rain doesn't make me nervous any more", "doesn't make me nervous"),
        ("It makes me nervous", "nervous"),
        ("I could have hugged her", "could have hugged her"),
        ("It never lets me down", "never lets me down"),
        ("It drives me up the wall", "drives me up the wall"),
    ],
)
def test_labels_lose_fillers_and_pronouns_and_keep_negations(said: str, label: str) -> None:
    assert RuleEvidence(extraction_inputs(said)).label(0, len(said)) == label


@pytest.mark.parametrize(
    "said",
    [
        "Morning.",
        "there's",
        "I've",
        "To put it bluntly",
        "It's the same reason again",
        "I ought to be cooking, really",
        "six weeks later",
        "at the funeral",
        "I haven't",
        "nearly",
        "up there",
        "on the last morning",
        "I want",
        "It all hangs together",
    ],
)
def test_what_says_nothing_is_no_statement(said: str) -> None:
    assert RuleEvidence(extraction_inputs(said)).statement(0, len(said)) is None


def test_a_statement_begins_after_its_frame() -> None:
    said = "What I notice is that the lid is tight"
    assert RuleEvidence(extraction_inputs(said)).statement(0, len(said)) == (22, len(said))


def test_lists_are_split_into_their_items() -> None:
    assert _labels(extract("It has deep pockets, a warm hood and a strong zip.")) == [
        "deep pockets",
        "warm hood",
        "strong zip",
    ]


def test_a_subject_and_what_it_does_are_two_concepts() -> None:
    output = extract("The long handle saves my back.")
    assert edges(output) == {("long handle", "leads_to", "saves my back")}


def test_what_something_is_done_with_brings_about_what_is_done() -> None:
    output = extract("With the rain cover I feel relaxed.")
    assert edges(output) == {("rain cover", "leads_to", "feel relaxed")}


def test_what_is_said_of_the_subject_itself_is_no_concept_called_like_it() -> None:
    output = extract("My bicycle keeps me fit.", subject="your bicycle")
    assert _labels(output) == ["keeps fit"]


@pytest.mark.parametrize(
    ("question", "focus", "said", "stance"),
    [
        ("What do you like about it?", None, "I love how quiet it is.", 1),
        (
            "What does that give you?",
            ("delivered to the door", "attribute"),
            "I don't have to rush any more.",
            1,
        ),
        ("What is bad about that?", ("old boiler", "attribute"), "The noise drives me mad.", -1),
        (
            "What bothers you about it?",
            ("old boiler", "attribute"),
            "It always breaks down and nobody helps me.",
            -1,
        ),
    ],
)
def test_stance_follows_what_is_said_and_asked(
    question: str, focus: tuple[str, str] | None, said: str, stance: int
) -> None:
    found = extract(said, question=question, focus=focus).concepts
    assert {concept.stance for concept in found} == {stance}


@pytest.mark.parametrize(
    ("question", "focus", "said", "node_type"),
    [
        ("What do you like about the tent?", None, "It has a large porch.", "attribute"),
        (
            "What does the porch give you?",
            ("large porch", "attribute"),
            "It saves me a lot of time.",
            "functional_consequence",
        ),
        (
            "What does that give you?",
            ("saves time", "functional_consequence"),
            "I feel calm on the way home.",
            "psychosocial_consequence",
        ),
        (
            "Why does that matter to you?",
            ("feel calm", "psychosocial_consequence"),
            "I want to be a good example for my children.",
            "instrumental_value",
        ),
        (
            "And why is that important to you?",
            ("being a good example", "instrumental_value"),
            "In the end it's about freedom.",
            "terminal_value",
        ),
    ],
)
def test_a_ladder_is_read_step_by_step(
    question: str, focus: tuple[str, str] | None, said: str, node_type: str
) -> None:
    output = extract(said, question=question, focus=focus)
    assert [c.node_type for c in output.concepts] == [node_type]
    above = {(r.source, r.target) for r in output.relationships}
    assert above == ({(focus[0], output.concepts[0].label)} if focus else set())


@pytest.mark.parametrize(
    ("statement", "node_type"),
    [
        ("I use a spreadsheet on my laptop.", "current_solution"),
        ("There are too many steps and it takes forever.", "pain_point"),
        ("I want to feel on top of things.", "emotional_job"),
        ("I want to be seen as a good parent.", "social_job"),
    ],
)
def test_types_follow_the_ontology_and_not_one_methodology(statement: str, node_type: str) -> None:
    assert node_type in [c.node_type for c in extract(statement, method="jobs_to_be_done").concepts]


def test_an_unknown_ontology_is_typed_by_its_descriptions() -> None:
    output = extract("I feel proud of my garden.")
    assert [c.node_type for c in output.concepts] == ["psychosocial_consequence"]


LADDER = (
    ("The handle is long.", None, "What comes to mind?"),
    ("I don't have to bend down.", "What do you get out of that?", None),
    ("Then I feel less tired in the evening.", "What does that give you?", None),
    ("I can be there for my grandchildren, I want to be a caring grandmother.",
     "What makes that matter to you?", None),
    ("Family, that's what life is about.", "What is at stake for you there?", None),
)  # fmt: skip


def test_laddering_answers_chain_up_from_the_focus_to_a_terminal_value() -> None:
    focus: tuple[str, str] | None = None
    known: list[tuple[str, str]] = []
    joined: set[tuple[str, str]] = set()
    for answer, question, _ in LADDER:
        output = extract(
            answer, question=question or "What comes to mind?", focus=focus, existing=tuple(known)
        )
        joined |= {(r.source, r.target) for r in output.relationships}
        known += [(c.label, c.node_type) for c in output.concepts]
        levels = {n.name: n.level or 0 for n in methodology("means_end_chain").ontology.nodes}
        highest = max(output.concepts, key=lambda c: levels[c.node_type])
        focus = (highest.label, highest.node_type)
    reached = {known[0][0]}
    for _ in joined:
        reached |= {target for source, target in joined if source in reached}
    assert known[0][1] == "attribute"
    assert [t for label, t in known if label in reached and t == "terminal_value"]


def test_a_reason_for_what_was_asked_hangs_on_the_focus() -> None:
    output = extract(
        "It's important because I want to be a patient father.",
        question="Why does that matter to you?",
        focus=("feel less rushed", "psychosocial_consequence"),
    )
    ((source, _, target),) = edges(output)
    assert source == "feel less rushed"
    assert target.endswith("a patient father")


def test_grounds_that_were_asked_for_lead_to_the_focus() -> None:
    output = extract(
        "The smooth handle.",
        question="What exactly is it about the tool that brings that about?",
        focus=("work without blisters", "functional_consequence"),
    )
    assert edges(output) == {("smooth handle", "leads_to", "work without blisters")}


def test_a_known_concept_keeps_its_label_and_type() -> None:
    output = extract(
        "The wide soles again.", existing=(("wide sole", "attribute"), ("thin sole", "attribute"))
    )
    assert [(c.label, c.node_type) for c in output.concepts] == [("wide sole", "attribute")]


def test_the_opposite_of_a_known_concept_is_a_new_one() -> None:
    known = (("sweet", "attribute"),)
    labels = _labels(extract("I like that it is not sweet at all.", existing=known))
    assert labels
    assert "sweet" not in labels


def test_a_known_concept_said_with_a_little_besides_is_that_concept() -> None:
    known = (("get home before the children", "functional_consequence"),)
    output = extract("I just get home before the children these days.", existing=known)
    assert _labels(output) == ["get home before the children"]


def test_the_same_answer_is_always_read_the_same_way() -> None:
    answer = "It's light and durable so I don't have to worry, which saves me money."
    assert extract(answer) == extract(answer)


_WORDS = tuple(
    """I we it that the my a feel like want to be have because so which means but when if and , .
    don't safe light strong bag shoulders money time freedom family work save carry worry is lets
    makes me""".split()  # noqa: SIM905
)


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=40).map(" ".join),
    st.sampled_from(["means_end_chain", "jobs_to_be_done"]),
)
def test_quotes_labels_and_relations_always_hold(answer: str, method: str) -> None:
    _check(answer, method)


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(answer: str) -> None:
    _check(answer, "means_end_chain")


def _check(answer: str, method: str) -> None:
    focus = ("old point", methodology(method).ontology.nodes[0].name)
    output = extract(answer, method=method, question="Why does that matter?", focus=focus)
    ontology = methodology(method).graph_ontology
    known = {(c.label, c.node_type) for c in output.concepts} | {focus}
    for concept in output.concepts:
        assert concept.quote in answer
        assert 1 <= len(concept.label.split()) <= 11  # ten, and the negation
    for relation in output.relationships:
        assert relation.quote in answer
        assert (relation.source, relation.source_type) in known
        assert (relation.target, relation.target_type) in known
        assert relation.source != relation.target
        assert ontology.permits(relation.edge_type, relation.source_type, relation.target_type)


@pytest.mark.parametrize(
    "unit",
    ["I like it and ", "the big red ", "light, ", "so ", "thanks for ", "not having to ", "a"],
)
def test_hostile_lengths_are_read_in_bounded_time(unit: str) -> None:
    extract("It is warm.")
    answer = (unit * 8000)[:8000]
    started = time.perf_counter()
    extract(answer, question="Why?", focus=("old point", "attribute"))
    assert time.perf_counter() - started < 5


# -- the labelled answers --------------------------------------------------------------------------
@cache
def _labelled() -> tuple[Read, ...]:
    return tuple(
        read_all(
            labelled_answers(DEV_SET),
            lambda inputs: OfflineProvider().complete(EXTRACTION, inputs),
            lambda question, answer: 3,
        )
    )


def _figures(read: Sequence[Read]) -> dict[str, float]:
    figures = report(read)
    return {
        "concepts": figures["concepts"]["f1"],
        "types": figures["types_right"]["value"],
        "edges": figures["edges"]["f1"],
    }


@pytest.mark.material
def test_plain_answers_are_read_almost_as_a_coder_reads_them() -> None:
    plain = [read for read in _labelled() if not read.gold.field]
    assert len(plain) >= 60
    figures = _figures(plain)
    assert figures["concepts"] >= 0.9
    assert figures["types"] >= 0.8
    assert figures["edges"] >= 0.8


def test_answers_as_people_give_them_are_read_well_enough() -> None:
    assert len(_labelled()) >= 130
    figures = _figures(_labelled())
    assert figures["concepts"] >= 0.8
    assert figures["types"] >= 0.65
    assert figures["edges"] >= 0.55


def test_most_answers_that_hold_nothing_stay_empty() -> None:
    empty = report(_labelled())["empty_answers_kept_empty"]
    assert empty["right"] / empty["answers"] >= 0.8

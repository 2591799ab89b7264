"""A choice against two readers: labels before stretches, both readers together, and the rules."""

from __future__ import annotations

import pytest

from interviews.bench.listening_material import listening_interviews, readings
from interviews.bench.listening_models import Judgement
from interviews.bench.listening_sense import (
    BASELINES,
    Sense,
    Taken,
    agreement,
    both_readers,
    nearest_label,
    one_reader,
    overlaps,
)
from tests.unit.bench.test_listening_material import DATA

ANSWER = "It is loud, so I wake the whole house. I hate that."


def _judgement(sensible: tuple[str, ...], senseless: tuple[str, ...] = ()) -> Judgement:
    return Judgement(turn=1, sensible=sensible, senseless=senseless, why="It says so.")


SHEET = _judgement(("wake the whole house", "LEAD:I hate that"), ("loud", "CLOSE"))


@pytest.mark.parametrize(
    ("taken", "verdict"),
    [
        (Taken(labels=("wake the whole house",)), Sense.SENSIBLE),
        (Taken(labels=("loud",), stretches=((0, 10),)), Sense.SENSELESS),
        (Taken(labels=("loud",), stretches=((39, 50),)), Sense.SENSELESS),
        (Taken(stretches=((39, 50),)), Sense.SENSIBLE),
        (Taken(labels=("hates noise",), stretches=((39, 51),)), Sense.SENSIBLE),
        (Taken(labels=("TOPIC",)), Sense.UNNAMED),
        (Taken(labels=("loud", "wake the whole house")), Sense.SENSELESS),
        (Taken(), Sense.UNNAMED),
    ],
)
def test_one_reader_is_heard_by_label_and_then_by_stretch(taken: Taken, verdict: Sense) -> None:
    assert one_reader(taken, SHEET, ANSWER) is verdict


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ((Sense.SENSIBLE, Sense.SENSIBLE), Sense.SENSIBLE),
        ((Sense.SENSIBLE, Sense.UNNAMED), Sense.SENSIBLE),
        ((Sense.UNNAMED, Sense.SENSELESS), Sense.SENSELESS),
        ((Sense.SENSIBLE, Sense.SENSELESS), Sense.DISPUTED),
        ((Sense.UNNAMED, Sense.UNNAMED), Sense.UNNAMED),
    ],
)
def test_two_readers_together(verdicts: tuple[Sense, Sense], together: Sense) -> None:
    assert both_readers(verdicts) is together


def test_spans_are_of_the_same_where_they_share_half_of_the_shorter() -> None:
    assert overlaps((0, 10), (5, 40))
    assert not overlaps((0, 10), (6, 40))
    assert not overlaps((0, 10), (10, 12))


def test_the_nearest_concept_is_the_one_whose_quote_is_most_alike() -> None:
    interview = listening_interviews(DATA)[0]
    turn = interview.turns[1]
    start = turn.answer.index("I can go every day")
    assert nearest_label((start, start + 18), turn) == "can go every day"
    assert nearest_label((10, 14), turn) is None


def test_agreement_counts_labels_topic_and_close() -> None:
    one, other = _judgement(("a", "TOPIC"), ("b",)), _judgement(("a",), ("b", "TOPIC"))
    found = agreement([(("a", "b", "c"), one, other)])
    assert found == {
        "turns": 1,
        "kappa": 0.706,
        "jaccard": 0.5,
        "shared": 1.0,
        "contradicted": 0.2,
    }


def test_readers_that_agree_in_everything_have_a_kappa_of_one() -> None:
    assert agreement([(("a", "b"), SHEET, SHEET), (("loud",), SHEET, SHEET)])["kappa"] == 1.0


def test_trivial_rules_take_up_what_they_say() -> None:
    interview = next(i for i in listening_interviews(DATA) if i.id == "12_critical_incident")
    newest, lead, topic = (BASELINES[n] for n in ("newest_concept", "first_lead", "topic"))
    assert newest(interview, 1).labels == ("had the list printed out",)
    assert newest(interview, 4).labels == ("nobody at school knew",)
    assert newest(interview, 4).stretches == ()
    assert lead(interview, 1).labels == ("thought i was well prepared",)
    assert lead(interview, 4).labels == ("TOPIC",)
    assert topic(interview, 3) == Taken(labels=("TOPIC",))


def test_every_interview_was_judged_by_both_readers() -> None:
    interviews = listening_interviews(DATA)
    judged = {(reading.interview, reading.reader) for reading in readings(DATA, interviews)}
    assert judged == {(i.id, reader) for i in interviews for reader in ("first", "second")}

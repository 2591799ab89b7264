"""The inclusion filter on a study's interviews."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from analytics.included import included, some_included
from analytics.inclusion import MARKS, STATUSES, Inclusion, InclusionInvalid
from interviews import revisions
from interviews.models import Session, SessionSummary, Study, Trial
from interviews.turns.flags import Flag
from tests.factories import SessionFactory, StudyFactory

pytestmark = pytest.mark.django_db
FIELDS = [
    {"key": "country", "type": "choice", "options": ["Italy", "Spain"]},
    {"key": "age", "type": "number"},
    {"key": "email", "type": "email"},
]
END_OF_MARCH = datetime(2026, 3, 31, 23, 59, tzinfo=UTC)


@pytest.fixture
def study() -> Study:
    """Interviews that are told apart by their turns' number."""
    study = StudyFactory.create(data_fields=FIELDS)
    revision = revisions.current(study)
    over = {"status": "completed", "ended_at": END_OF_MARCH}
    SessionFactory.create(study=study, max_turns=1, segments={"country": "Italy", "age": "34"})
    done = SessionFactory.create(
        study=study, max_turns=2, segments={"country": "Spain"}, revision=revision, **over
    )
    SessionSummary.objects.create(session=done, flags=[Flag.DEGRADED])
    SessionFactory.create(study=study, max_turns=3, simulated=True, **over)
    trial = SessionFactory.create(study=study, max_turns=4, simulated=True)
    Trial.objects.create(study=study, session=trial)
    SessionFactory.create(max_turns=5)
    return study


def chosen(study: Study, inclusion: Inclusion) -> list[int]:
    return sorted(session.max_turns for session in included(study, inclusion))


@pytest.mark.parametrize(
    ("inclusion", "expected"),
    [
        (Inclusion(), [1, 2]),
        (Inclusion(simulated=True), [1, 2, 3]),
        (Inclusion(trial=True), [1, 2, 4]),
        (Inclusion(trial=True, simulated=True), [1, 2, 3, 4]),
        (Inclusion(status=("completed",)), [2]),
        (Inclusion(status=("completed", "active"), simulated=True), [1, 2, 3]),
        (Inclusion(without=("degraded",)), [1]),
        (Inclusion(without=("tracker_rebuilt",)), [1, 2]),
        (Inclusion(where=(("country", "Italy"),)), [1]),
        (Inclusion(where=(("country", "Italy"), ("country", "Spain"))), [1, 2]),
        (Inclusion(where=(("country", "Spain"), ("age", "34"))), []),
        (Inclusion(revision=(1,)), [2]),
        (Inclusion(ended_from=date(2026, 3, 31), ended_to=date(2026, 3, 31)), [2]),
        (Inclusion(ended_from=date(2026, 4, 1)), []),
        (Inclusion(ended_to=date(2026, 3, 30)), []),
    ],
)
def test_each_criterion_leaves_what_it_says(
    study: Study, inclusion: Inclusion, expected: list[int]
) -> None:
    assert chosen(study, inclusion) == expected


def test_what_the_study_has_not_is_named(study: Study) -> None:
    with pytest.raises(InclusionInvalid) as refused:
        included(study, Inclusion(where=(("email", "a@b.example"),), revision=(1, 7)))
    assert refused.value.fields == {
        "where": "the study has no data field 'email' to choose by; it has country, age",
        "revision": "the study has no revision 7; it has 1",
    }


@pytest.mark.parametrize(
    ("inclusion", "field"),
    [
        (Inclusion(status=("abandoned",)), "status"),
        (Inclusion(where=(("country", "Spain"), ("age", "34"))), "where"),
        (Inclusion(ended_from=date(2026, 4, 1)), "from"),
        (Inclusion(status=("active",), ended_to=date(2026, 4, 1)), "to"),
        (Inclusion(status=("active",), revision=(1,)), "revision"),
        (Inclusion(status=("completed",), without=("degraded",)), "without"),
    ],
)
def test_a_filter_that_leaves_nothing_names_its_field(
    study: Study, inclusion: Inclusion, field: str
) -> None:
    with pytest.raises(InclusionInvalid) as refused:
        some_included(study, inclusion)
    assert list(refused.value.fields) == [field]


def test_a_study_of_trials_alone_says_how_to_take_them_in() -> None:
    session = SessionFactory.create(simulated=True)
    with pytest.raises(InclusionInvalid, match="include: nothing is left: all 1 interviews are"):
        some_included(session.study, Inclusion())
    assert some_included(session.study, Inclusion(simulated=True)).count() == 1


def test_a_study_without_interviews_has_none() -> None:
    assert not some_included(StudyFactory.create(), Inclusion(status=("active",))).exists()


def test_the_filter_knows_every_status_and_mark() -> None:
    assert list(STATUSES) == Session.Status.values
    assert list(MARKS) == list(Flag)

"""Criteria read from queries and commands, and said in words."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.inclusion import (
    EXTRAS,
    MARKS,
    PROVENANCES,
    STATUSES,
    Inclusion,
    InclusionInvalid,
    parse,
)


def test_nothing_said_leaves_out_trials_and_simulated_interviews_alone() -> None:
    plain = parse({"page": "3", "status": "", "where": None})
    assert plain == Inclusion()
    assert plain.query() == {}
    assert plain.describe() == "All interviews, without trials, without simulated ones."
    assert not plain.chooses_sessions


def test_every_criterion_is_read_and_said() -> None:
    found = parse(
        {
            "status": ["completed", "abandoned"],
            "include": "simulated, trial",
            "without": "degraded",
            "where": ["country=Italy", "country=Spain, the north", "age=34"],
            "revision": "2,1",
            "from": "2026-03-01",
            "to": "2026-03-31",
            "provenance": "stated,answer_to_probe",
        }
    )
    assert found == Inclusion(
        status=("completed", "abandoned"),
        trial=True,
        simulated=True,
        without=("degraded",),
        where=(("country", "Italy"), ("country", "Spain, the north"), ("age", "34")),
        revision=(1, 2),
        ended_from=date(2026, 3, 1),
        ended_to=date(2026, 3, 31),
        provenance=("stated", "answer_to_probe"),
    )
    assert found.describe() == (
        "Interviews that are completed or abandoned, trials included, simulated ones included, "
        "without those marked degraded, country is Italy or Spain, the north, age is 34, "
        "of revision 1 or 2, ended on 2026-03-01 or later, ended on 2026-03-31 or before, "
        "only links that were said in so many words or given in answer to a question."
    )
    assert found.counts_link("stated")
    assert not found.counts_link("inferred")
    assert not found.counts_link(None)


def test_all_that_is_wrong_is_told_at_once_by_field() -> None:
    with pytest.raises(InclusionInvalid) as refused:
        parse(
            {
                "status": "done",
                "include": "trails",
                "without": "bad",
                "where": "country",
                "revision": ["0", "x"],
                "from": "1.3.2026",
                "to": "2026-02-30",
                "provenance": "said",
            }
        )
    assert refused.value.fields == {
        "status": "'done' is none of active, paused, completed, abandoned",
        "include": "'trails' is none of trial, simulated",
        "without": f"'bad' is none of {', '.join(MARKS)}",
        "where": "'country' is not key=value, e.g. where=country=Italy",
        "revision": "'x' is not the number of a revision: 1, 2, 3, …",
        "from": "'1.3.2026' is not a day, e.g. 2026-03-31",
        "to": "'2026-02-30' is not a day, e.g. 2026-03-31",
        "provenance": "'said' is none of stated, answer_to_probe, inferred",
    }
    assert str(refused.value).startswith("status: 'done' is none of active")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"from": "2026-04-01", "to": "2026-03-01"}, "to"),
        ({"from": ["2026-04-01", "2026-05-01"]}, "from"),
        ({"from": "٢٠٢٦-٠٣-٠١"}, "from"),
        ({"where": ["Country=Italy"]}, "where"),
        ({"where": ["country="]}, "where"),
        ({"where": ["country=" + "x" * 201]}, "where"),
        ({"revision": "9999999"}, "revision"),
        ({"revision": "²"}, "revision"),
        ({"status": "completed," * 60}, "status"),
    ],
)
def test_what_is_out_of_range_names_its_field(given: dict[str, str], field: str) -> None:
    with pytest.raises(InclusionInvalid) as refused:
        parse(given)
    assert list(refused.value.fields) == [field]


def some(values: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), max_size=4)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "status": some(STATUSES),
            "include": some(EXTRAS),
            "without": some(MARKS),
            "where": st.lists(
                st.builds("{}={}".format, st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True),
                          st.text(min_size=1, max_size=9).filter(str.strip)),
                max_size=4,
            ),
            "revision": st.lists(st.integers(1, 99).map(str), max_size=3),
            "from": st.dates().map(lambda day: [day.isoformat()]),
            "provenance": some(PROVENANCES),
        },
    )
)  # fmt: skip
def test_what_was_read_is_read_again_from_its_own_query(given: dict[str, list[str]]) -> None:
    found = parse(given)
    assert parse(found.query()) == found
    assert found.describe().endswith(".")

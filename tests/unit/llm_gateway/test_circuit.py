from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interviews.llm.circuit import Circuit
from tests.llm_protocol.kit import SetClock


def opened(clock: SetClock) -> Circuit:
    circuit = Circuit(clock=clock)
    for _ in range(5):
        circuit.failed()
    return circuit


def test_four_failures_leave_it_closed_and_the_fifth_opens_it() -> None:
    circuit = Circuit(clock=SetClock())
    assert [circuit.failed() for _ in range(5)] == [False, False, False, False, True]
    assert not circuit.allows()


def test_a_success_between_starts_the_count_anew() -> None:
    circuit = Circuit(clock=SetClock())
    for _ in range(4):
        circuit.failed()
    circuit.succeeded()
    assert [circuit.failed() for _ in range(5)] == [False, False, False, False, True]


def test_it_stays_open_for_thirty_seconds_and_then_lets_one_call_try() -> None:
    clock = SetClock()
    circuit = opened(clock)
    clock.now += 29.9
    assert [circuit.is_open, circuit.allows()] == [True, False]
    clock.now += 0.1
    seen = [circuit.is_open, circuit.allows(), circuit.allows(), circuit.allows()]
    assert seen == [False, True, False, False]


def test_the_try_that_succeeds_closes_it() -> None:
    clock = SetClock()
    circuit = opened(clock)
    clock.now += 30
    assert circuit.allows()
    circuit.succeeded()
    assert circuit.allows()
    assert not circuit.failed()


def test_the_try_that_fails_opens_it_for_another_thirty_seconds() -> None:
    clock = SetClock()
    circuit = opened(clock)
    clock.now += 30
    assert circuit.allows()
    assert circuit.failed()
    clock.now += 29.9
    assert not circuit.allows()
    clock.now += 0.1
    assert circuit.allows()


def test_a_try_that_never_reports_back_does_not_block_for_ever() -> None:
    clock = SetClock()
    circuit = opened(clock)
    clock.now += 30
    assert circuit.allows()
    clock.now += 30
    assert circuit.allows()


@given(st.lists(st.booleans(), max_size=60))
def test_it_is_open_exactly_after_five_failures_in_a_row(outcomes: list[bool]) -> None:
    circuit = Circuit(clock=SetClock())
    run = 0
    for good in outcomes:
        if good:
            circuit.succeeded()
            run = 0
        else:
            run += 1
            assert circuit.failed() is (run >= 5)
        assert circuit.is_open is (run >= 5)

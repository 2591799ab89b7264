"""What a session remembers goes through JSON without loss; older versions are still read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from interviews.modes.exploratory.state import ExploratoryState
from interviews.modes.registry import ModeStateInvalid, modes, read_state, stored_state
from interviews.turns.state import SessionState, StoredModeState

VERSION_1 = {
    "schema_version": 1,
    "strategy_history": ["ladder_up", "close_out"],
    "strategy_uses": {"ladder_up": 1, "close_out": 1},
    "depth_history": ["deep"],
    "focus_history": [
        {"turn": 1, "node_id": "n1", "label": "soft straps", "strategy": "ladder_up"},
        {"turn": 2, "node_id": "", "label": "", "strategy": "close_out"},
    ],
    "closing_reason": "",
    "rephrasings": 0,
}


@pytest.mark.parametrize("name", modes())
@given(data=st.data())
def test_every_modes_state_goes_through_json_without_loss(name: str, data: st.DataObject) -> None:
    state = data.draw(st.from_type(modes()[name].state))
    session = SessionState(mode_state=stored_state(name, state))
    stored = json.loads(json.dumps(session.model_dump(mode="json")))
    again = SessionState.model_validate(stored)
    assert again == session
    assert read_state(name, again.mode_state) == state


def test_version_1_is_still_read_and_knew_nodes_as_foci_only() -> None:
    state = SessionState.model_validate(VERSION_1)
    assert [(entry.kind, entry.ref, entry.node_id) for entry in state.focus_history] == [
        ("node", "n1", "n1"),
        (None, "", None),
    ]
    assert state.mode_state is None
    assert state.schema_version == 2
    assert SessionState.model_validate(state.model_dump(mode="json")) == state


def test_a_version_of_a_newer_program_is_refused_with_what_is_known() -> None:
    with pytest.raises(ValidationError, match=r"version 3 was stored by a newer.*versions 1 to 2"):
        SessionState.model_validate({"schema_version": 3})


def test_without_a_stored_state_a_mode_starts_with_an_empty_one() -> None:
    assert read_state("exploratory", None) == ExploratoryState()


@pytest.mark.parametrize(
    ("stored", "wrong"),
    [
        ({"version": 1, "data": {"secret": "s"}}, "version 1, cannot be read by ExploratoryState"),
        ({"version": 9, "data": {}}, "version 9, cannot be read by ExploratoryState"),
    ],
)
def test_a_state_that_its_model_does_not_know_is_refused_without_telling_what_is_in_it(
    stored: dict[str, object], wrong: str
) -> None:
    kept = StoredModeState.model_validate({"mode": "exploratory", **stored})
    with pytest.raises(ModeStateInvalid, match=wrong) as refused:
        read_state("exploratory", kept)
    assert "secret" not in str(refused.value)


def test_a_state_of_a_mode_that_is_not_there_is_refused_by_name() -> None:
    kept = StoredModeState(mode="gone", version=1, data={})
    with pytest.raises(LookupError, match="no mode 'gone' in this installation"):
        read_state("exploratory", kept)

"""A mode is a package that exports `MODE`; what is wrong with one is said by name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from interviews import modes as package
from interviews.modes import registry
from interviews.modes.exploratory.evidence import ExploratoryEvidence
from interviews.modes.registry import ModeInvalid, ModeMissing
from interviews.turns.evidence import Evidence
from methodologies.signals.base import SignalReading

HEAD = """
from typing import Literal
from interviews.modes.base import Mode
from interviews.turns.evidence import Evidence
class Told(Evidence):
    mode: Literal["other"] = "other"
def director(): ...
"""
WHOLE = 'name="other", label="Other", purpose="Ask otherwise.", director=director, evidence=Told'

SHIPPED = ("evaluative", "exploratory", "guided", "handover", "transcript")
Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Writes a package and puts it on the registry's path."""
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])

    def write(name: str, text: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text, encoding="utf-8")

    registry.modes.cache_clear()
    yield write
    registry.modes.cache_clear()
    for name in [name for name in sys.modules if name.startswith("interviews.modes.installed_")]:
        del sys.modules[name]


def test_the_modes_that_ship() -> None:
    assert list(registry.modes()) == [*SHIPPED]
    assert registry.choices() == [
        ("evaluative", "Concept test"),
        ("exploratory", "Exploratory"),
        ("guided", "Guided"),
        ("handover", "Handover"),
        ("transcript", "Transcript"),
    ]


def test_a_package_on_the_path_is_a_mode(install: Install) -> None:
    install("installed_other", f"{HEAD}MODE = Mode({WHOLE})")
    assert list(registry.modes()) == [*SHIPPED[:-1], "other", "transcript"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "installed_other exports no MODE"),
        (f"{HEAD}MODE = Mode({WHOLE}, state=None)", "state is no subclass of ModeState"),
        (f"{HEAD}MODE = Mode({WHOLE.replace('=Told', '=Evidence')})", "evidence is no subclass"),
        (f"{HEAD}MODE = Mode({WHOLE.replace('=Told', '=dict')})", "evidence is no subclass"),
        (f"{HEAD}MODE = Mode({WHOLE.replace('Ask otherwise.', ' ')})", "purpose is empty"),
        (f"{HEAD}MODE = Mode({WHOLE.replace('=director', '=None')})", "director is not callable"),
    ],
)
def test_an_incomplete_mode_is_refused_by_name_with_what_is_missing(
    install: Install, text: str, wrong: str
) -> None:
    install("installed_other", text)
    with pytest.raises(ModeInvalid, match=wrong) as refused:
        registry.modes()
    assert "installed_other" in str(refused.value)


def test_two_modes_of_one_name_are_refused_with_both_homes(install: Install) -> None:
    install("installed_one", f"{HEAD}MODE = Mode({WHOLE})")
    install("installed_two", f"{HEAD}MODE = Mode({WHOLE})")
    with pytest.raises(ModeInvalid, match=r"installed_two .*installed_one .*'other'"):
        registry.modes()


def test_a_mode_that_is_not_there_is_named_with_what_to_do() -> None:
    with pytest.raises(ModeMissing, match=r"no mode 'absent'.* there are: evaluative.*Install"):
        registry.mode_named("absent")


class Holder(BaseModel):
    evidence: registry.AnyEvidence


def test_evidence_is_read_by_its_modes_own_model_and_goes_through_json_without_loss() -> None:
    told = ExploratoryEvidence(
        phase="mid",
        closing_allowed=False,
        reading=SignalReading(
            global_values={"graph.max_depth": 2},
            node_values={"a": {"graph.node.is_orphan": True}, "b": {"graph.node.is_orphan": True}},
        ),
        first_turns=(1, 2),
        strategy_history=("ladder_up",),
        strategy_uses={"ladder_up": 1},
        refused="soft straps",
    )
    stored = Holder(evidence=told).model_dump_json()
    again = Holder.model_validate_json(stored).evidence
    assert isinstance(again, ExploratoryEvidence)
    assert again == told


def test_evidence_of_a_missing_mode_is_kept_as_it_was_written() -> None:
    stored = {"evidence": {"mode": "gone", "phase": "warm-up", "asked": ["a", "b"]}}
    again = Holder.model_validate(stored)
    assert isinstance(again.evidence, Evidence)
    assert again.model_dump() == stored


def test_evidence_that_its_model_does_not_know_is_an_error() -> None:
    with pytest.raises(ValidationError, match="colour"):
        Holder.model_validate({"evidence": {"mode": "exploratory", "colour": "blue"}})

"""Weights belong to the labels and to the code that they were fitted with, or a check fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from interviews.training import manifest
from interviews.training.errors import LabelsUnusable
from interviews.training.fits import FITS, Fit
from interviews.training.manifest import Finding, State, check, code_hash, compared, state_of

CODE = '''
"""A module."""
from pathlib import Path

LEAST = 0.5
"""Below that nothing counts."""


def share(part: int, whole: int) -> float:
    """The share."""
    return part / whole  # never asked for nothing
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# never asked for nothing", "# whole is positive"),
        ('"""The share."""', '"""How much of the whole."""'),
        ('"""Below that nothing counts."""\n', ""),
        ("from pathlib import Path", "from somewhere.paths import Path\nimport re"),
    ],
)
def test_words_about_code_and_where_it_lives_are_not_what_it_does(old: str, new: str) -> None:
    assert old in CODE
    assert code_hash(CODE.replace(old, new)) == code_hash(CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [("0.5", "0.6"), ("part / whole", "whole / part"), ("share(", "portion("), ("float", "int")],
)
def test_any_other_change_of_code_is_one(old: str, new: str) -> None:
    assert old in CODE
    assert code_hash(CODE.replace(old, new)) != code_hash(CODE)


@pytest.fixture
def fit(tmp_path: Path) -> Fit:
    (tmp_path / "labels.tsv").write_text("a\tb\n", encoding="utf-8")
    (tmp_path / "weights.bin").write_bytes(b"weights")
    return Fit(
        module="interviews.training.course",
        weights=str(tmp_path / "weights.bin"),
        data=(str(tmp_path / "labels.tsv"),),
        lasts="no time",
    )


def test_what_nobody_touched_belongs_together(fit: Fit) -> None:
    told = state_of(fit)
    assert compared(told, state_of(fit), fit) == Finding(changed=(), libraries=(), kept=None)


@pytest.mark.parametrize("touched", ["labels.tsv", "weights.bin"])
def test_another_byte_of_labels_or_weights_is_told(fit: Fit, tmp_path: Path, touched: str) -> None:
    told = state_of(fit)
    with (tmp_path / touched).open("ab") as file:
        file.write(b"1")
    (changed,) = compared(told, state_of(fit), fit).changed
    assert Path(changed).name == touched


def test_code_that_a_fit_rests_on_is_found_by_its_imports() -> None:
    code = state_of(FITS["reader"]).code
    assert {"interviews/training/reader.py", "interviews/training/course.py"} <= code.keys()
    assert "interviews/llm/providers/offline/labels.py" in code
    assert "graphs/language/minilm.py" in code
    assert "interviews/llm/providers/offline/voice.py" not in code


def test_other_code_is_told_and_so_is_code_that_came_or_went(fit: Fit) -> None:
    now = state_of(fit)
    course = "interviews/training/course.py"
    told = now.model_copy(update={"code": {**now.code, course: "0" * 16, "gone.py": "1" * 16}})
    assert compared(told, now, fit).changed == ("gone.py", course)


def test_another_version_of_a_library_is_told_and_no_error(fit: Fit) -> None:
    now = state_of(fit)
    told = now.model_copy(update={"libraries": {**now.libraries, "torch": "1.0"}})
    found = compared(told, now, fit)
    assert (found.changed, found.libraries) == ((), (f"torch 1.0, now {now.libraries['torch']}",))


def test_a_fit_that_the_manifest_does_not_know_is_an_error(fit: Fit, tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    manifest.write({}, file)
    with pytest.raises(LabelsUnusable, match="nothing is said of mine"):
        check({"mine": fit}, file)


@pytest.mark.parametrize("text", ["", "[]", '{"reader": {"weights": 1}}'])
def test_a_manifest_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LabelsUnusable, match=r"manifest\.json"):
        manifest.read(file)


def test_what_ships_belongs_to_its_labels_and_code() -> None:
    assert {name: found.changed for name, found in check().items()} == dict.fromkeys(FITS, ())


@pytest.fixture
def own_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A manifest of its own for the command, in which the chooser's labels were others."""
    file = tmp_path / "manifest.json"
    states = manifest.read()
    stale = {"interviews/training/data/questions.tsv": "0" * 16}
    states["chooser"] = states["chooser"].model_copy(update={"data": stale, "kept": None})
    manifest.write(states, file)
    read, write, held = manifest.read, manifest.write, manifest.check
    monkeypatch.setattr(manifest, "read", lambda path=file: read(path))
    monkeypatch.setattr(manifest, "write", lambda states: write(states, file))
    monkeypatch.setattr(manifest, "check", lambda: held(FITS, file))
    return file


def test_a_check_fails_and_says_how_to_mend_it(own_manifest: Path) -> None:
    with pytest.raises(CommandError) as failed:
        call_command("fit", "--check")
    assert "chooser: interviews/training/data/questions.tsv" in str(failed.value)
    assert "manage.py fit WHAT --keep" in str(failed.value)


def test_weights_are_kept_for_a_reason_that_every_check_prints(
    own_manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("fit", "chooser", "--keep", "only a spelling was mended")
    call_command("fit", "--check")
    assert "chooser: kept: only a spelling was mended" in capsys.readouterr().out
    call_command("fit", "chooser", "--check", "--json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found == {
        "chooser": {"changed": [], "libraries": [], "kept": "only a spelling was mended"}
    }
    assert State.model_validate(json.loads(own_manifest.read_text())["chooser"]).seed == 1


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["fit"], "say what to fit"),
        (["fit", "listener"], "listener"),
        (["fit", "--keep", "why not"], "say what is kept, and why"),
        (["fit", "reader", "--keep", " "], "say what is kept, and why"),
    ],
)
def test_a_command_that_leaves_out_what_it_needs_is_refused(
    own_manifest: Path, given: list[str], complaint: str
) -> None:
    before = own_manifest.read_bytes()
    with pytest.raises(CommandError, match=complaint):
        call_command(*given)
    assert own_manifest.read_bytes() == before

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.unit.methodologies.samples import TEXT


def test_warnings_of_a_valid_file_are_printed_and_leave_it_valid(tmp_path: Path) -> None:
    """A node-scoped weight on a strategy without a node never acts, which is odd but no error."""
    path, out = tmp_path / "m.yaml", StringIO()
    weights = "graph.node_count.zero: 1.0\n"
    path.write_text(TEXT.replace(weights, f"{weights}      graph.node.is_orphan: 0.2\n"))
    call_command("validate", str(path), stdout=out)
    line = TEXT.splitlines().index("      graph.node_count.zero: 1.0") + 2
    warning, verdict = out.getvalue().splitlines()
    assert warning.startswith(f"{path}:{line}:7: warning: ")
    assert verdict == f"{path}: valid"


def test_an_invalid_file_exits_with_1(tmp_path: Path) -> None:
    path, out = tmp_path / "m.yaml", StringIO()
    path.write_text(TEXT.replace("llm.engagement.high", "llm.engagement.hihg"))
    with pytest.raises(SystemExit) as caught:
        call_command("validate", str(path), stdout=out)
    assert caught.value.code == 1
    assert 'llm.engagement has no qualifier "hihg"' in out.getvalue()


@pytest.mark.parametrize(
    ("written", "where", "told"),
    [
        ("mode: guided\nmethodology: topic_guide", "1:1: guide:", "needs a guide: choose one"),
        ("mode: exploratory\nconcept: oat_milk", "1:1: methodology:", "needs a methodology"),
        ("mode: telepathic\nmethodology: m", "3:7: mode:", "telepathic"),
        (
            "mode: exploratory\nconcept: c\nmethodology: m\nllm_choice: {scoring: {provider: gpt}}",
            "6:13: llm_choice:",
            "gpt",
        ),
        (
            "mode: evaluative\nmethodology: m\nconcept: hiking_backpacks",
            "5:10: concept:",
            '"hiking_backpacks" has no stimulus and no elements',
        ),
        ("mode: evaluative\nmethodology: m\nconcept: none.yaml", "1:1:", "cannot be read"),
    ],
)
def test_a_study_that_lacks_what_its_mode_needs_is_refused_at_its_place(
    tmp_path: Path, written: str, where: str, told: str
) -> None:
    path, out = tmp_path / "study.yaml", StringIO()
    path.write_text(f"slug: mine\nname: Mine\n{written}\n")
    with pytest.raises(SystemExit) as caught:
        call_command("validate", str(path), stdout=out)
    assert caught.value.code == 1
    first = out.getvalue().splitlines()[0]
    assert first.startswith(f"{path}:{where}")
    assert told in first

"""From base to final, step by step: the drawing's shares and what the explanation says."""

from __future__ import annotations

import pytest

from analytics.waterfall import waterfalls
from interviews.turns.rationale import Factor, Weighed


def weighed(**more: object) -> Weighed:
    told: dict[str, object] = {
        "strategy": "ensure_coverage",
        "tactic": "open_probe",
        "kind": "element",
        "ref": "foam",
        "label": "foams",
        "base": 1.0,
        "factors": (
            Factor(name="coverage_quality", multiplier=2.5, weight=1.0, said="it waits"),
            Factor(name="redundancy", multiplier=1.0, weight=1.0),
            Factor(name="recency_diversity", multiplier=0.7, weight=0.8, said="used"),
        ),
        "final": 2.5 * 0.7**0.8,
    }
    return Weighed(**(told | more))  # type: ignore[arg-type]


def test_steps_lead_from_the_base_to_the_final_score() -> None:
    found = weighed()
    assert found.steps[0] == found.steps[1] == 2.5
    assert found.steps[-1] == pytest.approx(found.final, abs=1e-12)
    (drawn,) = waterfalls([found])
    assert drawn.title == "ensure coverage → foams"
    assert [step.way for step in drawn.steps] == ["up", "stays", "down"]
    assert (drawn.base_width, drawn.steps[0].left, drawn.steps[0].width) == ("40.0", "40.0", "60.0")
    assert float(drawn.steps[2].left) == pytest.approx(100 * 0.7**0.8, abs=0.05)
    assert float(drawn.steps[2].left) + float(drawn.steps[2].width) == pytest.approx(100, abs=0.1)


def test_what_was_vetoed_or_flagged_is_told() -> None:
    vetoed = (Factor(name="redundancy", multiplier=0.0, weight=1.0),)
    (drawn,) = waterfalls([weighed(factors=vetoed, final=0.0, vetoed_by="max_run", label="")])
    assert (drawn.title, drawn.ruled_out) == ("ensure coverage", "max run")
    assert drawn.final_width == "0.0"
    assert waterfalls([weighed(flagged=True)])[0].flagged

"""Documents changed in places: what is changed is changed, and nothing else."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from methodologies.registry import LIBRARY
from methodologies.round_trip import PHASES, changed, with_fields, with_weights

LADDER = (LIBRARY / "methodologies" / "means_end_chain.yaml").read_text("utf-8")
ORDER = ("id", "name", "topic", "methodology", "objective", "domain", "synonyms")

COMMENTED = """\
# What it is for.
method: {name: small, goal: g, opening_bias: o}
strategies:
  - name: explore  # the first
    signal_weights:
      # engaged people say more
      llm.engagement.low: 0.5  # kept
      llm.valence.high: 1
  - name: deepen
    signal_weights: {llm.engagement.high: 0.5}
phases:
  early:
    signal_weights:
      explore: 1.0  # said aloud
# The end.
"""


def weights_of(text: str) -> dict[str, dict[str, float]]:
    return {s["name"]: dict(s["signal_weights"]) for s in yaml.safe_load(text)["strategies"]}


def phases_of(text: str) -> dict[str, dict[str, tuple[float, float]]]:
    document = yaml.safe_load(text)
    found = {}
    for phase in PHASES:
        spec = (document.get("phases") or {}).get(phase) or {}
        factors, bonuses = spec.get("signal_weights") or {}, spec.get("phase_bonuses") or {}
        found[phase] = {
            s["name"]: (factors.get(s["name"], 1.0), bonuses.get(s["name"], 0.0))
            for s in document["strategies"]
        }
    return found


def test_saving_what_is_there_gives_the_same_text() -> None:
    text = (LIBRARY / "methodologies" / "topic_guide.yaml").read_text("utf-8")
    assert with_weights(text, weights_of(text), phases_of(text)) == text


def test_a_weight_is_changed_added_and_taken_out_and_comments_stay() -> None:
    found = with_weights(
        COMMENTED,
        {
            "explore": {"llm.engagement.low": 0.75, "graph.max_depth": -0.2},
            "deepen": {"llm.engagement.high": 0.5},
        },
        {"early": {"explore": (1.0, 0.0), "deepen": (0.5, 0.3)}},
    )
    assert _comments(found) == _comments(COMMENTED)
    assert weights_of(found)["explore"] == {"llm.engagement.low": 0.75, "graph.max_depth": -0.2}
    assert phases_of(found)["early"] == {"explore": (1.0, 0.0), "deepen": (0.5, 0.3)}


def _comments(text: str) -> list[str]:
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_whatever_is_weighed_is_what_the_text_says_and_every_comment_stays(
    data: st.DataObject,
) -> None:
    wanted = weights_of(COMMENTED)
    name = data.draw(st.sampled_from(sorted(wanted)))
    numbers = st.floats(-5, 5, allow_nan=False).map(lambda value: round(value, 2))
    keys = sorted(wanted[name])
    for key in data.draw(st.lists(st.sampled_from(keys), max_size=4)):
        wanted[name][key] = data.draw(numbers)
    wanted[name]["meta.conversation.saturation"] = data.draw(numbers)
    phases = phases_of(COMMENTED)
    phases["mid"][name] = (abs(data.draw(numbers)), data.draw(numbers))
    text = with_weights(COMMENTED, wanted, phases)
    assert weights_of(text) == wanted
    assert phases_of(text) == phases
    assert with_weights(text, wanted, phases) == text
    assert set(_comments(COMMENTED)) <= set(_comments(text))


CONCEPT = """\
# Drinks.
id: oat_milk
name: Oat milk  # as on the carton
methodology: means_end_chain
synonyms:
  - [oat milk, oat drink]
"""


def test_fields_are_changed_added_in_their_place_and_taken_out() -> None:
    fields: dict[str, Any] = {
        "name": "Oat drink",
        "topic": "oat milk",
        "objective": "What people notice. " * 8,
        "synonyms": [["a", "b"], ["c"]],
        "domain": "",
    }
    found = with_fields(CONCEPT, fields, ORDER)
    assert found.startswith("# Drinks.\nid: oat_milk\nname: Oat drink # as on the carton\ntopic:")
    assert "  - [a, b]\n  - [c]\n" in found
    read = yaml.safe_load(found)
    assert {**read, "objective": read["objective"].strip()} == {
        "id": "oat_milk",
        "methodology": "means_end_chain",
        **{k: v for k, v in fields.items() if v},
        "objective": ("What people notice. " * 8).strip(),
    }
    assert "topic" not in yaml.safe_load(with_fields(found, {"topic": ""}, ORDER))
    assert with_fields(CONCEPT, {"name": "Oat milk"}, ORDER) == CONCEPT


def test_a_change_that_changes_nothing_gives_the_same_text() -> None:
    odd = "a:    1   # far\nb: 'x'\n"
    assert changed(odd, lambda document: None) == odd

from __future__ import annotations

from methodologies.reference import signals_page
from methodologies.signals.base import load_signals


def test_every_signal_has_one_section_under_its_pool() -> None:
    lines = signals_page().splitlines()
    assert [line for line in lines if line.startswith("## ")] == [
        "## conversation",
        "## graph",
        "## llm",
        "## meta",
        "## technique",
        "## temporal",
    ]
    sections = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    assert sections == list(load_signals().names)


def test_a_section_says_what_a_signal_is_and_how_it_is_weighed() -> None:
    page = signals_page()
    assert (
        "### llm.response_depth\n\n"
        "How far the answer goes into its subject. Rating 1 surface, 2 shallow, 3 moderate, "
        "4 and 5 deep; low, mid and high by (score − 1)/4.\n\n"
        "- Scope: session\n"
        "- Value: one of `surface` (0), `shallow` (0.25), `moderate` (0.5), `deep` (0.75)\n"
        "- Weight keys: `.surface`, `.shallow`, `.moderate`, `.deep`, `.low`, `.mid`, `.high`\n"
    ) in page
    assert (
        "- Scope: each live node\n"
        "- Value: number, 0 and more\n"
        "- Weight keys: `.zero`, `.nonzero`, each of the ontology's levels\n"
    ) in page
    assert (
        "- Scope: each live node\n"
        "- Value: one of `exhausted`, `probe_deeper`, `fresh`\n"
        "- Weight keys: `.exhausted`, `.probe_deeper`, `.fresh`\n"
        "- Requires: `graph.node.exhausted`, `graph.node.is_current_focus`, `llm.response_depth`\n"
    ) in page
    assert "- Requires: a terminal node type in the ontology\n" in page

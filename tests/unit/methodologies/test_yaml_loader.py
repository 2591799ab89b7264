from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methodologies.schema import ConceptSchema, MethodologySchema, PersonaSchema
from methodologies.yaml_loader import (
    DocumentInvalid,
    Problem,
    load_concept,
    load_document,
    load_methodology,
    load_persona,
)
from methodologies.yaml_tree import MAX_BYTES, MAX_DEPTH, MAX_VALUES, resolve
from tests.unit.methodologies.samples import TEXT

CONCEPT = "id: backpacks\nname: Hiking backpacks\nmethodology: laddering\n"
PERSONA = "id: calm\nname: Calm\ndescription: Answers at ease\ntraits:\n  hedging: 0.5\n"


def errors(text: str) -> list[str]:
    """What is wrong with a document, one line a problem."""
    with pytest.raises(DocumentInvalid) as caught:
        load_document(text, "f.yaml")
    assert str(caught.value) == "\n".join(p.format("f.yaml") for p in caught.value.problems)
    return str(caught.value).splitlines()


def changed(old: str, new: str) -> str:
    """The sample methodology with one place changed."""
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


# -- what loads ------------------------------------------------------------------------------------
def test_methodology_loads() -> None:
    loaded = load_methodology(TEXT)
    assert [s.name for s in loaded.strategies] == ["explore", "deepen", "close"]
    assert loaded.phases["early"].signal_weights == {"explore": 1.5}


def test_concept_loads() -> None:
    assert load_concept(CONCEPT).name == "Hiking backpacks"


def test_persona_loads() -> None:
    assert load_persona(PERSONA).traits.hedging == 0.5


@pytest.mark.parametrize(
    ("text", "kind", "schema"),
    [
        (TEXT, "methodology", MethodologySchema),
        (CONCEPT, "concept", ConceptSchema),
        (PERSONA, "persona", PersonaSchema),
        ("\ufeff" + CONCEPT.replace("\n", "\r\n"), "concept", ConceptSchema),
    ],
)
def test_kind_of_a_document_is_recognised(text: str, kind: str, schema: type) -> None:
    loaded = load_document(text)
    assert (loaded.kind, type(loaded.schema), loaded.warnings) == (kind, schema, ())


def test_document_of_no_kind_is_refused() -> None:
    assert errors("colour: red\n") == [
        (
            "f.yaml:1:1: no methodology (method, ontology, signals, strategies), concept (id, "
            "name, methodology), persona (id, name, description, traits), guide (id, title, "
            "research_goal, topics) or study (slug, name, mode)"
        )
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("010", 10),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        (".inf", float("inf")),
        ("True", True),
        ("~", None),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_unquoted_words_mean_what_they_look_like(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_keys_are_text_whatever_they_look_like() -> None:
    assert errors(CONCEPT + "true: x\n")[0].startswith('f.yaml:4:1: unknown key "true"')


# -- what is refused before it is read -------------------------------------------------------------
def test_syntax_error_has_its_place() -> None:
    assert errors("id: x\nname: a: b\n") == [
        (
            "f.yaml:2:8: not valid YAML: mapping values are not allowed in this context; text that "
            "holds a colon belongs in quotes"
        )
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f.yaml:1:1: the document is empty"),
        ("# nothing\n", "f.yaml:1:1: the document is empty"),
        ("id: x\n---\nid: y\n", "f.yaml:2:1: a second document begins here; expected one a file"),
        ("id: &a x\n", "f.yaml:1:5: anchor &a is not allowed; write the value out"),
        ("id: x\nname: *a\n", "f.yaml:2:7: alias *a is not allowed; write the value out"),
        ("id: !!set {a}\n", "f.yaml:1:5: type tag:yaml.org,2002:set is not allowed"),
        (
            "id: !!python/name:os.system x\n",
            "f.yaml:1:5: type tag:yaml.org,2002:python/name:os.system is not allowed",
        ),
        ("? [a]\n: b\n", "f.yaml:1:3: found a list or mapping as a key; expected text"),
        ('id: x\nname: "a\x00"\n', "f.yaml:2:9: character U+0000 is not allowed"),
        ("id: \ud800\n", "f.yaml:1:5: character U+D800 is not allowed"),
    ],
)
def test_what_is_no_plain_document_is_refused(text: str, expected: str) -> None:
    assert errors(text) == [expected]


def test_nesting_is_limited() -> None:
    deepest = "id: x\nx: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert not any("nested" in line for line in errors(deepest))
    too_deep = "id: x\nx: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert errors(too_deep) == [f"f.yaml:2:{3 + MAX_DEPTH}: nested deeper than {MAX_DEPTH}"]


def test_number_of_values_is_limited() -> None:
    assert errors("- 1\n" * (MAX_VALUES + 1))[0].endswith(": more than 10,000 values")


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "x" * MAX_BYTES,
        "[" * (MAX_BYTES - 1),
        "- " * (MAX_BYTES // 2 - 1),
        "a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        CONCEPT + "context: *nothing\n",
    ],
    ids=["size", "flow", "block", "anchors", "alias"],
)
def test_hostile_document_is_refused_quickly(text: str) -> None:
    def once() -> float:
        start = time.perf_counter()
        with pytest.raises(DocumentInvalid):
            load_document(text)
        return time.perf_counter() - start

    assert min(once() for _ in range(3)) < 0.1


# -- shape -----------------------------------------------------------------------------------------
def test_repeated_key_is_an_error_and_the_rest_is_still_checked() -> None:
    assert errors(CONCEPT + "name: Bags\ncolour: red\n") == [
        'f.yaml:4:1: key "name" is there already in line 2; expected it once',
        (
            'f.yaml:5:1: unknown key "colour"; expected one of id, name, topic, methodology, '
            "objective, language, texts, context, domain, synonyms, stimulus, elements"
        ),
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "    focus_mode: summary",
            "    fokus_mode: summary",
            '41:5: unknown key "fokus_mode"; did you mean "focus_mode"?',
        ),
        (
            "focus_mode: summary",
            "focus_mode: sumary",
            "41:17: focus_mode: found \"sumary\", expected 'recent_node', 'summary' or 'topi",
        ),
        ("  goal: Climb", "  gaol: Climb", '2:3: key "goal" is missing; found gaol, name, ope'),
        ("name: explore", "name: Ex plore", '28:11: name: found "Ex plore", expected a name of '),
        ("name: explore", "name: 7", "28:11: name: found the number 7, expected text; put it in"),
        ("zero: 1.0", 'zero: "1.0"', '32:30: graph.node_count.zero: found "1.0", expected a numb'),
        ("zero: 1.0", "zero: true", "32:30: graph.node_count.zero: found true, expected a number"),
        ("zero: 1.0", "zero: .nan", "32:30: graph.node_count.zero: found .nan, expected a finite"),
        ("terminal: true", "terminal: perhaps", '15:17: terminal: found "perhaps", expected true'),
        ("level: 3", "level: 0", "14:14: level: found the number 0, expected at least 1"),
        ("level: 3", "level: 2.5", "14:14: level: found the number 2.5, expected a whole number"),
        ("explore: 1.5", "explore: -1", "48:16: explore: found the number -1, expected at least 0"),
        (
            "[consequence, value]",
            "[consequence]",
            "22:11: found a list of 1, expected item 2 as well",
        ),
        ("  early:", "  begin:", "46:3: begin: found \"begin\", expected 'early', 'mid' or 'late'"),
        (
            "llm: [llm.engagement, llm.response_depth]",
            "llm: llm.engagement",
            '25:8: llm: found "llm.engagement", expected a list',
        ),
        (
            "opening_bias: Start with what they notice",
            "opening_bias:",
            "4:16: opening_bias: found nothing, expected text",
        ),
    ],
)
def test_shape_error(old: str, new: str, expected: str) -> None:
    assert errors(changed(old, new))[0].startswith(f"f.yaml:{expected}")


def test_missing_key_is_placed_at_its_parent() -> None:
    assert errors(changed("    description: Ask why it matters\n", "")) == [
        'f.yaml:33:5: key "description" is missing; found name, signal_weights'
    ]


def test_all_errors_come_at_once_in_the_order_of_the_file() -> None:
    text = (
        TEXT.replace("terminal: true", "terminl: true")
        .replace("- [consequence, value]", "- [consequence, valu]")
        .replace("llm.engagement.high: 0.5", "llm.engagment.high: 0.5")
        .replace("node_binding: none\n    focus_mode", "node_binding: nobody\n    focus_mode")
        .replace("graph.max_depth: 0.7", "graph.max_depth: deep")
        .replace("      explore: 0.2", "      explor: 0.2")
    )
    assert errors(text) == [
        'f.yaml:15:7: unknown key "terminl"; did you mean "terminal"?',
        'f.yaml:22:25: unknown node type "valu"; did you mean "value"?',
        'f.yaml:36:7: unknown signal "llm.engagment.high"; did you mean "llm.engagement.high"?',
        "f.yaml:40:19: node_binding: found \"nobody\", expected 'required' or 'none'",
        'f.yaml:44:24: graph.max_depth: found "deep", expected a number',
        'f.yaml:50:7: unknown strategy "explor"; did you mean "explore"?',
    ]


def test_names_that_were_misspelt_where_they_are_declared_are_blamed_once() -> None:
    text = changed("name: explore", "name: Explore").replace("explore:", "Explore:")
    assert [line.split(":")[1] for line in errors(text)] == ["28"]


def test_missing_sections_do_not_hide_other_errors() -> None:
    text = TEXT[: TEXT.index("signals:")] + TEXT[TEXT.index("strategies:") :]
    text = text.replace("graph.max_depth: 0.7", "graph.max_deph: 0.7")
    assert errors(text) == [
        'f.yaml:1:1: key "signals" is missing; found method, ontology, phases, strategies',
        'f.yaml:40:7: unknown signal "graph.max_deph"; did you mean "graph.max_depth"?',
    ]


def test_problem_leads_to_its_value() -> None:
    with pytest.raises(DocumentInvalid) as caught:
        load_methodology(changed("level: 3", "level: high"))
    problem = caught.value.problems[0]
    assert (problem.path, problem.line, problem.column) == (
        ("ontology", "nodes", 2, "level"),
        14,
        14,
    )


def test_loading_as_the_wrong_kind_names_what_is_missing() -> None:
    with pytest.raises(DocumentInvalid, match='key "method" is missing'):
        load_methodology(CONCEPT)


TOKENS = (
    "",
    "7",
    "true",
    "[]",
    "{}",
    "[a, [b, c]]",
    "{a: 1}",
    "deepen",
    "graph.node.level",
    ".nan",
    "- x",
)


@given(
    st.lists(
        st.tuples(st.integers(0, 49), st.sampled_from(("drop", "twice", "value", "key", "indent"))),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(TOKENS),
)
@settings(max_examples=300)
def test_damaged_document_loads_or_says_where_it_is_wrong(
    damage: list[tuple[int, str]], token: str
) -> None:
    lines = TEXT.splitlines()
    for number, kind in damage:
        line = lines[number]
        key, colon, _ = line.partition(":")
        lines[number] = {
            "drop": "",
            "twice": f"{line}\n{line}",
            "value": f"{key}{colon} {token}",
            "key": line.replace(line.strip(), f"{token}: 1"),
            "indent": f"  {line}",
        }[kind]
    text = "\n".join(lines)
    loaded, problems = outcome(text)
    assert loaded is not any(problem.severity == "error" for problem in problems)
    last_line = text.count("\n") + 2
    assert all(1 <= problem.line <= last_line and problem.column >= 1 for problem in problems)


def outcome(text: str) -> tuple[bool, tuple[Problem, ...]]:
    """Whether a document loads, and what was found."""
    try:
        return True, load_document(text).warnings
    except DocumentInvalid as error:
        return False, error.problems

"""Clauses and discourse relations by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews import nlp


@pytest.mark.parametrize(
    ("text", "kind", "first", "second"),
    [
        ("I walk because the bus is late.", "cause", "the bus is late", "I walk"),
        ("Because the bus is late, I walk.", "cause", "the bus is late", "I walk"),
        ("The bus is late, so I walk.", "result", "The bus is late", "I walk"),
        ("It is light, which means I can carry it.", "result", "It is light", "I can carry it"),
        ("It is light. That way I save my back.", "result", "It is light", "I save my back"),
        ("I was late. That's why I ran.", "result", "I was late", "I ran"),
        ("I write it down so that I remember.", "purpose", "I write it down", "I remember"),
        ("I get up early in order to run.", "purpose", "I get up early", "run"),
        ("If it rains, I stay in.", "condition", "it rains", "I stay in"),
        ("I stay in if it rains.", "condition", "it rains", "I stay in"),
        ("When it rains I stay in.", "condition", "it rains", "I stay in"),
        ("I lock it, otherwise it gets stolen.", "condition", "I lock it", "it gets stolen"),
        ("It is good but it is dear.", "contrast", "It is good", "it is dear"),
        ("I eat before I go.", "time", "I eat", "I go"),
        ("I rest after I run.", "time", "I run", "I rest"),
        ("I wait until it stops.", "time", "I wait", "it stops"),
        ("We moved since it was loud there.", "cause", "it was loud there", "We moved"),
        ("It was full, therefore I left.", "result", "It was full", "I left"),
        ("I left, and that's because it was full.", "cause", "it was full", "I left"),
        ("I left. It's only because it was full.", "cause", "it was full", "I left"),
        ("It was full, and because of that I left.", "result", "It was full", "I left"),
        ("It was full. Thanks to that, I met you.", "result", "It was full", "I met you"),
        ("I left because of that noise.", "cause", "that noise", "I left"),
        ("A light pack means I can go far.", "result", "A light pack", "I can go far"),
    ],
)
def test_a_connective_joins_its_two_clauses(text: str, kind: str, first: str, second: str) -> None:
    (relation,) = nlp.relations_by_rule(text)
    assert (relation.kind, relation.first.text, relation.second.text) == (kind, first, second)


@pytest.mark.parametrize(
    "text",
    [
        "It is so good.",
        "I have lived here since 2010.",
        "I like that one.",
        "It was so much fun.",
        "We left before noon.",
        "I think so.",
        "I never know what she means.",
    ],
)
def test_what_only_looks_like_a_connective_joins_nothing(text: str) -> None:
    assert nlp.relations_by_rule(text) == ()


def test_a_chain_of_reasons_gives_one_relation_a_step() -> None:
    relations = nlp.relations_by_rule("It is light so I walk far, which gives me time to think.")
    assert [(r.first.text, r.second.text) for r in relations] == [
        ("It is light", "I walk far"),
        ("I walk far", "gives me time to think"),
    ]


def test_typographic_apostrophes_count_as_straight_ones() -> None:
    (relation,) = nlp.relations_by_rule("I was late. That’s why I ran.")
    assert relation.kind == "result"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I carry it home and my boyfriend gets it.", ["I carry it home", "my boyfriend gets it"]),
        (
            "It has no perfume, and the bottle has to be small.",
            ["It has no perfume", "the bottle has to be small"],
        ),
        ("It was loud, somebody's alarm went off.", ["It was loud", "somebody's alarm went off"]),
        (
            "I like friends and family, music and the smell of rain.",
            ["I like friends and family, music and the smell of rain"],
        ),
        (
            "I noticed the papers, the crisps my uncle eats.",
            ["I noticed the papers, the crisps my uncle eats"],
        ),
        ("I stay as long as I like.", ["I stay as long as I like"]),
        ("He plans it, so if I miss it I'm the one who pays.",
         ["He plans it", "I miss it", "I'm the one who pays"]),
    ],
)  # fmt: skip
def test_a_coordinated_clause_begins_at_its_own_subject(text: str, parts: list[str]) -> None:
    assert [clause.text for clause in nlp.clauses(text)] == parts


@pytest.mark.parametrize(
    ("text", "reason", "of"),
    [
        (
            "I take the train, even when it is late, because I like it.",
            "I like it",
            "I take the train",
        ),
        (
            "I do this first because if you wait you forget the rest.",
            "you forget the rest",
            "I do this first",
        ),
    ],
)
def test_a_reason_goes_back_past_what_is_subordinate(text: str, reason: str, of: str) -> None:
    causes = [r for r in nlp.relations_by_rule(text) if r.kind == "cause"]
    assert [(r.first.text, r.second.text) for r in causes] == [(reason, of)]


@given(st.text(max_size=300))
def test_clause_spans_are_those_of_the_text(text: str) -> None:
    straight = text.replace("’", "'").replace("‘", "'")
    ends = 0
    for clause in nlp.clauses(text):
        assert straight[clause.start : clause.end] == clause.text
        assert clause.start >= ends
        ends = clause.end


@given(
    st.lists(
        st.sampled_from(
            [
                "it",
                "is",
                "warm",
                "so",
                "because",
                "I",
                "walk",
                "and",
                "but",
                "if",
                "when",
                ",",
                ".",
                "the",
            ]
        ),
        max_size=40,
    )
)
def test_relation_spans_are_those_of_the_text(words: list[str]) -> None:
    text = " ".join(words)
    for relation in nlp.relations_by_rule(text):
        for span in (relation.first, relation.second):
            assert text[span.start : span.end] == span.text
        assert relation.first != relation.second

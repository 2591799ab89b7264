"""Predicate frames, by rule and from a dependency parse, and what the process has loaded."""

from __future__ import annotations

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from interviews import nlp
from interviews.nlp import PredicateFrame


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        (
            "My shoulders don't ache.",
            PredicateFrame(predicate="ache", nsubj="My shoulders", negation=True),
        ),
        (
            "The lid closes the pot.",
            PredicateFrame(predicate="close", nsubj="The lid", dobj="the pot"),
        ),
        ("I feel safe.", PredicateFrame(predicate="feel", nsubj="I", xcomp="safe")),
        (
            "I want to sleep longer.",
            PredicateFrame(predicate="want", nsubj="I", xcomp="sleep longer"),
        ),
    ],
)
def test_frames_by_rule(text: str, frame: PredicateFrame) -> None:
    assert nlp.frames_by_rule(text) == (frame,)


def test_each_clause_gives_its_own_frame() -> None:
    frames = nlp.frames_by_rule("It keeps the tea hot, so I drink it slowly.")
    assert [f.predicate for f in frames] == ["keep", "drink"]


def _doc(words: list[str], heads: list[int], deps: list[str], pos: list[str]) -> Doc:
    lemmas = [{"leaks": "leak", "walked": "walk", "is": "be"}.get(w, w) for w in words]
    return Doc(Vocab(), words=words, heads=heads, deps=deps, pos=pos, lemmas=lemmas)


def _because() -> Doc:
    # "I hate it because the lid leaks ."
    return _doc(
        ["I", "hate", "it", "because", "the", "lid", "leaks", "."],
        [1, 1, 1, 6, 5, 6, 1, 1],
        ["nsubj", "ROOT", "dobj", "mark", "det", "nsubj", "advcl", "punct"],
        ["PRON", "VERB", "PRON", "SCONJ", "DET", "NOUN", "VERB", "PUNCT"],
    )


def test_a_parse_gives_the_clause_of_its_subordinator() -> None:
    (relation,) = nlp.relations_from_doc(_because())
    assert relation.kind == "cause"
    assert relation.marker == "because"
    assert relation.first.text == "the lid leaks"
    assert relation.second.text == "I hate it"


def test_a_parse_gives_frames_with_their_roles() -> None:
    assert nlp.frames_from_doc(_because()) == (
        PredicateFrame(predicate="hate", nsubj="I", dobj="it"),
        PredicateFrame(predicate="leak", nsubj="the lid"),
    )


def test_a_parse_gives_negation_and_obliques() -> None:
    # "We walked not to town"
    doc = _doc(
        ["We", "walked", "not", "to", "town"],
        [1, 1, 1, 1, 3],
        ["nsubj", "ROOT", "neg", "prep", "pobj"],
        ["PRON", "VERB", "PART", "ADP", "NOUN"],
    )
    assert nlp.frames_from_doc(doc) == (
        PredicateFrame(predicate="walk", nsubj="We", obl="to town", negation=True),
    )


def test_coordinated_clauses_are_set_against_each_other() -> None:
    # "It is good but it is dear"
    doc = _doc(
        ["It", "is", "good", "but", "it", "is", "dear"],
        [1, 1, 1, 1, 5, 1, 5],
        ["nsubj", "ROOT", "acomp", "cc", "nsubj", "conj", "acomp"],
        ["PRON", "AUX", "ADJ", "CCONJ", "PRON", "AUX", "ADJ"],
    )
    (relation,) = nlp.relations_from_doc(doc)
    assert (relation.kind, relation.first.text, relation.second.text) == (
        "contrast",
        "It is good",
        "it is dear",
    )


def test_without_the_model_an_analysis_is_marked_approximate() -> None:
    analysis = nlp.analyse("I walk because it is near.", model="no_such_model")
    assert analysis.approximate
    assert "no_such_model" in analysis.note
    assert [r.kind for r in analysis.relations] == ["cause"]
    assert [f.predicate for f in analysis.frames] == ["walk", "be"]


def test_without_parser_and_tagger_an_analysis_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nlp, "has_tagger", lambda: False)
    analysis = nlp.analyse("I walk because it is near.", model="no_such_model")
    assert (analysis.relations, analysis.frames) == ((), ())
    assert analysis.note == "neither a parser nor a tagger is installed"
    assert not nlp.status(model="no_such_model").tagger


def test_status_says_that_frames_are_approximate() -> None:
    status = nlp.status(model="no_such_model")
    assert not status.parser
    assert status.tagger
    assert "approximate" in status.note

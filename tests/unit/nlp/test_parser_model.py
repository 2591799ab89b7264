"""The English model that `make setup` installs: what it reads, and what is done without it."""

from __future__ import annotations

from interviews import nlp
from interviews.llm.providers.offline.reader.reading import as_fitted
from interviews.llm.tasks.extraction import ExtractionInputs

SAID = "After the dentist left the practice, nobody explained anything to me."


def test_the_model_that_is_installed_parses() -> None:
    analysis = nlp.analyse(SAID)
    assert not analysis.approximate
    assert analysis.note == ""
    (relation,) = analysis.relations
    assert (relation.kind, relation.first.text) == ("time", "the dentist left the practice")
    assert [(f.predicate, f.nsubj) for f in analysis.frames] == [
        ("leave", "the dentist"),
        ("explain", "nobody"),
    ]


def test_a_clause_that_hangs_on_a_mark_alone_relates_nothing() -> None:
    said = (
        "By pure luck, if you ask me. I'd looked at my wristband because I was bored, it said left "
        "knee, mine's the right, and so I said hold on, people."
    )
    assert all(r.first.text and r.second.text for r in nlp.analyse(said).relations)


def test_without_a_model_rules_read_and_say_that_they_do() -> None:
    analysis = nlp.analyse("We left because it rained.", model="no_such_model")
    assert analysis.approximate
    assert "no_such_model is not installed" in analysis.note
    assert [relation.marker for relation in analysis.relations] == ["because"]


def test_where_a_model_lies_is_known_without_loading_it() -> None:
    place = nlp.installed()
    assert place is not None
    assert (place / "meta.json").is_file()
    assert nlp.installed("no_such_model") is None


def test_the_offline_reader_goes_by_the_relations_it_was_fitted_with() -> None:
    inputs = ExtractionInputs(
        answer=SAID,
        methodology_name="any",
        goal="any",
        node_types=(),
        edge_types=(),
        discourse_relations=nlp.analyse(SAID).relations,
    )
    assert as_fitted(inputs).discourse_relations == nlp.relations_by_rule(SAID)
    without = inputs.model_copy(update={"discourse_relations": ()})
    assert as_fitted(without) == without

"""Reading two labels together: what the network decides, and when it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from graphs.language.embeddings import shared_embedder
from graphs.language.minilm import bundle, read_tokenizer
from graphs.matching import Label, Matcher, SharedReader
from graphs.matching.alignment import Features
from graphs.matching.judgement import Judgement
from graphs.matching.lexicon import english
from graphs.matching.pairing import tokens_of

from .samples import ScriptedEmbedder, cosines, graph_of, labels

ALONE = replace(english(), wordnet=None)


class Scripted:
    """Says what it was told to, and remembers what it was asked."""

    threshold = 0.5

    def __init__(self, *same: tuple[str, str]) -> None:
        self.same = {frozenset(pair) for pair in same}
        self.batches: list[list[tuple[str, str]]] = []

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        assert len(pairs) == len(found)
        self.batches.append(list(pairs))
        return [0.9 if frozenset(pair) in self.same else 0.1 for pair in pairs]


@pytest.mark.parametrize(
    ("a", "b", "merge"),
    [
        ("don't have to worry", "peace of mind", True),
        ("takes less time", "saves time", True),
        ("feel safe", "keep my child safe", False),
        ("soft pillow", "firm pillow", False),
        ("quiet motor", "can sleep in", False),
        ("2 tails", "3 tails", False),
    ],
)
def test_paraphrases_in_other_words_are_one_and_neighbours_are_not(
    a: str, b: str, merge: bool
) -> None:
    matcher = Matcher(shared_embedder(), reader=SharedReader())
    one, other = (Label(text=text, node_type="attribute") for text in (a, b))
    there, back = matcher.compare(one, other), matcher.compare(other, one)
    assert there.merge is merge
    assert back == there


def test_the_reader_has_the_last_word_on_what_no_rule_decides() -> None:
    reader = Scripted(("granite top", "stone counter"))
    near: dict[str, Sequence[float]]
    near = {"granite top": (1, 0, 0), "stone counter": (0.7, 0.7, 0), "marble sink": (0.7, 0, 0.7)}
    matcher = Matcher(ScriptedEmbedder(near), lexicon=ALONE).with_reader(reader)
    found = [
        matcher.compare(*labels(a, b))
        for a, b in (
            ("granite top", "stone counter"),
            ("granite top", "marble sink"),
            ("more sugar", "less sugar"),
            ("granite top", "Granite top"),
        )
    ]
    assert [verdict.merge for verdict in found] == [True, False, False, True]
    # Opposites and equals are not put to it.
    asked = [pair for batch in reader.batches for pair in batch]
    assert asked == [("granite top", "stone counter"), ("granite top", "marble sink")]


def test_only_the_likeliest_neighbour_is_read_and_all_labels_at_once() -> None:
    stones = ["granite", "marble", "slate", "basalt", "gneiss", "quartz"]
    graph, ids = graph_of((stone, "attribute") for stone in stones)
    near = {stone: 0.9 - 0.1 * place for place, stone in enumerate(stones)}
    reader = Scripted(("plum", "granite"), ("pear", "marble"))
    fruits: dict[str, Sequence[float]] = {"plum": (1, 0), "pear": (0.8, 0.6)}
    matcher = Matcher(ScriptedEmbedder(fruits), lexicon=ALONE, reader=reader)
    plum, pear = matcher.resolve(labels("plum", "pear"), graph, cosines(graph, near))
    (batch,) = reader.batches
    assert sorted(batch) == [("pear", "granite"), ("pear", "plum"), ("plum", "granite")]
    assert plum.node_id == ids["granite"]
    # "marble" is not the likeliest, so nobody says that it is the same.
    assert (pear.node_id, pear.same_as) == (None, None)


def test_what_the_judgement_holds_for_hardly_possible_is_not_read() -> None:
    reader = Scripted(("granite top", "cherry tree"))
    verdict = Matcher(ScriptedEmbedder(), lexicon=ALONE, reader=reader).compare(
        *labels("granite top", "cherry tree")
    )
    assert (verdict.merge, verdict.doubtful, verdict.probability) == (False, False, 0.0)
    assert reader.batches == [[]]


def test_what_is_far_and_shares_no_word_is_not_even_judged() -> None:
    reader = Scripted(("granite top", "cherry tree"), ("granite top", "granite wall"))
    far: dict[str, Sequence[float]]
    far = {"granite top": (1, 0), "cherry tree": (0.2, 0.98), "granite wall": (0.2, 0.98)}
    judged_by = Judgement(weights={}, bias=9.0, threshold=1.0)
    matcher = Matcher(ScriptedEmbedder(far), lexicon=ALONE, judgement=judged_by, reader=reader)
    assert not matcher.compare(*labels("granite top", "cherry tree")).merge
    assert matcher.compare(*labels("granite top", "granite wall")).merge


def test_the_same_words_in_other_parts_are_read() -> None:
    graph, ids = graph_of((label, "attribute") for label in ("granite top", "walks with my dog"))
    reader = Scripted(("tops of granite", "granite top"))
    matcher = Matcher(ScriptedEmbedder(), lexicon=ALONE, reader=reader)
    new = labels("tops of granite", "dog walks with me", "granite tops")
    found = matcher.resolve(new, graph, cosines(graph, {}))
    # The first is confirmed, the second kept apart; where only inflection differs nobody asks.
    assert [each.node_id for each in found] == [ids["granite top"], None, ids["granite top"]]
    assert [each.tier for each in found] == ["lexical", None, "lexical"]
    (batch,) = reader.batches
    assert sorted(batch) == [
        ("dog walks with me", "walks with my dog"),
        ("tops of granite", "granite top"),
    ]


def test_two_labels_are_one_text_of_two_parts() -> None:
    ids, parts = tokens_of(read_tokenizer(bundle()), "soft", "very soft")
    assert (ids[0], ids[-1], ids.count(102)) == (101, 102, 2)
    assert parts == (0, 0, 0, 1, 1, 1)

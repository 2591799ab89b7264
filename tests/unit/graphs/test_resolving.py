"""What an answer itself says of its labels, before any word is compared, and merges in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.matching import Given, Label, Matcher, Resolution
from graphs.matching.alignment import Features

from .samples import ScriptedEmbedder, cosines, graph_of
from .test_matching import ALONE, JUDGEMENT

CARS = ("fast car", "quick vehicle", "rapid automobile", "speedy car")


class Reader:
    """Takes every pair that it is given for one, or for none."""

    threshold = 0.5

    def __init__(self, chance: float) -> None:
        self._chance = chance

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        return [self._chance] * len(pairs)


def labels(*said: str | tuple[str, str]) -> list[Label]:
    """Attributes, each with a quote of its own or the given one."""
    pairs = [(one, one) if isinstance(one, str) else one for one in said]
    return [Label(text=text, node_type="attribute", quote=quote) for text, quote in pairs]


def related(*pairs: tuple[int, int]) -> Given:
    found: dict[int, frozenset[int]] = {}
    for one, other in (*pairs, *(pair[::-1] for pair in pairs)):
        found[one] = found.get(one, frozenset()) | {other}
    return Given(labels=found)


def identity(place: int, found: Resolution) -> object:
    return found.node_id or (place if found.same_as is None else found.same_as)


def test_two_ends_of_a_relation_stay_two_though_their_words_say_the_same() -> None:
    graph, _ = graph_of([])
    found = Matcher(ScriptedEmbedder()).resolve(
        labels("fast car", "quick vehicle", "rapid automobile"),
        graph,
        cosines(graph, {}),
        given=related((0, 1)),
    )
    assert [(r.node_id, r.same_as, r.veto) for r in found] == [
        (None, None, None),
        (None, None, None),
        (None, 0, None),
    ]
    assert all(r.vector is not None for r in found)


def test_two_ends_do_not_meet_in_one_node_of_the_graph() -> None:
    graph, ids = graph_of([("fast car", "attribute")])
    found = Matcher(ScriptedEmbedder()).resolve(
        labels("quick vehicle", "rapid automobile"),
        graph,
        cosines(graph, {}),
        given=related((0, 1)),
    )
    assert [(r.node_id, r.veto) for r in found] == [(ids["fast car"], None), (None, "related")]
    assert found[1].vector is not None


def test_the_end_that_is_a_node_by_its_very_words_keeps_it() -> None:
    graph, ids = graph_of([("fast car", "attribute")])
    found = Matcher(ScriptedEmbedder()).resolve(
        labels("quick vehicle", "Fast  car"), graph, cosines(graph, {}), given=related((0, 1))
    )
    assert [r.node_id for r in found] == [None, ids["fast car"]]


def test_an_end_does_not_become_the_known_node_that_it_is_related_to() -> None:
    graph, ids = graph_of([("fast car", "attribute"), ("speedy car", "attribute")])
    (found,) = Matcher(ScriptedEmbedder()).resolve(
        labels("quick vehicle"),
        graph,
        cosines(graph, {}),
        given=Given(nodes={0: frozenset({ids["fast car"]})}),
    )
    assert found.node_id == ids["speedy car"]


@given(
    st.lists(st.sampled_from([*CARS, "wool lining", "woollen lining"]), min_size=2, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=5),
    st.lists(st.sampled_from(CARS), max_size=2, unique=True),
    st.lists(st.sampled_from(["one", "two", ""]), min_size=6, max_size=6),
)
def test_no_two_ends_of_a_relation_become_one_node(
    texts: list[str], pairs: list[tuple[int, int]], known: list[str], quotes: list[str]
) -> None:
    graph, _ = graph_of([(label, "attribute") for label in known])
    kept = [(a, b) for a, b in pairs if max(a, b) < len(texts) and texts[a] != texts[b]]
    # A relation names its ends by their labels: whoever has the label is an end.
    every = [
        (i, j)
        for a, b in kept
        for i in range(len(texts))
        for j in range(len(texts))
        if (texts[i], texts[j]) == (texts[a], texts[b])
    ]
    found = Matcher(ScriptedEmbedder()).resolve(
        labels(*zip(texts, quotes, strict=False)),
        graph,
        cosines(graph, {}),
        given=related(*every),
    )
    assert all(identity(a, found[a]) != identity(b, found[b]) for a, b in every)
    assert all(r.vector is not None for r in found if r.node_id is None and r.same_as is None)


def test_labels_of_one_type_and_quote_are_one() -> None:
    graph, ids = graph_of([("lining of wool", "attribute")])
    quote = "I am not proud of shouting"
    said = labels(("shame", quote), ("granite", "granite"), ("regret", quote))
    elsewhere = Label(text="remorse", node_type="value", quote=quote)
    found = Matcher(ScriptedEmbedder()).resolve([*said, elsewhere], graph, cosines(graph, {}))
    assert [(r.same_as, r.tier) for r in found] == [
        (None, None),
        (None, None),
        (0, "quote"),
        (None, None),
    ]
    known = Matcher(ScriptedEmbedder()).resolve(
        labels(("warmth", "the wool"), ("lining of wool", "the wool")), graph, cosines(graph, {})
    )
    assert [(r.node_id, r.tier) for r in known] == [
        (ids["lining of wool"], "quote"),
        (ids["lining of wool"], "exact"),
    ]


@pytest.mark.parametrize(
    ("one", "other", "given"),
    [
        ("more sugar", "less sugar", Given()),
        ("two cups", "three cups", Given()),
        ("shame", "regret", related((0, 1))),
    ],
)
def test_what_contradicts_or_is_related_is_two_though_its_quote_is_one(
    one: str, other: str, given: Given
) -> None:
    graph, _ = graph_of([])
    found = Matcher(ScriptedEmbedder()).resolve(
        labels((one, "both of it"), (other, "both of it")), graph, cosines(graph, {}), given=given
    )
    assert [r.same_as for r in found] == [None, None]


@pytest.mark.parametrize(
    ("cosine", "chance", "merged", "doubtful", "nearly"),
    [
        (0.59, 0.9, True, True, False),
        (0.60, 0.9, True, False, False),
        (0.59, 0.3, False, False, True),
        (0.59, 0.2, False, False, False),
        (0.72, 0.2, False, False, True),
    ],
)
def test_weak_merges_and_near_misses_are_for_a_model_to_decide(
    cosine: float, chance: float, *, merged: bool, doubtful: bool, nearly: bool
) -> None:
    graph, ids = graph_of([("opal sheen", "attribute")])
    matcher = Matcher(
        ScriptedEmbedder({"marble glow": [1, 0]}),
        lexicon=ALONE,
        judgement=JUDGEMENT,
        reader=Reader(chance),
    )
    near: Mapping[str, float] = {"opal sheen": cosine}
    (found,) = matcher.resolve(labels("marble glow"), graph, cosines(graph, dict(near)))
    assert (found.node_id is not None, found.doubtful) == (merged, doubtful)
    assert found.nearly == (ids["opal sheen"] if nearly else None)


@pytest.mark.parametrize(
    ("cosine", "chance", "near", "merged"),
    [
        (0.80, 0.2, 0.80, True),
        (0.80, 0.19, 0.80, False),
        (0.79, 0.49, 0.80, False),
        (0.79, 0.2, 0.79, True),
        (0.95, 0.49, 1.0, False),
        (0.95, 0.5, 1.0, True),
    ],
)
def test_labels_as_near_as_asked_are_one_unless_that_is_hardly_possible(
    cosine: float, chance: float, near: float, *, merged: bool
) -> None:
    graph, _ = graph_of([("opal sheen", "attribute")])
    matcher = Matcher(
        ScriptedEmbedder({"marble glow": [1, 0]}),
        lexicon=ALONE,
        judgement=JUDGEMENT,
        reader=Reader(chance),
        near=near,
    )
    (found,) = matcher.resolve(labels("marble glow"), graph, cosines(graph, {"opal sheen": cosine}))
    assert (found.node_id is not None, found.doubtful) == (merged, False)


def test_what_is_known_to_differ_is_two_however_near_it_lies() -> None:
    graph, _ = graph_of([("two cups", "attribute")])
    matcher = Matcher(ScriptedEmbedder(), reader=Reader(0.9), near=0.5)
    (found,) = matcher.resolve(labels("three cups"), graph, cosines(graph, {"two cups": 0.99}))
    assert (found.node_id, found.veto) == (None, "number")


def test_a_weak_merge_of_two_labels_of_one_answer_is_doubtful_too() -> None:
    graph, _ = graph_of([])
    matcher = Matcher(
        ScriptedEmbedder({"marble glow": [1, 0], "opal sheen": [0.59, 0.807]}),
        lexicon=ALONE,
        judgement=JUDGEMENT,
        reader=Reader(0.9),
    )
    found = matcher.resolve(labels("marble glow", "opal sheen"), graph, cosines(graph, {}))
    assert [(r.same_as, r.doubtful) for r in found] == [(None, False), (0, True)]

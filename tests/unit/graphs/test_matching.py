from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.language.embeddings import shared_embedder
from graphs.language.vectors import Vector
from graphs.language.wordnet import WordNet, shared_wordnet
from graphs.matching import Comparison, Label, Matcher
from graphs.matching.analysis import analyse
from graphs.matching.judgement import Judgement
from graphs.matching.lexicon import english, lexicon_for

from .samples import ScriptedEmbedder, cosines, graph_of, labels

LABELLED = Path(__file__).parents[3] / "interviews" / "training" / "data" / "pairs.tsv"
ALONE = replace(english(), wordnet=None)
"""The built-in lexicon, whether or not WordNet is installed."""


def compare(matcher: Matcher, one: str, other: str, node_type: str = "attribute") -> Comparison:
    return matcher.compare(
        Label(text=one, node_type=node_type), Label(text=other, node_type=node_type)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [("Creamy  Texture", "creamy texture"), ("ｆast", "fast"), ("no leaks", "NO LEAKS")],
)
def test_case_width_and_whitespace_make_no_difference(one: str, other: str) -> None:
    comparison = compare(Matcher(ScriptedEmbedder()), one, other)
    assert comparison == Comparison(merge=True, tier="exact", similarity=1.0, probability=1.0)


def test_labels_of_different_types_never_merge() -> None:
    comparison = Matcher(ScriptedEmbedder()).compare(
        Label(text="freedom", node_type="value"), Label(text="freedom", node_type="consequence")
    )
    assert (comparison.merge, comparison.veto) == (False, "type")


def test_an_exact_match_is_not_vetoed_by_stance() -> None:
    comparison = Matcher(ScriptedEmbedder()).compare(
        Label(text="sour taste", node_type="attribute", stance=1),
        Label(text="Sour taste", node_type="attribute", stance=-1),
    )
    assert comparison.tier == "exact"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("feel safe", "sense of security"),
        ("peace of mind", "not having to worry"),
        ("proper foam", "good froth"),
        ("not expensive", "cheap"),
        ("low rent", "rent is cheap"),
        ("sugar-free", "without sugar"),
        ("worry less about money", "fewer money worries"),
        ("stress relief", "reduce stress"),
        ("two cups", "2 cups"),
        ("unsalted", "without salt"),
        ("painless", "no pain"),
        ("my boss appreciates me", "appreciated by my boss"),
        ("reliability", "I can rely on it"),
        ("being able to save time", "time savings"),
        ("trust Starbuks", "trust Starbucks"),
    ],
)
def test_paraphrases_merge_lexically(one: str, other: str) -> None:
    comparison = compare(Matcher(ScriptedEmbedder()), one, other)
    assert (comparison.merge, comparison.tier) == (True, "lexical"), comparison
    assert comparison.similarity >= 0.75


@pytest.mark.parametrize(
    ("one", "other", "veto"),
    [
        ("save money", "spend money", "polarity"),
        ("sour taste", "not sour", "polarity"),
        ("less sugar", "more sugar", "polarity"),
        ("cheap", "expensive", "polarity"),
        ("froths well", "does not froth", "polarity"),
        ("with milk", "without milk", "polarity"),
        ("comfortable", "uncomfortable", "polarity"),
        ("salted", "unsalted", "polarity"),
        ("reduce stress", "increase stress", "polarity"),
        ("hate crowds", "like crowds", "polarity"),
        ("control over money", "lose control over money", "polarity"),
        ("good for the planet", "bad for the planet", "polarity"),
        ("2 cups", "3 cups", "number"),
        ("two cups", "3 cups", "number"),
        ("works on V60", "works on V90", "number"),
        ("trust Nike", "trust Adidas", "name"),
        ("oat milk", "soy milk", "contrast"),
        ("closed on Mondays", "closed on Sundays", "contrast"),
        ("tea over coffee", "coffee over tea", "order"),
        ("help others", "others help me", "order"),
        ("help others", "be helped by others", "order"),
        ("prefer opera over ballet", "prefer ballet over opera", "order"),
        ("we write to the landlord", "landlord writes to us", "order"),
        ("recommend it to strangers", "strangers recommend it to me", "order"),
        ("paint the fence", "have the fence painted", "order"),
        ("gift for my aunt", "gift from my aunt", "order"),
        ("stay in fashion", "go out of fashion", "order"),
        ("my own privacy", "my tenant's privacy", "contrast"),
        ("baker's recipe", "grocer's recipe", "contrast"),
        ("comfort of my horse", "my own comfort", "contrast"),
        ("overcooked pasta", "undercooked pasta", "polarity"),
        ("upstairs bathroom", "downstairs bathroom", "polarity"),
        ("learn chess", "teach chess", "polarity"),
        ("twice a year", "three times a year", "number"),
        ("paintings by Renoi", "paintings by Renor", "name"),
        ("pick nothing", "pick plenty of mushrooms", "polarity"),
        ("germ-proof bag", "bag full of germs", "polarity"),
    ],
)
def test_what_differs_is_vetoed_whatever_the_cosine(one: str, other: str, veto: str) -> None:
    embedder = ScriptedEmbedder({one: [1.0], other: [1.0]})
    for left, right in ((one, other), (other, one)):
        comparison = compare(Matcher(embedder), left, right)
        assert (comparison.merge, comparison.veto) == (False, veto)


def test_opposite_stances_are_vetoed_but_not_a_stance_and_none() -> None:
    embedder = ScriptedEmbedder()
    plus, minus, none = (
        Label(text=text, node_type="attribute", stance=stance)
        for text, stance in (("taste of it", 1), ("the taste", -1), ("its taste", 0))
    )
    assert Matcher(embedder).compare(plus, minus).veto == "stance"
    assert Matcher(embedder).compare(plus, none).merge
    assert Matcher(embedder).compare(minus, none).merge


def test_agreement_elsewhere_does_not_hide_exchanged_signs() -> None:
    matcher = Matcher(ScriptedEmbedder())
    assert compare(matcher, "more energy and less stress", "less stress and more energy").merge
    assert not compare(matcher, "more energy and less stress", "more stress and less energy").merge


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mice fall ill less often", "fewer sick mice"),
        ("non-slip mat", "mat that does not slip"),
        ("entry is free", "entry costs nothing"),
        ("neat cuts", "cuts neatly"),
        ("small screws", "tiny screws"),
    ],
)
def test_the_same_said_in_another_order_is_not_vetoed(one: str, other: str) -> None:
    assert Matcher(ScriptedEmbedder()).conflict(one, other) is None


@pytest.mark.parametrize(
    ("one", "other", "vetoed"),
    [
        ("my hands stink of diesel", "smell of fuel on the fingers", False),
        ("poorly lit stairwell", "hardly any light on the stairs", False),
        ("boy next door was like a brother", "neighbours' son as stand-in sibling", False),
        ("no hunting for parking", "hunting for parking", True),
        ("little waiting", "waiting", True),
        ("boy next door", "girl next door", True),
    ],
)
def test_a_difference_counts_where_the_rest_has_something_in_common(
    one: str, other: str, vetoed: bool
) -> None:
    assert (Matcher(ScriptedEmbedder()).conflict(one, other) is not None) is vetoed


JUDGEMENT = Judgement(
    weights={"cosine": 10.0, "exchanged_unsure": -5.0, "covered_low": 2.0},
    bias=-7.5,
    threshold=0.6,
)
"""Merges strangers from a cosine of 0.79 on, half a frame exchanged from 0.95 on."""


def close(cosine: float, one: str, other: str) -> ScriptedEmbedder:
    return ScriptedEmbedder({one: [1, 0], other: [cosine, (1 - cosine**2) ** 0.5]})


@pytest.mark.parametrize(
    ("cosine", "merge", "doubtful"),
    [(0.80, True, False), (0.78, False, True), (0.65, False, True), (0.63, False, False)],
)
def test_the_judgement_decides_where_no_word_is_shared(
    cosine: float, *, merge: bool, doubtful: bool
) -> None:
    embedder = close(cosine, "marble glow", "opal sheen")
    matcher = Matcher(embedder, lexicon=ALONE, judgement=JUDGEMENT)
    comparison = compare(matcher, "marble glow", "opal sheen")
    assert (comparison.merge, comparison.doubtful) == (merge, doubtful)
    assert comparison.tier == ("embedding" if merge else None)
    assert comparison.similarity == pytest.approx(cosine, abs=1e-6)
    assert comparison.probability == pytest.approx(1 / (1 + exp(7.5 - 10 * cosine)), abs=1e-4)


def test_shared_words_alone_do_not_carry_a_merge() -> None:
    embedder = close(0.85, "granite worktop", "quartz worktop")
    matcher = Matcher(embedder, lexicon=ALONE, judgement=JUDGEMENT)
    assert not compare(matcher, "granite worktop", "quartz worktop").merge
    embedder = close(0.85, "granite worktop", "worktop granite look")
    matcher = Matcher(embedder, lexicon=ALONE, judgement=JUDGEMENT)
    assert compare(matcher, "granite worktop", "worktop granite look").merge


@pytest.mark.parametrize(
    ("one", "other"), [("lasts 5 hours", "lasts hours"), ("lamp from Bosch", "our lamp")]
)
def test_a_number_or_name_that_one_label_lacks_keeps_them_apart(one: str, other: str) -> None:
    comparison = compare(Matcher(close(0.99, one, other), judgement=JUDGEMENT), one, other)
    assert (comparison.merge, comparison.probability) == (False, 0.0)


def test_a_methodologys_synonyms_count() -> None:
    plain, own = (
        Matcher(ScriptedEmbedder()),
        Matcher(ScriptedEmbedder(), synonyms=[("crema", "golden layer")]),
    )
    assert not compare(plain, "thick crema", "thick golden layer").merge
    assert compare(own, "thick crema", "thick golden layer").tier == "lexical"
    assert lexicon_for() is english()
    assert lexicon_for((("p", "q"),)) is lexicon_for((("p", "q"),))


def test_signs_reach_the_word_that_is_meant() -> None:
    def signs(text: str) -> dict[str, tuple[int, bool]]:
        return {u.text: (u.sign, u.firm) for u in analyse(text, english()).segmentations[-1].chunks}

    assert signs("not sour taste") == {"sour": (-3, False), "taste": (-3, True)}
    assert signs("no worries about money") == {"worry": (-3, True), "money": (-3, False)}
    assert signs("less noise and more comfort") == {"noise": (-1, True), "comfort": (1, True)}
    assert signs("stress reduction") == {"stress": (-1, True)}
    assert signs("avoid traffic") == {"traffic": (-2, True)}
    assert signs("throw away less food")["food"] == (-1, True)
    assert signs("not unhealthy food")["food"][0] == -3


@given(
    st.sampled_from(["no", "less", "more", "not", "avoid", "un", "and", "with"]).flatmap(
        lambda w: st.lists(
            st.sampled_from([w, "sugar", "taste", "cheap", "Nike", "3", "over", "me", "by", "be"]),
            max_size=8,
        )
    ),
    st.lists(st.sampled_from(["less", "sugar", "noise", "expensive", "V60", "two"]), max_size=6),
)
def test_comparing_is_symmetric_and_a_label_equals_itself(one: list[str], other: list[str]) -> None:
    matcher = Matcher(ScriptedEmbedder())
    left, right = " ".join(one), " ".join(other)
    assert matcher.conflict(left, right) == matcher.conflict(right, left)
    assert matcher.conflict(left, left) is None
    there, back = compare(matcher, left, right), compare(matcher, right, left)
    assert (there.merge, there.tier) == (back.merge, back.tier)
    assert compare(matcher, left, left).tier == "exact"


# -- resolving a turn ------------------------------------------------------------------------------


def test_a_turns_labels_find_their_nodes_by_the_first_tier_that_holds() -> None:
    graph, ids = graph_of(
        [("creamy texture", "attribute"), ("light to carry", "attribute"), ("tangy", "value")]
    )
    embedder = ScriptedEmbedder()
    found = Matcher(embedder).resolve(
        labels("Creamy Texture", "smooth texture", "lightweight", "tangy"),
        graph,
        cosines(graph, {}),
    )
    assert [(r.node_id, r.tier) for r in found[:3]] == [
        (ids["creamy texture"], "exact"),
        (ids["creamy texture"], "lexical"),
        (ids["light to carry"], "lexical"),
    ]
    assert (found[3].node_id, found[3].tier) == (None, None)
    assert found[3].vector is not None
    assert embedder.batches == [["tangy"]]


def test_all_labels_left_open_are_embedded_in_one_batch_and_looked_up_at_once() -> None:
    graph, _ = graph_of([("granite", "attribute")])
    lookups: list[int] = []

    def nearest(queries: Sequence[tuple[str, Vector]], k: int) -> list[list[tuple[str, float]]]:
        lookups.append(len(queries))
        return [[] for _ in queries]

    embedder = ScriptedEmbedder()
    Matcher(embedder).resolve(labels("oak", "walnut", "maple"), graph, nearest)
    assert embedder.batches == [["oak", "walnut", "maple"]]
    assert lookups == [3]
    Matcher(embedder).resolve(labels("granite"), graph, nearest)
    assert (len(embedder.batches), lookups) == (1, [3])
    assert Matcher(embedder).resolve([], graph, nearest) == []


def test_labels_that_repeat_one_another_within_a_turn_point_to_the_first() -> None:
    graph, _ = graph_of([("granite", "attribute")])
    embedder = ScriptedEmbedder({"marble glow": [1, 0], "opal sheen": [0.9, 0.43589]})
    found = Matcher(embedder, lexicon=ALONE, judgement=JUDGEMENT).resolve(
        labels("sense of security", "feel safe", "FEEL SAFE", "marble glow", "opal sheen"),
        graph,
        cosines(graph, {}),
    )
    assert [r.same_as for r in found] == [None, 0, 0, None, 3]
    assert [r.tier for r in found] == [None, "lexical", "lexical", None, "embedding"]
    assert found[4].similarity == pytest.approx(0.9, abs=1e-4)


def test_an_opposite_label_of_the_same_turn_is_not_a_repetition() -> None:
    graph, _ = graph_of([])
    embedder = ScriptedEmbedder({"more sugar": [1.0], "less sugar": [1.0]})
    found = Matcher(embedder).resolve(labels("more sugar", "less sugar"), graph, cosines(graph, {}))
    assert [r.same_as for r in found] == [None, None]


def test_a_near_node_that_contradicts_is_passed_over_for_the_next() -> None:
    graph, ids = graph_of([("less crackle", "attribute"), ("audible sputter", "attribute")])
    near = cosines(graph, {"less crackle": 0.95, "audible sputter": 0.82})
    matcher = Matcher(ScriptedEmbedder(), lexicon=ALONE, judgement=JUDGEMENT)
    (found,) = matcher.resolve(labels("more crackle"), graph, near)
    assert (found.node_id, found.tier, found.similarity) == (
        ids["audible sputter"],
        "embedding",
        0.82,
    )
    far = cosines(graph, {"less crackle": 0.95, "audible sputter": 0.75})
    (found,) = matcher.resolve(labels("more crackle"), graph, far)
    assert (found.node_id, found.veto, found.nearly) == (None, "polarity", ids["audible sputter"])


def test_only_an_exact_label_finds_a_superseded_node() -> None:
    graph, ids = graph_of([("creamy texture", "attribute"), ("grainy", "attribute")])
    graph.supersede(ids["creamy texture"], by=ids["grainy"])
    near = cosines(graph, {"creamy texture": 0.99})
    matcher = Matcher(ScriptedEmbedder())
    (exact,) = matcher.resolve(labels("creamy texture"), graph, near)
    (lexical,) = matcher.resolve(labels("smooth texture"), graph, near)
    assert exact.node_id == ids["creamy texture"]
    assert lexical.node_id is None


def test_the_better_match_wins_and_then_the_older_node() -> None:
    graph, ids = graph_of(
        [("stays fresh longer", "attribute"), ("fresh", "attribute"), ("freshness", "attribute")]
    )
    (found,) = Matcher(ScriptedEmbedder()).resolve(labels("is fresh"), graph, cosines(graph, {}))
    assert (found.node_id, found.similarity) == (ids["fresh"], 1.0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("hood can be removed", "hood can't be removed"),
        ("leaks", "never leaks"),
        ("turn the heating down at night", "turn the heating up at night"),
        ("part-time work near home", "full-time work near home"),
    ],
)
def test_a_label_and_its_denial_stay_apart(a: str, b: str) -> None:
    comparison = compare(Matcher(shared_embedder()), a, b, "attribute")
    assert (comparison.merge, comparison.veto) == (False, "polarity")


# -- quality ---------------------------------------------------------------------------------------


@pytest.mark.material
@pytest.mark.parametrize(("wordnet", "recall"), [(shared_wordnet(), 0.54), (None, 0.49)])
def test_precision_and_recall_on_the_development_sets(
    wordnet: WordNet | None, recall: float
) -> None:
    matcher = Matcher(shared_embedder(), lexicon=replace(english(), wordnet=wordnet))
    with LABELLED.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = rows[::5]  # `manage.py bench matching` measures them all
    merged = [row for row in rows if compare(matcher, row["a"], row["b"], row["type"]).merge]
    right = sum(row["same"] == "1" for row in merged)
    assert right / len(merged) >= 0.96
    assert right / sum(row["same"] == "1" for row in rows) >= recall

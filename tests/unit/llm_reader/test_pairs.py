"""What is known of pairs of statements besides their words."""

from __future__ import annotations

from interviews.llm.providers.offline.reader.encoding import encode
from interviews.llm.providers.offline.reader.pairs import (
    PAIR_FIGURES,
    PlacedStatement,
    Terms,
    figures_of,
    gap_of,
    opposed,
    pairs_of,
    stated,
)
from interviews.nlp import relations_by_rule

ANSWER = "It is light, so I walk further, but it tears."
TERMS = Terms(permitted=frozenset({("low", "high")}), levels={"low": 1, "high": 2, "free": None})


def _placed(quote: str, node_type: str) -> PlacedStatement:
    encoded = encode("Why?", ("bag", "low"), ANSWER)
    start = ANSWER.index(quote)
    tokens = encoded.tokens_of(start, start + len(quote))
    assert tokens is not None
    return PlacedStatement(
        tokens=tokens, characters=(start, start + len(quote)), node_type=node_type
    )


LIGHT, FURTHER, TEARS = (
    _placed("It is light", "low"),
    _placed("I walk further", "high"),
    _placed("it tears", "free"),
)
FOCUS = PlacedStatement(tokens=(1, 2), characters=None, node_type="low")
RELATIONS = relations_by_rule(ANSWER)


def _figures(*placed: PlacedStatement, pair: tuple[int, int] = (0, 1)) -> list[float]:
    found = figures_of(placed, pair, TERMS, RELATIONS)
    assert len(found) == PAIR_FIGURES
    return found


def test_every_ordered_pair_is_looked_at_once() -> None:
    pairs = pairs_of([LIGHT, FURTHER, FOCUS])
    assert len(pairs) == len(set(pairs)) == 6
    assert all(i != j for i, j in pairs)


def test_a_connective_speaks_for_one_direction() -> None:
    there = _figures(LIGHT, FURTHER)
    back = _figures(LIGHT, FURTHER, pair=(1, 0))
    assert there[-10:-5] == back[-5:] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert there[-5:] == back[-10:-5] == [0.0] * 5


def test_a_permitted_step_up_is_told_from_its_reverse() -> None:
    there, back = _figures(LIGHT, FURTHER), _figures(LIGHT, FURTHER, pair=(1, 0))
    assert there[14:17] == [1.0, 0.0, 1 / 3]
    assert back[14:17] == [0.0, 1.0, -1 / 3]


def test_a_type_without_a_level_makes_no_step() -> None:
    assert _figures(LIGHT, TEARS)[16:18] == [0.0, 0.0]


def test_the_focus_has_no_distance_but_a_place_of_the_answer() -> None:
    found = figures_of((LIGHT, FURTHER, FOCUS), (2, 1), TERMS, ())
    assert found[:6] == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert found[6:14] == [0.0] * 8


def test_a_contrast_is_known_by_its_connective() -> None:
    assert opposed(RELATIONS, FURTHER, TEARS)
    assert not opposed(RELATIONS, LIGHT, FURTHER)
    assert not opposed(RELATIONS, FOCUS, TEARS)


def test_a_connective_of_reasons_states_the_likeliest_pair_of_its_clauses() -> None:
    bag = _placed("It", "low")
    placed = (bag, LIGHT, FURTHER, TEARS, FOCUS)
    chances = dict.fromkeys(pairs_of(placed), 0.01) | {(1, 2): 0.02, (2, 1): 0.9}
    assert list(stated(placed, chances, RELATIONS)) == [(1, 2)]
    assert list(stated((FURTHER, TEARS), {(0, 1): 0.9}, RELATIONS)) == []


def test_the_gap_is_what_stands_between_two_statements() -> None:
    encoded = encode("Why?", ("bag", "low"), ANSWER)
    assert gap_of(LIGHT, FURTHER, encoded) == gap_of(FURTHER, LIGHT, encoded)
    start, end = gap_of(LIGHT, FURTHER, encoded)
    said = ANSWER[slice(*encoded.characters_of(start, end))]
    assert said == ", so"
    assert gap_of(FOCUS, LIGHT, encoded) == (encoded.answer_at, encoded.answer_at)

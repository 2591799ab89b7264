from __future__ import annotations

import pytest

from graphs.language.lemmas import lemma, root, table_lemma


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("kids", "kid"), ("worries", "worry"), ("felt", "feel"), ("spent", "spend"),
        ("rent", "rent"), ("stamina", "stamina"), ("developing", "develop"), ("apps", "app"),
        ("running", "run"), ("does", "do"), ("children", "child"), ("mins", "minute"),
        ("xyzzies", "xyzzie"),
    ],
)  # fmt: skip
def test_lemmas(word: str, expected: str) -> None:
    assert lemma(word) == expected


@pytest.mark.parametrize(
    ("word", "in_a_label", "by_the_tables"),
    [
        ("building", "building", "build"), ("left", "left", "leave"), ("lives", "life", "live"),
        ("headphones", "headphones", "headphone"), ("keeps", "keep", "keep"),
        ("zxqvs", "zxqv", "zxqvs"),
    ],
)  # fmt: skip
def test_the_tables_prefer_the_verb_and_a_label_the_thing(
    word: str, in_a_label: str, by_the_tables: str
) -> None:
    assert (lemma(word), table_lemma(word)) == (in_a_label, by_the_tables)


def test_the_tables_are_asked_in_lower_case() -> None:
    assert table_lemma("Children") == "child"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("reliability", "reliable"), ("easily", "easy"), ("convenience", "convenient"),
        ("happiness", "happy"), ("safely", "safe"), ("absorption", "absorb"), ("foamy", "foam"),
        ("carefully", "care"), ("money", "money"), ("family", "family"), ("business", "business"),
        ("early", "early"), ("hardly", "hardly"),
    ],
)  # fmt: skip
def test_roots_keep_the_meaning(word: str, expected: str) -> None:
    assert root(word) == expected

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from graphs.language.wordnet import PARTS, Kinship, WordNet
from graphs.matching import Label, Matcher
from graphs.matching.lexicon import english
from tests.unit.graphs.samples import ScriptedEmbedder

LICENCE = "  1 This database is made up for tests.  \n"
Entry = tuple[str, tuple[str, ...], tuple[tuple[str, str, int], ...]]
"""Part, words, and (symbol, first word of the target synset, number of the source word)."""
SYNSETS: tuple[Entry, ...] = (
    ("n", ("chair", "seat"), (("@", "furniture", 0),)),
    ("n", ("bench",), (("@", "furniture", 0),)),
    ("n", ("furniture",), ()),
    ("n", ("glow",), (("+", "gleam", 1),)),
    ("v", ("gleam", "glimmer"), (("+", "glow", 1), ("*", "flash", 0))),
    ("v", ("flash",), ()),
    ("a", ("shiny",), (("!", "drab", 1), ("&", "lustrous", 0))),
    ("a", ("drab",), (("!", "shiny", 1),)),
    ("a", ("lustrous",), (("&", "shiny", 0),)),
    ("n", ("saddle", "seat"), ()),
    ("n", ("lie_detector", "polygraph"), ()),
)


def line(entry: Entry, places: Mapping[str, int]) -> str:
    part, words, pointers = entry
    listed = " ".join(f"{word} 0" for word in words)
    targets = " ".join(
        f"{symbol} {places[target]:08d} {part_of(target)} {source:02x}00"
        for symbol, target, source in pointers
    )
    counted = f"{len(pointers):03d} {targets}".rstrip()
    here = f"{places[words[0]]:08d} 00 {part} {len(words):02x} {listed} {counted}"
    return f"{here} | a gloss  \n"


def part_of(head: str) -> str:
    return next(part for part, words, _ in SYNSETS if words[0] == head)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WordNet of a dozen words, in the format of the real one."""
    folder = tmp_path_factory.mktemp("dict")
    for part, name in PARTS.items():
        own = [entry for entry in SYNSETS if entry[0] == part]
        offsets, place = [], len(LICENCE)
        blank = dict.fromkeys((words[0] for _, words, _ in SYNSETS), 0)
        for entry in own:
            offsets.append(place)
            place += len(line(entry, blank))
        index: dict[str, list[int]] = {}
        for (_, words, _), offset in zip(own, offsets, strict=True):
            for word in words:
                index.setdefault(word, []).append(offset)
        (folder / f"index.{name}").write_text(
            LICENCE
            + "".join(
                f"{word} {part} {len(found)} 0 {len(found)} 0 "
                + " ".join(f"{o:08d}" for o in found)
                + "  \n"
                for word, found in sorted(index.items())
            )
        )
    places: dict[str, int] = {}
    for part in PARTS:
        place = len(LICENCE)
        for entry in SYNSETS:
            if entry[0] == part:
                places.setdefault(entry[1][0], place)
                place += len(line(entry, dict.fromkeys((e[1][0] for e in SYNSETS), 0)))
    for part, name in PARTS.items():
        (folder / f"data.{name}").write_text(
            LICENCE + "".join(line(entry, places) for entry in SYNSETS if entry[0] == part)
        )
    return folder


@pytest.fixture(scope="module")
def wordnet(database: Path) -> WordNet:
    return WordNet(database)


@pytest.mark.parametrize(
    ("one", "other", "kinship"),
    [
        ("chair", "seat", Kinship(same=1.0, sibling=1.0)),
        ("chair", "bench", Kinship(sibling=1.0)),
        ("chair", "furniture", Kinship(near=0.75)),
        ("glow", "glimmer", Kinship(same=1.0)),
        ("gleam", "flash", Kinship(near=1.0)),
        ("shiny", "drab", Kinship(opposite=1.0)),
        ("lustrous", "drab", Kinship(opposite=0.9)),
        ("shiny", "lustrous", Kinship(near=1.0)),
        ("lie detector", "polygraph", Kinship(same=1.0)),
        ("chair", "unheard", Kinship()),
    ],
)
def test_two_words_stand_to_each_other_as_the_database_says(
    wordnet: WordNet, one: str, other: str, kinship: Kinship
) -> None:
    assert wordnet.kinship(one, other) == kinship
    assert wordnet.kinship(other, one) == kinship


def test_every_word_of_every_index_is_found(wordnet: WordNet) -> None:
    words = {word for _, words, _ in SYNSETS for word in words}
    assert all(wordnet.synsets(word) for word in words)
    assert [wordnet.synsets(word) for word in ("", " ", "a", "glo", "zzz")] == [[]] * 5


def test_a_rarer_sense_counts_for_less(wordnet: WordNet) -> None:
    assert [strength for _, strength in wordnet.synsets("seat")] == [1.0, 0.9]
    assert wordnet.kinship("saddle", "seat").same == 0.9


def test_a_missing_database_is_an_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"index\.noun"):
        WordNet(tmp_path)


def test_antonyms_of_the_database_are_a_veto_and_its_synonyms_coverage(wordnet: WordNet) -> None:
    knowing = Matcher(ScriptedEmbedder(), lexicon=replace(english(), wordnet=wordnet))
    alone = Matcher(ScriptedEmbedder(), lexicon=replace(english(), wordnet=None))
    assert knowing.conflict("shiny parquet", "drab parquet") == "polarity"
    assert alone.conflict("shiny parquet", "drab parquet") is None
    assert knowing.conflict("shiny parquet", "lustrous parquet") is None
    found = knowing.features("parquet glimmer", "glow of the parquet")
    assert (found.covered_low, found.sure_low, found.missing_high) == (1.0, 1.0, 0.0)
    assert alone.features("parquet glimmer", "glow of the parquet").covered_low == 0.5


def test_without_the_database_labels_are_still_matched() -> None:
    matcher = Matcher(ScriptedEmbedder(), lexicon=replace(english(), wordnet=None))
    one, other = (
        Label(text=text, node_type="attribute") for text in ("sugar-free", "without sugar")
    )
    assert matcher.compare(one, other).tier == "lexical"

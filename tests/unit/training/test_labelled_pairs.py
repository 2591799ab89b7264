from __future__ import annotations

from pathlib import Path

import pytest

from graphs.matching.judgement import FILE
from interviews.training.errors import LabelsUnusable
from interviews.training.judgement import write
from interviews.training.labelled_pairs import Pair, labelled_sets, read_pairs

HEADER = "domain\ttype\ta\tb\tsame"


def written(file: Path, *lines: str) -> Path:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_line_is_a_pair(tmp_path: Path) -> None:
    file = written(tmp_path / "s.tsv", HEADER, "bread\tattribute\tx\ty\t1")
    assert read_pairs(file) == [
        Pair(domain="bread", node_type="attribute", a="x", b="y", same=True)
    ]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ((), "expected the columns"),
        (("a\tb",), "expected the columns"),
        ((HEADER, "bread\tattribute\tx\ty"), "s.tsv:2: expected"),
        ((HEADER, "bread\tattribute\tx\ty\t1", "bread\tattribute\tx\ty\tyes"), "s.tsv:3: exp"),
    ],
)
def test_an_unreadable_set_says_where(
    tmp_path: Path, lines: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(LabelsUnusable, match=complaint):
        read_pairs(written(tmp_path / "s.tsv", *lines))


def test_a_judgement_is_not_fitted_without_the_words_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("interviews.training.judgement.shared_wordnet", lambda: None)
    before = FILE.read_bytes()
    with pytest.raises(LabelsUnusable, match="WordNet is not installed"):
        write(print)
    assert FILE.read_bytes() == before


@pytest.mark.material
def test_the_development_sets_are_large_and_no_pair_is_there_twice() -> None:
    pairs = [pair for pairs in labelled_sets().values() for pair in pairs]
    assert len(pairs) >= 28_000
    assert len({pair.domain for pair in pairs}) >= 500
    keys = [(p.domain, p.node_type, frozenset({p.a.casefold(), p.b.casefold()})) for p in pairs]
    assert len(set(keys)) == len(keys)

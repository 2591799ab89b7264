"""The labelled pairs that matching is fitted to; `README.md` tells what a label says.

Every fifth domain is left out of all fitting, and is what `bench matching` measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphs.matching import Label
from interviews.training.errors import LabelsUnusable

DATA = Path(__file__).with_name("data")
WRITTEN = "pairs.tsv"
"""Written pairs that both the judgement and the network are fitted to."""
FOR_NETWORK = "pairs_network.tsv"
"""Further written pairs that only the network is fitted to, which has more to learn."""
NEIGHBOURS = "pairs_neighbours.tsv"
READ_OFF = "pairs_read_off.tsv"
"""Labels that the offline reader gave to answers of one field, as a judge found them: what matching
meets in an interview.
"""
PAIR_FILES = (WRITTEN, FOR_NETWORK, NEIGHBOURS, READ_OFF)
EVERY_READ_OFF = 4
"""The judgement, which has few figures to weigh, is fitted to every fourth of them."""
COLUMNS = ("domain", "type", "a", "b", "same")
LEFT_OUT = 5
"""Every fifth domain is left out of all fitting, to see what matching is worth there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two labels of one node type, and whether an analyst takes them for one concept."""

    domain: str
    node_type: str
    a: str
    b: str
    same: bool

    @property
    def labels(self) -> tuple[Label, Label]:
        """Both labels, ready to be compared."""
        return (
            Label(text=self.a, node_type=self.node_type),
            Label(text=self.b, node_type=self.node_type),
        )


def domains_left_out(pairs: Iterable[Pair]) -> frozenset[str]:
    """The domains of all labelled pairs that nothing is fitted to."""
    return frozenset(sorted({pair.domain for pair in pairs})[::LEFT_OUT])


def labelled_sets(folder: Path = DATA) -> dict[str, list[Pair]]:
    """Read every set, by file. Raises LabelsUnusable."""
    return {file: read_pairs(folder / file) for file in PAIR_FILES}


def judgement_sets(sets: Mapping[str, Sequence[Pair]]) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """Return the written pairs, neighbours and labels read off that the judgement is fitted to."""
    left_out = domains_left_out(pair for pairs in sets.values() for pair in pairs)

    def kept(pairs: Iterable[Pair]) -> list[Pair]:
        return [pair for pair in pairs if pair.domain not in left_out]

    return kept(sets[WRITTEN]), kept(sets[NEIGHBOURS]), kept(sets[READ_OFF])[::EVERY_READ_OFF]


def read_pairs(file: Path) -> list[Pair]:
    """Read a tab-separated set with a header. Raises LabelsUnusable, which says where."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise LabelsUnusable(
            f"{file}: the labelled pairs are missing; they come with the project"
        ) from error
    if not lines or lines[0].split("\t") != list(COLUMNS):
        raise LabelsUnusable(f"{file}: expected the columns {', '.join(COLUMNS)}")
    pairs = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or cells[-1] not in ("0", "1"):
            raise LabelsUnusable(f"{file}:{number}: expected {', '.join(COLUMNS)} (same is 0 or 1)")
        domain, node_type, a, b, same = cells
        pairs.append(Pair(domain=domain, node_type=node_type, a=a, b=b, same=same == "1"))
    return pairs

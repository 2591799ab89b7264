"""What is fitted: for each, its weights, what it is fitted to, and how it is fitted again."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interviews.training.course import Progress

ROOT = Path(__file__).parents[2]
_DATA = "interviews/training/data"
_OFFLINE = "interviews/llm/providers/offline"
_PAIRS = (
    f"{_DATA}/pairs.tsv",
    f"{_DATA}/pairs_network.tsv",
    f"{_DATA}/pairs_neighbours.tsv",
    f"{_DATA}/pairs_read_off.tsv",
    "graphs/language/words.txt",
    "graphs/matching/english.txt",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """One fit. Paths are relative to the repository; a folder stands for all its files.

    `module` has `write(progress)`, which fits anew and puts the result in the place of `weights`.
    `data` are the labels, and the lists and texts that the features of a label come from.
    """

    module: str
    weights: str
    data: tuple[str, ...]
    lasts: str
    """How long a fit takes on one core that nothing else uses."""
    seed: int = 1

    def write(self, progress: Progress) -> None:
        """Fit anew. Raises LabelsUnusable where labels, or words they need, are missing."""
        write: Callable[[Progress], None] = importlib.import_module(self.module).write
        write(progress)

    def data_files(self) -> Iterator[Path]:
        """The files behind `data`."""
        for name in self.data:
            path = ROOT / name
            yield from (sorted(path.glob("*.*")) if path.is_dir() else [path])


FITS: Mapping[str, Fit] = {
    "chooser": Fit(
        module="interviews.training.chooser",
        weights=f"{_OFFLINE}/chooser/chooser.safetensors",
        data=(f"{_DATA}/questions.tsv",),
        lasts="fifteen minutes",
    ),
    "judgement": Fit(
        module="interviews.training.judgement",
        weights="graphs/matching/judgement.json",
        data=_PAIRS,
        lasts="two minutes",
    ),
    "pairs": Fit(
        module="interviews.training.pairs",
        weights="graphs/matching/pairing.safetensors",
        data=_PAIRS,
        lasts="half an hour",
    ),
    "reader": Fit(
        module="interviews.training.reader",
        weights=f"{_OFFLINE}/reader/reader.safetensors",
        data=(
            f"{_DATA}/answers",
            f"{_DATA}/small_talk.txt",
            f"{_OFFLINE}/lexicon.yaml",
            f"{_OFFLINE}/patterns.yaml",
            "methodologies/library/methodologies",
        ),
        lasts="an hour and a half",
    ),
}

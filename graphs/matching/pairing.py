"""Read two labels together with the fitted network: how probable is it that they are one?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphs.language.once import once
from graphs.matching.alignment import Features

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from graphs.language.minilm import Encoder
    from graphs.matching.pair_network import PairNetwork

MOST_TOKENS = 48
"""Of a longer label the rest is not read."""
_START, _STOP = 101, 102
"""[CLS] and [SEP] of the model's vocabulary."""

Tokens = tuple[tuple[int, ...], tuple[int, ...]]
"""Ids of a text of two labels, and for each whether it is of the first (0) or the second (1)."""


class PairReader:
    """Judges pairs of labels with a network; safe to share between threads.

    `threshold` is the probability from which two labels are one concept.
    """

    def __init__(self, network: PairNetwork, threshold: float) -> None:
        import torch

        from graphs.language.minilm import bundle, read_tokenizer, read_weights

        self.threshold = threshold
        self._network = network.eval()
        self._tokenizer = read_tokenizer(bundle())
        with torch.inference_mode():
            self._encoder: Encoder = network.encoder(read_weights(bundle()))

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        """Return how probable it is that the labels of each pair are one concept, in order.

        `found` are the pairs' alignments. Either order of a pair's labels gives the same figure; 0
        where a particular differs.
        """
        import torch

        texts = [tokens_of(self._tokenizer, *sorted(pair)) for pair in pairs]
        figures = torch.tensor([features.values() for features in found], dtype=torch.float32)
        with torch.inference_mode():
            states = self._encoder.states([ids for ids, _ in texts], [parts for _, parts in texts])
            chances = self._network.odds(states, figures).sigmoid().tolist()
        return [
            0.0 if features.particular else chance
            for chance, features in zip(chances, found, strict=True)
        ]


class SharedReader:
    """The reader that ships, loaded once a process, when it is first asked.

    Every use raises OSError or ImportError where the embedding model is not installed.
    """

    @property
    def threshold(self) -> float:
        """The probability from which two labels are one concept."""
        return _shipped().threshold

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        """Judge as :meth:`PairReader.probabilities` does."""
        return _shipped().probabilities(pairs, found) if pairs else []


def tokens_of(tokenizer: Tokenizer, one: str, other: str) -> Tokens:
    """Return two labels as one text: [CLS] one [SEP] other [SEP]."""
    first, second = (
        tokenizer.encode(label, add_special_tokens=False).ids[:MOST_TOKENS]
        for label in (one, other)
    )
    ids = (_START, *first, _STOP, *second, _STOP)
    return ids, (0,) * (len(first) + 2) + (1,) * (len(second) + 1)


@once
def _shipped() -> PairReader:
    from graphs.matching.pair_network import load

    return PairReader(*load())

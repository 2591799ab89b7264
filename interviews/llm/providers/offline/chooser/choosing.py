"""Judge questions with the fitted network: how well does each suit what was said?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphs.language.minilm import bundled_tokenizer, token_ids
from graphs.language.once import once

if TYPE_CHECKING:
    from torch import Tensor

    from graphs.language.minilm import Encoder
    from interviews.llm.providers.offline.chooser.network import ChoiceNetwork

MOST_SAID_TOKENS = 28
MOST_ASKED_TOKENS = 48
_BEFORE = 8
"""Tokens before the point that are read where the answer is longer than what can be read."""
_START, _STOP = 101, 102
"""[CLS] and [SEP] of the model's vocabulary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedQuestion:
    """A question after what was said, as tokens: [CLS] said [SEP] question [SEP]."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    asked_at: int


class Chooser:
    """Judges questions with a network; safe to share between threads."""

    def __init__(self, network: ChoiceNetwork) -> None:
        import torch

        from graphs.language.minilm import bundle, read_weights

        self._network = network.eval()
        with torch.inference_mode():
            self._encoder: Encoder = network.encoder(read_weights(bundle()))

    def suitable(self, answer: str, point: str, questions: Sequence[str]) -> list[float]:
        """Return for each question how probable it is that it suits, in [0, 1].

        `point` is what the questions are about, in the words of `answer`.
        """
        import torch

        placed = [place(answer, point, question) for question in questions]
        with torch.inference_mode():
            odds = odds_of(self._network, self._encoder, placed)
            found: list[float] = odds.sigmoid().tolist()
        return found


def odds_of(network: ChoiceNetwork, encoder: Encoder, placed: Sequence[PlacedQuestion]) -> Tensor:
    """Return the log odds that each question suits, (questions,)."""
    states = encoder.states([p.ids for p in placed], [p.segments for p in placed])
    return network.odds(states, [p.asked_at for p in placed])


def place(answer: str, point: str, question: str) -> PlacedQuestion:
    """Lay a question beside what it is about, and as much of the answer around as can be read."""
    said = bundled_tokenizer().encode(answer, add_special_tokens=False)
    at = re.search(re.escape(point), answer, re.IGNORECASE) if point else None
    first = 0
    if at is not None and len(said.ids) > MOST_SAID_TOKENS:
        token = sum(1 for _, end in said.offsets if end <= at.start())
        first = min(max(0, token - _BEFORE), len(said.ids) - MOST_SAID_TOKENS)
    around = said.ids[first : first + MOST_SAID_TOKENS]
    if at is None and point:
        around = [*token_ids(point), _STOP, *around][:MOST_SAID_TOKENS]
    asked = token_ids(question)[:MOST_ASKED_TOKENS]
    ids = (_START, *around, _STOP, *asked, _STOP)
    asked_at = len(around) + 2
    return PlacedQuestion(
        ids=ids,
        segments=(*(0 for _ in range(asked_at)), *(1 for _ in ids[asked_at:])),
        asked_at=asked_at,
    )


@once
def shared_chooser() -> Chooser:
    """The chooser that ships.

    Raises OSError or ImportError where the network or the model under it is not installed.
    """
    from interviews.llm.providers.offline.chooser.network import load

    return Chooser(load())

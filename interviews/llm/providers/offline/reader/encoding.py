"""A question and its answer as tokens: what the question was about first, then both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphs.language.minilm import bundled_tokenizer, token_ids

MOST_QUESTION_TOKENS = 60
MOST_ANSWER_TOKENS = 190
"""Of a longer answer, each stretch of whole sentences up to this size is read by itself."""

_START, _STOP = 101, 102
"""[CLS] and [SEP] of the model's vocabulary."""
_SENTENCE = re.compile(r"(?<=[.!?…;\n])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Token ids, the part of each token (0 before the answer, 1 in it), and where things are.

    `offsets` are the character offsets of the answer's tokens, of which the first stands at
    `answer_at`; `focus` is the range of tokens that name the focus.
    """

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    answer_at: int
    focus: tuple[int, int] | None

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the range of tokens that hold the characters from `start` to `end`, if any."""
        inside = [i for i, (a, b) in enumerate(self.offsets) if a < end and b > start]
        return (self.answer_at + inside[0], self.answer_at + inside[-1] + 1) if inside else None

    def characters_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the answer that a range of tokens holds."""
        return self.offsets[start - self.answer_at][0], self.offsets[end - self.answer_at - 1][1]


def encode(question: str, focus: tuple[str, str] | None, answer: str) -> Encoded:
    """Encode one stretch of an answer; `focus` is the label and type that `question` is about."""
    named = f"{focus[0]} ({focus[1].replace('_', ' ')})" if focus else ""
    about, asked = token_ids(named), token_ids(question)[:MOST_QUESTION_TOKENS]
    said = bundled_tokenizer().encode(answer, add_special_tokens=False)
    before = (_START, *about, _STOP, *asked, _STOP)
    ids = (*before, *said.ids[:MOST_ANSWER_TOKENS], _STOP)
    return Encoded(
        ids=ids,
        segments=(*(0 for _ in before), *(1 for _ in ids[len(before) :])),
        offsets=tuple(said.offsets[:MOST_ANSWER_TOKENS]),
        answer_at=len(before),
        focus=(1, 1 + len(about)) if about else None,
    )


def stretches(answer: str) -> Iterator[tuple[int, str]]:
    """Cut an answer into stretches of whole sentences that the model can hold, with their starts.

    A sentence that is too long by itself is read as far as the model can hold it.
    """
    begin = end = size = 0
    for start, stop in _sentences(answer):
        count = len(token_ids(answer[start:stop]))
        if size and size + count > MOST_ANSWER_TOKENS:
            yield begin, answer[begin:end]
            begin, size = start, 0
        end, size = stop, size + count
    if size:
        yield begin, answer[begin:end]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _SENTENCE.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)

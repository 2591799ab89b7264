"""Read one answer with the fitted network: statements with their types, and what leads to what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from graphs.language.once import once
from interviews.llm.providers.offline.direction import Direction, direction_of
from interviews.llm.providers.offline.reader.encoding import Encoded, encode, stretches
from interviews.llm.providers.offline.reader.expectations import focus_odds, level_odds
from interviews.llm.providers.offline.reader.pairs import (
    PlacedStatement,
    Terms,
    figures_of,
    gap_of,
    opposed,
    pairs_of,
    stated,
)
from interviews.llm.tasks.extraction import ExtractionInputs
from interviews.nlp import DiscourseRelation, relations_by_rule

if TYPE_CHECKING:
    from torch import Tensor

    from graphs.language.minilm import Encoder
    from interviews.llm.providers.offline.reader.network import Network

FOCUS = -1
"""Stands for the focus of the question among the ends of a relation."""

LIKELY = 0.27
"""Probability from which one statement is taken to lead to another.

A little below where F1 is best on fields left out of fitting: more are found, which a thin graph
wants.
"""

CONNECTED = 0.5
"""Least probability of a relation that a connective states ("so", "because", "in order to").

Where two statements are joined by one, and their types permit a relation, coders nearly always see
one.
"""

HALF_SEEN = np.log([1.0, 3.0, 3.0])
"""What speaks for statements in an answer in which none is seen at first sight, in log odds.

An answer to a question mostly says something.
"""

ANSWERING = 0.05
"""Probability from which an answer is taken to say something to a question that leads upwards.

Coders nearly always see such an answer related to its focus: where no relation is likely by itself,
the likeliest is taken.
"""

Profile = Mapping[str, float]
"""How far a node type speaks of each kind of statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What rules know: a profile for each node type, and figures for the types of a span.

    `figures(start, end)` returns for each type, in the ontology's order, its score, that as a share
    of the best, and 1 for the best.
    """

    profiles: Sequence[Profile]
    figures: Callable[[int, int], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A statement: characters of the answer, probability of each type, stance −1, 0 or 1."""

    start: int
    end: int
    types: Mapping[str, float]
    stance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """One statement leads to another, by position; FOCUS is the focus of the question.

    `contrast` says that a connective sets them against each other.
    """

    source: int
    target: int
    probability: float
    contrast: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """An answer as the network reads it, statements in the order said, likely relations first."""

    found: tuple[Found, ...]
    related: tuple[Related, ...]


def read(inputs: ExtractionInputs, evidence: Evidence) -> Marked:
    """Mark the statements of `inputs.answer` and the likely relations between them.

    Raises OSError or ImportError where the network or the model under it is not installed.
    """
    network, encoder = _shipped()
    inputs = as_fitted(inputs)
    found: list[Found] = []
    related: list[Related] = []
    for start, text in stretches(inputs.answer):
        part = _Part(inputs, start, text, evidence, network, encoder)
        first = len(found)
        found.extend(part.found)
        related.extend(part.related(first))
    related.sort(key=lambda relation: -relation.probability)
    return Marked(found=tuple(found), related=tuple(related))


def as_fitted(inputs: ExtractionInputs) -> ExtractionInputs:
    """Return the inputs with the relations that the network was fitted with: those of the rules."""
    if not inputs.discourse_relations:
        return inputs
    return inputs.model_copy(update={"discourse_relations": relations_by_rule(inputs.answer)})


def depth(question: str, answer: str) -> float:
    """Return how deep an answer goes, about 1 to 5; of a long one its deepest stretch.

    0 where there is nothing to read. Raises as `read` does.
    """
    import torch

    network, encoder = _shipped()
    found = [0.0]
    for _, text in stretches(answer):
        encoded = encode(question, None, text)
        if not encoded.offsets:
            continue
        with torch.inference_mode():
            (states,) = encoder.states([encoded.ids], [encoded.segments])
            found.append(float(network.depths(states, encoded)))
    return max(found)


class _Part:
    """One stretch of the answer, read in one pass."""

    def __init__(
        self,
        inputs: ExtractionInputs,
        start: int,
        text: str,
        evidence: Evidence,
        network: Network,
        encoder: Encoder,
    ) -> None:
        import torch

        self._inputs, self._start, self._network = inputs, start, network
        focus = inputs.focus
        about = (focus.label, focus.node_type) if focus else None
        self._encoded = encode(inputs.question, about, text)
        with torch.inference_mode():
            (self._states,) = encoder.states([self._encoded.ids], [self._encoded.segments])
            tags = network.tags(self._states, self._encoded).log_softmax(-1).numpy()
            first = self._encoded.answer_at
            self._ranges = list(spans(tags, first)) or list(spans(tags + HALF_SEEN, first))
            self.found = tuple(self._judged(evidence)) if self._ranges else ()

    def _judged(self, evidence: Evidence) -> Iterator[Found]:
        names = [node_type.name for node_type in self._inputs.node_types]
        vectors = self._network.statements(self._states, self._ranges)
        where = [self._characters(span) for span in self._ranges]
        weights = self._network.types(
            vectors,
            names,
            profile_matrix(evidence.profiles),
            _tensor([evidence.figures(*span) for span in where]),
        )
        weights = weights + _tensor(level_odds(self._inputs))
        at_first = [names[i] for i in weights.argmax(-1).tolist()]
        weights = weights + _tensor(self._focus_odds(self._placed(where, at_first)))
        sides = self._network.stances(vectors).argmax(-1).tolist()
        for (start, end), row, side in zip(where, weights.softmax(-1).tolist(), sides, strict=True):
            yield Found(
                start=start,
                end=end,
                types=dict(zip(names, row, strict=True)),
                stance=side - 1,
            )

    def _focus_odds(self, placed: Sequence[PlacedStatement]) -> list[list[float]]:
        """Return for each statement what its relation to the focus says of its type."""
        chances, focus = self._chances(placed), len(self._ranges)
        return [
            focus_odds(self._inputs, chances.get((focus, i), 0.0), chances.get((i, focus), 0.0))
            for i in range(focus)
        ]

    def related(self, first: int) -> Iterator[Related]:
        """Yield the likely relations; `first` is the position of this part's first statement."""
        where = [(f.start, f.end) for f in self.found]
        placed = self._placed(where, [likeliest(f.types) for f in self.found])
        chances, focus = self._chances(placed), len(self._ranges)
        for i, j in stated(placed, chances, self._inputs.discourse_relations):
            chances[i, j], chances[j, i] = max(CONNECTED, chances[i, j]), 0.0
        likely = {pair for pair, chance in chances.items() if chance >= LIKELY}
        if first == 0 and not any(focus in pair for pair in likely):
            likely |= self._answering(chances)
        positions = [*range(first, first + focus), FOCUS]
        for (i, j), chance in chances.items():
            if (i, j) in likely and chance > chances[j, i]:
                yield Related(
                    source=positions[i],
                    target=positions[j],
                    probability=chance,
                    contrast=opposed(self._inputs.discourse_relations, placed[i], placed[j]),
                )

    def _answering(self, chances: Mapping[tuple[int, int], float]) -> set[tuple[int, int]]:
        """Return the likeliest way from the focus into the answer, if the question asks for one."""
        if direction_of(self._inputs.question) is not Direction.UP:
            return set()
        ways = [pair for pair in chances if pair[0] == len(self._ranges)]
        best = max(ways, key=lambda pair: chances[pair], default=None)
        return {best} if best is not None and chances[best] >= ANSWERING else set()

    def _placed(
        self, where: Sequence[tuple[int, int]], types: Sequence[str]
    ) -> list[PlacedStatement]:
        """Return the statements with their types, and the focus last where it was read along."""
        placed = [
            PlacedStatement(tokens=tokens, characters=characters, node_type=node_type)
            for tokens, characters, node_type in zip(self._ranges, where, types, strict=True)
        ]
        focus = self._inputs.focus
        if placed and focus and self._encoded.focus:
            placed.append(
                PlacedStatement(
                    tokens=self._encoded.focus, characters=None, node_type=focus.node_type
                )
            )
        return placed

    def _chances(self, placed: Sequence[PlacedStatement]) -> dict[tuple[int, int], float]:
        """Return how likely the first of each ordered pair of positions leads to the second."""
        import torch

        if len(placed) < 2:
            return {}
        with torch.inference_mode():
            odds = relation_weights(
                self._network,
                self._states,
                self._network.statements(self._states, [p.tokens for p in placed]),
                self._encoded,
                placed,
                Terms.of(self._inputs),
                self._inputs.discourse_relations,
            )
        return dict(zip(pairs_of(placed), odds.sigmoid().tolist(), strict=True))

    def _characters(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the characters of the answer that a range of tokens stands for, in whole words."""
        start, end = (self._start + place for place in self._encoded.characters_of(*span))
        answer = self._inputs.answer
        while start > self._start and _in_word(answer[start - 1 : start + 1]):
            start -= 1
        while end < len(answer) and _in_word(answer[end - 1 : end + 1]):
            end += 1
        return start, end


def relation_weights(
    network: Network,
    states: Tensor,
    vectors: Tensor,
    encoded: Encoded,
    placed: Sequence[PlacedStatement],
    terms: Terms,
    relations: Sequence[DiscourseRelation],
) -> Tensor:
    """Return the log odds of every ordered pair of `placed`, in the order of `pairs_of`."""
    from interviews.llm.providers.offline.reader.network import between

    pairs = pairs_of(placed)
    gaps = [gap_of(placed[i], placed[j], encoded) for i, j in pairs]
    figures = _tensor([figures_of(placed, pair, terms, relations) for pair in pairs])
    return network.relations(vectors, between(states, gaps), pairs, figures)


def spans(tags: np.ndarray[Any, Any], first: int) -> Iterator[tuple[int, int]]:
    """Return the ranges of tokens of the likeliest sequence of tags.

    `tags` (t, 3) are log probabilities of being outside, beginning and inside; "inside" follows
    only on "begin" or "inside" (Viterbi). Ranges count from `first`.
    """
    if not len(tags):
        return
    forbidden = np.full((3, 3), 0.0)
    forbidden[0, 2] = -np.inf
    best = tags[0] + forbidden[0]
    back = []
    for row in tags[1:]:
        reached = best[:, None] + forbidden
        back.append(reached.argmax(0))
        best = reached.max(0) + row
    path = [int(best.argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    path.reverse()
    start = None
    for position, tag in enumerate(chain(path, [0])):
        if start is not None and tag != 2:
            yield first + start, first + position
            start = None
        if tag == 1:
            start = position


def _in_word(characters: str) -> bool:
    """Whether two neighbouring characters belong to one word ("don't")."""
    return all(character.isalnum() or character in "'’" for character in characters)


def likeliest(types: Mapping[str, float]) -> str:
    """Return the type of the greatest probability, the first of equals."""
    return max(types, key=lambda name: types[name])


def profile_matrix(profiles: Sequence[Profile]) -> Tensor:
    """Return how far each type speaks of each kind, (types, kinds)."""
    from interviews.llm.providers.offline.reader.network import KINDS

    return _tensor([[profile.get(kind, 0.0) for kind in KINDS] for profile in profiles])


def _tensor(rows: Any) -> Tensor:
    import torch

    return torch.tensor(rows, dtype=torch.float32)


@once
def _shipped() -> tuple[Network, Encoder]:
    from interviews.llm.providers.offline.reader.network import load

    return load()

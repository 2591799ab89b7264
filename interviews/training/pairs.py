"""Fitting the network that reads two labels together to labelled pairs.

Labels that stand in different pairs of one domain and type are taken for different concepts as
well: what a graph holds is mostly that, and written pairs alone would teach that half of all
neighbours are one. The few of them that say the same after all are outweighed.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from graphs.language.embeddings import shared_embedder
from graphs.language.minilm import Encoder, bundle, read_tokenizer
from graphs.language.wordnet import shared_wordnet
from graphs.matching import Matcher
from graphs.matching.pair_network import PairNetwork, save
from graphs.matching.pairing import Tokens, tokens_of
from interviews.training.course import Course, Progress, run
from interviews.training.errors import LabelsUnusable
from interviews.training.labelled_pairs import (
    PAIR_FILES,
    READ_OFF,
    Pair,
    domains_left_out,
    labelled_sets,
)

BATCH = 32
RATE = 5e-4
DECAY = 0.05
OTHERS = 0.5
"""So many pairs of labels of a domain that no author paired are made for each that one did."""
MERGES_FROM = 0.85
"""Probability from which two labels are one concept: the lowest of those tried (0.7, 0.8, 0.85,
0.9, 0.93, 0.95, 0.97) at which 0.97 of the merges of written pairs were right in domains left out.
"""

KEPT = 0.99
"""How much of the moving average stays from one step to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    """A pair as the network sees it, in either order."""

    texts: tuple[Tokens, Tokens]
    figures: tuple[float, ...]
    same: bool


def unpaired(pairs: Sequence[Pair], order: random.Random) -> Iterator[Pair]:
    """Yield OTHERS pairs of labels of one domain and type a pair, that stand in no pair together.

    A label that is paired with another as the same stands for it, too.
    """
    by_kind: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_kind[pair.domain, pair.node_type].append(pair)
    for (domain, node_type), found in sorted(by_kind.items()):
        if len(found) < 2:
            continue
        for _ in range(round(OTHERS * len(found))):
            one, other = order.sample(found, 2)
            a, b = order.choice((one.a, one.b)), order.choice((other.a, other.b))
            if a != b and not {a, b} <= {other.a, other.b} and not {a, b} <= {one.a, one.b}:
                yield Pair(domain=domain, node_type=node_type, a=a, b=b, same=False)


def examples_of(pairs: Sequence[Pair], matcher: Matcher) -> list[TokenPair]:
    """Prepare all pairs but those with a differing number or name.

    Opposites, contrasts and exchanged parts are learned too, though rules forbid those that they
    know: the network meets others.
    """
    tokenizer = read_tokenizer(bundle())
    found = []
    for pair in pairs:
        if matcher.conflict(pair.a, pair.b) in ("number", "name"):
            continue
        features = matcher.features(pair.a, pair.b)
        if features.particular:
            continue
        texts = (tokens_of(tokenizer, pair.a, pair.b), tokens_of(tokenizer, pair.b, pair.a))
        found.append(TokenPair(texts=texts, figures=features.values(), same=pair.same))
    return found


def fit_pairs(
    examples: Sequence[TokenPair],
    *,
    epochs: int = 3,
    seed: int = 1,
    progress: Progress = lambda _: None,
) -> PairNetwork:
    """Fit a network to examples. Raises ValueError without any.

    The same seed, examples and version of torch on the same kind of processor give the same.
    """
    if not examples:
        raise ValueError("nothing to fit")
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - batches, not secrets
    network = PairNetwork()
    figures = torch.tensor([example.figures for example in examples])
    network.mean.copy_(figures.mean(0))
    network.spread.copy_(figures.std(0, correction=0).clamp_min(1e-6))

    def batches() -> Iterator[list[TokenPair]]:
        shuffled = order.sample(list(examples), len(examples))
        yield from (shuffled[i : i + BATCH] for i in range(0, len(shuffled), BATCH))

    def loss_of(encoder: Encoder, batch: Sequence[TokenPair]) -> torch.Tensor:
        return _loss(network, encoder, batch, order)

    steps = epochs * math.ceil(len(examples) / BATCH)
    course = Course(epochs=epochs, steps=steps, rate=RATE, decay=DECAY, kept=KEPT)
    return run(network, course, batches, loss_of, progress)


def write(progress: Progress) -> None:
    """Fit the network to the labelled pairs, in the place of the one that ships.

    Raises LabelsUnusable where WordNet, which lays labels on one another, is not installed. More
    threads than free cores make it slower.
    """
    if shared_wordnet() is None:
        raise LabelsUnusable("the network cannot be fitted: WordNet is not installed")
    sets = labelled_sets()
    matcher = Matcher(shared_embedder())
    read_off = sets[READ_OFF]
    pairs = [pair for file in PAIR_FILES if file != READ_OFF for pair in sets[file]]
    left_out = domains_left_out((*pairs, *read_off))
    written = [pair for pair in pairs if pair.domain not in left_out]
    others = list(unpaired(written, random.Random(1)))  # noqa: S311 - pairs, not secrets
    read = [pair for pair in read_off if pair.domain not in left_out]
    seen = examples_of([*written, *others, *read], matcher)
    note = (
        f"Fitted to {len(written)} labelled pairs of this project, {len(read)} of labels "
        f"read off answers, and {len(others)} of labels that nobody paired; made by "
        "manage.py fit pairs"
    )
    save(fit_pairs(seen, progress=progress), MERGES_FROM, note)


def _loss(
    network: PairNetwork, encoder: Encoder, batch: Sequence[TokenPair], order: random.Random
) -> torch.Tensor:
    texts = [example.texts[order.randrange(2)] for example in batch]
    states = encoder.states([ids for ids, _ in texts], [parts for _, parts in texts])
    odds = network.odds(states, torch.tensor([example.figures for example in batch]))
    same = torch.tensor([float(example.same) for example in batch])
    return functional.binary_cross_entropy_with_logits(odds, same)

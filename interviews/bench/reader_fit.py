"""Fitting the offline reader to labelled answers.

One pass over an answer learns at once which tokens belong to statements, which node type and stance
each labelled statement has, and which of all ordered pairs of statements are related. What is kept
is an exponential moving average of the weights: steadier than the last step. The same seed, answers
and version of torch on the same kind of processor give the same reader.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from graphs.minilm import bundle, read_weights
from interviews.bench.extraction import (
    FOCUS,
    LabelledAnswer,
    fields_of,
    fitted_answers,
    inputs_of,
)
from interviews.llm.providers.offline.evidence import RuleEvidence
from interviews.llm.providers.offline.reader.encoding import Encoded, encode, stretches
from interviews.llm.providers.offline.reader.network import FILE, Network, save
from interviews.llm.providers.offline.reader.pairs import Placed, Terms, pairs_of
from interviews.llm.providers.offline.reader.reading import profile_matrix, relation_weights
from interviews.nlp import DiscourseRelation

BATCH = 8
RATE = 6e-4
DECAY = 0.02
WARM_UP = 0.1
"""Share of the steps in which the learning rate rises to RATE; then it falls along a cosine."""

KEPT = 0.995
"""How much of the moving average stays from one step to the next."""

TAGS_COUNT = 0.15
STANCES_COUNT = 0.5
DEPTH_COUNTS = 0.5
"""What a token's tag, a statement's stance and the error of the depth, squared, count for.

A statement's type and a pair's relation count 1.
"""

UNLABELLED = -100
"""In the place of a stance that no coder gave."""

WITHOUT_OWN = 0.25
"""Share of the answers that are fitted by kinds alone, as types are that the reader never saw."""

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A labelled answer as the network sees it; positions of edges count the focus last."""

    encoded: Encoded
    tags: tuple[int, ...]
    placed: tuple[Placed, ...]
    """The labelled statements, and the focus where there is one."""
    said: int
    """How many of them are statements of the answer."""
    names: tuple[str, ...]
    profile: Tensor
    evidence: Tensor
    types: tuple[int, ...]
    stances: tuple[int, ...]
    edges: frozenset[tuple[int, int]]
    depth: int | None
    terms: Terms
    relations: tuple[DiscourseRelation, ...]


def example_of(gold: LabelledAnswer) -> Example | None:
    """Prepare a labelled answer; None for one that is longer than the network reads at once."""
    if len(list(stretches(gold.answer))) != 1:
        return None
    inputs = inputs_of(gold)
    rules = RuleEvidence(inputs)
    encoded = encode(gold.question, gold.focus, gold.answer)
    names = [node_type.name for node_type in inputs.node_types]
    tags = [0] * len(encoded.offsets)
    placed: list[Placed] = []
    evidence, types, stances = [], [], []
    position_of: dict[int | str, int] = {}
    for number, concept in enumerate(gold.concepts):
        start = gold.answer.index(concept.quote)
        end = start + len(concept.quote)
        tokens = encoded.tokens_of(start, end)
        if tokens is None:
            continue
        for token in range(*tokens):
            tags[token - encoded.answer_at] = 1 if token == tokens[0] else 2
        position_of[number] = len(placed)
        placed.append(Placed(tokens=tokens, characters=(start, end), node_type=concept.type))
        evidence.append(rules.figures(start, end))
        types.append(names.index(concept.type))
        stances.append(UNLABELLED if concept.stance is None else concept.stance + 1)
    said = len(placed)
    if encoded.focus and gold.focus:
        position_of[FOCUS] = said
        placed.append(Placed(tokens=encoded.focus, characters=None, node_type=gold.focus[1]))
    return Example(
        encoded=encoded,
        tags=tuple(tags),
        placed=tuple(placed),
        said=said,
        names=tuple(names),
        profile=profile_matrix([p.facets for p in rules.types]),
        evidence=torch.tensor(evidence),
        types=tuple(types),
        stances=tuple(stances),
        edges=frozenset(
            (position_of[source], position_of[target])
            for source, target in gold.edges
            if source in position_of and target in position_of
        ),
        depth=gold.depth,
        terms=Terms.of(inputs),
        relations=inputs.discourse_relations,
    )


def fit_reader(
    answers: Sequence[LabelledAnswer],
    *,
    epochs: int = 5,
    seed: int = 1,
    progress: Progress = lambda _: None,
) -> Network:
    """Fit a network to labelled answers. Raises ValueError without any."""
    examples = [example for gold in answers if (example := example_of(gold)) is not None]
    if not examples:
        raise ValueError("nothing to fit")
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - batches, not secrets
    network = Network(sorted({name for example in examples for name in example.names}))
    weights = read_weights(bundle())
    steps = epochs * math.ceil(len(examples) / BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=steps, pct_start=WARM_UP
    )
    average = {name: value.detach().clone() for name, value in network.state_dict().items()}
    step = 0
    for epoch in range(epochs):
        network.train()
        total = 0.0
        for batch in _batches(examples, order):
            encoder = network.encoder(weights, dtype=torch.bfloat16)
            states = encoder.states(
                [e.encoded.ids for e in batch], [e.encoded.segments for e in batch]
            )
            losses = [
                _loss(network, example, network.drop(own), own=order.random() >= WITHOUT_OWN)
                for example, own in zip(batch, states, strict=True)
            ]
            loss = torch.stack(losses).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            total += loss.item() * len(batch)
            kept = min(KEPT, (1 + step) / (10 + step))
            for name, value in network.state_dict().items():
                average[name].mul_(kept).add_(value.detach(), alpha=1 - kept)
        progress(f"epoch {epoch + 1} of {epochs}: loss {total / len(examples):.3f}")
    network.load_state_dict(average)
    return network.eval()


def write_reader(progress: Progress = print) -> None:
    """Fit the reader to the project's labelled answers, in the place of the one that ships.

    Takes a quarter of an hour on one core; more threads than free cores make it slower.
    """
    answers = fitted_answers()
    note = (
        f"Fitted to {len(answers)} labelled answers of {len(fields_of(answers))} fields of this "
        "project's tests; made by interviews.bench.reader_fit.write_reader()"
    )
    save(fit_reader(answers, progress=progress), FILE, note)


def _batches(examples: Sequence[Example], order: random.Random) -> Iterator[list[Example]]:
    """Yield batches of answers of about the same length, in random order."""
    sized = sorted(examples, key=lambda e: len(e.encoded.ids) + 20 * order.random())
    batches = [sized[i : i + BATCH] for i in range(0, len(sized), BATCH)]
    order.shuffle(batches)
    yield from batches


def _loss(network: Network, example: Example, states: Tensor, *, own: bool) -> Tensor:
    tags = network.tags(states, example.encoded)
    loss = TAGS_COUNT * functional.cross_entropy(tags, torch.tensor(example.tags), reduction="sum")
    if example.depth is not None:
        loss = loss + DEPTH_COUNTS * (network.depths(states, example.encoded) - example.depth) ** 2
    if not example.said:
        return loss
    vectors = network.statements(states, [p.tokens for p in example.placed])
    said = vectors[: example.said]
    types = network.types(said, example.names, example.profile, example.evidence, own=own)
    loss = loss + functional.cross_entropy(types, torch.tensor(example.types), reduction="sum")
    stances = functional.cross_entropy(
        network.stances(said),
        torch.tensor(example.stances),
        ignore_index=UNLABELLED,
        reduction="sum",
    )
    loss = loss + STANCES_COUNT * stances
    if len(example.placed) < 2:
        return loss
    placed = _as_typed(example, types)
    chances = relation_weights(
        network,
        states,
        vectors,
        example.encoded,
        placed,
        example.terms,
        example.relations,
    )
    wanted = torch.tensor([float(pair in example.edges) for pair in pairs_of(placed)])
    return loss + functional.binary_cross_entropy_with_logits(chances, wanted, reduction="sum")


def _as_typed(example: Example, types: Tensor) -> list[Placed]:
    """Return the statements with the types that the network gives them, as when it reads."""
    found = [example.names[position] for position in types.argmax(-1).tolist()]
    return [
        Placed(tokens=p.tokens, characters=p.characters, node_type=name)
        for p, name in zip(example.placed, found, strict=False)
    ] + list(example.placed[example.said :])

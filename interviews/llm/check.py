"""Asks every role's provider one small question and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from interviews.llm.budget import NOBODY
from interviews.llm.config import OFFLINE, ROLES, Choice, LLMConfig, RoleChoice, how_to_price
from interviews.llm.errors import LLMError
from interviews.llm.gateway import Deadline, Gateway
from interviews.llm.samples import SAMPLES
from interviews.llm.tasks.base import Role
from interviews.turns.calls import CallLog

SECONDS = 45.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What one provider of a role did; `part` is provider or fallback, latency in milliseconds.

    `cost_usd` is None where the catalogue has no price for the model.
    """

    role: Role
    part: str
    provider: str
    model: str
    ok: bool
    detail: str
    latency_ms: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: Decimal | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain values; the cost as a string of dollars."""
        cost = None if self.cost_usd is None else str(self.cost_usd)
        return asdict(self) | {"cost_usd": cost}


def check_roles(
    config: LLMConfig,
    make_gateway: Callable[[LLMConfig], Gateway],
    clock: Callable[[], float],
) -> Iterator[Checked]:
    """Ask each role's provider and its fallback, one after the other, each on its own.

    `make_gateway` builds a gateway of a configuration. A fallback never answers for the provider
    that it stands behind: a check must not hide what a live turn survives.
    """
    for role in ROLES:
        try:
            choices = config.choices(role, {})
        except LLMError as error:
            named = config.roles[role]
            yield Checked(
                role=role,
                part="provider",
                provider=named.provider or OFFLINE,
                model=named.model or "",
                ok=False,
                detail=str(error),
            )
            continue
        for part, choice in zip(("provider", "fallback"), choices, strict=False):
            alone = RoleChoice(provider=choice.provider, model=choice.model)
            gateway = make_gateway(replace(config, roles={**config.roles, role: alone}))
            try:
                yield _check(role, part, choice, gateway, clock)
            finally:
                gateway.close()


def _check(
    role: Role, part: str, choice: Choice, gateway: Gateway, clock: Callable[[], float]
) -> Checked:
    task, inputs = SAMPLES[role]
    log, failed = CallLog(), ""
    try:
        gateway.run(
            task,
            inputs,
            payer=NOBODY,
            log=log,
            deadline=Deadline(SECONDS, clock),
        )
    except LLMError as error:
        failed = f"{type(error).__name__}: {error}"
    records = list(log.drain())
    return Checked(
        role=role,
        part=part,
        provider=choice.provider,
        model=choice.model,
        ok=not failed,
        detail=failed or _remark(choice),
        latency_ms=sum(record.latency_ms for record in records),
        tokens_in=sum(record.tokens_in for record in records),
        tokens_out=sum(record.tokens_out for record in records),
        cost_usd=sum((r.cost_usd for r in records), Decimal(0)) if choice.priced else None,
    )


def _remark(choice: Choice) -> str:
    if choice.is_offline:
        return "answers by rules and small fitted networks, without a language model"
    if choice.priced:
        return "answers"
    return (
        f"answers; without a price no study with a budget may use it: {how_to_price(choice.model)}"
    )

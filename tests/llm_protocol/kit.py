"""What tests of the gateway share: a clock that is set, a gateway on scripted parts, tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import SecretStr

from interviews.llm.budget import Payer, StudyPays, Unlimited
from interviews.llm.config import (
    Catalogue,
    Choice,
    LLMConfig,
    ModelEntry,
    ProviderEntry,
    RoleChoice,
    read_catalogue,
)
from interviews.llm.errors import LLMBudgetExceeded
from interviews.llm.gateway import Gateway
from interviews.llm.providers.base import ChatProvider, RuleProvider
from interviews.llm.setup import connect
from interviews.llm.tasks.base import In, Out, Role, Task
from interviews.llm.tasks.questions import OPENING_QUESTION, OpeningInputs
from interviews.llm.tasks.response_rating import RESPONSE_RATING, RUBRICS, RatingInputs

KEY = "sk-test-0123456789-never-to-be-shown"
SECRET_WORDS = "my neighbour Ottilie keeps bees"

OPENING = OpeningInputs(subject=SECRET_WORDS)
QUESTION = {"question": "What comes to mind first?"}
RATING_INPUTS = RatingInputs(question="How so?", answer=SECRET_WORDS, rubrics="- depth: 1 to 5")
RATING = {name: {"score": 3, "rationale": ""} for name in RUBRICS}


@dataclass(slots=True)
class SetClock:
    """A monotonic clock that moves only when it is told to; sleeping on it is noted."""

    now: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def payer(*, study_id: str = "study-1", llm_choice: dict[str, Any] | None = None) -> StudyPays:
    return StudyPays(study_id=study_id, llm_choice=llm_choice or {})


class EmptyPurse:
    """No study may spend any more; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def check(self, payer: Payer) -> None:
        self.asked += 1
        raise LLMBudgetExceeded("spent")


class EchoRules:
    """Answers by a table from task name to output."""

    def __init__(self, answers: Mapping[str, object]) -> None:
        self.answers = dict(answers)
        self.asked: list[str] = []

    def complete(self, task: Task[In, Out], inputs: In) -> Out:
        self.asked.append(task.name)
        return task.output.model_validate(self.answers[task.name])

    def stand_in(self, task: Task[In, Out], inputs: In) -> Out | None:
        return self.complete(task, inputs) if task.name in self.answers else None


def rules() -> EchoRules:
    return EchoRules({OPENING_QUESTION.name: QUESTION, RESPONSE_RATING.name: RATING})


def config(
    roles: Mapping[Role, RoleChoice] | None = None,
    *,
    providers: Mapping[str, ProviderEntry] | None = None,
    models: Mapping[str, ModelEntry] | None = None,
    key: str | None = KEY,
) -> LLMConfig:
    """The shipped catalogue with entries of one's own; everybody has the same key."""
    shipped = read_catalogue()
    catalogue = Catalogue(
        providers={**shipped.providers, **(providers or {})},
        models={**shipped.models, **(models or {})},
    )
    names = {entry.key for entry in catalogue.providers.values() if entry.key}
    everybody: dict[Role, RoleChoice] = {
        "extraction": RoleChoice(),
        "scoring": RoleChoice(),
        "generation": RoleChoice(),
    }
    return LLMConfig(
        roles={**everybody, **(roles or {})},
        catalogue=catalogue,
        keys={name: SecretStr(key) for name in names} if key else {},
        base_urls={},
    )


def gateway(
    settings: LLMConfig,
    clock: SetClock,
    *,
    connecting: Callable[[Choice], ChatProvider] = connect,
    offline: RuleProvider | None = None,
    budget: Any = None,
    chance: Callable[[], float] = lambda: 0.0,
    rules_stand_in: bool = False,
) -> Gateway:
    """A gateway whose time, sleep and chance are the test's; a failure shows unless rules act."""
    answering = offline or rules()
    return Gateway(
        config=lambda: settings,
        rules=lambda: answering,
        connect=connecting,
        budget=budget or Unlimited(),
        clock=clock,
        sleep=clock.sleep,
        random=chance,
        rules_stand_in=rules_stand_in,
    )


def quick(task: Task[In, Out], seconds: float) -> Task[In, Out]:
    """The same task with another time limit."""
    return replace(task, timeout=seconds)

"""Whom a study takes in: what links carry along, questions before consent, quotas by segment.

Pure: who answers so far is told by :mod:`interviews.arrivals`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

MOST_PARAMETERS: Final = 10
MOST_QUESTIONS: Final = 8
LONGEST_PARAMETER: Final = 200
OWN_PARAMETERS: Final = frozenset({"session", "code"})
"""Names that the completion page gives to its address itself."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Label = Annotated[str, Field(min_length=1, max_length=80)]


class RecruitingInvalid(ValueError):
    """Rules that nobody can be taken in by; the text says which one and why."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Screener(_Part):
    """A question before consent, and which answers let somebody in.

    A choice lets in those of `accept` (all of its options where none are named), a number what is
    from `at_least` to `at_most`, both included.
    """

    key: Key
    text: Annotated[str, Field(min_length=1, max_length=300)]
    type: Literal["choice", "number"] = "choice"
    options: Annotated[tuple[Label, ...], Field(max_length=20)] = ()
    accept: tuple[Label, ...] = ()
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _agrees_with_its_type(self) -> Screener:
        if self.type == "number":
            if self.options or self.accept:
                raise ValueError("options and accept belong to a choice; this is a number")
            if None not in (self.at_least, self.at_most) and self.at_least > self.at_most:  # type: ignore[operator]
                raise ValueError("at_least is more than at_most: nobody could take part")
            return self
        if self.at_least is not None or self.at_most is not None:
            raise ValueError("at_least and at_most belong to a number; this is a choice")
        if len(set(self.options)) < 2:
            raise ValueError("a choice needs options, two or more that differ")
        if strange := [one for one in self.accept if one not in self.options]:
            raise ValueError(f"accept names {strange[0]!r}, which is none of the options")
        return self

    def lets_in(self, value: str) -> bool:
        """Whether an answer that is right lets somebody in."""
        if self.type == "choice":
            return not self.accept or value in self.accept
        number = float(value)
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= number <= high

    def is_right(self, value: str) -> bool:
        """Whether `value` is an answer to it at all."""
        if self.type == "choice":
            return value in self.options
        return re.fullmatch(r"-?\d{1,9}(\.\d{1,4})?", value) is not None


class Segments(_Part):
    """Completed interviews that each value of a screener's answer or a parameter may have."""

    key: Key
    most: Annotated[dict[Label, Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=40)]


class Redirects(_Part):
    """Where respondents go on who were screened out, or came when there were enough."""

    screened_out: Annotated[str, Field(max_length=400)] = ""
    quota_full: Annotated[str, Field(max_length=400)] = ""

    @model_validator(mode="after")
    def _are_safe(self) -> Redirects:
        for name in ("screened_out", "quota_full"):
            parts = urlsplit(getattr(self, name))
            if getattr(self, name) and (parts.scheme != "https" or not parts.netloc):
                raise ValueError(f"{name}: enter a whole address that begins with https://")
        return self


class Recruiting(_Part):
    """All of it; a study that says nothing takes in whoever comes."""

    parameters: Annotated[tuple[Key, ...], Field(max_length=MOST_PARAMETERS)] = ()
    screener: Annotated[tuple[Screener, ...], Field(max_length=MOST_QUESTIONS)] = ()
    segments: Segments | None = None
    redirects: Redirects = Redirects()

    @model_validator(mode="after")
    def _hangs_together(self) -> Recruiting:
        keys = [*self.parameters, *(one.key for one in self.screener)]
        if twice := [key for key in keys if keys.count(key) > 1]:
            raise ValueError(f"{twice[0]!r} is there twice; each name stands for one thing")
        if own := [key for key in self.parameters if key in OWN_PARAMETERS]:
            raise ValueError(f"parameters: {own[0]!r} is given by the completion page itself")
        if self.segments is None:
            return self
        if self.segments.key not in keys:
            raise ValueError(
                f"segments: {self.segments.key!r} is no parameter and no question of the screener"
            )
        asked = next((one for one in self.screener if one.key == self.segments.key), None)
        if asked is not None and asked.type == "choice":
            strange = [one for one in self.segments.most if one not in asked.options]
            if strange:
                raise ValueError(f"segments: {strange[0]!r} is no option of {asked.key}")
        return self


def read_recruiting(data: object, *, taken: Iterable[str] = ()) -> Recruiting:
    """Return the rules as a study stores them; `taken` are the keys of its data fields.

    Raises RecruitingInvalid that names every fault by its place.
    """
    try:
        found = Recruiting.model_validate(data or {})
    except ValidationError as error:
        raise RecruitingInvalid("; ".join(_told(item) for item in error.errors())) from None
    used = {*found.parameters, *(one.key for one in found.screener)} & set(taken)
    if used:
        raise RecruitingInvalid(f"{min(used)!r} is the key of a data field, too; rename one")
    return found


def _told(item: Mapping[str, Any]) -> str:
    where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in item["loc"])
    message = str(item["msg"]).removeprefix("Value error, ")
    return f"{where}: {message}" if where else message


def parameters_of(recruiting: Recruiting, query: Mapping[str, str]) -> dict[str, str]:
    """What an address carries of the named parameters, each as it is stored."""
    found = {key: _CONTROL.sub("", query.get(key, ""))[:LONGEST_PARAMETER].strip() for key in
             recruiting.parameters}  # fmt: skip
    return {key: value for key, value in found.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What became of answers: `wrong` are the questions without a right one, by key."""

    answers: dict[str, str] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()
    passed: bool = False


def screened(recruiting: Recruiting, given: Mapping[str, str]) -> Screened:
    """Hold answers against the screener; nobody passes while one is missing."""
    answers = {one.key: given.get(one.key, "").strip().replace(",", ".", 1)
               if one.type == "number" else given.get(one.key, "").strip()
               for one in recruiting.screener}  # fmt: skip
    wrong = tuple(one.key for one in recruiting.screener if not one.is_right(answers[one.key]))
    passed = not wrong and all(one.lets_in(answers[one.key]) for one in recruiting.screener)
    return Screened(answers=answers, wrong=wrong, passed=passed)


def with_parameters(address: str, parameters: Mapping[str, str]) -> str:
    """An https address with parameters added, in the place of those of the same name; else ""."""
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.netloc:
        return ""
    own = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in own if pair[0] not in parameters]
    return urlunsplit(parts._replace(query=urlencode([*kept, *parameters.items()])))

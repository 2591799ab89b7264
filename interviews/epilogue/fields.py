"""The fields that a study asks for at the end: what they are, and what may stand in them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from interviews.turns.blocks import chosen, fold

FieldType = Literal["name", "email", "phone", "company", "text", "choice", "number"]

MOST_FIELDS = 12
ALWAYS_SENSITIVE = frozenset({"name", "email", "phone"})
SENSITIVE_UNLESS_SAID = frozenset({"company", "text"})
LENGTHS: Mapping[str, tuple[int, int]] = {"name": (2, 80), "company": (2, 120), "text": (1, 500)}
"""In characters, both ends included."""
LONGEST_EMAIL = 254
PHONE_DIGITS = (7, 15)

_DOMAIN = re.compile(r"[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+")
_PHONE = re.compile(r"\+?[\d\s().\-/]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class FieldsInvalid(ValueError):
    """A list of fields that cannot be asked for; the text says which one and why."""


class DataField(BaseModel):
    """One field. An empty `label` stands for the usual one of its type, in the study's language.

    Names, e-mail addresses and phone numbers are sensitive, companies and texts are unless the
    study says otherwise, choices and numbers are not unless it says so.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    type: FieldType
    label: Annotated[str, Field(max_length=120)] = ""
    help: Annotated[str, Field(max_length=300)] = ""
    required: bool = False
    options: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = ()
    sensitive: bool | None = None

    @model_validator(mode="after")
    def _agrees_with_its_type(self) -> DataField:
        if self.type != "choice" and self.options:
            raise ValueError(f"options belong to a field of type choice; this is a {self.type}")
        if self.type == "choice" and len({fold(option) for option in self.options}) < 2:
            raise ValueError('a choice needs options, two or more that differ, e.g. ["Yes", "No"]')
        if self.type in ALWAYS_SENSITIVE and self.sensitive is False:
            raise ValueError(f"a field of type {self.type} is always sensitive; leave that out")
        return self

    @property
    def is_sensitive(self) -> bool:
        """Whether what is given is kept encrypted."""
        if self.sensitive is None:
            return self.type in ALWAYS_SENSITIVE | SENSITIVE_UNLESS_SAID
        return self.sensitive


_FIELDS: TypeAdapter[tuple[DataField, ...]] = TypeAdapter(tuple[DataField, ...])


def read_fields(data: object) -> tuple[DataField, ...]:
    """Return the fields as they are stored with a study, in order.

    Raises FieldsInvalid that names each wrong field by its place, counted from 1.
    """
    if not isinstance(data, list):
        raise FieldsInvalid('fields are a list, e.g. [{"key": "email", "type": "email"}]')
    if len(data) > MOST_FIELDS:
        raise FieldsInvalid(f"there are {len(data)} fields; {MOST_FIELDS} is the most")
    try:
        fields = _FIELDS.validate_python(data)
    except ValidationError as error:
        raise FieldsInvalid("; ".join(_told(item) for item in error.errors())) from None
    keys = [field.key for field in fields]
    for place, key in enumerate(keys, start=1):
        if key in keys[: place - 1]:
            raise FieldsInvalid(f"field {place}: another field has the key {key!r}, too")
    return fields


def _told(item: Mapping[str, Any]) -> str:
    place, *rest = item["loc"]
    where = "".join(f"{part}: " for part in rest if isinstance(part, str))
    message = str(item["msg"]).removeprefix("Value error, ")
    return f"field {place + 1}: {where}{message[:1].lower()}{message[1:]}"


def cleaned(field: DataField, text: str) -> str:
    """What is stored of a value that is right; a choice as its option is spelt."""
    value = _CONTROL.sub(" ", text).strip()
    if field.type == "choice":
        return chosen(value, field.options) or value
    return value if field.type == "text" else " ".join(value.split())


def is_right(field: DataField, text: str) -> bool:
    """Whether `text`, which is not empty, may stand in the field."""
    value = cleaned(field, text)
    if field.type in LENGTHS:
        least, most = LENGTHS[field.type]
        return least <= len(value) <= most
    if field.type == "choice":
        return value in field.options
    return {"email": is_email, "phone": _is_phone, "number": _is_number}[field.type](value)


def is_email(value: str) -> bool:
    """One @, something before it, and a dotted domain after it."""
    local, at, domain = value.partition("@")
    whole = len(value) <= LONGEST_EMAIL and not re.search(r"\s", value)
    return whole and bool(local and at and _DOMAIN.fullmatch(domain))


def _is_phone(value: str) -> bool:
    least, most = PHONE_DIGITS
    digits = sum(character.isdecimal() for character in value)
    return bool(_PHONE.fullmatch(value)) and least <= digits <= most


def _is_number(value: str) -> bool:
    try:
        return len(value) <= 30 and math.isfinite(float(value.replace(" ", "").replace(",", ".")))
    except ValueError:
        return False


def segments(fields: Sequence[DataField]) -> tuple[str, ...]:
    """Keys of the fields that analysts may compare interviews by."""
    return tuple(f.key for f in fields if f.type in ("choice", "number") and not f.is_sensitive)

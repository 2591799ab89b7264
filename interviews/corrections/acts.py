"""What can be corrected of an interview's graph, as it comes from a page or a program."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from interviews.errors import FormRefused

Label = Annotated[str, Field(min_length=1, max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=60)]


class _Act(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rename(_Act):
    """Give a concept another label."""

    act: Literal["rename"] = "rename"
    node: UUID
    label: Label


class Retype(_Act):
    """Make a concept one of another type."""

    act: Literal["retype"] = "retype"
    node: UUID
    node_type: Name


class RetypeLink(_Act):
    """Make a link one of another type."""

    act: Literal["retype_link"] = "retype_link"
    edge: UUID
    edge_type: Name


class Reverse(_Act):
    """Turn a link round."""

    act: Literal["reverse"] = "reverse"
    edge: UUID


class DeleteNode(_Act):
    """Take a concept out, with its links."""

    act: Literal["delete_node"] = "delete_node"
    node: UUID


class DeleteLink(_Act):
    """Take a link out."""

    act: Literal["delete_link"] = "delete_link"
    edge: UUID


class Restore(_Act):
    """Bring back what an earlier correction, a deletion, took out, whatever was done since."""

    act: Literal["restore"] = "restore"
    correction: UUID


class AddNode(_Act):
    """Add a concept: the characters from `start` to `end`, exclusive, of an answer say it."""

    act: Literal["add_node"] = "add_node"
    utterance: UUID
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]
    label: Label
    node_type: Name
    stance: Literal[-1, 0, 1] = 0


class AddLink(_Act):
    """Add a link: the characters from `start` to `end`, exclusive, of an answer bear it out."""

    act: Literal["add_link"] = "add_link"
    utterance: UUID
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]
    source: UUID
    target: UUID
    edge_type: Name


class Merge(_Act):
    """Make one concept of two: `into` stays."""

    act: Literal["merge"] = "merge"
    node: UUID
    into: UUID


class Split(_Act):
    """Make two concepts of one: a new one of this label gets these mentions and links."""

    act: Literal["split"] = "split"
    node: UUID
    label: Label
    mentions: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=500)]
    edges: Annotated[tuple[UUID, ...], Field(max_length=500)] = ()


Act = Annotated[
    Rename
    | Retype
    | RetypeLink
    | Reverse
    | DeleteNode
    | DeleteLink
    | Restore
    | AddNode
    | AddLink
    | Merge
    | Split,
    Field(discriminator="act"),
]
_ACTS: TypeAdapter[Act] = TypeAdapter(Act)


def read_act(data: Any) -> Act:
    """Read a correction. Raises FormRefused, which says of each wrong field what is wrong."""
    try:
        return _ACTS.validate_python(data)
    except ValidationError as error:
        fields = {
            ".".join(str(part) for part in found["loc"][1:]) or "act": found["msg"]
            for found in error.errors(include_url=False, include_input=False)
        }
        named = "; ".join(f"{name}: {message}" for name, message in fields.items())
        raise FormRefused(f"This correction cannot be read: {named}", fields=fields) from error

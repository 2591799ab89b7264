"""Propose canonical slot names for new concepts of one type."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from interviews.llm.tasks.base import Task, TaskModel

SlotName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$", max_length=60)]


class SlotNode(TaskModel):
    """A concept that wants a slot, by its number in the batch, with the words it came from.

    `mentions` is how often it was said so far.
    """

    number: Annotated[int, Field(ge=1)]
    label: str
    quote: str = ""
    mentions: Annotated[int, Field(ge=1)] = 1


class KnownSlot(TaskModel):
    """A slot of the session that a proposal may join by its name."""

    name: str
    description: str = ""


class SlotProposalInputs(TaskModel):
    """At most eight concepts of one type, and the slots there are."""

    node_type: str
    nodes: Annotated[tuple[SlotNode, ...], Field(max_length=8)]
    existing_slots: tuple[KnownSlot, ...] = ()


class SlotProposal(TaskModel):
    """The slot for the concept of this number; those that say the same get the same name."""

    number: int
    slot_name: SlotName
    description: str


class SlotProposalOutput(TaskModel):
    """One proposal a concept."""

    proposals: tuple[SlotProposal, ...]


SLOT_PROPOSAL = Task(
    name="slot_proposal",
    role="scoring",
    inputs=SlotProposalInputs,
    output=SlotProposalOutput,
    prompt="slot_proposal.md",
    temperature=0.3,
    max_tokens=1024,
)

"""Small studies written as text, for tests of what is read from all interviews together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from graphs.models import CanonicalSlot, KGNode, SlotVector
from interviews.models import Session, Study, Utterance
from tests.factories import (
    STARTED,
    EdgeFactory,
    MentionFactory,
    NodeFactory,
    SessionFactory,
    SlotFactory,
    SlotMappingFactory,
    StudyFactory,
    UtteranceFactory,
)

LEVELS = {"attribute": 1, "consequence": 2, "value": 3}
TYPES = {"a": "attribute", "c": "consequence", "v": "value"}


def vector(direction: int, lean: float = 0.0, towards: int = 0) -> list[float]:
    """A vector of length 1 along an axis; `lean` is its share along another."""
    found = np.zeros(384)
    found[direction] = np.sqrt(1 - lean * lean)
    found[towards] += lean
    return [float(one) for one in found]


def held(
    study: Study,
    links: str,
    *,
    number: int = 0,
    against: str = "",
    provenance: str = "stated",
    **fields: Any,
) -> Session:
    """An interview whose concepts are named type + number, as "a1>c1 c1>v2".

    Equal names are one theme across interviews, for their slots have the same vector. A name after
    "=" is a concept without a slot.
    """
    fields = {
        "status": Session.Status.COMPLETED,
        "ended_at": STARTED + timedelta(hours=number + 1),
        "turn_count": 1,
    } | fields
    session = SessionFactory.create(study=study, **fields)
    UtteranceFactory.create(session=session, sequence=1, text="Why does this matter to you?")
    answer = UtteranceFactory.create(
        session=session,
        turn_number=1,
        sequence=2,
        speaker=Utterance.Speaker.RESPONDENT,
        text=f"In answer {number}: " + ", ".join(links.split()),
    )
    nodes: dict[str, KGNode] = {}
    for name in dict.fromkeys(name for link in links.split() for name in link.split(">")):
        nodes[name] = _concept(session, name, answer, against=name in against.split())
    for link in links.split():
        ends = link.split(">")
        if len(ends) == 2:
            edge = EdgeFactory.create(source=nodes[ends[0]], target=nodes[ends[1]])
            start = answer.text.index(link)
            MentionFactory.create(
                node=None, edge=edge, session=session, utterance=answer, quote=link,
                start=start, end=start + len(link), provenance=provenance,
            )  # fmt: skip
    return session


def _concept(session: Session, name: str, answer: Utterance, *, against: bool) -> KGNode:
    bare = name.lstrip("=")
    node_type = TYPES[bare[0]]
    node = NodeFactory.create(
        session=session,
        label=f"{bare} of {session.pk.hex[:6]}",
        node_type=node_type,
        level=LEVELS[node_type],
        stance=-1 if against else 0,
    )
    MentionFactory.create(node=node, session=session, utterance=answer, quote=bare)
    if name == bare:
        slot = SlotFactory.create(session=session, slot_name=f"theme_{bare}", node_type=node_type)
        place(slot, "acv".index(bare[0]) * 100 + int(bare[1:]))
        SlotMappingFactory.create(node=node, slot=slot, session=session)
    return node


def place(slot: CanonicalSlot, direction: int, lean: float = 0.0, towards: int = 0) -> None:
    """Give a slot its vector."""
    SlotVector.objects.update_or_create(
        slot=slot,
        defaults={
            "session": slot.session,
            "node_type": slot.node_type,
            "embedding": vector(direction, lean, towards),
        },
    )


def study_of(interviews: Sequence[str], **fields: Any) -> Study:
    """A study with one interview for each text of links, ended in this order."""
    study = StudyFactory.create(**fields)
    for number, links in enumerate(interviews):
        held(study, links, number=number)
    return study


def themes_as_they_stand(study: Study) -> Mapping[str, Any]:
    """All that makes up a study's themes, by ids."""
    return {
        str(theme.pk): (
            theme.name,
            theme.description,
            theme.named,
            theme.node_type,
            sorted((str(one.slot_id), one.similarity, one.decided) for one in theme.members.all()),
        )
        for theme in study.themes.prefetch_related("members")
    }

"""Makes an interview of 80 concepts in the site's database; prints its id. Run by `manage.py`."""

from __future__ import annotations

from graphs.models import KGNode
from tests.factories import EdgeFactory, MentionFactory, NodeFactory, small_interview, summarise

LEVELS = (("attribute", 1, 35), ("consequence", 2, 30), ("value", 3, 12))
WORDS = (
    "soft shoulder straps",
    "walks further than others do",
    "feels free in the mountains",
    "light",
    "does not have to think about the weather",
)


def make() -> str:
    """Make it: 77 concepts beside the three of the small interview, most of them linked."""
    session = small_interview(turn_count=2)
    answers = {u.turn_number: u for u in session.utterances.filter(speaker="respondent")}
    made: dict[str, list[KGNode]] = {}
    for kind, level, count in LEVELS:
        made[kind] = [
            NodeFactory.create(
                session=session,
                label=f"{WORDS[number % len(WORDS)]} {kind[0]}{number}",
                node_type=kind,
                level=level,
                first_turn=1 + number % 2,
                position=10 + number,
            )
            for number in range(count)
        ]
    for node in (node for nodes in made.values() for node in nodes):
        spoken = answers[node.first_turn]
        MentionFactory.create(
            node=node,
            session=session,
            utterance=spoken,
            quote=spoken.text[:10],
            start=0,
            end=10,
            turn=node.first_turn,
        )
    for lower, upper in (("attribute", "consequence"), ("consequence", "value")):
        for number, node in enumerate(made[lower][:-3]):
            EdgeFactory.create(
                source=node, target=made[upper][number % len(made[upper])], first_turn=2
            )
    summarise(session)
    return str(session.pk)

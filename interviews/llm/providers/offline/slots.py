"""Group labels that say the same by their lemmas, and name each group in the words of one."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from interviews.llm.providers.offline.lexicon import lemmas, overlap, plain, word_set, words_of
from interviews.llm.tasks.slot_proposal import (
    SLOT_PROPOSAL,
    SlotNode,
    SlotProposal,
    SlotProposalInputs,
    SlotProposalOutput,
)

SAME_SLOT = 0.6
"""From this Jaccard overlap of content lemmas on, two labels share a slot."""

LONGEST_NAME = 60

_SPELT_OUT = (
    ("can't", "cannot"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ll", " will"),
    ("'ve", " have"),
    ("'d", " would"),
)
_IS = re.compile(r"\b(it|that|this|there|here|what|who|he|she)'s\b")

_Key = tuple[frozenset[str], frozenset[str]]
"""The content lemmas of a label, and the words that turn its meaning round."""


@dataclass(slots=True, kw_only=True)
class _Group:
    """Labels that share a slot; one that is not known yet has no name at first."""

    key: _Key
    name: str = ""
    description: str = ""
    nodes: list[SlotNode] = field(default_factory=list)


def propose_slots(inputs: SlotProposalInputs) -> SlotProposalOutput:
    """Propose one slot a concept: a known one, or one in the words of the best-said of its like."""
    groups = [
        _Group(key=_key(slot.name.replace("_", " ")), name=slot.name, description=slot.description)
        for slot in inputs.existing_slots
    ]
    place: dict[int, _Group] = {}
    for node in inputs.nodes:
        key = _key(node.label)
        scored = [(_likeness(key, group.key), -i) for i, group in enumerate(groups)]
        score, position = max(scored, default=(0.0, 0))
        if score < SAME_SLOT:
            groups.append(_Group(key=key))
            position = 1 - len(groups)
        place[node.number] = groups[-position]
        groups[-position].nodes.append(node)
    taken = {group.name for group in groups}
    for group in groups:
        if not group.name:
            best = _best_said(group.nodes)
            group.name = _free_name(slot_name(best.label), taken)
            group.description = _description(best.label, inputs.node_type)
            taken.add(group.name)
    return SlotProposalOutput(
        proposals=tuple(
            SlotProposal(
                number=number,
                slot_name=group.name,
                description=group.description or group.name.replace("_", " "),
            )
            for number, group in place.items()
        )
    )


def _best_said(nodes: list[SlotNode]) -> SlotNode:
    """The one that was said most often, of several the shortest, of these the first."""
    return min(nodes, key=lambda node: (-node.mentions, len(words_of(node.label))))


def slot_name(label: str) -> str:
    """Return a label as a snake_case name of at most 60 characters: its words, spelt out.

    Only what says nothing before the first word that does is left out.
    """
    spelt = _IS.sub(r"\1 is", _ascii(label))
    for short, long in _SPELT_OUT:
        spelt = spelt.replace(short, long)
    words = re.findall(r"[a-z0-9]+", spelt.replace("'", ""))
    while len(words) > 1 and words[0] in word_set("articles"):
        words.pop(0)
    name = "_".join(words)
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME + 1].rpartition("_")[0] or name[:LONGEST_NAME]
    return name or "other"


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", plain(text))
    return "".join(c for c in folded if not unicodedata.combining(c))


def _key(label: str) -> _Key:
    words = words_of(label)
    negations = word_set("negations")
    turning = {"not" for word in words if word in negations}
    turning |= {word for word in words if word in word_set("degrees")}
    turning |= {word for word in words if any(character.isdigit() for character in word)}
    content = lemmas(label) - word_set("not_in_slot_names") - negations
    return content, frozenset(turning)


def _likeness(a: _Key, b: _Key) -> float:
    return overlap(a[0], b[0]) if a[1] == b[1] and a[0] and b[0] else 0.0


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(
        f"{name[:56]}_{n}" for n in range(2, len(taken) + 3) if f"{name[:56]}_{n}" not in taken
    )


def _description(label: str, node_type: str) -> str:
    return f"{label} ({node_type.replace('_', ' ')})"


RULES = {SLOT_PROPOSAL.name: propose_slots}

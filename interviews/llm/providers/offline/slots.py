"""Name canonical slots from the lemmas of labels, the same for labels that say the same."""

from __future__ import annotations

import re
import unicodedata

from graphs.language.lemmas import table_lemma
from interviews.llm.providers.offline.lexicon import lemmas, overlap, plain, word_set, words_of
from interviews.llm.tasks.slot_proposal import (
    SLOT_PROPOSAL,
    SlotProposal,
    SlotProposalInputs,
    SlotProposalOutput,
)

SAME_SLOT = 0.6
"""From this Jaccard overlap of content lemmas on, two labels share a slot."""

LONGEST_NAME = 4


def propose_slots(inputs: SlotProposalInputs) -> SlotProposalOutput:
    """Propose one slot a concept: a known one, that of a like concept, or a new name."""
    groups = [
        (slot.name, _key(slot.name.replace("_", " ")), slot.description)
        for slot in inputs.existing_slots
    ]
    proposals = []
    for node in inputs.nodes:
        key = _key(node.label)
        scored = [(_likeness(key, other), -i) for i, (_, other, _) in enumerate(groups)]
        score, position = max(scored, default=(0.0, 0))
        if score >= SAME_SLOT:
            name, _, description = groups[-position]
        else:
            name = _free_name(slot_name(node.label), {group[0] for group in groups})
            description = _description(node.label, inputs.node_type)
            groups.append((name, key, description))
        proposals.append(
            SlotProposal(
                node_id=node.node_id,
                slot_name=name,
                description=description or name.replace("_", " "),
            )
        )
    return SlotProposalOutput(proposals=tuple(proposals))


def slot_name(label: str) -> str:
    """Return a snake_case name of one to four lemmas; negations and degrees are part of it."""
    parts: list[str] = []
    for word in words_of(_ascii(label)):
        if word in word_set("negations"):
            parts.append("not")
        elif word not in word_set("not_in_slot_names"):
            parts.append(re.sub(r"[^a-z0-9]", "", table_lemma(word.removesuffix("'s"))))
    parts = [p for p in parts if p]
    if not parts:
        parts = [re.sub(r"[^a-z0-9]", "", w) for w in words_of(_ascii(label))]
    name = "_".join([p for p in parts if p][:LONGEST_NAME])[:60].strip("_")
    return name or "other"


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", plain(text))
    return "".join(c for c in folded if not unicodedata.combining(c))


def _key(label: str) -> tuple[frozenset[str], frozenset[str]]:
    """The content lemmas of a label, and the words that turn its meaning round."""
    words = words_of(label)
    negations = word_set("negations")
    turning = {"not" for word in words if word in negations}
    turning |= {word for word in words if word in word_set("degrees")}
    turning |= {word for word in words if any(character.isdigit() for character in word)}
    content = lemmas(label) - word_set("not_in_slot_names") - negations
    return content, frozenset(turning)


def _likeness(
    a: tuple[frozenset[str], frozenset[str]], b: tuple[frozenset[str], frozenset[str]]
) -> float:
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

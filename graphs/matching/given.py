"""What an answer itself says of its labels: those that it relates are two, those of one quote one.

It is known before any word is compared, and stronger than what comparing them would give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The ends of an answer's relations, of which no two may become one node.

    Labels go by their place in the answer: `labels` holds the places that each is related to,
    `nodes` the ids of the nodes of earlier turns.
    """

    labels: Mapping[int, frozenset[int]] = field(default_factory=dict)
    nodes: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def related(self, place: int) -> frozenset[int]:
        """The places of the labels that this one is related to."""
        return self.labels.get(place, frozenset())

    def barred(self, place: int, exact: Mapping[int, str]) -> frozenset[str]:
        """The nodes that a label is not; `exact` are those that labels are by their very words.

        Such a label cannot give way to one that merely resembles its node.
        """
        taken = {exact[other] for other in self.related(place) if other in exact}
        return self.nodes.get(place, frozenset()) | taken


NOTHING_GIVEN = Given()

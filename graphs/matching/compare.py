"""Two labels side by side: what they share, and what forbids taking them for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graphs.matching.analysis import Analysis, Unit
from graphs.matching.lexicon import Lexicon
from graphs.matching.words import close_spelling

Relation = Literal["same", "opposite", "none"]
AGREEMENT = 0.75
"""Jaccard index from which two readings say the same."""
Veto = Literal["polarity", "number", "name", "contrast", "order", "stance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The best alignment of two labels' units: shared ones, and what is left on either side."""

    shared: float
    left: tuple[Unit, ...]
    right: tuple[Unit, ...]

    @property
    def jaccard(self) -> float:
        """Weight shared ÷ weight of all units, in [0, 1]; 0 without any."""
        total = self.shared + sum(unit.weight for unit in (*self.left, *self.right))
        return self.shared / total if total else 0.0


def relation(one: Unit, other: Unit, lexicon: Lexicon) -> Relation:
    """How two units stand to each other.

    "same": a shared word, root or group, or the same pole of an opposition, and the same sign.
    "opposite": the same with contradicting signs, or opposite poles with the same sign. Where an
    opposition is binary, the negated one pole is the other pole ("not expensive", "cheap").
    """
    if one.keys & other.keys or _misspelt(one, other):
        return _by_sign(one, other)
    found: Relation = "none"
    for key, side in one.poles.items():
        against = other.poles.get(key)
        if against is None:
            continue
        if side == against:
            return _by_sign(one, other)
        if one.negative == other.negative:
            found = "opposite"
        elif key in lexicon.binary:
            return "same"
    return found


def _by_sign(one: Unit, other: Unit) -> Relation:
    if one.negative and other.negative:
        return "same" if abs(one.sign - other.sign) <= 1 else "none"
    if one.negative == other.negative:
        return "same"
    negated = one if one.negative else other
    return "opposite" if negated.firm else "same"


def _misspelt(one: Unit, other: Unit) -> bool:
    return (one.name or other.name) and close_spelling(one.text, other.text)


def may_agree(one: Analysis, other: Analysis, jaccard: float) -> bool:
    """Whether the overlap can reach `jaccard`: a cheap bound, for scanning many labels.

    A unit can only be shared if the other label has one of its keys or oppositions somewhere, or
    if a misspelt name may hide it.
    """
    terms, names = other.terms, bool(other.names)
    for reading in one.readings:
        found = sum(
            unit.weight
            for unit in reading.units
            if names or unit.name or not terms.isdisjoint(unit.terms)
        )
        if found >= jaccard * sum(unit.weight for unit in reading.units) - 1e-9:
            return True
    return False


def overlap(one: Analysis, other: Analysis, lexicon: Lexicon) -> Overlap:
    """Align the units of two labels, over all readings of both, for the highest Jaccard."""
    best: Overlap | None = None
    for left in one.readings:
        for right in other.readings:
            found = _align(left.units, right.units, lexicon)
            if best is None or found.jaccard > best.jaccard:
                best = found
    return best or Overlap(shared=0, left=(), right=())


def _align(left: Sequence[Unit], right: Sequence[Unit], lexicon: Lexicon) -> Overlap:
    rest = list(right)
    pairs: list[tuple[Unit, Unit]] = []
    unmatched: list[Unit] = []
    for unit in left:
        partner = next((u for u in rest if _alike(unit, u, lexicon)), None)
        if partner is None:
            unmatched.append(unit)
        else:
            rest.remove(partner)
            pairs.append((unit, partner))
    # A unit said twice over ("calm and relaxed") is no further content.
    extra_left = [u for u in unmatched if not any(_alike(u, p[1], lexicon) for p in pairs)]
    extra_right = [u for u in rest if not any(_alike(p[0], u, lexicon) for p in pairs)]
    return Overlap(
        shared=sum(max(a.weight, b.weight) for a, b in pairs),
        left=tuple(extra_left),
        right=tuple(extra_right),
    )


def _alike(one: Unit, other: Unit, lexicon: Lexicon) -> bool:
    return one.side == other.side and relation(one, other, lexicon) == "same"


def veto(one: Analysis, other: Analysis, lexicon: Lexicon) -> Veto | None:
    """Return what forbids merging two labels whatever their similarity, or None."""
    if _numbers_differ(one, other):
        return "number"
    if _names_differ(one, other):
        return "name"
    if _reversed(one, other, lexicon):
        return "order"
    if _opposed(one, other, lexicon):
        return "polarity"
    if _excluded(one, other):
        return "contrast"
    return None


def _numbers_differ(one: Analysis, other: Analysis) -> bool:
    if one.codes and other.codes and one.codes != other.codes:
        return True
    return bool(one.numbers and other.numbers) and one.numbers != other.numbers


def _names_differ(one: Analysis, other: Analysis) -> bool:
    if not one.names or not other.names or one.names & other.names:
        return False
    return not any(close_spelling(a, b) for a in one.names for b in other.names)


def _excluded(one: Analysis, other: Analysis) -> bool:
    shared = one.members.keys() & other.members.keys()
    return any(not one.members[key] & other.members[key] for key in shared)


def _reversed(one: Analysis, other: Analysis, lexicon: Lexicon) -> bool:
    """Whether the parts are exchanged: "tea over coffee", "help others" and "others help me"."""
    for done, felt in ((one.verb, other.undergone), (other.verb, one.undergone)):
        if done is not None and done == felt:
            return True
    if not (one.compares and other.compares):
        return False
    left, right = one.readings[0].units, other.readings[0].units
    return any(
        a.side != b.side and relation(a, b, lexicon) == "same" for a in left for b in right
    ) and not any(
        a.side == b.side and relation(a, b, lexicon) == "same" for a in left for b in right
    )


def _opposed(one: Analysis, other: Analysis, lexicon: Lexicon) -> bool:
    """Whether some reading shows a contradiction and none shows agreement.

    A phrase may hide an opposition ("good for the environment", "bad for …") or undo one.
    """
    contradiction = False
    for left in one.readings:
        for right in other.readings:
            if _contradict(left.units, right.units, lexicon):
                contradiction = True
            elif _align(left.units, right.units, lexicon).jaccard >= AGREEMENT:
                return False
    return contradiction


def _contradict(left: Sequence[Unit], right: Sequence[Unit], lexicon: Lexicon) -> bool:
    """A unit is the opposite of one on the other side and the same as none there."""
    relations = {
        (i, j): relation(a, b, lexicon) for i, a in enumerate(left) for j, b in enumerate(right)
    }
    for (i, j), found in relations.items():
        if found != "opposite":
            continue
        in_row = any(relations[i, other] == "same" for other in range(len(right)))
        in_column = any(relations[other, j] == "same" for other in range(len(left)))
        if not in_row and not in_column:
            return True
    return False

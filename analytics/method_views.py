"""A methodology's own view of an interview, beside the ladder. Pure.

A view belongs to the types that it is about: a methodology whose ontology has them gets it, whoever
wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphs.ontology import Ontology


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A concept as views place it; `order` is where it was first said, rising."""

    id: str
    label: str
    kind: str
    turn: int
    order: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of the interview's graph, by the ids of its ends."""

    source: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What stands in one place of a table: concepts, and a rating where there is one."""

    concepts: tuple[Said, ...] = ()
    rating: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of a view: the head of the first column and the others', and named rows."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, tuple[Cell, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodView:
    """What a methodology looks for, laid out as it thinks of it."""

    title: str
    grids: tuple[Grid, ...]


class Graph:
    """The concepts of an interview and their links, as views ask for them."""

    def __init__(self, concepts: Iterable[Said], links: Iterable[Link]) -> None:
        self._concepts = sorted(concepts, key=lambda one: one.order)
        self._by_id = {one.id: one for one in self._concepts}
        self.links = [k for k in links if k.source in self._by_id and k.target in self._by_id]

    def of(self, *kinds: str) -> list[Said]:
        """Concepts of these types, in the order in which they were said."""
        return [one for one in self._concepts if one.kind in kinds]

    def named(self, concept_id: str) -> Said:
        """One concept."""
        return self._by_id[concept_id]

    def ahead(self, start: Said, *kinds: str) -> list[Said]:
        """Concepts that links of these types (of any where none is named) lead to, each once."""
        return self._walk([start.id], lambda link: link.source, lambda link: link.target, kinds)

    def behind(self, start: Said, *kinds: str) -> list[Said]:
        """Concepts that lead to one, each once."""
        return self._walk([start.id], lambda link: link.target, lambda link: link.source, kinds)

    def beside(self, start: Said, *kinds: str) -> list[Said]:
        """Concepts that one is linked with directly, either way, in the order of the links."""
        found: dict[str, None] = {}
        for link in self.links:
            if kinds and link.kind not in kinds:
                continue
            if link.source == start.id:
                found[link.target] = None
            elif link.target == start.id:
                found[link.source] = None
        return [self._by_id[one] for one in found]

    def _walk(
        self,
        starts: Sequence[str],
        near: Callable[[Link], str],
        far: Callable[[Link], str],
        kinds: Sequence[str],
    ) -> list[Said]:
        seen, edge = set(starts), list(starts)
        while edge:
            here = edge.pop()
            for link in self.links:
                fits = near(link) == here and (not kinds or link.kind in kinds)
                if fits and far(link) not in seen:
                    seen.add(far(link))
                    edge.append(far(link))
        return [one for one in self._concepts if one.id in seen - set(starts)]


def method_view(
    ontology: Ontology, concepts: Iterable[Said], links: Iterable[Link]
) -> MethodView | None:
    """The view of the first kind whose types the ontology has, None where there is none."""
    known = {one.name for one in ontology.node_types}
    for needs, make in _VIEWS:
        if needs <= known:
            return make(Graph(concepts, links))
    return None


def _cell(*concepts: Said) -> Cell:
    return Cell(concepts=tuple(concepts))


def _named(text: str) -> Cell:
    return Cell(rating=text)


# --- jobs to be done ----------------------------------------------------------------------------


def _jobs(graph: Graph) -> MethodView:
    blocked = {
        link.source
        for link in graph.links
        if link.kind == "blocks" and graph.named(link.source).kind != "current_solution"
    }
    pains = graph.of("pain_point")
    fears = [one for one in graph.of("pain_point", "emotional_job") if one.id in blocked]
    pushes = [one for one in (*graph.of("job_trigger"), *pains) if one not in fears]
    forces = (
        ("Push of the situation", pushes),
        ("Pull of what is hoped for", graph.of("desired_outcome")),
        ("Anxiety and hindrance", fears),
        ("Habit: what is used now", graph.of("current_solution")),
    )
    return MethodView(
        title="Jobs to be done",
        grids=(
            Grid(
                title="Forces",
                note=(
                    "Push and pull speak for a change, anxiety and habit against it. What is said "
                    "to block something counts as a hindrance."
                ),
                columns=("force", "in the respondent’s words"),
                rows=tuple((_named(name), (_cell(*found),)) for name, found in forces),
            ),
            Grid(
                title="Timeline",
                note=(
                    "Occasions and solutions; one that replaced another comes after it, the rest "
                    "stand in the order in which they were told."
                ),
                columns=("event", "led to the job", "served"),
                rows=tuple(
                    (
                        _cell(one),
                        (
                            _cell(*_kinds(graph.ahead(one), "functional_job", "pain_point")),
                            _cell(*_kinds(graph.ahead(one), "emotional_job", "social_job")),
                        ),
                    )
                    for one in _in_order(
                        graph.of("job_trigger", "current_solution"),
                        [
                            (link.target, link.source)
                            for link in graph.links
                            if link.kind == "replaces"
                        ],
                    )
                ),
            ),
        ),
    )


def _kinds(concepts: Iterable[Said], *kinds: str) -> Iterator[Said]:
    return (one for one in concepts if one.kind in kinds)


def _in_order(concepts: Sequence[Said], pairs: Iterable[tuple[str, str]]) -> list[Said]:
    """In the order told, but of each pair (earlier, later) the earlier first; a circle is cut."""
    ids = {one.id for one in concepts}
    waits: dict[str, set[str]] = {one.id: set() for one in concepts}
    for earlier, later in pairs:
        if earlier in ids and later in ids and earlier != later:
            waits[later].add(earlier)
    left, done = list(concepts), list[Said]()
    while left:
        placed = {one.id for one in done}
        found = next((one for one in left if waits[one.id] <= placed), left[0])
        left.remove(found)
        done.append(found)
    return done


# --- critical incidents -------------------------------------------------------------------------

_INCIDENT = ("contributing_factor", "action", "outcome", "personal_meaning", "learned_principle")


def _incidents(graph: Graph) -> MethodView:
    rows = []
    told: set[str] = set()
    for situation in graph.of("situation"):
        near = [*graph.behind(situation, "led_to"), *graph.ahead(situation)]
        causes = [
            one
            for act in _kinds(near, "action", "outcome")
            for one in graph.beside(act, "led_to", "hindered")
            if one.kind == "contributing_factor"
        ]
        found = list(dict.fromkeys((*near, *causes)))
        told |= {one.id for one in found}
        rows.append((_cell(situation), tuple(_cell(*_kinds(found, kind)) for kind in _INCIDENT)))
    loose = [one for one in graph.of(*_INCIDENT) if one.id not in told]
    if loose:
        rows.append(
            (
                _named("not tied to a situation"),
                tuple(_cell(*_kinds(loose, kind)) for kind in _INCIDENT),
            )
        )
    return MethodView(
        title="Critical incidents",
        grids=(
            Grid(
                title="Cause, act, outcome",
                note="A row a situation, with what its links lead to; a concept may serve several.",
                columns=("situation", "cause", "act", "outcome", "what it meant", "what it taught"),
                rows=tuple(rows),
            ),
        ),
    )


# --- customer journey ---------------------------------------------------------------------------


def _journey(graph: Graph) -> MethodView:
    stages = _in_order(
        graph.of("trigger", "touchpoint", "step"),
        [
            (link.source, link.target)
            for link in graph.links
            if link.kind in ("followed_by", "hands_over_to")
        ],
    )
    felt = ("experienced_as", "blocks", "answered_by")
    rows = []
    told: set[str] = set()
    for stage in stages:
        near = graph.beside(stage, *felt)
        needs = [
            need
            for one in (stage, *_kinds(near, "pain", "delight"))
            for need in graph.beside(one, "touches", "shapes")
            if need.kind in ("underlying_need", "relationship")
        ]
        told |= {one.id for one in (*near, *needs)}
        rows.append(
            (
                _cell(stage),
                (
                    _cell(*_kinds(near, "pain")),
                    _cell(*_kinds(near, "delight")),
                    _cell(*dict.fromkeys(needs)),
                ),
            )
        )
    loose = [
        one
        for one in graph.of("pain", "delight", "underlying_need", "relationship")
        if one.id not in told
    ]
    if loose:
        rows.append(
            (
                _named("not tied to a stage"),
                (
                    _cell(*_kinds(loose, "pain")),
                    _cell(*_kinds(loose, "delight")),
                    _cell(*_kinds(loose, "underlying_need", "relationship")),
                ),
            )
        )
    return MethodView(
        title="Customer journey",
        grids=(
            Grid(
                title="Stages and feelings",
                note=(
                    "Stages in the order in which one followed another, else in the order in "
                    "which they were told."
                ),
                columns=("stage", "pain", "delight", "need and relationship"),
                rows=tuple(rows),
            ),
        ),
    )


# --- repertory grid -----------------------------------------------------------------------------

_HERE, _BETWEEN, _OPPOSITE = "1", "3", "5"


def _repertory(graph: Graph) -> MethodView:
    elements = graph.of("element")
    rows = []
    for pole, opposite in _constructs(graph):
        cells = tuple(_cell_rated(graph, element, pole, opposite) for element in elements)
        both = _cell(pole, opposite) if opposite else _cell(pole)
        rows.append((both, cells))
    return MethodView(
        title="Repertory grid",
        grids=(
            Grid(
                title="Constructs and elements",
                note=(
                    "1: the element has the first pole, 5: it has the second or is told apart "
                    "from the first, 3: both were said of it, empty: neither was. Read off the "
                    "links between elements, signs and poles; nobody was asked for a number."
                ),
                columns=("construct", *(one.label for one in elements)),
                rows=tuple(rows),
            ),
        ),
    )


def _constructs(graph: Graph) -> Iterator[tuple[Said, Said | None]]:
    """Each pole with its opposite, each once, in the order in which they were said."""
    paired: set[str] = set()
    for pole in graph.of("construct_pole"):
        if pole.id in paired:
            continue
        others = graph.beside(pole, "opposite_of")
        opposite = next(
            (one for one in others if one.kind == "construct_pole" and one.id not in paired), None
        )
        paired |= {pole.id, opposite.id} if opposite else {pole.id}
        yield pole, opposite


def _cell_rated(graph: Graph, element: Said, pole: Said, opposite: Said | None) -> Cell:
    has = {one.id for one in graph.ahead(element, "characterised_by")}
    differs = {one.id for one in graph.beside(element, "differs_from")}
    first = pole.id in has or (opposite is not None and opposite.id in differs)
    second = pole.id in differs or (opposite is not None and opposite.id in has)
    if first and second:
        return Cell(rating=_BETWEEN)
    return Cell(rating=_HERE if first else _OPPOSITE if second else "")


_VIEWS: tuple[tuple[frozenset[str], Callable[[Graph], MethodView]], ...] = (
    (frozenset({"job_trigger", "current_solution", "pain_point", "desired_outcome"}), _jobs),
    (frozenset({"situation", "contributing_factor", "action", "outcome"}), _incidents),
    (frozenset({"touchpoint", "step", "pain", "delight"}), _journey),
    (frozenset({"element", "construct_pole"}), _repertory),
)

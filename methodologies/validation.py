"""What a single field of a document cannot know: names that must fit together.

A methodology that passes here can be run: every signal and qualifier is known, every strategy can
be scored, every phase names strategies, an interview can begin on an empty graph and can close.
"""

from __future__ import annotations

import difflib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphs.ontology import REVISES, Ontology
from methodologies.evaluative import misfits
from methodologies.gates import SUITS
from methodologies.qualifiers import (
    UnknownSignalError,
    WeightKey,
    parse_key,
    qualifiers_of,
    takes_plain_weight,
)
from methodologies.schema import (
    ConceptElement,
    ConceptSchema,
    GuideSchema,
    MethodologySchema,
    PersonaSchema,
    Stimulus,
    StrategySpec,
    StrictModel,
)
from methodologies.signals.base import SignalError, load_signals, plan_signals
from methodologies.yaml_tree import Path, Severity

MAX_WEIGHT = 1000.0
MIN_PHASE_WEIGHT = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong at `path`; `at_key` where the key is meant rather than its value.

    `name` is the name that was not found, where the finding is about one.
    """

    path: Path
    message: str
    severity: Severity = "error"
    at_key: bool = False
    name: str = ""


def nearest(name: str, options: Iterable[str]) -> str:
    """Return `; did you mean "…"?` for the option most like `name`, or nothing."""
    found = difflib.get_close_matches(name[:100], list(options), n=1, cutoff=0.6)
    return f'; did you mean "{found[0]}"?' if found else ""


def check(document: StrictModel) -> Iterator[Finding]:
    """Every finding about a document of any kind."""
    if isinstance(document, MethodologySchema):
        yield from check_methodology(document)
    elif isinstance(document, ConceptSchema):
        yield from check_concept(document)
    elif isinstance(document, PersonaSchema):
        yield from check_persona(document)
    elif isinstance(document, GuideSchema):
        yield from check_guide(document)


def check_methodology(methodology: MethodologySchema) -> Iterator[Finding]:
    """Every finding about a methodology; without errors among them it can be run."""
    ontology = methodology.ontology
    yield from _unique((n.name for n in ontology.nodes), ("ontology", "nodes"), "node type")
    yield from _unique((e.name for e in ontology.edges), ("ontology", "edges"), "edge type")
    yield from _unique((s.name for s in methodology.strategies), ("strategies",), "strategy")
    unknown_types = list(_connections(methodology))
    yield from unknown_types
    yield from _relationship_examples(methodology)
    if not unknown_types:
        yield from _ladder(methodology.graph_ontology)
    yield from _signal_list(methodology)
    for i, strategy in enumerate(methodology.strategies):
        yield from _weights(methodology, strategy, ("strategies", i))
        yield from _conditions(methodology, strategy, ("strategies", i))
    yield from _phases(methodology)
    yield from _necessary_strategies(methodology)
    yield from _evaluative(methodology)


def _evaluative(methodology: MethodologySchema) -> Iterator[Finding]:
    """Tactics twice, and gaps and node types that tactics fit and nobody knows."""
    if methodology.evaluative is None:
        return
    types = tuple(node.name for node in methodology.ontology.nodes)
    for misfit in misfits(methodology.evaluative, types):
        hint = nearest(misfit.name, misfit.options) if misfit.name else ""
        yield Finding(
            path=("evaluative", *misfit.path), message=misfit.message + hint, name=misfit.name
        )


def check_concept(concept: ConceptSchema) -> Iterator[Finding]:
    """Every finding about a concept."""
    ids = [element.id for element in concept.elements]
    yield from _unique(ids, ("elements",), "element", field="id")
    for i, element in enumerate(concept.elements):
        yield from _requirements(element, ids, ("elements", i, "connects_to"))
    if concept.stimulus is not None:
        yield from _stimulus(concept.stimulus)


def _requirements(element: ConceptElement, ids: Sequence[str], path: Path) -> Iterator[Finding]:
    """What is wrong with the elements that one is to be connected with."""
    for i, other in enumerate(element.connects_to):
        if other == element.id:
            yield Finding(
                path=(*path, i),
                message=f'element "{other}" cannot connect to itself; name another element',
            )
        elif other in element.connects_to[:i]:
            yield Finding(
                path=(*path, i),
                message=f'element "{other}" is there already; expected each id once',
            )
        elif other not in ids:
            options = [id_ for id_ in dict.fromkeys(ids) if id_ != element.id]
            yield _unknown("element", other, options, (*path, i))


def _stimulus(stimulus: Stimulus) -> Iterator[Finding]:
    if stimulus.image is None and not stimulus.text:
        yield Finding(
            path=("stimulus",), message="nothing to show; expected text, an image or both"
        )
    if stimulus.image is not None and not stimulus.image_alt:
        yield Finding(
            path=("stimulus", "image"),
            message="image without a description; expected image_alt, which says in words what "
            "it shows",
        )


def check_persona(persona: PersonaSchema) -> Iterator[Finding]:
    """Every finding about a persona."""
    least, most = persona.traits.statements_per_answer
    if least > most:
        yield Finding(
            path=("traits", "statements_per_answer"),
            message=f"found {least} to {most}, expected the smaller number first",
        )


def check_guide(guide: GuideSchema) -> Iterator[Finding]:
    """Every finding about a guide: topics and a topic's sub-goals are there once each."""
    yield from _unique((topic.id for topic in guide.topics), ("topics",), "topic", field="id")
    for i, topic in enumerate(guide.topics):
        for j, goal in enumerate(topic.sub_goals):
            if goal in topic.sub_goals[:j]:
                yield Finding(
                    path=("topics", i, "sub_goals", j),
                    message=f'sub-goal "{goal}" is there already; expected each once',
                )


def _unique(names: Iterable[str], path: Path, kind: str, field: str = "name") -> Iterator[Finding]:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            yield Finding(
                path=(*path, i, field),
                message=f'{kind} "{name}" is there already; expected each {field} once',
            )
        seen.add(name)


# -- ontology --------------------------------------------------------------------------------------
def _connections(methodology: MethodologySchema) -> Iterator[Finding]:
    types = [node.name for node in methodology.ontology.nodes]
    for i, edge in enumerate(methodology.ontology.edges):
        for j, pair in enumerate(edge.permitted_connections):
            for k, name in enumerate(pair):
                if name not in types:
                    path = ("ontology", "edges", i, "permitted_connections", j, k)
                    yield _unknown("node type", name, types, path)


def _relationship_examples(methodology: MethodologySchema) -> Iterator[Finding]:
    ontology = methodology.graph_ontology
    edge_types = sorted({*ontology.edges_by_name, REVISES})
    node_types = list(ontology.nodes_by_name)
    for i, example in enumerate(methodology.ontology.relationship_examples):
        path: Path = ("ontology", "relationship_examples", i)
        known = True
        for field, kind, options in (
            ("edge_type", "edge type", edge_types),
            ("source_type", "node type", node_types),
            ("target_type", "node type", node_types),
        ):
            name = getattr(example, field)
            if name not in options:
                known = False
                yield _unknown(kind, name, options, (*path, field))
        edge, source, target = example.edge_type, example.source_type, example.target_type
        if known and not ontology.permits(edge, source, target):
            yield Finding(
                path=(*path, "edge_type"),
                message=f"{edge} from {source} to {target} is not among permitted_connections",
            )


def _ladder(ontology: Ontology) -> Iterator[Finding]:
    """Terminals must be reachable from the lowest level, or chains can never be complete."""
    if not ontology.terminal_types:
        return
    if not ontology.levels:
        message = "there are terminal node types but no levels: no chain will count as complete"
        yield Finding(path=("ontology", "nodes"), message=message, severity="warning")
        return
    reached = _reachable_types(ontology)
    terminals = [(i, t) for i, t in enumerate(ontology.node_types) if t.terminal]
    for i, terminal in terminals:
        lowest = ontology.levels[0]
        if len(ontology.levels) > 1 and terminal.level is not None and terminal.level <= lowest:
            yield Finding(
                path=("ontology", "nodes", i, "level"),
                message=f"terminal node type {terminal.name} is at level {lowest}, where chains "
                "begin; expected a higher level",
            )
        if terminal.name not in reached:
            only = not any(t.name in reached for _, t in terminals)
            yield Finding(
                path=("ontology", "nodes", i, "terminal"),
                message=f"no permitted chain leads from level {lowest} to terminal node type "
                f"{terminal.name}",
                severity="error" if only else "warning",
            )


def _reachable_types(ontology: Ontology) -> set[str]:
    """Node types at the end of one or more chain edges from an entry type."""
    steps = {
        pair
        for edge in ontology.edge_types
        if edge.name in ontology.chain_edge_types
        for pair in edge.permitted
    }
    reached: set[str] = set()
    frontier = set(ontology.entry_types)
    while frontier:
        frontier = {target for source, target in steps if source in frontier} - reached
        reached |= frontier
    return reached


# -- signals and strategies ------------------------------------------------------------------------
def _signal_list(methodology: MethodologySchema) -> Iterator[Finding]:
    registry = load_signals()
    known = []
    for group, names in methodology.signals.items():
        for i, name in enumerate(names):
            if registry.expand(name):
                known.append(name)
            else:
                yield _unknown("signal", name, registry.names, ("signals", group, i))
    try:
        plan_signals(tuple(known))
    except SignalError as error:
        yield Finding(path=("signals",), message=str(error), at_key=True)


def _listed(methodology: MethodologySchema) -> frozenset[str]:
    registry = load_signals()
    names = (name for group in methodology.signals.values() for name in group)
    return frozenset(member for name in names for member in registry.expand(name))


def _weights(
    methodology: MethodologySchema, strategy: StrategySpec, path: Path
) -> Iterator[Finding]:
    for text, weight in strategy.signal_weights.items():
        at = (*path, "signal_weights", text)
        if abs(weight) > MAX_WEIGHT:
            message = f"found {weight:g}, expected a weight from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}"
            yield Finding(path=at, message=message)
        key = yield from _key(methodology, text, at)
        if key is None:
            continue
        if key.qualifier is None and not takes_plain_weight(key.spec):
            options = qualifiers_of(key.spec, methodology.graph_ontology)
            nature = "has no upper limit" if key.spec.kind == "count" else "is a category"
            yield Finding(
                path=at,
                message=f"{text} {nature} and cannot be weighed as it is; "
                f"expected a qualifier: {_either(f'{text}.{option}' for option in options)}",
                at_key=True,
            )
        if key.spec.node_scoped and strategy.node_binding == "none":
            yield Finding(
                path=at,
                message=f"{text} belongs to a node and strategy {strategy.name} has none "
                "(node_binding: none): this weight never acts",
                severity="warning",
                at_key=True,
            )
        if key.spec.needs_terminal and not methodology.graph_ontology.terminal_types:
            yield _without_terminal(text, at, "this weight never acts", "warning")
        if why := _shut_out(key, strategy):
            yield Finding(
                path=at,
                message=f"{text} never acts: {why}",
                severity="warning",
                at_key=True,
            )


def _shut_out(key: WeightKey, strategy: StrategySpec) -> str:
    """Why the strategy cannot be chosen where this weight would act, "" where it can."""
    qualifier = _asked(key)
    for text, expected in strategy.valid_when.items():
        try:
            condition = parse_key(text)
        except UnknownSignalError:
            continue
        if condition.spec.name == key.spec.name and qualifier is not None:
            met = _asked(condition) == qualifier
            exclusive = key.spec.kind != "count" and not key.spec.ordinal
            if met is not expected and (met or exclusive):
                return f"valid_when wants {text} to be {str(expected).lower()}"
    for field, signal in SUITS.items():
        suited = [str(value) for value in getattr(strategy.suits, field)]
        if suited and key.spec.name == signal and qualifier not in (None, *suited):
            return f"the strategy suits {field} {_either(suited)} only"
    return ""


def _asked(key: WeightKey) -> str | None:
    """The qualifier of a key; a plain condition on what is true or false asks for true."""
    return "true" if key.qualifier is None and key.spec.kind == "bool" else key.qualifier


def _conditions(
    methodology: MethodologySchema, strategy: StrategySpec, path: Path
) -> Iterator[Finding]:
    for text in strategy.valid_when:
        at = (*path, "valid_when", text)
        key = yield from _key(methodology, text, at)
        if key is None:
            continue
        if key.qualifier is None and key.spec.kind != "bool":
            options = qualifiers_of(key.spec, methodology.graph_ontology)
            yield Finding(
                path=at,
                message=f"{text} is neither true nor false; expected a qualifier: "
                f"{_either(f'{text}.{option}' for option in options)}",
                at_key=True,
            )
        if key.spec.node_scoped and strategy.node_binding == "none":
            yield Finding(
                path=at,
                message=f"{text} belongs to a node and strategy {strategy.name} has none "
                "(node_binding: none): the condition never holds",
                at_key=True,
            )
        if key.spec.needs_terminal and not methodology.graph_ontology.terminal_types:
            yield _without_terminal(text, at, "the condition never holds", "error")


def _key(
    methodology: MethodologySchema, text: str, at: Path
) -> Generator[Finding, None, WeightKey | None]:
    """Parse a weight key; None where its signal or qualifier is unknown, which is then found."""
    registry, ontology = load_signals(), methodology.graph_ontology
    try:
        key = parse_key(text)
    except UnknownSignalError:
        if members := registry.expand(text):
            message = f"{text} is a group of signals; expected one of them: {_either(members)}"
            yield Finding(path=at, message=message, at_key=True)
        else:
            known = [f"{s.name}.{q}" for s in registry for q in qualifiers_of(s, ontology)]
            yield _unknown("signal", text, [*registry.names, *known], at, at_key=True)
        return None
    options = qualifiers_of(key.spec, ontology)
    if key.qualifier is not None and key.qualifier not in options:
        hint = nearest(key.qualifier, options) or f"; expected {_either(options)}"
        message = f'{key.spec.name} has no qualifier "{key.qualifier[:80]}"{hint}'
        yield Finding(path=at, message=message, at_key=True, name=key.qualifier)
        return None
    if key.spec.name not in _listed(methodology):
        message = f"signal {key.spec.name} is not listed under signals; expected it there"
        yield Finding(path=at, message=message, at_key=True, name=key.spec.name)
    return key


def _phases(methodology: MethodologySchema) -> Iterator[Finding]:
    known = list(methodology.strategies_by_name)
    for phase, settings in methodology.phases.items():
        for field in ("signal_weights", "phase_bonuses"):
            for name, number in getattr(settings, field).items():
                at = ("phases", phase, field, name)
                if name not in known:
                    yield _unknown("strategy", name, known, at, at_key=True)
                yield from _phase_number(number, at, is_weight=field == "signal_weights")
    boundaries = methodology.phase_boundaries
    if boundaries and boundaries.early_until >= boundaries.late_from:
        yield Finding(
            path=("phase_boundaries", "late_from"),
            message=f"found {boundaries.late_from}, expected a turn after early_until "
            f"({boundaries.early_until})",
        )


def _phase_number(number: float, at: Path, *, is_weight: bool) -> Iterator[Finding]:
    if is_weight and number and not MIN_PHASE_WEIGHT <= number <= MAX_WEIGHT:
        expected = f"0 or a weight from {MIN_PHASE_WEIGHT:g} to {MAX_WEIGHT:g}"
    elif abs(number) > MAX_WEIGHT:
        expected = f"a bonus from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}"
    else:
        return
    yield Finding(path=at, message=f"found {number:g}, expected {expected}")


def _necessary_strategies(methodology: MethodologySchema) -> Iterator[Finding]:
    openers = [
        s
        for s in methodology.strategies
        if s.node_binding == "none" and not s.generates_closing_question
    ]
    if not openers:
        yield Finding(
            path=("strategies",),
            message="no strategy can be asked on an empty graph; "
            "expected one with node_binding: none that does not close the interview",
            at_key=True,
        )
        return
    for phase, settings in methodology.phases.items():
        if all(settings.signal_weights.get(s.name, 1.0) == 0 for s in openers):
            yield Finding(
                path=("phases", phase, "signal_weights"),
                message=f"in phase {phase} weight 0 shuts out every strategy without a node; "
                "where there is no node to ask about, one of them will be taken nevertheless",
                severity="warning",
            )


# -- wording ---------------------------------------------------------------------------------------
def _unknown(
    kind: str, name: str, options: Sequence[str], path: Path, *, at_key: bool = False
) -> Finding:
    hint = nearest(name, options)
    if not hint and 0 < len(options) <= 12:
        hint = f"; expected {_either(options)}"
    shown = name if len(name) <= 80 else f"{name[:80]}…"
    return Finding(path=path, message=f'unknown {kind} "{shown}"{hint}', at_key=at_key, name=name)


def _without_terminal(text: str, at: Path, effect: str, severity: Severity) -> Finding:
    return Finding(
        path=at,
        message=f"{text} needs a terminal node type and the ontology declares none: {effect}",
        severity=severity,
        at_key=True,
    )


def _either(options: Iterable[str]) -> str:
    *rest, last = options
    return f"{', '.join(rest)} or {last}" if rest else last

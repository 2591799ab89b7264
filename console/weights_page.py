"""A methodology's weights as a grid: strategies across, signals down, phases below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.rights import Right
from console.views import ConsolePage, who
from interviews import audit
from methodologies import registry
from methodologies.models import Methodology, MethodologyVersion
from methodologies.qualifiers import qualifiers_of
from methodologies.reference import ANY_ONTOLOGY
from methodologies.registry import METHODOLOGY, methodology_of
from methodologies.round_trip import PHASES, with_weights
from methodologies.schema import MethodologySchema
from methodologies.signals.base import load_signals
from methodologies.signals.words import key_name
from methodologies.yaml_loader import DocumentInvalid

MOST = 5.0
STEP = 0.05
LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A field of the grid: its name in the form, whom it is of, and what stands in it."""

    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A weight key, or a phase, with a field a strategy."""

    key: str
    title: str
    places: Sequence[Place]


class WeightsPage(ConsolePage):
    """Shows the newest version's weights; a POST stores them as the next version."""

    template = "weights.html"
    reads = Right.LIBRARY
    writes = Right.LIBRARY

    def get(self, request: HttpRequest, document: int) -> HttpResponse:
        """The page; `?add=` puts a signal into the grid that no strategy weighs yet."""
        version = _newest(document)
        return self._page(request, version, added=request.GET.getlist("add"))

    def post(self, request: HttpRequest, document: int) -> HttpResponse:
        """Store the weights; where one is wrong nothing is stored, and what was typed stays."""
        version = _newest(document)
        typed = {name: str(value) for name, value in request.POST.items()}
        added = request.POST.getlist("row")
        schema = methodology_of(version)
        faults = _faults(schema, typed, added)
        if typed.get("base") != str(version.number):
            faults.append(
                f"Version {version.number} was saved while you were weighing. What you chose is "
                "still here; save again to go over it."
            )
        if not faults:
            try:
                return self._store(request, version, schema, typed, added)
            except DocumentInvalid as error:
                faults = [f"Line {p.line}: {p.message}" for p in error.problems]
        return self._page(request, version, typed=typed, added=added, faults=faults, status=422)

    def _store(
        self,
        request: HttpRequest,
        version: MethodologyVersion,
        schema: MethodologySchema,
        typed: Mapping[str, str],
        added: Sequence[str],
    ) -> HttpResponse:
        text = with_weights(version.text, _weights(schema, typed, added), _phases(schema, typed))
        stored = registry.publish(
            METHODOLOGY,
            text,
            author=request.user,  # type: ignore[arg-type]
            note=typed.get("note", "")[:LONGEST_NOTE] or "Weights",
        )
        if stored.pk == version.pk:
            messages.info(request, "Nothing changed: no new version was stored.")
        else:
            audit.record(audit.Action.PUBLISHED, stored, by=who(request))
            messages.success(request, f"Stored as version {stored.number}.")
        return redirect("admin:weights", version.document_id)

    def _page(
        self,
        request: HttpRequest,
        version: MethodologyVersion,
        *,
        typed: Mapping[str, str] | None = None,
        added: Sequence[str] = (),
        faults: Sequence[str] = (),
        status: int = 200,
    ) -> HttpResponse:
        schema = methodology_of(version)
        keys = _keys(schema, added)
        return self.shown(
            request,
            status,
            title=f"Weights of {version.document.name}",
            version=version,
            strategies=schema.strategies,
            rows=[_row(schema, key, typed) for key in keys],
            phases=[_phase_row(schema, phase, typed) for phase in PHASES],
            others=[key for key in _known_keys() if key not in keys],
            added=[key for key in added if key in keys],
            faults=faults,
            note=(typed or {}).get("note", ""),
            most=MOST,
            step=STEP,
        )


def _newest(document: int) -> MethodologyVersion:
    found = (
        MethodologyVersion.objects.filter(document=document)
        .select_related("document")
        .order_by("-number")
        .first()
    )
    if found is None or not Methodology.objects.filter(pk=document).exists():
        raise Http404("There is no such methodology.")
    return found


def _known_keys() -> list[str]:
    """Every weight key that does not hang on an ontology."""
    found = []
    for spec in load_signals():
        found.append(spec.name)
        found += [f"{spec.name}.{qualifier}" for qualifier in qualifiers_of(spec, ANY_ONTOLOGY)]
    return sorted(found)


def _keys(schema: MethodologySchema, added: Sequence[str]) -> list[str]:
    used = {key for strategy in schema.strategies for key in strategy.signal_weights}
    known = set(_known_keys())
    return sorted(used | {key for key in added if key in known})


def _field(strategy: str, key: str) -> str:
    return f"w:{strategy}:{key}"


def _row(schema: MethodologySchema, key: str, typed: Mapping[str, str] | None) -> GridRow:
    places = []
    for strategy in schema.strategies:
        name = _field(strategy.name, key)
        stored = strategy.signal_weights.get(key)
        value = typed.get(name, "") if typed is not None else _number(stored)
        places.append(Place(name=name, label=f"{key_name(key)} for {strategy.name}", value=value))
    return GridRow(key=key, title=key_name(key), places=places)


def _phase_row(schema: MethodologySchema, phase: str, typed: Mapping[str, str] | None) -> GridRow:
    spec = dict(schema.phases).get(phase)  # type: ignore[call-overload]
    places = []
    for strategy in schema.strategies:
        stored = (
            ("f", "times", spec.signal_weights.get(strategy.name, 1.0) if spec else 1.0),
            ("b", "plus", spec.phase_bonuses.get(strategy.name, 0.0) if spec else 0.0),
        )
        for short, word, number in stored:
            name = f"{short}:{phase}:{strategy.name}"
            value = typed.get(name, "") if typed is not None else _number(number)
            label = f"{word}, {strategy.name} in the {phase} phase"
            places.append(Place(name=name, label=label, value=value))
    return GridRow(key=phase, title=phase, places=places)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _read(text: str) -> float | None:
    """A number of the grid, None for an empty field. Raises ValueError."""
    plain = text.strip().replace(",", ".")
    if not plain:
        return None
    found = float(plain)
    if not math.isfinite(found) or abs(found) > 100:
        raise ValueError(text)
    return found


def _faults(schema: MethodologySchema, typed: Mapping[str, str], added: Sequence[str]) -> list[str]:
    faults = []
    for strategy in schema.strategies:
        fields = [_field(strategy.name, key) for key in _keys(schema, added)]
        fields += [f"{short}:{phase}:{strategy.name}" for phase in PHASES for short in "fb"]
        for name in fields:
            try:
                number = _read(typed.get(name, ""))
            except ValueError:
                where = name.partition(":")[2].replace(":", ", ")
                faults.append(f"{where}: {typed[name][:20]!r} is no number from -100 to 100.")
                continue
            if name.startswith("f:") and number is not None and number < 0:
                faults.append(f"{name[2:].replace(':', ', ')}: a factor is 0 or more.")
    return faults


def _weights(
    schema: MethodologySchema, typed: Mapping[str, str], added: Sequence[str]
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for strategy in schema.strategies:
        read = {key: _read(typed.get(_field(strategy.name, key), "")) for key in
                _keys(schema, added)}  # fmt: skip
        order = [*strategy.signal_weights, *(k for k in read if k not in strategy.signal_weights)]
        numbers = ((key, read.get(key)) for key in order)
        found[strategy.name] = {key: number for key, number in numbers if number is not None}
    return found


def _phases(
    schema: MethodologySchema, typed: Mapping[str, str]
) -> dict[str, dict[str, tuple[float, float]]]:
    def of(short: str, phase: str, strategy: str, silent: float) -> float:
        number = _read(typed.get(f"{short}:{phase}:{strategy}", ""))
        return silent if number is None else number

    return {
        phase: {s.name: (of("f", phase, s.name, 1.0), of("b", phase, s.name, 0.0)) for s in
                schema.strategies}
        for phase in PHASES
    }  # fmt: skip

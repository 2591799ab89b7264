"""Every mode of this installation, found by walking `interviews/modes` once."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, SerializeAsAny

from interviews import modes as package
from interviews.errors import PermanentPipelineError
from interviews.modes.base import Director, Mode, ModeStore, Need
from interviews.turns.evidence import Evidence, EvidenceOfMissingMode
from interviews.turns.state import ModeState, StoredModeState
from methodologies.schema import ConceptSchema

NOT_MODES = frozenset({"common"})
MOST_NAME = 12
"""Characters of a mode's name, as a study stores it."""


class ModeInvalid(Exception):
    """A package under `interviews/modes` that is no mode; names it and says what is missing."""


class ModeStateInvalid(PermanentPipelineError):
    """What is stored of a mode's state cannot be read; says whose it is, never what is in it."""


class ModeMissing(PermanentPipelineError, LookupError):
    """A stored name that belongs to no mode of this installation; says what to do."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is no mode {name!r} in this installation; there are: {', '.join(modes())}. "
            f"Install the package interviews/modes/{name} again to go on; what was said so far can "
            "be read and exported without it."
        )
        self.name = name


@cache
def modes() -> Mapping[str, Mode]:
    """Every mode by name, sorted.

    Raises ModeInvalid for a package without a valid `MODE`, or for two modes of one name.
    """
    found: dict[str, Mode] = {}
    homes: dict[str, str] = {}
    for entry in sorted(pkgutil.iter_modules(package.__path__), key=lambda entry: entry.name):
        if not entry.ispkg or entry.name in NOT_MODES:
            continue
        home = f"{package.__name__}.{entry.name}"
        mode = _checked(getattr(importlib.import_module(home), "MODE", None), home)
        if mode.name in found:
            raise ModeInvalid(
                f"{home} and {homes[mode.name]} are both the mode {mode.name!r}; rename one"
            )
        found[mode.name], homes[mode.name] = mode, home
    return found


def _checked(mode: object, home: str) -> Mode:
    """Return what a package exports as MODE, if it is complete."""
    if not isinstance(mode, Mode):
        raise ModeInvalid(f"{home} exports no MODE; it needs MODE = Mode(name=…, …)")
    wrong = (
        ("its name is not an identifier", not mode.name.isidentifier()),
        (f"its name has more than {MOST_NAME} characters", len(mode.name) > MOST_NAME),
        ("label is empty", not mode.label.strip()),
        ("purpose is empty", not mode.purpose.strip()),
        ("director is not callable", not callable(mode.director)),
        (
            "state is no subclass of ModeState",
            not _is_model(mode.state, ModeState),
        ),
        (
            "its state needs a default for every field",
            _is_model(mode.state, ModeState)
            and any(field.is_required() for field in mode.state.model_fields.values()),
        ),
        (
            f"evidence is no subclass of Evidence with mode: Literal[{mode.name!r}]",
            not _is_model(mode.evidence, Evidence)
            or get_args(mode.evidence.model_fields["mode"].annotation) != (mode.name,),
        ),
    )
    for what, is_wrong in wrong:
        if is_wrong:
            raise ModeInvalid(f"{home}: the mode {mode.name!r} is incomplete: {what}")
    return mode


def _is_model(found: object, base: type[BaseModel]) -> bool:
    return isinstance(found, type) and issubclass(found, base)


def mode_named(name: str) -> Mode:
    """Return a mode. Raises ModeMissing."""
    found = modes().get(name)
    if found is None:
        raise ModeMissing(name)
    return found


@cache
def director_of(name: str) -> Director:
    """The director that leads all interviews of a mode in this process. Raises ModeMissing."""
    return mode_named(name).director()


def missing_documents(
    name: str, *, methodology: bool, concept: bool, guide: bool = False
) -> dict[str, str]:
    """What a study of a mode lacks, by the kind of document, as a sentence that says what to do.

    `methodology`, `concept` and `guide` say what it has. Raises ModeMissing.
    """
    mode = mode_named(name)
    has = {"methodology": methodology, "concept": concept, "guide": guide}
    return {
        kind: f"The mode {mode.label} needs a {kind}: choose one."
        for kind in has
        if getattr(mode.needs, kind) is Need.REQUIRED and not has[kind]
    }


def unshown(name: str, concept: ConceptSchema) -> str:
    """What a concept lacks for a study of a mode, as a sentence that says what to do; often "".

    Raises ModeMissing.
    """
    mode = mode_named(name)
    if not mode.needs.stimulus or not concept.unshown:
        return ""
    return (
        f"The mode {mode.label} needs a concept with a stimulus and elements; "
        f'"{concept.id}" has no {" and no ".join(concept.unshown)}: add them, or choose another.'
    )


@cache
def store_of(name: str) -> ModeStore | None:
    """The store of a mode, one a process; None where it has none. Raises ModeMissing."""
    make = mode_named(name).store
    return make() if make else None


def label_of(name: str) -> str:
    """A mode's label for reading; its name where it is not there any more."""
    mode = modes().get(name)
    return mode.label if mode else name


def choices() -> list[tuple[str, str]]:
    """(name, label) of every mode, for forms."""
    return [(mode.name, mode.label) for mode in modes().values()]


def read_state(name: str, stored: StoredModeState | None) -> ModeState:
    """The state of a mode as its own model reads it; a new one where none is stored yet.

    Raises ModeMissing, or ModeStateInvalid where it is another mode's, or not known to
    its model.
    """
    model = mode_named(name).state
    if stored is None:
        return model()
    if stored.mode != name:
        mode_named(stored.mode)
        raise ModeStateInvalid(
            f"the stored state is of the mode {stored.mode!r}, and the study is {name!r} now; "
            f"set the study's mode back to {stored.mode!r} to go on with this interview"
        )
    try:
        data = stored.data
        if stored.version != model.VERSION:
            data = model.upgraded(stored.version, data)
        return model.model_validate(data)
    except ValueError as error:
        raise ModeStateInvalid(
            f"the stored state of the mode {name!r}, version {stored.version}, cannot be read by "
            f"{model.__name__}, version {model.VERSION}; install the version of the mode "
            "that wrote it, or give upgraded() a branch for it"
        ) from error


def stored_state(name: str, state: ModeState) -> StoredModeState:
    """A mode's state in the form that :func:`read_state` reads."""
    return StoredModeState(mode=name, version=state.VERSION, data=state.model_dump(mode="json"))


def read_evidence(data: Any) -> Evidence:
    """Stored evidence by its mode's own model; as it was written where that mode is missing.

    Raises pydantic.ValidationError where the model does not know it.
    """
    if isinstance(data, Evidence):
        return data
    mode = modes().get(str(data.get("mode", ""))) if isinstance(data, Mapping) else None
    model = mode.evidence if mode else EvidenceOfMissingMode
    return model.model_validate(data)


AnyEvidence = Annotated[SerializeAsAny[Evidence], BeforeValidator(read_evidence)]
"""A field of a Pydantic model that holds the evidence of whichever mode chose."""

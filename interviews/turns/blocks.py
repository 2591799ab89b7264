"""What stands beside a question: something to choose from, to fill in, to look at."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Block(BaseModel):
    """A question's block. `kind` names how it is shown (`choice`, `form`, `stimulus`, …).

    The other fields belong to the kind; they are JSON and travel as they are. A face that does not
    know a kind shows the question alone.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, JsonValue]

    kind: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,19}$")]

"""Stage 2.5: discourse relations and predicate frames as hints for the extraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from interviews.nlp import ParsedAnswer
from interviews.turns.context import TurnView
from interviews.turns.contracts import SrlPreprocessingOutput, UtteranceSavingOutput

SWITCHED_OFF = "switched off (enable_srl)"


class SRLPreprocessingStage:
    """Parses the answer; where parsing is off or not to be had, the interview goes on without."""

    name: ClassVar[str] = "srl_preprocessing"
    reads: ClassVar[tuple[type, ...]] = ()
    reads_answer: ClassVar[tuple[type, ...]] = (UtteranceSavingOutput,)
    gives: ClassVar[type] = SrlPreprocessingOutput
    directs: ClassVar[tuple[str, ...]] = ()
    opens: ClassVar[bool] = False

    def __init__(self, analyse: Callable[[str], ParsedAnswer]) -> None:
        self._analyse = analyse

    def run(self, context: TurnView) -> SrlPreprocessingOutput:
        if not context.session.enable_srl:
            return SrlPreprocessingOutput(note=SWITCHED_OFF)
        analysis = self._analyse(context.utterance.text)
        return SrlPreprocessingOutput(
            discourse_relations=tuple(analysis.relations),
            srl_frames=tuple(analysis.frames),
            approximate=analysis.approximate,
            note=analysis.note,
        )

"""The score of an answer, its band, and the sentence that is kept of it."""

from __future__ import annotations

import pytest

from interviews.modes.guided.signal import (
    LanguageUnknown,
    band_of,
    key_sentence,
    languages,
    signal_of,
)
from interviews.wording.languages import LANGUAGES

APPROVAL = (
    "It was a problem in March 2024 because the approval took three weeks and nobody told us."
)


@pytest.mark.parametrize(
    ("answer", "language", "score", "band"),
    [
        ("Yes, sure.", "en", 0.17, "LOW"),
        ("  yes, sure.\n", "en", 0.02, "LOW"),
        (APPROVAL, "en", 0.47, "MEDIUM"),
        ("", "en", 0.0, "LOW"),
        ("è stata una sfida", "it", 0.19, "LOW"),
        ("l'importante era il clima", "it", 0.19, "LOW"),
        ("Ero arrabbiata: la criticità era enorme", "it", 0.51, "MEDIUM"),
        ("problematic", "en", 0.01, "LOW"),
        ("A PROBLEM", "en", 0.17, "LOW"),
        (" ".join(["word"] * 31), "en", 0.46, "MEDIUM"),
        (" ".join(["word"] * 30), "en", 0.3, "MEDIUM"),
        ("I hated it " + "and 2 problems " * 40, "en", 1.0, "HIGH"),
    ],
)
def test_score_of_an_answer(answer: str, language: str, score: float, band: str) -> None:
    found = signal_of(answer, language)
    assert (found.score, found.band) == (score, band)


def test_parts_make_up_the_score() -> None:
    assert signal_of(APPROVAL, "en").to_dict() == {
        "score": 0.47,
        "band": "MEDIUM",
        "words": 17,
        "length": 0.17,
        "examples": 0.15,
        "impact": 0.15,
        "emotions": 0.0,
        "detail": 0.0,
    }


@pytest.mark.parametrize(
    ("score", "band"),
    [(0.0, "LOW"), (0.2999, "LOW"), (0.3, "MEDIUM"), (0.6, "MEDIUM"), (0.6001, "HIGH")],
)
def test_bands_meet_at_their_ends(score: float, band: str) -> None:
    assert band_of(score) == band


def test_every_language_of_an_interview_has_keywords() -> None:
    assert set(languages()) == set(LANGUAGES)


def test_unknown_language_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(LanguageUnknown, match="'tlh'; there are: en, it, de, fr, es"):
        signal_of("Qapla", "tlh")


def test_key_sentence_is_the_one_of_the_highest_score_word_for_word() -> None:
    assert key_sentence(f"Yes, sure. {APPROVAL} That was all.", "en") == APPROVAL
    assert key_sentence("Well. Well.", "en") == "Well."


def test_key_sentence_is_cut_after_twenty_words() -> None:
    words = [f"w{i}" for i in range(30)]
    assert key_sentence(" ".join(words), "en") == " ".join(words[:20])
    assert key_sentence(" ".join(words[:20]), "en") == " ".join(words[:20])

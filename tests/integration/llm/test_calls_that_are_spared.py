"""Which calls a turn makes: none for what embeddings settle, one for all that is doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from pytest_django import Settings

from graphs.language.vectors import Vector
from graphs.matching.alignment import Features
from graphs.models import CanonicalSlot, KGNode, Mention, SlotMapping
from interviews.models import Study, Utterance
from tests.integration.llm.interviewing import Interview, Model, anthropic_at, interviewing, use
from tests.integration.pipeline.conftest import HashEmbedder
from tests.llm_protocol import kit
from tests.llm_protocol.server import ProviderServer, provider_server
from tests.llm_protocol.steps import Answer, Failed, Step

SLOT = {"slot_name": "sealing", "description": "What keeps the water out."}
SLOT_TEXT = "sealing: What keeps the water out."


class NearEmbedder(HashEmbedder):
    """Puts each text of `near` at a given cosine to another one; all others are far apart."""

    def __init__(self, near: dict[str, tuple[str, float]]) -> None:
        self.near = near

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Vector:
        (own,) = super().embed([text])
        if text not in self.near:
            return own
        other, cosine = self.near[text]
        (target,) = super().embed([other])
        across = own - (own @ target) * target
        across /= np.linalg.norm(across)
        vector: Vector = (cosine * target + np.sqrt(1 - cosine**2) * across).astype(np.float32)
        return vector


@pytest.fixture
def server(model: Model, settings: Settings) -> Iterator[ProviderServer]:
    with provider_server(key=kit.KEY, respond=model) as running:
        use(settings, **anthropic_at(running))
        yield running


def concepts(*labels: str) -> Answer:
    """An extraction of attributes, each with its label as quote."""
    found = [
        {"label": label, "node_type": "attribute", "quote": label, "confidence": 0.9, "stance": 0}
        for label in labels
    ]
    return Answer(
        data={
            "extractable": True,
            "reason": "",
            "concepts": found,
            "relationships": [],
        }
    )


def tell(interview: Interview, model: Model, *labels: str) -> None:
    model.script("extraction", concepts(*labels))
    interview.answer("So: " + ", ".join(labels))


def asked(server: ProviderServer) -> list[str]:
    received, server.received = server.received, []
    return sorted(request.task for request in received)


def test_a_label_that_is_near_to_a_slot_needs_no_call(
    study: Study, model: Model, server: ProviderServer
) -> None:
    near = NearEmbedder({"watertight joins": (SLOT_TEXT, 0.85)})
    with interviewing(study, near) as interview:
        model.script("slot_proposal", Answer(data={"proposals": []}))
        tell(interview, model, "taped seams")
        model.script("slot_proposal", Answer(data={"proposals": [{"number": 1, **SLOT}]}))
        asked(server)
        tell(interview, model)
        assert "slot_proposal" in asked(server), "a node without a slot is asked about again"
        tell(interview, model, "watertight joins")
        assert asked(server) == ["extraction", "follow_up_question", "response_rating"]
    mapped = SlotMapping.objects.filter(session=interview.session)
    assert {mapping.slot.slot_name for mapping in mapped} == {"sealing"}
    assert mapped.count() == 2


def adjudicating(study: Study) -> Study:
    study.llm_choice = {"adjudicate_matches": True}
    study.enable_canonical_slots = False
    study.save()
    return study


NEAR = {"sealed stitching": ("taped seams", 0.76), "stiff hood": ("deep pockets", 0.75)}


def verdicts(*same: tuple[int, bool]) -> Answer:
    given: list[dict[str, Any]] = [{"number": number, "same": verdict} for number, verdict in same]
    return Answer(data={"verdicts": given})


def test_all_doubtful_labels_of_an_answer_are_decided_in_one_call(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(adjudicating(study), NearEmbedder(NEAR)) as interview:
        tell(interview, model, "taped seams", "deep pockets")
        assert "match_adjudication" not in asked(server), "nothing is doubtful in an empty graph"
        model.script("match_adjudication", verdicts((1, True), (3, False), (7, True)))
        tell(interview, model, "sealed stitching", "red zip", "stiff hood")
        assert asked(server).count("match_adjudication") == 1
    labels = KGNode.objects.filter(session=interview.session).values_list("label", flat=True)
    assert sorted(labels) == ["deep pockets", "red zip", "stiff hood", "taped seams"]
    merged = Mention.objects.get(session=interview.session, label="sealed stitching")
    assert (merged.node.label if merged.node else "", merged.tier) == ("taped seams", "llm")
    assert merged.similarity == pytest.approx(0.76, abs=0.01)


def test_the_doubtful_pair_is_told_with_the_words_it_came_from(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(adjudicating(study), NearEmbedder(NEAR)) as interview:
        tell(interview, model, "taped seams")
        tell(interview, model, "sealed stitching")
    (request,) = [r for r in server.received if r.task == "match_adjudication"]
    assert str(request.body["messages"][0]["content"]).endswith(
        '1. attribute: "sealed stitching", said as "sealed stitching"'
        ' – and "taped seams", said as "taped seams"'
    )


def test_without_the_studys_wish_nothing_is_asked(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study, NearEmbedder(NEAR)) as interview:
        tell(interview, model, "taped seams")
        tell(interview, model, "sealed stitching")
    assert "match_adjudication" not in asked(server)
    assert KGNode.objects.filter(session=interview.session).count() == 2


def test_without_a_verdict_they_stay_two(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(adjudicating(study), NearEmbedder(NEAR)) as interview:
        tell(interview, model, "taped seams")
        model.script("match_adjudication", Failed(status=400, kind="invalid_request_error"))
        tell(interview, model, "sealed stitching")
    assert KGNode.objects.filter(session=interview.session).count() == 2


WEAK = {"sealed stitching": ("taped seams", 0.5)}
"""So far apart that only a reader takes them for one."""


class Convinced:
    """Reads every pair of labels as one concept."""

    threshold = 0.5
    chance = 0.9

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], found: Sequence[Features]
    ) -> list[float]:
        return [self.chance] * len(pairs)


class Unsure(Convinced):
    """Takes no pair for one concept, and none for surely two."""

    chance = 0.3


@pytest.mark.parametrize(
    ("steps", "labels", "tier", "doubtful"),
    [
        ([verdicts((1, True))], ["taped seams"], "llm", False),
        ([verdicts((1, False))], ["sealed stitching", "taped seams"], "", False),
        (
            [Failed(status=400, kind="invalid_request_error")],
            ["taped seams"],
            "embedding",
            True,
        ),
    ],
)
def test_a_merge_on_weak_grounds_is_confirmed_undone_or_left_in_doubt(
    study: Study,
    model: Model,
    server: ProviderServer,
    steps: list[Step],
    labels: list[str],
    tier: str,
    *,
    doubtful: bool,
) -> None:
    with interviewing(adjudicating(study), NearEmbedder(WEAK), reader=Convinced()) as interview:
        tell(interview, model, "taped seams")
        asked(server)
        model.script("match_adjudication", *steps)
        tell(interview, model, "sealed stitching")
        assert asked(server).count("match_adjudication") == 1
    nodes = KGNode.objects.filter(session=interview.session).values_list("label", flat=True)
    assert sorted(nodes) == labels
    mention = Mention.objects.get(session=interview.session, label="sealed stitching")
    assert (mention.tier, mention.doubtful) == (tier, doubtful)


def test_a_merge_on_weak_grounds_is_in_doubt_where_the_study_pays_for_no_verdict(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study, NearEmbedder(WEAK), reader=Convinced()) as interview:
        tell(interview, model, "taped seams")
        tell(interview, model, "sealed stitching")
    assert "match_adjudication" not in asked(server)
    mention = Mention.objects.get(session=interview.session, label="sealed stitching")
    assert (mention.tier, mention.doubtful) == ("embedding", True)


def test_a_studys_thresholds_decide_what_is_one_concept_and_when_a_slot_counts(
    study: Study, model: Model, server: ProviderServer
) -> None:
    study.surface_similarity_threshold = 0.75
    study.canonical_min_support_nodes = 3
    study.save()
    with interviewing(study, NearEmbedder(NEAR), reader=Unsure()) as interview:
        tell(interview, model, "taped seams")
        tell(interview, model, "sealed stitching")
        slot = CanonicalSlot.objects.get(session=interview.session)
        assert (slot.support_count, slot.status) == (2, "candidate")
        tell(interview, model, "taped seams")
        slot.refresh_from_db()
        assert (slot.support_count, slot.status) == (3, "active")
    assert KGNode.objects.filter(session=interview.session).count() == 1


def test_a_study_may_have_the_model_pick_among_three_questions(
    study: Study, model: Model, server: ProviderServer
) -> None:
    study.enable_question_self_selection = True
    study.save()
    picked = "What did the seams change about your walk?"
    drafts = ["Where did you wear it first?", picked, "Who saw you in it?"]
    model.script(
        "follow_up_question", Answer(data={"candidates": drafts, "reason": "nearest", "pick": 2})
    )
    with interviewing(study) as interview:
        asked(server)
        tell(interview, model, "taped seams")
        assert asked(server).count("follow_up_question") == 1
    question = Utterance.objects.get(session=interview.session, sequence=3)
    assert question.text == picked


def test_what_the_model_declines_to_read_does_not_end_the_interview(
    study: Study, model: Model, server: ProviderServer
) -> None:
    with interviewing(study) as interview:
        model.script("extraction", Answer(text="no JSON"), Answer(text="none again"))
        turn = interview.answer("I would rather not go into that, but it is warm.")
        assert (turn.status, turn.continuation) == ("done", "continue")
        tell(interview, model, "taped seams")
    assert KGNode.objects.filter(session=interview.session).count() == 1

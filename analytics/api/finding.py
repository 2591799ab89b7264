"""Search and questions to a study for programs."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics.api.base import READING, ApiView, study_for
from analytics.api.filters import FILTER, asked, inclusion_of, query_of
from analytics.finding.scope import Scope, scope_of, scope_of_all
from interviews.api.problems import Unprocessable
from interviews.models import SearchEntry, Study
from interviews.retrieval.asking import ROLES, ask_study
from interviews.retrieval.search import DEFAULT_KINDS, MOST_TEXT, search

SEARCH = [
    OpenApiParameter("text", str, required=True, description="What to look for."),
    OpenApiParameter("kind", str, many=True, enum=SearchEntry.Kind.values),
    *FILTER,
]


class HitShape(serializers.Serializer[Any]):
    """Something found; `score` is its reciprocal rank."""

    kind = serializers.ChoiceField(choices=SearchEntry.Kind.choices)
    session = serializers.UUIDField()
    turn = serializers.IntegerField()
    text = serializers.CharField()
    score = serializers.FloatField()


class FoundShape(serializers.Serializer[Any]):
    """Results, best first. `unread` counts interviews that search has not read wholly yet."""

    results = HitShape(many=True)
    filter = serializers.CharField()
    interviews = serializers.IntegerField()
    unread = serializers.IntegerField()


class Question(serializers.Serializer[Any]):
    """A question to the material."""

    text = serializers.CharField(max_length=MOST_TEXT)


class QuoteShape(serializers.Serializer[Any]):
    """Words of a respondent, and what they are to the answer."""

    session = serializers.UUIDField()
    turn = serializers.IntegerField()
    quote = serializers.CharField()
    role = serializers.ChoiceField(choices=ROLES)


class AnswerShape(serializers.Serializer[Any]):
    """An answer in quotes: `[2]` is the second; without a language model there is no prose."""

    found = serializers.BooleanField()
    answer = serializers.CharField(allow_blank=True)
    quotes = QuoteShape(many=True)
    filter = serializers.CharField()
    interviews = serializers.IntegerField()
    unread = serializers.IntegerField()


class SearchAll(ApiView):
    """`/api/search/`: in all interviews that you may see."""

    @extend_schema(operation_id="search_all", parameters=SEARCH, responses=FoundShape)
    def get(self, request: Request) -> Response:
        """Search by words and by meaning; of the filter, `status` and `include` count."""
        inclusion = inclusion_of(request)
        with asked():
            return _found(request, scope_of_all(request.user, inclusion))


class SearchStudy(ApiView):
    """`/api/studies/{slug}/search/`: in the interviews of a study that count."""

    @extend_schema(operation_id="search_study", parameters=SEARCH, responses=FoundShape)
    def get(self, request: Request, slug: str) -> Response:
        """Search by words and by meaning."""
        with asked():
            return _found(request, _scope(request, study_for(request, slug)))


class Ask(ApiView):
    """`/api/studies/{slug}/ask/`: a question to a study."""

    writes: ClassVar[frozenset[str]] = READING

    @extend_schema(parameters=FILTER, request=Question, responses=AnswerShape)
    def post(self, request: Request, slug: str) -> Response:
        """Ask; what is not in the material is said not to be."""

        def answer() -> Response:
            study = study_for(request, slug)
            said = Question(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            with asked():
                scope = _scope(request, study)
            found = ask_study(study, scope.sessions, said.validated_data["text"])
            return Response(found.as_json() | _told(scope))

        return self.post_once(request, answer)


def _scope(request: Request, study: Study) -> Scope:
    return scope_of(study, inclusion_of(request))


def _found(request: Request, scope: Scope) -> Response:
    query = query_of(request)
    kinds = query.getlist("kind") or DEFAULT_KINDS
    hits = search(scope.sessions, query.get("text", ""), kinds=kinds)
    return Response({"results": [hit.as_json() for hit in hits], **_told(scope)})


def _told(scope: Scope) -> dict[str, Any]:
    return {"filter": scope.told, "interviews": scope.interviews, "unread": scope.unread}

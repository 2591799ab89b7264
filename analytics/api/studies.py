"""Studies for programs: listed, made, changed, opened and closed; as files; their revisions."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analytics import access
from analytics.api.base import (
    ApiView,
    check_match,
    need,
    own_team,
    representation_etag,
    study_for,
    who,
)
from analytics.api.session_shapes import name_of
from analytics.rights import Right
from interviews import audit, studies, study_files
from interviews.api.problems import Unprocessable
from interviews.models import Study, StudyRevision
from interviews.modes.registry import modes
from interviews.study_files import StudyFileInvalid
from methodologies.registry import (
    CONCEPT,
    GUIDE,
    METHODOLOGY,
    DocumentNotFound,
    Kind,
    newest,
)
from methodologies.yaml_loader import DocumentInvalid

DOCUMENTS: dict[str, Kind] = {"concept": CONCEPT, "methodology": METHODOLOGY, "guide": GUIDE}
YAML = "application/yaml"


class DocumentName(serializers.CharField):
    """A document by `name`, its newest version, or by `name@number`."""

    def __init__(self, kind: Kind, **options: Any) -> None:
        self.kind = kind
        super().__init__(source=f"{kind.title}_version", **options)

    def to_internal_value(self, data: Any) -> Any:
        """The version. Raises ValidationError where there is none."""
        named = super().to_internal_value(data)
        name, _, number = named.partition("@")
        try:
            if not number:
                return newest(self.kind, name)
            if not (number.isascii() and number.isdigit() and len(number) < 9):
                raise DocumentNotFound(f"{number!r} is no number of a version")
            found = self.kind.version.objects.filter(document__name=name, number=int(number))  # type: ignore[attr-defined]
            version = found.first()
        except DocumentNotFound as error:
            raise ValidationError(str(error), code="unknown_document") from error
        if version is None:
            raise ValidationError(f"There is no {named}.", code="unknown_document")
        return version

    def to_representation(self, value: Any) -> Any:
        """`name@number`."""
        return name_of(value)


class StudyShape(serializers.ModelSerializer[Study]):
    """A study; documents as `name@number`."""

    concept = DocumentName(CONCEPT, required=False, allow_null=True)
    methodology = DocumentName(METHODOLOGY, required=False, allow_null=True)
    guide = DocumentName(GUIDE, required=False, allow_null=True)
    status = serializers.ChoiceField(choices=Study.Status.choices, read_only=True)
    mode = serializers.CharField(required=False, max_length=12)
    language = serializers.CharField(required=False, max_length=8)
    data_fields = serializers.ListField(child=serializers.DictField(), required=False)
    llm_choice = serializers.DictField(required=False)
    team = serializers.CharField(source="team.name", read_only=True)

    class Meta:
        model = Study
        fields: ClassVar = [
            *("slug", "name", "status", "mode", "concept", "methodology", "guide", "team"),
            *("language", "max_turns", "time_budget_minutes", "extension_minutes", "quota"),
            *("greeting", "researcher", "contact", "research_purpose", "retention", "withdrawal"),
            *("consent_text", "data_fields", "data_collection", "reward", "next_steps"),
            *("redirect_url", "dictation", "llm_choice", "created_at"),
        ]
        read_only_fields: ClassVar = ["created_at"]
        # What holds of a study is said by the study's own checks, with all faults at once.
        extra_kwargs: ClassVar[dict[str, Any]] = {"slug": {"validators": []}}


class NewStudy(StudyShape):
    """A new study, which is a draft."""

    team = serializers.CharField(required=False)


class ChangedStudy(StudyShape):
    """What is to be changed; an open study changes what is frozen only as a new revision."""

    new_revision = serializers.BooleanField(required=False, default=False)

    class Meta(StudyShape.Meta):
        fields: ClassVar = [*StudyShape.Meta.fields, "new_revision"]


class StatusChange(serializers.Serializer[Any]):
    """The state that a study is to be in."""

    status = serializers.ChoiceField(choices=["live", "paused", "closed", "archived"])


class StudyFile(serializers.Serializer[Any]):
    """A study as YAML, its documents named or in it."""

    text = serializers.CharField(trim_whitespace=False)


class RevisionShape(serializers.ModelSerializer[StudyRevision]):
    """What respondents were told and led by, as it was."""

    data = serializers.DictField()  # type: ignore[assignment]

    class Meta:
        model = StudyRevision
        fields: ClassVar = ["number", "data", "made_by", "made_at"]


class Studies(ApiView):
    """`/api/studies/`: studies, newest first; POST makes one."""

    ordering = ("-created_at", "pk")

    @extend_schema(
        parameters=[
            OpenApiParameter("status", str, enum=Study.Status.values),
            OpenApiParameter("cursor", str),
            OpenApiParameter("page_size", int),
        ],
        responses=StudyShape(many=True),
    )
    def get(self, request: Request) -> Response:
        """List studies that you may see."""
        rows = _with_documents(access.studies_of(request.user))
        status = request.query_params.get("status")
        if status is not None:
            if status not in Study.Status.values:
                raise ValidationError({"status": f"Choose from {', '.join(Study.Status.values)}."})
            rows = rows.filter(status=status)
        return self.page(request, rows, StudyShape)

    @extend_schema(request=NewStudy, responses={201: StudyShape})
    def post(self, request: Request) -> Response:
        """Make a study, as a draft."""

        def make() -> Response:
            need(request, Right.STUDIES)
            said = NewStudy(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            fields = dict(said.validated_data)
            team = own_team(request, fields.pop("team", None))
            study = Study(**_with_defaults(fields), team=team)
            studies.check(study)
            made = studies.create_study(**_with_defaults(fields), team=team)
            audit.record(audit.Action.CREATED, made, by=who(request))
            return Response(
                StudyShape(made).data, status=201, headers={"Location": _address(request, made)}
            )

        return self.post_once(request, make)


class StudyView(ApiView):
    """`/api/studies/{slug}/`: one study; PATCH changes it, with If-Match only what you read."""

    @extend_schema(responses=StudyShape)
    def get(self, request: Request, slug: str) -> Response:
        """Read a study."""
        return Response(StudyShape(_whole(request, slug)).data)

    @extend_schema(request=ChangedStudy(partial=True), responses=StudyShape)
    def patch(self, request: Request, slug: str) -> Response:
        """Change a study."""
        study = _whole(request, slug, Right.STUDIES)
        check_match(request, representation_etag(StudyShape(study).data))
        said = ChangedStudy(study, data=request.data, partial=True)
        if not said.is_valid():
            raise Unprocessable(said.errors)
        fields = dict(said.validated_data)
        revise = fields.pop("new_revision", False)
        if fields:
            studies.change_study(study, fields, by=who(request), revise=revise)
        return Response(StudyShape(_whole(request, fields.get("slug", slug))).data)


class StudyStatus(ApiView):
    """`/api/studies/{slug}/status/`: opened, paused, closed, archived."""

    @extend_schema(request=StatusChange, responses=StudyShape)
    def post(self, request: Request, slug: str) -> Response:
        """Take a study to another state; one that is there already stays so."""

        def change() -> Response:
            study = study_for(request, slug, Right.STUDIES)
            said = StatusChange(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            studies.change_status(study.pk, said.validated_data["status"], by=who(request))
            return Response(StudyShape(_whole(request, slug)).data)

        return self.post_once(request, change)


class StudyFileView(ApiView):
    """`/api/studies/{slug}/file/`: the study as YAML."""

    @extend_schema(responses={(200, YAML): {"type": "object", "description": "A study file."}})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Take a study out as a file."""
        study = _whole(request, slug)
        return HttpResponse(
            study_files.file_of(study),
            content_type=YAML,
            headers={"Content-Disposition": f'attachment; filename="{study.slug}.yaml"'},
        )


class StudyFiles(ApiView):
    """`POST /api/study-files/`: a study taken in from YAML."""

    @extend_schema(request=StudyFile, responses={201: StudyShape})
    def post(self, request: Request) -> Response:
        """Make the study that a file describes, or make a draft of its slug what the file says."""

        def take() -> Response:
            need(request, Right.STUDIES)
            said = StudyFile(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            text = said.validated_data["text"]
            _refuse_foreign(request, text)
            try:
                study = study_files.study_of_text(text)
            except (StudyFileInvalid, DocumentInvalid, DocumentNotFound) as error:
                raise Unprocessable({"text": str(error).splitlines()}) from error
            audit.record(audit.Action.CREATED, study, by=who(request), fields=["file"])
            return Response(
                StudyShape(study).data, status=201, headers={"Location": _address(request, study)}
            )

        return self.post_once(request, take)


class Revisions(ApiView):
    """`/api/studies/{slug}/revisions/`: what respondents were told, revision by revision."""

    ordering = ("-number",)

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=RevisionShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List a study's revisions, newest first."""
        study = study_for(request, slug)
        return self.page(request, study.revisions.all(), RevisionShape)


class RevisionView(ApiView):
    """`/api/studies/{slug}/revisions/{number}/`."""

    @extend_schema(responses=RevisionShape)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Read a revision."""
        found = study_for(request, slug).revisions.filter(number=number).first()
        if found is None:
            raise Http404("There is no such revision.")
        return Response(RevisionShape(found).data)


def _with_documents(rows: Any) -> Any:
    versions = [f"{name}_version__document" for name in DOCUMENTS]
    large = [f"{name}_version__{part}" for name in DOCUMENTS for part in ("text", "parsed")]
    return rows.select_related(*versions, "team").defer(*large)


def _whole(request: Request, slug: str, right: Right = Right.READ) -> Study:
    study = study_for(request, slug, right)
    whole: Study = _with_documents(Study.objects.all()).get(pk=study.pk)
    return whole


def _with_defaults(fields: dict[str, Any]) -> dict[str, Any]:
    """What is not said of the mode's usual documents and length is as the mode has it."""
    mode = modes().get(fields.get("mode", "exploratory"))
    if mode is None:
        return fields
    usual: dict[str, Any] = {}
    if mode.defaults.max_turns:
        usual["max_turns"] = mode.defaults.max_turns
    if mode.defaults.methodology and "methodology_version" not in fields:
        usual["methodology_version"] = newest(METHODOLOGY, mode.defaults.methodology)
    return usual | fields


def _refuse_foreign(request: Request, text: str) -> None:
    """A file that would change another team's study finds its slug taken."""
    from methodologies.yaml_loader import load_study

    try:
        slug = load_study(text, "text").schema.slug
    except DocumentInvalid as error:
        raise Unprocessable({"text": str(error).splitlines()}) from error
    taken = Study.objects.filter(slug=slug).exists()
    if taken and not access.studies_of(request.user).filter(slug=slug).exists():
        raise Unprocessable({"text": f"slug: there is a study {slug!r} already"})


def _address(request: Request, study: Study) -> str:
    from django.urls import reverse

    return reverse("api:study", args=[study.slug])

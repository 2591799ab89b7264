"""Webhooks for programs: made, changed, with what became of each delivery, sent again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from analytics import access
from analytics.api.base import ApiView, need, study_named, who
from analytics.rights import Right
from interviews.api.problems import Unprocessable
from interviews.models import Delivery, Webhook
from interviews.webhooks import delivery, registration


class WebhookShape(serializers.Serializer[Any]):
    """An address that is told of events of a study."""

    id = serializers.UUIDField(read_only=True)
    study = serializers.SlugField(source="study.slug")
    url = serializers.CharField(max_length=registration.MOST_CHARS)
    events = serializers.ListField(child=serializers.ChoiceField(choices=Webhook.Event.choices))
    active = serializers.BooleanField(default=True)
    created_at = serializers.DateTimeField(read_only=True)


class NewWebhook(serializers.Serializer[Any]):
    """Whom to tell of what."""

    study = serializers.SlugField()
    url = serializers.CharField(max_length=registration.MOST_CHARS)
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=Webhook.Event.choices), min_length=1, max_length=9
    )


class MadeWebhook(WebhookShape):
    """A new webhook with the secret that its deliveries are signed by, shown this once."""

    secret = serializers.CharField()


class ChangedWebhook(serializers.Serializer[Any]):
    """What is to be changed; what is left out stays."""

    url = serializers.CharField(max_length=registration.MOST_CHARS, required=False)
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=Webhook.Event.choices),
        min_length=1,
        max_length=9,
        required=False,
    )
    active = serializers.BooleanField(required=False)


class DeliveryShape(serializers.ModelSerializer[Delivery]):
    """An event on its way, with the last answer that it was given."""

    webhook = serializers.UUIDField(source="webhook_id", read_only=True)
    payload = serializers.DictField(read_only=True)

    class Meta:
        model = Delivery
        fields = (
            *("id", "webhook", "event", "status", "attempts", "next_at", "tried_at"),
            *("answered", "answer", "payload", "created_at"),
        )
        read_only_fields = fields


class Webhooks(ApiView):
    """`/api/webhooks/`: webhooks of your studies; POST makes one."""

    ordering = ("-created_at", "pk")

    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)],
        responses=WebhookShape(many=True),
    )
    def get(self, request: Request) -> Response:
        """List webhooks."""
        need(request, Right.STUDIES)
        return self.page(request, _seen(request), WebhookShape)

    @extend_schema(request=NewWebhook, responses={201: MadeWebhook})
    def post(self, request: Request) -> Response:
        """Have an address told of events of a study."""

        def make() -> Response:
            said = NewWebhook(data=request.data)
            if not said.is_valid():
                raise Unprocessable(said.errors)
            wanted = said.validated_data
            study = study_named(request, wanted["study"], Right.STUDIES)
            made, secret = registration.make(
                study, wanted["url"], wanted["events"], by=who(request)
            )
            made = _seen(request).get(pk=made.pk)
            made.secret = secret
            address = reverse("api:webhook", args=[made.pk])
            return Response(MadeWebhook(made).data, status=201, headers={"Location": address})

        return self.post_once(request, make)


class WebhookView(ApiView):
    """`/api/webhooks/{id}/`: one webhook."""

    @extend_schema(responses=WebhookShape)
    def get(self, request: Request, pk: UUID) -> Response:
        """Read a webhook."""
        return Response(WebhookShape(_one(request, pk)).data)

    @extend_schema(request=ChangedWebhook, responses=WebhookShape)
    def patch(self, request: Request, pk: UUID) -> Response:
        """Change a webhook."""
        hook = _one(request, pk)
        said = ChangedWebhook(data=request.data)
        if not said.is_valid():
            raise Unprocessable(said.errors)
        if said.validated_data:
            registration.change(hook, by=who(request), **said.validated_data)
        return Response(WebhookShape(_one(request, pk)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Take a webhook away, with its deliveries."""
        registration.delete(_one(request, pk), by=who(request))
        return Response(status=204)


class Deliveries(ApiView):
    """`/api/webhooks/{id}/deliveries/`: what was told, newest first."""

    ordering = ("-created_at", "pk")

    @extend_schema(
        parameters=[
            OpenApiParameter("status", str, enum=Delivery.Status.values),
            OpenApiParameter("cursor", str),
            OpenApiParameter("page_size", int),
        ],
        responses=DeliveryShape(many=True),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """List a webhook's deliveries."""
        rows = Delivery.objects.filter(webhook=_one(request, pk))
        status = request.query_params.get("status")
        if status is not None:
            if status not in Delivery.Status.values:
                known = ", ".join(Delivery.Status.values)
                raise serializers.ValidationError({"status": f"Choose from {known}."})
            rows = rows.filter(status=status)
        return self.page(request, rows, DeliveryShape)


class Replay(ApiView):
    """`POST /api/deliveries/{id}/replay/`: the same event once more."""

    @extend_schema(request=None, responses={202: DeliveryShape})
    def post(self, request: Request, pk: UUID) -> Response:
        """Send a delivery anew, whatever became of it."""

        def replay() -> Response:
            need(request, Right.STUDIES)
            rows = access.seen_by(request.user, Delivery.objects.all(), "webhook__study")
            found = rows.filter(pk=pk).first()
            if found is None:
                raise Http404("There is no such delivery.")
            delivery.replay(found)
            found.refresh_from_db()
            return Response(DeliveryShape(found).data, status=202)

        return self.post_once(request, replay)


def _seen(request: Request) -> Any:
    return access.seen_by(request.user, Webhook.objects.select_related("study"), "study")


def _one(request: Request, pk: UUID) -> Webhook:
    need(request, Right.STUDIES)
    found: Webhook | None = _seen(request).filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such webhook.")
    return found

"""Where sockets come in."""

from __future__ import annotations

from typing import Any

from django.urls import path

from interviews.chat.consumers import InterviewConsumer

websocket_urlpatterns: list[Any] = [
    path("ws/i/<str:token>/", InterviewConsumer.as_asgi()),
]

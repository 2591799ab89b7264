"""Where the console's sockets come in."""

from __future__ import annotations

from typing import Any

from django.urls import path

from console.consumers import WatchConsumer

websocket_urlpatterns: list[Any] = [
    path("ws/console/interviews/<uuid:pk>/", WatchConsumer.as_asgi()),
]

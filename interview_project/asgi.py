"""Where HTTP requests and sockets come in."""

from __future__ import annotations

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "interview_project.settings")

# Django must be set up before anything below imports a model.
http_application = get_asgi_application()

from console import routing as console_routing  # noqa: E402
from interview_project.origins import SameOriginOnly  # noqa: E402
from interviews.chat import routing as chat_routing  # noqa: E402

sockets = [*chat_routing.websocket_urlpatterns, *console_routing.websocket_urlpatterns]

application = ProtocolTypeRouter(
    {
        "http": http_application,
        "websocket": SameOriginOnly(AuthMiddlewareStack(URLRouter(sockets))),
    }
)

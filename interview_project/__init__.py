"""The wiring: settings, URLs, ASGI, Celery, the embedded database, the commands that serve."""

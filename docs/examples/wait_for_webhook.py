"""Wait for one webhook: `python docs/examples/wait_for_webhook.py PORT`.

Listens on this machine, checks the signature of what comes by the secret in WEBHOOK_SECRET, prints
the event, and ends. What is unsigned, changed or old is refused with 400 and waited on. Nothing but
Python's own library is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

OLDEST = 300
"""Seconds after which a delivery is taken for one that was overheard and sent again."""


def is_genuine(secret: str, timestamp: str, signature: str, body: bytes) -> bool:
    """Whether the body was signed with the secret, lately."""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > OLDEST:
        return False
    signed = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return hmac.compare_digest(f"sha256={signed.hexdigest()}", signature)


class Receiver(BaseHTTPRequestHandler):
    """Takes deliveries; the first genuine one is kept on the server."""

    def do_POST(self) -> None:
        """Answer 204 to a genuine delivery."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(
            os.environ["WEBHOOK_SECRET"],
            self.headers.get("X-Interviews-Timestamp", ""),
            self.headers.get("X-Interviews-Signature", ""),
            body,
        )
        self.send_response(204 if genuine else 400)
        self.end_headers()
        if genuine:
            self.server.event = json.loads(body)  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing of each request."""


def main() -> None:
    """Serve until something genuine has come."""
    server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    server.event = None  # type: ignore[attr-defined]
    print("waiting", flush=True)  # noqa: T201
    while server.event is None:  # type: ignore[attr-defined]
        server.handle_request()
    print(json.dumps(server.event))  # type: ignore[attr-defined]  # noqa: T201


if __name__ == "__main__":
    main()

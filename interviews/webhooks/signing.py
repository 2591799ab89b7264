"""How a delivery is signed, and how its receiver checks that. Pure."""

from __future__ import annotations

import hashlib
import hmac

EVENT, DELIVERY = "X-Interviews-Event", "X-Interviews-Delivery"
TIMESTAMP, SIGNATURE = "X-Interviews-Timestamp", "X-Interviews-Signature"
SCHEME = "sha256="


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """`sha256=` and the hex HMAC-SHA256 of "timestamp.body"; the timestamp is in Unix seconds.

    With the time under the signature, a delivery that was overheard cannot be sent again later.
    """
    message = str(timestamp).encode() + b"." + body
    return SCHEME + hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()

"""One POST to a judged address: no redirect is followed, no proxy asked, little of it read."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from interviews.webhooks.targets import Target, TargetRefused, target_of

SECONDS = 5.0
"""For the connection, and for each piece of the answer."""
IN_ALL = 10.0
MOST_READ = 2000
MOST_KEPT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a POST: the HTTP status, None where nothing answered, and what was said."""

    status: int | None
    text: str

    @property
    def taken(self) -> bool:
        """Whether the receiver has it: any 2xx."""
        return self.status is not None and 200 <= self.status < 300


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send `body`; whatever goes wrong is an answer, too."""
    try:
        target = target_of(url)
        status, said = _sent(target, body, headers)
    except TargetRefused as refused:
        return Answer(status=None, text=str(refused)[:MOST_KEPT])
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
        told = f"{type(error).__name__}: {error}"
        return Answer(status=None, text=told[:MOST_KEPT])
    if 300 <= status < 400:
        said = "Redirected, which is not followed: enter the address that it leads to."
    return Answer(status=status, text=said[:MOST_KEPT])


def _sent(target: Target, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
    until = time.monotonic() + IN_ALL
    with (
        httpx.Client(timeout=SECONDS, follow_redirects=False, trust_env=False) as client,
        client.stream(
            "POST",
            target.url,
            content=body,
            headers={**headers, "Host": target.host_header, "Accept-Encoding": "identity"},
            # The certificate has to be the name's, though the connection goes to the address.
            extensions={"sni_hostname": target.host},
        ) as response,
    ):
        read = b""
        for piece in response.iter_raw(MOST_READ):
            read += piece
            if len(read) >= MOST_READ or time.monotonic() > until:
                break
        return response.status_code, read[:MOST_READ].decode("utf-8", "replace").replace("\0", "")

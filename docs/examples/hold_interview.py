"""Hold an interview over the API: `python docs/examples/hold_interview.py ADDRESS STUDY`.

Answers come from standard input, one a line; an empty line, or the end of the input, ends the
interview. The token comes from the variable INTERVIEWS_TOKEN and has the scope `collect`. Nothing
but Python's own library is needed.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from typing import Any


class Api:
    """The API of one site, with one token."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address.rstrip("/")
        self.token = token

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return what was answered.

        A POST carries a key of its own: sent again after a lost connection, it is acted on once.
        Raises SystemExit with the sentence of the problem.
        """
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - the address is the user's own
            self.address + path, data=data, headers=headers, method=method
        )
        for tries_left in (2, 1, 0):
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                    return dict(json.load(answer))
            except urllib.error.HTTPError as refused:
                problem = json.load(refused)
                raise SystemExit(f"{problem['code']}: {problem['detail']}") from refused
            except urllib.error.URLError:
                if not tries_left:
                    raise
        raise AssertionError("not reached")

    def question(self, path: str) -> dict[str, Any]:
        """Wait for the turn at `path`, and return it."""
        turn = self.ask("GET", f"{path}?wait=20")
        while turn["status"] in ("queued", "running"):
            turn = self.ask("GET", f"{path}?wait=20")
        if turn["status"] == "failed":
            raise SystemExit("The question could not be made; the answer is kept.")
        return turn


def main() -> None:
    """Ask and answer until the interview is over."""
    address, study = sys.argv[1:3]
    api = Api(address, os.environ["INTERVIEWS_TOKEN"])
    begun = api.ask("POST", "/api/sessions/", {"study": study})
    turn = api.question(begun["turn"])
    while turn["session_status"] == "active" and turn["question"]:
        print(f"? {turn['question']}", flush=True)  # noqa: T201
        text = sys.stdin.readline().strip()
        if not text:
            break
        accepted = api.ask("POST", f"{begun['url']}respond/", {"text": text})
        turn = api.question(accepted["url"])
    over = api.ask("POST", f"{begun['url']}end/")
    print(f"{begun['session']} {over['status']} after {over['turn_count']} answers")  # noqa: T201


if __name__ == "__main__":
    main()

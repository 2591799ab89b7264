"""The page on the API is true: its commands are run, and so are its examples."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.browser.site import ROOT, Site, free_port

PAGE = ROOT / "docs" / "how-to" / "use-the-api.md"
EXAMPLES = ROOT / "docs" / "examples"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.xdist_group("api-site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site as `make run` runs it, allowed to tell this machine."""
    patch = pytest.MonkeyPatch()
    patch.setenv("WEBHOOKS_TO_LOOPBACK", "true")
    running = Site(tmp_path_factory.mktemp("api") / "data")
    running.start()
    yield running
    running.stop()
    patch.undo()


def environment(site: Site, **more: str) -> dict[str, str]:
    return {**os.environ, "DATA_DIR": str(site.folder), "PORT": str(site.port), **more}


def token(site: Site, *scopes: str) -> str:
    command = [sys.executable, "manage.py", "api-token", "test", "--json"]
    for scope in scopes:
        command += ["--scope", scope]
    made = subprocess.run(
        command, cwd=ROOT, env=environment(site), capture_output=True, text=True, check=True
    )
    return str(json.loads(made.stdout)["token"])


def test_the_pages_commands_lead_to_a_held_interview(site: Site) -> None:
    script = "\n".join(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    script = script.replace("http://127.0.0.1:8000", site.address)
    script = script.replace(".venv/bin/python", sys.executable)
    # Each answer on a line of its own.
    script = re.sub(r"^(curl .*)$", r"\1; echo", script, flags=re.MULTILINE)
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env=environment(site),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    opening, taken, turn, ended, graph, seen, hook = map(json.loads, ran.stdout.splitlines())
    assert (opening["number"], opening["status"], opening["answer"]) == (0, "done", None)
    assert opening["question"]
    assert (taken["turn"], taken["duplicate"]) == (1, False)
    assert (turn["number"], turn["status"], turn["candidates"]) == (1, "done", [])
    assert turn["question"] != opening["question"]
    assert (ended["status"], ended["termination_reason"]) == ("completed", "respondent_ended")
    assert any("strap" in node["label"] for node in graph["nodes"])
    assert seen["candidates"]
    assert hook["secret"].startswith("whsec_")


def test_the_examples_hold_an_interview_and_are_told_when_it_is_done(site: Site) -> None:
    port = free_port()
    manager = token(site, "manage")
    said = json.dumps(
        {
            "study": "demo",
            "url": f"http://127.0.0.1:{port}/hook",
            "events": ["session.completed"],
        }
    )
    made = subprocess.run(
        [
            *("curl", "-fsS", f"{site.address}/api/webhooks/"),
            *("-H", f"Authorization: Bearer {manager}", "-H", "Content-Type: application/json"),
            *("-d", said),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    secret = json.loads(made.stdout)["secret"]
    with subprocess.Popen(
        [sys.executable, EXAMPLES / "wait_for_webhook.py", str(port)],
        env=environment(site, WEBHOOK_SECRET=secret),
        stdout=subprocess.PIPE,
        text=True,
    ) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "waiting\n"
        held = subprocess.run(
            [sys.executable, EXAMPLES / "hold_interview.py", site.address, "demo"],
            env=environment(site, INTERVIEWS_TOKEN=token(site, "collect")),
            input="It is light, so I carry it all day.\nThen I can go further.\n\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert held.returncode == 0, held.stderr
        told = json.loads(receiver.stdout.read())
    *asked, last = held.stdout.splitlines()
    assert len(asked) == 3
    assert len(set(asked)) == 3
    session = told["session"]
    assert last == f"{session['id']} completed after 2 answers"
    assert (told["event"], told["study"]) == ("session.completed", "demo")
    assert (session["status"], session["turn_count"]) == ("completed", 2)


def test_the_examples_are_named_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(
        re.findall(r"examples/(\w+\.py)", page)
    )

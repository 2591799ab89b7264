"""Only public addresses are told, whatever their names and spellings are."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from interviews.webhooks.signing import signature
from interviews.webhooks.targets import TargetRefused, TargetUnknown, target_of


def leads_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Every name leads to these addresses."""

    def found(host: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "172.16.3.4",
        "192.168.1.1",
        "169.254.169.254",
        "127.0.0.1",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "ff02::1",
    ],
)
def test_what_leads_to_no_public_address_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    leads_to(monkeypatch, address)
    with pytest.raises(TargetRefused, match="not a public address"):
        target_of("https://hooks.example.org/in")
    leads_to(monkeypatch, "93.184.216.34", address)
    with pytest.raises(TargetRefused, match="not a public address"):
        target_of("https://hooks.example.org/in")


@pytest.mark.parametrize("url", ["http://2130706433/", "http://0x7f.1/", "https://127.1/"])
def test_spellings_of_this_machine_are_known(url: str) -> None:
    with pytest.raises(TargetRefused):
        target_of(url)


def test_the_connection_goes_to_the_address_that_was_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leads_to(monkeypatch, "93.184.216.34")
    target = target_of("https://hooks.example.org/in?a=1")
    assert target.url == "https://93.184.216.34:443/in?a=1"
    assert (target.host, target.host_header) == ("hooks.example.org", "hooks.example.org")
    leads_to(monkeypatch, "2606:2800:220:1::1")
    other = target_of("https://hooks.example.org:8443")
    assert other.url == "https://[2606:2800:220:1::1]:8443/"
    assert other.host_header == "hooks.example.org:8443"


def test_loopback_is_told_where_the_setting_allows_it(settings: Any) -> None:
    with pytest.raises(TargetRefused, match="not a public address"):
        target_of("http://127.0.0.1:9/")
    settings.WEBHOOKS_TO_LOOPBACK = True
    assert target_of("http://127.0.0.1:9/hook").url == "http://127.0.0.1:9/hook"
    with pytest.raises(TargetRefused, match="not a public address"):
        target_of("http://10.0.0.1/")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "example.org",
        "https://",
        "https://user:secret@example.org/",
        "https://exa mple.org/",
        "https://example.org/\n",
        "https://example.org:99999/",
        "https://münchen.example/",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_address_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    leads_to(monkeypatch, "93.184.216.34")
    with pytest.raises(TargetRefused):
        target_of(url)


def test_plain_http_is_for_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    leads_to(monkeypatch, "93.184.216.34")
    with pytest.raises(TargetRefused, match="https"):
        target_of("http://hooks.example.org/")


def test_a_name_that_leads_nowhere_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any, **__: Any) -> list[Any]:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", lost)
    with pytest.raises(TargetUnknown):
        target_of("https://hooks.example.org/")


def test_the_signature_is_the_one_that_others_compute() -> None:
    # printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac secret
    known = "sha256=" + SIGNED
    assert signature("secret", 1_700_000_000, b'{"a":1}') == known
    assert signature("secret", 1_700_000_001, b'{"a":1}') != known


SIGNED = "49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686"

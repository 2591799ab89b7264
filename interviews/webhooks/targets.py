"""Which addresses may be told: public ones, by what their name resolves to just now.

A name is resolved once, every address of it is judged, and the connection goes to one of those that
were judged: a name that leads elsewhere a moment later (rebinding) changes nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
USUAL_PORTS = {"https": 443, "http": 80}


class TargetRefused(ValueError):
    """An address that is not told; the message says why, and how to mend it."""


class TargetUnknown(TargetRefused):
    """A name that leads nowhere just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a delivery goes: `address` is connected to, `host` is who it has to be."""

    scheme: str
    host: str
    port: int
    address: str
    path: str

    @property
    def url(self) -> str:
        """The URL with the judged address in the place of the name."""
        shown = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.scheme}://{shown}:{self.port}{self.path}"

    @property
    def host_header(self) -> str:
        """What the Host header says."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == USUAL_PORTS[self.scheme]
        return shown if usual else f"{shown}:{self.port}"


def target_of(url: str) -> Target:
    """Resolve a webhook's URL. Raises TargetRefused, and TargetUnknown where nothing is found."""
    parts = _parsed(url)
    host, port = str(parts.hostname), parts.port or USUAL_PORTS[parts.scheme]
    found = _resolved(host, port)
    for address in found:
        if not _is_allowed(address):
            raise TargetRefused(
                f"{host} leads to {address}, which is not a public address. Webhooks are sent to "
                "the public internet only."
            )
    if parts.scheme == "http" and not all(address.is_loopback for address in found):
        raise TargetRefused("Begin the address with https://, so that nobody can read along.")
    return Target(
        scheme=parts.scheme,
        host=host,
        port=port,
        address=str(found[0]),
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
    )


def _parsed(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is none
    except ValueError as error:
        raise TargetRefused("Enter an address like https://example.org/hook") from error
    if parts.scheme not in USUAL_PORTS or not parts.hostname:
        raise TargetRefused("Enter a whole address like https://example.org/hook")
    if parts.username or parts.password:
        raise TargetRefused("Leave name and password out of the address; deliveries are signed.")
    if not url.isascii() or any(sign <= " " for sign in url):
        raise TargetRefused("An address has no spaces and only ASCII letters; encode the others.")
    return parts


def _resolved(host: str, port: int) -> list[Address]:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TargetUnknown(f"{host} leads to no address just now.") from error
    found = [ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
    if not found:
        raise TargetUnknown(f"{host} leads to no address just now.")
    return found


def _is_allowed(address: Address) -> bool:
    inner = _inner(address)
    if inner.is_loopback:
        return bool(settings.WEBHOOKS_TO_LOOPBACK)
    return inner.is_global and not inner.is_multicast


def _inner(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, where it stands for one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.teredo is not None:
        return address.teredo[1]
    return address.ipv4_mapped or address.sixtofour or address

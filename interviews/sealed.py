"""Text that is kept encrypted: sealed with the first of the installation's keys, opened by any."""

from __future__ import annotations

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class NoKeyOpens(ValueError):
    """What was sealed with a key that is not among the present ones."""


def seal(text: str) -> str:
    """Return the text encrypted."""
    return _box().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Return the text in clear. Raises NoKeyOpens."""
    try:
        return _box().decrypt(sealed).decode()
    except InvalidToken as error:
        raise NoKeyOpens("no present key opens this") from error


def seal_again(sealed: str) -> str:
    """Return the same, sealed with the first of the keys. Raises NoKeyOpens."""
    try:
        return _box().rotate(sealed).decode()
    except InvalidToken as error:
        raise NoKeyOpens("no present key opens this") from error


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.PERSONAL_DATA_KEYS])

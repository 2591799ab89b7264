"""The site's secret key: from the environment, or made once and kept in the data folder."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from cryptography.fernet import Fernet

from interview_project.env import Environment
from interview_project.errors import ConfigurationError

FILE_NAME = "secret_key"
PERSONAL_DATA_FILE = "personal_data_key"


def ensure_data_dir(folder: Path) -> None:
    """Make the data folder.

    Raises ConfigurationError when it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error


def unusable(folder: Path, error: OSError) -> ConfigurationError:
    """The message for a data folder that cannot be written."""
    return ConfigurationError(
        f"The data folder {folder} cannot be written ({error.strerror or error}).\n"
        "Make it writable for this user, or set DATA_DIR to a folder that is."
    )


def secret_key(environment: Environment) -> str:
    """The key that signs sessions and invitations.

    Raises ConfigurationError when none is set and the data folder cannot keep one.
    """
    if environment.secret_key is not None:
        return environment.secret_key.get_secret_value()
    return _kept(environment.data_dir, FILE_NAME, lambda: secrets.token_urlsafe(64))


def personal_data_keys(environment: Environment) -> tuple[str, ...]:
    """The keys of personal data: the first encrypts, all of them decrypt.

    Raises ConfigurationError for what is no key, and where none is set and the data folder cannot
    keep one.
    """
    chosen = environment.personal_data_key
    if chosen is None:
        return (_kept(environment.data_dir, PERSONAL_DATA_FILE, _personal_data_key),)
    keys = tuple(part.strip() for part in chosen.get_secret_value().split(",") if part.strip())
    try:
        for key in keys:
            Fernet(key)
    except ValueError:
        keys = ()
    if not keys:
        raise ConfigurationError(
            "PERSONAL_DATA_KEY is no key, or a list with something in it that is none.\n"
            "A key is 32 random bytes in URL-safe base64; make one with: python -c "
            '"from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'
        )
    return keys


def _personal_data_key() -> str:
    return Fernet.generate_key().decode()


def _kept(folder: Path, name: str, new: Callable[[], str]) -> str:
    path = folder / name
    try:
        return path.read_text().strip() or _make(path, new)
    except FileNotFoundError:
        return _make(path, new)
    except OSError as error:
        raise unusable(folder, error) from error


def _make(path: Path, new: Callable[[], str]) -> str:
    """Write a new key next to `path` and link it there: of two processes at once, one wins."""
    ensure_data_dir(path.parent)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(new())
        if path.exists() and not path.read_text().strip():
            path.unlink()
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise unusable(path.parent, error) from error

"""The site's secret key: from the environment, or made once and kept in the data folder."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from interview_project.env import Environment
from interview_project.errors import ConfigurationError

FILE_NAME = "secret_key"


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
    path = environment.data_dir / FILE_NAME
    try:
        return path.read_text().strip() or _make(path)
    except FileNotFoundError:
        return _make(path)
    except OSError as error:
        raise unusable(environment.data_dir, error) from error


def _make(path: Path) -> str:
    """Write a new key next to `path` and link it there: of two processes at once, one wins."""
    ensure_data_dir(path.parent)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
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

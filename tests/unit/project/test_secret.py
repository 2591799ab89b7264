"""The secret key that makes itself."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from interview_project.env import read_environment
from interview_project.errors import ConfigurationError
from interview_project.secret import secret_key


def test_the_key_is_made_once_kept_and_private(tmp_path: Path) -> None:
    environment = read_environment({"DATA_DIR": str(tmp_path / "data")})
    first = secret_key(environment)
    assert len(first) >= 50
    assert secret_key(environment) == first
    assert stat.S_IMODE((tmp_path / "data" / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret_key"]


def test_the_key_of_the_environment_wins(tmp_path: Path) -> None:
    environment = read_environment({"DATA_DIR": str(tmp_path), "SECRET_KEY": "k" * 50})
    assert secret_key(environment) == "k" * 50
    assert list(tmp_path.iterdir()) == []


def test_an_empty_key_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret_key").touch()
    assert len(secret_key(read_environment({"DATA_DIR": str(tmp_path)}))) >= 50


def test_threads_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    environment = read_environment({"DATA_DIR": str(tmp_path)})
    with ThreadPoolExecutor(8) as pool:
        keys = {future.result() for future in [pool.submit(secret_key, environment)] * 8}
    assert len(keys) == 1


def test_a_data_folder_that_cannot_be_written_says_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=r"cannot be written .*\n.*set DATA_DIR"):
        secret_key(read_environment({"DATA_DIR": str(tmp_path / "file" / "data")}))

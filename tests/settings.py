"""The project's settings for tests: a data folder of their own, nothing of the developer's.

The environment is set here and not in a conftest, because Django reads its settings before any
conftest is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

for _name in list(os.environ):
    if _name.endswith(("_API_KEY", "_BASE_URL")) or _name.startswith("LLM_"):
        del os.environ[_name]
for _name in ("REDIS_URL", "FAILPOINT", "HTTPS", "DEBUG", "SECRET_KEY", "PUBLIC_URL"):
    os.environ.pop(_name, None)
os.environ["DATA_DIR"] = os.environ.get("TEST_DATA_DIR", str(ROOT / ".data" / "test"))
os.environ["LOG_LEVEL"] = "WARNING"
# Test processes run side by side: threads of PyTorch that wait for each other would only spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Each connection is opened and closed by who uses it: a leak shows in the test that made it.
os.environ["DB_POOL_SIZE"] = "0"

from interview_project.settings import *  # noqa: E402, F403 - after the environment is set

# Processes that tests start run the project as users do, with settings of their own.
os.environ["DJANGO_SETTINGS_MODULE"] = "interview_project.settings"

# Pages name the files as they stand in the repository, whatever `make setup` has collected.
STATIC_ROOT = ROOT / ".data" / "test" / "no-static"

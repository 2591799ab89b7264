"""Resolve pyproject.toml into requirements/lock.txt (`make lock`).

PyTorch is left out: the registry's Linux build brings gigabytes of GPU libraries that a lock with
hashes would have to name. It has a file of its own, torch.txt, with the hashes of the builds that
run on the processor alone; see docs/adr/0005-lock-of-dependencies.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = "# Resolved from pyproject.toml by `make lock`; do not edit. PyTorch is in torch.txt.\n"


def main() -> None:
    """Write the lock; pip-compile's own complaint goes to the terminal when it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "lock.txt"
        current = HERE / "lock.txt"
        if current.exists() and "--upgrade" not in sys.argv:
            lock.write_text(current.read_text(encoding="utf-8"), encoding="utf-8")
        subprocess.run(
            [
                *(sys.executable, "-m", "piptools", "compile", "--quiet", "--extra", "dev"),
                *("--generate-hashes", "--allow-unsafe", "--strip-extras", "--no-annotate"),
                *("--no-header", "--no-emit-options", "--no-emit-index-url"),
                *("--no-emit-find-links", "--no-emit-trusted-host"),
                *(["--upgrade"] if "--upgrade" in sys.argv else []),
                *("--output-file", str(lock), str(HERE.parent / "pyproject.toml")),
            ],
            check=True,
        )
        entries = re.split(r"\n(?=[a-z#])", lock.read_text(encoding="utf-8").strip())
        kept = [entry for entry in entries if not entry.startswith(("torch==", "#"))]
        current.write_text(HEADER + "\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What runs in the confined process: reads one file and writes down what it found.

Called with a folder. In it lie `source` and `task.json`; it leaves `passages.jsonl` (or the members
of an archive) and, as its last act, `outcome.json`: without that it has died.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from interviews.ingest.archives import members
from interviews.ingest.confinement import confine
from interviews.ingest.limits import Refused, Unreadable
from interviews.ingest.reader import kind_at, passages

SOURCE, TASK, PASSAGES, OUTCOME = "source", "task.json", "passages.jsonl", "outcome.json"


def main() -> None:
    """Read what lies in the folder that the one argument names."""
    folder = Path(sys.argv[1])
    # A library would take it where it is there: a hundred megabytes that no cell needs.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    confine(folder)
    name = json.loads((folder / TASK).read_text(encoding="utf-8"))["name"]
    outcome: dict[str, Any] = {"status": "read", "kind": "", "reason": "", "count": 0}
    try:
        outcome["kind"] = kind_at(folder / SOURCE, name)
        if outcome["kind"] == "zip":
            found = members(folder / SOURCE, folder)
            outcome["members"] = [[inner, path.name] for inner, path in found]
            outcome["count"] = len(outcome["members"])
        else:
            outcome["count"] = _write(folder, name, outcome["kind"])
    except Unreadable as error:
        status = "refused" if isinstance(error, Refused) else "unreadable"
        outcome |= {"status": status, "reason": str(error)}
    except MemoryError:
        outcome |= {"status": "refused", "reason": "Reading the file takes too much memory."}
    except Exception as error:  # whatever a library stumbles over: the file is damaged
        reason = f"The file is damaged: reading it failed ({type(error).__name__})."
        outcome |= {"status": "unreadable", "reason": reason}
    outcome["peak_mb"] = _peak_mb()
    (folder / OUTCOME).write_text(json.dumps(outcome), encoding="utf-8")


def _peak_mb() -> float:
    """The most memory that this process has held; 0 where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def _write(folder: Path, name: str, kind: Any) -> int:
    count = 0
    with (folder / PASSAGES).open("w", encoding="utf-8") as target:
        for passage in passages(folder / SOURCE, name, kind):
            target.write(json.dumps(passage.as_json(), ensure_ascii=False) + "\n")
            count += 1
    return count


if __name__ == "__main__":
    main()

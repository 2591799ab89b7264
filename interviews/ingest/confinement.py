"""Takes from a process what a reader of files never needs, before it sees the file.

Limits of the system hold everywhere. Where Linux offers them, a network namespace without any
network and Landlock (no writing but in one folder, no connection) hold against native code, too;
the interpreter's audit hook stands for both where they are missing.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
from pathlib import Path
from typing import Any

from interviews.ingest.limits import CPU_SECONDS, MB, MEMORY_BYTES

OUTPUT_BYTES = 300 * MB
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_WRITES = 0b1_1111_1111_0010
"""Every right of the first version but to run, to read files and to list folders."""
_TO_REFER, _TO_TRUNCATE = 1 << 13, 1 << 14
"""Rights that versions 2 and 3 brought."""
_CONNECTIONS = 0b11
_FORBIDDEN = (
    "socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system",
    "ctypes.", "os.kill", "pty.", "ftplib.", "urllib.", "smtplib.",
)  # fmt: skip
_CHANGES = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "shutil.",
)  # fmt: skip


def confine(folder: Path) -> None:
    """From now on this process has 512 MB, 60 s, no network, and writes in `folder` alone."""
    folder = folder.resolve()
    os.chdir(folder)
    _limit()
    _leave_network()
    _landlock(folder)
    sys.addaudithook(_hook(folder))


def _limit() -> None:
    for what, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (limit, limit))


def _leave_network() -> None:
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    if unshare is not None and unshare(_NEW_USER | _NEW_NET) != 0:
        unshare(_NEW_NET)  # who may do everything needs no namespace of users for it


def _landlock(folder: Path) -> None:
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    writes = _WRITES | (_TO_REFER if version >= 2 else 0) | (_TO_TRUNCATE if version >= 3 else 0)
    handled = struct.pack("QQ", writes, _CONNECTIONS)
    size = 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.c_char_p(handled), size, 0)
    if ruleset < 0:
        return
    parent = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", writes, parent)
    if (
        libc.syscall(_ADD_RULE, ruleset, 1, ctypes.c_char_p(rule), 0) == 0
        and libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    ):
        libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(parent)
    os.close(ruleset)


def _hook(folder: Path) -> Any:
    inside = f"{folder}{os.sep}"

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(f"a reader of files may not use {event}")
        if event == "open" and _writes(args) and not _inside(args[0], inside):
            raise PermissionError("a reader of files writes in its own folder alone")
        if event.startswith(_CHANGES) and not _inside(args[0], inside):
            raise PermissionError("a reader of files changes its own folder alone")

    return watch


def _writes(args: tuple[Any, ...]) -> bool:
    mode, flags = args[1], args[2]
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return bool(isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def _inside(path: object, folder: str) -> bool:
    if isinstance(path, int):
        return True  # opened before, or through here
    return os.path.realpath(os.fsdecode(path)).startswith(folder)  # type: ignore[arg-type]

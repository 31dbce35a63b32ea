"""Files that are replaced as a whole, and outputs that one process writes at a time.

A temporary file is created exclusively: a symbolic link or a file of somebody else in its place is never
followed or overwritten. Its name is always the same, so that files which killed processes left behind do not
accumulate; a lock, which the system drops when a process ends, tells such a leftover from a file in use.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # not a POSIX system: there are no locks
    fcntl = None  # type: ignore[assignment]

_FLAGS = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) if hasattr(os, "O_CLOEXEC") else 0
UNFINISHED = ".unfinished"
"""The end of the names of temporary files."""
_ATTEMPTS = 10
_PREFIX, _LOCK = "spindle-", ".in-use"


class Busy(OSError):
    """Another process is writing the same output."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            errno.EBUSY, "another process is writing it; wait, or choose another name", str(path)
        )


@contextmanager
def replacing(path: Path, writer: str = "") -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` at the end: readers see the old file or the new one.

    Several processes may write the same file, of which the last one stays, if each has a name as a `writer`.
    """
    temporary = path.with_name(f".{path.name}{writer and f'.{writer}'}{UNFINISHED}")
    with _created(temporary, path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
        temporary.replace(path)


def appending(path: Path) -> IO[bytes]:
    """Open a file to write at its end; an `OSError` for a symbolic link."""
    return open(path, "ab", opener=lambda name, flags: os.open(name, flags | _FLAGS, 0o666))


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Raise `Busy` if another process is inside this context for the same path."""
    with _created(path.with_name(f".{path.name}.lock"), path):
        yield


def private_folder() -> tuple[Path, Callable[[], None]]:
    """Make a temporary folder for this process; return its path and the function that deletes it.

    Folders that killed processes have left behind are deleted first: the lock inside them is free.
    """
    place = Path(tempfile.gettempdir())
    with suppress(OSError):
        for old in place.glob(f"{_PREFIX}*"):
            _remove_if_left_behind(old)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    lock = open(folder / _LOCK, "wb")
    _lock(lock.fileno())

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()

    return folder, remove


def _remove_if_left_behind(folder: Path) -> None:
    """Delete a folder of ours that no process uses any more."""
    with suppress(OSError):
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return
        number = os.open(folder / _LOCK, os.O_RDWR | _FLAGS)
        try:
            if fcntl is not None and _lock(number):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(number)


@contextmanager
def _created(temporary: Path, path: Path) -> Iterator[IO[bytes]]:
    """Create a file exclusively, lock it, and remove it at the end if it is still there."""
    for _ in range(_ATTEMPTS):
        try:
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666)
        except FileExistsError:
            _remove_leftover(temporary, path)
            continue
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None
        if _lock(number):
            break
        os.close(number)
    else:
        raise Busy(path)
    try:
        with open(number, "wb") as file:
            yield file
    finally:
        with suppress(OSError):
            temporary.unlink()


def _remove_leftover(temporary: Path, path: Path) -> None:
    """Remove the file of a process that has ended; refuse one in use, and anything that is no plain file."""
    try:
        if not stat.S_ISREG(temporary.lstat().st_mode):
            raise OSError(errno.EEXIST, f"{temporary.name} is in the way; remove it", str(path))
        number = os.open(temporary, os.O_RDWR | _FLAGS)
    except FileNotFoundError:
        return
    try:
        if not _lock(number):
            raise Busy(path)
        with suppress(FileNotFoundError):
            temporary.unlink()
    finally:
        os.close(number)


def _lock(number: int) -> bool:
    """Lock an open file; return whether that was possible."""
    if fcntl is not None:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
    return True

"""Real schedulers and workers of Dask, as processes of their own that listen on the loopback address."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class DaskCluster:
    """A scheduler at a fixed address, and workers with one thread each. All of them end with the context."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start_scheduler()

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(timeout=30)

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        options = ["--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard", "--no-show"]
        self.scheduler = self._start("dask_scheduler", *options)
        return self.scheduler

    def start_worker(self, largest_file: int | None = None) -> subprocess.Popen[bytes]:
        """Start a worker; its disk is full if a file gets larger than this number of kilobytes."""
        options = [self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        where = ["--local-directory", str(self._folder), "--death-timeout", "60"]
        limit = f"trap '' XFSZ; ulimit -f {largest_file}; " if largest_file else ""
        return self._start("dask_worker", *options, *where, before=limit)

    def _start(self, module: str, *options: str, before: str = "") -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
        process = subprocess.Popen(
            ["bash", "-c", f'{before}exec "$@"', "bash", *command],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONWARNINGS": "ignore"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._processes.append(process)
        return process

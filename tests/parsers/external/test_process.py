"""External programs run within limits, and no process of theirs survives them."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from spindle.errors import ParserError
from spindle.parsers.external import process
from spindle.parsers.external.process import LOGGED_CHARACTERS, SHOWN_CHARACTERS, Limits
from support.watching import wait_until_gone

FREE = Limits()
WITH_A_CHILD = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"]).pid, flush=True)
"""


DAEMON = """
import os, subprocess, sys, time
child = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(99)"
subprocess.Popen([sys.executable, "-c", child])
time.sleep(%s)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def run(name: str, command: list[str], folder: Path, limits: Limits, output: Path | None = None) -> str:
    """Run a program and return its log entry."""
    said: list[str] = []
    process.run(name, command, folder, limits, said.append, output)
    return said[0]


def wait_for_line(path: Path) -> str:
    while not path.exists() or not path.read_text().endswith("\n"):
        time.sleep(0.05)
    return path.read_text()


def test_output_is_logged(tmp_path: Path) -> None:
    said = run("it", python("import sys; print('hello'); print('oh', file=sys.stderr)"), tmp_path, FREE)
    assert said.startswith("$ ")
    assert said.endswith("\nhello\noh")
    said = run("it", python(f"print('x' * {LOGGED_CHARACTERS + 5})"), tmp_path, FREE)
    assert said.endswith("\n…" + "x" * LOGGED_CHARACTERS)


def test_arguments_are_not_passed_through_a_shell(tmp_path: Path) -> None:
    hostile = "; touch owned $(touch owned) `touch owned` | '\""
    run("it", [*python("import sys; print(sys.argv[1])"), hostile], tmp_path, FREE)
    assert (tmp_path / "stdout.txt").read_text() == hostile + "\n"
    assert not (tmp_path / "owned").exists()


def test_it_runs_in_its_folder_with_empty_standard_input(tmp_path: Path) -> None:
    code = "import os, sys, tempfile; print(os.getcwd(), tempfile.gettempdir(), repr(sys.stdin.read()))"
    assert run("it", python(code), tmp_path, FREE).endswith(f"\n{tmp_path} {tmp_path} ''")


def test_standard_output_can_be_the_result(tmp_path: Path) -> None:
    said = run("it", python("print('a result')"), tmp_path, FREE, tmp_path / "output")
    assert "a result" not in said.partition("\n")[2]
    assert (tmp_path / "output").read_text() == "a result\n"


def test_failures_show_the_last_output(tmp_path: Path) -> None:
    code = "import sys; print('x' * 9000, file=sys.stderr); sys.exit('no such tag: é')"
    with pytest.raises(
        ParserError, match=r"it failed with exit code 1; its last output:\n…x+\nno such tag: é"
    ) as error:
        run("it", python(code), tmp_path, FREE)
    assert len(str(error.value)) < SHOWN_CHARACTERS + 100
    said: list[str] = []
    with pytest.raises(ParserError, match="exit code 1"):
        process.run("it", python(code), tmp_path, FREE, said.append)
    assert "x" * 9000 in said[0]  # the log is longer than the message
    with pytest.raises(ParserError, match="exit code 3; its last output:\non stdout"):
        run("it", python("import os; print('on stdout', flush=True); os._exit(3)"), tmp_path, FREE)
    trace = "java.lang.OutOfMemoryError: heap\n" + "\tat a.b.C.d(C.java:1)\n" * 99 + "\t... 12 more\n"
    java = f"import sys; sys.stderr.write({trace!r}); sys.exit(1)"
    with pytest.raises(ParserError, match=r"64 MB of memory allowed; its last output:\njava.*: heap\Z"):
        run("it", python(java), tmp_path, Limits(megabytes=64, keeps_to_megabytes=True))
    with pytest.raises(ParserError, match="ended by signal SIGSEGV"):
        run("it", python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), tmp_path, FREE)
    with pytest.raises(ParserError, match="there is no program 'no-such-program'"):
        run("it", ["no-such-program"], tmp_path, FREE)


def test_a_timeout_ends_the_program_and_its_children(tmp_path: Path) -> None:
    with pytest.raises(ParserError, match="stopped after 1 seconds"):
        run("it", python(WITH_A_CHILD + "time.sleep(99)"), tmp_path, Limits(seconds=1))
    assert wait_until_gone(int((tmp_path / "stdout.txt").read_text()))


def test_children_end_with_the_program(tmp_path: Path) -> None:
    run("it", python(WITH_A_CHILD), tmp_path, FREE)
    assert wait_until_gone(int((tmp_path / "stdout.txt").read_text()))


def test_an_interruption_ends_the_program_and_its_children(tmp_path: Path) -> None:
    def interrupt() -> None:
        wait_for_line(tmp_path / "stdout.txt")
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run("it", python(WITH_A_CHILD + "time.sleep(99)"), tmp_path, FREE)
    assert wait_until_gone(int((tmp_path / "stdout.txt").read_text()))
    # no zombie is left; a child of another test, such as the tracker of multiprocessing, may be alive
    with suppress(ChildProcessError):
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
@pytest.mark.parametrize("rest", [1, 99])
def test_a_daemon_is_ended_and_leaves_no_zombie(tmp_path: Path, rest: int) -> None:
    if rest == 1:
        run("it", python(DAEMON % rest), tmp_path, FREE)
    else:
        with pytest.raises(ParserError, match="stopped after 2 seconds"):
            run("it", python(DAEMON % rest), tmp_path, Limits(seconds=2))
    assert not Path("/proc", (tmp_path / "stdout.txt").read_text().strip()).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux signals a program when its parent ends")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_program_and_its_children_end_if_this_process_is_killed(tmp_path: Path, number: int) -> None:
    ours = f"""
from pathlib import Path
from spindle.parsers.external.process import Limits, run
run("it", {python(WITH_A_CHILD + "time.sleep(99)")!r}, Path({str(tmp_path)!r}), Limits(), print)
"""
    parent = subprocess.Popen(python(ours))
    child = int(wait_for_line(tmp_path / "stdout.txt"))
    parent.send_signal(number)
    parent.wait()
    assert wait_until_gone(child)


def test_sigpipe_ends_a_program(tmp_path: Path) -> None:
    # Python ignores SIGPIPE, and a child process would inherit that
    assert run("it", ["sh", "-c", "yes | head -n 1"], tmp_path, FREE).endswith("\ny")


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited reliably on Linux only")
def test_memory_is_limited(tmp_path: Path) -> None:
    code = "print(len(bytearray(900_000_000)))"
    with pytest.raises(ParserError, match=r"(?s)with 500 MB of memory allowed.*MemoryError"):
        run("it", python(code), tmp_path, Limits(megabytes=500))
    assert subprocess.run(["true"], check=True).returncode == 0  # the limit does not apply to this process
    run("it", python("print(len(bytearray(90_000_000)))"), tmp_path, Limits(megabytes=500))


def test_output_is_limited(tmp_path: Path) -> None:
    limits = Limits(output=1)
    with pytest.raises(ParserError, match="it wrote more than 1 MB; raise its option output"):
        run("it", ["dd", "if=/dev/zero", "of=big", "bs=1000000", "count=3"], tmp_path, limits)
    assert (tmp_path / "big").stat().st_size == 1 << 20
    # Python ignores the signal and gets an error
    with pytest.raises(ParserError, match=r"(?s)it failed with exit code 1.*File too large"):
        run("it", python("open('other', 'wb').write(bytes(3_000_000))"), tmp_path, limits)
    run("it", python("open('other', 'wb').write(bytes(1_000_000))"), tmp_path, limits)

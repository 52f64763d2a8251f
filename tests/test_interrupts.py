"""Tests of Ctrl-C at any moment: no traceback, exit code 130, and the prompt on a new line."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import long_after_first

if os.name != "posix":
    pytest.skip("Ctrl-C is no signal here", allow_module_level=True)

ENTRY_SCRIPT = """
import os, signal, sys
from pond_hw import __main__ as entry

def then_listen(number, handler, set_handler=signal.signal):
    set_handler(number, handler)
    if handler is entry.exit_interrupted:
        os.write(int(os.environ["BEGUN"]), b"!")
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

signal.signal = then_listen
sys.exit(entry.main())
"""
"""Script that delays Ctrl-C until Python has started and the first line of Pond runs."""


def press(arguments, delay, times=1):
    """Press Ctrl-C some seconds after a command has started. Return its exit code and the terminal's text."""
    read_end, write_end = os.pipe()
    master, slave = pty.openpty()
    code = [sys.executable, "-c", ENTRY_SCRIPT, *arguments]
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process = subprocess.Popen(
            code,
            stdin=subprocess.PIPE,
            stdout=slave,
            stderr=slave,
            pass_fds=(write_end,),
            env=os.environ | {"BEGUN": str(write_end)},
            start_new_session=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
    with process:
        os.close(write_end)
        os.read(read_end, 1)
        time.sleep(delay)
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.001)
        process.wait(30)
    os.close(read_end)
    os.set_blocking(master, False)
    seen = b""
    os.close(slave)
    try:
        while more := os.read(master, 65536):
            seen += more
    except OSError:
        pass
    os.close(master)
    return process.returncode, seen.decode()


COMMANDS = [
    ["perft", "standard", "9"],
    ["solve", "3x3/6/3"],
    ["headless"],
    ["tournament", "level-1", "greedy", "--games", "4000", "--workers", "2"],
    ["study", "mini", "--workers", "2"],
    ["hardware", "build", "hall-5x5", "-o", "/dev/null/board"],
]


@pytest.mark.parametrize("moment", long_after_first([0.0, 0.03, *(0.02 * n for n in range(1, 20))], 2))
@pytest.mark.parametrize("command", long_after_first(COMMANDS, 1), ids=lambda command: command[0])
def test_ctrl_c_is_handled_at_any_moment(command, moment):
    code, seen = press(command, moment)
    assert "Traceback" not in seen
    assert "ignored" not in seen
    assert code in (130, 2, -signal.SIGINT)  # it ended before, with an error message, or was already ending
    assert seen.endswith("\r\n")


@pytest.mark.slow
@pytest.mark.parametrize("command", long_after_first(COMMANDS, 1), ids=lambda command: command[0])
def test_repeated_ctrl_c_is_handled(command):
    code, seen = press(command, 0.3, times=20)
    assert "Traceback" not in seen
    assert "ignored" not in seen
    assert code in (130, 2, -signal.SIGINT)


LOST = """
class Lost:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

class TimerOfAnImpatientHand(threading.Timer):
    def start(self):
        for _ in range(20):
            signal.raise_signal(signal.SIGINT)
        super().start()

threading.Timer = TimerOfAnImpatientHand

def run(asked):
    Lost()
    while True:
        time.sleep(0.1)  # a signal just before one long sleep would be missed
"""

QUOTED = """
def run(asked):
    raise TypeError("could not export an array: Traceback (most recent call last) ... KeyboardInterrupt")
"""


NAMED = """
class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def run(asked):
    class Made:
        name = Named()
"""

WHERE = {
    "where exceptions cannot propagate": LOST,
    "in a compiled library": QUOTED,
    "while a class is being created": NAMED,
}


@pytest.mark.parametrize("run", WHERE.values(), ids=WHERE)
def test_ctrl_c_in_library_code_is_not_lost(run):
    code = f"""
import signal, sys, threading, time
from pond_hw import __main__ as entry
from pond_hw.commands import boards
{run}
boards.run_command = run
sys.exit(entry.main())
"""
    completed = subprocess.run([sys.executable, "-c", code, "boards"], capture_output=True, check=False, timeout=15)
    assert (completed.returncode, completed.stdout, completed.stderr) == (130, b"", b"")

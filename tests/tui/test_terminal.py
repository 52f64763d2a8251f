"""Tests that screens close on a signal, even if they are stuck or their terminal is gone."""

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager

import pytest

from tests.conftest import long_after_first, skip_outside_ci

SCREEN = """
    import asyncio, sys
    from pond_hw.tui import terminal

    class Screen:
        def exit(self):
            if sys.argv[1] == "leaves":
                ended.set()

    async def run_screen():
        terminal.exit_on_signal(Screen())
        print("ready", flush=True)
        await ended.wait()

    terminal.STUCK_SECONDS = float(sys.argv[2])
    ended = asyncio.Event()
    asyncio.run(run_screen())
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", long_after_first([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
@pytest.mark.parametrize(("behaviour", "stuck_seconds"), [("leaves", 600.0), ("is stuck", 0.3)])
def test_signal_ends_the_program(behaviour, stuck_seconds, number):
    command = [sys.executable, "-c", textwrap.dedent(SCREEN), behaviour, str(stuck_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as screen:
        assert screen.stdout.readline() == b"ready\n"
        os.kill(screen.pid, number)
        is_forced = behaviour == "is stuck"
        assert screen.wait(60) == (128 + number if is_forced else 0)
        errors = screen.stderr.read()
    assert errors.startswith(b"\x1b[?1049l") == is_forced


# Real terminals

DRAWING_SCREEN = """
    import os, sys
    from pond_hw.tui import terminal

    class Screen(terminal.TerminalApp):
        def on_ready(self):
            os.write(int(sys.argv[1]), b"there")
            self.draw("always")

        def exit(self):
            self.draw("on the signal")
            super().exit()

        def on_unmount(self):
            self.draw("during exit")

        def draw(self, when):
            if when == sys.argv[2]:
                for _ in range(100):
                    self._driver.write(" " * 10_000)

    terminal.STUCK_SECONDS = float(sys.argv[3])
    Screen().run()
"""


@contextmanager
def screen_in_a_terminal(draws, stuck_seconds=600.0):
    """Run a screen in a terminal that neither reads its output nor sends signals by itself."""
    try:
        terminal, screens_end = os.openpty()
    except OSError as error:
        skip_outside_ci(f"needs a pseudo-terminal: {error}")
    reader, writer = os.pipe()
    command = [sys.executable, "-c", textwrap.dedent(DRAWING_SCREEN), str(writer), draws, str(stuck_seconds)]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), screens_end)
    screen = subprocess.Popen(command, **streams, pass_fds=[writer], start_new_session=True)
    try:
        os.close(screens_end)
        os.close(writer)
        with os.fdopen(reader, "rb") as ready, os.fdopen(terminal, "rb", 0) as output:
            assert ready.read(5) == b"there"
            yield screen, output
    finally:
        screen.kill()
        screen.wait()


@pytest.mark.slow
@pytest.mark.parametrize("draws", ["on the signal", "during exit"])
def test_lost_terminal_ends_a_busy_screen(draws):
    with screen_in_a_terminal(draws) as (screen, terminal):
        terminal.close()
        screen.send_signal(signal.SIGTERM)
        screen.wait(20)


@pytest.mark.slow
def test_signal_ends_a_blocked_screen():
    with screen_in_a_terminal("always", stuck_seconds=0.3) as (screen, _):
        screen.send_signal(signal.SIGTERM)
        assert screen.wait(20) == 128 + signal.SIGTERM


@pytest.mark.slow
def test_sigcont_without_stop_is_ignored():
    """A closing terminal sends SIGCONT, just like a shell that resumes a stopped program."""
    with screen_in_a_terminal("never") as (screen, terminal):
        screen.send_signal(signal.SIGCONT)
        screen.send_signal(signal.SIGTERM)
        shown = b""
        try:
            while shown_now := terminal.read(1 << 16):
                shown += shown_now
        except OSError:  # the terminal is closed
            pass
        assert screen.wait(20) == 0
    assert shown.count(b"\x1b[?1049h") == 1  # the alternate screen

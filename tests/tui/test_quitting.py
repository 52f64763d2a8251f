"""Screens that are told to end do, even if they are stuck."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.conftest import first_now_rest_long

SCREEN = """
    import asyncio, sys
    from pond_hw.tui import terminal as leaving

    class Screen:
        is_running = True
        def exit(self):
            if sys.argv[1] == "leaves":
                ended.set()

    async def live():
        leaving.exit_on_signal(Screen())
        print("there", flush=True)
        await ended.wait()

    leaving.STUCK_SECONDS = 0.3
    ended = asyncio.Event()
    asyncio.run(live())
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", first_now_rest_long([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
@pytest.mark.parametrize(("does", "code"), [("leaves", 0), ("is stuck", 128)])
def test_whoever_is_told_to_end_ends(does, code, number):
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCREEN), does], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as screen:
        assert screen.stdout.readline() == b"there\n"
        os.kill(screen.pid, number)
        assert screen.wait(20) == (code + number if code else 0)
        said = screen.stderr.read()
    assert said.startswith(b"\x1b[?1049l") == bool(code)

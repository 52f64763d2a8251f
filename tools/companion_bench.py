"""Benchmark of the companion's speed and load on this machine, a laptop or a Pi.

    python -m tools.companion_bench --seconds 60

Presses come from gpiozero's mock pins, and lamp data is only encoded in memory, so no hardware is needed. The time that
a real wire would add is calculated.
"""

from __future__ import annotations

import os
import platform
import re
import socket
import subprocess
import sys
import tempfile
import threading
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getrusage
from statistics import median, quantiles
from time import monotonic, perf_counter, process_time, sleep
from typing import NamedTuple

from pond_hw.board import Frame
from pond_hw.board_factory import build_board
from pond_hw.commands.progress_line import ProgressLine, describe_duration
from pond_hw.companion import Companion, RealClock
from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.drivers.scan import SensorScan
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.catalogue import to_english
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import DirectWiring
from pond_hw.rules import STANDARD, Variant, parse_variant
from pond_hw.session import Session, TakeAction
from pond_hw.simulator import SimulatedBoard
from tools.mock_pins import MockPins

PRESS_COUNT = 200

SCANNED_BOARDS = ("direct-4x4", "matrix-5x5")
"""Boards whose sensor scan is measured."""

PRESS_SECONDS = 0.09
"""Average number of seconds between presses."""

MAX_WAIT_SECONDS = 20.0
"""Maximum number of seconds to wait for an answer."""


MAX_SECONDS = 3600
"""Maximum duration in seconds of each measurement of an untouched board."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(
        prog="python -m tools.companion_bench", description="Measure speed and load of the companion."
    )
    help_text = "seconds of each measurement of an untouched board (10)"
    parser.add_argument("--seconds", metavar="N", type=_parse_seconds, default=10, help=help_text)
    measure_everything(parser.parse_args(arguments).seconds)


def _parse_seconds(word: str) -> int:
    if not 1 <= int(word) <= MAX_SECONDS:
        raise ArgumentTypeError(f"{word} is not from 1 to {MAX_SECONDS}")
    return int(word)


def measure_everything(seconds: float) -> None:
    """Run all measurements and show the progress.

    Args:
        seconds: duration of each measurement of an untouched board.
    """
    try:
        machine_name = Path("/proc/device-tree/model").read_text(encoding="utf-8").strip("\0")
    except OSError:
        machine_name = f"{platform.machine()}, no Raspberry Pi"
    print(f"Python {platform.python_version()} on {machine_name}")
    print("Pins and lamps are simulated: this measures the program, not the hardware.\n")
    measurements = _list_measurements(seconds)
    with ProgressLine() as progress:
        for number, measurement in enumerate(measurements):
            sys.stdout.flush()
            title = f"{measurement.what} ({number + 1} of {len(measurements)})"
            left_text = describe_duration(sum(later.seconds for later in measurements[number:]))
            progress.show_state(f"measuring {title}, {to_english(left_text)} left", new=True)
            result_lines = measurement.measure()
            progress.clear_line()
            print("\n".join(result_lines))


class _Measurement(NamedTuple):
    """Measurement with an estimate of its duration. `measure` returns the lines to print."""

    what: str
    seconds: float
    measure: Callable[[], list[str]]


def _list_measurements(seconds: float) -> list[_Measurement]:
    def measure_still() -> list[str]:
        heading = f"\nprocessor, seconds in a minute (measured over {seconds:g} s each; 3.0 is 5 % of a core)"
        return [heading, *_measure_rest("  idle, lamps still", _is_still, seconds)]

    breathing_label = "  idle, open water comes and goes"
    return [
        _Measurement("touch to lamp", 2 + PRESS_COUNT * PRESS_SECONDS, _measure_latency),
        _Measurement("rest, lamps still", seconds + 1, measure_still),
        _Measurement(
            "rest, lamps breathing", seconds + 1, partial(_measure_rest, breathing_label, _is_breathing, seconds)
        ),
        *(
            _Measurement(f"the sensors of {board_name}", seconds, partial(_measure_scan, board_name, seconds))
            for board_name in SCANNED_BOARDS
        ),
        _Measurement("the service", seconds + 2, partial(_measure_service, seconds)),
    ]


def _format_row(label: str, value_text: str, more_text: str = "") -> str:
    return f"{label:<42}{value_text:>10}  {more_text}".rstrip()


class _MemoryWire:
    """Wire that encodes data like a real wire and discards the result."""

    def open(self) -> None:
        pass

    def send_bytes(self, data: bytes) -> None:
        PACKED.encode(data)

    def close(self) -> None:
        pass


def _measure_latency() -> list[str]:
    """Measure the time from an edge on a mock pin to the bytes of the resulting frame."""
    profile = load_profile("direct-4x4", measured=False)
    wiring = profile.sensing.wiring
    assert isinstance(wiring, DirectWiring)
    random_source, wait_times = Random(5), list[float]()
    with MockPins() as pins:
        clock = RealClock()
        board, session = build_board(profile, clock.now, wire=_MemoryWire()), Session.start_game(STANDARD)
        companion = Companion(board, session, clock, limiter=profile_limiter(profile))
        answered, answer_instant, show = threading.Event(), 0.0, board.lamps.show
        shown_frame = companion.frame

        def show_and_stamp(frame: Frame) -> None:
            nonlocal session, shown_frame, answer_instant
            show(frame)
            is_answer = companion.session is not session and frame != shown_frame
            shown_frame = frame
            if is_answer:
                session, answer_instant = companion.session, perf_counter()
                answered.set()

        def press_cells() -> None:
            sleep(1.0)
            for press_number in range(PRESS_COUNT):
                cell = random_source.choice(list(wiring.pins))
                answered.clear()
                press_instant = perf_counter()
                pins.press_switch(wiring, cell)
                if not answered.wait(MAX_WAIT_SECONDS):
                    wait_times.append(MAX_WAIT_SECONDS)  # A lost press is a bug and must show in the results.
                elif press_number:  # The first press is a warm-up.
                    wait_times.append(answer_instant - press_instant)
                sleep(0.03 + random_source.random() * 0.02)
                pins.release_switch(wiring, cell)
                sleep(0.03 + random_source.random() * 0.02)

        board.lamps.show = show_and_stamp  # type: ignore[method-assign]
        hand = threading.Thread(target=press_cells, daemon=True)  # Ctrl-C must not wait for it.
        hand.start()
        while hand.is_alive():
            companion.run_until(clock.now() + 0.1)
        companion.close()
    beyond_ms = [(wait - profile.sensing.debounce_seconds) * 1000 for wait in wait_times]
    debounce_ms, lamp_count = profile.sensing.debounce_seconds * 1000, profile.chain.lamp_count
    assert isinstance(board.sensors, SensorScan)
    rest_rate, quick_rate = 1 / board.sensors.rest_seconds, 1 / board.sensors.quick_seconds
    rates = (
        f"sensors are read on each edge, else {rest_rate:.0f} times a second, {quick_rate:.0f} while something moves"
    )
    on_wire = PACKED.frame_bytes(lamp_count) * 8 / PACKED.spi_hz * 1000
    return [
        f"touch to lamp, ms beyond the {debounce_ms:g} ms of debouncing ({len(beyond_ms)} presses)",
        _format_row("  p50", f"{median(beyond_ms):.1f}", rates),
        _format_row("  p99", f"{quantiles(beyond_ms, n=100)[98]:.1f}"),
        _format_row("  the wire takes besides, calculated", f"{on_wire:.1f}", f"{lamp_count} lamps over SPI"),
    ]


def _is_still(session: Session) -> bool:
    """Return True if no cell is animated. With four lamps per cell, that is when the side to move has no spawn left."""
    return session.position.spawn[session.position.to_move] == 0


def _is_breathing(session: Session) -> bool:
    """Return True after ten actions. Cells where an egg may be placed then glow and fade."""
    return len(session.turns) >= 10


def _measure_rest(label: str, is_reached: Callable[[Session], bool], seconds: float) -> list[str]:
    """Measure the load of the companion on an untouched simulated board, at a given point in a game."""
    clock, session = RealClock(), _play_until(parse_variant("big"), is_reached)
    companion = Companion(SimulatedBoard(session.size, 4, clock.now).to_board(), session, clock)
    companion.run_until(clock.now() + 1)
    drawn_before = companion.display.drawn_count
    core_share = _measure_core_share(lambda: companion.run_until(clock.now() + seconds))
    drawn_per_minute = (companion.display.drawn_count - drawn_before) * 60 / seconds
    companion.close()
    return [
        _format_row(
            label, f"{core_share * 60:.2f}", f"5x5, 4 lamps a cell, drawn {drawn_per_minute:.0f} times a minute"
        )
    ]


def _play_until(variant: Variant, is_reached: Callable[[Session], bool]) -> Session:
    for seed in range(1000):
        random_source, session = Random(seed), Session.start_game(variant)
        while not session.outcome:
            if is_reached(session):
                return session
            session = session.after(TakeAction(random_source.choice(session.allowed_actions), -60.0))
    raise AssertionError("no game comes so far")


def _measure_scan(name: str, seconds: float) -> list[str]:
    """Measure the sensor scan of a board on mock pins."""
    profile = load_profile(name, measured=False)
    with MockPins():
        sensors = build_board(profile, monotonic, wire=_MemoryWire()).sensors
        assert isinstance(sensors, SensorScan)
        sensors.open(lambda _event: None)
        polls, wakeups = sensors.poll_count, getrusage(RUSAGE_SELF).ru_nvcsw
        share = _measure_core_share(lambda: sleep(seconds))
        polls, wakeups = sensors.poll_count - polls, getrusage(RUSAGE_SELF).ru_nvcsw - wakeups
        sensors.close()
    counted = f"{polls / seconds:.0f} readings/s, {wakeups / seconds * 60:.0f} wakeups a minute"
    return [_format_row(f"  scanning {profile.size**2} cells, at rest", f"{share * 60:.2f}", f"{name}, {counted}")]


def _measure_core_share(busy_job: Callable[[], None]) -> float:
    begin_instant, used = monotonic(), process_time()
    busy_job()
    return (process_time() - used) / (monotonic() - begin_instant)


def _measure_service(seconds: float) -> list[str]:
    """Measure `pond serve` as a separate process on a simulated board."""
    with _start_service("simulated-5x5") as (process, first_frame):
        if first_frame is None:
            return ["\npond serve did not start here"]
        before = _read_processor_seconds(process.pid)
        sleep(seconds)
        used = (_read_processor_seconds(process.pid) - before) / seconds * 60
        return [
            _format_row("  pond serve, nothing touched", f"{used:.2f}", "simulated-5x5"),
            "\npond serve, simulated-5x5",
            _format_row("  from start to the first frame, s", f"{first_frame:.3f}"),
            _format_row("  resident memory, MB", _read_memory(process.pid)),
        ]


@contextmanager
def _start_service(board: str) -> Iterator[tuple[subprocess.Popen[bytes], float | None]]:
    """Run the service. Yield its process, and the number of seconds until its first frame, or None."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        ready.bind(f"{folder}/ready")
        ready.settimeout(MAX_WAIT_SECONDS)
        command = [sys.executable, "-m", "pond_hw", "serve", "--board", board, "--socket", f"{folder}/pond"]
        begin_instant = monotonic()
        environment = os.environ | {"NOTIFY_SOCKET": f"{folder}/ready"}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            while b"READY=1" not in ready.recv(4096):
                pass
            yield process, monotonic() - begin_instant
        except TimeoutError:
            yield process, None
        finally:
            process.terminate()
            process.wait(MAX_WAIT_SECONDS)


def _read_processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read_memory(process: int) -> str:
    """Return the resident memory of a process in MB, or a question mark if it is unknown."""
    memory_match = re.search(
        r"^VmRSS:\s*(\d+)", Path(f"/proc/{process}/status").read_text(encoding="ascii"), re.MULTILINE
    )
    return f"{int(memory_match[1]) / 1024:.1f}" if memory_match else "?"


if __name__ == "__main__":
    main()

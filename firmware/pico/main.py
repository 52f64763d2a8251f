"""Run the firmware at power-on, and restart it after any failure.

It stops at MicroPython's prompt after `pond board prompt`, and after three failed starts in a row. The last failure is
in error.txt.
"""

import os
import sys
import time
from json import loads

import machine
from pico_hardware import CONFIG, PROMPT, RESTARTS, PicoHardware
from pond_board import PondBoard

ERROR = "error.txt"
MAX_RESTARTS = 3  # in a row; a run of PROVEN_MS counts as a success
PROVEN_MS = 10_000


def remove(name):
    """Remove a file, and return True if it existed."""
    try:
        os.remove(name)
    except OSError:
        return False
    return True


def is_stopped():
    """Return True if the firmware must not run: a prompt was requested, or too many starts failed."""
    if remove(PROMPT):
        return True
    if machine.reset_cause() != machine.WDT_RESET:  # it was switched on; machine.reset() counts as WDT_RESET
        remove(RESTARTS)
        return False
    try:
        with open(RESTARTS) as file:
            restarts = int(file.read()) + 1
    except (OSError, ValueError):
        restarts = 1
    if restarts >= MAX_RESTARTS:
        remove(RESTARTS)
        print("Pond's firmware has failed", restarts, "times in a row. See", ERROR)
        return True
    with open(RESTARTS, "w") as file:
        file.write(str(restarts))
    return False


def start():
    """Return the hardware and the board with the saved configuration, or with none if it is missing or invalid."""
    epoch = int.from_bytes(os.urandom(2), "big")
    try:
        with open(CONFIG, "rb") as file:
            text = file.read()
        hardware = PicoHardware(loads(text))
        return hardware, PondBoard(hardware, text, epoch)
    except (OSError, ValueError, KeyError, TypeError):  # wait for a new configuration
        hardware = PicoHardware({})
        return hardware, PondBoard(hardware, b"", epoch)


def run():
    """Scan the sensors and drive the lamps until power-off."""
    hardware, board = start()
    try:
        now = 0
        while now < PROVEN_MS:
            now = hardware.now()
            board.step(now)
        remove(RESTARTS)
        while True:
            board.step(hardware.now())
    finally:
        hardware.darken()


if not is_stopped():
    try:
        run()
    except Exception as error:  # noqa: BLE001 - restart after any failure
        try:
            with open(ERROR, "w") as file:
                sys.print_exception(error, file)
        except OSError:  # no space left
            pass
        time.sleep_ms(500)
        machine.reset()

"""Start the firmware, and restart it after any failure.

It stops at MicroPython's prompt after Ctrl-C on the first USB port, and after three failed starts in a row. The last
failure is in error.txt.
"""

import os
import sys
import time

import machine
from pond_board import PondBoard, parse_config

CONFIG, RESTARTS, ERROR = "config.json", "restarts", "error.txt"
MAX_RESTARTS = 3  # in a row; a run of PROVEN_MS counts as a success
PROVEN_MS = 10_000
UNCONFIGURED_MA = 250  # what MicroPython declares by itself (shared/tinyusb/tusb_config.h)

_prepared = []  # text and settings of the configuration, and the game's port; empty if the firmware must not run


def remove(name):
    """Remove a file that may be missing."""
    try:  # noqa: SIM105 - MicroPython has no contextlib
        os.remove(name)
    except OSError:
        pass


def read_config():
    """Return the text and the settings of the saved configuration; (b"", None) if it is missing or invalid."""
    try:
        with open(CONFIG, "rb") as file:
            text = file.read()
        return text, parse_config(text)
    except OSError:  # none was ever saved
        pass
    except ValueError as error:  # wait for a new one
        save_error(error)
    return b"", None


def save_error(error):
    """Write an error to error.txt."""
    try:
        with open(ERROR, "w") as file:
            sys.print_exception(error, file)
    except OSError:  # no space left
        pass


def has_failed_too_often():
    """Return True if the firmware has failed three times in a row. Count this start otherwise."""
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


def restart_after(error):
    """Save an error and restart, so that the next start counts it."""
    save_error(error)
    time.sleep_ms(500)
    machine.reset()


def darken():
    """Switch off lamps that a hang has left lit."""
    try:
        _, config = read_config()
        if config:
            from pico_hardware import Lamps

            Lamps(config)
    except Exception:  # noqa: BLE001 - the prompt matters more
        pass


def prepare():
    """Read the configuration and open the game's USB port, which declares the board's current to the computer."""
    if has_failed_too_often():
        darken()
        return
    try:
        from game_port import GamePort

        text, config = read_config()
        port = GamePort(config["usb_ma"] if config else UNCONFIGURED_MA)
        _prepared.extend((text, config, port))
    except Exception as error:  # noqa: BLE001 - restart after any failure
        restart_after(error)


def run():
    """Scan the sensors and drive the lamps until power-off."""
    if not _prepared:
        return
    try:
        _run(*_prepared)
    except KeyboardInterrupt:
        remove(RESTARTS)
        print("Pond's firmware has stopped, and the lamps are off. To start it again, unplug the board and plug it in.")
    except Exception as error:  # noqa: BLE001 - restart after any failure
        restart_after(error)


def _run(text, config, port):
    from pico_hardware import PicoHardware

    hardware = PicoHardware(config, port)
    try:
        board = PondBoard(hardware, text, int.from_bytes(os.urandom(2), "big"))
        now = 0
        while now < PROVEN_MS:
            now = hardware.now()
            board.step(now)
        remove(RESTARTS)
        while True:
            board.step(hardware.now())
    finally:
        hardware.stop()

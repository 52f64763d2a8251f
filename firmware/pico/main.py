"""Starts when the Pico gets power. It stops at a prompt only if it was asked to, by `pond board prompt`."""

import os
import time
from json import loads

import machine
from pico_hardware import CONFIG, PROMPT, PicoHardware
from pond_board import PondBoard


def run():
    """Scan and light, until the power goes."""
    epoch = int.from_bytes(os.urandom(2), "big")
    try:
        with open(CONFIG, "rb") as file:
            text = file.read()
        hardware = PicoHardware(loads(text))
        board = PondBoard(hardware, text, epoch)
    except (OSError, ValueError, KeyError, TypeError):  # none yet, or not one for this firmware: wait for another
        hardware = PicoHardware({})
        board = PondBoard(hardware, b"", epoch)
    while True:
        board.step(hardware.now())


try:
    os.remove(PROMPT)
except OSError:
    try:
        run()
    except BaseException:  # noqa: BLE001 - whatever it is, a board is better off starting anew
        time.sleep_ms(500)
        machine.reset()

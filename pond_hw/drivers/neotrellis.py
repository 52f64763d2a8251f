"""A NeoTrellis, through Adafruit's driver: sixteen keys with a lamp under each.

The board's own processor scans the keys a hundred times a second and queues events: a key went down or up. Each reading
empties the queue and updates the level of every key. Frames for the lamps are stored and sent with the next reading, by
the same thread: the bus is slow and not thread-safe, and Adafruit's driver sleeps 8 ms before each answer.

After a brown-out the processor has forgotten what to report, and no register shows it. So one key, the heartbeat,
reports its level at every scan, down or up. If it falls silent, the board is set up again. Then all keys report their
levels once, since changes in between were not queued.

A release may get lost, too (Adafruit_Seesaw, issue 19). A key that stays down is therefore set to report while it is
up.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from time import sleep
from typing import Any, NoReturn

from pond_hw.drivers.blinka import import_adafruit
from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.i2c_bus import I2cBus, unwrap_bus_errors
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import LampSettings, TrellisWiring

KEY_COUNT = 16
HEARTBEAT_KEY = 15

HIGH, LOW, FALLING, RISING = range(4)
"""Kinds of key report: is down, is up, went up, went down."""

KEY_SCAN_SECONDS = 0.03
"""Seconds in which the processor scans every key at least twice."""

MAX_SILENT_READINGS = 5
"""Readings without a heartbeat after which the board is set up again."""

HELD_READINGS = 25
"""Readings after which a key that is still down is set to report while it is up: half a second to a second."""

FULL_QUEUE = 127
"""Events that fit in the queue. Any more are lost."""

STATUS_REGISTER, HARDWARE_ID_REGISTER = 0x00, 0x01
"""Registers that identify the processor."""


class TrellisBoard:
    """The keys of a NeoTrellis as sensors, and its lamps as a `LampWire`. Chain positions are key numbers.

    Sensors and lamps each open and close it. The second `open` does nothing, and the first `close` turns the lamps
    off.
    """

    raw_values = edge_fd = None

    def __init__(self, wiring: TrellisWiring, chain: LampSettings, i2c_bus: I2cBus | None = None) -> None:
        self._wiring = wiring
        self._keys = tuple(wiring.keys.values())
        self._colours = tuple(chain.colour_order.index(colour) for colour in "RGB")
        self._shared_bus = i2c_bus
        self._bus: I2cBus | None = None
        self._trellis: Any = None
        self._is_set_up = False  # True once a NeoTrellis has answered and is set up
        self._silent_readings: int | None = None  # readings since the last heartbeat; None before the first
        self._levels: list[SensorLevel] = [0] * KEY_COUNT
        self._held_readings = [0] * KEY_COUNT  # readings for which each key has been down
        self._frames: deque[bytes] = deque(maxlen=1)

    def open(self) -> None:
        if not self._is_set_up:
            self._set_up_keys()

    def read_levels(self) -> tuple[SensorLevel, ...]:
        if self._is_set_up:
            self._is_set_up = self._take_events()
        if not self._is_set_up:
            self._check_chip_id()  # first, because the setup waits for the chip
            self._set_up_keys()
        self._watch_held_keys()
        with suppress(IndexError):
            self._light_lamps(self._frames.pop())
        return tuple([self._levels[key] for key in self._keys])

    def is_configured(self) -> bool:
        """Return True if a NeoTrellis answers.

        A board that has lost its settings reports no levels at all; `read_levels` detects the silence.
        """
        self._check_chip_id()
        return True

    def send_bytes(self, data: bytes) -> None:
        self._frames.append(data)

    def close(self) -> None:
        if self._trellis is not None:
            with suppress(OSError):
                self._light_lamps(bytes(KEY_COUNT * 3))
        if self._bus is not None and self._shared_bus is None:
            self._bus.close()
        self._trellis = self._bus = None
        self._is_set_up = False
        self._levels = [0] * KEY_COUNT
        self._frames.clear()

    def _set_up_keys(self) -> None:
        make = import_adafruit("adafruit_neotrellis.neotrellis", "adafruit-circuitpython-neotrellis").NeoTrellis
        if self._bus is None:
            self._bus = self._shared_bus or I2cBus(self._wiring.bus)
        self._is_set_up, self._silent_readings = False, None
        try:
            with unwrap_bus_errors():
                trellis = make(self._bus, addr=self._wiring.address, auto_write=False)
        except RuntimeError as error:
            message = Message("trellis.other_chip", address=f"0x{self._wiring.address:02x}")
            raise SensorReadError(message) from error
        self._trellis = trellis
        for key in range(KEY_COUNT):
            for key_report in (RISING, FALLING, HIGH):
                trellis.activate_key(key, key_report)
        sleep(KEY_SCAN_SECONDS)
        self._levels, self._held_readings = [0] * KEY_COUNT, [0] * KEY_COUNT
        self._take_events()
        for key in range(KEY_COUNT):
            self._report_edges_only(key)
        for key_report in (HIGH, LOW):
            trellis.activate_key(HEARTBEAT_KEY, key_report)
        self._is_set_up, self._silent_readings = True, None

    def _report_edges_only(self, key: int) -> None:
        """Make a key report only when it goes down or up.

        This relies on a firmware bug: turning one report off turns all others off instead.
        """
        self._trellis.activate_key(key, RISING, enable=False)
        self._trellis.activate_key(key, FALLING)
        self._trellis.activate_key(key, RISING)

    def _watch_held_keys(self) -> None:
        """Make keys that have been held down for a long time report their release."""
        for key, level in enumerate(self._levels):
            if key == HEARTBEAT_KEY:
                continue  # it always reports
            held_readings = self._held_readings[key] + 1 if level else 0
            if held_readings == HELD_READINGS:
                self._trellis.activate_key(key, LOW)
            elif not level and self._held_readings[key] >= HELD_READINGS:
                self._report_edges_only(key)
            self._held_readings[key] = held_readings

    def _take_events(self) -> bool:
        event_count = self._trellis.count
        if event_count == FULL_QUEUE:
            return False  # not read for more than a second, so the latest events are lost
        if event_count > FULL_QUEUE:
            self._reject_answer(event_count)
        for key_event in self._trellis.read_keypad(event_count) if event_count else b"":
            row, column, key_report = key_event >> 5, key_event >> 2 & 7, key_event & 3
            if row > 3 or column > 3:
                self._reject_answer(key_event)
            key = row * 4 + column
            self._levels[key] = 1 if key_report in {HIGH, RISING} else 0
            if key == HEARTBEAT_KEY and key_report in {HIGH, LOW}:
                self._silent_readings = -1
        if self._silent_readings is None:
            return True
        self._silent_readings += 1
        return self._silent_readings < MAX_SILENT_READINGS

    def _reject_answer(self, answer_byte: int) -> NoReturn:
        """Raise an error and set the board up again, because other events may be lost too."""
        self._is_set_up = False
        arguments = {"address": f"0x{self._wiring.address:02x}", "value": f"0x{answer_byte:02x}"}
        raise SensorReadError(Message("trellis.impossible", **arguments))

    def _check_chip_id(self) -> None:
        answer_byte = self._trellis.read8(STATUS_REGISTER, HARDWARE_ID_REGISTER)
        if answer_byte != self._trellis.chip_id:
            self._reject_answer(answer_byte)

    def _light_lamps(self, data: bytes) -> None:
        red, green, blue = self._colours
        for key in range(KEY_COUNT):
            self._trellis.pixels[key] = (data[key * 3 + red], data[key * 3 + green], data[key * 3 + blue])
        self._trellis.show()

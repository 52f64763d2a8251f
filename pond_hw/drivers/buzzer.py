"""A passive buzzer on a GPIO, through gpiozero. Melodies play in the background."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Event, Lock, Thread
from typing import Any

from pond_hw.drivers.gpio import explain_pin_errors, get_pin_factory, pin_errors
from pond_hw.messages.message import Message

LOG = logging.getLogger("pond")

Tone = tuple[float, float]
"""Frequency in Hz (0 for a rest) and duration in seconds."""

MIN_HZ, MAX_HZ = 28.0, 7000.0
"""Lowest and highest tone in Hz: four octaves around A4, the range of gpiozero's buzzer."""


class PassiveBuzzer:
    """A passive buzzer on a GPIO. It is silent before `open` and after its pin fails."""

    def __init__(self, gpio_pin: int) -> None:
        self._pin = gpio_pin
        self._lock = Lock()
        self._device: Any = None
        self._faults: tuple[type[Exception], ...] = ()
        self._silenced = Event()  # a new one for each melody
        self._player: Thread | None = None

    def open(self) -> None:
        """Claim the pin. Raise BoardFault if that fails."""
        from gpiozero import TonalBuzzer

        self.close()
        get_pin_factory()
        with explain_pin_errors(Message("pin_user.buzzer"), self._pin):
            self._device = TonalBuzzer(self._pin, octaves=4)
        self._faults = pin_errors()

    def play_tones(self, tones: Sequence[Tone]) -> None:
        """Start playing tones in place of the current melody, and return at once."""
        with self._lock:
            if self._device is None:
                return
            self._silenced.set()
            self._silenced = Event()
            melody = (tuple(tones), self._silenced)
            self._player = Thread(target=self._play_until_silenced, args=melody, name="pond buzzer", daemon=True)
            self._player.start()

    def close(self) -> None:
        with self._lock:
            self._silenced.set()
            tonal_buzzer, self._device = self._device, None
            if tonal_buzzer is not None:
                tonal_buzzer.close()
        if self._player:
            self._player.join()
            self._player = None

    def _play_until_silenced(self, tones: Sequence[Tone], silence_event: Event) -> None:
        for frequency, seconds in tones:
            self._start_tone(frequency, silence_event)
            if silence_event.wait(seconds):
                return
        self._start_tone(0.0, silence_event)

    def _start_tone(self, frequency: float, silence_event: Event) -> None:
        from gpiozero.tones import Tone as Pitch

        with self._lock:
            if silence_event.is_set():
                return
            try:
                if frequency:
                    self._device.play(Pitch.from_frequency(min(max(frequency, MIN_HZ), MAX_HZ)))
                else:
                    self._device.stop()
            except self._faults as error:
                LOG.warning("the buzzer stays silent: %s", error)
                silence_event.set()

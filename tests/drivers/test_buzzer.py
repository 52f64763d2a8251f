"""Tests of the buzzer with gpiozero's real class."""

import threading

import pytest
from gpiozero import Device, DigitalInputDevice
from gpiozero.pins.mock import MockFactory, MockPWMPin

from pond_hw.board import BoardFault
from pond_hw.drivers import buzzer as module
from pond_hw.drivers.buzzer import PassiveBuzzer
from pond_hw.messages.message import Message
from tests.drivers.error_checks import raises

PIN = 13


class ControlledWaits:
    """Waits of a thread that last until the test ends them or the buzzer is silenced.

    Attributes:
        durations: requested duration of each wait.
    """

    def __init__(self):
        self.durations = []
        self._begun = threading.Semaphore(0)
        self._latest = None

    def event(self):
        """Replacement for threading.Event."""
        waits = self

        class FakeEvent(threading.Event):
            def __init__(self):
                super().__init__()
                self.over = threading.Semaphore(0)

            def set(self):
                super().set()
                self.over.release()

            def wait(self, seconds=None):
                waits.durations.append(seconds)
                waits._latest = self
                waits._begun.release()
                assert self.over.acquire(timeout=10)
                return self.is_set()

        return FakeEvent()

    def wait_for_tone(self):
        assert self._begun.acquire(timeout=10)

    def end_tone(self):
        self._latest.over.release()


@pytest.fixture
def pins(monkeypatch):
    factory = MockFactory(pin_class=MockPWMPin)
    monkeypatch.setattr(Device, "pin_factory", factory)
    yield factory
    factory.reset()


@pytest.fixture
def waits(monkeypatch):
    controlled_waits = ControlledWaits()
    monkeypatch.setattr(module, "Event", controlled_waits.event)
    return controlled_waits


@pytest.fixture
def buzzer(pins, waits):
    passive_buzzer = PassiveBuzzer(PIN)
    passive_buzzer.open()
    yield passive_buzzer
    passive_buzzer.close()


def current_frequency(pins):
    """Return the frequency at which the pin is driven, or None if the buzzer is silent."""
    pin = pins.pin(PIN)
    return round(pin.frequency) if pin.frequency and pin.state else None


def test_tones_and_rests_play_in_order(pins, waits, buzzer):
    buzzer.play_tones([(440.0, 0.1), (0, 0.05), (880.0, 0.2)])
    for frequency in (440, None, 880):
        waits.wait_for_tone()
        assert current_frequency(pins) == frequency
        waits.end_tone()
    buzzer._player.join(10)
    assert current_frequency(pins) is None
    assert waits.durations == [0.1, 0.05, 0.2]


def test_next_melody_replaces_current_one(pins, waits, buzzer):
    buzzer.play_tones([(440.0, 5.0), (550.0, 5.0)])
    waits.wait_for_tone()
    first = buzzer._player
    buzzer.play_tones([(880.0, 0.1)])
    waits.wait_for_tone()
    first.join(10)
    assert not first.is_alive()
    assert current_frequency(pins) == 880
    assert waits.durations == [5.0, 0.1]


@pytest.mark.parametrize(("requested", "played"), [(1.0, 28), (28.0, 28), (60.0, 60), (7000.0, 7000), (20_000.0, 7000)])
def test_tones_are_clamped_to_range(pins, waits, buzzer, requested, played):
    buzzer.play_tones([(requested, 1.0)])
    waits.wait_for_tone()
    assert current_frequency(pins) == played


def test_close_stops_sound_and_releases_pin(pins, waits, buzzer):
    buzzer.play_tones([(440.0, 5.0), (550.0, 5.0)])
    waits.wait_for_tone()
    buzzer.close()
    buzzer.close()
    assert "pond buzzer" not in {thread.name for thread in threading.enumerate()}
    assert waits.durations == [5.0]
    assert current_frequency(pins) is None
    with DigitalInputDevice(PIN):
        pass


def test_closed_buzzer_plays_nothing(pins):
    buzzer = PassiveBuzzer(PIN)
    buzzer.play_tones([(440.0, 0.1)])
    buzzer.close()
    assert buzzer._player is None


def test_silent_buzzer_has_no_thread(pins, buzzer):
    assert "pond buzzer" not in {thread.name for thread in threading.enumerate()}


def test_unavailable_pin_is_reported_by_open(pins):
    user = Message("pin_user.buzzer")
    with DigitalInputDevice(PIN), raises(BoardFault, "pin.used_twice", user=user, pins=("13",), count=1):
        PassiveBuzzer(PIN).open()


def test_failing_pin_is_silent_and_logged(pins, waits, buzzer, monkeypatch, caplog):
    def fails(pin, value):
        raise OSError("gone")

    monkeypatch.setattr(MockPWMPin, "_set_frequency", fails)
    buzzer.play_tones([(440.0, 0.1), (550.0, 0.1)])
    buzzer._player.join(10)
    assert not buzzer._player.is_alive()
    monkeypatch.undo()
    assert caplog.messages == ["the buzzer stays silent: gone"]

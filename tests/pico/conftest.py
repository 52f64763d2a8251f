"""Fixtures for the simulated chip."""

import sys
from types import ModuleType

import pytest

from tests.pico.cable import FIRMWARE
from tests.pico.chip import Chip


@pytest.fixture
def chip(monkeypatch):
    simulated_chip = Chip()
    for name, module in simulated_chip.modules().items():
        stand_in = ModuleType(name)
        vars(stand_in).update(vars(module))
        monkeypatch.setitem(sys.modules, name, stand_in)
    sys.modules["usb"].device = sys.modules["usb.device"]
    monkeypatch.setattr("time.sleep_us", lambda us: None, raising=False)
    monkeypatch.setattr("time.sleep_ms", lambda ms: None, raising=False)
    monkeypatch.setattr("time.ticks_ms", simulated_chip.read_clock, raising=False)
    monkeypatch.setattr("time.ticks_us", simulated_chip.read_us, raising=False)
    monkeypatch.setattr("time.ticks_add", lambda one, other: one + other, raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda one, other: one - other, raising=False)
    modules = ("pico_hardware", "pond_start", "game_port")
    for name in modules:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(FIRMWARE))
    yield simulated_chip
    for name in modules:
        sys.modules.pop(name, None)

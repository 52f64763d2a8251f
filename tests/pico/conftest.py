"""Fixtures for the simulated chip."""

import sys
from types import ModuleType, SimpleNamespace

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
    monkeypatch.setitem(sys.modules, "micropython", ModuleType("micropython"))
    vars(sys.modules["micropython"]).update(kbd_intr=simulated_chip.interrupts.append, native=lambda function: function)
    monkeypatch.setattr("time.sleep_us", lambda us: None, raising=False)
    monkeypatch.setattr("time.sleep_ms", lambda ms: None, raising=False)
    monkeypatch.setattr("time.ticks_ms", simulated_chip.read_clock, raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda one, other: one - other, raising=False)
    poll = SimpleNamespace(register=lambda *what: None, ipoll=lambda ms: iter(()), poll=lambda ms: [])
    monkeypatch.setattr("select.poll", lambda: poll)
    monkeypatch.delitem(sys.modules, "pico_hardware", raising=False)
    monkeypatch.syspath_prepend(str(FIRMWARE))
    yield simulated_chip
    sys.modules.pop("pico_hardware", None)

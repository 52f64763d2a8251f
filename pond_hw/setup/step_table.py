"""Table of set-up steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pond_hw.drivers.pi_machine import Machine, choose_driver, choose_encoding
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.rules import Cell, PondError, get_grid
from pond_hw.setup.calibration_step import CalibrationStep
from pond_hw.setup.lamp_steps import BreakSearch, BrightnessStep, LampTest, SignalStep
from pond_hw.setup.sensor_steps import LiveView, SensorTest, TimingStep
from pond_hw.setup.step import SetupStep
from pond_hw.setup.turn_key_step import TurnKeyTest
from pond_hw.setup.wiring_step import WiringStep

GUIDED_STEPS = ("map", "keys", "sensors")
"""Steps of set-up without a screen. They have timeouts, because the user has no key to report an unresponsive cell."""


class StepKind(NamedTuple):
    """A kind of step.

    Attributes:
        key: key that selects the step in the menu.
        name: name of the step; the message `steps.NAME` describes it.
        start: function that creates the step from a profile, the current time and, if `by_cell`, the cells to test.
        by_cell: True if the step can be limited to some cells.
        fits: predicate that is true for profiles that can use the step.
        unfit: id of the error message for other profiles.
    """

    key: str
    name: str
    start: Callable[..., SetupStep]
    by_cell: bool = False
    fits: Callable[[Profile], bool] = lambda _: True
    unfit: str = ""


def _is_linear(profile: Profile) -> bool:
    return isinstance(profile.sensing.wiring, AnalogWiring)


def _uses_spi(profile: Profile) -> bool:
    return choose_driver(profile, Machine()).driver == "spi"


def _debounces_on_pi(profile: Profile) -> bool:
    """Return True if the Pi debounces the sensors, so that raw levels are available. A Pico sends only debounced levels."""
    return profile.controller == "pi"


def _has_turn_keys(profile: Profile) -> bool:
    return bool(profile.turn_key_pins)


def _begin_signal(profile: Profile, instant: float) -> SignalStep:
    return SignalStep(profile, choose_encoding(profile, Machine()).name, instant)


STEPS = {
    kind.name: kind
    for kind in (
        StepKind("1", "lamps", lambda profile, _: LampTest.one_by_one(profile)),
        StepKind("2", "rows", lambda profile, _: LampTest.by_row(profile)),
        StepKind("3", "cells", lambda profile, _: LampTest.by_cell(profile)),
        StepKind("4", "break", lambda profile, _: BreakSearch(profile)),
        StepKind("5", "bright", lambda profile, _: BrightnessStep(profile)),
        StepKind("6", "map", WiringStep),
        StepKind("7", "sensors", SensorTest, by_cell=True),
        StepKind("8", "timing", TimingStep, fits=_debounces_on_pi, unfit="steps.needs_raw"),
        StepKind("9", "calibrate", CalibrationStep, by_cell=True, fits=_is_linear, unfit="steps.needs_linear"),
        StepKind("0", "live", lambda profile, _: LiveView(profile)),
        StepKind("k", "keys", TurnKeyTest, fits=_has_turn_keys, unfit="steps.needs_turn_keys"),
        StepKind("s", "signal", _begin_signal, fits=_uses_spi, unfit="steps.needs_spi"),
    )
}
"""All steps by name, in menu order."""


def name_step(step_name: str) -> Message:
    """Return the translated name of a step for menus. Commands and programs use the English name."""
    return Message(f"step_name.{step_name}")


def begin_step(profile: Profile, step_name: str, at: float, cells: Sequence[Cell] = ()) -> SetupStep:
    """Begin a step.

    Raises:
        PondError: if there is no step with this name, or it does not support this board or these cells.
    """
    if (kind := STEPS.get(step_name)) is None:
        raise PondError(Message("steps.unknown", step=step_name[:20], steps=tuple(STEPS)))
    if unknown_cells := [cell for cell in cells if cell not in get_grid(profile.size).cells]:
        raise PondError(Message("steps.unknown_cell", cell=unknown_cells[0][:20], size=profile.size))
    if cells and not kind.by_cell:
        by_cell = tuple(kind.name for kind in STEPS.values() if kind.by_cell)
        raise PondError(Message("steps.whole_board", step=step_name, steps=by_cell))
    if not kind.fits(profile):
        raise PondError(Message(kind.unfit, step=step_name, board=profile.name))
    return kind.start(profile, at, tuple(dict.fromkeys(cells))) if cells else kind.start(profile, at)

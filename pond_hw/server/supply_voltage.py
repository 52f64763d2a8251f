"""A supply that sags: the Pi's firmware notices, the lamps that it feeds are dimmed, the players are told."""

from __future__ import annotations

import logging
from math import inf
from pathlib import Path

from pond_hw.companion import Companion
from pond_hw.lights.lamp_limits import dimmed_limiter
from pond_hw.session import ShowNotice

LOG = logging.getLogger("pond")

CHECK_INTERVAL_SECONDS = 2.0
"""Seconds; the kernel asks the firmware no more often."""

CALM_SECONDS = 30.0
"""Seconds without an alarm after which the lamps are as bright as ever."""

NOTICE_INTERVAL_SECONDS = 3600.0
"""Seconds; so long nobody needs to be told again."""

WEAK_SUPPLY_MESSAGE = (
    "The power supply is too weak: its voltage has dropped, so the lamps are dimmed. "
    "A stronger supply or a shorter, thicker cable will help."
)


WEAK_PI_SUPPLY_MESSAGE = (
    "The Pi's power supply is too weak: its voltage has dropped. "
    "A stronger supply or a shorter, thicker cable will help."
)
"""With lamps that have a supply of their own."""


class SupplyMonitor:
    """Looks after the voltage of a Raspberry Pi. On another machine there is nothing to look at.

    Args:
        companion: whose lamps are dimmed and whose players are told.
        root_folder: the folder that holds /sys.
        own_supply: whether the lamps have a supply of their own; dimming them would not help the Pi's.
    """

    def __init__(self, companion: Companion, root_folder: Path = Path("/"), *, own_supply: bool = False) -> None:
        self._companion, self._own_supply = companion, own_supply
        self._normal_limiter = companion.limiter
        self._alarm_file = _find_alarm(root_folder)
        self._next_check = 0.0
        self._dimmed_at: float | None = None  # when the last alarm was seen, as long as the lamps are dimmed
        self._notified_at = -inf

    def check_supply(self, now: float) -> None:
        """Look, if it is time to."""
        if self._alarm_file is None or now < self._next_check:
            return
        self._next_check = now + CHECK_INTERVAL_SECONDS
        if _read_text(self._alarm_file) == "1":
            self._handle_sag(now)
        elif self._dimmed_at is not None and now - self._dimmed_at >= CALM_SECONDS:
            LOG.info("the supply holds: the lamps are as bright as before")
            self._companion.limiter, self._dimmed_at = self._normal_limiter, None

    def _handle_sag(self, now: float) -> None:
        if not self._own_supply:
            if self._dimmed_at is None:
                LOG.warning("the supply's voltage has dropped: the lamps are dimmed")
                self._companion.limiter = dimmed_limiter(self._normal_limiter, len(self._companion.frame.data) // 3)
            self._dimmed_at = now
        if now - self._notified_at >= NOTICE_INTERVAL_SECONDS:
            self._notified_at = now
            warning_sentence = WEAK_PI_SUPPLY_MESSAGE if self._own_supply else WEAK_SUPPLY_MESSAGE
            LOG.warning("%s", warning_sentence)
            self._companion.put(ShowNotice(warning_sentence, now))


def _find_alarm(root_folder: Path) -> Path | None:
    """The file in which the kernel says that the voltage was too low."""
    for name in sorted(root_folder.glob("sys/class/hwmon/hwmon*/name")):
        if _read_text(name) == "rpi_volt":
            return name.with_name("in0_lcrit_alarm")
    return None


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""

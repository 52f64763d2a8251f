"""Supply monitor of a Raspberry Pi: dims the lamps and warns the players during undervoltage."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import inf
from pathlib import Path

from pond_hw.companion import Companion
from pond_hw.lights.current_limiter import dimmed_limiter
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.session import ShowNotice

LOG = logging.getLogger("pond")

SUPPLY_CHECK_SECONDS = 2.0
"""Seconds between checks. The kernel does not poll the firmware more often than this."""

CALM_SECONDS = 30.0
"""Seconds without an alarm before the lamps return to their normal brightness."""

SUPPLY_NOTICE_SECONDS = 3600.0
"""Minimum seconds between two notices to the players."""


class SupplyMonitor:
    """Monitor of a Raspberry Pi's supply voltage. It does nothing on other machines.

    Args:
        companion: companion whose lamps are dimmed and whose players are warned.
        root_folder: folder that contains /sys.
        own_supply: True if the lamps have their own power supply, so that dimming them would not help the Pi.
    """

    def __init__(self, companion: Companion, root_folder: Path = Path("/"), *, own_supply: bool = False) -> None:
        self._companion, self._own_supply = companion, own_supply
        self._normal_limiter = companion.display.limiter
        self._alarm_file = _find_alarm(root_folder)
        self._next_check = 0.0
        self._dimmed_at: float | None = None  # time of the last alarm; None unless the lamps are dimmed
        self._notified_at = -inf

    @property
    def brightness(self) -> float:
        """Brightness of the lamps at normal voltage, 0 to 1."""
        return self._normal_limiter.brightness

    @property
    def is_dimmed(self) -> bool:
        return self._dimmed_at is not None

    def set_brightness(self, brightness: float) -> None:
        """Set the brightness to use while the voltage is normal."""
        self._normal_limiter = replace(self._normal_limiter, brightness=brightness)
        self._companion.display.limiter = self._normal_limiter
        if self.is_dimmed:
            self._companion.display.limiter = dimmed_limiter(self._normal_limiter, len(self._companion.frame.data) // 3)

    def check_supply(self, now: float) -> None:
        """Check the alarm if a check is due."""
        if self._alarm_file is None or now < self._next_check:
            return
        self._next_check = now + SUPPLY_CHECK_SECONDS
        if _read_text(self._alarm_file) == "1":
            self._handle_sag(now)
        elif self._dimmed_at is not None and now - self._dimmed_at >= CALM_SECONDS:
            LOG.info("the supply voltage is back to normal: the lamps are as bright as before")
            self._companion.display.limiter, self._dimmed_at = self._normal_limiter, None

    def _handle_sag(self, now: float) -> None:
        if not self._own_supply:
            if self._dimmed_at is None:
                LOG.warning("the supply voltage has dropped: the lamps are dimmed")
                self._companion.display.limiter = dimmed_limiter(
                    self._normal_limiter, len(self._companion.frame.data) // 3
                )
            self._dimmed_at = now
        if now - self._notified_at >= SUPPLY_NOTICE_SECONDS:
            self._notified_at = now
            warning = Message("supply.weak_pi" if self._own_supply else "supply.weak")
            LOG.warning("%s", to_english(warning))
            self._companion.put(ShowNotice((warning,), now))


def _find_alarm(root_folder: Path) -> Path | None:
    """Find the file with the kernel's undervoltage alarm."""
    name_files = sorted(root_folder.glob("sys/class/hwmon/hwmon*/name"))
    return next((file.with_name("in0_lcrit_alarm") for file in name_files if _read_text(file) == "rpi_volt"), None)


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""

"""Conversion of perceived brightness to drive levels within the current limits.

It applies gamma, brightness, a minimum level for lit lamps, the current budget and the slew rate. Currents are integers
in units of one step of one channel, so that all limits hold exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from operator import mul
from typing import TYPE_CHECKING

from pond_hw.board import Frame

if TYPE_CHECKING:
    from pond_hw.profile.board_profile import Profile

MIN_LIT_LEVEL = 4
"""Minimum drive level of the strongest channel of a lit lamp. Some chips (WS2812B-V5) stay dark below it."""

FLOOR_RANGE = 12
"""Number of steps from `MIN_LIT_LEVEL` to the minimum level of a lamp at full perceived brightness.

The minimum rises with the perceived brightness. Even at the lowest `brightness`, pieces are therefore brighter than open
cells (16 to 7) and rhythms are visible.
"""

PI_PINS_MILLIAMPS = 500.0
"""Current limit in mA of a Pi's 5 V pins."""

DIMMED_SHARE = 0.25
"""Fraction of light and current that dimmed lamps keep."""

_ROUNDING_MARGIN = 1e-6  # in units; keeps whole numbers whole after a division


@dataclass(frozen=True, slots=True)
class CurrentLimiter:
    """Current limits of a board's lamps.

    Currents are estimated from the levels sent, not measured. To stay within the budget, the whole picture is dimmed,
    but no lamp falls below its minimum level as long as the budget allows.

    Attributes:
        budget: maximum current of all lamps in mA.
        slew: maximum rise of the current per frame in mA. A frame that suddenly lights all lamps can reset a Pi.
        brightness: factor for the emitted light, 0 to 1. If it is low enough, the budget is never reached.
        gamma: exponent from perceived brightness to light: 2.2 to 2.8, or 1 if the lamp driver applies it.
        channel: current in mA of one channel of one lamp at 255.
        idle: current in mA of one dark lamp.

    Raises:
        ValueError: a setting is out of range.
    """

    budget: float = PI_PINS_MILLIAMPS
    slew: float = 150
    brightness: float = 1.0
    gamma: float = 2.2
    channel: float = 20
    idle: float = 1

    @classmethod
    def for_lamps(cls, lamp_count: int) -> CurrentLimiter:
        """Return a limiter for a board whose supply is sized for this many lamps.

        The budget is 30 mA per lamp, half of its maximum, because a lamp in an owner's hue needs less. Small boards are powered
        from the Pi's 5 V pins and may draw as much as these allow. The slew is 30 % of the budget.
        """
        budget = max(PI_PINS_MILLIAMPS, 30.0 * lamp_count)
        return cls(budget=budget, slew=0.3 * budget)

    def __post_init__(self) -> None:
        for setting_name in ("budget", "slew", "brightness", "gamma", "channel", "idle"):
            setting_value = getattr(self, setting_name)
            if not (isfinite(setting_value) and setting_value >= 0):
                raise ValueError(f"{setting_name} must be a number, 0 or more, not {setting_value}.")
        if self.brightness > 1:
            raise ValueError(f"brightness must be 0 to 1, not {self.brightness}.")
        if not 1 <= self.gamma <= 3:
            raise ValueError(f"gamma must be 1 to 3 (2.2 to 2.8 looks right on bare lamps), not {self.gamma}.")
        if not self.channel:
            raise ValueError("channel must be more than 0.")
        if not self._current_units(self.slew):
            least_slew = f"slew must be at least {self.channel / 255:.3g} mA, one step of one channel"
            raise ValueError(f"{least_slew}, not {self.slew}: nothing could ever light up.")

    def limit_frame(self, picture: Sequence[float], shown_frame: Frame) -> Frame:
        """Return the next frame on the way to a picture. This combines `wanted_frame` and `step_frame`."""
        return self.step_frame(self.wanted_frame(picture, shown_frame), shown_frame)

    def wanted_frame(self, picture: Sequence[float], shown_frame: Frame) -> Frame:
        """Return the final frame for a picture within the budget, regardless of the slew rate.

        Args:
            picture: perceived brightness of each channel in the order of `Frame.data`, clipped to 0 to 1.
            shown_frame: any frame of the same board, for its layout.

        Raises:
            ValueError: the length of the picture does not match the frame.
        """
        if len(picture) != len(shown_frame.data):
            raise ValueError(
                f"This picture has {len(picture)} channels; {shown_frame.size}x{shown_frame.size} cells "
                f"of {shown_frame.lamps_per_cell} lamps and two strips of {shown_frame.strip_lamps} have {len(shown_frame.data)}."
            )
        unit_budget = self._unit_budget(shown_frame)
        data = self._drive_levels(picture, unit_budget) if unit_budget > 0 else bytes(len(picture))
        return replace(shown_frame, data=data)

    def step_frame(self, wanted_frame: Frame, shown_frame: Frame) -> Frame:
        """Return the next frame between the shown and the wanted frame, within the slew rate and the budget.

        A constant `wanted_frame` is reached after a finite number of steps.
        """
        unit_budget = self._unit_budget(shown_frame)
        if unit_budget <= 0:
            return wanted_frame
        slew_units = self._current_units(self.slew)
        return replace(shown_frame, data=_step_towards(shown_frame.data, wanted_frame.data, unit_budget, slew_units))

    def estimate_current(self, frame: Frame) -> float:
        """Return the estimated lamp current in mA for a frame."""
        return self.idle * (len(frame.data) // 3) + sum(frame.data) * self.channel / 255

    def _unit_budget(self, frame: Frame) -> int:
        """Return the budget in units, minus the idle current of all lamps in the frame."""
        return self._current_units(self.budget - self.idle * (len(frame.data) // 3))

    def _current_units(self, current_ma: float) -> int:
        """Convert mA to units of one channel step, rounded down."""
        return int(current_ma * 255 // self.channel)

    def _drive_levels(self, picture: Sequence[float], unit_budget: int) -> bytes:
        """Return the drive level of each channel within the budget."""
        gamma, full_brightness = self.gamma, 255.0 * self.brightness
        light = [
            full_brightness * value**gamma if 0 < value < 1 else full_brightness * (value >= 1) for value in picture
        ]
        strongest = list(map(max, light[0::3], light[1::3], light[2::3]))
        lit = [number for number, most in enumerate(strongest) if most > _ROUNDING_MARGIN]
        lamps = [light[3 * number : 3 * number + 3] for number in lit]
        perceived = [min(1.0, max(picture[3 * number : 3 * number + 3])) for number in lit]
        factors = _lamp_factors(perceived, list(map(max, lamps)), list(map(sum, lamps)), unit_budget)
        levels = bytearray(len(picture))
        for number, lamp, factor in zip(lit, lamps, factors, strict=True):
            levels[3 * number : 3 * number + 3] = [int(part * factor + _ROUNDING_MARGIN) for part in lamp]
        return bytes(levels)

    def perceive_lamp(self, lamp: tuple[int, int, int]) -> tuple[float, float, float]:
        """Return the perceived brightness, 0 to 1, of each channel for these drive levels (the inverse of `limit_frame`)."""
        strongest = max(lamp)
        if not strongest:
            return 0.0, 0.0, 0.0
        above_floor = (max(strongest, MIN_LIT_LEVEL) - MIN_LIT_LEVEL + 0.5) / FLOOR_RANGE
        perceived = min(1.0, above_floor, (strongest / (255 * self.brightness)) ** (1 / self.gamma))
        red, green, blue = [perceived * (part / strongest) ** (1 / self.gamma) for part in lamp]
        return red, green, blue


def profile_limiter(profile: Profile) -> CurrentLimiter:
    """Return the limiter for a profile. Lamps of the chain that are not drawn reduce the budget by their idle current."""
    chain = profile.chain
    undrawn_lamps = chain.lamp_count - len(chain.drawn_positions)
    limiter = CurrentLimiter(chain.budget_ma, chain.slew_ma, chain.brightness)
    return replace(limiter, budget=max(0.0, limiter.budget - undrawn_lamps * limiter.idle))


def dimmed_limiter(limiter: CurrentLimiter, lamp_count: int) -> CurrentLimiter:
    """Return the limiter for dimmed lamps. Their idle current stays the same."""
    at_rest = min(limiter.budget, limiter.idle * lamp_count)
    budget = at_rest + DIMMED_SHARE * (limiter.budget - at_rest)
    return replace(limiter, brightness=DIMMED_SHARE * limiter.brightness, budget=budget)


def _lamp_factors(
    perceived: Sequence[float], strongest: Sequence[float], lamp_sums: Sequence[float], unit_budget: int
) -> list[float]:
    """Return a factor for each lit lamp so that all lamps together stay within the budget.

    It is the same for all lamps, except that no lamp falls below its minimum. A lower factor puts more lamps at their
    minimum, which leaves less for the others, so the factor is lowered until it is stable.

    Args:
        perceived: perceived brightness of the strongest channel of each lamp.
        strongest: light of that channel.
        lamp_sums: light of all channels of each lamp.
        unit_budget: budget in units.
    """
    least = _floor_factors(perceived, strongest, lamp_sums, unit_budget)
    common_factor = 1.0
    while True:
        held = sum([floor * total for floor, total in zip(least, lamp_sums, strict=True) if floor > common_factor])
        free = sum([total for floor, total in zip(least, lamp_sums, strict=True) if floor <= common_factor])
        if not free or held + common_factor * free <= unit_budget + _ROUNDING_MARGIN:
            return [max(common_factor, floor) for floor in least]
        common_factor = (unit_budget - held) / free


def _floor_factors(
    perceived: Sequence[float], strongest: Sequence[float], lamp_sums: Sequence[float], unit_budget: int
) -> list[float]:
    """Return the factor that puts each lit lamp at its minimum level, or lower if the budget is too small."""
    steps_per_level = [total / max_level for total, max_level in zip(lamp_sums, strongest, strict=True)]
    lowest_sum = MIN_LIT_LEVEL * sum(steps_per_level)
    if lowest_sum > unit_budget:  # scale all lamps alike
        return [MIN_LIT_LEVEL * unit_budget / lowest_sum / max_level for max_level in strongest]
    rise_sum = FLOOR_RANGE * sum(map(mul, perceived, steps_per_level))
    rise = FLOOR_RANGE * min(1.0, (unit_budget - lowest_sum) / rise_sum) if rise_sum else 0.0
    return [(MIN_LIT_LEVEL + rise * value) / max_level for value, max_level in zip(perceived, strongest, strict=True)]


def _step_towards(shown: bytes, wanted: bytes, unit_budget: int, slew_units: int) -> bytes:
    """Return the next levels from `shown` towards `wanted`. All numbers are in units.

    Let R be the sum of all wanted rises and F the sum of all wanted falls. min(R, slew) and min(F, slew) are applied, so

        R >= F:  min(R, slew) - min(F, slew) <= R - F, and the new sum is at most the wanted one
        R <  F:  min(R, slew) <= min(F, slew),         and the new sum is at most the shown one

    and both are within the budget. R and F shrink by the slew each time, so the wanted levels are reached. If the
    shown frame exceeds the budget (after the budget was lowered), all falls are applied at once.
    """
    if shown == wanted:
        return wanted
    rises = [new - old if new > old else 0 for old, new in zip(shown, wanted, strict=True)]
    falls = [old - new if old > new else 0 for old, new in zip(shown, wanted, strict=True)]
    rises = _scale_to_limit(rises, slew_units)
    if sum(shown) <= unit_budget:
        falls = _scale_to_limit(falls, slew_units)
    return bytes(old + rise - fall for old, rise, fall in zip(shown, rises, falls, strict=True))


def _scale_to_limit(amounts: list[int], allowed_units: int) -> list[int]:
    """Return integer amounts unchanged if they fit, or scaled in proportion so that they add up to the allowed units."""
    total_amount = sum(amounts)
    if total_amount <= allowed_units:
        return amounts
    shares, amount_so_far, units_given = [], 0, 0
    for amount in amounts:
        amount_so_far += amount
        # from the running sum, so that rounding errors do not add up
        units_so_far = amount_so_far * allowed_units // total_amount
        shares.append(units_so_far - units_given)
        units_given = units_so_far
    return shares

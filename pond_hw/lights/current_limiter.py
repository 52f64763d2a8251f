"""The last step before bytes: what people should perceive becomes what the lamps may draw.

Gamma once, brightness, a floor under everything that is meant to be seen, the budget, and how fast the current may
rise. The unit of current is one step of one channel, so everything that is promised is promised in whole numbers.
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

LOWEST_LEVEL = 4
"""The least step at which the strongest channel of a lit lamp is driven: some chips (WS2812B-V5) stay dark below it."""

FLOOR_RANGE = 12
"""Steps from `LOWEST_LEVEL` to the floor under a lamp that is meant to be as bright as can be. In between the floor rises
with the brightness that is meant, so that at the lowest `brightness` a piece still outshines the glow of an empty cell
(16 to 7) and a rhythm is still seen."""

PI_PINS_MILLIAMPS = 500.0
"""What the 5 V pins of a Pi may be asked for, in mA."""

DIMMED_SHARE = 0.25
"""Share of their light and current that is left to dimmed lamps."""

_ROUNDING_MARGIN = 1e-6  # of a unit, so that a whole number which went through a division is still that number


@dataclass(frozen=True, slots=True)
class CurrentLimiter:
    """What the lamps of a board may draw.

    A model, not a measurement: it knows what was asked of the lamps and nothing about their supply. The budget is kept
    by dimming the whole picture, but no lamp below its floor as long as that can be afforded.

    Attributes:
        budget: current of all lamps together in mA.
        slew: how far the current may rise from one frame to the next in mA; a sudden full frame can reset a Pi.
        brightness: 0 to 1, a factor on the light itself. Low enough, the budget never has to step in.
        gamma: how perceived brightness becomes light: 2.2 to 2.8, or 1 where the lamps' driver does it already.
        channel: current of one channel of one lamp at 255 in mA.
        idle: current of one dark lamp in mA.

    Raises:
        ValueError: a number makes no sense.
    """

    budget: float = PI_PINS_MILLIAMPS
    slew: float = 150
    brightness: float = 1.0
    gamma: float = 2.2
    channel: float = 20
    idle: float = 1

    @classmethod
    def for_lamps(cls, lamp_count: int) -> CurrentLimiter:
        """The limiter of a board whose supply was chosen for so many lamps.

        That is 30 mA for each, half of what it could draw: a lamp in one of the owners' hues needs less. Few lamps
        hang on the Pi's 5 V pins and get all that these may give. The slew is three tenths of the budget.
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
            raise ValueError("channel must be more than 0: a lamp that draws nothing needs no limiter.")
        if not self._current_units(self.slew):
            least_slew = f"slew must be at least {self.channel / 255:.3g} mA, one step of one channel"
            raise ValueError(f"{least_slew}, not {self.slew}: nothing could ever light up.")

    def limit_frame(self, picture: Sequence[float], shown_frame: Frame) -> Frame:
        """The frame to show now: one step from what is shown towards the picture; see `wanted_frame` and `step_frame`."""
        return self.step_frame(self.wanted_frame(picture, shown_frame), shown_frame)

    def wanted_frame(self, picture: Sequence[float], shown_frame: Frame) -> Frame:
        """What the lamps show of a picture once the current has risen as far as it has to; never over the budget.

        Args:
            picture: perceived brightness of each channel, 0 to 1, in the order of `Frame.data`. What is outside is cut.
            shown_frame: the frame that is shown now, or any of that board.

        Raises:
            ValueError: the picture is not as long as the frame.
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
        """The frame to show now, on the way from the one that is shown to the one that is wanted.

        From one frame to the next the current rises by no more than the slew, and the frame is never over the budget.
        What is asked for again and again is reached after finitely many frames.

        Args:
            wanted_frame: made by `wanted_frame`.
            shown_frame: the frame that is shown now.
        """
        unit_budget = self._unit_budget(shown_frame)
        if unit_budget <= 0:
            return wanted_frame
        slew_units = self._current_units(self.slew)
        return replace(shown_frame, data=_step_towards(shown_frame.data, wanted_frame.data, unit_budget, slew_units))

    def estimate_current(self, frame: Frame) -> float:
        """What the lamps draw while they show this frame, in mA."""
        return self.idle * (len(frame.data) // 3) + sum(frame.data) * self.channel / 255

    def _unit_budget(self, frame: Frame) -> int:
        """What is left for all channels together when every lamp of the frame is on."""
        return self._current_units(self.budget - self.idle * (len(frame.data) // 3))

    def _current_units(self, current_ma: float) -> int:
        """How many steps of a channel a current is worth, rounded down."""
        return int(current_ma * 255 // self.channel)

    def _drive_levels(self, picture: Sequence[float], unit_budget: int) -> bytes:
        """The picture as steps of each channel, together no more than can be afforded."""
        gamma, full_light = self.gamma, 255.0 * self.brightness
        light = [full_light * value**gamma if 0 < value < 1 else full_light * (value >= 1) for value in picture]
        strongest = list(map(max, light[0::3], light[1::3], light[2::3]))
        lit = [number for number, most in enumerate(strongest) if most > _ROUNDING_MARGIN]
        lamps = [light[3 * number : 3 * number + 3] for number in lit]
        meant = [min(1.0, max(picture[3 * number : 3 * number + 3])) for number in lit]
        factors = _lamp_factors(meant, list(map(max, lamps)), list(map(sum, lamps)), unit_budget)
        levels = bytearray(len(picture))
        for number, lamp, factor in zip(lit, lamps, factors, strict=True):
            levels[3 * number : 3 * number + 3] = [int(part * factor + _ROUNDING_MARGIN) for part in lamp]
        return bytes(levels)

    def perceive_lamp(self, lamp: tuple[int, int, int]) -> tuple[float, float, float]:
        """Return the perceived brightness, 0 to 1, of each channel that these steps were made from."""
        strongest = max(lamp)
        if not strongest:
            return 0.0, 0.0, 0.0
        above_floor = (max(strongest, LOWEST_LEVEL) - LOWEST_LEVEL + 0.5) / FLOOR_RANGE
        meant = min(1.0, above_floor, (strongest / (255 * self.brightness)) ** (1 / self.gamma))
        red, green, blue = [meant * (part / strongest) ** (1 / self.gamma) for part in lamp]
        return red, green, blue


def profile_limiter(profile: Profile) -> CurrentLimiter:
    """Return the limiter of a profile's lamps. The chain's other lamps stay dark; their current at rest is taken off."""
    chain = profile.chain
    undrawn_lamps = chain.lamp_count - len(chain.drawn_positions)
    limiter = CurrentLimiter(chain.budget_ma, chain.slew_ma, chain.brightness)
    return replace(limiter, budget=max(0.0, limiter.budget - undrawn_lamps * limiter.idle))


def dimmed_limiter(limiter: CurrentLimiter, lamp_count: int) -> CurrentLimiter:
    """Return the limiter for dimmed lamps. What this many lamps need at rest, they need dimmed as well."""
    at_rest = min(limiter.budget, limiter.idle * lamp_count)
    budget = at_rest + DIMMED_SHARE * (limiter.budget - at_rest)
    return replace(limiter, brightness=DIMMED_SHARE * limiter.brightness, budget=budget)


def _lamp_factors(
    meant: Sequence[float], strongest: Sequence[float], lamp_sums: Sequence[float], unit_budget: int
) -> list[float]:
    """Return by what to multiply each lit lamp so that all together can be afforded.

    That is one factor for all, except that no lamp falls below its floor: with a lower factor more lamps are held
    at their floor and the rest must give more, so it is looked for until it stays. It only ever gets lower.

    Args:
        meant: perceived brightness of the strongest channel of each lamp.
        strongest: light of that channel.
        lamp_sums: light of all channels of each lamp.
        unit_budget: what can be afforded.
    """
    least = _floor_factors(meant, strongest, lamp_sums, unit_budget)
    common_factor = 1.0
    while True:
        held = sum([floor * total for floor, total in zip(least, lamp_sums, strict=True) if floor > common_factor])
        free = sum([total for floor, total in zip(least, lamp_sums, strict=True) if floor <= common_factor])
        if not free or held + common_factor * free <= unit_budget + _ROUNDING_MARGIN:
            return [max(common_factor, floor) for floor in least]
        common_factor = (unit_budget - held) / free


def _floor_factors(
    meant: Sequence[float], strongest: Sequence[float], lamp_sums: Sequence[float], unit_budget: int
) -> list[float]:
    """Return by what to multiply each lit lamp at least: to reach its floor, or what can be afforded of it."""
    steps_per_level = [total / most for total, most in zip(lamp_sums, strongest, strict=True)]
    lowest_sum = LOWEST_LEVEL * sum(steps_per_level)
    if lowest_sum > unit_budget:  # then all give alike
        return [LOWEST_LEVEL * unit_budget / lowest_sum / most for most in strongest]
    rise_sum = FLOOR_RANGE * sum(map(mul, meant, steps_per_level))
    rise = FLOOR_RANGE * min(1.0, (unit_budget - lowest_sum) / rise_sum) if rise_sum else 0.0
    return [(LOWEST_LEVEL + rise * value) / most for value, most in zip(meant, strongest, strict=True)]


def _step_towards(shown: bytes, wanted: bytes, unit_budget: int, slew_units: int) -> bytes:
    """From what is shown towards what is wanted, as far as one frame may go. All numbers are units.

    Let R be all rises that are wanted and F all falls. min(R, slew) of rise and min(F, slew) of fall happen, so

        R >= F:  min(R, slew) - min(F, slew) <= R - F, and the new sum is at most the wanted one
        R <  F:  min(R, slew) <= min(F, slew),         and the new sum is at most the shown one

    and either of these is within the budget. Every channel stays between what it shows and what is wanted, and as R
    and F shrink by the slew each time, what is wanted is reached. Only what is over the budget now (shown before the
    budget was lowered) falls at once, all of it: then the new sum is at most the wanted one.
    """
    if shown == wanted:
        return wanted
    rises = [new - old if new > old else 0 for old, new in zip(shown, wanted, strict=True)]
    falls = [old - new if old > new else 0 for old, new in zip(shown, wanted, strict=True)]
    rises = _share_out(rises, slew_units)
    if sum(shown) <= unit_budget:
        falls = _share_out(falls, slew_units)
    return bytes(old + rise - fall for old, rise, fall in zip(shown, rises, falls, strict=True))


def _share_out(wishes: list[int], allowed_units: int) -> list[int]:
    """Each wish in the same proportion, so that together they come to exactly what is allowed, or to all of it."""
    total_wish = sum(wishes)
    if total_wish <= allowed_units:
        return wishes
    shares, wish_so_far, units_given = [], 0, 0
    for wish in wishes:
        wish_so_far += wish
        # of the running sum, so that what is cut off here is made good further on
        units_so_far = wish_so_far * allowed_units // total_wish
        shares.append(units_so_far - units_given)
        units_given = units_so_far
    return shares

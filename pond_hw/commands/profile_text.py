"""Boards in words: which there are profiles for, and what one of them is."""

from __future__ import annotations

from pond_hw.drivers.pi_machine import Machine, choose, missing
from pond_hw.profile import Analog, Direct, Expanders, Matrix, Pretended, Profile, Trellis, load, shipped
from pond_hw.profile.faults import listed as listing

_SENSOR_WIRINGS = {
    Direct: "each on a GPIO of its own",
    Matrix: "at the crossings of a matrix of GPIOs",
    Expanders: "on MCP23017s",
    Analog: "on MCP3008s",
    Trellis: "on a NeoTrellis",
    Pretended: "pretended",
}


def list_profiles() -> list[str]:
    """The profiles that ship, a line each."""
    names = shipped()
    width = max(map(len, names), default=0)
    return [f"{name:<{width}}  {load(name, measured=False).title}" for name in names]


def describe_profile(board: str, machine: Machine | None = None) -> list[str]:
    """A few lines about a profile, and whether it can be served on this machine.

    Raises:
        ProfileError: there is no such profile, or something is wrong with it.
    """
    machine = machine or Machine()
    profile = load(board)
    missing_part = missing(profile, machine)
    return [
        f"{profile.name}: {profile.title}",
        f"cells   {profile.size}x{profile.size}, {_describe_sensors(profile)}",
        f"lamps   {_describe_lamps(profile)}",
        f"driven  by {choose(profile, machine)}",
        *([f"key     GPIO {profile.key}"] if profile.key is not None else []),
        *([f"buzzer  GPIO {profile.buzzer}"] if profile.buzzer is not None else []),
        *([f"own     {listing(profile.measured)}, as measured on this board"] if profile.measured else []),
        *([f"aside   {profile.aside}"] if profile.aside else []),
        f"here    {missing_part}" if missing_part else "here    nothing is seen to be missing",
    ]


def _describe_sensors(profile: Profile) -> str:
    sensing = profile.sensing
    what = "buttons" if sensing.kind == "button" else "hall sensors"
    shortest, longest = (f"{hold * 1000:g}" for hold in (min(sensing.holds.values()), sensing.debounce))
    hold = longest if shortest == longest else f"{shortest} to {longest}"
    bad = f"; bad: {listing(sorted(sensing.bad))}" if sensing.bad else ""
    wiring = _SENSOR_WIRINGS[type(sensing.wiring)]
    return f"{what} {wiring}; read {sensing.scans:g} times a second, believed after {hold} ms{bad}"


def _describe_lamps(profile: Profile) -> str:
    chain, supply = profile.chain, profile.supply
    strips = f", {len(chain.strips[0])} in each score strip" if chain.strips[0] else ""
    source = "the 5 V pins of the Pi" if supply.source == "pi" else "a supply of their own"
    return (
        f"{chain.count}, {chain.per_cell} in each cell{strips}; at most {chain.budget:g} of {supply.current:g} mA, "
        f"from {source}"
    )

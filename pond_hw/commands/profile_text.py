"""Boards in words: which there are profiles for, and what one of them is."""

from __future__ import annotations

from pond_hw.drivers.pi_machine import Machine, choose_driver, find_machine_fault
from pond_hw.profile import Profile, list_shipped, load_profile
from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.faults import join_words as listing

_SENSOR_WIRINGS = {
    DirectWiring: "each on a GPIO of its own",
    MatrixWiring: "at the crossings of a matrix of GPIOs",
    ExpanderWiring: "on MCP23017s",
    AnalogWiring: "on MCP3008s",
    TrellisWiring: "on a NeoTrellis",
    SimulatedWiring: "pretended",
}


def list_profiles() -> list[str]:
    """The profiles that ship, a line each."""
    names = list_shipped()
    width = max(map(len, names), default=0)
    return [f"{name:<{width}}  {load_profile(name, measured=False).title}" for name in names]


def describe_profile(board: str, machine: Machine | None = None) -> list[str]:
    """A few lines about a profile, and whether it can be served on this machine.

    Raises:
        ProfileError: there is no such profile, or something is wrong with it.
    """
    machine = machine or Machine()
    profile = load_profile(board)
    missing_part = find_machine_fault(profile, machine)
    return [
        f"{profile.name}: {profile.title}",
        f"cells   {profile.size}x{profile.size}, {_describe_sensors(profile)}",
        f"lamps   {_describe_lamps(profile)}",
        f"driven  by {choose_driver(profile, machine)}",
        *([f"key     GPIO {profile.key_pin}"] if profile.key_pin is not None else []),
        *([f"buzzer  GPIO {profile.buzzer_pin}"] if profile.buzzer_pin is not None else []),
        *([f"own     {listing(profile.measured_keys)}, as measured on this board"] if profile.measured_keys else []),
        *([f"aside   {profile.calibration_warning}"] if profile.calibration_warning else []),
        f"here    {missing_part}" if missing_part else "here    nothing is seen to be missing",
    ]


def _describe_sensors(profile: Profile) -> str:
    sensing = profile.sensing
    what = "buttons" if sensing.kind == "button" else "hall sensors"
    shortest, longest = (
        f"{hold * 1000:g}" for hold in (min(sensing.debounce_by_cell.values()), sensing.debounce_seconds)
    )
    hold = longest if shortest == longest else f"{shortest} to {longest}"
    bad = f"; bad: {listing(sorted(sensing.bad_cells))}" if sensing.bad_cells else ""
    wiring = _SENSOR_WIRINGS[type(sensing.wiring)]
    return f"{what} {wiring}; read {sensing.scan_rate:g} times a second, believed after {hold} ms{bad}"


def _describe_lamps(profile: Profile) -> str:
    chain, supply = profile.chain, profile.supply
    strips = f", {len(chain.strip_positions[0])} in each score strip" if chain.strip_positions[0] else ""
    source = "the 5 V pins of the Pi" if supply.source == "pi" else "a supply of their own"
    return (
        f"{chain.lamp_count}, {chain.lamps_per_cell} in each cell{strips}; "
        f"at most {chain.budget_ma:g} of {supply.current_ma:g} mA, "
        f"from {source}"
    )

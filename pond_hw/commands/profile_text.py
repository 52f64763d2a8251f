"""Boards in words: which there are profiles for, and what one of them is."""

from __future__ import annotations

from pond_hw.drivers.pi_machine import Machine, choose_driver, find_machine_fault
from pond_hw.messages.plurals import join_words as listing
from pond_hw.profile import Profile, list_shipped, load_profile
from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    SimulatedWiring,
    TrellisWiring,
)

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
    profile_names = list_shipped()
    name_width = max(map(len, profile_names), default=0)
    return [f"{name:<{name_width}}  {load_profile(name, measured=False).title}" for name in profile_names]


def describe_profile(board: str, host_machine: Machine | None = None) -> list[str]:
    """A few lines about a profile, and whether it can be served on this machine.

    Raises:
        ProfileError: there is no such profile, or something is wrong with it.
    """
    host_machine = host_machine or Machine()
    profile = load_profile(board)
    missing_part = find_machine_fault(profile, host_machine)
    return [
        f"{profile.name}: {profile.title}",
        f"cells   {profile.size}x{profile.size}, {_describe_sensors(profile)}",
        f"lamps   {_describe_lamps(profile)}",
        f"driven  by {choose_driver(profile, host_machine)}",
        *([f"key     GPIO {profile.key_pin}"] if profile.key_pin is not None else []),
        *([f"buzzer  GPIO {profile.buzzer_pin}"] if profile.buzzer_pin is not None else []),
        *([f"own     {listing(profile.measured_keys)}, as measured on this board"] if profile.measured_keys else []),
        *([f"aside   {profile.calibration_warning}"] if profile.calibration_warning else []),
        f"here    {missing_part}" if missing_part else "here    nothing is seen to be missing",
    ]


def _describe_sensors(profile: Profile) -> str:
    sensing = profile.sensing
    sensor_text = "buttons" if sensing.kind == "button" else "hall sensors"
    shortest_ms, longest_ms = (
        f"{hold * 1000:g}" for hold in (min(sensing.debounce_by_cell.values()), sensing.debounce_seconds)
    )
    hold = longest_ms if shortest_ms == longest_ms else f"{shortest_ms} to {longest_ms}"
    bad_cells = f"; bad: {listing(sorted(sensing.bad_cells))}" if sensing.bad_cells else ""
    wiring = _SENSOR_WIRINGS[type(sensing.wiring)]
    return f"{sensor_text} {wiring}; read {sensing.scan_rate:g} times a second, believed after {hold} ms{bad_cells}"


def _describe_lamps(profile: Profile) -> str:
    chain, supply = profile.chain, profile.supply
    strips_text = f", {len(chain.strip_positions[0])} in each score strip" if chain.strip_positions[0] else ""
    supply_source = "the 5 V pins of the Pi" if supply.source == "pi" else "a supply of their own"
    return (
        f"{chain.lamp_count}, {chain.lamps_per_cell} in each cell{strips_text}; "
        f"at most {chain.budget_ma:g} of {supply.current_ma:g} mA, "
        f"from {supply_source}"
    )

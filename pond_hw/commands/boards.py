"""`pond boards`: which boards there are profiles for, and what one of them is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.drivers.pi_machine import Machine, choose_driver, find_machine_fault
from pond_hw.messages.plurals import join_words
from pond_hw.profile import Profile, board_profile, list_shipped, load_profile

_SENSOR_WIRINGS = {
    board_profile.DirectWiring: "each on a GPIO of its own",
    board_profile.MatrixWiring: "at the crossings of a matrix of GPIOs",
    board_profile.ExpanderWiring: "on MCP23017s",
    board_profile.AnalogWiring: "on MCP3008s",
    board_profile.TrellisWiring: "on a NeoTrellis",
    board_profile.SimulatedWiring: "pretended",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    help_text = "one of them, or the path of a .toml of your own"
    parser.add_argument("board", metavar="PROFILE", nargs="?", help=help_text)


def run_command(options: Namespace) -> None:
    """Print the boards, or about one of them."""
    print("\n".join(describe_profile(options.board) if options.board else list_profiles()))


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
        *([f"own     {join_words(profile.measured_keys)}, as measured on this board"] if profile.measured_keys else []),
        *([f"aside   {profile.calibration_warning}"] if profile.calibration_warning else []),
        f"here    {missing_part}" if missing_part else "here    nothing is seen to be missing",
    ]


def _describe_sensors(profile: Profile) -> str:
    sensing = profile.sensing
    sensor_text = "buttons" if sensing.kind == "button" else "hall sensors"
    shortest_longest = min(sensing.debounce_by_cell.values()), sensing.debounce_seconds
    hold = " to ".join(dict.fromkeys(f"{seconds * 1000:g}" for seconds in shortest_longest))
    bad_cells = f"; bad: {join_words(sorted(sensing.bad_cells))}" if sensing.bad_cells else ""
    wiring = _SENSOR_WIRINGS[type(sensing.wiring)]
    return f"{sensor_text} {wiring}; read {sensing.scan_rate:g} times a second, believed after {hold} ms{bad_cells}"


def _describe_lamps(profile: Profile) -> str:
    chain, supply = profile.chain, profile.supply
    strips_text = f", {len(chain.strip_positions[0])} in each score strip" if chain.strip_positions[0] else ""
    supply_source = "the 5 V pins of the Pi" if supply.source == "pi" else "a supply of their own"
    lamps_text = f"{chain.lamp_count}, {chain.lamps_per_cell} in each cell{strips_text}"
    return f"{lamps_text}; at most {chain.budget_ma:g} of {supply.current_ma:g} mA, from {supply_source}"

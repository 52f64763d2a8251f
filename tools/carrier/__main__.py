"""Design carrier boards, and write them to hardware/NAME/carrier.

make carriers BOARDS="direct-4x4 kitchen.toml"
"""

from __future__ import annotations

import sys
from pathlib import Path

from pond_hw.fabrication.carrier import has_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile import load_profile
from tools.carrier.files import make_carrier_files
from tools.carrier.placement import NoRoom
from tools.pcb.maker import write_design

HARDWARE = Path(__file__).parents[2] / "hardware"


def main(boards: list[str]) -> int:
    """Design a carrier for each board that can have one, and print the result."""
    try:
        for board in boards:
            print(design_carrier(board))
    except (PondError, NoRoom, OSError) as error:
        print(f"{board}: {describe_system_error(error)}", file=sys.stderr)
        return 2
    return 0


def design_carrier(board: str, hardware: Path = HARDWARE) -> str:
    """Write the design of a board's carrier to its folder in hardware/, and return a line about the result.

    Raises:
        PondError: the board is unknown or cannot be built.
        NoRoom: a carrier with these parts does not fit in the case.
        OSError: a file cannot be written.
    """
    profile = load_profile(board, measured=False)
    netlist = make_circuit(profile)
    full_netlist = expand_rows(profile, netlist)
    if faults := (*check_netlist(full_netlist), *check_profile_match(profile, full_netlist)):
        raise PondError(Message("build.impossible.wiring", board=profile.name, faults=faults))
    if not has_carrier(netlist):
        return f"{profile.name}: no carrier board, because its keys are connected to the Pi directly"
    folder = hardware / profile.name / "carrier"
    write_design(folder, f"{profile.name}-carrier", make_carrier_files(profile, netlist))
    return f"{profile.name}: {folder.relative_to(hardware.parent)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

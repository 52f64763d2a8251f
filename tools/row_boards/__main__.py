"""Design the row boards, and write them to hardware/row-boards: `make row-boards`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

from pond_hw.fabrication.row_board import RowKind
from pond_hw.profile.row_boards import ROW_SIZES
from tools.pcb.maker import write_design
from tools.row_boards.files import make_row_files

FOLDER = Path(__file__).parents[2] / "hardware" / "row-boards"


def main(folder: Path = FOLDER) -> int:
    """Write the design of each row board to its folder, and print its name."""
    for kind in get_args(RowKind):
        for size in ROW_SIZES:
            name = f"{kind}-{size}"
            try:
                write_design(folder / name, name, make_row_files(kind, size))
            except OSError as error:
                print(f"{name}: {error}", file=sys.stderr)
                return 2
            print(f"{name}: {FOLDER.relative_to(FOLDER.parents[1])}/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Design the row boards, and write them to hardware/row-boards: `make row-boards`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

from pond_hw.fabrication.row_board import RowKind
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.row_boards import ROW_SIZES
from tools.pcb.maker import write_design
from tools.row_boards.files import make_row_files
from tools.row_boards.page import make_page

FOLDER = Path(__file__).parents[2] / "hardware" / "row-boards"


def main(folder: Path = FOLDER) -> int:
    """Write the design of each row board to its folder, and the page about them. Print their names."""
    try:
        for kind in get_args(RowKind):
            for size in ROW_SIZES:
                name = f"{kind}-{size}"
                write_design(folder / name, name, make_row_files(kind, size))
                print(f"{name}: {FOLDER.relative_to(FOLDER.parents[1])}/{name}")
        (folder / "README.md").write_text(make_page(), encoding="utf-8")
    except OSError as error:
        print(describe_system_error(error), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

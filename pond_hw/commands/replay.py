"""`pond replay`: a game record in a terminal, turn by turn, back and forth; and what its actions were worth.

`steps` and `words` are pure, `app` is the screen.
"""

from __future__ import annotations

from pond_hw.rules import Record

__all__ = ["run"]


def run(record: Record, lamps: int | None) -> None:
    """Step through a game in this terminal until somebody leaves.

    Args:
        record: of the game.
        lamps: lamps in a cell; None: as many as the window has room for.

    Raises:
        PondError: there is no terminal.
    """
    from pond_hw.tui.play_app import need_terminal
    from pond_hw.tui.record_app import SteppingBoard

    need_terminal("`pond replay --text` does not")
    app = SteppingBoard(record, lamps)
    app.run()
    if app.return_code:
        raise SystemExit(app.return_code)

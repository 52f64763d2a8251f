"""The game on paper. It imports nothing else of ours and can be read with only the rulebook in hand.

>>> from pond_hw.rules import STANDARD, Action, Position, play
>>> turn = play(Position.start(STANDARD), Action.read("@b2"))
>>> turn.after.line
'..../..../.E../.... d 12 13 0 0'
"""

from pond_hw.rules.grid import SIZES, Cell, Grid, NotationError, PondError, grid
from pond_hw.rules.position import (
    DARK,
    EGG,
    FROG,
    LIGHT,
    PIECES,
    TADPOLE,
    Piece,
    Position,
    Side,
    Symbol,
)
from pond_hw.rules.record import Record, RecordError, read_record
from pond_hw.rules.starting_position import cannot_begin, set_up
from pond_hw.rules.turn import (
    Action,
    Development,
    IllegalAction,
    Outcome,
    Reason,
    Turn,
    legal_actions,
    outcome,
    perft,
    play,
    refusal,
)
from pond_hw.rules.variants import STANDARD, VARIANTS, Variant, variant

__all__ = [
    "DARK",
    "EGG",
    "FROG",
    "LIGHT",
    "PIECES",
    "SIZES",
    "STANDARD",
    "TADPOLE",
    "VARIANTS",
    "Action",
    "Cell",
    "Development",
    "Grid",
    "IllegalAction",
    "NotationError",
    "Outcome",
    "Piece",
    "PondError",
    "Position",
    "Reason",
    "Record",
    "RecordError",
    "Side",
    "Symbol",
    "Turn",
    "Variant",
    "cannot_begin",
    "grid",
    "legal_actions",
    "outcome",
    "perft",
    "play",
    "read_record",
    "refusal",
    "set_up",
    "variant",
]

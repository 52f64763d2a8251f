"""The rules of the game, independent of the rest of the program.

>>> from pond_hw.rules import STANDARD, Action, Position, play
>>> turn = play(Position.start(STANDARD), Action.from_notation("@b2"))
>>> turn.after.notation_line
'..../..../.E../.... d 12 13 0 0'
"""

from pond_hw.messages.message import PondError
from pond_hw.rules.grid import SIZES, Cell, Grid, NotationError, get_grid
from pond_hw.rules.position import DARK, EGG, FROG, LIGHT, PIECES, TADPOLE, Piece, Position, Side, Symbol
from pond_hw.rules.record import Game, Record, RecordError, explain_invalid_start, parse_record
from pond_hw.rules.turn import (
    Action,
    DevelopedPiece,
    EndReason,
    IllegalAction,
    Outcome,
    Turn,
    explain_illegal_action,
    find_outcome,
    legal_actions,
    play,
)
from pond_hw.rules.variants import STANDARD, VARIANTS, Variant, parse_variant

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
    "DevelopedPiece",
    "EndReason",
    "Game",
    "Grid",
    "IllegalAction",
    "NotationError",
    "Outcome",
    "Piece",
    "PondError",
    "Position",
    "Record",
    "RecordError",
    "Side",
    "Symbol",
    "Turn",
    "Variant",
    "explain_illegal_action",
    "explain_invalid_start",
    "find_outcome",
    "get_grid",
    "legal_actions",
    "parse_record",
    "parse_variant",
    "play",
]

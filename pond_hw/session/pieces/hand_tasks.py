"""Tasks for the players after a turn: removing scored pieces and turning over developed pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.rules import Cell, Piece, Symbol, Turn
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import Occupancy, SensorHealth

Faces = Mapping[Cell, Symbol | None]  # face that each piece shows; None if unknown


@dataclass(frozen=True, slots=True)
class HandTasks:
    """Pieces to remove and pieces to turn over.

    Attributes:
        asks_to_flip: True if developed pieces must be turned over.
        to_remove: Scored pieces that are still detected, by cell.
        recently_removed: Scored pieces removed since the last turn, by their former cell.
        to_flip: Faces currently shown by the pieces to turn over.
        lifted_to_flip: Cells of pieces that have been lifted to be turned over.
        action_sensed_at: Time in seconds at which the last piece that acted was detected.
    """

    asks_to_flip: bool = True
    to_remove: Mapping[Cell, Piece] = field(default_factory=dict)
    recently_removed: Mapping[Cell, Piece] = field(default_factory=dict)
    to_flip: Faces = field(default_factory=dict)
    lifted_to_flip: frozenset[Cell] = frozenset()
    action_sensed_at: float = -inf

    @property
    def cells_to_flip(self) -> frozenset[Cell]:
        return frozenset(self.to_flip)

    def has_same_cells(self, other: HandTasks) -> bool:
        return self.to_remove.keys() == other.to_remove.keys() and self.to_flip.keys() == other.to_flip.keys()

    def after_turns(self, turns: Sequence[Turn], occupied_cells: Set[Cell], sensors: SensorHealth) -> HandTasks:
        # A bad sensor cannot report that a scored piece was removed, so the lamps ask for it only until the next turn.
        # A piece that is currently undetected may have slipped, so its removal is decided once the board is stable.
        # A bad sensor is ignored if it detects nothing; if it detects something, it may be right.
        masked_cells = sensors.masked_cells
        to_remove = {cell: piece for cell, piece in self.to_remove.items() if cell not in masked_cells}
        to_flip = self.to_flip
        for turn in turns:
            to_remove |= find_scored_pieces([turn])
            to_flip = self._update_faces(to_flip, turn)
        target = turns[-1].action.target
        was_removed = target in find_scored_pieces(turns[-1:]) and target not in occupied_cells
        *_, before_last, last = (-inf, -inf, *sensors.change_times.get(target, ()))
        settled_cells = {*turns[-1].after.pieces, *(masked_cells - occupied_cells)}
        return replace(
            self,
            to_remove={cell: piece for cell, piece in to_remove.items() if cell not in settled_cells},
            recently_removed={},
            to_flip=to_flip,
            lifted_to_flip=(self.lifted_to_flip | to_flip.keys() - occupied_cells) & to_flip.keys(),
            action_sensed_at=before_last if was_removed else last,
        )

    def after_position_change(self, undone_turns: Sequence[Turn], occupied_cells: Set[Cell]) -> HandTasks:
        """Return the tasks for another game, or for the position after these turns were undone.

        Developed pieces must be turned back. The lamps show separately where to put back scored pieces.
        """
        to_flip = self.to_flip if undone_turns else {}
        for turn in reversed(undone_turns):
            to_flip = self._update_faces(to_flip, turn, is_undone=True)
        return HandTasks(
            self.asks_to_flip,
            to_flip=to_flip,
            lifted_to_flip=frozenset(to_flip.keys() - occupied_cells),
        )

    def _update_faces(self, to_flip: Faces, turn: Turn, *, is_undone: bool = False) -> Faces:
        """Return the pieces that show the wrong face after a turn is taken or undone."""
        faces, ignored_cells = dict(to_flip), {*turn.action, *find_scored_pieces([turn])}
        for cell, _, *symbols in turn.developed_pieces:
            before, after = reversed(symbols) if is_undone else symbols
            if faces.setdefault(cell, before) == after:
                del faces[cell]
        return {cell: face for cell, face in faces.items() if self.asks_to_flip and cell not in ignored_cells}

    def after_settling(
        self, occupancy: Occupancy, sensors: SensorHealth, replaced_cells: Set[Cell] = frozenset()
    ) -> HandTasks:
        """Complete the tasks that a stable board shows to be done.

        A scored piece also counts as removed if another piece has replaced it.
        """
        occupied, scored_cells = occupancy.occupied_cells, occupancy.occupied_cells - replaced_cells
        slipped = {
            cell: piece
            for cell, piece in self.recently_removed.items()
            if cell in occupied and occupancy.may_belong_to(cell, piece.owner) and self._has_slipped(cell, sensors)
        }
        removed_pieces = {cell: piece for cell, piece in self.to_remove.items() if cell not in scored_cells}
        removed_before = {cell: piece for cell, piece in self.recently_removed.items() if cell not in slipped}
        flipped_cells = self.lifted_to_flip & occupied
        to_flip = {cell: shown_face for cell, shown_face in self.to_flip.items() if cell not in flipped_cells}
        return replace(
            self,
            to_remove={cell: piece for cell, piece in self.to_remove.items() if cell in scored_cells} | slipped,
            recently_removed=removed_before | removed_pieces,
            to_flip=to_flip,
            lifted_to_flip=(self.lifted_to_flip - flipped_cells) | (to_flip.keys() - occupied),
        )

    def _has_slipped(self, cell: Cell, sensors: SensorHealth) -> bool:
        """Return True if the piece left its cell too soon after its action, and too briefly, to have been removed.

        A turn may count while its piece is still in the player's hand.
        """
        change_times = sensors.change_times.get(cell, ())
        if len(change_times) < 3:
            return False
        landed, left, returned = change_times[-3:]
        return (
            landed == self.action_sensed_at
            and left - landed <= ODDS.slip_seconds
            and returned - left <= ODDS.carried_seconds
        )


def find_scored_pieces(turns: Iterable[Turn]) -> dict[Cell, Piece]:
    """Return the pieces that scored in these turns, by cell."""
    return {cell: turn.pieces_after_develop[cell] for turn in turns for scored_run in turn.sets for cell in scored_run}

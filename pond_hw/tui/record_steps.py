"""Where one is in a game, and what there is to see there. Pure: whoever steps owns time."""

from __future__ import annotations

from itertools import chain

from pond_hw.lights import turn_duration
from pond_hw.rules import Record, Turn
from pond_hw.session import CellRole, CellView, Scene, View

PAUSE_SECONDS = 1.2
"""Seconds for which a position is seen before the next turn, when the game plays by itself."""

PAGE_TURNS = 10
"""Turns of a page."""


class RecordSteps:
    """A game that is gone through.

    Args:
        record: of the game.

    Attributes:
        turns_taken: how many turns have been taken where it is.
        is_playing: whether it goes on as time passes.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.turns_taken = 0
        self.is_playing = False
        self._arrived_at = 0.0  # when it came here
        self._moved_forward = False  # whether by one turn, which is then played out in light

    @property
    def turn_count(self) -> int:
        """How many turns the game has."""
        return len(self.record.turns)

    @property
    def last_turn(self) -> Turn | None:
        """The turn that was taken last, where it is."""
        return self.record.turns[self.turns_taken - 1] if self.turns_taken else None

    def go_to_turn(self, turn_number: int, now: float) -> None:
        """Be after so many turns, or at the end that is nearer."""
        turn_number = min(max(0, turn_number), self.turn_count)
        if turn_number != self.turns_taken:
            self._moved_forward = turn_number == self.turns_taken + 1
            self.turns_taken, self._arrived_at = turn_number, now

    def go_to_pair(self, pair_number: int, now: float) -> None:
        """Be after the first action of a pair, as the record numbers them."""
        self.go_to_turn(2 * pair_number - 1 - self.record.start_position.to_move, now)

    def toggle_playing(self, now: float) -> None:
        """Go on by itself, at once by a turn, or stop; at the end, begin again."""
        self.is_playing = not self.is_playing
        if self.is_playing:
            if self.turns_taken == self.turn_count:
                self.go_to_turn(0, now)
            self.go_to_turn(self.turns_taken + 1, now)

    def pass_time(self, now: float) -> None:
        """It is so late."""
        if self.is_playing:
            turn = self.last_turn
            lasting_seconds = PAUSE_SECONDS + (turn_duration(turn) if turn and self._moved_forward else 0.0)
            if now - self._arrived_at >= lasting_seconds:
                self.go_to_turn(self.turns_taken + 1, now)
            self.is_playing = self.turns_taken < self.turn_count

    @property
    def view(self) -> View:
        """The game as it stands here: the pieces, and nothing to be done."""
        record = self.record
        return View(
            size=record.variant.size,
            variant=record.variant,
            turns=record.turns[: self.turns_taken],
            declared_outcome=record.declared_outcome if self.turns_taken == self.turn_count else None,
            custom_start=record.custom_start,
            game_phase="replay",
            turn_is_fresh=self._moved_forward,
            changed_at=self._arrived_at,
        )


def mark_turn(scene: Scene, turn: Turn | None) -> Scene:
    """A scene with the cells of a turn marked: where it ended, what developed, and what scored, which has gone."""
    if turn is None:
        return scene
    cell_views = dict(scene.cell_views)
    scored = set(chain.from_iterable(turn.scored_cells.values()))
    for cell in (developed_piece.cell for developed_piece in turn.developed_pieces):
        cell_views[cell] = cell_views[cell]._replace(role=CellRole.FLIP)
    cell_views[turn.action.target] = cell_views[turn.action.target]._replace(role=CellRole.CHOSEN)
    for cell in scored:
        cell_views[cell] = CellView(turn.pieces_after_develop[cell], CellRole.TAKE_OFF, cell == turn.action.target)
    return scene._replace(cell_views=cell_views)

"""State of a board with pieces.

Its parts are defined in separate modules: sensor health and occupancy, hand tasks, confirmation, and hypotheses. This
module combines them.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pond_hw.rules import Action, Cell, Position, Side, Turn
from pond_hw.session.pieces.confirmation import BoardEvent, ConfirmationState
from pond_hw.session.pieces.hand_tasks import HandTasks, find_scored_pieces
from pond_hw.session.pieces.hypotheses import Hypothesis
from pond_hw.session.pieces.hypothesis_ranking import (
    Hypotheses,
    are_exhausted,
    begin_hypotheses,
    deny_actions,
    filter_by_corrections,
    filter_by_turns,
    follow_change,
    restart_hypotheses,
)
from pond_hw.session.pieces.hypothesis_state import BoardConditions, Change
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference, Occupancy, SensorHealth

LATE_SECONDS = 0.3  # time after a press during which a sensor may still report an earlier dropout


class KeyPress(NamedTuple):
    """A press of a turn key that has not ended a turn yet.

    Attributes:
        side: Owner of the key; None for the side to move.
        instant: Time of the press, in seconds.
        due: Time at which to check the board again, in seconds.
        blocking_cell: Cell that caused a refusal, if any.
        asked_about: Actions that the board asked the player to confirm; empty if the press was refused.
    """

    side: Side | None
    instant: float
    due: float
    blocking_cell: Cell | None = None
    asked_about: tuple[Action, ...] = ()

    @property
    def last_read(self) -> float:
        """Time in seconds until which a sensor may still report a dropout from before the press."""
        return self.instant + LATE_SECONDS


@dataclass(frozen=True, slots=True)
class BoardState:
    """State of a board with pieces, updated after touches and turns and as time passes.

    Attributes:
        human_sides: Sides whose players move the pieces themselves. The lamps show how to move all other pieces.
        hypotheses: Explanations of all changes since the board last matched the game, the likeliest first.
        press: Press of a turn key that has not been interpreted yet.
        failed_presses: Key presses that did not end this turn, in order.
    """

    human_sides: tuple[Side, ...] = tuple(Side)
    sensors: SensorHealth = field(default_factory=SensorHealth)
    occupancy: Occupancy = field(default_factory=Occupancy)
    tasks: HandTasks = field(default_factory=HandTasks)
    confirmation: ConfirmationState = field(default_factory=ConfirmationState)
    hypotheses: Hypotheses = ()
    press: KeyPress | None = None
    failed_presses: tuple[KeyPress, ...] = ()

    @property
    def both_sides_human(self) -> bool:
        return set(self.human_sides) == set(Side)

    def trusted_cells(self, position: Position) -> frozenset[Cell]:
        """Return the cells of the pond where a trusted sensor detects a piece."""
        return (self.occupancy.occupied_cells & position.grid.mask_by_cell.keys()) - self.sensors.masked_cells

    def find_difference(self, position: Position, loose_cells: Set[Cell] | None = None) -> BoardDifference:
        """Return the cells where the board differs from a position, ignoring masked cells and cells outside the pond.

        Pieces on `loose_cells` are also ignored. By default, these are the cells of scored pieces to remove.
        """
        if loose_cells is None:
            loose_cells = self.tasks.to_remove.keys()
        pieces, may_belong_to = position.pieces, self.occupancy.may_belong_to
        expected = pieces.keys() - self.sensors.masked_cells
        detected = self.trusted_cells(position) - loose_cells
        wrong_owner = {cell for cell in expected & detected if not may_belong_to(cell, pieces[cell].owner)}
        return BoardDifference(frozenset(expected - detected), frozenset(detected - expected), frozenset(wrong_owner))

    def matches_position(self, position: Position) -> bool:
        detected, masked_cells = self.trusted_cells(position), self.sensors.masked_cells
        if not masked_cells and (position.light | position.dark).bit_count() != len(detected):
            return False
        pieces = position.pieces
        return pieces.keys() - masked_cells == detected and all(
            self.occupancy.may_belong_to(cell, piece.owner) for cell, piece in pieces.items()
        )

    def may_have_acted(self, difference: BoardDifference) -> bool:
        """Return True if the difference may be due to an action by the player.

        Actions by hand must be allowed, and no extra piece may date from before a program's turn.
        """
        agreement = self.confirmation.agreement
        has_moved = difference.extra.isdisjoint(self.occupancy.known_owners)
        return agreement.counts_actions and (agreement.has_agreed or has_moved)

    def next_due(self, position: Position) -> float:
        """Return the time in seconds at which to check the board if nothing moves, or infinity."""
        if self.press:
            return self.press.due
        confirmation_due = self.confirmation.next_due if self.confirmation.is_interpreted else self.occupancy.settles_at
        return min([confirmation_due, *self.sensors.healing_instants(position, self.occupancy.occupied_cells).values()])

    def after_touch(self, cell: Cell, is_occupied: bool, instant: float, owner: Side | None = None) -> BoardState:
        """Apply one sensor change."""
        changed = replace(
            self,
            sensors=self.sensors.after_change(cell, instant),
            occupancy=self.occupancy.after_change(cell, is_occupied, owner),
        )
        is_ignored = cell in self.sensors.known_bad and cell not in self.tasks.to_remove
        if is_ignored or (cell in self.sensors.masked_cells and changed.sensors.is_flickering(cell)):
            return changed
        announced_actions = self.confirmation.find_announced_actions(instant)
        followed = changed._with_hypotheses_after(cell, is_occupied, instant, announced_actions).after_movement(instant)
        likeliest = followed.hypotheses[:1]
        if not is_occupied and any(cell in hypothesis.to_flip for hypothesis in likeliest):
            announced_actions = ()  # lifting a piece to turn it over is not an answer
        is_new = not any(cell in hypothesis.position.pieces for hypothesis in likeliest)
        confirmation = followed.confirmation.with_answer(cell, is_occupied, announced_actions, is_new=is_new)
        return replace(followed, confirmation=confirmation)

    def _with_hypotheses_after(
        self, cell: Cell, is_occupied: bool, instant: float, announced_actions: tuple[Action, ...]
    ) -> BoardState:
        """Extend the hypotheses by one sensor change.

        Drop them instead if the sensor is masked or if the lamps asked for this change.
        """
        if not self.hypotheses:
            return self
        grid = self.hypotheses[0].position.grid
        if cell not in grid.mask_by_cell:
            return self
        if cell in self.sensors.masked_cells or (
            is_occupied and self.confirmation.asks_for(cell, self.occupancy.occupied_cells)
        ):
            return replace(self, hypotheses=())
        owners = tuple(side for side in Side if self.occupancy.may_belong_to(cell, side))
        conditions = BoardConditions(self.human_sides, self.sensors.masked_cells)
        change = Change(cell, is_occupied, instant, owners, announced_actions)
        hypotheses = follow_change(self.hypotheses, change, conditions)
        if is_occupied and (denied_actions := self.confirmation.find_denied_actions(cell)):
            hypotheses = deny_actions(hypotheses, denied_actions)
        return replace(self, hypotheses=hypotheses)

    def with_hypotheses(self, position: Position, now: float) -> BoardState:
        """Start over with a single hypothesis, unless others are still likely. The board must match the game."""
        if self.hypotheses and not are_exhausted(self.hypotheses, now):
            return replace(self, hypotheses=restart_hypotheses(self.hypotheses, self.tasks.cells_to_flip, now))
        tasks, occupied_cells = self.tasks, self.occupancy.occupied_cells
        hypotheses = begin_hypotheses(
            Hypothesis(position, tasks.asks_to_flip),
            {cell: piece.owner for cell, piece in tasks.to_remove.items() if cell in occupied_cells},
            {cell: piece.owner for cell, piece in tasks.recently_removed.items() if cell not in position.pieces},
            tasks.cells_to_flip,
            position.pieces.keys() - occupied_cells,
        )
        return replace(self, hypotheses=hypotheses)

    def after_movement(self, instant: float) -> BoardState:
        """Wait until the board is stable again before interpreting it."""
        occupancy = self.occupancy.after_movement(instant)
        return replace(self, occupancy=occupancy, confirmation=self.confirmation.after_movement())

    def after_wakeup(self, instant: float) -> BoardState:
        """Accept the pieces detected when the sensors start, without interpreting them as actions."""
        confirmation = self.confirmation.after_game_change(BoardEvent.SENSORS_STARTED)
        return replace(self, occupancy=self.occupancy.after_wakeup(instant), confirmation=confirmation, hypotheses=())

    def after_healing(self, position: Position, now: float) -> BoardState:
        """Trust suspected sensors again if they have matched the game for long enough."""
        healed_sensors = self.sensors.after_healing(position, self.occupancy.occupied_cells, now)
        if healed_sensors is self.sensors:
            return self
        return replace(self, sensors=healed_sensors, confirmation=self.confirmation.after_movement(), hypotheses=())

    def with_suspects(self, suspected_cells: Set[Cell]) -> BoardState:
        sensors = self.sensors.with_suspects(suspected_cells)
        return replace(self, sensors=sensors, confirmation=self.confirmation.after_movement(), hypotheses=())

    def with_failed_press(self, press: KeyPress) -> BoardState:
        return replace(self, failed_presses=(*self.failed_presses, press))

    def with_known_sensor(self, cell: Cell, is_bad: bool, instant: float) -> BoardState:
        """Mask or unmask a sensor. Return this same object if the masked cells do not change."""
        known_sensors = self.sensors.with_known(cell, is_bad)
        if known_sensors.masked_cells == self.sensors.masked_cells:
            return self
        return replace(self, sensors=known_sensors, hypotheses=()).after_movement(instant)

    def after_turns(self, turns: Sequence[Turn], *, by_hand: bool) -> BoardState:
        """Apply turns taken by hand, or turns that the players still have to carry out on the board."""
        followed_state = replace(self, tasks=self.tasks.after_turns(turns, self.occupancy.occupied_cells, self.sensors))
        is_in_sync = by_hand or followed_state.find_difference(turns[-1].after) == NO_DIFFERENCE
        hypotheses = filter_by_turns(self.hypotheses, turns) if by_hand else ()
        event = BoardEvent.TURN_BY_HAND if is_in_sync else BoardEvent.PROGRAM_TURN
        confirmation = self.confirmation.after_game_change(event)
        return replace(followed_state, confirmation=confirmation, hypotheses=hypotheses, failed_presses=())

    def after_correction(self, undone_turns: Sequence[Turn]) -> BoardState:
        """Undo turns that the players corrected. The pieces already show the turns that replace them."""
        tasks = self.tasks.after_position_change(undone_turns, self.occupancy.occupied_cells)
        scored_cells = find_scored_pieces(undone_turns).keys()
        to_remove = {cell: piece for cell, piece in self.tasks.to_remove.items() if cell not in scored_cells}
        tasks = replace(tasks, to_remove=to_remove)
        return replace(self, tasks=tasks, hypotheses=filter_by_corrections(self.hypotheses, len(undone_turns)))

    def after_position_change(self, position: Position, undone_turns: Sequence[Turn] = ()) -> BoardState:
        """Apply a change of position: a new game, a position set up by hand, or an undo."""
        occupied_cells = self.occupancy.occupied_cells
        jumped = replace(
            self,
            tasks=self.tasks.after_position_change(undone_turns, occupied_cells),
            occupancy=replace(self.occupancy, ever_occupied=bool(occupied_cells)),
            hypotheses=(),
            failed_presses=(),
        )
        is_in_sync = jumped.find_difference(position) == NO_DIFFERENCE
        event = BoardEvent.AGREED if is_in_sync else BoardEvent.GAME_REPLACED
        return replace(jumped, confirmation=self.confirmation.after_game_change(event))

    def with_pieces_to_remove(self, turns: Sequence[Turn]) -> BoardState:
        """Ask the players to remove the pieces that scored in these turns."""
        return replace(self, tasks=replace(self.tasks, to_remove=find_scored_pieces(turns)))

"""What a board with pieces feels, and what hands have still to do: a value that changes with touches and turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.rules import Cell, Piece, Position, Side, Symbol, Turn
from pond_hw.session.intents import IN_SYNC, NO_DIFFERENCE, Interpretation, Mismatch, OccupancyDifference
from pond_hw.session.scene import ConfirmWindow

SETTLE_SECONDS = 0.25
"""How long a difference holds still before it counts, if no profile says otherwise."""

WAKEUP_SECONDS = 1.0
"""How long sensors may take to feel what stands there, after they have begun or come back."""

STUCK_SECONDS = 20.0
"""After so long a piece that alone is felt too many, and not taken away, is put down to the sensor."""

OFFERED_STUCK_SECONDS = 60.0
"""The same for one that could be an action, if it were made now."""

SECOND_TURN_SECONDS = 1.5
"""How long a piece may be on its way in the second of two quick turns."""

FLICKER_COUNT, FLICKER_SECONDS = 10, 4.0
"""A sensor that changes so often in so many seconds is bad: no hand does that."""

TRUST_AGAIN_SECONDS = 10.0
"""A sensor that was found bad, and has agreed with the game for so long, is believed again."""


@dataclass(frozen=True, slots=True)
class BoardState:
    """What a board with pieces feels, and what hands have still to do.

    Attributes:
        settle_seconds: seconds that a difference must hold still before it counts.
        has_faces: whether the pieces have faces that people turn over.
        human_sides: the sides whose actions come by hand.
        menu_cells: the cells of the menu.
        occupied: where a piece is felt.
        sensed_owners: whose it is, where sensors can tell.
        known_owners: whose the pieces are that have stood still since board and game agreed last.
        changed_at: since when nothing has moved, in seconds.
        grace_until: until when sensors may still come to feel what stands there already.
        is_interpreted: whether what is felt has held still and has been read.
        interpretation: what it was read as.
        confirm_window: since when that is announced and when it is done, or None.
        interpreted_since: when the reading became what it is.
        interpreted_at: when it was read last.
        was_in_sync: whether board and game have agreed since they last differed: actions count only from there.
        synced_since_turn: whether they have agreed since the last turn.
        unverified: whether they have not agreed since the game became another one: what is missing was never there.
        ever_occupied: whether anything has been felt since the game became what it is.
        to_remove: the scored pieces that are still felt.
        recently_removed: the scored pieces that have been taken off since the last turn, by the cell where they stood; and where
            the one that acted came from: whoever takes the turn back puts them there.
        action_sensed_at: when the piece was felt that acted last, in seconds.
        to_flip: the pieces that show another face than the game says, and which; None if that is not known.
        lifted_to_flip: those of them that are in a hand.
        known_bad: cells whose sensors are known to be bad.
        suspected_bad: cells whose sensors were found to be bad, until they have healed.
        trusted_again_at: when a sensor that was found bad was believed again because it changed, in seconds.
        announced_masked: the masked cells that people have been told of.
        change_times: when each sensor changed, the last few times.
        settled_difference: the difference that held still last.
        visit_counts: how often each difference has been settled in this position.
        deferred_since: when the first of these was put off.
        deferred: cells from which nobody takes the piece that the lamps ask for; the next one is asked for first.
        suspected_accident: whether so much differed that it was an accident: nothing is taken back before all is mended.
        take_back_declined: whether going back was announced, and a hand said no.
        confirm_gestures: how often a piece that may not move was lifted and put back, and to which difference it comes back.
        unanswered_questions: how many things that nobody felt have been asked for in vain.
    """

    settle_seconds: float = SETTLE_SECONDS
    has_faces: bool = True
    human_sides: tuple[Side, ...] = tuple(Side)
    menu_cells: tuple[Cell, ...] = ()
    occupied: frozenset[Cell] = frozenset()
    sensed_owners: Mapping[Cell, Side] = field(default_factory=dict)
    known_owners: Mapping[Cell, Side] = field(default_factory=dict)
    changed_at: float = 0.0
    grace_until: float = 0.0
    is_interpreted: bool = False
    interpretation: Interpretation = IN_SYNC
    confirm_window: ConfirmWindow | None = None
    interpreted_since: float = 0.0
    interpreted_at: float = 0.0
    was_in_sync: bool = False
    synced_since_turn: bool = False
    unverified: bool = False
    ever_occupied: bool = False
    to_remove: Mapping[Cell, Piece] = field(default_factory=dict)
    recently_removed: Mapping[Cell, Piece] = field(default_factory=dict)
    action_sensed_at: float = -inf
    to_flip: Mapping[Cell, Symbol | None] = field(default_factory=dict)
    lifted_to_flip: frozenset[Cell] = frozenset()
    known_bad: frozenset[Cell] = frozenset()
    suspected_bad: frozenset[Cell] = frozenset()
    trusted_again_at: Mapping[Cell, float] = field(default_factory=dict)
    announced_masked: frozenset[Cell] = frozenset()
    change_times: Mapping[Cell, tuple[float, ...]] = field(default_factory=dict)
    settled_difference: OccupancyDifference = NO_DIFFERENCE
    visit_counts: Mapping[OccupancyDifference, int] = field(default_factory=dict)
    deferred: frozenset[Cell] = frozenset()
    deferred_since: float = 0.0
    suspected_accident: bool = False
    take_back_declined: bool = False
    confirm_gestures: tuple[OccupancyDifference, int] = (NO_DIFFERENCE, 0)
    unanswered_questions: int = 0

    @property
    def cells_to_flip(self) -> frozenset[Cell]:
        """The pieces that have to be turned over."""
        return frozenset(self.to_flip)

    @property
    def masked_cells(self) -> frozenset[Cell]:
        """The cells of which nobody asks what is felt."""
        return self.known_bad | self.suspected_bad

    def trusted_occupied(self, position: Position) -> frozenset[Cell]:
        """Where a piece is felt on cells of the pond whose sensors can be believed."""
        return (self.occupied & position.grid.mask_by_cell.keys()) - self.masked_cells

    @property
    def settles_at(self) -> float:
        """When what is felt will have held still for long enough, in seconds."""
        return max(self.changed_at + self.settle_seconds, self.grace_until)

    def after_touch(self, cell: Cell, down: bool, at: float, owner: Side | None = None) -> BoardState:
        """The same with one more change that was felt."""
        felt = self.occupied | {cell} if down else self.occupied - {cell}
        owners = {where: whose for where, whose in self.sensed_owners.items() if where != cell}
        if down and owner is not None:
            owners[cell] = owner
        known = {where: whose for where, whose in self.known_owners.items() if where != cell}
        flips = (*self.change_times.get(cell, ()), at)[-FLICKER_COUNT:]
        flickers = len(flips) == FLICKER_COUNT and at - flips[0] <= FLICKER_SECONDS
        all_flips = {**self.change_times, cell: flips}
        if cell in self.masked_cells and flickers:
            return replace(self, occupied=felt, sensed_owners=owners, known_owners=known, change_times=all_flips)
        if cell in self.known_bad and cell not in self.to_remove:  # nobody asks what it feels, but a hand is there
            changed = replace(self, occupied=felt, sensed_owners=owners, known_owners=known, change_times=all_flips)
            held_up = replace(
                changed,
                changed_at=at,
                is_interpreted=False,
                confirm_window=None,
                confirm_gestures=(NO_DIFFERENCE, 0),
                unanswered_questions=0,
            )
            return held_up if self.confirm_window else changed
        return replace(
            self,
            occupied=felt,
            sensed_owners=owners,
            known_owners=known,
            change_times=all_flips,
            suspected_bad=self.suspected_bad | {cell} if flickers else self.suspected_bad - {cell},
            trusted_again_at={**self.trusted_again_at, cell: at}
            if cell in self.suspected_bad
            else self.trusted_again_at,
            changed_at=at,
            is_interpreted=False,
            confirm_window=None,
        )

    def after_wakeup(self, at: float) -> BoardState:
        """The same, when the sensors begin or have come back: what stands there is not something that was done."""
        anew = replace(
            self,
            changed_at=at,
            grace_until=at + WAKEUP_SECONDS,
            is_interpreted=False,
            confirm_window=None,
            interpretation=IN_SYNC,
        )
        return replace(anew, was_in_sync=False, synced_since_turn=False)

    def next_due(self, position: Position) -> float:
        """When to look again, if nothing moves: seconds, or infinity."""
        instants = [self.change_times[cell][-1] + TRUST_AGAIN_SECONDS for cell in self._agreeing_cells(position)]
        if not self.is_interpreted:
            return min([self.settles_at, *instants])
        if self.confirm_window:
            instants.append(self.confirm_window.until)
        if expects_second_turn(self):
            instants.append(self.interpreted_since + SECOND_TURN_SECONDS)
        instants.append(self.interpreted_since + patience_seconds(self.interpretation))
        return min(instants, default=inf)

    def after_healing(self, position: Position, at: float) -> BoardState:
        """The same without doubts about sensors that have agreed with the game for long enough."""
        well = {
            cell for cell in self._agreeing_cells(position) if at >= self.change_times[cell][-1] + TRUST_AGAIN_SECONDS
        }
        return replace(self, suspected_bad=self.suspected_bad - well) if well else self

    def _agreeing_cells(self, position: Position) -> list[Cell]:
        if not self.suspected_bad:
            return []
        pieces = position.pieces
        return [
            cell
            for cell in self.suspected_bad
            if (cell in self.occupied) == (cell in pieces) and cell in self.change_times
        ]

    def after_turns(self, position: Position, turns: Sequence[Turn], *, by_hand: bool) -> BoardState:
        """The same when turns have been taken, by hand or by somebody who has yet to be followed by hand."""
        # Of a bad sensor nobody can say when a scored piece has gone: it is asked for until the next turn, no longer.
        leaving = {cell: piece for cell, piece in self.to_remove.items() if cell not in self.masked_cells}
        unturned = dict(self.to_flip)
        vacated = {}
        for turn in turns:
            gone = {cell for run in turn.sets for cell in run}
            vacated = (
                {turn.action.source: turn.acted_piece} if turn.action.source and turn.action.target in gone else {}
            )
            leaving |= {cell: turn.pieces_after_develop[cell] for cell in gone}
            developed = {d.cell: (d.old_symbol, d.new_symbol) for d in turn.developed_pieces}
            unturned = _update_faces(unturned, developed, without={*gone, *turn.action})
        pieces = position.pieces
        # Those that are not felt just now may only have slipped a sensor: what holds still decides. A bad sensor that
        # feels nothing decides nothing; one that feels something may be right.
        blind = self.masked_cells - self.occupied
        leaving = {cell: piece for cell, piece in leaving.items() if cell not in {*pieces, *blind}}
        moved = self._reset_interpretation()
        due = unturned if self.has_faces else {}
        agreed = by_hand or find_difference(position, replace(moved, to_remove=leaving)) == NO_DIFFERENCE
        return replace(
            moved,
            to_remove=leaving,
            recently_removed=vacated,
            to_flip=due,
            lifted_to_flip=(self.lifted_to_flip | due.keys() - self.occupied) & due.keys(),
            action_sensed_at=self.change_times.get(turns[-1].action.target, (-inf,))[-1],
            was_in_sync=agreed,
            synced_since_turn=by_hand or agreed,
            is_interpreted=False,
        )

    def after_jump(self, position: Position, undone: Sequence[Turn] = ()) -> BoardState:
        """The same when the game has become another one: a new game, a position set up by hand, or turns taken back.

        Args:
            position: the position now.
            undone: the turns that were taken back, in the order in which they had been taken. Pieces that were turned
                over since have to be turned back; those that are put back are put as the lamps show them.
        """
        unturned = dict(self.to_flip) if undone else {}
        for turn in reversed(undone):
            gone = {cell for run in turn.sets for cell in run}
            developed = {d.cell: (d.new_symbol, d.old_symbol) for d in turn.developed_pieces if d.cell not in gone}
            unturned = _update_faces(unturned, developed, without={*turn.action})
        due = unturned if self.has_faces else {}
        moved = replace(
            self._reset_interpretation(),
            to_remove={},
            to_flip=due,
            lifted_to_flip=frozenset(due.keys() - self.occupied),
        )
        agreed = find_difference(position, moved) == NO_DIFFERENCE
        stood = bool(self.occupied)
        return replace(
            moved,
            was_in_sync=agreed,
            synced_since_turn=agreed,
            unverified=not agreed,
            ever_occupied=stood,
            is_interpreted=False,
        )

    def with_pieces_to_remove(self, turns: Sequence[Turn]) -> BoardState:
        """The same when the pieces that scored in these turns may not have been taken off yet."""
        leaving = {cell: turn.pieces_after_develop[cell] for turn in turns for run in turn.sets for cell in run}
        return replace(self, to_remove=leaving)

    def _reset_interpretation(self) -> BoardState:
        calm = replace(
            self,
            deferred=frozenset(),
            suspected_accident=False,
            take_back_declined=False,
            confirm_window=None,
            interpretation=IN_SYNC,
        )
        return replace(
            calm, recently_removed={}, visit_counts={}, confirm_gestures=(NO_DIFFERENCE, 0), unanswered_questions=0
        )


def _update_faces(
    unturned: Mapping[Cell, Symbol | None],
    developed: Mapping[Cell, tuple[Symbol, Symbol]],
    without: Collection[Cell | None],
) -> dict[Cell, Symbol | None]:
    """Which faces are up that should not be, when these pieces have gone from one symbol to another in the game."""
    up = dict(unturned)
    for cell, (before, after) in developed.items():
        if up.setdefault(cell, before) == after:
            del up[cell]
    return {cell: face for cell, face in up.items() if cell not in without}


def find_difference(position: Position, wood: BoardState) -> OccupancyDifference:
    """Where board and game differ.

    Of masked cells, of those outside a smaller pond, and of scored pieces that are still there nothing is asked.
    """
    pieces = position.pieces
    unasked = wood.masked_cells
    expected = pieces.keys() - unasked
    felt = wood.trusted_occupied(position) - wood.to_remove.keys()
    strangers = {
        cell for cell in expected & felt if wood.sensed_owners.get(cell, pieces[cell].owner) is not pieces[cell].owner
    }
    return OccupancyDifference(frozenset(expected - felt), frozenset(felt - expected), frozenset(strangers))


def expects_second_turn(wood: BoardState) -> bool:
    """Whether the second of two quick turns may be under way."""
    return (
        wood.was_in_sync
        and isinstance(wood.interpretation, Mismatch)
        and wood.interpretation.half_done_action is not None
    )


def patience_seconds(reading: Interpretation) -> float:
    """How long a reading may last before the piece that should be taken off is put down to its sensor.

    For ever, if there is none to be taken off: one that is missing may be in a hand for a day.
    """
    if next_cell_to_clear(reading) is None:
        return inf
    return OFFERED_STUCK_SECONDS if isinstance(reading, Mismatch) and reading.offered_action else STUCK_SECONDS


def next_cell_to_clear(reading: Interpretation) -> Cell | None:
    """The cell from which the next step takes a piece off the board, if one is felt there that should not be."""
    if not isinstance(reading, Mismatch) or not reading.repair_steps:
        return None
    source, target = reading.repair_steps[0]
    return source if target is None and source in reading.difference.extra else None


def is_single_cell(found: OccupancyDifference) -> bool:
    """Whether board and game differ on one cell only."""
    return not found.wrong_owner and len(found.missing) + len(found.extra) == 1

"""Playing with pieces: what the board feels against what the game expects. Decided by difference, not by sequence.

*Missing* are the cells where a piece should stand and none is felt, *extra* those where one is felt and none should be:

    missing  extra          means
    -        -              at rest
    -        {t}            an egg was placed on t
    {s}      -              s is in a hand: of its mover, then its targets light; else it has to be put back
    {s}      {t}            s has moved to t
    s u      t v            two quick turns, if only one order of them is legal
    -        only scored    these have to be taken off; the next action may come before that
    as it was before        the last turn is taken back
    nothing felt at all     the menu
    anything else           board and game differ: named, and mended one step at a time

Developed pieces may be in a hand to be turned over while somebody acts, scored ones may be there or not, and of a cell
whose sensor is bad nobody knows: all three count as both, there and not there. So more than one reading may be left
of what is felt. Then nothing is taken as certain: one reading is announced, and counts if nothing moves for a while.
What is remembered besides, so that an action is not seen in an accident or in the mending of one, stands in `BoardState`.

Pure: `look` is handed the game, what is felt and the instant; it says what that means and what is to be done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple, Protocol

from pond_hw.rules import Action, Cell, Piece, Position, Side, Turn, find_outcome, get_grid, legal_actions, play
from pond_hw.session.board_state import (
    OFFERED_STUCK_SECONDS,
    SECOND_TURN_SECONDS,
    BoardState,
    expects_second_turn,
    find_difference,
    is_single_cell,
    next_cell_to_clear,
    patience_seconds,
)
from pond_hw.session.intents import (
    NO_DIFFERENCE,
    CertainMoves,
    ChoosingVariant,
    InSync,
    Intent,
    Interpretation,
    Mismatch,
    Moves,
    OccupancyDifference,
    OpenMenu,
    PendingConfirmation,
    PieceInHand,
    TakeBack,
)
from pond_hw.session.repair import RepairStep, plan_repair
from pond_hw.session.scene import ConfirmWindow
from pond_hw.session.selection import find_targets

CONFIRM_SECONDS = 3.0
"""How long what is announced has to hold still before it is done: long enough to see it and to say no with a hand."""

FURTHER_CONFIRM_SECONDS = 6.0
"""The same for going back by more than the last turn of a person."""

NEIGHBOUR_SECONDS = 0.1
"""Pieces that two neighbours begin to feel within so short a time may be one, off the middle of its cell."""

CARRIED_SECONDS = 1.0
"""What is put down so soon after a scored piece was taken off may be that piece."""

SLIP_SECONDS = 0.5
"""Nobody takes a piece off that landed only so long ago."""

ACCIDENT_STEPS = 2
"""With more than so many steps to be done it was an accident, and no way of taking a turn back."""

GESTURES_NEEDED = 2
"""So many nods, one after the other, say that something is there that is not felt."""


class InterpretedGame(Protocol):
    """What the interpretation needs to know of a game."""

    @property
    def size(self) -> int:
        """Rows of the board."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns taken."""

    @property
    def position(self) -> Position:
        """The position now."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @property
    def ended_by_players(self) -> bool:
        """Whether the players ended it themselves; no wood takes that back."""


class LookResult(NamedTuple):
    """What came of a look: the wood after it, and what is to be done now, if anything."""

    board_state: BoardState
    intent: Intent | None = None
    chosen_menu_cell: Cell | None = None  # a choice of the menu that was made


def interpret_occupancy(game: InterpretedGame, wood: BoardState) -> Interpretation:
    """What is felt comes to this, as soon as it has held still."""
    position, there = game.position, wood.trusted_occupied(game.position)
    found = find_difference(position, wood)
    taken_off = bool(found.missing) or not position.pieces if game.is_over else len(found.missing) > 1
    if isinstance(wood.interpretation, ChoosingVariant) and (choosing := _interpret_menu(wood)):
        return choosing
    if taken_off and wood.ever_occupied and not there:
        return PendingConfirmation(OpenMenu(), CONFIRM_SECONDS)
    backs = _possible_take_backs(game, wood) if found != NO_DIFFERENCE else []
    if wood.take_back_declined and wood.visit_counts.get(found, 1) % 2 == 0:
        backs = []  # a hand has said no: this time the lamps lead on
    if game.is_over:
        if found.extra or found.wrong_owner or not wood.synced_since_turn:
            return (
                backs[0]
                if backs
                else _interpret_mismatch(game, wood, found, ())
                if found != NO_DIFFERENCE
                else InSync()
            )
        in_turn = found.missing <= wood.cells_to_flip
        return backs[0] if backs and not in_turn else InSync()  # what is missing else is put in its box
    base = _interpret_nothing_placed(position, wood, found)
    if base:
        unseen = _unsensed_actions(position, wood, base)
        if wood.confirm_gestures[1] < GESTURES_NEEDED or wood.unanswered_questions >= len(unseen):
            return base
        meant = Moves((unseen[wood.unanswered_questions],))
        if wood.confirm_gestures[1] > GESTURES_NEEDED:
            return CertainMoves(meant, is_only_meaning=False)
        return PendingConfirmation(meant, CONFIRM_SECONDS, len(unseen) - 1, needs_gesture=True)
    actions = _explaining_actions(position, wood, found)
    if actions and wood.was_in_sync:  # then it is no further way back
        backs = [back for back in backs if back.intent == TakeBack(1)]
    if wood.was_in_sync:
        if len(actions) == 1 and not backs and not _is_doubtful(position, wood, actions[0]):
            return CertainMoves(Moves((actions[0],)), _is_only_meaning(position, wood, actions[0]))
        announced = [*backs, *(PendingConfirmation(Moves((action,)), CONFIRM_SECONDS) for action in actions)]
        if not announced and (two := _explain_as_two_turns(position, wood, found)):
            return CertainMoves(Moves(two), is_only_meaning=False)
    else:
        announced = backs
    if announced:
        return _pick_announced(announced, wood.visit_counts.get(found, 1))
    return _interpret_mismatch(game, wood, found, actions)


def _pick_announced(possible: Sequence[PendingConfirmation], count: int) -> PendingConfirmation:
    """Of several readings one after the other is announced, each time the same is felt again."""
    return replace(possible[(count - 1) % len(possible)], other_count=len(possible) - 1)


def look_at_board(game: InterpretedGame, wood: BoardState, at: float) -> LookResult:
    """Look at the board at an instant: what it means now, and what is to be done.

    Nothing comes of it as long as something has just moved, unless it can mean one thing only.
    """
    position = game.position
    healed = wood.after_healing(position, at)
    if healed is not wood:
        wood = replace(healed, is_interpreted=False)
    if wood.is_interpreted:
        return _check_elapsed(game, wood, at)
    if at < wood.settles_at:
        early = interpret_occupancy(game, wood)
        return LookResult(wood, early.intent if isinstance(early, CertainMoves) and early.is_only_meaning else None)
    wood = _settle_occupancy(game, wood)
    before, reading = wood.interpretation, interpret_occupancy(game, wood)
    if wood.confirm_gestures == (wood.settled_difference, GESTURES_NEEDED) and (
        bad := _find_gesture_sensors(wood, reading)
    ):
        leaving = {cell: piece for cell, piece in wood.to_remove.items() if cell not in bad}
        return look_at_board(
            game,
            replace(
                wood, suspected_bad=wood.suspected_bad | bad, to_remove=leaving, confirm_gestures=(NO_DIFFERENCE, 0)
            ),
            at,
        )
    said_no = _is_take_back(before) and not _is_take_back(reading)
    if said_no and not wood.take_back_declined:
        wood = replace(wood, take_back_declined=True)
        reading = interpret_occupancy(game, wood)
    wood = replace(
        wood,
        is_interpreted=True,
        interpretation=reading,
        interpreted_since=wood.interpreted_since if reading == before else at,
        interpreted_at=at,
        confirm_window=ConfirmWindow(at, at + reading.confirm_seconds)
        if isinstance(reading, PendingConfirmation)
        else None,
        was_in_sync=_keeps_sync(wood, reading),
        deferred=wood.deferred if next_cell_to_clear(reading) not in {None, *wood.deferred} else frozenset(),
        suspected_accident=not isinstance(reading, InSync)
        and (wood.suspected_accident or _is_accident(game, wood, reading)),
        take_back_declined=wood.take_back_declined and not isinstance(reading, InSync),
        synced_since_turn=wood.synced_since_turn or isinstance(reading, InSync),
        unverified=wood.unverified and not isinstance(reading, InSync),
        ever_occupied=wood.ever_occupied or bool(wood.occupied),
    )
    if isinstance(reading, InSync):
        pieces = position.pieces
        wood = replace(wood, known_owners={cell: pieces[cell].owner for cell in wood.occupied & pieces.keys()})
    if isinstance(reading, CertainMoves):
        # A piece that stands there unfelt stands on a bad sensor.
        blind = {reading.intent.actions[-1].target} - wood.occupied - wood.known_bad
        return LookResult(replace(wood, suspected_bad=wood.suspected_bad | blind), reading.intent)
    if isinstance(before, ChoosingVariant) and before.picked_cell and reading == ChoosingVariant():
        return LookResult(wood, chosen_menu_cell=before.picked_cell)
    return LookResult(wood)


def _check_elapsed(game: InterpretedGame, wood: BoardState, at: float) -> LookResult:
    """Nothing has moved since the last look; has it been long enough for something?"""
    about = wood.interpretation
    if wood.confirm_window and at >= wood.confirm_window.until and isinstance(about, PendingConfirmation):
        doing = about.intent
        wood = replace(wood, confirm_window=None)
        if isinstance(doing, OpenMenu):
            return LookResult(replace(wood, interpretation=ChoosingVariant(), interpreted_since=at))
        if about.needs_gesture:
            return look_at_board(game, _ask_next_question(wood, about), at)
        return LookResult(wood, doing)
    if expects_second_turn(wood) and at >= wood.interpreted_since + SECOND_TURN_SECONDS:
        wood = replace(wood, was_in_sync=False)
    stuck = next_cell_to_clear(wood.interpretation)
    if (
        stuck
        and isinstance(wood.interpretation, Mismatch)
        and at >= wood.interpreted_since + patience_seconds(wood.interpretation)
    ):
        if is_single_cell(wood.interpretation.difference):
            return look_at_board(
                game, replace(wood, suspected_bad=wood.suspected_bad | {stuck}, is_interpreted=False), at
            )
        return look_at_board(game, _defer_removal(wood, stuck, at), at)
    return LookResult(wood)


def _ask_next_question(wood: BoardState, about: PendingConfirmation) -> BoardState:
    """Nobody has nodded: the next thing that nobody felt is asked for, and after the last one none."""
    if wood.unanswered_questions == about.other_count:
        return replace(wood, confirm_gestures=(NO_DIFFERENCE, 0), unanswered_questions=0, is_interpreted=False)
    return replace(wood, unanswered_questions=wood.unanswered_questions + 1, is_interpreted=False)


def _defer_removal(wood: BoardState, stuck: Cell, at: float) -> BoardState:
    """The lamps go on to another piece that is to be taken off.

    When all have been asked for in turn, and hands have taken others off and left just these, they are put down to
    their sensors. If nobody has taken any, all are asked for again.
    """
    since = wood.deferred_since if wood.deferred else at
    put_off = wood.deferred | {stuck}
    wood = replace(wood, deferred=put_off, deferred_since=since, interpreted_since=at, is_interpreted=False)
    reading = wood.interpretation
    if not isinstance(reading, Mismatch) or reading.difference.extra - put_off:
        return wood
    left = (
        sum(at > since for at in flips) % 2 for cell, flips in wood.change_times.items() if cell not in wood.occupied
    )
    return replace(wood, suspected_bad=wood.suspected_bad | put_off) if any(left) else wood


def _settle_occupancy(game: InterpretedGame, wood: BoardState) -> BoardState:
    """The wood after what is felt has held still: what was taken off or turned over is no longer waited for."""
    gone = {cell: piece for cell, piece in wood.to_remove.items() if cell not in wood.occupied}
    back = {cell: piece for cell, piece in wood.recently_removed.items() if _has_slipped_back(wood, cell, piece)}
    turned = wood.lifted_to_flip & wood.occupied
    unturned = {cell: face for cell, face in wood.to_flip.items() if cell not in turned}
    wood = replace(
        wood,
        to_remove={cell: piece for cell, piece in (*wood.to_remove.items(), *back.items()) if cell not in gone},
        recently_removed={
            cell: piece for cell, piece in (*wood.recently_removed.items(), *gone.items()) if cell not in back
        },
        to_flip=unturned,
        lifted_to_flip=(wood.lifted_to_flip - turned) | (unturned.keys() - wood.occupied),
    )
    found = find_difference(game.position, wood)
    if found == wood.settled_difference:
        return wood
    nodded = _count_gestures(wood, found)
    visits = {**wood.visit_counts, found: wood.visit_counts.get(found, 0) + 1}
    return replace(
        wood,
        settled_difference=found,
        visit_counts=visits,
        confirm_gestures=nodded,
        unanswered_questions=wood.unanswered_questions if nodded[1] >= GESTURES_NEEDED else 0,
    )


def _has_slipped_back(wood: BoardState, cell: Cell, piece: Piece) -> bool:
    """Whether a scored piece is back that nobody had taken off: it left its cell too soon for that, and not for long.

    What counts at once is felt for the first time while a hand still has it.
    """
    flips = wood.change_times.get(cell, ())
    if cell not in wood.occupied or len(flips) < 3 or wood.sensed_owners.get(cell, piece.owner) is not piece.owner:
        return False
    landed, left, again = flips[-3:]
    return landed == wood.action_sensed_at and left - landed <= SLIP_SECONDS and again - left <= CARRIED_SECONDS


def _count_gestures(wood: BoardState, found: OccupancyDifference) -> tuple[OccupancyDifference, int]:
    """Whether a piece that may not move was lifted and has been put back: a nod, when the board asks something."""
    at, count = wood.confirm_gestures
    if _is_one_lifted(wood.settled_difference, found):
        return (at, count) if at == wood.settled_difference else (wood.settled_difference, 0)  # it may become one
    announced = isinstance(wood.interpretation, PendingConfirmation) and not isinstance(
        wood.interpretation.intent, Moves
    )
    back = (announced or isinstance(wood.interpretation, Mismatch)) and at == found
    return (at, count + 1) if back and _is_one_lifted(found, wood.settled_difference) else (NO_DIFFERENCE, 0)


def _find_gesture_sensors(wood: BoardState, reading: Interpretation) -> frozenset[Cell]:
    """The sensor that two nods say is bad: the only one that feels nothing, or that keeps a piece that is gone."""
    if isinstance(reading, Mismatch):
        return reading.difference.missing if is_single_cell(reading.difference) else frozenset()
    return frozenset(wood.to_remove) if isinstance(reading, InSync) and len(wood.to_remove) == 1 else frozenset()


def _is_one_lifted(before: OccupancyDifference, now: OccupancyDifference) -> bool:
    return now.extra == before.extra and len(now.missing - before.missing) == 1 and before.missing <= now.missing


def _is_accident(game: InterpretedGame, wood: BoardState, reading: Interpretation) -> bool:
    """Whether more differs than hands do on purpose, unless they are taking the last turn back."""
    if not isinstance(reading, Mismatch) or len(reading.repair_steps) <= ACCIDENT_STEPS:
        return False
    return not (game.turns and _has_begun_take_back(game, wood, game.turns[-1], reading.difference))


def _is_take_back(reading: Interpretation) -> bool:
    return isinstance(reading, PendingConfirmation) and isinstance(reading.intent, TakeBack)


def _keeps_sync(wood: BoardState, reading: Interpretation) -> bool:
    match reading:
        case InSync() | PieceInHand():
            return True
        case Mismatch(blocked_action=waits, half_done_action=half):
            return wood.was_in_sync and (waits or half) is not None
    return wood.was_in_sync


def _interpret_menu(wood: BoardState) -> ChoosingVariant | None:
    """The menu, as long as there is nothing on the board but one piece on a cell of it."""
    there = wood.occupied - wood.masked_cells
    if not there:
        return ChoosingVariant()
    return ChoosingVariant(*there) if len(there) == 1 and there <= set(wood.menu_cells) else None


def _possible_take_backs(game: InterpretedGame, wood: BoardState) -> list[PendingConfirmation]:
    """The turns that are taken back if the board stays as it is."""
    if game.ended_by_players or wood.suspected_accident or not wood.synced_since_turn:
        return []
    possible = [
        count for count in (1, 2) if count <= len(game.turns) and game.turns[-count].before.to_move in wood.human_sides
    ]
    return [
        PendingConfirmation(TakeBack(count), CONFIRM_SECONDS if count == possible[0] else FURTHER_CONFIRM_SECONDS)
        for count in possible
        if _matches_position(wood, game.turns[-count].before)
    ]


def _matches_position(wood: BoardState, position: Position) -> bool:
    """Whether what is felt could be this position."""
    felt = wood.trusted_occupied(position)
    if not wood.masked_cells and (position.light | position.dark).bit_count() != len(felt):
        return False
    pieces = position.pieces
    if pieces.keys() - wood.masked_cells != felt:
        return False
    return all(wood.sensed_owners.get(cell, piece.owner) is piece.owner for cell, piece in pieces.items())


def count_turns_to_fit(game: InterpretedGame, wood: BoardState) -> int | None:
    """How many turns have to be taken back so that the game fits the board, and a person is to move; or None."""
    for count, turn in enumerate(reversed(game.turns), 1):
        if turn.before.to_move in wood.human_sides and _matches_position(wood, turn.before):
            return count
    return None


def _interpret_nothing_placed(
    position: Position, wood: BoardState, found: OccupancyDifference
) -> InSync | PieceInHand | None:
    """Whether nothing has been put down: at rest, or one of the mover's own pieces in a hand."""
    if found.extra or found.wrong_owner:
        return None
    if wood.unverified:  # nobody has lifted what has not stood there yet
        return InSync() if found.missing <= wood.cells_to_flip else None
    for cell in sorted(found.missing):
        if found.missing - wood.cells_to_flip <= {cell} and _can_be_moved(position, wood, cell):
            alone = len(found.missing) == 1 or cell not in wood.cells_to_flip
            return PieceInHand(cell) if alone else InSync()
    return InSync() if found.missing <= wood.cells_to_flip else None


def _can_be_moved(position: Position, wood: BoardState, cell: Cell) -> bool:
    return position.to_move in wood.human_sides and bool(find_targets(position, cell))


def _unsensed_actions(position: Position, wood: BoardState, base: InSync | PieceInHand) -> list[Action]:
    """What may have been done without any sensor feeling it, the likeliest first.

    A piece that is in a hand, as far as anybody feels, may stand on any cell that it may go to: a sensor may have just
    failed there. What else was put down unseen is asked for on masked cells only; it could be anywhere.
    """
    if position.to_move not in wood.human_sides:
        return []
    legal = legal_actions(position)
    if isinstance(base, PieceInHand):
        possible = [action for action in legal if action.source == base.cell]
        return sorted(possible, key=lambda action: action.target not in wood.masked_cells)
    hidden = [action for action in legal if action.target in wood.masked_cells]
    return [action for action in hidden if action.source is None or action.source in wood.masked_cells]


def _explaining_actions(position: Position, wood: BoardState, found: OccupancyDifference) -> list[Action]:
    """The single actions that what is felt can be, the likeliest first."""
    mover = position.to_move
    if found.wrong_owner or len(found.extra) != 1 or mover not in wood.human_sides:
        return []
    (target,) = found.extra
    if wood.sensed_owners.get(target, mover) is not mover:
        return []
    possible = [
        action
        for action in legal_actions(position)
        if action.target == target and found.missing == {action.source} - {None} - wood.masked_cells
    ]
    return sorted(possible, key=lambda action: action.source in wood.masked_cells)


def _is_doubtful(position: Position, wood: BoardState, action: Action) -> bool:
    """Whether something else may have happened that looks the same.

    A scored piece may have been put back where it was taken off, or elsewhere. A piece may be turned over in one hand,
    while another has placed an egg beside it; or it was lifted after something had been put where it may go. What was
    put down may be the piece that a bad sensor does not feel, or a piece beside it that is off the middle of its cell;
    or a piece may have moved there, and the other side's piece is already where it was. And a sensor that was bad a
    moment ago may feel what is not there, or what has stood there for long.
    """
    source, target = action
    scored = wood.recently_removed.get(target)
    if scored and wood.sensed_owners.get(target, scored.owner) is scored.owner:
        return True
    flipped = {cell: flips[-1] for cell, flips in wood.change_times.items()}
    landed = flipped.get(target, -inf)
    if _was_lately_bad(wood, target):
        return True
    if source is not None:
        in_hand = source in wood.cells_to_flip and position.spawn[position.to_move] > 0
        return in_hand or landed <= wood.interpreted_at < flipped.get(source, -inf)
    whose = wood.sensed_owners.get(target)
    carried = [cell for cell, piece in wood.recently_removed.items() if whose in (None, piece.owner)]
    if any(0 <= landed - flipped.get(cell, -inf) <= CARRIED_SECONDS for cell in carried):
        return True
    masked = wood.masked_cells & position.pieces.keys()
    if masked & _surrounding_cells(position, target) or any(
        cell not in wood.occupied for cell in masked & wood.suspected_bad
    ):
        return True
    if any(
        abs(landed - flipped.get(cell, -inf)) <= NEIGHBOUR_SECONDS
        for cell in _surrounding_cells(position, target) & wood.occupied
    ):
        return True
    left = (other.source for other in legal_actions(position) if other.target == target and other.source is not None)
    return any(flipped.get(cell, -inf) > wood.interpreted_at for cell in left)


def _was_lately_bad(wood: BoardState, cell: Cell) -> bool:
    """Whether a sensor was believed again only a moment before it changed last."""
    changed = wood.change_times.get(cell, (-inf,))[-1]
    return cell in wood.trusted_again_at and changed - wood.trusted_again_at[cell] <= OFFERED_STUCK_SECONDS


def _surrounding_cells(position: Position, cell: Cell) -> set[Cell]:
    """The up to eight cells around a cell."""
    x, y = position.grid.cell_coordinates(cell)
    near = {other: position.grid.cell_coordinates(other) for other in position.grid.cells if other != cell}
    return {other for other, (u, v) in near.items() if abs(u - x) <= 1 and abs(v - y) <= 1}


def _is_only_meaning(position: Position, wood: BoardState, action: Action) -> bool:
    """Whether no other legal action can come of it, and it is nothing that was put back badly either.

    So it is for a frog that was seen in a hand and stands where alone it may go, two cells away. All else waits: an egg
    may be on its way, what moved in one go too; and a piece that is put back off the middle is felt beside its cell.
    """
    source, target = action
    if source is None or wood.interpretation != PieceInHand(source) or find_targets(position, source) != (target,):
        return False
    return target not in _surrounding_cells(position, source)


def _explain_as_two_turns(
    position: Position, wood: BoardState, found: OccupancyDifference
) -> tuple[Action, Action] | None:
    """Two actions, one of each side, that explain all that is felt, if there is only one such pair in one order."""
    if (
        found.wrong_owner
        or len(found.extra) != 2
        or set(Side) - set(wood.human_sides)
        or found.extra & wood.recently_removed.keys()
    ):
        return None
    if found.missing & wood.cells_to_flip or any(_was_lately_bad(wood, cell) for cell in found.extra):
        return None
    pairs = []
    for first in _partial_actions(position, wood, found):
        turn = play(position, first)
        rest = OccupancyDifference(found.missing - {first.source}, found.extra - {first.target})
        if any(cell in run for run in turn.sets for cell in (*found.missing, *found.extra)):
            return None  # some of what is felt may be the taking off of what scored
        if find_outcome(turn.after):
            continue
        pairs += [(first, second) for second in _explaining_actions(turn.after, wood, rest)]
    if len(pairs) != 1 or _may_be_one_action(position, wood, found):
        return None
    return pairs[0]


def _partial_actions(position: Position, wood: BoardState, found: OccupancyDifference) -> list[Action]:
    """The actions that are part of what is felt."""
    return [
        action
        for action in legal_actions(position)
        if action.target in found.extra
        and (action.source is None or action.source in found.missing)
        and wood.sensed_owners.get(action.target, position.to_move) is position.to_move
    ]


def _may_be_one_action(position: Position, wood: BoardState, found: OccupancyDifference) -> bool:
    """Whether one action could be all there was: a piece off the middle of its cell is felt in the next one too."""
    on = get_grid(position.variant.size)
    one, other = found.extra
    if one in wood.sensed_owners and other in wood.sensed_owners:
        return False
    (x, y), (u, v) = on.cell_coordinates(one), on.cell_coordinates(other)
    if max(abs(x - u), abs(y - v)) > 1:
        return False
    return any(_explaining_actions(position, wood, found._replace(extra=frozenset({cell}))) for cell in found.extra)


def _interpret_mismatch(
    game: InterpretedGame, wood: BoardState, found: OccupancyDifference, actions: Sequence[Action]
) -> Mismatch:
    """Board and game differ: what there is to be done, towards the game or, if that is nearer, back by a turn."""
    position = game.position
    in_turn = found.missing & wood.cells_to_flip
    if wood.was_in_sync and (waits := _action_despite_flips(position, wood, found, in_turn)):
        back_first = tuple(RepairStep(None, cell) for cell in sorted(in_turn - {waits.source}))
        return Mismatch(found, back_first, blocked_action=waits)
    to_do = _plan_repair_steps(game.size, position, wood, found)
    back = False
    last = game.turns[-1] if game.turns else None
    if (
        last
        and not wood.suspected_accident
        and not wood.take_back_declined
        and _has_begun_take_back(game, wood, last, found)
    ):
        before = replace(wood, to_remove={})
        to_go = find_difference(last.before, before)
        way_back = _plan_repair_steps(game.size, last.before, before, to_go)
        if 0 < len(way_back) < len(to_do):
            to_do, back = way_back, True
    offered = actions[0] if len(actions) == 1 and not wood.was_in_sync else None
    half = _first_of_two_actions(position, wood, found) if wood.was_in_sync else None
    fits = count_turns_to_fit(game, wood) if wood.synced_since_turn else None
    return Mismatch(found, _order_repair_steps(game, wood, to_do), back, offered, fits, half_done_action=half)


def _action_despite_flips(
    position: Position, wood: BoardState, found: OccupancyDifference, in_turn: frozenset[Cell]
) -> Action | None:
    """The action that was taken while pieces are in hands to be turned over; one of these may be what has moved."""
    for moved in (frozenset[Cell](), *(frozenset({cell}) for cell in sorted(in_turn))):
        others = in_turn - moved
        if others and (meant := _explaining_actions(position, wood, found._replace(missing=found.missing - others))):
            return meant[0]
    return None


def _order_repair_steps(game: InterpretedGame, wood: BoardState, to_do: Sequence[RepairStep]) -> tuple[RepairStep, ...]:
    """The steps in another order where the first would lead astray.

    What acted last is mended first, or the board would come to stand as before its turn. A piece that nobody takes off
    comes last: it may be none. And the last piece on the board is not taken off before another is put there, since a
    board that is cleared opens the menu.
    """
    acted = [turn.action.target for turn in game.turns[-2:]]
    last_piece = len(wood.occupied - wood.masked_cells) == 1

    def rank(step: RepairStep) -> int:
        if step.target is None:
            return 2 if last_piece or step.source in wood.deferred else 1
        return 0 if step.target in acted and step.target not in wood.occupied else 1

    return tuple(sorted(to_do, key=rank))


def _first_of_two_actions(position: Position, wood: BoardState, found: OccupancyDifference) -> Action | None:
    """The action that was taken, if the other side has its piece for the next one in a hand already."""
    if set(Side) - set(wood.human_sides):
        return None
    for cell in found.missing:
        first = _explaining_actions(position, wood, found._replace(missing=found.missing - {cell}))
        if len(first) == 1 and find_targets(play(position, first[0]).after, cell):
            return first[0]
    return None


def _has_begun_take_back(game: InterpretedGame, wood: BoardState, last: Turn, found: OccupancyDifference) -> bool:
    """Whether hands have begun to put back what the last turn changed; lamps help only where pieces scored."""
    if not (last.sets and wood.synced_since_turn) or game.ended_by_players or last.side not in wood.human_sides:
        return False
    before = last.before.pieces.keys()
    return found.extra <= before and not found.missing & before


def _plan_repair_steps(
    size: int, position: Position, wood: BoardState, found: OccupancyDifference
) -> tuple[RepairStep, ...]:
    pieces = position.pieces
    missing = {cell: pieces[cell].owner for cell in found.missing | found.wrong_owner}
    # What came after a program's turn, and before that was followed, is a person's own piece.
    fresh = position.to_move if wood.known_owners and not wood.synced_since_turn else None
    extra = {
        cell: wood.sensed_owners.get(cell, wood.known_owners.get(cell, fresh))
        for cell in found.extra | found.wrong_owner
    }
    return plan_repair(
        get_grid(size), missing, extra, _unlikely_pairs(size, wood, found) if wood.synced_since_turn else None
    )


def _unlikely_pairs(size: int, wood: BoardState, found: OccupancyDifference) -> dict[tuple[Cell, Cell], float]:
    """Which piece can hardly be the one that left another cell, since board and game agreed last, and by how much.

    One that was there before the cell was left is another piece. Else it is rather the first that was put down then.
    Where sensors tell owners that is not asked: a cell may have been left last by a piece that did not belong there.
    """
    changed = {cell: flips[-1] for cell, flips in wood.change_times.items()}
    extra, against = found.extra - wood.sensed_owners.keys(), {}
    for target in found.missing:
        left = changed.get(target, -inf)
        for source in extra:
            landed = changed.get(source, -inf)
            if landed < left - CARRIED_SECONDS:
                against[source, target] = 4.0 * size
            elif any(left < changed.get(other, -inf) < landed - NEIGHBOUR_SECONDS for other in extra):
                against[source, target] = 1.0 * size
    return against

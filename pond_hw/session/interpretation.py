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
What is remembered besides, so that an action is not seen in an accident or in the mending of one, stands in `Wood`.

Pure: `look` is handed the game, what is felt and the instant; it says what that means and what is to be done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple, Protocol

from pond_hw.rules import Action, Cell, Piece, Position, Side, Turn, grid, legal_actions, outcome, play
from pond_hw.session.board_state import (
    OFFERED_SECONDS,
    QUICK_SECONDS,
    Wood,
    difference,
    hurried,
    not_taken,
    patience,
    single,
)
from pond_hw.session.intents import (
    AGREED,
    About,
    Back,
    Certain,
    Choosing,
    Difference,
    Differs,
    Doing,
    InHand,
    OpenMenu,
    Reading,
    Rest,
    Taken,
)
from pond_hw.session.repair import Step, steps
from pond_hw.session.scene import Hold
from pond_hw.session.selection import targets

HOLD_SECONDS = 3.0
"""How long what is announced has to hold still before it is done: long enough to see it and to say no with a hand."""

FURTHER_SECONDS = 6.0
"""The same for going back by more than the last turn of a person."""

NEAR_SECONDS = 0.1
"""Pieces that two neighbours begin to feel within so short a time may be one, off the middle of its cell."""

CARRIED_SECONDS = 1.0
"""What is put down so soon after a scored piece was taken off may be that piece."""

SLIP_SECONDS = 0.5
"""Nobody takes a piece off that landed only so long ago."""

ACCIDENT = 2
"""With more than so many steps to be done it was an accident, and no way of taking a turn back."""

NODS = 2
"""So many nods, one after the other, say that something is there that is not felt."""


class Game(Protocol):
    """What presence must know of a game."""

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
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def given_up(self) -> bool:
        """Whether the players ended it themselves; no wood takes that back."""


class Looked(NamedTuple):
    """What came of a look: the wood after it, and what is to be done now, if anything."""

    wood: Wood
    doing: Doing | None = None
    chosen: Cell | None = None  # a choice of the menu that was made


def read(game: Game, wood: Wood) -> Reading:
    """What is felt comes to this, as soon as it has held still."""
    position, there = game.position, wood.there(game.position)
    found = difference(position, wood)
    taken_off = bool(found.missing) or not position.pieces if game.over else len(found.missing) > 1
    if isinstance(wood.reading, Choosing) and (choosing := _choosing(wood)):
        return choosing
    if taken_off and wood.stood and not there:
        return About(OpenMenu(), HOLD_SECONDS)
    backs = _backs(game, wood) if found != AGREED else []
    if wood.declined and wood.visits.get(found, 1) % 2 == 0:
        backs = []  # a hand has said no: this time the lamps lead on
    if game.over:
        if found.extra or found.strangers or not wood.rested:
            return backs[0] if backs else _differs(game, wood, found, ()) if found != AGREED else Rest()
        in_turn = found.missing <= wood.turning
        return backs[0] if backs and not in_turn else Rest()  # what is missing else is put in its box
    base = _base(position, wood, found)
    if base:
        unseen = _unseen(position, wood, base)
        if wood.nodded[1] < NODS or wood.asked >= len(unseen):
            return base
        meant = Taken((unseen[wood.asked],))
        if wood.nodded[1] > NODS:
            return Certain(meant, only=False)
        return About(meant, HOLD_SECONDS, len(unseen) - 1, by_nod=True)
    actions = _actions(position, wood, found)
    if actions and wood.agreed:  # then it is no further way back
        backs = [back for back in backs if back.doing == Back(1)]
    if wood.agreed:
        if len(actions) == 1 and not backs and not _doubtful(position, wood, actions[0]):
            return Certain(Taken((actions[0],)), _only(position, wood, actions[0]))
        announced = [*backs, *(About(Taken((action,)), HOLD_SECONDS) for action in actions)]
        if not announced and (two := _two_turns(position, wood, found)):
            return Certain(Taken(two), only=False)
    else:
        announced = backs
    if announced:
        return _announced(announced, wood.visits.get(found, 1))
    return _differs(game, wood, found, actions)


def _announced(possible: Sequence[About], count: int) -> About:
    """Of several readings one after the other is announced, each time the same is felt again."""
    return replace(possible[(count - 1) % len(possible)], others=len(possible) - 1)


def look(game: Game, wood: Wood, at: float) -> Looked:
    """Look at the board at an instant: what it means now, and what is to be done.

    Nothing comes of it as long as something has just moved, unless it can mean one thing only.
    """
    position = game.position
    healed = wood.healed(position, at)
    if healed is not wood:
        wood = replace(healed, looked=False)
    if wood.looked:
        return _grown(game, wood, at)
    if at < wood.settles:
        early = read(game, wood)
        return Looked(wood, early.doing if isinstance(early, Certain) and early.only else None)
    wood = _held_still(game, wood)
    before, reading = wood.reading, read(game, wood)
    if wood.nodded == (wood.settled, NODS) and (bad := _nodded_at(wood, reading)):
        leaving = {cell: piece for cell, piece in wood.leaving.items() if cell not in bad}
        return look(game, replace(wood, doubted=wood.doubted | bad, leaving=leaving, nodded=(AGREED, 0)), at)
    said_no = _goes_back(before) and not _goes_back(reading)
    if said_no and not wood.declined:
        wood = replace(wood, declined=True)
        reading = read(game, wood)
    wood = replace(
        wood,
        looked=True,
        reading=reading,
        told_at=wood.told_at if reading == before else at,
        read_at=at,
        hold=Hold(at, at + reading.seconds) if isinstance(reading, About) else None,
        agreed=_agrees(wood, reading),
        put_off=wood.put_off if not_taken(reading) not in {None, *wood.put_off} else frozenset(),
        upset=not isinstance(reading, Rest) and (wood.upset or _accident(game, wood, reading)),
        declined=wood.declined and not isinstance(reading, Rest),
        rested=wood.rested or isinstance(reading, Rest),
        strange=wood.strange and not isinstance(reading, Rest),
        stood=wood.stood or bool(wood.felt),
    )
    if isinstance(reading, Rest):
        pieces = position.pieces
        wood = replace(wood, known={cell: pieces[cell].owner for cell in wood.felt & pieces.keys()})
    if isinstance(reading, Certain):
        # A piece that stands there unfelt stands on a bad sensor.
        blind = {reading.doing.actions[-1].target} - wood.felt - wood.bad
        return Looked(replace(wood, doubted=wood.doubted | blind), reading.doing)
    if isinstance(before, Choosing) and before.picked and reading == Choosing():
        return Looked(wood, chosen=before.picked)
    return Looked(wood)


def _grown(game: Game, wood: Wood, at: float) -> Looked:
    """Nothing has moved since the last look; has it been long enough for something?"""
    about = wood.reading
    if wood.hold and at >= wood.hold.until and isinstance(about, About):
        doing = about.doing
        wood = replace(wood, hold=None)
        if isinstance(doing, OpenMenu):
            return Looked(replace(wood, reading=Choosing(), told_at=at))
        if about.by_nod:
            return look(game, _asked_in_vain(wood, about), at)
        return Looked(wood, doing)
    if hurried(wood) and at >= wood.told_at + QUICK_SECONDS:
        wood = replace(wood, agreed=False)
    stuck = not_taken(wood.reading)
    if stuck and isinstance(wood.reading, Differs) and at >= wood.told_at + patience(wood.reading):
        if single(wood.reading.difference):
            return look(game, replace(wood, doubted=wood.doubted | {stuck}, looked=False), at)
        return look(game, _put_off(wood, stuck, at), at)
    return Looked(wood)


def _asked_in_vain(wood: Wood, about: About) -> Wood:
    """Nobody has nodded: the next thing that nobody felt is asked for, and after the last one none."""
    if wood.asked == about.others:
        return replace(wood, nodded=(AGREED, 0), asked=0, looked=False)
    return replace(wood, asked=wood.asked + 1, looked=False)


def _put_off(wood: Wood, stuck: Cell, at: float) -> Wood:
    """The lamps go on to another piece that is to be taken off.

    When all have been asked for in turn, and hands have taken others off and left just these, they are put down to
    their sensors. If nobody has taken any, all are asked for again.
    """
    since = wood.put_off_since if wood.put_off else at
    put_off = wood.put_off | {stuck}
    wood = replace(wood, put_off=put_off, put_off_since=since, told_at=at, looked=False)
    reading = wood.reading
    if not isinstance(reading, Differs) or reading.difference.extra - put_off:
        return wood
    left = (sum(at > since for at in flips) % 2 for cell, flips in wood.flips.items() if cell not in wood.felt)
    return replace(wood, doubted=wood.doubted | put_off) if any(left) else wood


def _held_still(game: Game, wood: Wood) -> Wood:
    """The wood after what is felt has held still: what was taken off or turned over is no longer waited for."""
    gone = {cell: piece for cell, piece in wood.leaving.items() if cell not in wood.felt}
    back = {cell: piece for cell, piece in wood.vacated.items() if _slipped(wood, cell, piece)}
    turned = wood.lifted & wood.felt
    unturned = {cell: face for cell, face in wood.unturned.items() if cell not in turned}
    wood = replace(
        wood,
        leaving={cell: piece for cell, piece in (*wood.leaving.items(), *back.items()) if cell not in gone},
        vacated={cell: piece for cell, piece in (*wood.vacated.items(), *gone.items()) if cell not in back},
        unturned=unturned,
        lifted=(wood.lifted - turned) | (unturned.keys() - wood.felt),
    )
    found = difference(game.position, wood)
    if found == wood.settled:
        return wood
    nodded = _nodded(wood, found)
    visits = {**wood.visits, found: wood.visits.get(found, 0) + 1}
    return replace(wood, settled=found, visits=visits, nodded=nodded, asked=wood.asked if nodded[1] >= NODS else 0)


def _slipped(wood: Wood, cell: Cell, piece: Piece) -> bool:
    """Whether a scored piece is back that nobody had taken off: it left its cell too soon for that, and not for long.

    What counts at once is felt for the first time while a hand still has it.
    """
    flips = wood.flips.get(cell, ())
    if cell not in wood.felt or len(flips) < 3 or wood.owners.get(cell, piece.owner) is not piece.owner:
        return False
    landed, left, again = flips[-3:]
    return landed == wood.acted_at and left - landed <= SLIP_SECONDS and again - left <= CARRIED_SECONDS


def _nodded(wood: Wood, found: Difference) -> tuple[Difference, int]:
    """Whether a piece that may not move was lifted and has been put back: a nod, when the board asks something."""
    at, count = wood.nodded
    if _lifted_one(wood.settled, found):
        return (at, count) if at == wood.settled else (wood.settled, 0)  # it may become one
    announced = isinstance(wood.reading, About) and not isinstance(wood.reading.doing, Taken)
    back = (announced or isinstance(wood.reading, Differs)) and at == found
    return (at, count + 1) if back and _lifted_one(found, wood.settled) else (AGREED, 0)


def _nodded_at(wood: Wood, reading: Reading) -> frozenset[Cell]:
    """The sensor that two nods say is bad: the only one that feels nothing, or that keeps a piece that is gone."""
    if isinstance(reading, Differs):
        return reading.difference.missing if single(reading.difference) else frozenset()
    return frozenset(wood.leaving) if isinstance(reading, Rest) and len(wood.leaving) == 1 else frozenset()


def _lifted_one(before: Difference, now: Difference) -> bool:
    return now.extra == before.extra and len(now.missing - before.missing) == 1 and before.missing <= now.missing


def _accident(game: Game, wood: Wood, reading: Reading) -> bool:
    """Whether more differs than hands do on purpose, unless they are taking the last turn back."""
    if not isinstance(reading, Differs) or len(reading.steps) <= ACCIDENT:
        return False
    return not (game.turns and _begun_to_take_back(game, wood, game.turns[-1], reading.difference))


def _goes_back(reading: Reading) -> bool:
    return isinstance(reading, About) and isinstance(reading.doing, Back)


def _agrees(wood: Wood, reading: Reading) -> bool:
    match reading:
        case Rest() | InHand():
            return True
        case Differs(waits=waits, half=half):
            return wood.agreed and (waits or half) is not None
    return wood.agreed


def _choosing(wood: Wood) -> Choosing | None:
    """The menu, as long as there is nothing on the board but one piece on a cell of it."""
    there = wood.felt - wood.masked
    if not there:
        return Choosing()
    return Choosing(*there) if len(there) == 1 and there <= set(wood.choices) else None


def _backs(game: Game, wood: Wood) -> list[About]:
    """The turns that are taken back if the board stays as it is."""
    if game.given_up or wood.upset or not wood.rested:
        return []
    possible = [
        count for count in (1, 2) if count <= len(game.turns) and game.turns[-count].before.to_move in wood.people
    ]
    return [
        About(Back(count), HOLD_SECONDS if count == possible[0] else FURTHER_SECONDS)
        for count in possible
        if _stands_as(wood, game.turns[-count].before)
    ]


def _stands_as(wood: Wood, position: Position) -> bool:
    """Whether what is felt could be this position."""
    felt = wood.there(position)
    if not wood.masked and (position.light | position.dark).bit_count() != len(felt):
        return False
    pieces = position.pieces
    if pieces.keys() - wood.masked != felt:
        return False
    return all(wood.owners.get(cell, piece.owner) is piece.owner for cell, piece in pieces.items())


def fitting(game: Game, wood: Wood) -> int | None:
    """How many turns have to be taken back so that the game fits the board, and a person is to move; or None."""
    for count, turn in enumerate(reversed(game.turns), 1):
        if turn.before.to_move in wood.people and _stands_as(wood, turn.before):
            return count
    return None


def _base(position: Position, wood: Wood, found: Difference) -> Rest | InHand | None:
    """Whether nothing has been put down: at rest, or one of the mover's own pieces in a hand."""
    if found.extra or found.strangers:
        return None
    if wood.strange:  # nobody has lifted what has not stood there yet
        return Rest() if found.missing <= wood.turning else None
    for cell in sorted(found.missing):
        if found.missing - wood.turning <= {cell} and _may_move(position, wood, cell):
            alone = len(found.missing) == 1 or cell not in wood.turning
            return InHand(cell) if alone else Rest()
    return Rest() if found.missing <= wood.turning else None


def _may_move(position: Position, wood: Wood, cell: Cell) -> bool:
    return position.to_move in wood.people and bool(targets(position, cell))


def _unseen(position: Position, wood: Wood, base: Rest | InHand) -> list[Action]:
    """What may have been done without any sensor feeling it, the likeliest first.

    A piece that is in a hand, as far as anybody feels, may stand on any cell that it may go to: a sensor may have just
    failed there. What else was put down unseen is asked for on masked cells only; it could be anywhere.
    """
    if position.to_move not in wood.people:
        return []
    legal = legal_actions(position)
    if isinstance(base, InHand):
        possible = [action for action in legal if action.source == base.cell]
        return sorted(possible, key=lambda action: action.target not in wood.masked)
    hidden = [action for action in legal if action.target in wood.masked]
    return [action for action in hidden if action.source is None or action.source in wood.masked]


def _actions(position: Position, wood: Wood, found: Difference) -> list[Action]:
    """The single actions that what is felt can be, the likeliest first."""
    mover = position.to_move
    if found.strangers or len(found.extra) != 1 or mover not in wood.people:
        return []
    (target,) = found.extra
    if wood.owners.get(target, mover) is not mover:
        return []
    possible = [
        action
        for action in legal_actions(position)
        if action.target == target and found.missing == {action.source} - {None} - wood.masked
    ]
    return sorted(possible, key=lambda action: action.source in wood.masked)


def _doubtful(position: Position, wood: Wood, action: Action) -> bool:
    """Whether something else may have happened that looks the same.

    A scored piece may have been put back where it was taken off, or elsewhere. A piece may be turned over in one hand,
    while another has placed an egg beside it; or it was lifted after something had been put where it may go. What was
    put down may be the piece that a bad sensor does not feel, or a piece beside it that is off the middle of its cell;
    or a piece may have moved there, and the other side's piece is already where it was. And a sensor that was bad a
    moment ago may feel what is not there, or what has stood there for long.
    """
    source, target = action
    scored = wood.vacated.get(target)
    if scored and wood.owners.get(target, scored.owner) is scored.owner:
        return True
    flipped = {cell: flips[-1] for cell, flips in wood.flips.items()}
    landed = flipped.get(target, -inf)
    if _lately_bad(wood, target):
        return True
    if source is not None:
        in_hand = source in wood.turning and position.spawn[position.to_move] > 0
        return in_hand or landed <= wood.read_at < flipped.get(source, -inf)
    whose = wood.owners.get(target)
    carried = [cell for cell, piece in wood.vacated.items() if whose in (None, piece.owner)]
    if any(0 <= landed - flipped.get(cell, -inf) <= CARRIED_SECONDS for cell in carried):
        return True
    masked = wood.masked & position.pieces.keys()
    if masked & _around(position, target) or any(cell not in wood.felt for cell in masked & wood.doubted):
        return True
    if any(abs(landed - flipped.get(cell, -inf)) <= NEAR_SECONDS for cell in _around(position, target) & wood.felt):
        return True
    left = (other.source for other in legal_actions(position) if other.target == target and other.source is not None)
    return any(flipped.get(cell, -inf) > wood.read_at for cell in left)


def _lately_bad(wood: Wood, cell: Cell) -> bool:
    """Whether a sensor was believed again only a moment before it changed last."""
    changed = wood.flips.get(cell, (-inf,))[-1]
    return cell in wood.regained and changed - wood.regained[cell] <= OFFERED_SECONDS


def _around(position: Position, cell: Cell) -> set[Cell]:
    """The up to eight cells around a cell."""
    x, y = position.grid.place(cell)
    near = {other: position.grid.place(other) for other in position.grid.cells if other != cell}
    return {other for other, (u, v) in near.items() if abs(u - x) <= 1 and abs(v - y) <= 1}


def _only(position: Position, wood: Wood, action: Action) -> bool:
    """Whether no other legal action can come of it, and it is nothing that was put back badly either.

    So it is for a frog that was seen in a hand and stands where alone it may go, two cells away. All else waits: an egg
    may be on its way, what moved in one go too; and a piece that is put back off the middle is felt beside its cell.
    """
    source, target = action
    if source is None or wood.reading != InHand(source) or targets(position, source) != (target,):
        return False
    return target not in _around(position, source)


def _two_turns(position: Position, wood: Wood, found: Difference) -> tuple[Action, Action] | None:
    """Two actions, one of each side, that explain all that is felt, if there is only one such pair in one order."""
    if found.strangers or len(found.extra) != 2 or set(Side) - set(wood.people) or found.extra & wood.vacated.keys():
        return None
    if found.missing & wood.turning or any(_lately_bad(wood, cell) for cell in found.extra):
        return None
    pairs = []
    for first in _parts(position, wood, found):
        turn = play(position, first)
        rest = Difference(found.missing - {first.source}, found.extra - {first.target})
        if any(cell in run for run in turn.sets for cell in (*found.missing, *found.extra)):
            return None  # some of what is felt may be the taking off of what scored
        if outcome(turn.after):
            continue
        pairs += [(first, second) for second in _actions(turn.after, wood, rest)]
    if len(pairs) != 1 or _may_be_one(position, wood, found):
        return None
    return pairs[0]


def _parts(position: Position, wood: Wood, found: Difference) -> list[Action]:
    """The actions that are part of what is felt."""
    return [
        action
        for action in legal_actions(position)
        if action.target in found.extra
        and (action.source is None or action.source in found.missing)
        and wood.owners.get(action.target, position.to_move) is position.to_move
    ]


def _may_be_one(position: Position, wood: Wood, found: Difference) -> bool:
    """Whether one action could be all there was: a piece off the middle of its cell is felt in the next one too."""
    on = grid(position.pond.size)
    one, other = found.extra
    if one in wood.owners and other in wood.owners:
        return False
    (x, y), (u, v) = on.place(one), on.place(other)
    if max(abs(x - u), abs(y - v)) > 1:
        return False
    return any(_actions(position, wood, found._replace(extra=frozenset({cell}))) for cell in found.extra)


def _differs(game: Game, wood: Wood, found: Difference, actions: Sequence[Action]) -> Differs:
    """Board and game differ: what there is to be done, towards the game or, if that is nearer, back by a turn."""
    position = game.position
    in_turn = found.missing & wood.turning
    if wood.agreed and (waits := _meant_meanwhile(position, wood, found, in_turn)):
        back_first = tuple(Step(None, cell) for cell in sorted(in_turn - {waits.source}))
        return Differs(found, back_first, waits=waits)
    to_do = _to_do(game.size, position, wood, found)
    back = False
    last = game.turns[-1] if game.turns else None
    if last and not wood.upset and not wood.declined and _begun_to_take_back(game, wood, last, found):
        before = replace(wood, leaving={})
        to_go = difference(last.before, before)
        way_back = _to_do(game.size, last.before, before, to_go)
        if 0 < len(way_back) < len(to_do):
            to_do, back = way_back, True
    offered = actions[0] if len(actions) == 1 and not wood.agreed else None
    half = _half_of_two(position, wood, found) if wood.agreed else None
    fits = fitting(game, wood) if wood.rested else None
    return Differs(found, _in_order(game, wood, to_do), back, offered, fits, half=half)


def _meant_meanwhile(position: Position, wood: Wood, found: Difference, in_turn: frozenset[Cell]) -> Action | None:
    """The action that was taken while pieces are in hands to be turned over; one of these may be what has moved."""
    for moved in (frozenset[Cell](), *(frozenset({cell}) for cell in sorted(in_turn))):
        others = in_turn - moved
        if others and (meant := _actions(position, wood, found._replace(missing=found.missing - others))):
            return meant[0]
    return None


def _in_order(game: Game, wood: Wood, to_do: Sequence[Step]) -> tuple[Step, ...]:
    """The steps in another order where the first would lead astray.

    What acted last is mended first, or the board would come to stand as before its turn. A piece that nobody takes off
    comes last: it may be none. And the last piece on the board is not taken off before another is put there, since a
    board that is cleared opens the menu.
    """
    acted = [turn.action.target for turn in game.turns[-2:]]
    last_piece = len(wood.felt - wood.masked) == 1

    def rank(step: Step) -> int:
        if step.target is None:
            return 2 if last_piece or step.source in wood.put_off else 1
        return 0 if step.target in acted and step.target not in wood.felt else 1

    return tuple(sorted(to_do, key=rank))


def _half_of_two(position: Position, wood: Wood, found: Difference) -> Action | None:
    """The action that was taken, if the other side has its piece for the next one in a hand already."""
    if set(Side) - set(wood.people):
        return None
    for cell in found.missing:
        first = _actions(position, wood, found._replace(missing=found.missing - {cell}))
        if len(first) == 1 and targets(play(position, first[0]).after, cell):
            return first[0]
    return None


def _begun_to_take_back(game: Game, wood: Wood, last: Turn, found: Difference) -> bool:
    """Whether hands have begun to put back what the last turn changed; lamps help only where pieces scored."""
    if not (last.sets and wood.rested) or game.given_up or last.side not in wood.people:
        return False
    before = last.before.pieces.keys()
    return found.extra <= before and not found.missing & before


def _to_do(size: int, position: Position, wood: Wood, found: Difference) -> tuple[Step, ...]:
    pieces = position.pieces
    missing = {cell: pieces[cell].owner for cell in found.missing | found.strangers}
    # What came after a program's turn, and before that was followed, is a person's own piece.
    fresh = position.to_move if wood.known and not wood.rested else None
    extra = {cell: wood.owners.get(cell, wood.known.get(cell, fresh)) for cell in found.extra | found.strangers}
    return steps(grid(size), missing, extra, _unlikely(size, wood, found) if wood.rested else None)


def _unlikely(size: int, wood: Wood, found: Difference) -> dict[tuple[Cell, Cell], float]:
    """Which piece can hardly be the one that left another cell, since board and game agreed last, and by how much.

    One that was there before the cell was left is another piece. Else it is rather the first that was put down then.
    Where sensors tell owners that is not asked: a cell may have been left last by a piece that did not belong there.
    """
    changed = {cell: flips[-1] for cell, flips in wood.flips.items()}
    extra, against = found.extra - wood.owners.keys(), {}
    for target in found.missing:
        left = changed.get(target, -inf)
        for source in extra:
            landed = changed.get(source, -inf)
            if landed < left - CARRIED_SECONDS:
                against[source, target] = 4.0 * size
            elif any(left < changed.get(other, -inf) < landed - NEAR_SECONDS for other in extra):
                against[source, target] = 1.0 * size
    return against

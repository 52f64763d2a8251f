"""What a board with pieces feels, and what hands have still to do: a value that changes with touches and turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.rules import Cell, Piece, Position, Side, Symbol, Turn
from pond_hw.session.intents import AGREED, REST, Difference, Differs, Reading
from pond_hw.session.scene import Hold

SETTLE_SECONDS = 0.25
"""How long a difference holds still before it counts, if no profile says otherwise."""

STANDING_SECONDS = 1.0
"""How long sensors may take to feel what stands there, after they have begun or come back."""

STUCK_SECONDS = 20.0
"""After so long a piece that alone is felt too many, and not taken away, is put down to the sensor."""

OFFERED_SECONDS = 60.0
"""The same for one that could be an action, if it were made now."""

QUICK_SECONDS = 1.5
"""How long a piece may be on its way in the second of two quick turns."""

FLICKERS, FLICKER_SECONDS = 10, 4.0
"""A sensor that changes so often in so many seconds is bad: no hand does that."""

HEALED_SECONDS = 10.0
"""A sensor that was found bad, and has agreed with the game for so long, is believed again."""


@dataclass(frozen=True, slots=True)
class Wood:
    """What a board with pieces feels, and what hands have still to do.

    Attributes:
        settle: seconds that a difference must hold still before it counts.
        faces: whether the pieces have faces that people turn over.
        people: the sides whose actions come by hand.
        choices: the cells of the menu.
        felt: where a piece is felt.
        owners: whose it is, where sensors can tell.
        known: whose the pieces are that have stood still since board and game agreed last.
        since: since when nothing has moved, in seconds.
        grace: until when sensors may still come to feel what stands there already.
        looked: whether what is felt has held still and has been read.
        reading: what it was read as.
        hold: since when that is announced and when it is done, or None.
        told_at: when the reading became what it is.
        read_at: when it was read last.
        agreed: whether board and game have agreed since they last differed: actions count only from there.
        rested: whether they have agreed since the last turn.
        strange: whether they have not agreed since the game became another one: what is missing was never there.
        stood: whether anything has been felt since the game became what it is.
        leaving: the scored pieces that are still felt.
        vacated: the scored pieces that have been taken off since the last turn, by the cell where they stood; and where
            the one that acted came from: whoever takes the turn back puts them there.
        acted_at: when the piece was felt that acted last, in seconds.
        unturned: the pieces that show another face than the game says, and which; None if that is not known.
        lifted: those of them that are in a hand.
        bad: cells whose sensors are known to be bad.
        doubted: cells whose sensors were found to be bad, until they have healed.
        regained: when a sensor that was found bad was believed again because it changed, in seconds.
        told_bad: the masked cells that people have been told of.
        flips: when each sensor changed, the last few times.
        settled: the difference that held still last.
        visits: how often each difference has been settled in this position.
        put_off_since: when the first of these was put off.
        put_off: cells from which nobody takes the piece that the lamps ask for; the next one is asked for first.
        upset: whether so much differed that it was an accident: nothing is taken back before all is mended.
        declined: whether going back was announced, and a hand said no.
        nodded: how often a piece that may not move was lifted and put back, and to which difference it comes back.
        asked: how many things that nobody felt have been asked for in vain.
    """

    settle: float = SETTLE_SECONDS
    faces: bool = True
    people: tuple[Side, ...] = tuple(Side)
    choices: tuple[Cell, ...] = ()
    felt: frozenset[Cell] = frozenset()
    owners: Mapping[Cell, Side] = field(default_factory=dict)
    known: Mapping[Cell, Side] = field(default_factory=dict)
    since: float = 0.0
    grace: float = 0.0
    looked: bool = False
    reading: Reading = REST
    hold: Hold | None = None
    told_at: float = 0.0
    read_at: float = 0.0
    agreed: bool = False
    rested: bool = False
    strange: bool = False
    stood: bool = False
    leaving: Mapping[Cell, Piece] = field(default_factory=dict)
    vacated: Mapping[Cell, Piece] = field(default_factory=dict)
    acted_at: float = -inf
    unturned: Mapping[Cell, Symbol | None] = field(default_factory=dict)
    lifted: frozenset[Cell] = frozenset()
    bad: frozenset[Cell] = frozenset()
    doubted: frozenset[Cell] = frozenset()
    regained: Mapping[Cell, float] = field(default_factory=dict)
    told_bad: frozenset[Cell] = frozenset()
    flips: Mapping[Cell, tuple[float, ...]] = field(default_factory=dict)
    settled: Difference = AGREED
    visits: Mapping[Difference, int] = field(default_factory=dict)
    put_off: frozenset[Cell] = frozenset()
    put_off_since: float = 0.0
    upset: bool = False
    declined: bool = False
    nodded: tuple[Difference, int] = (AGREED, 0)
    asked: int = 0

    @property
    def turning(self) -> frozenset[Cell]:
        """The pieces that have to be turned over."""
        return frozenset(self.unturned)

    @property
    def masked(self) -> frozenset[Cell]:
        """The cells of which nobody asks what is felt."""
        return self.bad | self.doubted

    def there(self, position: Position) -> frozenset[Cell]:
        """Where a piece is felt on cells of the pond whose sensors can be believed."""
        return (self.felt & position.grid.bit.keys()) - self.masked

    @property
    def settles(self) -> float:
        """When what is felt will have held still for long enough, in seconds."""
        return max(self.since + self.settle, self.grace)

    def touched(self, cell: Cell, down: bool, at: float, owner: Side | None = None) -> Wood:
        """The same with one more change that was felt."""
        felt = self.felt | {cell} if down else self.felt - {cell}
        owners = {where: whose for where, whose in self.owners.items() if where != cell}
        if down and owner is not None:
            owners[cell] = owner
        known = {where: whose for where, whose in self.known.items() if where != cell}
        flips = (*self.flips.get(cell, ()), at)[-FLICKERS:]
        flickers = len(flips) == FLICKERS and at - flips[0] <= FLICKER_SECONDS
        all_flips = {**self.flips, cell: flips}
        if cell in self.masked and flickers:
            return replace(self, felt=felt, owners=owners, known=known, flips=all_flips)
        if cell in self.bad and cell not in self.leaving:  # nobody asks what it feels, but a hand is there
            changed = replace(self, felt=felt, owners=owners, known=known, flips=all_flips)
            held_up = replace(changed, since=at, looked=False, hold=None, nodded=(AGREED, 0), asked=0)
            return held_up if self.hold else changed
        return replace(
            self,
            felt=felt,
            owners=owners,
            known=known,
            flips=all_flips,
            doubted=self.doubted | {cell} if flickers else self.doubted - {cell},
            regained={**self.regained, cell: at} if cell in self.doubted else self.regained,
            since=at,
            looked=False,
            hold=None,
        )

    def wakened(self, at: float) -> Wood:
        """The same, when the sensors begin or have come back: what stands there is not something that was done."""
        anew = replace(self, since=at, grace=at + STANDING_SECONDS, looked=False, hold=None, reading=REST)
        return replace(anew, agreed=False, rested=False)

    def due(self, position: Position) -> float:
        """When to look again, if nothing moves: seconds, or infinity."""
        instants = [self.flips[cell][-1] + HEALED_SECONDS for cell in self._agreeing(position)]
        if not self.looked:
            return min([self.settles, *instants])
        if self.hold:
            instants.append(self.hold.until)
        if hurried(self):
            instants.append(self.told_at + QUICK_SECONDS)
        instants.append(self.told_at + patience(self.reading))
        return min(instants, default=inf)

    def healed(self, position: Position, at: float) -> Wood:
        """The same without doubts about sensors that have agreed with the game for long enough."""
        well = {cell for cell in self._agreeing(position) if at >= self.flips[cell][-1] + HEALED_SECONDS}
        return replace(self, doubted=self.doubted - well) if well else self

    def _agreeing(self, position: Position) -> list[Cell]:
        if not self.doubted:
            return []
        pieces = position.pieces
        return [cell for cell in self.doubted if (cell in self.felt) == (cell in pieces) and cell in self.flips]

    def after_turns(self, position: Position, turns: Sequence[Turn], *, by_hand: bool) -> Wood:
        """The same when turns have been taken, by hand or by somebody who has yet to be followed by hand."""
        # Of a bad sensor nobody can say when a scored piece has gone: it is asked for until the next turn, no longer.
        leaving = {cell: piece for cell, piece in self.leaving.items() if cell not in self.masked}
        unturned = dict(self.unturned)
        vacated = {}
        for turn in turns:
            gone = {cell for run in turn.sets for cell in run}
            vacated = {turn.action.source: turn.piece} if turn.action.source and turn.action.target in gone else {}
            leaving |= {cell: turn.standing[cell] for cell in gone}
            developed = {d.cell: (d.before, d.after) for d in turn.developed}
            unturned = _turned(unturned, developed, without={*gone, *turn.action})
        pieces = position.pieces
        # Those that are not felt just now may only have slipped a sensor: what holds still decides. A bad sensor that
        # feels nothing decides nothing; one that feels something may be right.
        blind = self.masked - self.felt
        leaving = {cell: piece for cell, piece in leaving.items() if cell not in {*pieces, *blind}}
        moved = self._begun_anew()
        due = unturned if self.faces else {}
        agreed = by_hand or difference(position, replace(moved, leaving=leaving)) == AGREED
        return replace(
            moved,
            leaving=leaving,
            vacated=vacated,
            unturned=due,
            lifted=(self.lifted | due.keys() - self.felt) & due.keys(),
            acted_at=self.flips.get(turns[-1].action.target, (-inf,))[-1],
            agreed=agreed,
            rested=by_hand or agreed,
            looked=False,
        )

    def after_jump(self, position: Position, undone: Sequence[Turn] = ()) -> Wood:
        """The same when the game has become another one: a new game, a position set up by hand, or turns taken back.

        Args:
            position: the position now.
            undone: the turns that were taken back, in the order in which they had been taken. Pieces that were turned
                over since have to be turned back; those that are put back are put as the lamps show them.
        """
        unturned = dict(self.unturned) if undone else {}
        for turn in reversed(undone):
            gone = {cell for run in turn.sets for cell in run}
            developed = {d.cell: (d.after, d.before) for d in turn.developed if d.cell not in gone}
            unturned = _turned(unturned, developed, without={*turn.action})
        due = unturned if self.faces else {}
        moved = replace(self._begun_anew(), leaving={}, unturned=due, lifted=frozenset(due.keys() - self.felt))
        agreed = difference(position, moved) == AGREED
        stood = bool(self.felt)
        return replace(moved, agreed=agreed, rested=agreed, strange=not agreed, stood=stood, looked=False)

    def still_there(self, turns: Sequence[Turn]) -> Wood:
        """The same when the pieces that scored in these turns may not have been taken off yet."""
        leaving = {cell: turn.standing[cell] for turn in turns for run in turn.sets for cell in run}
        return replace(self, leaving=leaving)

    def _begun_anew(self) -> Wood:
        calm = replace(self, put_off=frozenset(), upset=False, declined=False, hold=None, reading=REST)
        return replace(calm, vacated={}, visits={}, nodded=(AGREED, 0), asked=0)


def _turned(
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


def difference(position: Position, wood: Wood) -> Difference:
    """Where board and game differ.

    Of masked cells, of those outside a smaller pond, and of scored pieces that are still there nothing is asked.
    """
    pieces = position.pieces
    unasked = wood.masked
    expected = pieces.keys() - unasked
    felt = wood.there(position) - wood.leaving.keys()
    strangers = {
        cell for cell in expected & felt if wood.owners.get(cell, pieces[cell].owner) is not pieces[cell].owner
    }
    return Difference(frozenset(expected - felt), frozenset(felt - expected), frozenset(strangers))


def hurried(wood: Wood) -> bool:
    """Whether the second of two quick turns may be under way."""
    return wood.agreed and isinstance(wood.reading, Differs) and wood.reading.half is not None


def patience(reading: Reading) -> float:
    """How long a reading may last before the piece that should be taken off is put down to its sensor.

    For ever, if there is none to be taken off: one that is missing may be in a hand for a day.
    """
    if not_taken(reading) is None:
        return inf
    return OFFERED_SECONDS if isinstance(reading, Differs) and reading.offered else STUCK_SECONDS


def not_taken(reading: Reading) -> Cell | None:
    """The cell from which the next step takes a piece off the board, if one is felt there that should not be."""
    if not isinstance(reading, Differs) or not reading.steps:
        return None
    source, target = reading.steps[0]
    return source if target is None and source in reading.difference.extra else None


def single(found: Difference) -> bool:
    """Whether board and game differ on one cell only."""
    return not found.strangers and len(found.missing) + len(found.extra) == 1

"""The conversation between a board and the rules: an event comes in, the next session comes out.

A `Session` never changes. `session.after(event)` is the session after that event; what cannot be
done leaves the game as it was and says why. There is no clock, thread, file or device here:
every event carries the instant at which it happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.rules import (
    Action,
    Cell,
    IllegalAction,
    Outcome,
    Position,
    Reason,
    Side,
    Turn,
    Variant,
    grid,
    legal_actions,
    outcome,
    play,
)
from pond_hw.session import select
from pond_hw.session.scene import Role, Scene, Sight, Wrong
from pond_hw.session.telling import tell_choice, tell_outcome, tell_prompt, tell_turn


class Act(NamedTuple):
    """Take an action, named and not pressed: from a face, a program or another player."""

    action: Action
    at: float


class Undo(NamedTuple):
    """Take back so many turns, scored pieces included; a resignation or an agreement counts as one."""

    at: float
    turns: int = 1


class Redo(NamedTuple):
    """Play again so many turns that were taken back."""

    at: float
    turns: int = 1


class NewGame(NamedTuple):
    """Leave this game and begin another."""

    pond: Variant
    at: float


class Resign(NamedTuple):
    """A side gives up; None is the side to move."""

    at: float
    side: Side | None = None


class AgreeDraw(NamedTuple):
    """Both players agree to a draw."""

    at: float


class Refused(NamedTuple):
    """Somebody outside the session (the companion, for a player) does not allow what was asked."""

    sentence: str
    at: float
    cell: Cell | None = None


class Trouble(NamedTuple):
    """The board no longer feels or lights, and a sentence says why; or None: it does again."""

    sentence: str | None
    at: float


class Notice(NamedTuple):
    """Something that the players should know, and that changes nothing."""

    sentence: str
    at: float


Event = Touch | Act | Undo | Redo | NewGame | Resign | AgreeDraw | Refused | Trouble | Notice


@dataclass(frozen=True, slots=True)
class Session:
    """One game in progress on one board, and all that the conversation needs to remember.

    Attributes:
        size: rows and columns of the board.
        pond: the variant that is played; it may be smaller than the board, in its a1 corner.
        turns: the turns taken, in order.
        undone: turns taken back, the one that was taken back last at the end.
        ended: how the players ended the game themselves, or None.
        chosen: the cell of the piece that is about to move, or None.
        message: a sentence or two for a person: what happened, and what may be done.
        wrong: the refusal, if the last thing that happened was one.
        fresh: whether the last turn was the last thing that happened, so that it may be played out in light.
        since: when the last turn was taken or the game changed otherwise, in seconds.
        trouble: what is wrong with the board, or None. As long as it is not, nothing is played and nothing lost.
    """

    size: int
    pond: Variant
    turns: tuple[Turn, ...] = ()
    undone: tuple[Turn, ...] = ()
    ended: Outcome | None = None
    chosen: Cell | None = None
    message: str = ""
    wrong: Wrong | None = None
    fresh: bool = False
    since: float = 0.0
    trouble: str | None = None

    @classmethod
    def start(cls, pond: Variant, size: int | None = None, at: float = 0.0) -> Session:
        """A new game on a board of `size` rows, or on one that just fits.

        Raises:
            ValueError: the board is smaller than the pond.
        """
        size = pond.size if size is None else size
        if pond.size > size:
            raise ValueError(f"A {pond.size}x{pond.size} pond does not fit a {size}x{size} board.")
        return cls(size, pond, since=at, message=tell_prompt(Position.start(pond)))

    @property
    def position(self) -> Position:
        """The position now."""
        return self.turns[-1].after if self.turns else Position.start(self.pond)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.ended or outcome(self.position)

    @property
    def legal(self) -> tuple[Action, ...]:
        """The actions that the side to move may take; none once the game is over."""
        return () if self.ended else legal_actions(self.position)

    @property
    def targets(self) -> tuple[Cell, ...]:
        """Where the chosen piece may go."""
        return select.targets(self.position, self.chosen) if self.chosen else ()

    @property
    def phase(self) -> str:
        """What the board waits for: `act`, `in_hand` (a piece is chosen: where to?) or `over`."""
        if self.outcome:
            return "over"
        return "in_hand" if self.chosen else "act"

    @property
    def occurrences(self) -> int:
        """How often this position has come up in the game, now included."""
        position, count = self.position, 1
        for turn in reversed(self.turns):
            if turn.before == position:
                count += 1
            if turn.action.source is None or turn.before.scored != turn.after.scored:
                break  # an egg that was placed and a piece that was scored never come back
        return count

    def after(self, event: Event) -> Session:
        """The session after an event. Of what means nothing, nothing comes: the very same session."""
        match event:
            case Trouble(sentence, at):
                return self._trouble(sentence)
            case Touch(_, False):
                return self
            case Notice(sentence):
                return replace(self, message=sentence)
            case _ if self.trouble:
                return self._refuse(self.trouble, event.at)
            case Touch(cell, True, at):
                return self._pressed(cell, at)
            case Act(action, at):
                return self._act(action, at)
            case Undo(at, turns):
                return self._undo(turns, at)
            case Redo(at, turns):
                return self._redo(turns, at)
            case NewGame(pond, at):
                return self._new_game(pond, at)
            case Resign(at, side):
                side = self.position.to_move if side is None else side
                return self._end(Outcome(side.other, Reason.RESIGNATION), at)
            case AgreeDraw(at):
                return self._end(Outcome(None, Reason.AGREEMENT), at)
            case Refused(sentence, at, cell):
                return self._refuse(sentence, at, cell)
        raise TypeError(f"{event} is no event.")

    def _trouble(self, sentence: str | None) -> Session:
        if sentence == self.trouble:
            return self
        said = sentence or f"The board is back. {self._what_now()}"
        return replace(self, trouble=sentence, message=said, wrong=None, fresh=False)

    def _pressed(self, cell: Cell, at: float) -> Session:
        if cell not in grid(self.pond.size).bit:
            return self._refuse(f"{cell} is outside this {self.pond.size}x{self.pond.size} pond.", at, cell)
        if self.outcome:
            return self._over(at, cell)
        match select.press(self.position, self.chosen, cell):
            case Action() as action:
                return self._act(action, at)
            case select.Choose(piece):
                chosen = self._quiet(chosen=piece)
                return replace(chosen, message=tell_choice(self.position, piece, chosen.targets))
            case select.LetGo():
                return self._quiet(message=tell_prompt(self.position))
            case select.Refuse(sentence):
                return self._refuse(sentence, at, cell)

    def _act(self, action: Action, at: float) -> Session:
        if self.outcome:
            return self._over(at, action.target)
        try:
            turn = play(self.position, action)
        except IllegalAction as error:
            return self._refuse(str(error), at, action.target)
        acted = self._quiet(turns=(*self.turns, turn), undone=(), fresh=True, since=at)
        return replace(acted, message=f"{tell_turn(turn)} {acted._what_now()}")

    def _undo(self, turns: int, at: float) -> Session:
        if not (self.turns or self.ended):
            return self._refuse("There is nothing to take back.", at)
        session = self
        for _ in range(turns):
            if session.ended:
                session = replace(session, ended=None)
            elif session.turns:
                session = replace(session, turns=session.turns[:-1], undone=(*session.undone, session.turns[-1]))
        back = len(self.turns) - len(session.turns)
        said = f"Took back {_turns(back)}." if back else "The game goes on."
        return session._quiet(since=at, message=f"{said} {session._what_now()}")

    def _redo(self, turns: int, at: float) -> Session:
        if not self.undone or self.ended:
            return self._refuse("There is nothing to play again.", at)
        again = tuple(reversed(self.undone[-turns:]))
        session = self._quiet(
            turns=self.turns + again, undone=self.undone[: -len(again)], fresh=len(again) == 1, since=at
        )
        said = tell_turn(again[0]) if len(again) == 1 else f"Played {_turns(len(again))} again."
        return replace(session, message=f"{said} {session._what_now()}")

    def _new_game(self, pond: Variant, at: float) -> Session:
        if pond.size > self.size:
            return self._refuse(
                f"The {pond} pond is {pond.size}x{pond.size}; it does not fit this {self.size}x{self.size} board.", at
            )
        return Session.start(pond, self.size, at)

    def _end(self, ended: Outcome, at: float) -> Session:
        if self.outcome:
            return self._over(at)
        return self._quiet(ended=ended, since=at, message=tell_outcome(ended, self.position))

    def _refuse(self, sentence: str, at: float, cell: Cell | None = None) -> Session:
        """The same game and the same piece chosen, with the reason why nothing happened.

        A program may name a cell that this board does not have; there is nothing to light then.
        """
        lit = cell if cell in grid(self.size).bit else None
        return replace(self, message=sentence, wrong=Wrong(lit, at), fresh=False)

    def _over(self, at: float, cell: Cell | None = None) -> Session:
        """Whoever goes on after the end is told how it ended."""
        return self._refuse(f"The game is over. {self._what_now()}", at, cell)

    def _quiet(self, **changes: object) -> Session:
        """The same game with some changes; nothing is chosen, refused or played out in light unless they say so."""
        return replace(self, **({"chosen": None, "wrong": None, "fresh": False} | changes))  # type: ignore[arg-type]

    def _what_now(self) -> str:
        ended = self.outcome
        if ended:
            return tell_outcome(ended, self.position)
        times = self.occurrences
        again = f" This position has come up {times} times; you may agree to a draw." if times >= 3 else ""
        return tell_prompt(self.position) + again

    @property
    def scene(self) -> Scene:
        """What there is to see now."""
        over, position, last = self.outcome, self.position, self.turns[-1] if self.turns else None
        pieces, pond_cells, targets = position.pieces, position.grid.bit, self.targets
        placing = not (over or self.chosen) and position.spawn[position.to_move] > 0
        sights = {}
        for cell in grid(self.size).cells:
            piece = pieces.get(cell)
            if cell not in pond_cells:
                role = Role.OUTSIDE
            elif cell == self.chosen:
                role = Role.CHOSEN
            elif cell in targets:
                role = Role.TARGET
            else:
                role = Role.OPEN if placing and piece is None else Role.PLAIN
            sights[cell] = Sight(piece, role, last is not None and cell == last.action.target)
        to_move = None if over else position.to_move
        return Scene(
            self.size,
            sights,
            to_move,
            over,
            self.wrong,
            last if self.fresh else None,
            self.since,
            position.scored,
            self.pond.target,
            self.trouble is not None,
        )


def _turns(count: int) -> str:
    return "one turn" if count == 1 else f"{count} turns"

"""The conversation between a board and the rules: an event comes in, the next session comes out.

A `Session` never changes. `session.after(event)` is the session after that event; what cannot be
done leaves the game as it was and says why. There is no clock, thread, file or device here:
every event carries the instant at which it happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.rules import (
    VARIANTS,
    Action,
    Cell,
    IllegalAction,
    Outcome,
    Piece,
    Position,
    Reason,
    Record,
    Side,
    Turn,
    Variant,
    cannot_begin,
    grid,
    legal_actions,
    outcome,
    play,
)
from pond_hw.session import interpretation, selection
from pond_hw.session.board_state import Wood, difference
from pond_hw.session.hint import HINT_SECONDS, UNDER, Hint, Worth, tell_hint
from pond_hw.session.intents import AGREED, About, Back, Choosing, Differs, Doing, InHand, Rest, Taken
from pond_hw.session.occupancy_messages import tell_reading, tell_to_do
from pond_hw.session.overlay import wood_sights, wrong_cell
from pond_hw.session.resume_prompt import Choice, Offer, offer_sights, tell_offer
from pond_hw.session.scene import Role, Scene, Sight, Wrong
from pond_hw.session.turn_messages import join, tell_choice, tell_outcome, tell_prompt, tell_turn


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


class SetUp(NamedTuple):
    """Begin a game from a position that somebody has set up by hand; it is one that `Position.read` would read."""

    position: Position
    at: float


class BoardIsRight(NamedTuple):
    """The wood tells the truth: take back as many turns as it needs, or the one action that explains it."""

    at: float


class Mask(NamedTuple):
    """The sensor of a cell is known to be bad, and nobody asks it any more; or (`bad` is False) it is good again."""

    cell: Cell
    at: float
    bad: bool = True


class AskHint(NamedTuple):
    """Somebody would like to be told what to do."""

    at: float


class Hinted(NamedTuple):
    """What was found out about that. It changes nothing in the game."""

    action: Action
    worth: Worth
    at: float


class Choose(NamedTuple):
    """What becomes of the game that is offered."""

    choice: Choice
    at: float


class Saving(NamedTuple):
    """Nothing is saved any more, and a sentence says why; or None: everything is saved again."""

    trouble: str | None
    at: float


class Tick(NamedTuple):
    """Time has passed: it is at least `Session.due`."""

    at: float


Event = (
    Touch
    | Act
    | Undo
    | Redo
    | NewGame
    | SetUp
    | BoardIsRight
    | Mask
    | AskHint
    | Hinted
    | Choose
    | Saving
    | Resign
    | AgreeDraw
    | Refused
    | Trouble
    | Notice
    | Tick
)


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
        begun: the position that the game began from, or None for the start of the pond.
        wood: what a board with pieces feels; None for one with buttons.
        offer: that the game was not finished and waits for a choice, or None.
        unsaved: why nothing is saved at this moment, or None.
        hint: the hint that is shown or thought about, or None.
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
    begun: Position | None = None
    wood: Wood | None = None
    offer: Offer | None = None
    unsaved: str | None = None
    hint: Hint | None = None

    @classmethod
    def start(cls, pond: Variant, size: int | None = None, at: float = 0.0, wood: Wood | None = None) -> Session:
        """A new game on a board of `size` rows, or on one that just fits; with pieces if there is wood to feel.

        Raises:
            ValueError: the board is smaller than the pond.
        """
        size = pond.size if size is None else size
        if pond.size > size:
            raise ValueError(f"A {pond.size}x{pond.size} pond does not fit a {size}x{size} board.")
        if wood:
            wood = replace(wood, choices=tuple(ponds_by_cell(size, pond)))
            wood = replace(wood.after_jump(Position.start(pond)), agreed=wood.agreed)
        return cls(size, pond, since=at, message=tell_prompt(Position.start(pond), pieces=wood is not None), wood=wood)

    def offering(
        self,
        pond: Variant,
        begun: Position | None,
        turns: tuple[Turn, ...],
        undone: tuple[Turn, ...] = (),
    ) -> Session:
        """On the same board a game that was not finished, which waits for a choice; if it is left, this one begins.

        Args:
            pond: its variant; it must fit the board.
            begun: the position that it began from, or None for the start of the pond.
            turns: its turns.
            undone: turns taken back, the one that was taken back last at the end.
        """
        game = replace(self, pond=pond, begun=begun, turns=turns, undone=undone, offer=Offer(otherwise=self.pond))
        if game.wood:
            wood = replace(game.wood, choices=tuple(ponds_by_cell(self.size, pond)))
            game = replace(game, wood=wood.after_jump(game.position).still_there(turns[-1:]))
        return game._quiet(message=game._tell_offer())

    @property
    def start_position(self) -> Position:
        """The position that the game began from."""
        return self.begun or Position.start(self.pond)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.turns[-1].after if self.turns else self.start_position

    @property
    def record(self) -> Record:
        """The game so far, as players and programs are told it."""
        return Record(self.pond, self.turns, self.ended, start=self.begun)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    @property
    def given_up(self) -> bool:
        """Whether the players ended it themselves."""
        return self.ended is not None

    @property
    def due(self) -> float:
        """When a `Tick` is needed, if nothing happens before: seconds, or infinity."""
        fades = self.hint.until if self.hint else inf
        return min(fades, self.wood.due(self.position)) if self.wood and not self.trouble and not self.offer else fades

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.ended or outcome(self.position)

    @property
    def legal(self) -> tuple[Action, ...]:
        """The actions that the side to move may take; none once the game is over, and none before it goes on."""
        return () if self.ended or self.offer else legal_actions(self.position)

    @property
    def targets(self) -> tuple[Cell, ...]:
        """Where the piece that is chosen or lifted may go."""
        return selection.targets(self.position, self.in_hand) if self.in_hand and not self.over else ()

    @property
    def phase(self) -> str:
        """What the board waits for.

        `resume`: a choice what becomes of the game that was not finished; `act`; `in_hand`: a piece is chosen or
        lifted, where to?; `take_off`: an action, and that scored pieces are taken off; `differs`: that board and game
        agree again, or that what is announced counts; `menu`: a choice of what to play; `over`.
        """
        if self.offer:
            return "resume"
        reading = self.wood.reading if self.wood else None
        if isinstance(reading, Choosing):
            return "menu"
        if isinstance(reading, Differs | About):
            return "differs"
        if self.outcome:
            return "over"
        if self.in_hand:
            return "in_hand"
        return "take_off" if self.wood and self.wood.leaving else "act"

    @property
    def undecided(self) -> bool:
        """Whether hands are saying something that may change the game: nobody else acts before that is done."""
        hands = self.wood is not None and (self.wood.hold is not None or isinstance(self.wood.reading, Choosing))
        return hands or self.offer is not None

    @property
    def in_hand(self) -> Cell | None:
        """The cell of the piece that is chosen by a finger or lifted by a hand, or None."""
        if self.wood and isinstance(self.wood.reading, InHand):
            return self.wood.reading.cell
        return self.chosen

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

    def what_if(self, action: Action) -> Turn:
        """What would come of an action, before it is done.

        Raises:
            IllegalAction: it may not be done now; the message says why.
        """
        if self.offer:
            raise IllegalAction(f"Choose first. {self._tell_offer()}")
        if self.ended:
            raise IllegalAction("The game is over.")
        return play(self.position, action)

    def played_by(self, people: tuple[Side, ...]) -> Session:
        """The same, when only these sides act by hand; the others' pieces are moved for them, as the lamps say."""
        return replace(self, wood=replace(self.wood, people=people)) if self.wood else self

    def wakened(self, at: float) -> Session:
        """The same, when sensors have just begun to feel: what stands there already is not something that was done."""
        return replace(self, wood=self.wood.wakened(at)) if self.wood else self

    def after(self, event: Event) -> Session:
        """The session after an event. Of what means nothing, nothing comes: the very same session."""
        session = self._after(event)
        if session is self or session.hint is None or session.hint is not self.hint:
            return session
        return session if self._leaves_hint(event, session) else session._without_hint(self)

    def _leaves_hint(self, event: Event, session: Session) -> bool:
        """Whether what has happened leaves the hint where it is: nobody has done anything."""
        if session.turns is not self.turns or session.phase not in ("act", "take_off", "in_hand"):
            return False
        if isinstance(event, Touch):
            return self.wood is not None and event.cell in self.wood.masked  # a sensor that flickers, and no hand
        return isinstance(event, Notice | Saving | Tick | AskHint)

    def _without_hint(self, before: Session) -> Session:
        """The same without the hint that was there before; if that was what was said, it is said what may be done."""
        assert before.hint
        said = self._now_may() if self.message == tell_hint(before.position, before.hint) else self.message
        return replace(self, hint=None, message=said)

    def _after(self, event: Event) -> Session:
        match event:
            case Trouble(sentence, at):
                return self._trouble(sentence, at)
            case Touch() if self.offer:
                return self._felt_at_offer(event)
            case Touch(cell, down, at, owner) if self.wood:
                felt = replace(self, wood=self.wood.touched(cell, down, at, owner))
                return felt if self.trouble else felt._looked(at)
            case Tick(at):
                now = self._without_hint(self) if self.hint and at >= self.hint.until else self
                return now._looked(at) if at >= now.due else now
            case Touch(_, False):
                return self
            case Notice(sentence):
                return replace(self, message=sentence)
            case Saving(sentence):
                return self if sentence == self.unsaved else replace(self, unsaved=sentence)
            case Hinted(action, worth, at):
                return self._hinted(Hint(action, worth, at + HINT_SECONDS))
            case _ if self.trouble:
                return self._refuse(self.trouble, event.at)
            case Choose(choice, at):
                return self._choose(choice, at)
            case Act() | Undo() | Redo() | BoardIsRight() | AskHint() | Resign() | AgreeDraw() if self.offer:
                return self._refuse(f"Choose first. {self._tell_offer()}", event.at)
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
            case SetUp(position, at):
                return self._set_up(position, at)
            case BoardIsRight(at):
                return self._board_is_right(at)
            case Mask(cell, at, bad):
                return self._mask(cell, at, bad)
            case AskHint(at):
                return self._ask_hint(at)
            case Resign(at, side):
                side = self.position.to_move if side is None else side
                return self._end(Outcome(side.other, Reason.RESIGNATION), at)
            case AgreeDraw(at):
                return self._end(Outcome(None, Reason.AGREEMENT), at)
            case Refused(sentence, at, cell):
                return self._refuse(sentence, at, cell)
        raise TypeError(f"{event} is no event.")

    def _felt_at_offer(self, touch: Touch) -> Session:
        """What is felt while a game is offered: a choice, or a piece that is put somewhere."""
        assert self.offer
        session, pieces = self, self.wood is not None
        if self.wood:
            session = replace(self, wood=self.wood.touched(*touch))
        elif self.trouble:
            return self._refuse(self.trouble, touch.at) if touch.down else self
        offer, cell = self.offer.touched(touch, pieces=pieces)
        session = replace(session, offer=offer)
        if cell is None or self.trouble:
            return session
        if offer.looking:
            shown = replace(session, offer=offer._replace(looking=False))
            return shown._quiet(message=shown._tell_offer())
        for choice in Choice:
            if cell == choice.value:
                return session._choose(choice, touch.at)
        return session if pieces else session._refuse(self._tell_offer(), touch.at, cell)

    def _choose(self, choice: Choice, at: float) -> Session:
        if not self.offer:
            return self._refuse("There is no game to be chosen about.", at)
        match choice:
            case Choice.RESUME:
                goes_on = replace(self, offer=None)
                if goes_on.wood:
                    goes_on = goes_on.wakened(at)
                return goes_on._quiet(since=at)._saying("The game goes on.")
            case Choice.LOOK:
                looking = replace(self, offer=self.offer._replace(looking=True, begun=None))
                return looking._quiet(message=looking._tell_offer())
            case Choice.DISCARD:
                return replace(self, offer=None)._new_game(self.offer.otherwise or self.pond, at)
        raise TypeError(f"{choice} is no choice.")

    def _tell_offer(self) -> str:
        looking = self.offer is not None and self.offer.looking
        return tell_offer(self.position, len(self.turns), looking=looking, pieces=self.wood is not None)

    def _trouble(self, sentence: str | None, at: float) -> Session:
        if sentence == self.trouble:
            return self
        said = sentence or f"The board is back. {self._what_now()}"
        wood = self.wood and self.wood.wakened(at)
        return replace(self, trouble=sentence, message=said, wrong=None, fresh=False, wood=wood)

    def _looked(self, at: float) -> Session:
        """After a look at the wood, and after all that follows from what is seen there."""
        session = self
        while True:
            assert session.wood
            wood, doing, picked = interpretation.look(session, session.wood, at)
            session = session._now_read(wood, at)
            if doing:
                session = session._done(doing, at)
            elif picked:
                session = session._new_game(ponds_by_cell(self.size, self.pond)[picked], at)
            else:
                return session

    def _now_read(self, wood: Wood, at: float) -> Session:
        """With other wood, and told what it means if that is not what it was."""
        assert self.wood
        was, now = self.wood, replace(wood, told_bad=wood.masked if wood.looked else wood.told_bad)
        changed = (was.reading, was.told_bad) != (now.reading, now.told_bad)
        if not changed and (was.leaving.keys(), was.turning) == (now.leaving.keys(), now.turning):
            return replace(self, wood=now)
        session = replace(self, wood=now)
        cell = wrong_cell(was.reading, now.reading, by_hand=was.agreed) if changed else None
        wrong = Wrong(cell, at) if cell else None if changed else self.wrong
        ponds = ponds_by_cell(self.size, self.pond)
        said = tell_reading(session, now, was.told_bad, ponds, session._what_now())
        return replace(session, message=said, wrong=wrong, fresh=self.fresh and isinstance(now.reading, Rest))

    def _done(self, doing: Doing, at: float) -> Session:
        match doing:
            case Taken(actions):
                session = self
                for action in actions:
                    session = session._act(action, at, by_hand=True)
                return session
            case Back(turns):
                return self._undo(turns, at)
        raise TypeError(f"{doing} is nothing that can be done.")

    def _pressed(self, cell: Cell, at: float) -> Session:
        if cell not in grid(self.pond.size).bit:
            return self._refuse(f"{cell} is outside this {self.pond.size}x{self.pond.size} pond.", at, cell)
        if self.outcome:
            return self._over(at, cell)
        match selection.press(self.position, self.chosen, cell):
            case Action() as action:
                return self._act(action, at)
            case selection.Choose(piece):
                chosen = self._quiet(chosen=piece)
                return replace(chosen, message=tell_choice(self.position, piece, chosen.targets))
            case selection.LetGo():
                return self._quiet(message=tell_prompt(self.position))
            case selection.Refuse(sentence):
                return self._refuse(sentence, at, cell)

    def _act(self, action: Action, at: float, *, by_hand: bool = False) -> Session:
        if self.outcome:
            return self._over(at, action.target)
        try:
            turn = play(self.position, action)
        except IllegalAction as error:
            return self._refuse(str(error), at, action.target)
        acted = self._quiet(turns=(*self.turns, turn), undone=(), fresh=True, since=at)
        return acted._with_wood((turn,), by_hand=by_hand)._saying(tell_turn(turn))

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
        undone = self.turns[len(session.turns) :]
        return session._quiet(since=at)._with_wood(undone=undone)._saying(said)

    def _redo(self, turns: int, at: float) -> Session:
        if not self.undone or self.ended:
            return self._refuse("There is nothing to play again.", at)
        again = tuple(reversed(self.undone[-turns:]))
        session = self._quiet(
            turns=self.turns + again, undone=self.undone[: -len(again)], fresh=len(again) == 1, since=at
        )
        said = tell_turn(again[0]) if len(again) == 1 else f"Played {_turns(len(again))} again."
        return session._with_wood(again)._saying(said)

    def _new_game(self, pond: Variant, at: float) -> Session:
        if pond.size > self.size:
            return self._refuse(
                f"The {pond} pond is {pond.size}x{pond.size}; it does not fit this {self.size}x{self.size} board.", at
            )
        session = replace(Session.start(pond, self.size, at, self.wood), unsaved=self.unsaved)
        return session._with_wood() if session.wood else session

    def _set_up(self, position: Position, at: float) -> Session:
        pond = position.pond
        if pond.size > self.size:
            return self._new_game(pond, at)  # which says why not
        if why := cannot_begin(position):
            return self._refuse(why, at)
        session = self._new_game(pond, at)
        began = replace(session, begun=None if position == Position.start(pond) else position)
        return began._with_wood()._saying("The game begins from a position that was set up by hand.")

    def _board_is_right(self, at: float) -> Session:
        if self.wood is None:
            return self._refuse("This board has no pieces that could be right or wrong.", at)
        if self.ended:
            return self._refuse("The players have ended the game themselves; undo takes that back first.", at)
        reading = interpretation.read(self, replace(self.wood, agreed=False))
        if isinstance(reading, Differs) and reading.offered:
            return self._act(reading.offered, at, by_hand=True)._looked(at)
        if difference(self.position, self.wood) == AGREED:
            off = f", but for what is to be taken off ({join(sorted(self.wood.leaving))})" if self.wood.leaving else ""
            return self._refuse(f"Board and game agree already{off}.", at)
        turns = interpretation.fitting(self, self.wood)
        if turns:
            return self._undo(turns, at)._looked(at)
        mend = "Put the pieces as the lamps show, or set up the position by hand."
        return self._refuse(f"The game has never stood as the board does. {mend}", at)

    def _mask(self, cell: Cell, at: float, bad: bool) -> Session:
        if self.wood is None:
            return self._refuse("Only a sensor under pieces can be masked; this board has buttons.", at)
        if cell not in grid(self.size).bit:
            return self._refuse(f"{cell} is not a cell of this {self.size}x{self.size} board.", at)
        known = self.wood.bad | {cell} if bad else self.wood.bad - {cell}
        wood = replace(self.wood, bad=known, doubted=self.wood.doubted - {cell}, looked=False, hold=None)
        if wood.masked == self.wood.masked:
            return self
        return replace(self, wood=replace(wood, since=at))._looked(at)

    def _ask_hint(self, at: float) -> Session:
        """A hint is thought about, or the one that is there stays for longer."""
        if self.outcome:
            return self._over(at)
        if self.wood and self.phase not in ("act", "take_off", "in_hand"):
            ponds = ponds_by_cell(self.size, self.pond)
            told = tell_reading(self, self.wood, self.wood.told_bad, ponds, self._what_now())
            return self._refuse(f"No hint before that. {told}", at)
        hint = self.hint or Hint()
        if hint.action:
            hint = hint._replace(until=at + HINT_SECONDS)
        return self._quiet(hint=hint, message=tell_hint(self.position, hint), fresh=self.fresh)

    def _hinted(self, hint: Hint) -> Session:
        """The hint has come, if it is still waited for."""
        if self.hint is None or hint.action not in self.legal:
            return self
        return self._quiet(hint=hint, message=tell_hint(self.position, hint), fresh=self.fresh)

    def _end(self, ended: Outcome, at: float) -> Session:
        if self.outcome:
            return self._over(at)
        wood = self.wood and replace(self.wood, looked=False, hold=None, since=at)
        return self._quiet(ended=ended, since=at, message=tell_outcome(ended, self.position), wood=wood)

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

    def _with_wood(
        self, turns: tuple[Turn, ...] = (), *, by_hand: bool = False, undone: tuple[Turn, ...] = ()
    ) -> Session:
        """The same, and the wood knows that the game has gone on by these turns, or back by some, or become another."""
        if self.wood is None:
            return self
        if turns:
            wood = self.wood.after_turns(self.position, turns, by_hand=by_hand)
        else:
            wood = self.wood.after_jump(self.position, undone)
        return replace(self, wood=wood)

    def _saying(self, said: str) -> Session:
        return replace(self, message=f"{said} {self._what_now()}")

    def _what_now(self) -> str:
        ended = self.outcome
        to_do = tell_to_do(self.wood) if self.wood else ""
        if ended:
            return f"{to_do}{tell_outcome(ended, self.position)}"
        times = self.occurrences
        again = f" This position has come up {times} times; you may agree to a draw." if times >= 3 else ""
        return f"{to_do}{tell_prompt(self.position, pieces=self.wood is not None)}{again}"

    def _now_may(self) -> str:
        """What may be done, also with a piece in the hand."""
        return tell_choice(self.position, self.in_hand, self.targets) if self.in_hand else self._what_now()

    @property
    def scene(self) -> Scene:
        """What there is to see now."""
        over, position, last = self.outcome, self.position, self.turns[-1] if self.turns else None
        pieces, pond_cells, targets = position.pieces, position.grid.bit, self.targets
        placing = self.phase in ("act", "take_off") and position.spawn[position.to_move] > 0
        laid_over: Mapping[Cell, tuple[Piece | None, Role]] = {}
        if self.offer:
            laid_over = offer_sights(self.offer)
        elif self.wood:
            laid_over = wood_sights(self, self.wood, ponds_by_cell(self.size, self.pond))
        masked = self.wood.masked if self.wood else frozenset()
        hinted = self.hint.action if self.hint and self.hint.action else ()
        lately = last.action.target if last and self.phase != "menu" else None
        sights = {}
        for cell in grid(self.size).cells:
            piece = pieces.get(cell)
            if cell not in pond_cells:
                role = Role.OUTSIDE
            elif cell == self.in_hand:
                role = Role.CHOSEN
            elif cell in targets:
                role = Role.TARGET
            else:
                role = Role.OPEN if placing and piece is None else Role.PLAIN
            piece, role = laid_over.get(cell, (piece, role))
            if cell in hinted and role in UNDER:
                role = Role.HINT
            sights[cell] = Sight(piece, role, cell == lately, cell in masked)
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
            self.wood.hold if self.wood else None,
            self.unsaved is not None,
        )


def ponds_by_cell(size: int, pond: Variant) -> dict[Cell, Variant]:
    """The menu of a board: which pond each cell stands for, from a1 on; those alike are named once.

    `pond` is the one that is played; it is among them even if it has no name.
    """
    ponds: list[Variant] = []
    for each in (*VARIANTS.values(), pond):
        if each.size <= size and all(each[1:] != other[1:] for other in ponds):
            ponds.append(each)
    return dict(zip(grid(size).cells, ponds, strict=False))


def _turns(count: int) -> str:
    return "one turn" if count == 1 else f"{count} turns"

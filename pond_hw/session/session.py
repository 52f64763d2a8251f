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
    Action,
    Cell,
    EndReason,
    IllegalAction,
    Outcome,
    Piece,
    Position,
    Record,
    Side,
    Turn,
    Variant,
    explain_invalid_start,
    find_outcome,
    get_grid,
    legal_actions,
    play,
)
from pond_hw.session import interpretation, occupancy_tracker, selection
from pond_hw.session.board_state import BoardState
from pond_hw.session.hint import HINT_SECONDS, HINTABLE_ROLES, ActionValue, Hint, format_hint
from pond_hw.session.intents import (
    ChooseVariant,
    ChoosingVariant,
    InSync,
    Intent,
    Mismatch,
    Moves,
    PendingConfirmation,
    PieceInHand,
    TakeBack,
)
from pond_hw.session.mismatch import count_turns_to_fit
from pond_hw.session.occupancy import NO_DIFFERENCE
from pond_hw.session.occupancy_messages import format_hand_tasks, format_interpretation
from pond_hw.session.overlay import board_state_overlay, find_refused_cell
from pond_hw.session.resume_prompt import ResumeChoice, ResumePrompt, format_resume_prompt, resume_overlay
from pond_hw.session.scene import CellRole, CellView, Scene, ShownRefusal
from pond_hw.session.turn_messages import format_outcome, format_targets, format_turn, format_turn_prompt, join_words
from pond_hw.session.variant_menu import variants_by_cell


class TakeAction(NamedTuple):
    """Take an action, named and not pressed: from a face, a program or another player."""

    action: Action
    instant: float


class UndoTurns(NamedTuple):
    """Take back so many turns, scored pieces included; a resignation or an agreement counts as one."""

    instant: float
    turn_count: int = 1


class RedoTurns(NamedTuple):
    """Play again so many turns that were taken back."""

    instant: float
    turn_count: int = 1


class NewGame(NamedTuple):
    """Leave this game and begin another."""

    variant: Variant
    instant: float


class ResignGame(NamedTuple):
    """A side gives up; None is the side to move."""

    instant: float
    side: Side | None = None


class AgreeDraw(NamedTuple):
    """Both players agree to a draw."""

    instant: float


class RequestRefused(NamedTuple):
    """Somebody outside the session (the companion, for a player) does not allow what was asked."""

    sentence: str
    instant: float
    cell: Cell | None = None


class TroubleChanged(NamedTuple):
    """The board no longer feels or lights, and a sentence says why; or None: it does again."""

    sentence: str | None
    instant: float


class ShowNotice(NamedTuple):
    """Something that the players should know, and that changes nothing."""

    sentence: str
    instant: float


class SetUpGame(NamedTuple):
    """Begin a game from a position that somebody has set up by hand; it is one that `Position.read` would read."""

    position: Position
    instant: float


class BoardIsRight(NamedTuple):
    """The wood tells the truth: take back as many turns as it needs, or the one action that explains it."""

    instant: float


class MaskSensor(NamedTuple):
    """The sensor of a cell is known to be bad, and nobody asks it any more; or (`bad` is False) it is good again."""

    cell: Cell
    instant: float
    is_bad: bool = True


class AskHint(NamedTuple):
    """Somebody would like to be told what to do."""

    instant: float


class HintFound(NamedTuple):
    """What was found out about that. It changes nothing in the game."""

    action: Action
    action_value: ActionValue
    instant: float


class ChooseResume(NamedTuple):
    """What becomes of the game that is offered."""

    choice: ResumeChoice
    instant: float


class SavingChanged(NamedTuple):
    """Nothing is saved any more, and a sentence says why; or None: everything is saved again."""

    trouble: str | None
    instant: float


class ClockTick(NamedTuple):
    """Time has passed: it is at least `Session.due`."""

    instant: float


SessionEvent = (
    Touch
    | TakeAction
    | UndoTurns
    | RedoTurns
    | NewGame
    | SetUpGame
    | BoardIsRight
    | MaskSensor
    | AskHint
    | HintFound
    | ChooseResume
    | SavingChanged
    | ResignGame
    | AgreeDraw
    | RequestRefused
    | TroubleChanged
    | ShowNotice
    | ClockTick
)


@dataclass(frozen=True, slots=True)
class Session:
    """One game in progress on one board, and all that the conversation needs to remember.

    Attributes:
        size: rows and columns of the board.
        variant: the variant that is played; it may be smaller than the board, in its a1 corner.
        turns: the turns taken, in order.
        undone_turns: turns taken back, the one that was taken back last at the end.
        declared_outcome: how the players ended the game themselves, or None.
        selected_cell: the cell of the piece that is about to move, or None.
        message: a sentence or two for a person: what happened, and what may be done.
        refusal: the refusal, if the last thing that happened was one.
        turn_is_fresh: whether the last turn was the last thing that happened, so that it may be played out in light.
        changed_at: when the last turn was taken or the game changed otherwise, in seconds.
        trouble: what is wrong with the board, or None. As long as it is not, nothing is played and nothing lost.
        custom_start: the position that the game began from, or None for the start of the pond.
        board_state: what a board with pieces feels; None for one with buttons.
        resume_prompt: that the game was not finished and waits for a choice, or None.
        unsaved_reason: why nothing is saved at this moment, or None.
        hint: the hint that is shown or thought about, or None.
    """

    size: int
    variant: Variant
    turns: tuple[Turn, ...] = ()
    undone_turns: tuple[Turn, ...] = ()
    declared_outcome: Outcome | None = None
    selected_cell: Cell | None = None
    message: str = ""
    refusal: ShownRefusal | None = None
    turn_is_fresh: bool = False
    changed_at: float = 0.0
    trouble: str | None = None
    custom_start: Position | None = None
    board_state: BoardState | None = None
    resume_prompt: ResumePrompt | None = None
    unsaved_reason: str | None = None
    hint: Hint | None = None

    @classmethod
    def start_game(
        cls, pond: Variant, size: int | None = None, at: float = 0.0, wood: BoardState | None = None
    ) -> Session:
        """A new game on a board of `size` rows, or on one that just fits; with pieces if there is wood to feel.

        Raises:
            ValueError: the board is smaller than the pond.
        """
        size = pond.size if size is None else size
        if pond.size > size:
            raise ValueError(f"A {pond.size}x{pond.size} pond does not fit a {size}x{size} board.")
        if wood:
            jumped, was_in_sync = wood.after_jump(Position.start(pond)), wood.dialogue.was_in_sync
            wood = replace(jumped, dialogue=replace(jumped.dialogue, was_in_sync=was_in_sync))
        return cls(
            size,
            pond,
            changed_at=at,
            message=format_turn_prompt(Position.start(pond), pieces=wood is not None),
            board_state=wood,
        )

    def with_resume_prompt(
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
        game = replace(
            self,
            variant=pond,
            custom_start=begun,
            turns=turns,
            undone_turns=undone,
            resume_prompt=ResumePrompt(fallback_variant=self.variant),
        )
        if game.board_state:
            wood = game.board_state.after_jump(game.position).with_pieces_to_remove(turns[-1:])
            game = replace(game, board_state=wood)
        return game._with_changes(message=game._format_resume_prompt())

    @property
    def start_position(self) -> Position:
        """The position that the game began from."""
        return self.custom_start or Position.start(self.variant)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.turns[-1].after if self.turns else self.start_position

    @property
    def record(self) -> Record:
        """The game so far, as players and programs are told it."""
        return Record(self.variant, self.turns, self.declared_outcome, custom_start=self.custom_start)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    @property
    def ended_by_players(self) -> bool:
        """Whether the players ended it themselves."""
        return self.declared_outcome is not None

    @property
    def next_due(self) -> float:
        """When a `Tick` is needed, if nothing happens before: seconds, or infinity."""
        fades = self.hint.visible_until if self.hint else inf
        return (
            min(fades, self.board_state.next_due(self.position))
            if self.board_state and not self.trouble and not self.resume_prompt
            else fades
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.declared_outcome or find_outcome(self.position)

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """The actions that the side to move may take; none once the game is over, and none before it goes on."""
        return () if self.declared_outcome or self.resume_prompt else legal_actions(self.position)

    @property
    def legal_targets(self) -> tuple[Cell, ...]:
        """Where the piece that is chosen or lifted may go."""
        return selection.find_targets(self.position, self.in_hand) if self.in_hand and not self.is_over else ()

    @property
    def game_phase(self) -> str:
        """What the board waits for.

        `resume`: a choice what becomes of the game that was not finished; `act`; `in_hand`: a piece is chosen or
        lifted, where to?; `take_off`: an action, and that scored pieces are taken off; `differs`: that board and game
        agree again, or that what is announced counts; `menu`: a choice of what to play; `over`.
        """
        if self.resume_prompt:
            return "resume"
        reading = self.board_state.dialogue.interpretation if self.board_state else None
        if isinstance(reading, ChoosingVariant):
            return "menu"
        if isinstance(reading, Mismatch | PendingConfirmation):
            return "differs"
        if self.outcome:
            return "over"
        if self.in_hand:
            return "in_hand"
        return "take_off" if self.board_state and self.board_state.tasks.to_remove else "act"

    @property
    def is_undecided(self) -> bool:
        """Whether hands are saying something that may change the game: nobody else acts before that is done."""
        dialogue = self.board_state and self.board_state.dialogue
        hands = dialogue and (dialogue.confirm_window or isinstance(dialogue.interpretation, ChoosingVariant))
        return bool(hands) or self.resume_prompt is not None

    @property
    def in_hand(self) -> Cell | None:
        """The cell of the piece that is chosen by a finger or lifted by a hand, or None."""
        if self.board_state and isinstance(self.board_state.dialogue.interpretation, PieceInHand):
            return self.board_state.dialogue.interpretation.cell
        return self.selected_cell

    @property
    def position_count(self) -> int:
        """How often this position has come up in the game, now included."""
        position, count = self.position, 1
        for turn in reversed(self.turns):
            if turn.before == position:
                count += 1
            if turn.action.source is None or turn.before.scored != turn.after.scored:
                break  # an egg that was placed and a piece that was scored never come back
        return count

    def preview_action(self, action: Action) -> Turn:
        """What would come of an action, before it is done.

        Raises:
            IllegalAction: it may not be done now; the message says why.
        """
        if self.resume_prompt:
            raise IllegalAction(f"Choose first. {self._format_resume_prompt()}")
        if self.declared_outcome:
            raise IllegalAction("The game is over.")
        return play(self.position, action)

    def with_human_sides(self, people: tuple[Side, ...]) -> Session:
        """The same, when only these sides act by hand; the others' pieces are moved for them, as the lamps say."""
        return replace(self, board_state=replace(self.board_state, human_sides=people)) if self.board_state else self

    def after_wakeup(self, at: float) -> Session:
        """The same, when sensors have just begun to feel: what stands there already is not something that was done."""
        return replace(self, board_state=self.board_state.after_wakeup(at)) if self.board_state else self

    def after(self, event: SessionEvent) -> Session:
        """The session after an event. Of what means nothing, nothing comes: the very same session."""
        session = self._apply_event(event)
        if session is self or session.hint is None or session.hint is not self.hint:
            return session
        return session if self._keeps_hint(event, session) else session._without_hint(self)

    def _keeps_hint(self, event: SessionEvent, session: Session) -> bool:
        """Whether what has happened leaves the hint where it is: nobody has done anything."""
        if session.turns is not self.turns or session.game_phase not in ("act", "take_off", "in_hand"):
            return False
        if isinstance(event, Touch):
            return (
                self.board_state is not None and event.cell in self.board_state.sensors.masked_cells
            )  # a sensor that flickers, and no hand
        return isinstance(event, ShowNotice | SavingChanged | ClockTick | AskHint)

    def _without_hint(self, before: Session) -> Session:
        """The same without the hint that was there before; if that was what was said, it is said what may be done."""
        assert before.hint
        said = self._format_options() if self.message == format_hint(before.position, before.hint) else self.message
        return replace(self, hint=None, message=said)

    def _apply_event(self, event: SessionEvent) -> Session:
        match event:
            case TroubleChanged(sentence, at):
                return self._change_trouble(sentence, at)
            case Touch() if self.resume_prompt:
                return self._touch_resume_prompt(event)
            case Touch(cell, down, at, owner) if self.board_state:
                felt = replace(self, board_state=self.board_state.after_touch(cell, down, at, owner))
                return felt if self.trouble else felt._look_at_board(at)
            case ClockTick(at):
                now = self._without_hint(self) if self.hint and at >= self.hint.visible_until else self
                return now._look_at_board(at) if at >= now.next_due else now
            case Touch(_, False):
                return self
            case ShowNotice(sentence):
                return replace(self, message=sentence)
            case SavingChanged(sentence):
                return self if sentence == self.unsaved_reason else replace(self, unsaved_reason=sentence)
            case HintFound(action, worth, at):
                return self._show_hint(Hint(action, worth, at + HINT_SECONDS))
            case _ if self.trouble:
                return self._refuse_event(self.trouble, event.instant)
            case ChooseResume(choice, at):
                return self._apply_resume_choice(choice, at)
            case TakeAction() | UndoTurns() | RedoTurns() | BoardIsRight() | AskHint() | ResignGame() | AgreeDraw() if (
                self.resume_prompt
            ):
                return self._refuse_event(f"Choose first. {self._format_resume_prompt()}", event.instant)
            case Touch(cell, True, at):
                return self._press_cell(cell, at)
            case TakeAction(action, at):
                return self._take_action(action, at)
            case UndoTurns(at, turns):
                return self._undo_turns(turns, at)
            case RedoTurns(at, turns):
                return self._redo_turns(turns, at)
            case NewGame(pond, at):
                return self._new_game(pond, at)
            case SetUpGame(position, at):
                return self._set_up_game(position, at)
            case BoardIsRight(at):
                return self._accept_board(at)
            case MaskSensor(cell, at, bad):
                return self._mask_sensor(cell, at, bad)
            case AskHint(at):
                return self._ask_hint(at)
            case ResignGame(at, side):
                side = self.position.to_move if side is None else side
                return self._end_game(Outcome(side.other_side, EndReason.RESIGNATION), at)
            case AgreeDraw(at):
                return self._end_game(Outcome(None, EndReason.AGREEMENT), at)
            case RequestRefused(sentence, at, cell):
                return self._refuse_event(sentence, at, cell)
        raise TypeError(f"{event} is no event.")

    def _touch_resume_prompt(self, touch: Touch) -> Session:
        """What is felt while a game is offered: a choice, or a piece that is put somewhere."""
        assert self.resume_prompt
        session, pieces = self, self.board_state is not None
        if self.board_state:
            session = replace(self, board_state=self.board_state.after_touch(*touch))
        elif self.trouble:
            return self._refuse_event(self.trouble, touch.instant) if touch.down else self
        offer, cell = self.resume_prompt.after_touch(touch, pieces=pieces)
        session = replace(session, resume_prompt=offer)
        if cell is None or self.trouble:
            return session
        if offer.is_looking:
            shown = replace(session, resume_prompt=offer._replace(is_looking=False))
            return shown._with_changes(message=shown._format_resume_prompt())
        for choice in ResumeChoice:
            if cell == choice.value:
                return session._apply_resume_choice(choice, touch.instant)
        return session if pieces else session._refuse_event(self._format_resume_prompt(), touch.instant, cell)

    def _apply_resume_choice(self, choice: ResumeChoice, at: float) -> Session:
        if not self.resume_prompt:
            return self._refuse_event("There is no game to be chosen about.", at)
        match choice:
            case ResumeChoice.RESUME:
                goes_on = replace(self, resume_prompt=None)
                if goes_on.board_state:
                    goes_on = goes_on.after_wakeup(at)
                return goes_on._with_changes(changed_at=at)._with_message("The game goes on.")
            case ResumeChoice.LOOK:
                looking = replace(self, resume_prompt=self.resume_prompt._replace(is_looking=True, half_touch=None))
                return looking._with_changes(message=looking._format_resume_prompt())
            case ResumeChoice.DISCARD:
                return replace(self, resume_prompt=None)._new_game(
                    self.resume_prompt.fallback_variant or self.variant, at
                )
        raise TypeError(f"{choice} is no choice.")

    def _format_resume_prompt(self) -> str:
        looking = self.resume_prompt is not None and self.resume_prompt.is_looking
        return format_resume_prompt(
            self.position, len(self.turns), looking=looking, pieces=self.board_state is not None
        )

    def _change_trouble(self, sentence: str | None, at: float) -> Session:
        if sentence == self.trouble:
            return self
        said = sentence or f"The board is back. {self._format_next()}"
        wood = self.board_state and self.board_state.after_wakeup(at)
        return replace(self, trouble=sentence, message=said, refusal=None, turn_is_fresh=False, board_state=wood)

    def _look_at_board(self, at: float) -> Session:
        """After a look at the wood, and after all that follows from what is seen there."""
        session = self
        while True:
            assert session.board_state
            wood, doing = occupancy_tracker.look_at_board(session, session.board_state, at)
            session = session._with_board_state(wood, at)
            if doing is None:
                return session
            session = session._apply_intent(doing, at)

    def _with_board_state(self, wood: BoardState, at: float) -> Session:
        """With other wood, and told what it means if that is not what it was."""
        assert self.board_state
        before, after, masked = self.board_state.dialogue, wood.dialogue, self.board_state.sensors.announced_masked
        changed = (before.interpretation, masked) != (after.interpretation, wood.sensors.announced_masked)
        session = replace(self, board_state=wood)
        if not changed and self.board_state.tasks.is_same_work(wood.tasks):
            return session
        cell = find_refused_cell(before, after)
        return replace(
            session,
            message=format_interpretation(session, wood, masked, session._format_next()),
            refusal=ShownRefusal(cell, at) if cell else None if changed else self.refusal,
            turn_is_fresh=self.turn_is_fresh and isinstance(after.interpretation, InSync),
        )

    def _apply_intent(self, doing: Intent, at: float) -> Session:
        match doing:
            case Moves(actions):
                session = self
                for action in actions:
                    session = session._take_action(action, at, by_hand=True)
                return session
            case TakeBack(turns):
                return self._undo_turns(turns, at)
            case ChooseVariant(cell):
                return self._new_game(variants_by_cell(self.size, self.variant)[cell], at)
        raise TypeError(f"{doing} is nothing that can be done.")

    def _press_cell(self, cell: Cell, at: float) -> Session:
        if cell not in get_grid(self.variant.size).mask_by_cell:
            return self._refuse_event(f"{cell} is outside this {self.variant.size}x{self.variant.size} pond.", at, cell)
        if self.outcome:
            return self._refuse_after_end(at, cell)
        match selection.interpret_press(self.position, self.selected_cell, cell):
            case Action() as action:
                return self._take_action(action, at)
            case selection.SelectPiece(piece):
                chosen = self._with_changes(selected_cell=piece)
                return replace(chosen, message=format_targets(self.position, piece, chosen.legal_targets))
            case selection.DeselectPiece():
                return self._with_changes(message=format_turn_prompt(self.position))
            case selection.RefusePress(sentence):
                return self._refuse_event(sentence, at, cell)

    def _take_action(self, action: Action, at: float, *, by_hand: bool = False) -> Session:
        if self.outcome:
            return self._refuse_after_end(at, action.target)
        try:
            turn = play(self.position, action)
        except IllegalAction as error:
            return self._refuse_event(str(error), at, action.target)
        acted = self._with_changes(turns=(*self.turns, turn), undone_turns=(), turn_is_fresh=True, changed_at=at)
        return acted._update_board_state((turn,), by_hand=by_hand)._with_message(format_turn(turn))

    def _undo_turns(self, turns: int, at: float) -> Session:
        if not (self.turns or self.declared_outcome):
            return self._refuse_event("There is nothing to take back.", at)
        session = self
        for _ in range(turns):
            if session.declared_outcome:
                session = replace(session, declared_outcome=None)
            elif session.turns:
                session = replace(
                    session, turns=session.turns[:-1], undone_turns=(*session.undone_turns, session.turns[-1])
                )
        back = len(self.turns) - len(session.turns)
        said = f"Took back {_format_turn_count(back)}." if back else "The game goes on."
        undone = self.turns[len(session.turns) :]
        return session._with_changes(changed_at=at)._update_board_state(undone=undone)._with_message(said)

    def _redo_turns(self, turns: int, at: float) -> Session:
        if not self.undone_turns or self.declared_outcome:
            return self._refuse_event("There is nothing to play again.", at)
        again = tuple(reversed(self.undone_turns[-turns:]))
        session = self._with_changes(
            turns=self.turns + again,
            undone_turns=self.undone_turns[: -len(again)],
            turn_is_fresh=len(again) == 1,
            changed_at=at,
        )
        said = format_turn(again[0]) if len(again) == 1 else f"Played {_format_turn_count(len(again))} again."
        return session._update_board_state(again)._with_message(said)

    def _new_game(self, pond: Variant, at: float) -> Session:
        if pond.size > self.size:
            return self._refuse_event(
                f"The {pond} pond is {pond.size}x{pond.size}; it does not fit this {self.size}x{self.size} board.", at
            )
        session = replace(Session.start_game(pond, self.size, at, self.board_state), unsaved_reason=self.unsaved_reason)
        return session._update_board_state() if session.board_state else session

    def _set_up_game(self, position: Position, at: float) -> Session:
        pond = position.variant
        if pond.size > self.size:
            return self._new_game(pond, at)  # which says why not
        if why := explain_invalid_start(position):
            return self._refuse_event(why, at)
        session = self._new_game(pond, at)
        began = replace(session, custom_start=None if position == Position.start(pond) else position)
        return began._update_board_state()._with_message("The game begins from a position that was set up by hand.")

    def _accept_board(self, at: float) -> Session:
        if self.board_state is None:
            return self._refuse_event("This board has no pieces that could be right or wrong.", at)
        if self.declared_outcome:
            return self._refuse_event("The players have ended the game themselves; undo takes that back first.", at)
        dialogue = replace(self.board_state.dialogue, was_in_sync=False)
        reading = interpretation.interpret_occupancy(self, replace(self.board_state, dialogue=dialogue))
        if isinstance(reading, Mismatch) and reading.offered_action:
            return self._take_action(reading.offered_action, at, by_hand=True)._look_at_board(at)
        if self.board_state.find_difference(self.position) == NO_DIFFERENCE:
            cells = sorted(self.board_state.tasks.to_remove)
            off = f", but for what is to be taken off ({join_words(cells)})" if cells else ""
            return self._refuse_event(f"Board and game agree already{off}.", at)
        turns = count_turns_to_fit(self, self.board_state)
        if turns:
            return self._undo_turns(turns, at)._look_at_board(at)
        mend = "Put the pieces as the lamps show, or set up the position by hand."
        return self._refuse_event(f"The game has never stood as the board does. {mend}", at)

    def _mask_sensor(self, cell: Cell, at: float, bad: bool) -> Session:
        if self.board_state is None:
            return self._refuse_event("Only a sensor under pieces can be masked; this board has buttons.", at)
        if cell not in get_grid(self.size).mask_by_cell:
            return self._refuse_event(f"{cell} is not a cell of this {self.size}x{self.size} board.", at)
        wood = self.board_state.with_known_sensor(cell, bad, at)
        return self if wood is self.board_state else replace(self, board_state=wood)._look_at_board(at)

    def _ask_hint(self, at: float) -> Session:
        """A hint is thought about, or the one that is there stays for longer."""
        if self.outcome:
            return self._refuse_after_end(at)
        if self.board_state and self.game_phase not in ("act", "take_off", "in_hand"):
            announced_masked = self.board_state.sensors.announced_masked
            told = format_interpretation(self, self.board_state, announced_masked, self._format_next())
            return self._refuse_event(f"No hint before that. {told}", at)
        hint = self.hint or Hint()
        if hint.action:
            hint = hint._replace(visible_until=at + HINT_SECONDS)
        return self._with_changes(hint=hint, message=format_hint(self.position, hint), turn_is_fresh=self.turn_is_fresh)

    def _show_hint(self, hint: Hint) -> Session:
        """The hint has come, if it is still waited for."""
        if self.hint is None or hint.action not in self.allowed_actions:
            return self
        return self._with_changes(hint=hint, message=format_hint(self.position, hint), turn_is_fresh=self.turn_is_fresh)

    def _end_game(self, ended: Outcome, at: float) -> Session:
        if self.outcome:
            return self._refuse_after_end(at)
        wood = self.board_state and self.board_state.after_movement(at)
        return self._with_changes(
            declared_outcome=ended, changed_at=at, message=format_outcome(ended, self.position), board_state=wood
        )

    def _refuse_event(self, sentence: str, at: float, cell: Cell | None = None) -> Session:
        """The same game and the same piece chosen, with the reason why nothing happened.

        A program may name a cell that this board does not have; there is nothing to light then.
        """
        lit = cell if cell in get_grid(self.size).mask_by_cell else None
        return replace(self, message=sentence, refusal=ShownRefusal(lit, at), turn_is_fresh=False)

    def _refuse_after_end(self, at: float, cell: Cell | None = None) -> Session:
        """Whoever goes on after the end is told how it ended."""
        return self._refuse_event(f"The game is over. {self._format_next()}", at, cell)

    def _with_changes(self, **changes: object) -> Session:
        """The same game with some changes; nothing is chosen, refused or played out in light unless they say so."""
        return replace(self, **({"selected_cell": None, "refusal": None, "turn_is_fresh": False} | changes))  # type: ignore[arg-type]

    def _update_board_state(
        self, turns: tuple[Turn, ...] = (), *, by_hand: bool = False, undone: tuple[Turn, ...] = ()
    ) -> Session:
        """The same, and the wood knows that the game has gone on by these turns, or back by some, or become another."""
        if self.board_state is None:
            return self
        wood = self.board_state
        wood = wood.after_turns(turns, by_hand=by_hand) if turns else wood.after_jump(self.position, undone)
        return replace(self, board_state=wood)

    def _with_message(self, said: str) -> Session:
        return replace(self, message=f"{said} {self._format_next()}")

    def _format_next(self) -> str:
        ended = self.outcome
        to_do = format_hand_tasks(self.board_state) if self.board_state else ""
        if ended:
            return f"{to_do}{format_outcome(ended, self.position)}"
        times = self.position_count
        again = f" This position has come up {times} times; you may agree to a draw." if times >= 3 else ""
        return f"{to_do}{format_turn_prompt(self.position, pieces=self.board_state is not None)}{again}"

    def _format_options(self) -> str:
        """What may be done, also with a piece in the hand."""
        return format_targets(self.position, self.in_hand, self.legal_targets) if self.in_hand else self._format_next()

    @property
    def scene(self) -> Scene:
        """What there is to see now."""
        over, position, last = self.outcome, self.position, self.turns[-1] if self.turns else None
        pieces, pond_cells, targets = position.pieces, position.grid.mask_by_cell, self.legal_targets
        placing = self.game_phase in ("act", "take_off") and position.spawn[position.to_move] > 0
        laid_over: Mapping[Cell, tuple[Piece | None, CellRole]] = {}
        if self.resume_prompt:
            laid_over = resume_overlay(self.resume_prompt)
        elif self.board_state:
            laid_over = board_state_overlay(self, self.board_state)
        masked = self.board_state.sensors.masked_cells if self.board_state else frozenset()
        hinted = self.hint.action if self.hint and self.hint.action else ()
        lately = last.action.target if last and self.game_phase != "menu" else None
        sights = {}
        for cell in get_grid(self.size).cells:
            piece = pieces.get(cell)
            if cell not in pond_cells:
                role = CellRole.OUTSIDE
            elif cell == self.in_hand:
                role = CellRole.CHOSEN
            elif cell in targets:
                role = CellRole.TARGET
            else:
                role = CellRole.OPEN if placing and piece is None else CellRole.PLAIN
            piece, role = laid_over.get(cell, (piece, role))
            if cell in hinted and role in HINTABLE_ROLES:
                role = CellRole.HINT
            sights[cell] = CellView(piece, role, cell == lately, cell in masked)
        to_move = None if over else position.to_move
        return Scene(
            self.size,
            sights,
            to_move,
            over,
            self.refusal,
            last if self.turn_is_fresh else None,
            self.changed_at,
            position.scored,
            self.variant.target,
            self.trouble is not None,
            self.board_state.dialogue.confirm_window if self.board_state else None,
            self.unsaved_reason is not None,
        )


def _format_turn_count(count: int) -> str:
    return "one turn" if count == 1 else f"{count} turns"

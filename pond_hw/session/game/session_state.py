"""State of a session, and what follows from it: a value that never changes."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Self

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Action, Cell, IllegalAction, Position, Side, Turn, Variant, legal_actions, play
from pond_hw.session.game.exercise import Course, Exercise
from pond_hw.session.game.exercise_run import PAUSE_SECONDS, ExerciseRun, ExerciseView, view_exercise
from pond_hw.session.game.hints_and_warnings import Hint, describe_hint, find_threat
from pond_hw.session.game.menu import describe_menu, list_menu, variants_by_cell
from pond_hw.session.game.permission import PermissionRequest
from pond_hw.session.game.played_game import PlayedGame
from pond_hw.session.game.resume_prompt import ResumePrompt, describe_game
from pond_hw.session.game.session_events import GameEvent
from pond_hw.session.game.settings import HintCounts, count_hints_left, describe_hints_left
from pond_hw.session.game.start_positions import is_set_up
from pond_hw.session.game.view import View
from pond_hw.session.pieces import (
    Agreement,
    BoardState,
    ChoosingVariant,
    Mismatch,
    PendingConfirmation,
    PieceInHand,
    describe_hand_tasks,
    view_occupancy,
)
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.turn_messages import describe_outcome, find_targets, prompt_turn

Turns = tuple[Turn, ...]

_NOTHING_SHOWN = {
    "selected_cell": None,
    "refusal": None,
    "turn_is_fresh": False,
    "warned_action": None,
    "open_menu": None,
}

_SHARED_NAMES = tuple(shared.name for shared in fields(PlayedGame))
"""Fields that a session and its view have in common."""


@dataclass(frozen=True, slots=True)
class SessionState(PlayedGame):
    """One game in progress on one board, and all that the conversation needs to remember.

    Attributes:
        undone_turns: turns taken back, the one that was taken back last at the end.
        hints_given: how many hints light and dark have had in this game while they had a limit.
        hinted_position: the position that the last hint was given in; another one there is the same one again.
        selected_cell: the cell of the piece that is about to move, or None.
        board_state: what a board with pieces detects; None for one with buttons.
        resume_prompt: that the game was not finished and waits for a choice, or None.
        permission: what somebody who is not at the board asks for and waits for, or None.
        granted_number: the number of the request that was granted last; 0 before the first.
        revocation_count: how often all of them were sent away by hand.
        menu_until: when the menu of a board with buttons closes if nobody presses, in seconds.
        exercise: the exercise that is being done, so that the game is that of the exercise; None: the players' own.
        game_events: what the last step did to the game, in order; empty if it changed nothing in it.
    """

    undone_turns: Turns = ()
    hints_given: tuple[int, int] = (0, 0)
    hinted_position: Position | None = None
    selected_cell: Cell | None = None
    board_state: BoardState | None = None
    resume_prompt: ResumePrompt | None = None
    permission: PermissionRequest | None = None
    granted_number: int = 0
    revocation_count: int = 0
    menu_until: float = inf
    exercise: ExerciseRun | None = None
    game_events: tuple[GameEvent, ...] = field(default=(), compare=False)

    @classmethod
    def start_game(
        cls, pond: Variant, size: int | None = None, at: float = 0.0, board_state: BoardState | None = None
    ) -> Self:
        """A new game on a board of `size` rows, or on one that just fits; with pieces if their state is given.

        Raises:
            PondError: the board is smaller than the pond.
        """
        size = pond.size if size is None else size
        if pond.size > size:
            raise PondError(Message("variant.does_not_fit", variant=pond.name, size=pond.size, board=size))
        start = Position.start(pond)
        if board_state:
            board_state = replace(board_state.after_jump(start), confirmation=board_state.confirmation)
        prompt = prompt_turn(start, has_pieces=board_state is not None)
        return cls(pond, size=size, messages=(prompt,), changed_at=at, board_state=board_state)

    def with_resume_prompt(
        self,
        variant: Variant,
        custom_start: Position | None,
        turns: Turns,
        undone_turns: Turns = (),
        hints_given: tuple[int, int] = (0, 0),
        hinted_position: Position | None = None,
    ) -> Self:
        """On the same board a game that was not finished, which waits for a choice; if it is left, this one begins.

        Args:
            variant: its variant; it must fit the board.
            custom_start: the position that it began from, or None for the start of the pond.
            turns: its turns.
            undone_turns: turns taken back, the one that was taken back last at the end.
            hints_given: how many hints light and dark have had in it while they had a limit.
            hinted_position: the position that the last of them was given in.
        """
        resumed = replace(
            self,
            variant=variant,
            custom_start=custom_start,
            turns=turns,
            undone_turns=undone_turns,
            hints_given=hints_given,
            hinted_position=hinted_position,
        )
        if resumed.board_state:
            board_state = resumed.board_state.after_jump(resumed.position).with_pieces_to_remove(turns[-1:])
            resumed = replace(resumed, board_state=board_state)
        return resumed.with_resume_message(ResumePrompt(fallback_variant=self.variant))

    @property
    def default_variant(self) -> Variant:
        """The variant of a new game if no other one is named: that of the game, not of an exercise."""
        return self.exercise.paused.variant if self.exercise else self.variant

    @property
    def can_continue(self) -> bool:
        """True if the game can be gone on with, and something of it would be lost if it were not."""
        if self.exercise:
            return self.exercise.paused.can_continue
        return not self.outcome and bool(self.turns or self.undone_turns or is_set_up(self.custom_start))

    @property
    def next_due(self) -> float:
        """Instant at which a `ClockTick` is needed if nothing happens before, in seconds, or infinity."""
        fades = self.hint.visible_until if self.hint else inf
        if self.permission:
            fades = min(fades, self.permission.next_due)
        if self.open_menu and not self.board_state:
            fades = min(fades, self.menu_until)
        fades = min(fades, self.exercise_due)
        if not self.board_state or self.trouble or self.resume_prompt or self.is_exercise_asked or self.is_refuting:
            return fades
        return min(fades, self.board_state.next_due(self.position))

    @property
    def is_being_set_up(self) -> bool:
        """True if hands set up the position of an exercise, or soon will: a board cleared for that asks for no menu."""
        if self.exercise is None or self.board_state is None:
            return False
        return self.exercise.is_met or self.board_state.confirmation.agreement is Agreement.UNVERIFIED

    def describe_warning(self, action: Action) -> Message | None:
        """Return what the side to move is warned of before a legal action of its own counts; None if of nothing.

        An exercise reacts to wrong actions by itself.
        """
        if self.exercise or not self.gives_warnings:
            return None
        threat = find_threat(self.position, action)
        return threat.describe() if threat else None

    @property
    def menu_cells(self) -> Set[Cell]:
        """Cells of the menu page that is open, or that opens first."""
        return list_menu(self).keys()

    @property
    def menu_variants(self) -> Mapping[Cell, Variant]:
        """Variants on the menu page that is open, or that opens first."""
        return {} if self.open_menu else variants_by_cell(self.size, self.variant)

    def describe_menu(self, picked_cell: Cell | None) -> tuple[Message, ...]:
        """Describe the menu of a board with pieces, or the choice on which a piece was put."""
        return describe_menu(self, picked_cell, has_pieces=True)

    def describe_set_up(self) -> tuple[Message, ...]:
        """Describe why the position of an exercise is set up: what hands did was wrong, or it is another position."""
        run = self.exercise
        if run is None or not self.is_being_set_up:
            return ()
        return run.reactions or (Message("exercise.set_up"),)

    @property
    def is_exercise_asked(self) -> bool:
        """True if the board asks how to go on with an exercise."""
        return self.exercise is not None and self.exercise.prompt is not None

    @property
    def is_refuting(self) -> bool:
        """True if a wrong action of an exercise is still shown, and its answer: hands and the game are not there."""
        return self.exercise is not None and self.exercise.refutation is not None

    @property
    def exercise_due(self) -> float:
        """Instant at which an exercise goes on by itself (an answer, the end of a wrong action, the next step), or infinity."""
        run = self.exercise
        if run is None or run.prompt or run.is_done or self.trouble or self.is_undecided:
            return inf
        has_reply = run.find_reply(len(self.turns), self.position.to_move) is not None
        return self.changed_at + PAUSE_SECONDS if run.is_met or run.refutation or has_reply else inf

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """The actions that the side to move may take; none once the game is over, and none before it goes on."""
        is_closed = self.declared_outcome or self.resume_prompt or self.is_exercise_asked
        return () if is_closed else legal_actions(self.position)

    @property
    def legal_targets(self) -> tuple[Cell, ...]:
        """Cells that the piece may go to that is chosen or lifted."""
        return find_targets(self.position, self.in_hand) if self.in_hand and not self.is_over else ()

    @property
    def game_phase(self) -> str:
        """Phase of the game, by what the board waits for.

        `resume`: a choice what becomes of the game that was not finished; `act`; `in_hand`: a piece is chosen or
        lifted, where to?; `take_off`: an action, and that scored pieces are taken off; `differs`: that board and game
        agree again, or that what is announced counts; `menu`: a choice of what to play; `exercise`: a choice how to go on with
        an exercise; `over`.
        """
        if self.resume_prompt:
            return "resume"
        if self.is_exercise_asked:
            return "exercise"
        if self.is_refuting and not self.open_menu:
            return "over" if self.outcome else "act"
        interpretation = self.board_state.confirmation.interpretation if self.board_state else None
        if isinstance(interpretation, ChoosingVariant) or (self.open_menu and not self.board_state):
            return "menu"
        if isinstance(interpretation, Mismatch | PendingConfirmation):
            return "differs"
        if self.outcome:
            return "over"
        if self.in_hand:
            return "in_hand"
        return "take_off" if self.board_state and self.board_state.tasks.to_remove else "act"

    @property
    def is_undecided(self) -> bool:
        """True if hands are saying something that may change the game: nobody else acts before that is done."""
        is_announcing = self.board_state is not None and self.board_state.confirmation.confirm_window is not None
        return is_announcing or self.game_phase in ("menu", "resume")

    @property
    def in_hand(self) -> Cell | None:
        """The cell of the piece that is chosen by a finger or lifted by a hand, or None."""
        if self.board_state and isinstance(self.board_state.confirmation.interpretation, PieceInHand):
            return self.board_state.confirmation.interpretation.cell
        return self.selected_cell

    @property
    def position_count(self) -> int:
        """Number of times that this position has come up in the game, now included."""
        position, count = self.position, 1
        for turn in reversed(self.turns):
            if turn.before == position:
                count += 1
            if turn.action.source is None or turn.before.scored != turn.after.scored:
                break  # an egg that was placed and a piece that was scored never come back
        return count

    def preview_action(self, action: Action) -> Turn:
        """Return the turn that would come of an action.

        Raises:
            IllegalAction: it may not be done now, or the side to move plays without such help; the message says why.
        """
        if self.resume_prompt:
            raise IllegalAction(Message("resume.choose_first"))
        if self.declared_outcome:
            raise IllegalAction(Message("illegal.game_over"))
        if no_advice := self.explain_no_advice():
            raise IllegalAction(no_advice)
        return play(self.position, action)

    def with_human_sides(self, people: tuple[Side, ...]) -> Self:
        """The same, when only these sides act by hand; the others' pieces are moved for them, as the lamps say."""
        return replace(self, board_state=replace(self.board_state, human_sides=people)) if self.board_state else self

    def after_wakeup(self, instant: float) -> Self:
        """The same, when sensors have just begun to feel: what stands there already is not something that was done."""
        return replace(self, board_state=self.board_state.after_wakeup(instant)) if self.board_state else self

    def without_hint(self, before: SessionState) -> Self:
        """The same without the hint that was there before; messages about it give way to what may be done."""
        assert before.hint
        shows_hint = self.messages == before.describe_hint(before.hint)
        return replace(self, hint=None, messages=self.describe_options() if shows_hint else self.messages)

    @property
    def hints_left(self) -> HintCounts:
        """Hints of this game that light and dark have left; None: as many as they like."""
        limits = (each.hint_limit for each in self.side_helps)
        light, dark = map(count_hints_left, limits, self.hints_given)
        return light, dark

    def explain_no_hint(self) -> Message | None:
        """Explain why the side to move gets no hint; None if it gets one. In an exercise hints are not counted."""
        if self.exercise and self.exercise.waits_for_hint:
            return None
        side = self.position.to_move
        is_used_up = self.hints_left[side] == 0 and self.hinted_position != self.position and not self.exercise
        return self.explain_no_advice() or (Message("hint_limit.used_up", side=str(side)) if is_used_up else None)

    def describe_hint(self, hint: Hint) -> tuple[Message, ...]:
        """A hint, and how many the side to move has left then, if there is a limit."""
        side = self.position.to_move
        left = None if self.exercise or hint.action is None else self.hints_left[side]
        return (*describe_hint(self.position, hint), *(() if left is None else (describe_hints_left(side, left),)))

    # What steps are made of.

    def with_changes(self, **changes: object) -> Self:
        """The same game with some changes; nothing is chosen, refused or played out in light unless they say so."""
        return replace(self, **(_NOTHING_SHOWN | changes))  # type: ignore[arg-type]

    def with_events(self, *events: GameEvent) -> Self:
        """The same, after this step has done something more to the game."""
        return replace(self, game_events=(*self.game_events, *events))

    def with_messages(self, *messages: Message) -> Self:
        """The same, with messages about what has happened and what comes next."""
        return replace(self, messages=(*messages, *self.describe_next()))

    def with_remark(self, *remarks: Message) -> Self:
        """The same, with messages about something beside the game, before what may be done or is asked."""
        is_playing = self.game_phase in ("act", "take_off", "in_hand", "over")
        return replace(self, messages=(*remarks, *(self.describe_options() if is_playing else self.messages)))

    def refuse_event(self, instant: float, *reasons: Message, cell: Cell | None = None) -> Self:
        """The same game and the same piece chosen, with the reasons why nothing happened.

        A program may name a cell that this board does not have; there is nothing to light then.
        """
        lit_cell = cell if cell in self.board_grid.mask_by_cell else None
        before = self.refusal
        repeats = before.repeats + 1 if before and before.cell == lit_cell else 0
        shown_refusal = ShownRefusal(lit_cell, instant, repeats)
        return replace(self, messages=reasons, refusal=shown_refusal, turn_is_fresh=False, warned_action=None)

    def refuse_after_end(self, instant: float, cell: Cell | None = None) -> Self:
        """Nothing happens after the end; the messages say how the game ended."""
        return self.refuse_event(instant, Message("illegal.game_over"), *self.describe_next(), cell=cell)

    def update_board_state(self, turns: Turns = (), *, by_hand: bool = False, undone_turns: Turns = ()) -> Self:
        """The same, and the board knows that the game went on by these turns, or back by some, or became another."""
        board_state = self.board_state
        if board_state and turns:
            board_state = board_state.after_turns(turns, by_hand=by_hand)
        elif board_state:
            board_state = board_state.after_jump(self.position, undone_turns)
        return replace(self, board_state=board_state)

    def with_resume_message(self, resume_prompt: ResumePrompt) -> Self:
        """The same, with the unfinished game offered in another way, and messages about that."""
        offering_session = replace(self, resume_prompt=resume_prompt)
        return offering_session.with_changes(messages=offering_session.describe_resume_prompt())

    def describe_resume_prompt(self) -> tuple[Message, ...]:
        """Describe the game that is offered, and how to choose."""
        game = describe_game(self.position, len(self.turns))
        if self.resume_prompt and self.resume_prompt.is_looking:
            return (Message("resume.look", game=game),)
        return Message("resume.ask", game=game), Message(f"resume.how.{'pieces' if self.board_state else 'buttons'}")

    def describe_next(self) -> tuple[Message, ...]:
        """Describe what hands have still to do and who is to move; or how the game ended."""
        tasks = describe_hand_tasks(self.board_state.tasks) if self.board_state else ()
        if self.exercise:
            return (*tasks, *self.exercise.describe(has_pieces=self.board_state is not None))
        if outcome := self.outcome:
            return (describe_outcome(outcome, self.position), *tasks)
        prompt = prompt_turn(self.position, has_pieces=self.board_state is not None)
        repeated = (Message("prompt.repeated", times=count),) if (count := self.position_count) >= 3 else ()
        return (*tasks, prompt, *repeated)

    def describe_options(self) -> tuple[Message, ...]:
        """Describe what may be done, also with a piece in the hand."""
        if self.in_hand:
            return (self.describe_chosen(self.in_hand),)
        return self.describe_next()

    @property
    def following_exercise(self) -> tuple[Course, Exercise] | None:
        """The exercise after the one of now, with its course: after the last of a course one of the next course."""
        run, names = self.exercise, [course.name for course in self.courses]
        if run is None or run.course_name not in names:
            return None
        course, *later_courses = self.courses[names.index(run.course_name) :]
        if exercise := course.find_following(run.exercise, self.size):
            return course, exercise
        return next(((each, each.next_exercise) for each in later_courses if each.exercises), None)

    def _view_exercise(self) -> ExerciseView | None:
        if self.exercise is None:
            return None
        return view_exercise(self.exercise, self.following_exercise, has_pieces=self.board_state is not None)

    @property
    def view(self) -> View:
        """Everything that is shown now."""
        prompt, request = self.resume_prompt, self.permission
        shown = {name: getattr(self, name) for name in _SHARED_NAMES}
        if request and not self.trouble:
            shown["messages"] = request.describe(has_pieces=self.board_state is not None)
        return View(
            **shown,
            exercise=self._view_exercise(),
            menu_choices=list_menu(self) if self.game_phase == "menu" else {},
            undone_actions=tuple(turn.action for turn in reversed(self.undone_turns)),
            game_phase=self.game_phase,
            in_hand=self.in_hand,
            legal_targets=self.legal_targets,
            hints_left=self.hints_left,
            resume_prompt=prompt and ("look" if prompt.is_looking else "ask"),
            occupancy=view_occupancy(self, self.board_state, is_away=self.is_refuting) if self.board_state else None,
            permission=request.view if request and not self.trouble else None,
        )

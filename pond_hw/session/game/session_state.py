"""Immutable state of a session and the values derived from it."""

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
"""Fields shared by a session and its view."""


@dataclass(frozen=True, slots=True)
class SessionState(PlayedGame):
    """A game in progress on a board, with the state of all prompts and menus.

    Attributes:
        undone_turns: Turns that can be redone, the next one last.
        hints_given: Number of limited hints used by light and by dark in this game.
        hinted_position: Position in which the last counted hint was given. Further hints in this position are free.
        board_state: State of a board with pieces; None on a board with buttons.
        granted_number: Number of the last granted request; 0 before the first.
        revocation_count: Number of times that players at the board took away all phones' seats.
        menu_until: Time in seconds at which an idle menu closes on a board with buttons.
        exercise: Exercise in progress. The game is then the exercise game.
        cells_lit: True while the lamps show the cells to compare with the other home.
        game_events: Changes to the game caused by the last event, in order.
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
    cells_lit: bool = False
    game_events: tuple[GameEvent, ...] = field(default=(), compare=False)

    @classmethod
    def start_game(
        cls, pond: Variant, size: int | None = None, at: float = 0.0, board_state: BoardState | None = None
    ) -> Self:
        """Return a session with a new game on a board with `size` rows. Raise a `PondError` if the pond is larger."""
        size = pond.size if size is None else size
        if pond.size > size:
            raise PondError(Message("variant.does_not_fit", variant=pond.name, size=pond.size, board=size))
        start = Position.start(pond)
        if board_state:
            board_state = replace(board_state.after_position_change(start), confirmation=board_state.confirmation)
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
        """Show an unfinished game and ask whether to resume it. If players decline, the current variant is played."""
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
            board_state = resumed.board_state.after_position_change(resumed.position).with_pieces_to_remove(turns[-1:])
            resumed = replace(resumed, board_state=board_state)
        return resumed.with_resume_message(ResumePrompt(fallback_variant=self.variant))

    @property
    def default_variant(self) -> Variant:
        """Variant of the next game unless another is requested. Exercises do not affect it."""
        return self.exercise.paused.variant if self.exercise else self.variant

    @property
    def can_continue(self) -> bool:
        """True if the game is unfinished and worth resuming."""
        if self.exercise:
            return self.exercise.paused.can_continue
        return not self.outcome and bool(self.turns or self.undone_turns or is_set_up(self.custom_start))

    @property
    def next_due(self) -> float:
        """Time in seconds at which the next `ClockTick` is needed, or infinity."""
        fades = self.hint.visible_until if self.hint else inf
        if self.permission:
            fades = min(fades, self.permission.next_due)
        if self.open_menu and not self.board_state:
            fades = min(fades, self.menu_until)
        fades = min(fades, self.exercise_due)
        if (
            not self.board_state
            or self.trouble
            or self.resume_prompt
            or self.is_exercise_prompt_open
            or self.is_refuting
        ):
            return fades
        return min(fades, self.board_state.next_due(self.position))

    @property
    def follows_log(self) -> bool:
        """True if the game on the board is a linked game. Other homes have to agree to all changes except turns."""
        return self.linked_game is not None and self.exercise is None

    @property
    def is_being_set_up(self) -> bool:
        """True while players are setting up an exercise position. Clearing the board then does not open the menu."""
        if self.exercise is None or self.board_state is None:
            return False
        return self.exercise.is_met or self.board_state.confirmation.agreement is Agreement.UNVERIFIED

    def describe_warning(self, action: Action) -> Message | None:
        """Return the warning about a legal action; None during an exercise or if warnings are turned off."""
        if self.exercise or not self.gives_warnings:
            return None
        threat = find_threat(self.position, action)
        return threat.describe() if threat else None

    @property
    def menu_cells(self) -> Set[Cell]:
        return list_menu(self).keys()

    @property
    def menu_variants(self) -> Mapping[Cell, Variant]:
        return {} if self.open_menu else variants_by_cell(self.size, self.variant)

    def describe_menu(self, picked_cell: Cell | None) -> tuple[Message, ...]:
        return describe_menu(self, picked_cell, has_pieces=True)

    def describe_set_up(self) -> tuple[Message, ...]:
        run = self.exercise
        if run is None or not self.is_being_set_up:
            return ()
        return run.reactions or (Message("exercise.set_up"),)

    @property
    def is_exercise_prompt_open(self) -> bool:
        return self.exercise is not None and self.exercise.prompt is not None

    @property
    def is_refuting(self) -> bool:
        """True while a wrong action in an exercise and its reply are shown."""
        return self.exercise is not None and self.exercise.refutation is not None

    @property
    def exercise_due(self) -> float:
        """Time in seconds at which an exercise continues by itself, or infinity."""
        run = self.exercise
        if run is None or run.prompt or run.is_done or self.trouble or self.is_undecided:
            return inf
        has_reply = run.find_reply(len(self.turns), self.position.to_move) is not None
        return self.changed_at + PAUSE_SECONDS if run.is_met or run.refutation or has_reply else inf

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """Legal actions of the side to move; empty after the game has ended or while a prompt is open."""
        is_closed = self.declared_outcome or self.resume_prompt or self.is_exercise_prompt_open
        return () if is_closed else legal_actions(self.position)

    @property
    def legal_targets(self) -> tuple[Cell, ...]:
        return find_targets(self.position, self.in_hand) if self.in_hand and not self.is_over else ()

    @property
    def game_phase(self) -> str:
        """Phase of the game, named after what the session is waiting for.

        `resume`: an answer to the resume prompt; `exercise`: a choice of how to continue an exercise; `menu`: a choice
        in the menu; `act`: an action; `in_hand`: a target for the selected or lifted piece; `take_off`: an action, or
        the removal of scored pieces; `differs`: a repair of the board, or the end of a confirmation; `over`: nothing.
        """
        if self.resume_prompt:
            return "resume"
        if self.is_exercise_prompt_open:
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
        """True while a pending action, the menu or a resume prompt may still change the game."""
        is_announcing = self.board_state is not None and self.board_state.confirmation.confirm_window is not None
        return is_announcing or self.game_phase in ("menu", "resume")

    @property
    def in_hand(self) -> Cell | None:
        """Cell of the selected or lifted piece."""
        if self.board_state and isinstance(self.board_state.confirmation.interpretation, PieceInHand):
            return self.board_state.confirmation.interpretation.cell
        return self.selected_cell

    @property
    def position_count(self) -> int:
        position, count = self.position, 1
        for turn in reversed(self.turns):
            if turn.before == position:
                count += 1
            if turn.action.source is None or turn.before.scored != turn.after.scored:
                break  # positions from before a placed egg or a score cannot recur
        return count

    def preview_action(self, action: Action) -> Turn:
        """Return the turn that an action would produce.

        Raise `IllegalAction` if the action is illegal or previews are turned off for the side to move.
        """
        if self.resume_prompt:
            raise IllegalAction(Message("resume.choose_first"))
        if self.declared_outcome:
            raise IllegalAction(Message("illegal.game_over"))
        if no_advice := self.explain_no_advice():
            raise IllegalAction(no_advice)
        return play(self.position, action)

    def with_human_sides(self, human_sides: tuple[Side, ...]) -> Self:
        """Set the sides whose players move the pieces themselves. The lamps show how to move all other pieces."""
        return (
            replace(self, board_state=replace(self.board_state, human_sides=human_sides)) if self.board_state else self
        )

    def after_wakeup(self, instant: float) -> Self:
        """Accept the pieces detected when the sensors start, without interpreting them as actions."""
        return replace(self, board_state=self.board_state.after_wakeup(instant)) if self.board_state else self

    def without_hint(self, before: SessionState) -> Self:
        """Remove the hint shown in an earlier state, along with its messages."""
        assert before.hint
        shows_hint = self.messages == before.describe_hint(before.hint)
        return replace(self, hint=None, messages=self.describe_options() if shows_hint else self.messages)

    @property
    def hints_left(self) -> HintCounts:
        limits = (each.hint_limit for each in self.side_helps)
        light, dark = map(count_hints_left, limits, self.hints_given)
        return light, dark

    def explain_no_hint(self) -> Message | None:
        """Return the reason that the side to move may not have a hint, if any. Hints in an exercise are not counted."""
        if self.exercise and self.exercise.waits_for_hint:
            return None
        side = self.position.to_move
        is_used_up = self.hints_left[side] == 0 and self.hinted_position != self.position and not self.exercise
        return self.explain_no_advice() or (Message("hint_limit.used_up", side=str(side)) if is_used_up else None)

    def describe_hint(self, hint: Hint) -> tuple[Message, ...]:
        side = self.position.to_move
        left = None if self.exercise or hint.action is None else self.hints_left[side]
        return (*describe_hint(self.position, hint), *(() if left is None else (describe_hints_left(side, left),)))

    def with_changes(self, **changes: object) -> Self:
        """Apply changes. Clear the selection, refusal, animation, warning and menu unless the changes include them."""
        return replace(self, **(_NOTHING_SHOWN | changes))  # type: ignore[arg-type]

    def with_events(self, *events: GameEvent) -> Self:
        return replace(self, game_events=(*self.game_events, *events))

    def with_messages(self, *messages: Message) -> Self:
        """Show messages about the last event, followed by what to do next."""
        return replace(self, messages=(*messages, *self.describe_next()))

    def with_remark(self, *remarks: Message) -> Self:
        """Show messages that do not affect the game, followed by the current prompt."""
        is_playing = self.game_phase in ("act", "take_off", "in_hand", "over")
        return replace(self, messages=(*remarks, *(self.describe_options() if is_playing else self.messages)))

    def refuse_event(self, instant: float, *reasons: Message, cell: Cell | None = None) -> Self:
        """Keep the game and the selection unchanged, and show the reasons.

        No cell is lit if `cell` is outside the board, which is possible if a program named it.
        """
        lit_cell = cell if cell in self.board_grid.mask_by_cell else None
        before = self.refusal
        repeats = before.repeats + 1 if before and before.cell == lit_cell else 0
        shown_refusal = ShownRefusal(lit_cell, instant, repeats)
        return replace(self, messages=reasons, refusal=shown_refusal, turn_is_fresh=False, warned_action=None)

    def refuse_after_end(self, instant: float, cell: Cell | None = None) -> Self:
        return self.refuse_event(instant, Message("illegal.game_over"), *self.describe_next(), cell=cell)

    def update_board_state(self, turns: Turns = (), *, by_hand: bool = False, undone_turns: Turns = ()) -> Self:
        """Update the board state after turns were taken or undone, or after the game was replaced."""
        board_state = self.board_state
        if board_state and turns:
            board_state = board_state.after_turns(turns, by_hand=by_hand)
        elif board_state:
            board_state = board_state.after_position_change(self.position, undone_turns)
        return replace(self, board_state=board_state)

    def with_resume_message(self, resume_prompt: ResumePrompt) -> Self:
        offering_session = replace(self, resume_prompt=resume_prompt)
        return offering_session.with_changes(messages=offering_session.describe_resume_prompt())

    def describe_resume_prompt(self) -> tuple[Message, ...]:
        game = describe_game(self.position, len(self.turns))
        if self.resume_prompt and self.resume_prompt.is_looking:
            return (Message("resume.look", game=game),)
        return Message("resume.ask", game=game), Message(f"resume.how.{'pieces' if self.board_state else 'buttons'}")

    def describe_next(self) -> tuple[Message, ...]:
        """Describe the remaining hand tasks and the side to move, or the outcome."""
        tasks = describe_hand_tasks(self.board_state.tasks) if self.board_state else ()
        if self.exercise:
            return (*tasks, *self.exercise.describe(has_pieces=self.board_state is not None))
        if outcome := self.outcome:
            return (describe_outcome(outcome, self.position), *tasks)
        prompt = prompt_turn(self.position, has_pieces=self.board_state is not None)
        repeated = (Message("prompt.repeated", times=count),) if (count := self.position_count) >= 3 else ()
        return (*tasks, prompt, *repeated)

    def describe_options(self) -> tuple[Message, ...]:
        if self.in_hand:
            return (self.describe_chosen(self.in_hand),)
        return self.describe_next()

    @property
    def following_exercise(self) -> tuple[Course, Exercise] | None:
        """Next exercise and its course. After the last exercise of a course, the next course begins."""
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
        has_pieces = self.board_state is not None
        return view_exercise(self.exercise, self.following_exercise, self.courses, has_pieces=has_pieces)

    @property
    def view(self) -> View:
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
            occupancy=view_occupancy(self, self.board_state, sensors_only=self.is_refuting)
            if self.board_state
            else None,
            permission=request.view if request and not self.trouble else None,
            lit_cells=self.link.cells if self.link and self.cells_lit and not self.turns else (),
        )

"""A game on a board: what a session and its view know of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, GameCourse, Grid, Position, Record, Side, Turn, get_grid
from pond_hw.session.game.exercise import Course
from pond_hw.session.game.hints_and_warnings import Hint
from pond_hw.session.game.settings import DEFAULT_HELP, HelpLevel, Setting, SettingValue, SideHelps, with_side
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.turn_messages import describe_targets, find_targets

GAMES_MENU = "games"
"""The first page of the menu on a board with buttons. With pieces nobody opens it but who clears the board."""


@dataclass(frozen=True, slots=True)
class PlayedGame(GameCourse):
    """A game on a board, and what is said of it.

    Attributes:
        size: rows and columns of the board; a smaller pond lies in its a1 corner.
        messages: what happened, and what may be done.
        refusal: the refusal, if the last thing that happened was one.
        turn_is_fresh: whether the last turn was the last thing that happened, so that the lamps play it out.
        changed_at: when the last turn was taken or the game changed otherwise, in seconds.
        trouble: what is wrong with the board, or None. As long as it is not, nothing is played and nothing lost.
        unsaved_reason: why nothing is saved at this moment, or None.
        hint: the hint that is shown or computed, or None.
        seat_count: how many seats people have who are not at the board; None if no program speaks for any.
        side_helps: what light and dark get.
        fair_start: whether games begin in positions from which neither side is better off.
        turn_key: whether nothing counts on a board with pieces before a turn key is pressed.
        warned_action: the action that waits to be done once more, because of what could follow it; or None.
        courses: the exercises that may be chosen at this board.
        open_menu: the page of the menu that is open: `GAMES_MENU` or the name of a course; None: none, or the first.
    """

    size: int = field(kw_only=True)
    messages: tuple[Message, ...] = ()
    refusal: ShownRefusal | None = None
    turn_is_fresh: bool = False
    changed_at: float = 0.0
    trouble: Message | None = None
    unsaved_reason: Message | None = None
    hint: Hint | None = None
    seat_count: int | None = None
    side_helps: SideHelps = (DEFAULT_HELP, DEFAULT_HELP)
    fair_start: bool = False
    turn_key: bool = False
    warned_action: Action | None = None
    courses: tuple[Course, ...] = ()
    open_menu: str | None = None

    @property
    def board_grid(self) -> Grid:
        """The grid of the board, which may be larger than the one that is played on."""
        return get_grid(self.size)

    @property
    def help_level(self) -> HelpLevel:
        """Help level of the side to move."""
        return self.side_helps[self.position.to_move].help

    @property
    def shows_targets(self) -> bool:
        """True if the board shows the side to move where a piece may go."""
        return self.help_level is not HelpLevel.NONE

    @property
    def gives_warnings(self) -> bool:
        """True if the side to move is warned before an action counts that is good for the other side."""
        return self.help_level is HelpLevel.WARNINGS

    def find_value(self, setting: Setting, side: Side | None) -> SettingValue:
        """Return the value of a setting of a side, or (None) of the table."""
        if side is not None:
            return self.side_helps[side].find_value(setting)
        value: SettingValue = getattr(self, setting.name)
        return value

    def with_value(self, setting: Setting, side: Side | None, value: SettingValue) -> Self:
        """Return the same with another value of a setting of a side, or (None) of the table."""
        if side is None:
            changes: dict[str, Any] = {setting.name: value}
        else:
            side_help = self.side_helps[side].with_value(setting, value)
            changes = {"side_helps": with_side(self.side_helps, side, side_help)}
        return replace(self, **changes)

    def explain_no_advice(self) -> Message | None:
        """Explain why the side to move gets neither hints nor previews; None if it does."""
        if self.help_level.gives_advice:
            return None
        return Message("help_level.no_advice", side=str(self.position.to_move))

    def describe_chosen(self, cell: Cell) -> Message:
        """Describe what may be done with the piece of a cell that is chosen or lifted."""
        if not self.shows_targets:
            return Message("chosen.where_to", cell=cell)
        return describe_targets(self.position, cell, find_targets(self.position, cell))

    @property
    def last_turn(self) -> Turn | None:
        """The turn that was taken last, or None before the first."""
        return self.turns[-1] if self.turns else None

    @property
    def turn_number(self) -> int:
        """Number of the last turn, 0 before the first. A resignation or an agreed draw counts as a turn."""
        return len(self.turns) + bool(self.declared_outcome)

    def find_position_before(self, turn_count: int) -> Position:
        """The position before the last turns, so many of them; with 0 the position now."""
        return self.turns[-turn_count].before if turn_count else self.position

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.outcome is not None

    @property
    def record(self) -> Record:
        """The game so far, as a record."""
        return Record(self.variant, self.turns, self.declared_outcome, custom_start=self.custom_start)

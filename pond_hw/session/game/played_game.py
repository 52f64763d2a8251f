"""A game on a board: the fields that a session shares with its view."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Game, Grid, Position, Record, Side, Turn, get_grid
from pond_hw.session.game.exercise import Course
from pond_hw.session.game.hints_and_warnings import Hint
from pond_hw.session.game.link_view import LinkView
from pond_hw.session.game.settings import DEFAULT_HELP, HelpLevel, Setting, SettingValue, SideHelps, with_side
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.turn_messages import describe_targets, find_targets

GAMES_MENU = "games"
"""First menu page on a board with buttons. A board with pieces shows this page when it is cleared."""


@dataclass(frozen=True, slots=True)
class PlayedGame(Game):
    """A game on a board, with its messages and settings.

    Attributes:
        size: Number of rows and columns on the board. A smaller pond lies in its a1 corner.
        refusal: Refusal of the last event, if it was refused.
        turn_is_fresh: True if the last event was a turn, which the lamps then animate.
        changed_at: Time in seconds of the last turn or other change to the game.
        trouble: Sensor or lamp fault. Play is suspended until it is fixed.
        unsaved_reason: Reason that the game cannot currently be saved.
        seat_count: Number of seats held by phones; None if there is no phone page.
        turn_key: True if a turn counts only after its turn key is pressed.
        warned_action: Action that needs to be repeated because of a warning.
        open_menu: Open page of the menu: `GAMES_MENU`, a course or a setting.
        link: Link to another home; None if there is none.
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
    link: LinkView | None = None

    @property
    def board_grid(self) -> Grid:
        """Grid of the board, which may be larger than the pond."""
        return get_grid(self.size)

    @property
    def linked_game(self) -> str | None:
        """Id of the linked game that is played here, or None. It may be paused during an exercise."""
        return self.link.game if self.link else None

    @property
    def help_level(self) -> HelpLevel:
        return self.side_helps[self.position.to_move].help

    @property
    def shows_targets(self) -> bool:
        return self.help_level is not HelpLevel.NONE

    @property
    def gives_warnings(self) -> bool:
        """True if the side to move is warned before a weak action is taken."""
        return self.help_level is HelpLevel.WARNINGS

    def find_value(self, setting: Setting, side: Side | None) -> SettingValue:
        """Return the value of a side's setting, or of a table setting if `side` is None."""
        if side is not None:
            return self.side_helps[side].find_value(setting)
        value: SettingValue = getattr(self, setting.name)
        return value

    def with_value(self, setting: Setting, side: Side | None, value: SettingValue) -> Self:
        """Change a side's setting, or a table setting if `side` is None."""
        if side is None:
            changes: dict[str, Any] = {setting.name: value}
        else:
            side_help = self.side_helps[side].with_value(setting, value)
            changes = {"side_helps": with_side(self.side_helps, side, side_help)}
        return replace(self, **changes)

    def explain_no_advice(self) -> Message | None:
        """Return the reason that the side to move may not have hints or previews; None if it may."""
        if self.help_level.gives_advice:
            return None
        return Message("help_level.no_advice", side=str(self.position.to_move))

    def describe_chosen(self, cell: Cell) -> Message:
        if not self.shows_targets:
            return Message("chosen.where_to", cell=cell)
        return describe_targets(self.position, cell, find_targets(self.position, cell))

    @property
    def last_turn(self) -> Turn | None:
        return self.turns[-1] if self.turns else None

    @property
    def turn_number(self) -> int:
        """Number of the last turn, 0 before the first. A resignation or agreed draw counts as a turn."""
        return len(self.turns) + bool(self.declared_outcome)

    def find_position_before(self, turn_count: int) -> Position:
        return self.turns[-turn_count].before if turn_count else self.position

    @property
    def is_over(self) -> bool:
        return self.outcome is not None

    @property
    def record(self) -> Record:
        return Record(self.variant, self.turns, self.declared_outcome, custom_start=self.custom_start)

"""Everything that a session shows, as one value: terminal, protocol, remote terminal and lamps are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pond_hw.rules import Action, Cell, legal_actions
from pond_hw.session.game.exercise_run import ExerciseView
from pond_hw.session.game.hints_and_warnings import HINTABLE_ROLES
from pond_hw.session.game.menu import MenuChoice
from pond_hw.session.game.permission import PermissionView
from pond_hw.session.game.played_game import PlayedGame
from pond_hw.session.game.resume_prompt import CHOICE_ROLES
from pond_hw.session.game.settings import UNLIMITED_HINTS, HintCounts
from pond_hw.session.pieces import CellOverlay, OccupancyView, find_moved_piece, occupancy_overlay
from pond_hw.session.scene import CellRole, CellView, ConfirmWindow, Scene, SignColour


@dataclass(frozen=True, slots=True)
class View(PlayedGame):
    """Everything that a session shows at one moment.

    Attributes:
        undone_actions: the actions that were taken back, in the order in which redo plays them.
        game_phase: what the board waits for, as `Session.game_phase` says; `replay` if for nothing.
        in_hand: the cell of the piece that is selected or lifted, or None.
        legal_targets: where that piece may go.
        hints_left: how many of the hints of this game light and dark have left.
        resume_prompt: whether an unfinished game is offered (`ask`) or looked at before the choice (`look`), or None.
        occupancy: what a board with pieces detects; None for one with buttons.
        permission: what somebody who is not at the board waits for, or None.
        exercise: the exercise that is being done, or None.
        menu_choices: what each cell of the menu stands for while it is open; empty otherwise.
    """

    undone_actions: tuple[Action, ...] = ()
    game_phase: str = "act"
    in_hand: Cell | None = None
    legal_targets: tuple[Cell, ...] = ()
    hints_left: HintCounts = UNLIMITED_HINTS
    resume_prompt: Literal["ask", "look"] | None = None
    occupancy: OccupancyView | None = None
    permission: PermissionView | None = None
    exercise: ExerciseView | None = None
    menu_choices: Mapping[Cell, MenuChoice] = field(default_factory=dict)

    @property
    def is_exercise_asked(self) -> bool:
        """True if the board asks how to go on with an exercise."""
        return self.exercise is not None and self.exercise.is_asked

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """The actions that the side to move may take; none after the end and while an unfinished game is offered."""
        is_closed = self.declared_outcome or self.resume_prompt or self.is_exercise_asked
        return () if is_closed else legal_actions(self.position)

    @property
    def confirm_window(self) -> ConfirmWindow | None:
        """Since when something is announced and when it counts, or None."""
        return self.occupancy.confirm_window if self.occupancy else None

    @property
    def cells(self) -> Mapping[Cell, CellView]:
        """View of each cell of the board."""
        pieces, cell_roles, overlay_cells = self.position.pieces, self._list_roles(), self._find_overlay()
        masked_cells = self.occupancy.masked_cells if self.occupancy else frozenset()
        hinted_cells = set(self.hint.action if self.hint and self.hint.action else ())
        if self.exercise and self.game_phase in ("act", "take_off", "in_hand"):
            hinted_cells |= set(self.exercise.lit_cells)
        last_target = self.last_turn.action.target if self.last_turn and self.game_phase != "menu" else None
        cell_views = {}
        for cell in self.board_grid.cells:
            shown_piece, cell_role = overlay_cells.get(cell) or (pieces.get(cell), cell_roles[cell])
            if cell in hinted_cells and cell_role in HINTABLE_ROLES:
                cell_role = CellRole.HINT
            cell_views[cell] = CellView(shown_piece, cell_role, cell == last_target, cell in masked_cells)
        return cell_views

    def _list_roles(self) -> dict[Cell, CellRole]:
        """Return the role of each cell if nothing is laid over it."""
        position = self.position
        places_eggs = self.game_phase in ("act", "take_off") and position.spawn[position.to_move] > 0
        shown_targets = self.legal_targets if self.shows_targets else ()
        return {
            **dict.fromkeys(self.board_grid.cells, CellRole.OUTSIDE),
            **dict.fromkeys(position.grid.cells, CellRole.OPEN if places_eggs else CellRole.PLAIN),
            **dict.fromkeys(position.pieces, CellRole.PLAIN),
            **dict.fromkeys(shown_targets, CellRole.TARGET),
            **({self.in_hand: CellRole.CHOSEN} if self.in_hand else {}),
        }

    def _find_overlay(self) -> CellOverlay:
        """Return what is laid over the cells: the choices while a game is offered, or tasks for hands."""
        if self.resume_prompt == "ask" or self.is_exercise_asked:
            return {choice.value: (None, role) for choice, role in CHOICE_ROLES.items()}
        if self.menu_choices:
            return self._find_menu_overlay()
        overlay_cells = occupancy_overlay(self, self.occupancy) if self.occupancy and not self.resume_prompt else {}
        if action := self.warned_action:
            overlay_cells |= {action.target: (find_moved_piece(self.position, action), CellRole.WARNED)}
        return overlay_cells

    def _find_menu_overlay(self) -> CellOverlay:
        """The cells of the menu, and nothing of the game."""
        cell_roles = dict.fromkeys(self.position.pieces, CellRole.PLAIN)
        for cell, choice in self.menu_choices.items():
            cell_roles[cell] = CellRole.DEFAULT_CHOICE if choice.is_default else CellRole.CHOICE
        if self.occupancy and self.occupancy.picked_cell:
            cell_roles[self.occupancy.picked_cell] = CellRole.TAKE_OFF
        return {cell: (None, cell_role) for cell, cell_role in cell_roles.items()}

    @property
    def scene(self) -> Scene:
        """Scene that the lamps show."""
        outcome = self.outcome
        return Scene(
            self.size,
            self.cells,
            None if outcome else self.position.to_move,
            outcome,
            self.refusal,
            self.last_turn if self.turn_is_fresh else None,
            self.changed_at,
            self.position.scored,
            self.variant.target,
            self.trouble is not None,
            self.confirm_window,
            self.unsaved_reason is not None,
            self.permission.cell if self.permission else None,
            self.permission.sign.colour if self.permission else SignColour.WHITE,
            self.position.to_move if self.game_phase in ("act", "in_hand", "take_off", "differs") else None,
        )

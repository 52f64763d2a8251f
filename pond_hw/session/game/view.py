"""View of everything that a session shows. Terminals, the protocol and the lamps use only this view."""

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
        undone_actions: Actions of undone turns, in redo order.
        game_phase: Value of `SessionState.game_phase`, or `replay`.
        in_hand: Cell of the selected or lifted piece.
        resume_prompt: `ask` while the resume prompt is open, `look` while it shows the game.
        occupancy: View of the detected pieces; None on a board with buttons.
        menu_choices: Choices of the open menu, by cell.
        lit_cells: Cells to compare with the other home of a linked game.
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
    lit_cells: tuple[Cell, ...] = ()

    @property
    def is_exercise_prompt_open(self) -> bool:
        return self.exercise is not None and self.exercise.is_asked

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """Legal actions of the side to move; empty after the game has ended or while a prompt is open."""
        is_closed = self.declared_outcome or self.resume_prompt or self.is_exercise_prompt_open
        return () if is_closed else legal_actions(self.position)

    @property
    def confirm_window(self) -> ConfirmWindow | None:
        return self.occupancy.confirm_window if self.occupancy else None

    @property
    def cells(self) -> Mapping[Cell, CellView]:
        pieces, cell_roles, overlay_cells = self.position.pieces, self._list_roles(), self._find_overlay()
        masked_cells = self.occupancy.masked_cells if self.occupancy else frozenset()
        hinted_cells = set(self.hint.action if self.hint and self.hint.action else ())
        if self.game_phase in ("act", "take_off", "in_hand"):
            hinted_cells |= set(self.exercise.lit_cells if self.exercise else self.lit_cells)
        last_target = self.last_turn.action.target if self.last_turn and self.game_phase != "menu" else None
        cell_views = {}
        for cell in self.board_grid.cells:
            shown_piece, cell_role = overlay_cells.get(cell) or (pieces.get(cell), cell_roles[cell])
            if cell in hinted_cells and cell_role in HINTABLE_ROLES:
                cell_role = CellRole.HINT
            cell_views[cell] = CellView(shown_piece, cell_role, cell == last_target, cell in masked_cells)
        return cell_views

    def _list_roles(self) -> dict[Cell, CellRole]:
        """Return the role of each cell without overlays."""
        position = self.position
        can_place_eggs = self.game_phase in ("act", "take_off") and position.spawn[position.to_move] > 0
        shown_targets = self.legal_targets if self.shows_targets else ()
        return {
            **dict.fromkeys(self.board_grid.cells, CellRole.OUTSIDE),
            **dict.fromkeys(position.grid.cells, CellRole.OPEN if can_place_eggs else CellRole.PLAIN),
            **dict.fromkeys(position.pieces, CellRole.PLAIN),
            **dict.fromkeys(shown_targets, CellRole.TARGET),
            **({self.in_hand: CellRole.CHOSEN} if self.in_hand else {}),
        }

    def _find_overlay(self) -> CellOverlay:
        """Return the overlay: choices while a prompt or menu is open, otherwise hand tasks."""
        if self.resume_prompt == "ask" or self.is_exercise_prompt_open:
            return {choice.value: (None, role) for choice, role in CHOICE_ROLES.items()}
        if self.menu_choices:
            return self._find_menu_overlay()
        overlay_cells = occupancy_overlay(self, self.occupancy) if self.occupancy and not self.resume_prompt else {}
        if action := self.warned_action:
            overlay_cells |= {action.target: (find_moved_piece(self.position, action), CellRole.WARNED)}
        return overlay_cells

    def _find_menu_overlay(self) -> CellOverlay:
        """Return an overlay that shows the menu instead of the game."""
        cell_roles = dict.fromkeys(self.position.pieces, CellRole.PLAIN)
        for cell, choice in self.menu_choices.items():
            cell_roles[cell] = CellRole.DEFAULT_CHOICE if choice.is_default else CellRole.CHOICE
        if self.occupancy and self.occupancy.picked_cell:
            cell_roles[self.occupancy.picked_cell] = CellRole.TAKE_OFF
        return {cell: (None, cell_role) for cell, cell_role in cell_roles.items()}

    @property
    def scene(self) -> Scene:
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

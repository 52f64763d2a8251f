"""In which order a search looks at the actions of a position: the most promising first.

Like rules.py this is plain typed Python which `make fast` compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import PackedRules, ones
from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

MAX_DEPTH: Final = 60
"""No line is searched further than this."""

KILLER_WORTH: Final = 1 << 31
"""How promising the last action that refuted a neighbouring line looks; the one before it looks half as good."""

REMEMBERED_WORTH: Final = 1 << 40
"""How promising the action looks that the table remembers: more than anything else."""


class ActionOrder:
    """The actions of each position on the path of a search, and what was learned of actions elsewhere.

    The lists of all plies lie in one row of numbers; that of a ply begins at `ply * 256`.

    Attributes:
        actions: the actions.
        worth: of each of them how promising it looks.
    """

    def __init__(self, rules: PackedRules) -> None:
        self.rules = rules
        self.actions: vec[i64] = zeros((MAX_DEPTH + 2) * 256)
        self.worth: vec[i64] = zeros((MAX_DEPTH + 2) * 256)
        self.killers: vec[i64] = zeros(2 * (MAX_DEPTH + 2))
        self.history: vec[i64] = zeros(2 * 1024)

    def forget_all(self) -> None:
        """Begin a new search with nothing learned."""
        self.history = zeros(2 * 1024)
        for index in range(2 * (MAX_DEPTH + 2)):
            self.killers[index] = -1

    def list_actions(self, position: PackedPosition, ply: i64, remembered_action: i64) -> i64:
        """All that can be done, and how promising each of it looks: how many; from `ply * 256` in `actions` and `worth`."""
        rules = self.rules
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        slot_index = ply * 256
        empty_cells = rules.full_mask ^ (light | dark)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0
        target_cells: i64 = empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        killer = self.killers[2 * ply]
        second_killer = self.killers[2 * ply + 1]
        while True:
            while target_cells:
                target_mask = target_cells & -target_cells
                target_cells ^= target_mask
                target_index = ones(target_mask - 1)
                action = target_index * 33 if not source_mask else target_index + 32 * ones(source_mask - 1)
                next_scored = rules.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                )[5]
                action_worth = self.history[mover * 1024 + action]
                if next_scored != scored:
                    action_worth += score_gain(scored, next_scored, mover) << 32
                elif action == killer:
                    action_worth = KILLER_WORTH
                elif action == second_killer:
                    action_worth = KILLER_WORTH >> 1
                if action == remembered_action:
                    action_worth = REMEMBERED_WORTH
                self.actions[slot_index] = action
                self.worth[slot_index] = action_worth
                slot_index += 1
            if not movable_pieces:
                return slot_index - ply * 256
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = rules.reachable_cells(source_mask, tadpoles) & empty_cells

    def move_best_forward(self, start_slot: i64, end_slot: i64) -> None:
        """Swap the most promising of these actions with the first of them."""
        best_slot = start_slot
        best_worth = self.worth[start_slot]
        for slot_index in range(start_slot + 1, end_slot):
            if self.worth[slot_index] > best_worth:
                best_slot = slot_index
                best_worth = self.worth[slot_index]
        best_action = self.actions[best_slot]
        self.actions[best_slot] = self.actions[start_slot]
        self.worth[best_slot] = self.worth[start_slot]
        self.actions[start_slot] = best_action
        self.worth[start_slot] = best_worth

    def record_cutoff(self, mover: i64, action: i64, depth: i64, ply: i64) -> None:
        """An action that refuted a line will be looked at sooner."""
        last_killer = self.killers[2 * ply]
        if action != last_killer:
            self.killers[2 * ply + 1] = last_killer
            self.killers[2 * ply] = action
        history_slot = mover * 1024 + action
        self.history[history_slot] += depth * depth
        if self.history[history_slot] > 1 << 28:
            for history_index in range(2048):
                self.history[history_index] >>= 1


def score_gain(scored: i64, next_scored: i64, mover: i64) -> i64:
    """How many pieces more than the other side the mover has scored by an action."""
    gain = (next_scored & 31) - (scored & 31) - (next_scored >> 5) + (scored >> 5)
    return -gain if mover else gain

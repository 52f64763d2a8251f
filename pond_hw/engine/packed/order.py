"""Move ordering for searches.

Like rules.py, this is typed Python that `make fast` compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import PackedRules, ones, score_gain
from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

MAX_DEPTH: Final = 60
"""Maximum length of a line, in actions."""

KILLER_PRIORITY: Final = 1 << 31
"""Priority of the latest killer action. The previous killer gets half of it."""

REMEMBERED_PRIORITY: Final = 1 << 40
"""Priority of the action from the transposition table, higher than any other."""


class ActionOrder:
    """Ordered actions of each position on the search path, with killers and history.

    The actions of a ply start at index `ply * 256`.

    Attributes:
        ranked: sort key of each action; the best action has the highest key. Starting with the lowest bits, a key contains
            the action (10 bits), the reversed list index as a tie-break (10 bits) and the priority.
    """

    def __init__(self, rules: PackedRules) -> None:
        self.rules = rules
        self.ranked: vec[i64] = zeros((MAX_DEPTH + 2) * 256)
        self.killers: vec[i64] = zeros(2 * (MAX_DEPTH + 2))
        self.history: vec[i64] = zeros(2 * 1024)

    def forget_all(self) -> None:
        self.history = zeros(2 * 1024)
        for index in range(2 * (MAX_DEPTH + 2)):
            self.killers[index] = -1

    def list_actions(self, position: PackedPosition, ply: i64, remembered_action: i64) -> i64:
        """Fill `ranked` with all legal actions, starting at `ply * 256`. Return their number."""
        rules = self.rules
        ranked = self.ranked  # saves attribute lookups
        history = self.history
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        first_slot = ply * 256
        slot_index = first_slot
        empty_cells = rules.full_mask ^ (light | dark)
        egg_targets, tadpole_targets, frog_targets = rules.scoring_targets(
            eggs, tadpoles, (light | dark) ^ eggs ^ tadpoles
        )
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0
        source_number: i64 = 0
        target_cells: i64 = empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        scoring_cells = egg_targets
        killer = self.killers[2 * ply]
        second_killer = self.killers[2 * ply + 1]
        history_start = mover * 1024
        while True:
            while target_cells:
                target_mask = target_cells & -target_cells
                target_cells ^= target_mask
                target_index = ones(target_mask - 1)
                action = target_index + source_number if source_mask else target_index * 33
                action_priority = history[history_start + action]
                next_scored = scored
                if target_mask & scoring_cells:
                    next_scored = rules.play_masks(
                        light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                    )[5]
                if next_scored != scored:
                    action_priority += score_gain(scored, next_scored, mover) << 32
                elif action == killer:
                    action_priority = KILLER_PRIORITY
                elif action == second_killer:
                    action_priority = KILLER_PRIORITY >> 1
                if action == remembered_action:
                    action_priority = REMEMBERED_PRIORITY
                ranked[slot_index] = (action_priority << 10 | 1023 - slot_index + first_slot) << 10 | action
                slot_index += 1
            if not movable_pieces:
                return slot_index - first_slot
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            source_number = 32 * ones(source_mask - 1)
            scoring_cells = tadpole_targets if source_mask & tadpoles else frog_targets
            target_cells = rules.reachable_cells(source_mask, tadpoles) & empty_cells

    def take_best(self, start_slot: i64, end_slot: i64) -> i64:
        """Swap the best action in a range to its start. Return its entry in `ranked`."""
        ranked = self.ranked
        best_slot = start_slot
        first = ranked[start_slot]
        best = first
        for slot_index in range(start_slot + 1, end_slot):
            word = ranked[slot_index]
            if word > best:
                best_slot = slot_index
                best = word
        ranked[best_slot] = first
        ranked[start_slot] = best
        return best

    def record_cutoff(self, mover: i64, action: i64, depth: i64, ply: i64) -> None:
        last_killer = self.killers[2 * ply]
        if action != last_killer:
            self.killers[2 * ply + 1] = last_killer
            self.killers[2 * ply] = action
        history_slot = mover * 1024 + action
        self.history[history_slot] += depth * depth
        if self.history[history_slot] > 1 << 28:
            for history_index in range(2048):
                self.history[history_index] >>= 1

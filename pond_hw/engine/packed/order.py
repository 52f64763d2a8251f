"""What to look at first: the order in which a search takes the actions of a position.

Like rules.py this is plain typed Python which `make fast` compiles.
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
"""No line is searched further than this."""

KILLER_WORTH: Final = 1 << 31
"""How promising the last action that refuted a neighbouring line looks; the one before it looks half as good."""

REMEMBERED_WORTH: Final = 1 << 40
"""How promising the action looks that the table remembers: more than anything else."""


class ActionOrder:
    """The actions of each position on the path of a search, and what was learned of actions elsewhere.

    The lists of all plies lie in one row of numbers; that of a ply begins at `ply * 256`.

    Attributes:
        ranked: a number for each action, the larger the sooner it is to be looked at. From its lowest bits: the action (10
            bits), of equal worth whatever comes first in the list (10), and how promising it looks.
    """

    def __init__(self, rules: PackedRules) -> None:
        self.rules = rules
        self.ranked: vec[i64] = zeros((MAX_DEPTH + 2) * 256)
        self.killers: vec[i64] = zeros(2 * (MAX_DEPTH + 2))
        self.history: vec[i64] = zeros(2 * 1024)

    def forget_all(self) -> None:
        """Begin a new search with nothing learned."""
        self.history = zeros(2 * 1024)
        for index in range(2 * (MAX_DEPTH + 2)):
            self.killers[index] = -1

    def list_actions(self, position: PackedPosition, ply: i64, remembered_action: i64) -> i64:
        """All that can be done, and how promising each of it looks: how many; from `ply * 256` in `ranked`."""
        rules = self.rules
        ranked = self.ranked  # looked up once
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
                action_worth = history[history_start + action]
                next_scored = scored
                if target_mask & scoring_cells:
                    next_scored = rules.play_masks(
                        light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                    )[5]
                if next_scored != scored:
                    action_worth += score_gain(scored, next_scored, mover) << 32
                elif action == killer:
                    action_worth = KILLER_WORTH
                elif action == second_killer:
                    action_worth = KILLER_WORTH >> 1
                if action == remembered_action:
                    action_worth = REMEMBERED_WORTH
                ranked[slot_index] = (action_worth << 10 | 1023 - slot_index + first_slot) << 10 | action
                slot_index += 1
            if not movable_pieces:
                return slot_index - first_slot
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            source_number = 32 * ones(source_mask - 1)
            scoring_cells = tadpole_targets if source_mask & tadpoles else frog_targets
            target_cells = rules.reachable_cells(source_mask, tadpoles) & empty_cells

    def take_best(self, start_slot: i64, end_slot: i64) -> i64:
        """Swap the most promising of these actions with the first of them; its number in `ranked`."""
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

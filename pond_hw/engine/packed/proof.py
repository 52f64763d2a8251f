"""Proofs that a side can force a win within a given number of its own actions.

The search is exhaustive. The *attacker* needs one winning action; all replies of the *defender* must lose. As in the
rules, a side wins if the target is reached and it has the higher score, or if its opponent has no legal action. Draws
and repetitions do not count as wins.

Results are stored by position and attacker: the smallest number of own actions known to suffice, and the largest number
known to be too few. Like rules.py, this is typed Python that `make fast` compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.order import ActionOrder
from pond_hw.engine.packed.rules import DARK_WINS, LIGHT_WINS, UNDECIDED, PackedRules
from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

MAX_OWN_ACTIONS: Final = 20
"""Maximum length of a proof, in actions of the winner."""

NEVER: Final = 63
"""Table value for positions where no number of own actions is known to suffice."""

DEFENDER_BITS: Final = 0x1B873593CC9E2D51
"""Bits that are flipped in the key of a position if the defender is to move."""


class ProofSearch:
    """Search for forced wins in one variant.

    Args:
        rules: packed rules.
        table_size: number of positions in the table, a power of two. Each takes 16 bytes when compiled.

    Attributes:
        nodes: number of nodes since `begin_proof`.
        stopped: True if the node limit was reached. A result of False is then inconclusive.
    """

    def __init__(self, rules: PackedRules, table_size: int) -> None:
        self.rules = rules
        self.order = ActionOrder(rules)
        self.keys: vec[i64] = zeros(table_size)
        self.words: vec[i64] = zeros(table_size)
        self.mask: i64 = table_size - 1
        self.nodes: i64 = 0
        self.max_nodes: i64 = 0
        self.stopped: bool = False

    def begin_proof(self, max_nodes: int) -> None:
        """Reset the node counter and set its limit. Earlier results stay in the table."""
        self.order.forget_all()
        self.nodes = 0
        self.max_nodes = max_nodes
        self.stopped = False

    def can_win(self, position: PackedPosition, own_actions: i64) -> bool:
        """Return True if the side to move can force a win within `own_actions` (1 to `MAX_OWN_ACTIONS`) of its actions."""
        return self._attack(position, own_actions, 1)

    def must_lose(self, position: PackedPosition, their_actions: i64) -> bool:
        """Return True if the other side can force a win within this many of its actions.

        In a finished game, return True if the other side has won.
        """
        outcome = self.rules.outcome(position)
        if outcome != UNDECIDED:
            return outcome == (LIGHT_WINS if position[6] else DARK_WINS)
        return their_actions > 0 and self._defend(position, their_actions, 1)

    def _attack(self, position: PackedPosition, own_actions: i64, ply: i64) -> bool:
        rules = self.rules
        if self._wins_at_once(position):
            return True
        if own_actions <= 1:
            return False
        key = rules.position_key(position)
        known = self._find_known(key)
        if known & 63 <= own_actions:
            return True
        if known >> 6 & 63 >= own_actions:
            return False
        first_slot = ply * 256
        action_count = self.order.list_actions(position, ply, (known >> 12) - 1)
        for index in range(action_count):
            action = self.order.take_best(first_slot + index, first_slot + action_count) & 1023
            next_position = rules.play_action(position, action)
            if rules.is_over(next_position[5]):
                continue  # not a win: `_wins_at_once` has found none
            if self._defend(next_position, own_actions - 1, ply + 1):
                self.order.record_cutoff(position[6], action, own_actions, ply)
                self._store_known(key, own_actions, known >> 6 & 63, action)
                return True
            if self.stopped:
                return False
        self._store_known(key, known & 63, own_actions, (known >> 12) - 1)
        return False

    def _wins_at_once(self, position: PackedPosition) -> bool:
        rules = self.rules
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.stopped = True
            return False
        empty_cells = rules.full_mask ^ (light | dark)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0
        target_cells: i64 = empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while target_cells:
                target_mask = target_cells & -target_cells
                target_cells ^= target_mask
                light_2, dark_2, eggs_2, tadpoles_2, spawn_2, scored_2, mover_2 = rules.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                )
                if rules.is_over(scored_2):
                    light_scored = scored_2 & 31
                    dark_scored = scored_2 >> 5
                    if dark_scored > light_scored if mover else light_scored > dark_scored:
                        return True
                elif not rules.count_masked(light_2, dark_2, eggs_2, tadpoles_2, spawn_2, scored_2, mover_2):
                    return True
            if not movable_pieces:
                return False
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = rules.reachable_cells(source_mask, tadpoles) & empty_cells

    def _defend(self, position: PackedPosition, their_actions: i64, ply: i64) -> bool:
        rules = self.rules
        key = rules.position_key(position) ^ DEFENDER_BITS
        known = self._find_known(key)
        if known & 63 <= their_actions:
            return True
        if known >> 6 & 63 >= their_actions:
            return False
        mover = position[6]
        first_slot = ply * 256
        action_count = self.order.list_actions(position, ply, (known >> 12) - 1)
        for index in range(action_count):
            action = self.order.take_best(first_slot + index, first_slot + action_count) & 1023
            next_position = rules.play_action(position, action)
            outcome = rules.outcome(next_position)
            if outcome == UNDECIDED:
                loses = self._attack(next_position, their_actions, ply + 1)
            else:
                loses = outcome == (LIGHT_WINS if mover else DARK_WINS)
            if self.stopped:
                return False
            if not loses:
                self.order.record_cutoff(mover, action, their_actions, ply)
                self._store_known(key, known & 63, their_actions, action)
                return False
        self._store_known(key, their_actions, known >> 6 & 63, -1)
        return True

    def _find_known(self, key: i64) -> i64:
        """Return the stored result: enough + 64 * too few + 4096 * (1 + decisive action)."""
        slot = key & self.mask
        return self.words[slot] if self.keys[slot] == key and self.words[slot] else NEVER

    def _store_known(self, key: i64, enough: i64, too_few: i64, action: i64) -> None:
        """Store a result in place of the entry that took less work."""
        slot = key & self.mask
        self.keys[slot] = key
        self.words[slot] = enough | too_few << 6 | action + 1 << 12

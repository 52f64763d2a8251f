"""Proofs: can the side to move win within so many of its own actions, whatever the other side does?

Nothing is judged here and nothing is left out. The side that wants to win, the *attacker*, needs one action that does
it; against that, every answer of the *defender* must lose. A win is what the rules call one: enough scored and more than
the other side, or the other side has no legal action. A draw is no win, and neither is a position that comes up again.

What has been proven is kept in a table, by the position and by whose proof it is: the smallest number of own actions
that is known to be enough, and the largest that is known to be too few. Like rules.py this is plain typed Python which
`make fast` compiles.
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

MOST_OWN_ACTIONS: Final = 20
"""No proof is asked for longer wins."""

NEVER: Final = 63
"""In the table: no number of own actions is known to be enough."""

DEFENDER_BITS: Final = 0x1B873593CC9E2D51
"""What tells the key of a position where the defender is to move from that of the same one for an attacker."""


class ProofSearch:
    """Proves forced wins on one pond.

    Args:
        rules: of the pond.
        places: how many positions the table holds, a power of two; each takes 16 bytes compiled.

    Attributes:
        nodes: positions looked at since `begin_proof`.
        stopped: whether there were too many; then a False is no answer.
    """

    def __init__(self, rules: PackedRules, places: int) -> None:
        self.rules = rules
        self.order = ActionOrder(rules)
        self.keys: vec[i64] = zeros(places)
        self.words: vec[i64] = zeros(places)
        self.mask: i64 = places - 1
        self.nodes: i64 = 0
        self.most: i64 = 0
        self.stopped: bool = False

    def begin_proof(self, max_nodes: int) -> None:
        """Allow so many positions from now on; what was proven before stays known."""
        self.order.forget_all()
        self.nodes = 0
        self.most = max_nodes
        self.stopped = False

    def can_win(self, position: PackedPosition, own_actions: i64) -> bool:
        """Whether the side to move wins within so many own actions, from 1 to `MOST_OWN_ACTIONS`, against every answer."""
        return self._attack(position, own_actions, 1)

    def must_lose(self, position: PackedPosition, their_actions: i64) -> bool:
        """Whether the other side wins within so many of its actions, whatever the side to move does.

        In a position that is over it is whether the other side has won.
        """
        outcome = self.rules.outcome(position)
        if outcome != UNDECIDED:
            return outcome == (LIGHT_WINS if position[6] else DARK_WINS)
        return their_actions > 0 and self._defend(position, their_actions, 1)

    def _attack(self, position: PackedPosition, own_actions: i64, ply: i64) -> bool:
        """As `can_win`; the position is not over."""
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
                continue  # it does not win: see above
            if self._defend(next_position, own_actions - 1, ply + 1):
                self.order.record_cutoff(position[6], action, own_actions, ply)
                self._store_known(key, own_actions, known >> 6 & 63, action)
                return True
            if self.stopped:
                return False
        self._store_known(key, known & 63, own_actions, (known >> 12) - 1)
        return False

    def _wins_at_once(self, position: PackedPosition) -> bool:
        """Whether one action wins."""
        rules = self.rules
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        self.nodes += 1
        if self.nodes > self.most:
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
        """As `must_lose`; the position is not over, and they have an action left."""
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
        """What is known of a position: enough + 64 * too few + 4096 * (1 + the action that decided)."""
        slot = key & self.mask
        return self.words[slot] if self.keys[slot] == key and self.words[slot] else NEVER

    def _store_known(self, key: i64, enough: i64, too_few: i64, action: i64) -> None:
        """Put it where another one of less work may be."""
        slot = key & self.mask
        self.keys[slot] = key
        self.words[slot] = enough | too_few << 6 | action + 1 << 12

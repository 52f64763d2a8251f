"""Exact solver for ponds of size 3. It finds the result of every reachable position and the number of actions to the end.

The search is exhaustive. The largest relevant ponds have some tens of millions of positions, counting each set of
symmetric positions once.

Eggs never return to the spawn, and scored pieces never return to the board. Positions with the same spawns and scores
therefore form a *layer*. A turn either stays in its layer (a move without a score) or leaves it for a later one. There
are two passes:

- `explore_layer` runs from the first layer to the last and finds all positions reachable from earlier layers.
- `solve_layer` runs from the last layer to the first (retrograde analysis). The results of later layers are known. Within
  a layer, a position is won if any action leads to a lost one, and lost if all actions lead to won ones. Positions
  nearest to the end are settled first, which gives the shortest wins and the longest losses. Positions that are never
  settled are drawn by repetition.

A position is stored as a number; see solver_layers.py. Swapping the colours and the mover gives an equivalent position.
The stored one has light as the side with more eggs in the spawn; if equal, the side with the higher score; if equal
again, the mover. Like rules.py, this is typed Python that `make fast` compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import PackedRules
from pond_hw.engine.packed.solver_layers import KEY_MASK, ONE_MASK, SolverLayer, SquareImages
from pond_hw.engine.packed.table import WIN_VALUE, zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

NOTE_SHIFT: Final = 38

IS_WON: Final = 1
IS_LOST: Final = 2
SETTLED: Final = 4
"""Flag of a final note. In other notes, the distance (in the bits above) may still decrease."""

MAX_DISTANCE: Final = 999
"""Maximum number of actions to the end, so that the value of a win is never below `table.MIN_WIN_VALUE`."""

ENDED_LAYER: Final = -1

PROGRESS_MASK: Final = (1 << 13) - 1
"""Mask for the position counter, so that progress is reported once every 8192 positions."""


class ExactSolver:
    """Solver for a pond of size 3.

    Args:
        rules: packed rules.
        spawn_size: number of eggs per side at the start.

    Attributes:
        positions: number of positions found in unfinished games. Symmetric or colour-swapped positions count once.
        table_size: total size of all tables; each slot takes 8 bytes when compiled.
        explored, solved: True when the first or second pass is complete.
        found, done: progress of the two passes: number of positions expanded, and number of steps of the second pass, up to
            2 * `positions`.
        on_progress: called regularly.
        longest_win: number of actions in the longest forced win from any position.
    """

    def __init__(self, rules: PackedRules, spawn_size: int) -> None:
        self.rules = rules
        self.square = SquareImages()
        self.spawns: i64 = spawn_size + 1
        self.no_layer = SolverLayer(0, 0, ENDED_LAYER)
        self.layers = [self.no_layer] * (self.spawns * self.spawns * rules.target * rules.target)
        # Turns that leave a layer reach one with fewer eggs or more scored pieces.
        eggs, scores = range(spawn_size + 1), range(rules.target)
        layer_pairs = sorted(
            product(eggs, eggs, scores, scores), key=lambda pairs: (-pairs[0] - pairs[1], pairs[2] + pairs[3])
        )
        self.order = [self._layer_index(pairs[0] + 32 * pairs[1], pairs[2] + 32 * pairs[3]) for pairs in layer_pairs]
        self.known: list[SolverLayer] = []
        self.next: i64 = 0
        self.found_layer: i64 = 0
        self.keys: vec[i64] = zeros(256)
        self.layer_indices: vec[i64] = zeros(256)
        self.unsettled_counts: vec[i64] = zeros(MAX_DISTANCE + 3)
        self.unsettled_total: i64 = 0
        self.positions: i64 = 0
        self.table_size: i64 = 0
        self.found: i64 = 0
        self.done: i64 = 0
        self.on_progress: Callable[[], object] = bool
        self.explored: bool = False
        self.solved: bool = False
        self.longest_win: i64 = 0
        key = self._locate_position(rules.start_position(spawn_size))
        self.layers[self.found_layer].add_position(key)

    def explore_layer(self) -> bool:
        """Find all positions of the next layer. Return False if there are no more layers."""
        while self.next < len(self.order):
            layer = self.layers[self.order[self.next]]
            self.next += 1
            if layer is not self.no_layer:
                self.known.append(layer)
                self._explore_positions(layer)
                return True
        self.explored = True
        return False

    def solve_layer(self) -> bool:
        """Settle all positions of the previous layer. Return False if there are no more layers."""
        if not self.explored:
            raise ValueError("explore first")
        if not self.known:
            self.solved = True
            return False
        self._solve_positions(self.known.pop())
        return True

    def position_value(self, position: PackedPosition) -> i64:
        """Return the value for the side to move, as in `PackedSearch`: 0 for a draw, `WIN_VALUE` minus the actions to a win.

        Raises:
            KeyError: the position is unreachable, or the pond is not solved.
        """
        spawn, scored, mover = position[4], position[5], position[6]
        position_note: i64 = -1
        if self.rules.is_over(scored):
            position_note = self._ended_note(scored, mover)
        elif self.solved and spawn & 31 < self.spawns and spawn >> 5 < self.spawns:
            key = self._locate_position(position)
            layer = self.layers[self.found_layer]
            table_word = layer.words[layer.find_slot(key)]
            if table_word:
                position_note = table_word >> NOTE_SHIFT
        if position_note < 0:
            raise KeyError("unreachable position, or the pond is not solved")
        if position_note & IS_WON:
            return WIN_VALUE - (position_note >> 3)
        if position_note & IS_LOST:
            return (position_note >> 3) - WIN_VALUE
        return 0

    def action_values(self, position: PackedPosition) -> list[i64]:
        """Return the value of each legal action, in the order of `PackedRules.legal_actions`, for the side to move."""
        actions = self.rules.legal_actions(position)
        next_values = [self.position_value(self.rules.play_action(position, action)) for action in actions]
        # seen by the opponent, one action later
        return [-value + (1 if value > 0 else -1 if value < 0 else 0) for value in next_values]

    def best_actions(self, position: PackedPosition) -> list[i64]:
        action_values = self.action_values(position)
        best_value = max(action_values, default=0)
        legal_actions = self.rules.legal_actions(position)
        return [action for action, value in zip(legal_actions, action_values, strict=True) if value == best_value]

    def _locate_position(self, position: PackedPosition) -> i64:
        """Return the key of a position and set `found_layer` to the index of its layer. While exploring, create missing layers."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        light_lead = 32 * ((spawn & 31) - (spawn >> 5)) + (scored & 31) - (scored >> 5)
        if light_lead < 0:
            light, dark = dark, light
            spawn = spawn >> 5 | (spawn & 31) << 5
            scored = scored >> 5 | (scored & 31) << 5
            mover = 1 - mover
        self.found_layer = self._layer_index(spawn, scored)
        if not self.explored and self.layers[self.found_layer] is self.no_layer:
            self.layers[self.found_layer] = SolverLayer(spawn, scored, self.found_layer)
        return self.square.canonical_key(light, dark, eggs, tadpoles, mover, 0 if light_lead else 1)

    # Layers

    def _layer_index(self, spawn: i64, scored: i64) -> i64:
        spawns, target = self.spawns, self.rules.target
        return (((spawn & 31) * spawns + (spawn >> 5)) * target + (scored & 31)) * target + (scored >> 5)

    def _explore_positions(self, layer: SolverLayer) -> None:
        """Expand all positions of a layer, including those found on the way."""
        waiting_keys = [table_word for table_word in layer.words if table_word]
        while waiting_keys:
            successor_count = self._fill_successors(waiting_keys.pop(), layer)
            self.found += 1
            if not self.found & PROGRESS_MASK:
                self.on_progress()
            for successor_index in range(successor_count):
                position_key = self.keys[successor_index]
                layer_index = self.layer_indices[successor_index]
                if layer_index != ENDED_LAYER:
                    is_new = self.layers[layer_index].add_position(position_key)
                    if is_new and layer_index == layer.index:
                        waiting_keys.append(position_key)
        self.positions += layer.position_count
        self.table_size += layer.mask + 1

    def _solve_positions(self, layer: SolverLayer) -> None:
        """Settle the positions of a layer in order of their distance to the end."""
        end_count = self.done + 2 * layer.position_count
        for slot_index in range(layer.mask + 1):
            position_key = layer.words[slot_index]
            if position_key:
                self._count_step()
                position_note = self._judge_position(position_key, layer)
                if position_note:
                    self._write_note(layer, slot_index, position_note)
        distance: i64 = 0
        while self.unsettled_total:
            if distance > MAX_DISTANCE:
                raise OverflowError("a game that takes more actions than this was made for")
            if self.unsettled_counts[distance]:
                for slot_index in range(layer.mask + 1):
                    table_word = layer.words[slot_index]
                    position_note = table_word >> NOTE_SHIFT
                    if position_note and position_note >> 3 == distance and not position_note & SETTLED:
                        self._write_note(layer, slot_index, position_note | SETTLED)
                        self._count_step()
                        self._update_predecessors(table_word & KEY_MASK, position_note, layer)
                if distance > self.longest_win:
                    self.longest_win = distance
            distance += 1
        self.done = end_count

    def _write_note(self, layer: SolverLayer, slot_index: i64, new_note: i64) -> None:
        """Set the note of an unsettled position, and update the counts of unsettled notes."""
        table_word = layer.words[slot_index]
        old_note = table_word >> NOTE_SHIFT
        if old_note:
            self.unsettled_counts[old_note >> 3] -= 1
            self.unsettled_total -= 1
        if not new_note & SETTLED:
            self.unsettled_counts[new_note >> 3] += 1
            self.unsettled_total += 1
        layer.words[slot_index] = table_word & KEY_MASK | new_note << NOTE_SHIFT

    def _count_step(self) -> None:
        self.done += 1
        if not self.done & PROGRESS_MASK:
            self.on_progress()

    def _update_predecessors(self, key: i64, settled_note: i64, layer: SolverLayer) -> None:
        """Update the predecessors of a settled position within its layer."""
        distance = settled_note >> 3
        predecessor_count = self._fill_predecessors(key, layer.alike)
        # A copy, because `_judge_position` overwrites it.
        for earlier_key in [self.keys[key_index] for key_index in range(predecessor_count)]:
            slot_index = layer.find_slot(earlier_key)
            table_word = layer.words[slot_index]
            old_note = table_word >> NOTE_SHIFT
            if not table_word or old_note & SETTLED:
                continue
            if settled_note & IS_LOST:
                new_note = distance + 1 << 3 | IS_WON
                if not old_note or old_note > new_note:
                    self._write_note(layer, slot_index, new_note)
            elif not old_note:
                new_note = self._judge_position(earlier_key, layer)
                if new_note:
                    self._write_note(layer, slot_index, new_note)

    def _judge_position(self, key: i64, layer: SolverLayer) -> i64:
        """Return an unsettled note derived from the settled successors of a position, or 0 if they do not decide it."""
        successor_count = self._fill_successors(key, layer)
        if not successor_count:
            return IS_LOST
        shortest_loss: i64 = MAX_DISTANCE + 1
        longest_win: i64 = 0
        is_open = False
        for successor_index in range(successor_count):
            layer_index = self.layer_indices[successor_index]
            successor_note = self.keys[successor_index]
            if layer_index != ENDED_LAYER:
                successor_layer = self.layers[layer_index]
                successor_note = successor_layer.words[successor_layer.find_slot(successor_note)] >> NOTE_SHIFT
            distance = successor_note >> 3
            if not successor_note & SETTLED:
                is_open = True
            elif successor_note & IS_WON:
                if distance > longest_win:
                    longest_win = distance
            elif distance < shortest_loss:
                shortest_loss = distance
        if shortest_loss <= MAX_DISTANCE:
            return shortest_loss + 1 << 3 | IS_WON
        return 0 if is_open else longest_win + 1 << 3 | IS_LOST

    def _ended_note(self, scored: i64, mover: i64) -> i64:
        light_scored = scored & 31
        dark_scored = scored >> 5
        if light_scored == dark_scored:
            return 0
        return SETTLED | (IS_WON if (light_scored > dark_scored) == (mover == 0) else IS_LOST)

    # Turns, forwards and backwards

    def _fill_successors(self, key: i64, layer: SolverLayer) -> i64:
        """Fill `keys` with the successors of a position and `layer_indices` with their layers. Return their number.

        For a finished game, the key is its encoded result and the layer is `ENDED_LAYER`.
        """
        rules = self.rules
        light = key & ONE_MASK
        dark = key >> 9 & ONE_MASK
        eggs = key >> 18 & ONE_MASK
        tadpoles = key >> 27 & ONE_MASK
        mover = key >> 36 & 1
        spawn = layer.spawn
        scored = layer.scored
        action_count: i64 = 0
        empty_cells = rules.full_mask ^ (light | dark)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0
        target_cells: i64 = empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while target_cells:
                target_mask = target_cells & -target_cells
                target_cells ^= target_mask
                next_position = rules.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                )
                if rules.is_over(next_position[5]):
                    self.keys[action_count] = self._ended_note(next_position[5], next_position[6])
                    self.layer_indices[action_count] = ENDED_LAYER
                else:
                    self.keys[action_count] = self._locate_position(next_position)
                    self.layer_indices[action_count] = self.found_layer
                action_count += 1
            if not movable_pieces:
                return action_count
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = rules.reachable_cells(source_mask, tadpoles) & empty_cells

    def _fill_predecessors(self, key: i64, equal_pairs: i64) -> i64:
        """Fill `keys` with the positions from which a non-scoring move leads to this one. Return their number.

        Moves are reversible: the moved piece can have come from any empty cell in reach. Its neighbours regress by one symbol.
        Some of these positions may be unreachable.
        """
        rules = self.rules
        size = rules.size
        light = key & ONE_MASK
        dark = key >> 9 & ONE_MASK
        eggs = key >> 18 & ONE_MASK
        tadpoles = key >> 27 & ONE_MASK
        mover = 1 - (key >> 36 & 1)
        all_pieces = light | dark
        empty_cells = rules.full_mask ^ all_pieces
        frog_mask = all_pieces ^ eggs ^ tadpoles
        movable_pieces = (dark if mover else light) & ~eggs
        action_count: i64 = 0
        while movable_pieces:
            target_mask = movable_pieces & -movable_pieces
            movable_pieces ^= target_mask
            neighbour_cells = (
                target_mask << 1 & rules.not_first
                | target_mask >> 1 & rules.not_last
                | target_mask << size
                | target_mask >> size
            )
            younger_eggs = eggs & ~neighbour_cells | tadpoles & neighbour_cells
            younger_tadpoles = tadpoles & ~neighbour_cells | frog_mask & neighbour_cells
            source_cells = rules.reachable_cells(target_mask, tadpoles) & empty_cells
            while source_cells:
                source_mask = source_cells & -source_cells
                source_cells ^= source_mask
                stepped_cells = source_mask | target_mask
                self.keys[action_count] = self.square.canonical_key(
                    light if mover else light ^ stepped_cells,
                    dark ^ stepped_cells if mover else dark,
                    younger_eggs,
                    younger_tadpoles ^ stepped_cells if target_mask & tadpoles else younger_tadpoles,
                    mover,
                    equal_pairs,
                )
                action_count += 1
        return action_count

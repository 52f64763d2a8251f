"""Alpha-beta search for Pond.

- *window* (alpha, beta): values that the two sides can already get elsewhere. Lines outside it need no further search.
- *iterative deepening*: shallow searches are cheap and improve the order of actions in deeper ones.
- *transposition table*: a position that can be reached by several orders of actions is searched only once.
- *move order*: the table's action, which is tried before the others are even listed, then scoring actions, *killers*
  that refuted a neighbouring line, and the *history* of good actions. See order.py.
- *principal variation search*: only the first action gets a full window; a null window tests whether others are better.
- *late move reduction*: late actions are searched less deeply, unless they turn out better than expected.
- *far ahead*: near the end of a line, a side whose static value is well above the window is assumed to stay there.
- *far behind*: the further a side is below the window, the fewer of its quiet actions are tried.
- *quiescence*: scoring actions are searched beyond the nominal depth.

Values are in hundredths of a scored piece, as seen by the side to move. Values of `MIN_WIN_VALUE` and above are forced
wins: `WIN_VALUE` minus the number of actions to the end. Repetitions count as draws.

Like rules.py, this is typed Python that `make fast` compiles; the notes there apply here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.evaluation import LearnedEvaluation
from pond_hw.engine.packed.order import KILLER_PRIORITY, MAX_DEPTH, REMEMBERED_PRIORITY, ActionOrder
from pond_hw.engine.packed.rules import DARK_WINS, DRAWN, PackedRules, score_gain
from pond_hw.engine.packed.table import (
    MIN_WIN_VALUE,
    UNKNOWN_VALUE,
    WIN_VALUE,
    TranspositionTable,
    bound_kind,
    entry_action,
    entry_value,
    zeros,
)

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

PIECE_VALUE: Final = 100
"""Value of being one scored piece ahead."""

MOBILITY_VALUE: Final = 3

EXCHANGE_DEPTH: Final = 4
"""Maximum depth of the quiescence search."""

SORTED_ACTIONS: Final = 8
"""Number of actions per position that are sorted; the rest keep their order."""

PRUNING_DEPTH: Final = 6
"""Maximum remaining depth at which static values are used for pruning."""

AHEAD_MARGIN: Final = 100
"""Margin above the window, per remaining action, that is needed for pruning."""

QUIET_ACTIONS: Final = 16
"""Number of actions after which quiet ones are skipped if the static value is not above the window."""

QUIET_STEP: Final = 50
"""Deficit that halves the number of quiet actions tried. At least one is always tried."""

MAX_NODES: Final = 1 << 60
"""Node limit that is never reached."""


class PackedSearch:
    """Search engine for one variant.

    Args:
        rules: packed rules.
        table_size: number of positions in the table, a power of two. Each takes 16 bytes when compiled.
        learned: learned evaluation; None to use `PIECE_VALUE` and `MOBILITY_VALUE`.

    Attributes:
        nodes: number of nodes since `begin_search`.
        actions: actions of the root, best first.
        values: values of `actions`: exact for the first and those within `margin` of it, upper bounds for the others.
        finished_depth: last completed depth.
        stopped: True if the last search was stopped.
        draw_value: value of a draw for the side to move at the root; negative to avoid draws.
        is_selective: True to reduce late actions and, with a learned evaluation, to prune. Otherwise values are exact.
    """

    def __init__(self, rules: PackedRules, table_size: int, learned: LearnedEvaluation | None = None) -> None:
        self.rules = rules
        self.learned = learned
        self.table = TranspositionTable(table_size)
        self.order = ActionOrder(rules)
        self.path: vec[i64] = zeros(1024)
        self.past: i64 = 0
        self.root: PackedPosition = rules.start_position(1)
        self.nodes: i64 = 0
        self.max_nodes: i64 = 0
        self.node_interval: i64 = 1
        self.next_poll: i64 = 0
        self.margin: i64 = 0
        self.draw_value: i64 = 0
        self.stopped: bool = False
        self.is_selective: bool = True
        self.stop: Callable[[], bool] = bool
        self.actions: list[i64] = []
        self.values: list[i64] = []
        self.finished_depth: i64 = 0

    def begin_search(
        self,
        position: PackedPosition,
        past_keys: list[i64],
        should_stop: Callable[[], bool],
        max_nodes: int = 0,
        node_interval: int = 4096,
        value_margin: int = 0,
        keep_table: bool = False,
        draw_value: int = 0,
    ) -> None:
        """Prepare to search a position of a game in progress.

        Args:
            position: root position.
            past_keys: keys of the game's earlier positions; the last 500 are used.
            should_stop: polled regularly; the search stops when it returns True.
            max_nodes: node limit, with reproducible results; 0 for no limit.
            node_interval: number of nodes between two calls of `should_stop`.
            value_margin: values within this margin of the best value are exact.
            keep_table: True to reuse the table of earlier searches.
            draw_value: see the attribute.
        """
        self.root = position
        self.past = 0
        for key in past_keys[-500:]:
            self.path[self.past] = key
            self.past += 1
        if not keep_table:
            self.table.forget_all()
        self.order.forget_all()
        self.nodes = 0
        self.max_nodes = max_nodes or MAX_NODES
        self.node_interval = node_interval
        self.next_poll = node_interval
        self.margin = value_margin
        self.draw_value = draw_value
        self.stopped = False
        self.stop = should_stop
        self.finished_depth = 0
        self.actions = self.rules.legal_actions(position)
        self.values = [0] * len(self.actions)

    def search_depth(self, depth: i64) -> bool:
        """Search all root actions to this depth, in the order of the previous result.

        Returns:
            True if completed. Otherwise `actions` and `values` hold the partial result.
        """
        self.path[self.past] = self.rules.position_key(self.root)
        searched_pairs: list[tuple[i64, i64]] = []  # value, action
        best_value: i64 = -WIN_VALUE
        for action in self.actions:
            next_position = self.rules.play_action(self.root, action)
            repeat_start: i64 = 0 if next_position[4:6] == self.root[4:6] else self.past + 1
            # Values below the margin may stay unknown.
            window_floor: i64 = best_value - self.margin - 1 if self.margin else best_value
            if window_floor < -WIN_VALUE:
                window_floor = -WIN_VALUE
            child_alpha: i64 = -best_value - 1 if searched_pairs and not self.margin else -WIN_VALUE
            value = -self._search_value(next_position, depth - 1, child_alpha, -window_floor, 1, repeat_start)
            if value > best_value and child_alpha > -WIN_VALUE and not self.stopped:
                value = -self._search_value(next_position, depth - 1, -WIN_VALUE, -best_value, 1, repeat_start)
            if self.stopped:
                break
            if value > best_value:
                best_value = value
            searched_pairs.append((value, action))
        if searched_pairs:
            searched_count = len(searched_pairs)
            actions_left, known_values = self.actions[searched_count:], self.values[searched_count:]
            self._rank_pairs(searched_pairs)
            if actions_left and best_value <= -MIN_WIN_VALUE and known_values[0] > best_value:
                # All searched actions lose. The value of the others is unknown; keep their previous values as upper
                # bounds.
                self.actions, self.values = actions_left + self.actions, known_values + self.values
            else:
                self.actions += actions_left
                self.values += [-WIN_VALUE] * len(actions_left)
        if not self.stopped:
            self.finished_depth = depth
        return not self.stopped

    def rank_actions(self) -> None:
        """Rank the root actions by the static value of the position after each of them."""
        valued_pairs: list[tuple[i64, i64]] = []
        for action in self.actions:
            next_position = self.rules.play_action(self.root, action)
            outcome_code = self.rules.outcome(next_position)
            self.nodes += 1
            if outcome_code == DRAWN:
                action_value: i64 = self.draw_value
            elif outcome_code:
                action_value = WIN_VALUE - 1 if (outcome_code == DARK_WINS) == (self.root[6] == 1) else 1 - WIN_VALUE
            else:
                action_value = -self.evaluate_position(next_position, self.rules.count_actions(next_position))
            valued_pairs.append((action_value, action))
        self._rank_pairs(valued_pairs)

    def _rank_pairs(self, valued_pairs: list[tuple[i64, i64]]) -> None:
        valued_pairs.sort(key=lambda pair: -pair[0])
        self.values = [pair[0] for pair in valued_pairs]
        self.actions = [pair[1] for pair in valued_pairs]

    def principal_variation(self, max_length: i64) -> list[i64]:
        """Return the expected line from the table, with at most `max_length` actions."""
        if not self.actions:
            return []
        best_line = [self.actions[0]]
        position = self.rules.play_action(self.root, best_line[0])
        seen_keys = [self.rules.position_key(self.root)]
        while len(best_line) < max_length:
            position_key = self.rules.position_key(position)
            entry = self.table.find_entry(position_key)
            action = entry_action(entry) if entry else -1
            if position_key in seen_keys or action < 0 or action not in self.rules.legal_actions(position):
                break
            seen_keys.append(position_key)
            best_line.append(action)
            position = self.rules.play_action(position, action)
        return best_line

    def evaluate_position(self, position: PackedPosition, action_count: i64) -> i64:
        """Return the static value of a position for the side to move, which has `action_count` legal actions."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        opponent_actions = self.rules.count_masked(light, dark, eggs, tadpoles, spawn, scored, 1 - mover)
        value = PIECE_VALUE * score_gain(0, scored, mover)
        if self.learned is None:
            return value + MOBILITY_VALUE * (action_count - opponent_actions)
        return value + self.learned.evaluate(
            light, dark, eggs, tadpoles, spawn, scored, mover, action_count, opponent_actions
        )

    # Internals

    def _ended_value(self, scored: i64, mover: i64, ply: i64) -> i64:
        score_lead = score_gain(0, scored, mover)
        if not score_lead:
            return self._value_of_draw(ply)
        return WIN_VALUE - ply if score_lead > 0 else ply - WIN_VALUE

    def _value_of_draw(self, ply: i64) -> i64:
        return -self.draw_value if ply & 1 else self.draw_value

    def _search_value(
        self, position: PackedPosition, depth: i64, alpha: i64, beta: i64, ply: i64, repeat_start: i64
    ) -> i64:
        """Return the value of a position. It is exact between alpha and beta, and a bound outside.

        `depth` is the remaining depth, `ply` the distance from the root. `repeat_start` is the index of the first position on
        the path that can be repeated: earlier positions had more eggs in a spawn or fewer scored pieces.
        """
        rules = self.rules
        spawn, scored, mover = position[4], position[5], position[6]
        if rules.is_over(scored):
            return self._ended_value(scored, mover, ply)
        if depth < 1 or ply >= MAX_DEPTH:
            return self._search_exchange(position, alpha, beta, ply, EXCHANGE_DEPTH)
        if self._should_stop():
            return 0
        position_key = rules.position_key(position)
        if self._is_repetition(position_key, ply, repeat_start):
            return self._value_of_draw(ply)
        action_limit: i64 = 256
        if depth <= PRUNING_DEPTH and self._may_prune(alpha, beta):
            own_actions = rules.count_actions(position)
            if not own_actions:
                return ply - WIN_VALUE
            value_now = self.evaluate_position(position, own_actions)
            other_scored = scored & 31 if mover else scored >> 5
            if value_now - AHEAD_MARGIN * depth >= beta and other_scored + 3 < rules.target:
                return value_now  # far ahead, and no set of the opponent ends the game
            if value_now <= alpha:
                action_limit = max(1, QUIET_ACTIONS >> min((alpha - value_now) // QUIET_STEP, 8))
        entry = self.table.find_entry(position_key)
        if entry:
            known_value = entry_value(entry, depth, alpha, beta, ply)
            if known_value != UNKNOWN_VALUE:
                return known_value
        order = self.order
        first_slot = ply * 256
        remembered_action: i64 = entry_action(entry) if entry else -1
        action_count: i64 = 0  # not listed yet
        if remembered_action < 0:
            action_count = order.list_actions(position, ply, -1)
            if not action_count:
                return ply - WIN_VALUE

        best_value: i64 = -WIN_VALUE
        best_action: i64 = 0
        first_alpha = alpha
        action_index: i64 = -1
        while True:
            action_index += 1
            if not action_index and remembered_action >= 0:
                action = remembered_action  # often sufficient, so that the other actions need not be listed
                action_priority: i64 = REMEMBERED_PRIORITY
            else:
                if not action_count:
                    action_count = order.list_actions(position, ply, remembered_action)
                    order.take_best(first_slot, first_slot + action_count)
                if action_index >= action_count:
                    break
                if action_index < SORTED_ACTIONS:
                    best_ranked = order.take_best(first_slot + action_index, first_slot + action_count)
                else:
                    best_ranked = order.ranked[first_slot + action_index]
                action = best_ranked & 1023
                action_priority = best_ranked >> 20
            if action_index >= action_limit and action_priority < KILLER_PRIORITY >> 1 and best_value > -MIN_WIN_VALUE:
                best_value = alpha  # skipped actions are assumed to be no better
                break
            next_position = rules.play_action(position, action)
            next_scored = next_position[5]
            next_start = repeat_start if next_position[4] == spawn and next_scored == scored else self.past + ply + 1
            # The first action gets the full window. The others get a null window, at first with reduced depth.
            child_depth = self._child_depth(depth, action_index, action_priority)
            child_alpha = -alpha - 1 if action_index else -beta
            while True:
                child_value = -self._search_value(next_position, child_depth, child_alpha, -alpha, ply + 1, next_start)
                if self.stopped:
                    return 0
                if child_value > alpha and child_depth < depth - 1:
                    child_depth = depth - 1
                elif alpha < child_value < beta and child_alpha > -beta:
                    child_alpha = -beta
                else:
                    break
            if child_value > best_value:
                best_value = child_value
                best_action = action
                if child_value > alpha:
                    alpha = child_value
                    if child_value >= beta:
                        if next_scored == scored:
                            order.record_cutoff(mover, action, depth, ply)
                        break
        self.table.store_entry(
            position_key, best_value, bound_kind(best_value, first_alpha, beta), depth, best_action, ply
        )
        return best_value

    def _may_prune(self, alpha: i64, beta: i64) -> bool:
        """Return True if pruning is allowed. It requires a null window without forced wins, and a learned evaluation."""
        return (
            beta - alpha == 1
            and -MIN_WIN_VALUE < alpha < MIN_WIN_VALUE
            and self.is_selective
            and self.learned is not None
        )

    def _child_depth(self, depth: i64, action_index: i64, action_priority: i64) -> i64:
        """Return the initial depth for an action, which is reduced if many better actions came before it."""
        if action_index < 3 or depth < 3 or action_priority >= KILLER_PRIORITY >> 1 or not self.is_selective:
            return depth - 1
        return depth - 3 if action_index >= 8 else depth - 2

    def _should_stop(self) -> bool:
        """Count a node. Return True if the search must stop."""
        self.nodes += 1
        if self.nodes >= self.next_poll:
            self.next_poll = self.nodes + self.node_interval
            if self.stop():
                self.stopped = True
        if self.nodes >= self.max_nodes:
            self.stopped = True
        return self.stopped

    def _is_repetition(self, position_key: i64, ply: i64, repeat_start: i64) -> bool:
        """Add a position to the path. Return True if the path already contains it."""
        path_index = self.past + ply
        for earlier_index in range(path_index - 4, repeat_start - 1, -2):
            if self.path[earlier_index] == position_key:
                return True
        self.path[path_index] = position_key
        return False

    def _search_exchange(self, position: PackedPosition, alpha: i64, beta: i64, ply: i64, depth_left: i64) -> i64:
        """Search only the scoring actions of the side to move, up to `depth_left` of them in a row."""
        rules = self.rules
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if rules.is_over(scored):
            return self._ended_value(scored, mover, ply)
        self.nodes += 1
        action_count = rules.count_actions(position)
        if not action_count:
            return ply - WIN_VALUE
        best_value = self.evaluate_position(position, action_count)
        if best_value >= beta or not depth_left:
            return best_value
        if best_value > alpha:
            alpha = best_value
        all_pieces = light | dark
        empty_cells = rules.full_mask ^ all_pieces
        egg_targets, tadpole_targets, frog_targets = rules.scoring_targets(eggs, tadpoles, all_pieces ^ eggs ^ tadpoles)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0
        target_cells: i64 = egg_targets & empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while target_cells:
                target_mask = target_cells & -target_cells
                target_cells ^= target_mask
                next_position = rules.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                )
                if score_gain(scored, next_position[5], mover) > 0:
                    child_value = -self._search_exchange(next_position, -beta, -alpha, ply + 1, depth_left - 1)
                    if child_value > best_value:
                        best_value = child_value
                        if child_value >= beta:
                            return best_value
                        if child_value > alpha:
                            alpha = child_value
            if not movable_pieces:
                return best_value
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = rules.reachable_cells(source_mask, tadpoles) & empty_cells
            target_cells &= tadpole_targets if source_mask & tadpoles else frog_targets

"""Looking ahead: which action leads to the most, if both sides do the best they can.

This is alpha-beta search as chess programs know it, made for Pond. From a position every action is tried, every answer
to it, and so on for some *depth*; what stands at the end of a line is *evaluated*; and the side to move takes what is
best for it. All the rest is there to look at less and miss nothing:

- a *window* (alpha, beta): what both sides have elsewhere already. A line that one of them would not go into needs no
  further look.
- *deepening*: depth 1, then 2, and so on. The shallow search costs little and says what to look at first in the deeper.
- a *table* of positions: many orders of the same actions lead to one position, which is searched once.
- *order*: what the table remembers, which is tried before the others are even listed; then what scores, then what refuted
  a neighbouring line (*killers*), then what has often been good (*history*). See order.py.
- the *principal variation*: the first action gets a full search; of each other one only is asked whether it is better.
- *late actions* are searched less deep, unless they turn out better than thought.
- *far ahead*: few actions before the end of a line, what a position is worth now often settles the matter. A side that is
  well above the window is believed to stay there.
- *far behind*: the further a side is below the window, the fewer of its quiet actions are tried.
- *quiet ends*: nothing is evaluated in the middle of an exchange; actions that score are looked at to their end.

Values are hundredths of a scored piece, seen by the side to move. From `SURE_VALUE` up a game is won, whatever the other side
does: `WIN_VALUE` less the number of actions until then. A position that comes up again on the way counts as a draw, for
nobody would get further there.

Like rules.py this is plain typed Python which `make fast` compiles, together with it; the same advice holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.evaluation import LearnedEvaluation
from pond_hw.engine.packed.order import KILLER_WORTH, MAX_DEPTH, REMEMBERED_WORTH, ActionOrder
from pond_hw.engine.packed.rules import DARK_WINS, DRAWN, PackedRules, score_gain
from pond_hw.engine.packed.table import (
    SURE_VALUE,
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
"""A piece scored more than the other side."""

MOBILITY_VALUE: Final = 3
"""A legal action more than the other side would have if it were its turn."""

EXCHANGE_DEPTH: Final = 4
"""Actions that score are looked at so far beyond the depth that was asked for."""

SORTED_ACTIONS: Final = 8
"""So many actions of a position are taken in order; all others look bad, and come as they are."""

GUESS_DEPTH: Final = 6
"""With so many actions to go, or less, what a position is worth now says how much of it is looked at."""

AHEAD_MARGIN: Final = 100
"""A side that is above the window by so much for each of these actions is believed to stay above."""

QUIET_ACTIONS: Final = 16
"""After so many actions the quiet ones are left out, if the side to move is not above the window."""

QUIET_STEP: Final = 50
"""After half as many, if it is so much below; after a quarter, if it is twice as much; and so on, but never all."""

MAX_NODES: Final = 1 << 60
"""More than any search will look at."""


class PackedSearch:
    """Searches positions of one pond, one after the other.

    Args:
        rules: of the pond.
        places: how many positions the table can remember, a power of two; each takes 16 bytes compiled.
        learned: what has been learned of positions; without it they are worth what `PIECE_VALUE` and `MOBILITY_VALUE` say.

    Attributes:
        nodes: positions looked at since `begin_search`.
        actions: what can be done in the position that was begun with, best first.
        values: what is known of these: exact for the first, and for those within `margin` of it; for others at most so.
        finished_depth: the depth to which all of them have been searched.
        stopped: whether the last search was broken off.
        draw_value: what a draw is worth to the side to move in the position that was begun with; less than 0, and it plays on
            where it could have a draw.
        is_selective: whether late actions are searched less deep, and, where there is a `learned` to tell who is far ahead or
            behind, positions and actions are left out. Without it a value is exactly what looking at everything would give.
    """

    def __init__(self, rules: PackedRules, places: int, learned: LearnedEvaluation | None = None) -> None:
        self.rules = rules
        self.learned = learned
        self.table = TranspositionTable(places)
        self.order = ActionOrder(rules)
        self.path: vec[i64] = zeros(1024)
        self.past: i64 = 0
        self.root: PackedPosition = rules.start_position(1)
        self.nodes: i64 = 0
        self.most: i64 = 0
        self.every: i64 = 1
        self.ask_at: i64 = 0
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
        """Turn to a position that is not over.

        Args:
            position: what to search.
            past_keys: keys of the positions of the game before this one, the last 500 of them at most.
            should_stop: asked now and then; when it says yes, the search is broken off.
            max_nodes: nodes after which it is broken off too, always at the same one; 0 for no such bound.
            node_interval: nodes from one question to the next.
            value_margin: how far below the best the values of other actions are wanted.
            keep_table: whether what the table holds is still used; if not, it is forgotten.
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
        self.most = max_nodes or MAX_NODES
        self.every = node_interval
        self.ask_at = node_interval
        self.margin = value_margin
        self.draw_value = draw_value
        self.stopped = False
        self.stop = should_stop
        self.finished_depth = 0
        self.actions = self.rules.legal_actions(position)
        self.values = [0] * len(self.actions)

    def search_depth(self, depth: i64) -> bool:
        """Search every action to so many actions in all, those of the last search in the order of what they were worth.

        Returns:
            Whether the search came to its end. If not, `actions` and `values` hold what has been found until then.
        """
        self.path[self.past] = self.rules.position_key(self.root)
        searched_pairs: list[tuple[i64, i64]] = []  # value, action
        best_value: i64 = -WIN_VALUE
        for action in self.actions:
            next_position = self.rules.play_action(self.root, action)
            repeat_start: i64 = 0 if next_position[4:6] == self.root[4:6] else self.past + 1
            # What is more than the margin worse than the best may stay unknown.
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
            if actions_left and best_value <= -SURE_VALUE and known_values[0] > best_value:
                # All that was looked at is lost: what was not is worth what it was one action ago, at most.
                self.actions, self.values = actions_left + self.actions, known_values + self.values
            else:
                self.actions += actions_left
                self.values += [-WIN_VALUE] * len(actions_left)
        if not self.stopped:
            self.finished_depth = depth
        return not self.stopped

    def rank_actions(self) -> None:
        """Only look what each action does at once: `values` are those of the positions after it, not looked into."""
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
        """Adopt these values and actions: what is best comes first; of equals, what came first before."""
        valued_pairs.sort(key=lambda pair: -pair[0])
        self.values = [pair[0] for pair in valued_pairs]
        self.actions = [pair[1] for pair in valued_pairs]

    def principal_variation(self, max_length: i64) -> list[i64]:
        """The actions that both sides are expected to take, as far as the table remembers them, `max_length` of them."""
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
        """What a position is worth to the side to move without looking ahead, as learned; else by pieces and mobility.

        Args:
            position: the position.
            action_count: the legal actions of the side to move.
        """
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        opponent_actions = self.rules.count_masked(light, dark, eggs, tadpoles, spawn, scored, 1 - mover)
        value = PIECE_VALUE * score_gain(0, scored, mover)
        if self.learned is None:
            return value + MOBILITY_VALUE * (action_count - opponent_actions)
        return value + self.learned.evaluate(
            light, dark, eggs, tadpoles, spawn, scored, mover, action_count, opponent_actions
        )

    # Inside

    def _ended_value(self, scored: i64, mover: i64, ply: i64) -> i64:
        """The value of a game that one side, or both, have scored enough in."""
        score_lead = score_gain(0, scored, mover)
        if not score_lead:
            return self._value_of_draw(ply)
        return WIN_VALUE - ply if score_lead > 0 else ply - WIN_VALUE

    def _value_of_draw(self, ply: i64) -> i64:
        return -self.draw_value if ply & 1 else self.draw_value

    def _search_value(
        self, position: PackedPosition, depth: i64, alpha: i64, beta: i64, ply: i64, repeat_start: i64
    ) -> i64:
        """The value of a position, exact between alpha and beta; else only a bound, on the same side of them.

        It is looked `depth` actions ahead. Alpha is what the side to move has elsewhere, beta what the other side has
        (as this one sees it). From the root to here it is `ply` actions; `repeat_start` is the first position on the path that
        this one could be again, for all before had more in a spawn, or fewer scored pieces.
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
        if depth <= GUESS_DEPTH and self._may_guess(alpha, beta):
            own_actions = rules.count_actions(position)
            if not own_actions:
                return ply - WIN_VALUE
            value_now = self.evaluate_position(position, own_actions)
            other_scored = scored & 31 if mover else scored >> 5
            if value_now - AHEAD_MARGIN * depth >= beta and other_scored + 3 < rules.target:
                return value_now  # far enough ahead, and no set of the other side ends the game
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
                action = remembered_action  # it is often enough: then nothing has to be listed
                action_worth: i64 = REMEMBERED_WORTH
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
                action_worth = best_ranked >> 20
            if action_index >= action_limit and action_worth < KILLER_WORTH >> 1 and best_value > -SURE_VALUE:
                best_value = alpha  # what is left out is believed not to be worth more
                break
            next_position = rules.play_action(position, action)
            next_scored = next_position[5]
            next_start = repeat_start if next_position[4] == spawn and next_scored == scored else self.past + ply + 1
            # The first has the whole window; of each other one it is asked whether it is better, at first less deep.
            child_depth = self._child_depth(depth, action_index, action_worth)
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

    def _may_guess(self, alpha: i64, beta: i64) -> bool:
        """Whether something may be left out: all that is asked is if a value is above alpha, and what was learned knows it well."""
        return beta - alpha == 1 and -SURE_VALUE < alpha < SURE_VALUE and self.is_selective and self.learned is not None

    def _child_depth(self, depth: i64, action_index: i64, action_worth: i64) -> i64:
        """How deep an action is looked into at first: less deep if many more promising ones came before it."""
        if action_index < 3 or depth < 3 or action_worth >= KILLER_WORTH >> 1 or not self.is_selective:
            return depth - 1
        return depth - 3 if action_index >= 8 else depth - 2

    def _should_stop(self) -> bool:
        """Count a node, and ask now and then whether the search is to be broken off."""
        self.nodes += 1
        if self.nodes >= self.ask_at:
            self.ask_at = self.nodes + self.every
            if self.stop():
                self.stopped = True
        if self.nodes >= self.most:
            self.stopped = True
        return self.stopped

    def _is_repetition(self, position_key: i64, ply: i64, repeat_start: i64) -> bool:
        """Whether a position is on the path already; it is put there."""
        path_index = self.past + ply
        for earlier_index in range(path_index - 4, repeat_start - 1, -2):
            if self.path[earlier_index] == position_key:
                return True
        self.path[path_index] = position_key
        return False

    def _search_exchange(self, position: PackedPosition, alpha: i64, beta: i64, ply: i64, depth_left: i64) -> i64:
        """As `_search_value`, but only actions by which the side to move scores more than the other, `depth_left` in a row."""
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

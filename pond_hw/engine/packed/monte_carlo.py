"""Monte Carlo tree search with the UCT rule (Kocsis and Szepesvári, 2006), which knows only the rules of Pond.

It serves as a baseline for `pond_hw.engine.packed.search`. Like rules.py, this is typed Python that `make fast`
compiles.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import DARK_WINS, LIGHT_WINS, PackedRules
from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

EXPLORATION: Final = 0.7
"""Exploration factor of UCB1, for results from 0 to 1."""


class UctSearch:
    """Search tree that grows by one node per simulated game. `rules.seed_random` makes the simulations reproducible.

    `max_nodes` is the maximum number of nodes, which take 40 bytes each when compiled.
    """

    def __init__(self, rules: PackedRules, max_nodes: int) -> None:
        self.rules = rules
        self.max_nodes: i64 = max_nodes
        self.actions: vec[i64] = zeros(max_nodes)
        self.first_children: vec[i64] = zeros(max_nodes)  # children are contiguous
        self.child_counts: vec[i64] = zeros(max_nodes)  # 0 if not expanded
        self.visits: vec[i64] = zeros(max_nodes)
        self.points: vec[i64] = zeros(max_nodes)  # half points of the side that acted to reach the node
        self.node_count: i64 = 0
        self.games: i64 = 0
        self.root: PackedPosition = rules.start_position(1)

    def begin_search(self, position: PackedPosition) -> None:
        self.root = position
        self.node_count = 0
        self.games = 0
        self._add_node(-1)

    def simulate_games(self, game_count: i64) -> None:
        """Run this many simulations: select, expand, play randomly, update."""
        rules = self.rules
        for _ in range(game_count):
            self.games += 1
            position = self.root
            node: i64 = 0
            node_path: list[i64] = [0]
            while True:
                is_fresh = node and not self.visits[node]
                if not self.child_counts[node] and (is_fresh or not self._expand_node(node, position)):
                    break
                node = self._select_child(node)
                position = rules.play_action(position, self.actions[node])
                node_path.append(node)
            last_position, _ = rules.play_random(position)
            outcome_code = rules.outcome(last_position)
            mover = self.root[6]
            for node in node_path:
                self.visits[node] += 1
                # The opponent acted to reach the root, the side to move acted to reach its children, and so on.
                mover = 1 - mover
                if outcome_code == (DARK_WINS if mover else LIGHT_WINS):
                    self.points[node] += 2
                elif outcome_code != LIGHT_WINS and outcome_code != DARK_WINS:
                    self.points[node] += 1

    def best_action(self) -> i64:
        children = range(self.first_children[0], self.first_children[0] + self.child_counts[0])
        return self.actions[max(children, key=lambda node: self.visits[node])] if children else -1

    def _add_node(self, action: i64) -> None:
        self.actions[self.node_count] = action
        self.child_counts[self.node_count] = 0
        self.visits[self.node_count] = 0
        self.points[self.node_count] = 0
        self.node_count += 1

    def _expand_node(self, node: i64, position: PackedPosition) -> bool:
        """Add a child for each legal action. Return False if the game is over or the tree is full."""
        actions = self.rules.legal_actions(position)
        child_count: i64 = len(actions)
        if not child_count or self.node_count + child_count > self.max_nodes:
            return False
        self.first_children[node] = self.node_count
        self.child_counts[node] = child_count
        for action in actions:
            self._add_node(action)
        return True

    def _select_child(self, node: i64) -> i64:
        """Return the first unvisited child, or the one with the highest upper bound."""
        best_child = self.first_children[node]
        log_visits = log(float(self.visits[node] + 1))
        highest_bound = -1.0
        for child in range(best_child, best_child + self.child_counts[node]):
            visit_count = self.visits[child]
            if not visit_count:
                return child
            upper_bound = float(self.points[child]) / float(2 * visit_count) + EXPLORATION * sqrt(
                log_visits / float(visit_count)
            )
            if upper_bound > highest_bound:
                highest_bound = upper_bound
                best_child = child
        return best_child

"""Proofs of forced wins, and the opponent in puzzles: an engine that delays a forced loss."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import DARK_WINS, LIGHT_WINS, UNDECIDED, PackedPosition, ProofSearch, packed_rules
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Variant

PROOF_TABLE_SIZE = 1 << 18

MAX_PROOF_NODES = 20_000_000
"""Maximum number of nodes per proof, far more than the built-in puzzles need."""

STUBBORN_NODES = 50_000
"""Maximum number of nodes per proof for the stubborn engine. The compiled kernel needs a few tenths of a second for them."""

STUBBORN_ACTIONS = 4
"""Length of the longest forced win that the stubborn engine notices, in actions of its opponent."""


class Prover:
    """Prover of forced wins in one variant, with cached results.

    Args:
        variant: the variant.
        max_nodes: maximum number of nodes per proof.
        table_size: number of positions in the table, a power of two.
    """

    def __init__(self, variant: Variant, max_nodes: int = MAX_PROOF_NODES, table_size: int = PROOF_TABLE_SIZE) -> None:
        self.variant, self.rules, self._max_nodes = variant, packed_rules(variant), max_nodes
        self._search = ProofSearch(self.rules, table_size)
        self.nodes = 0

    def can_win(self, position: PackedPosition, own_actions: int) -> bool:
        """Return True if the side to move can force a win within this many of its actions.

        Raise PondError if the node limit is reached.
        """
        if own_actions < 1 or self.rules.outcome(position) != UNDECIDED:
            return False
        self._search.begin_proof(self._max_nodes)
        return self._checked(self._search.can_win(position, own_actions))

    def must_lose(self, position: PackedPosition, their_actions: int) -> bool:
        """Return True if the other side has won, or can force a win within this many of its actions.

        Raise PondError if the node limit is reached.
        """
        self._search.begin_proof(self._max_nodes)
        return self._checked(self._search.must_lose(position, their_actions))

    def _checked(self, answer: bool) -> bool:
        self.nodes += int(self._search.nodes)
        if self._search.stopped:
            raise PondError(Message("puzzle.proof_too_long"))
        return answer

    def own_gain(self, position: PackedPosition, action: int) -> int:
        shift = 5 * position[6]
        after = self.rules.play_action(position, action)
        return (after[5] >> shift & 31) - (position[5] >> shift & 31)

    def is_lost(self, after: PackedPosition, their_actions: int) -> bool:
        outcome = self.rules.outcome(after)
        if outcome != UNDECIDED:
            return outcome == (DARK_WINS if after[6] else LIGHT_WINS)
        return self.can_win(after, their_actions)

    def stubborn_reply(self, after: PackedPosition, own_actions: int) -> int:
        """Return the reply that delays the loss longest in a lost position.

        If several replies are equally good, choose the one that leaves the opponent the fewest winning actions.
        """
        best_reply, best_worth = -1, (-1, 0)
        for reply in self.rules.legal_actions(after):
            position = self.rules.play_action(after, reply)
            needed, ways = 0, 0
            if self.rules.outcome(position) == UNDECIDED:
                needed = next(count for count in range(1, own_actions + 1) if self.can_win(position, count))
                ways = sum(
                    self.must_lose(self.rules.play_action(position, action), needed - 1)
                    for action in self.rules.legal_actions(position)
                )
            if (needed, -ways) > best_worth:
                best_reply, best_worth = reply, (needed, -ways)
        return best_reply

    def saving_reply(self, after: PackedPosition, own_actions: int) -> int:
        """Return a reply that prevents the other side from winning within this many of its actions, or -1."""
        for reply in self.rules.legal_actions(after):
            position = self.rules.play_action(after, reply)
            outcome = self.rules.outcome(position)
            if outcome == UNDECIDED:
                saves = not self.can_win(position, own_actions)
            else:
                saves = outcome != (LIGHT_WINS if after[6] else DARK_WINS)
            if saves:
                return reply
        return -1

    def winning_reply(self, after: PackedPosition, own_actions: int) -> int:
        """Return the reply that wins fastest, within this many of its side's actions, or -1."""
        for count in range(own_actions):
            for reply in self.rules.legal_actions(after):
                if self.must_lose(self.rules.play_action(after, reply), count):
                    return reply
        return -1


class StubbornEngine(Engine):
    """Opponent in puzzles: an engine that wins if it can and otherwise holds out as long as possible."""

    name = "stubborn"
    is_instant = False

    def __init__(self) -> None:
        self._prover: Prover | None = None

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """Return a winning action if there is one, else the action that delays the loss longest."""
        del rng, should_stop
        prover, position = self._prover, game.position
        if prover is None or prover.variant != game.variant:
            prover = self._prover = Prover(game.variant, STUBBORN_NODES)
        best_action = game.rules.legal_actions(position)[0]
        with suppress(PondError):  # the proof takes too long: use the best action so far
            if prover.can_win(position, 1):
                return prover.winning_reply(position, 1)
            for own_actions in range(1, STUBBORN_ACTIONS + 1):
                if prover.must_lose(position, own_actions):
                    return prover.stubborn_reply(position, own_actions)
                best_action = prover.saving_reply(position, own_actions)
        return best_action

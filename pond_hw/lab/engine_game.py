"""A single game between two programs, reproducible from a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.external_program import ExternalEngine, GameForfeit
from pond_hw.engine.packed import DARK_WINS, LIGHT_WINS, pack_position, packed_rules
from pond_hw.rules import Position, Side, Variant

if TYPE_CHECKING:
    from pond_hw.engine.packed import PackedPosition, PackedRules

MAX_ACTIONS: Final = 1000
"""Number of actions after which a game is drawn. The longest of millions of random games had 261."""

REPETITION_LIMIT: Final = 3
"""Number of times that a position must occur for a game to be drawn. The rules allow people to agree to such a draw."""

LIGHT_WON, DARK_WON, DRAWN = "light", "dark", "draw"
"""Values of the winner in result files."""

SCORE, ELIMINATION, REPETITION, TOO_LONG = "score", "elimination", "repetition", "too long"
"""Reasons why a game ended, as written to result files, in addition to `external_program.FORFEITS`."""


class EngineGameResult(NamedTuple):
    """Result of a game. `length` includes the opening; `light` and `dark` are the numbers of scored pieces.

    `reason` is one of `SCORE`, `ELIMINATION`, `REPETITION` and `TOO_LONG`, or the reason for an external program's forfeit.
    """

    winner: str
    reason: str
    length: int
    light: int
    dark: int
    had_repetition: bool
    actions: list[int]


class GameRunner:
    """Runner of engine games on one variant."""

    def __init__(self, pond: Variant) -> None:
        self.variant = pond
        self._rules: PackedRules = packed_rules(pond)

    def random_opening(self, length: int, rng: Random, turn: int | None = None) -> list[int]:
        """Return random actions from the start position. Stop before an action that would end the game.

        If `turn` is given, it selects the first action, modulo the number of legal actions.
        """
        rules, played = self._rules, list[int]()
        position = rules.start_position(self.variant.spawn)
        for _ in range(length):
            action_count = rules.count_actions(position)
            number = rng.randrange(action_count) if turn is None or played else turn % action_count
            action = rules.nth_action(position, number)
            position = rules.play_action(position, action)
            if not rules.count_actions(position):
                break
            played.append(action)
        return played

    def play_game(
        self,
        light: Engine | ExternalEngine,
        dark: Engine | ExternalEngine,
        opening: list[int],
        rng: Random,
        start: Position | None = None,
    ) -> EngineGameResult:
        """Play a game from the end of the opening.

        `start` is the position before the opening; None means the empty board. External programs only support None.
        """
        variant, rules = self.variant, self._rules
        actions = list(opening)
        external_engines = [engine for engine in (light, dark) if isinstance(engine, ExternalEngine)]
        for engine in external_engines:
            side, opponent = (Side.LIGHT, dark) if engine is light else (Side.DARK, light)
            engine.begin_game(variant, side, opponent.name, rng.getrandbits(32))
        first_position = pack_position(start or Position.start(variant))
        position, most_repeats, reason = self._play_actions((light, dark), first_position, actions, rng)
        if reason in (REPETITION, TOO_LONG):
            winner = DRAWN
        elif reason:
            winner = LIGHT_WON if position[6] else DARK_WON
        else:
            winner = {LIGHT_WINS: LIGHT_WON, DARK_WINS: DARK_WON}.get(rules.outcome(position), DRAWN)
            reason = SCORE if rules.is_over(position[5]) else ELIMINATION
        for engine in external_engines:
            engine.announce_outcome(variant, position, actions, None if winner == DRAWN else winner, reason)
        scored = position[5]
        return EngineGameResult(winner, reason, len(actions), scored & 31, scored >> 5, most_repeats > 1, actions)

    def _play_actions(
        self,
        engines: Sequence[Engine | ExternalEngine],
        position: PackedPosition,
        actions: list[int],
        rng: Random,
    ) -> tuple[PackedPosition, int, str]:
        """Play from the end of the opening, and append the actions to `actions`.

        Return the last position, the number of times that the most frequent position occurred, and the reason if the game was
        cut short.
        """
        rules = self._rules
        past_keys = list[int]()
        for action in actions:
            past_keys.append(rules.position_key(position))
            position = rules.play_action(position, action)
        key_counts = Counter(past_keys)
        most_repeats = 1
        while rules.count_actions(position):
            key = rules.position_key(position)
            key_counts[key] += 1
            most_repeats = max(most_repeats, key_counts[key])
            if most_repeats >= REPETITION_LIMIT:
                return position, most_repeats, REPETITION
            if len(actions) >= MAX_ACTIONS:
                return position, most_repeats, TOO_LONG
            engine, game = engines[position[6]], EngineGame(self.variant, rules, position, past_keys)
            try:
                if isinstance(engine, ExternalEngine):  # Needs the list of actions, and makes its own random choices.
                    action = engine.choose_action(game, actions)
                else:
                    action = engine.choose_action(game, rng, bool)
            except GameForfeit as forfeit:
                return position, most_repeats, forfeit.reason
            past_keys.append(key)
            actions.append(action)
            position = rules.play_action(position, action)
        return position, most_repeats, ""

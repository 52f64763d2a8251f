"""One game between two programs, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.external_program import ExternalEngine, GameForfeit
from pond_hw.engine.packed import DARK_WINS, LIGHT_WINS, packed_rules
from pond_hw.rules import Side, Variant

if TYPE_CHECKING:
    from pond_hw.engine.packed import PackedRules

MAX_ACTIONS: Final = 1000
"""Actions after which two programs agree to a draw. The longest of millions of random games had 261."""

REPETITION_LIMIT: Final = 3
"""How often a position comes up before two programs agree to a draw, as the rules let people do at the table."""

LIGHT_WON, DARK_WON, NOBODY_WON = "light", "dark", "draw"
"""Who has won, as it is written down."""

SCORE, ELIMINATION, REPETITION, TOO_LONG = "score", "elimination", "repetition", "too long"
"""Why a game ended, as it is written down; or one of `external_program.FORFEITS`, by which a program from outside loses it."""


class EngineGameResult(NamedTuple):
    """How a game went.

    Attributes:
        winner: `light`, `dark` or `draw`.
        reason: `score`, `elimination`, `repetition` or `too long`, and the last two are draws; or why a program from
            outside has lost by itself.
        length: actions, those of the opening among them.
        light, dark: pieces that each side has scored.
        had_repetition: whether some position came up more than once.
        actions: what was played, as the kernel's numbers.
    """

    winner: str
    reason: str
    length: int
    light: int
    dark: int
    had_repetition: bool
    actions: list[int]


class GameRunner:
    """Where games on one pond are played, one after the other.

    Args:
        pond: the variant.
    """

    def __init__(self, pond: Variant) -> None:
        self.variant = pond
        self._rules: PackedRules = packed_rules(pond)

    def random_opening(self, length: int, chance: Random, turn: int | None = None) -> list[int]:
        """So many actions by chance, from the start of the pond; fewer, if with the next one the game would be over.

        Args:
            length: how many.
            chance: where they come from.
            turn: a number that says what the first action is, if not chance: each has its turn.
        """
        rules, played = self._rules, list[int]()
        position = rules.start_position(self.variant.spawn)
        for _ in range(length):
            many = rules.count_actions(position)
            number = chance.randrange(many) if turn is None or played else turn % many
            action = rules.nth_action(position, number)
            position = rules.play_action(position, action)
            if not rules.count_actions(position):
                break
            played.append(action)
        return played

    def play_game(
        self, light: Engine | ExternalEngine, dark: Engine | ExternalEngine, opening: list[int], chance: Random
    ) -> EngineGameResult:
        """A game to its end.

        Args:
            light: who plays light.
            dark: who plays dark.
            opening: what was played before they are asked.
            chance: where all their chances come from.
        """
        pond, rules = self.variant, self._rules
        count, play, key = rules.count_actions, rules.play_action, rules.position_key
        position, past = rules.start_position(pond.spawn), list[int]()
        actions = list(opening)
        outside = [mind for mind in (light, dark) if isinstance(mind, ExternalEngine)]
        choosers = _action_chooser(light, actions), _action_chooser(dark, actions)
        for mind in outside:
            side, against = (Side.LIGHT, dark) if mind is light else (Side.DARK, light)
            mind.begin_game(pond, side, against.name, chance.getrandbits(32))
        for action in opening:
            past.append(key(position))
            position = play(position, action)
        seen: dict[int, int] = {}
        for before in past:
            seen[before] = seen.get(before, 0) + 1
        agreed, lost, often = "", "", 1
        while count(position):
            here = key(position)
            times = seen[here] = seen.get(here, 0) + 1
            if times > often:
                often = times
                if often >= REPETITION_LIMIT:
                    agreed = REPETITION
                    break
            if len(actions) >= MAX_ACTIONS:
                agreed = TOO_LONG
                break
            try:
                action = choosers[position[6]](EngineGame(pond, rules, position, past), chance, bool)
            except GameForfeit as forfeit:
                lost = forfeit.reason
                break
            past.append(here)
            actions.append(action)
            position = play(position, action)
        scored = position[5]
        if agreed:
            winner, reason = NOBODY_WON, agreed
        elif lost:
            winner, reason = LIGHT_WON if position[6] else DARK_WON, lost
        else:
            ended = rules.outcome(position)
            winner = LIGHT_WON if ended == LIGHT_WINS else DARK_WON if ended == DARK_WINS else NOBODY_WON
            reason = SCORE if rules.is_over(scored) else ELIMINATION
        for mind in outside:
            mind.announce_outcome(pond, position, actions, None if winner == NOBODY_WON else winner, reason)
        return EngineGameResult(winner, reason, len(actions), scored & 31, scored >> 5, often > 1, actions)


def _action_chooser(
    mind: Engine | ExternalEngine, actions: list[int]
) -> Callable[[EngineGame, Random, Callable[[], bool]], int]:
    """What is asked for an action; a program from outside is told what was played, and has chances of its own."""
    if isinstance(mind, ExternalEngine):
        return lambda game, _chance, _stop: mind.choose_action(game, actions)
    return mind.choose_action

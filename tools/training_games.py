"""Training positions from games that the search plays against itself, with their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from pond_hw.engine.packed import (
    DARK_WINS,
    LIGHT_WINS,
    MIN_WIN_VALUE,
    WIN_VALUE,
    LearnedEvaluation,
    PackedRules,
    PackedSearch,
    packed_rules,
)
from pond_hw.rules import VARIANTS, Variant

if TYPE_CHECKING:
    from pond_hw.engine.packed import PackedPosition

TRAINING_VARIANTS: Final = {
    4: ("standard", "standard", "standard", "standard", "mini", "mini", "small-11", "small-14"),
    5: ("big", "big", "big", "big-15"),
}
"""Variants to play, by board size. A variant that is listed twice is played twice as often."""

MAX_OPENING_ACTIONS: Final = 14
"""Maximum number of random actions at the beginning of a game."""

DETOUR_SHARE: Final = 0.5
"""Share of positions in which a random action is also searched, because searches reach such positions."""

MAX_GAME_LENGTH: Final = 300
"""Number of actions after which a game is a draw."""

UNKNOWN_RESULT: Final = -1
"""Result of a position from which the game was not continued."""


class TrainingPosition(NamedTuple):
    """Position from the point of view of the side to move.

    Attributes:
        own, other: masks of the two sides.
        eggs, tadpoles: masks of both sides' pieces with these symbols.
        own_need, other_need: pieces that each side still has to score.
        own_actions, other_actions: number of legal actions; for the other side as if it were to move.
        value: result of the search, in hundredths of a piece.
        result: result of the game in half points, 0 to 2, or `UNKNOWN_RESULT`.
    """

    own: int
    other: int
    eggs: int
    tadpoles: int
    own_spawn: int
    other_spawn: int
    own_need: int
    other_need: int
    own_actions: int
    other_actions: int
    value: int
    result: int = UNKNOWN_RESULT


def describe_position(rules: PackedRules, position: PackedPosition, value: int) -> TrainingPosition:
    light, dark, eggs, tadpoles, spawn, scored, mover = position
    spawns, needs = (spawn & 31, spawn >> 5), (rules.target - (scored & 31), rules.target - (scored >> 5))
    return TrainingPosition(
        *((dark, light) if mover else (light, dark)),
        eggs,
        tadpoles,
        *(spawns[::-1] if mover else spawns),
        *(needs[::-1] if mover else needs),
        rules.count_actions(position),
        rules.count_actions((*position[:6], 1 - mover)),
        value,
    )


def search_position(
    search: PackedSearch, position: PackedPosition, past_keys: list[int], nodes: int, rng: Random
) -> tuple[int, int]:
    """Return the value of a position for the side to move, from the last complete depth, and the best action."""
    search.begin_search(position, past_keys, bool, max_nodes=nodes)
    rng.shuffle(search.actions)
    depth, value = 1, 0
    while True:
        is_finished = search.search_depth(depth)
        if is_finished or depth == 1:
            value = search.values[0]
        is_settled = abs(value) >= MIN_WIN_VALUE and WIN_VALUE - abs(value) <= depth
        if not is_finished or is_settled or depth >= 40 or (len(search.actions) == 1 and depth >= 4):
            return value, search.actions[0]
        depth += 1


def play_training_games(
    size: int,
    nodes: int,
    position_count: int,
    rng: Random,
    learned_for: Callable[[Variant], LearnedEvaluation | None],
    on_progress: Callable[[int], object] = int,
) -> list[TrainingPosition]:
    """Play games until there are enough positions, and finish the last game.

    `nodes` is the number of positions searched per action, and `learned_for` returns the evaluation for a variant.
    """
    searches = dict[str, PackedSearch]()
    training_positions = list[TrainingPosition]()
    while len(training_positions) < position_count:
        variant = VARIANTS[rng.choice(TRAINING_VARIANTS[size])]
        if variant.name not in searches:
            searches[variant.name] = PackedSearch(packed_rules(variant), 1 << 15, learned_for(variant))
        training_positions += _play_game(variant, searches[variant.name], nodes, rng)
        on_progress(len(training_positions))
    return training_positions


def _play_game(variant: Variant, search: PackedSearch, nodes: int, rng: Random) -> list[TrainingPosition]:
    rules = search.rules
    position, past_keys = rules.start_position(variant.spawn), list[int]()
    for _ in range(rng.randrange(MAX_OPENING_ACTIONS + 1)):
        next_position = rules.play_action(position, rng.choice(rules.legal_actions(position)))
        if not rules.count_actions(next_position):
            break
        past_keys.append(rules.position_key(position))
        position = next_position
    found = list[tuple[int | None, TrainingPosition]]()  # None: the game did not continue from there
    key_counts = Counter[int]()
    while rules.count_actions(position) and len(past_keys) < MAX_GAME_LENGTH:
        key = rules.position_key(position)
        key_counts[key] += 1
        if key_counts[key] == 3:
            break
        value, action = search_position(search, position, past_keys, nodes, rng)
        found.append((position[6], describe_position(rules, position, value)))
        past_keys.append(key)
        if rng.random() < DETOUR_SHARE:
            next_position = rules.play_action(position, rng.choice(rules.legal_actions(position)))
            if rules.count_actions(next_position):
                value, _ = search_position(search, next_position, past_keys, nodes, rng)
                found.append((None, describe_position(rules, next_position, value)))
        position = rules.play_action(position, action)
    light_points = {LIGHT_WINS: 2, DARK_WINS: 0}.get(rules.outcome(position), 1)
    results = light_points, 2 - light_points
    return [each if mover is None else each._replace(result=results[mover]) for mover, each in found]

"""Find start positions that are fairer than the empty pond.

    python -m tools.fair_starts        # writes pond_hw/session/game/fair_start_table.py

Each side has placed two eggs, and light is to move. Random candidates without symmetric duplicates are drawn from a
seed, and a search selects the most even of them. A player then plays itself from these, plays more games from the best,
and the most even are saved. This takes twenty minutes after `make fast`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import pack_action, pack_position, packed_rules
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.lab.engine_game import DARK_WON, LIGHT_WON, GameRunner
from pond_hw.lab.openings import square_symmetries
from pond_hw.rules import VARIANTS, Action, Cell, Position, Variant, get_grid, legal_actions, play

SEED = 1
CANDIDATE_COUNT, SAVED_COUNT = 240, 12
"""Number of random candidates, and number of saved positions."""

NODES = 100_000
"""Number of positions searched to find the value of a candidate."""

PLAYER = "search@n2000"
"""Player for both sides of every game. One random action by each side makes the games differ."""

TRIES = ((60, 40), (24, 200))
"""Number of positions in each round of trials, and number of games from each position."""

TABLE_PATH = Path(__file__).parents[1] / "pond_hw" / "session" / "game" / "fair_start_table.py"

HEADER = '''"""Positions from which neither side is better off, by variant; made by `python -m tools.fair_starts`."""

from __future__ import annotations

FAIR_STARTS: dict[str, tuple[str, ...]] = {
'''


def find_fair_starts(variant: Variant, seed: int = SEED) -> list[Position]:
    """Return the most even positions, best first."""
    searcher = Searcher()
    candidates = list(_draw_candidates(variant, Random(f"{seed} {variant.name}"), CANDIDATE_COUNT))
    candidates.sort(key=lambda position: abs(_judge(searcher, position)))
    for count, game_count in TRIES:
        shares = {position: measure_light(variant, [position], game_count, PLAYER) for position in candidates[:count]}
        candidates = sorted(shares, key=lambda position: abs(shares[position] - 0.5))
    return candidates[:SAVED_COUNT]


def measure_light(variant: Variant, starts: Sequence[Position], game_count: int, player: str) -> float:
    """Return light's share of the points when a player plays itself from these positions.

    Each game begins with one random action by each side.
    """
    runner, points = GameRunner(variant), 0.0
    light, dark = make_engine(player), make_engine(player)
    for number in range(game_count):
        start, rng = starts[number % len(starts)], Random(number)
        opening = list(_draw_actions(start, rng, 2))
        winner = runner.play_game(light, dark, opening, rng, start).winner
        points += {LIGHT_WON: 1.0, DARK_WON: 0.0}.get(winner, 0.5)
    return points / game_count


def _draw_actions(position: Position, rng: Random, count: int) -> Iterator[int]:
    for _ in range(count):
        action = rng.choice(legal_actions(position))
        yield pack_action(action, position.variant)
        position = play(position, action).after


def _judge(searcher: Searcher, position: Position) -> int:
    """Return the value of a position for the side to move, in hundredths of a piece."""
    game = EngineGame(position.variant, packed_rules(position.variant), pack_position(position), ())
    return searcher.search_game(game, SearchLimits(nodes=NODES)).values[0]


def _draw_candidates(variant: Variant, rng: Random, count: int) -> Iterator[Position]:
    cells, seen = get_grid(variant.size).cells, set[tuple[tuple[int, ...], ...]]()
    while len(seen) < count:
        drawn = rng.sample(range(len(cells)), 4)
        canonical = min(
            _split_by_side([cell_map[cell] for cell in drawn]) for cell_map in square_symmetries(variant.size)
        )
        position = _place_eggs(variant, [cells[number] for number in drawn])
        if canonical not in seen and not any(position.scored):
            seen.add(canonical)
            yield position


def _split_by_side(cells: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the cells of each side in order, because the order matters once a piece has developed."""
    return (tuple(cells[0::2]), tuple(cells[1::2]))


def _place_eggs(variant: Variant, cells: Sequence[Cell]) -> Position:
    position = Position.start(variant)
    for cell in cells:
        position = play(position, Action(None, cell)).after
    return position


def main(names: Sequence[str]) -> None:
    """Write the table for all named variants, or print it for the given variants."""
    lines = []
    for variant in [VARIANTS[name] for name in names or VARIANTS]:
        starts = find_fair_starts(variant)
        lines += [f'    "{variant.name}": (', *(f'        "{start.notation_line}",' for start in starts), "    ),"]
        print("\n".join(lines[-len(starts) - 2 :]), flush=True)
    if not names:
        TABLE_PATH.write_text(HEADER + "\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

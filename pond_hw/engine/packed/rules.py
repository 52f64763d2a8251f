"""Fast implementation of the rules, which represents boards as integers.

`pond_hw.rules` is the readable version; tests compare the two. This file imports nothing else from Pond and also runs
uncompiled. `make fast` compiles it.

A *mask* is a set of cells as in `rules.grid`: a1 is 1, b1 is 2 ... Shifting by 1 moves all cells by one column; shifting
by N (the size of the grid) moves them by one row. Cells that leave the right edge reappear at the left, one row up, so
each shift by columns is followed by a mask of valid columns.

A *position* is a tuple of seven numbers:

    light, dark       each side's pieces
    eggs, tadpoles    pieces with these symbols, of both sides; all other pieces are frogs
    spawn, scored     a pair of counts: light's + 32 * dark's
    mover             0: light is to move, 1: dark is

An *action* is a number: target + 32 * source. Cells are counted from 0 at a1, row by row. For a placement, source and
target are equal.

Some of the code is written for the compiler. An `i64` is an ordinary integer in plain Python and a machine word when
compiled. Constants that depend on the grid are attributes of `PackedRules`, because a module lookup costs more than a
turn. Methods that count the last action of a sequence take seven numbers, which stay in registers, instead of a tuple.
All constants are below 2 ** 62, because larger ones would be boxed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_extensions import i64

    PackedPosition = tuple[i64, i64, i64, i64, i64, i64, i64]
    """A position: light, dark, eggs, tadpoles, spawn, scored, mover."""

UNDECIDED: Final = 0
LIGHT_WINS: Final = 1
DARK_WINS: Final = 2
DRAWN: Final = 3

MAX_GAME_ACTIONS: Final = 10_000
"""Maximum length of a random game. The longest of millions had 261 actions."""

MAX_WORD: Final = (1 << 62) - 1
"""Maximum value of keys and random numbers."""


def ones(mask: i64) -> i64:
    """Return the number of bits in a mask of up to 62 bits."""
    mask -= mask >> 1 & 0x1555555555555555
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F
    mask += mask >> 8
    mask += mask >> 16
    return mask + (mask >> 32) & 63


if __file__.endswith((".py", ".pyc")):
    globals()["ones"] = int.bit_count  # the compiler lacks the fast built-in


def mix_bits(mixed_bits: i64) -> i64:
    """Permute the numbers from 0 to `MAX_WORD`, so that the results for consecutive numbers are unrelated."""
    mixed_bits = (mixed_bits ^ mixed_bits >> 31) * 0x1F58476D1CE4E5B9 & MAX_WORD
    mixed_bits = (mixed_bits ^ mixed_bits >> 29) * 0x14D049BB133111EB & MAX_WORD
    return mixed_bits ^ mixed_bits >> 32


def score_gain(scored: i64, next_scored: i64, mover: i64) -> i64:
    """Return the increase in the mover's score minus the increase in the opponent's score."""
    gain = (next_scored & 31) - (scored & 31) - (next_scored >> 5) + (scored >> 5)
    return -gain if mover else gain


class PackedRules:
    """Rules for one grid size and target. Positions and actions are not checked; `convert` validates external input.

    Attributes:
        size: number of rows and columns.
        target: number of its own pieces that a side must score to end the game.
        not_first, not_last: all cells except the first or last column.
        not_first_two, not_last_two: all cells except the first or last two columns.
        random_state: state of the random number generator, set by `seed_random`.
        checksum: checksum computed by `count_played`.
    """

    def __init__(self, size: int, target: int) -> None:
        first_column = sum(1 << size * y for y in range(size))
        full_mask = (1 << size * size) - 1
        self.size: i64 = size
        self.target: i64 = target
        self.full_mask: i64 = full_mask
        self.not_first: i64 = full_mask ^ first_column
        self.not_last: i64 = full_mask ^ first_column << size - 1
        self.not_first_two: i64 = full_mask ^ first_column * 3
        self.not_last_two: i64 = full_mask ^ first_column * 3 << size - 2
        self.random_state: i64 = 0
        self.checksum: i64 = 0

    def start_position(self, spawn_size: int) -> PackedPosition:
        return 0, 0, 0, 0, 33 * spawn_size, 0, 0

    # Actions

    def is_over(self, scored: i64) -> bool:
        return scored & 31 >= self.target or scored >> 5 >= self.target

    def reachable_cells(self, source_mask: i64, tadpoles: i64) -> i64:
        """Return the cells that a tadpole or frog on `source_mask` could reach on an empty board.

        The result may contain bits above the top row; intersect it with the empty cells.
        """
        size = self.size
        step_cells = (
            source_mask << 1 & self.not_first
            | source_mask >> 1 & self.not_last
            | source_mask << size
            | source_mask >> size
        )
        if source_mask & tadpoles:
            return step_cells
        leap_cells = source_mask << 2 & self.not_first_two | source_mask >> 2 & self.not_last_two
        return step_cells | leap_cells | source_mask << 2 * size | source_mask >> 2 * size

    def count_actions(self, position: PackedPosition) -> i64:
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        return self.count_masked(light, dark, eggs, tadpoles, spawn, scored, mover)

    def count_masked(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64) -> i64:
        if self.is_over(scored):
            return 0
        empty_cells = self.full_mask ^ (light | dark)
        total_count: i64 = 0
        if spawn >> 5 if mover else spawn & 31:
            total_count = ones(empty_cells)
        movable_pieces = (dark if mover else light) & ~eggs
        if not movable_pieces:
            return total_count

        # For each direction, count the pieces with an empty cell there by shifting the empty cells the other way. Two
        # directions fit in one number, since a grid has 25 bits.
        size = self.size
        empty_right = empty_cells >> 1 & self.not_last
        empty_left = empty_cells << 1 & self.not_first
        empty_above = empty_cells >> size
        empty_below = empty_cells << size
        total_count += ones(movable_pieces & empty_right | (movable_pieces & empty_left) << 32) + ones(
            movable_pieces & empty_above | (movable_pieces & empty_below) << 32
        )
        movable_frogs = movable_pieces & ~tadpoles
        if movable_frogs:
            empty_right = empty_cells >> 2 & self.not_last_two
            empty_left = empty_cells << 2 & self.not_first_two
            empty_above = empty_above >> size
            empty_below = empty_below << size
            total_count += ones(movable_frogs & empty_right | (movable_frogs & empty_left) << 32) + ones(
                movable_frogs & empty_above | (movable_frogs & empty_below) << 32
            )
        return total_count

    def legal_actions(self, position: PackedPosition) -> list[i64]:
        """Return the legal actions: placements, then moves, in the order of the cells. A finished game has no legal actions."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        action_numbers: list[i64] = []
        if self.is_over(scored):
            return action_numbers
        empty_cells = self.full_mask ^ (light | dark)
        if spawn >> 5 if mover else spawn & 31:
            target_cells = empty_cells
            while target_cells:
                action_numbers.append(ones((target_cells & -target_cells) - 1) * 33)
                target_cells &= target_cells - 1
        movable_pieces = (dark if mover else light) & ~eggs
        while movable_pieces:
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = self.reachable_cells(source_mask, tadpoles) & empty_cells
            while target_cells:
                action_numbers.append(ones((target_cells & -target_cells) - 1) + 32 * ones(source_mask - 1))
                target_cells &= target_cells - 1
        return action_numbers

    def nth_action(self, position: PackedPosition, actions_left: i64) -> i64:
        """Return the legal action with this index without listing all of them, or -1 if there is no such action."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if self.is_over(scored):
            return -1
        empty_cells = self.full_mask ^ (light | dark)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0
        target_cells: i64 = empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        while actions_left >= ones(target_cells):
            if not movable_pieces:
                return -1
            actions_left -= ones(target_cells)
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = self.reachable_cells(source_mask, tadpoles) & empty_cells
        while actions_left:
            target_cells &= target_cells - 1
            actions_left -= 1
        target_index = ones((target_cells & -target_cells) - 1)
        return target_index + 32 * (ones(source_mask - 1) if source_mask else target_index)

    # Turns

    def play_action(self, position: PackedPosition, action: i64) -> PackedPosition:
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        one_bit: i64 = 1
        source_mask = one_bit << (action >> 5)
        target_mask = one_bit << (action & 31)
        if source_mask == target_mask:
            source_mask = 0
        return self.play_masks(light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask)

    def play_masks(
        self,
        light: i64,
        dark: i64,
        eggs: i64,
        tadpoles: i64,
        spawn: i64,
        scored: i64,
        mover: i64,
        source_mask: i64,
        target_mask: i64,
    ) -> PackedPosition:
        size = self.size

        # 1. Action: place an egg, or move a tadpole or frog. Frogs have no mask of their own.
        stepped_cells = source_mask | target_mask
        if not source_mask:
            eggs |= target_mask
            spawn -= 32 if mover else 1
        elif source_mask & tadpoles:
            tadpoles ^= stepped_cells
        if mover:
            dark ^= stepped_cells
        else:
            light ^= stepped_cells
        all_pieces = light | dark

        # 2. Develop all neighbours at once: eggs and tadpoles toggle their tadpole bit, eggs and frogs their egg bit.
        neighbour_cells = (
            target_mask << 1 & self.not_first
            | target_mask >> 1 & self.not_last
            | target_mask << size
            | target_mask >> size
        )
        neighbour_cells &= all_pieces
        growing_cells = neighbour_cells & (eggs | tadpoles)
        eggs ^= neighbour_cells & ~tadpoles
        tadpoles ^= growing_cells

        # 3. Score: a set starts at a piece with the same symbol as the next two in its row or column. Find all sets before
        # removing any piece.
        equal_neighbours = all_pieces & all_pieces >> 1 & self.not_last & ~(eggs ^ eggs >> 1 | tadpoles ^ tadpoles >> 1)
        row_sets = equal_neighbours & equal_neighbours >> 1
        equal_neighbours = all_pieces & all_pieces >> size & ~(eggs ^ eggs >> size | tadpoles ^ tadpoles >> size)
        column_sets = equal_neighbours & equal_neighbours >> size
        if row_sets | column_sets:
            scored_cells = (
                row_sets | row_sets << 1 | row_sets << 2 | column_sets | column_sets << size | column_sets << 2 * size
            )
            scored += ones(light & scored_cells) + 32 * ones(dark & scored_cells)
            staying_cells = ~scored_cells
            light &= staying_cells
            dark &= staying_cells
            eggs &= staying_cells
            tadpoles &= staying_cells
        return light, dark, eggs, tadpoles, spawn, scored, 1 - mover

    def scoring_targets(self, eggs: i64, tadpoles: i64, frogs: i64) -> tuple[i64, i64, i64]:
        """Return three masks of cells that may score: for placing an egg, for moving a tadpole, and for moving a frog.

        All scoring actions have such a target. Conversely, an action with such a target scores if the cell is empty, unless the
        set needs the piece on the cell that it left.
        """
        # Neighbours of the target: frogs become eggs, eggs tadpoles, tadpoles frogs.
        egg_targets, egg_flips = self._completing_cells(eggs, frogs)
        tadpole_targets, tadpole_flips = self._completing_cells(tadpoles, eggs)
        frog_targets, frog_flips = self._completing_cells(frogs, tadpoles)
        flips = egg_flips | tadpole_flips | frog_flips
        beside_flips: i64 = 0
        if flips:
            beside_flips = (
                flips << 1 & self.not_first | flips >> 1 & self.not_last | flips << self.size | flips >> self.size
            )
        return egg_targets | beside_flips, tadpole_targets | beside_flips, frog_targets | beside_flips

    def _completing_cells(self, now: i64, soon: i64) -> tuple[i64, i64]:
        """Return the cells where one more piece with a symbol completes a set, and the pieces that complete one by developing.

        Args:
            now: pieces that have the symbol.
            soon: pieces that get the symbol when they develop.
        """
        size = self.size
        not_first, not_last = self.not_first, self.not_last
        # Cells with such a piece at distance one or two in each direction.
        right, left = now >> 1 & not_last, now << 1 & not_first
        above, below = now >> size, now << size
        second_right, second_left = right >> 1 & not_last, left << 1 & not_first
        second_above, second_below = above >> size, below << size
        flips = soon & (
            right & (second_right | left) | left & second_left | above & (second_above | below) | below & second_below
        )
        right, left = soon >> 1 & not_last, soon << 1 & not_first
        above, below = soon >> size, soon << size
        targets = (
            right & (second_right | left) | left & second_left | above & (second_above | below) | below & second_below
        )
        return targets, flips

    def outcome(self, position: PackedPosition) -> i64:
        """Return `LIGHT_WINS`, `DARK_WINS`, `DRAWN`, or `UNDECIDED` while the game is in progress.

        The score takes precedence: a side that has reached the target wins even if its opponent cannot act.
        """
        scored = position[5]
        if self.is_over(scored):
            light_scored, dark_scored = scored & 31, scored >> 5
            if light_scored == dark_scored:
                return DRAWN
            return LIGHT_WINS if light_scored > dark_scored else DARK_WINS
        if self.count_actions(position):
            return UNDECIDED
        return LIGHT_WINS if position[6] else DARK_WINS

    def position_key(self, position: PackedPosition) -> i64:
        """Return a hash key from 0 to `MAX_WORD`, which is the same on every machine.

        Two positions collide with a probability of 2 ** -62, and never if they differ only in symbols and spawns.
        Mixing seven numbers is faster than summing table entries per piece.
        """
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        owner_bits = light | dark << 25 | scored << 50 | mover << 60
        symbol_bits = eggs | tadpoles << 25 | spawn << 50
        return mix_bits(mix_bits(owner_bits ^ 0x2545F4914F6CDD1D) ^ symbol_bits)

    # Counting

    def count_sequences(self, position: PackedPosition, depth: i64) -> i64:
        """Return the number of legal sequences of exactly `depth` actions. Finished games contribute nothing.

        The last action of each sequence is counted without being played.
        """
        if depth < 1:
            return 1
        if depth == 1:
            return self.count_actions(position)
        return self._count_sequences(position, depth, 1)

    def count_played(self, position: PackedPosition, depth: i64) -> i64:
        """Return the same number as `count_sequences`, but play every action.

        Set `checksum` to a sum over all final positions: the eggs, 5 times the tadpoles, 25 times light's pieces and 125 times
        the spawns and scores.
        """
        self.checksum = 0
        if depth < 1:
            self._add_checksum(position[0], position[2], position[3], position[4], position[5])
            return 1
        return self._count_sequences(position, depth, 0)

    def _add_checksum(self, light: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64) -> None:
        self.checksum = self.checksum + eggs + 5 * tadpoles + 25 * light + 125 * (spawn ^ scored << 10) & MAX_WORD

    def _count_sequences(self, position: PackedPosition, depth: i64, counted_depth: i64) -> i64:
        """Count sequences of one or more actions; the last `counted_depth` (0 or 1) actions are not played."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if self.is_over(scored):
            return 0
        total_count: i64 = 0
        depth -= 1
        empty_cells = self.full_mask ^ (light | dark)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0  # first the eggs of the spawn, then each piece
        target_cells: i64 = empty_cells if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while target_cells:
                target_mask = target_cells & -target_cells
                target_cells ^= target_mask
                next_light, next_dark, next_eggs, next_tadpoles, next_spawn, next_scored, next_mover = self.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source_mask, target_mask
                )
                if depth > counted_depth:
                    next_position = next_light, next_dark, next_eggs, next_tadpoles, next_spawn, next_scored, next_mover
                    total_count += self._count_sequences(next_position, depth, counted_depth)
                elif counted_depth:
                    total_count += self.count_masked(
                        next_light, next_dark, next_eggs, next_tadpoles, next_spawn, next_scored, next_mover
                    )
                else:
                    self._add_checksum(next_light, next_eggs, next_tadpoles, next_spawn, next_scored)
                    total_count += 1
            if not movable_pieces:
                return total_count
            source_mask = movable_pieces & -movable_pieces
            movable_pieces ^= source_mask
            target_cells = self.reachable_cells(source_mask, tadpoles) & empty_cells

    # Random games

    def seed_random(self, seed_number: int) -> None:
        """Seed the random number generator with a number from 0 to `MAX_WORD`."""
        self.random_state = mix_bits(seed_number)

    def random_below(self, upper_limit: i64) -> i64:
        """Return a random number below `upper_limit`, which may be at most 2 ** 31.

        The numbers come from a linear congruential generator with period 2 ** 62. Only its upper bits are random enough.
        """
        self.random_state = self.random_state * 0x1851F42D4C957F2D + 1 & MAX_WORD
        return (self.random_state >> 31) * upper_limit >> 31

    def play_random(self, position: PackedPosition, max_actions: i64 = MAX_GAME_ACTIONS) -> tuple[PackedPosition, i64]:
        """Play random legal actions until the game ends. Return the last position and the number of actions.

        The game is aborted after `max_actions` actions.
        """
        played_actions: i64 = 0
        while played_actions < max_actions:
            action_count = self.count_actions(position)
            if not action_count:
                break
            position = self.play_action(position, self.nth_action(position, self.random_below(action_count)))
            played_actions += 1
        return position, played_actions

"""The rules once more, for those who count and search: whole boards at a time, in bare integers.

What a turn is stands in `pond_hw.rules`, to be read with the rulebook. This file does the same many times as fast, and
the tests hold the one against the other. It imports nothing, so that it runs as it is everywhere; `make fast` compiles
this very text.

A *mask* is a set of cells, a bit a cell, as in `rules.grid`: a1 is 1, b1 is 2 ... Shifting a mask by 1 moves all its
cells one column at once, shifting it by N (the size of the grid) moves them one row. What leaves the right edge comes
in again at the left, one row up; that is why a mask of the columns that can be meant follows each shift by columns.

A *position* is seven numbers in a tuple, which never change, so taking a turn back is to go on with the tuple before:

    light, dark       where each side's pieces stand
    eggs, tadpoles    where each of these stand, whoever owns them; all other pieces are frogs
    spawn, scored     a number of each side: light's + 32 * dark's
    mover             0: light is to move, 1: dark is

An *action* is one number: target + 32 * source, both counted from 0 at a1 along the rows. An egg is placed where the
two are the same: it comes from no other cell.

Some things are as they are for the compiler. An `i64` is an ordinary number here and one machine word there. What is
true of a grid are attributes of `PackedRules`, for to look a name up in a module costs more than a turn. The methods that
counting calls at its last action take the seven numbers one by one: those stay in registers, a tuple would be copied. And
no constant reaches 2 ** 62, beyond which it would have to be made anew each time it is met.
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
"""Actions after which a random game is broken off. The longest of millions had 261."""

MAX_WORD: Final = (1 << 62) - 1
"""Keys and chances are numbers up to this one."""


def ones(mask: i64) -> i64:
    """How many cells are in a mask of up to 62 bits: bits are added up in pairs, these in fours, and so on."""
    mask -= mask >> 1 & 0x1555555555555555
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F
    mask += mask >> 8
    mask += mask >> 16
    return mask + (mask >> 32) & 63


if __file__.endswith(".py"):
    globals()["ones"] = int.bit_count  # what the interpreter has built in the compiler does not know, and the reverse


def mix_bits(mixed_bits: i64) -> i64:
    """Another number from 0 to `MAX_WORD`, a different one for each; those of neighbours have nothing in common."""
    mixed_bits = (mixed_bits ^ mixed_bits >> 31) * 0x1F58476D1CE4E5B9 & MAX_WORD
    mixed_bits = (mixed_bits ^ mixed_bits >> 29) * 0x14D049BB133111EB & MAX_WORD
    return mixed_bits ^ mixed_bits >> 32


def score_gain(scored: i64, next_scored: i64, mover: i64) -> i64:
    """How many pieces more than the other side the mover has scored by an action."""
    gain = (next_scored & 31) - (scored & 31) - (next_scored >> 5) + (scored >> 5)
    return -gain if mover else gain


class PackedRules:
    """The rules on one grid, with one target.

    Legal actions are taken on trust, and so are positions: `convert` checks what comes from outside.

    Attributes:
        size: rows and columns of the grid.
        target: own pieces that a side must score to end the game.
        full_mask: the mask of every cell.
        not_first, not_last: all cells but those of the first column, or of the last.
        not_first_two, not_last_two: all cells but those of two columns.
        random_state: where the chances of random games have come to; `seed_random` sets it.
        checksum: a sum over the positions that `count_sequences` has played; see there.
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
        """The empty pond with so many eggs of each side, light to move."""
        return 0, 0, 0, 0, 33 * spawn_size, 0, 0

    # What can be done

    def is_over(self, scored: i64) -> bool:
        """Whether a side has scored so many pieces that the game has ended."""
        return scored & 31 >= self.target or scored >> 5 >= self.target

    def reachable_cells(self, source_mask: i64, tadpoles: i64) -> i64:
        """Where the tadpole or frog on a cell (a mask) could go if all were empty; a frog hops over anything.

        Beyond the top row there are some that no grid has: what is empty is on the grid.
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
        """The number of legal actions, none of them looked at by itself; none for a finished game."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        return self.count_masked(light, dark, eggs, tadpoles, spawn, scored, mover)

    def count_masked(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64) -> i64:
        """As `count_actions`."""
        if self.is_over(scored):
            return 0
        empty_cells = self.full_mask ^ (light | dark)
        total_count: i64 = 0
        if spawn >> 5 if mover else spawn & 31:
            total_count = ones(empty_cells)
        movable_pieces = (dark if mover else light) & ~eggs
        if not movable_pieces:
            return total_count

        # For each way: those of the movers who have an empty cell there, which is to shift the empty cells the other
        # way. Two ways are counted in one number, of which a grid takes 25 bits.
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
        """The legal actions: placements, then moves, in the order of the cells. A finished game has none."""
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
        """The action of that number in `legal_actions`, from 0, without making all of them; -1 if there are not so many."""
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

    # A turn

    def play_action(self, position: PackedPosition, action: i64) -> PackedPosition:
        """The position after a legal action."""
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
        """As `play_action`, with the cells of the action told by masks; an egg's source is 0."""
        size = self.size

        # 1. Action: an egg from the spawn, or a tadpole or frog from its cell. Frogs have no mask of their own.
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

        # 2. Develop, all at the same moment: beside the target, eggs and tadpoles begin or cease to be tadpoles, and
        # eggs and frogs cease or begin to be eggs.
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

        # 3. Score: a set begins where a piece is like the next one of its row, and that one like the next again; so for
        # columns. All sets are found before any piece leaves.
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
        """Where an egg, a tadpole, or a frog may make a set by going there: three masks, no piece looked at by itself.

        Where none is marked, no set can come of it. Where one is, and the cell is empty, one does, unless the piece that goes
        there is missing where it was.
        """
        # Beside the target, frogs become eggs, eggs tadpoles, and tadpoles frogs.
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
        """Where one more piece of a kind completes a set, and which pieces do so by becoming of that kind.

        Args:
            now: the pieces of the kind.
            soon: those that become so beside the target.
        """
        size = self.size
        not_first, not_last = self.not_first, self.not_last
        # Of each cell: whether the piece that is one cell, or two, to the right of it is of the kind; and so all around.
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
        """`LIGHT_WINS`, `DARK_WINS`, `DRAWN`, or `UNDECIDED` while the game goes on.

        Score is looked at first: a side that has just passed the target wins even if the other cannot act.
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
        """A number for a table of positions, from 0 to `MAX_WORD`; the same for the same position, on every machine.

        Two different positions have the same key with a chance of one in 2 ** 62, and never if they differ in their
        symbols and spawns alone. Seven numbers stirred twice are made faster than a sum over a table for each piece.
        """
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        owner_bits = light | dark << 25 | scored << 50 | mover << 60
        symbol_bits = eggs | tadpoles << 25 | spawn << 50
        return mix_bits(mix_bits(owner_bits ^ 0x2545F4914F6CDD1D) ^ symbol_bits)

    # Counting sequences

    def count_sequences(self, position: PackedPosition, depth: i64) -> i64:
        """The number of legal sequences of exactly `depth` actions; a finished game adds nothing.

        The last action of each sequence is counted without being played.
        """
        if depth < 1:
            return 1
        if depth == 1:
            return self.count_actions(position)
        return self._count_sequences(position, depth, 1)

    def count_played(self, position: PackedPosition, depth: i64) -> i64:
        """The same number, with every action played and every last position looked at.

        What was seen is added up in `checksum`, so that it can be compared: eggs, five times the tadpoles, 25 times
        light's pieces and 125 times what is in the spawns and scored, of each last position.
        """
        self.checksum = 0
        if depth < 1:
            self._add_checksum(position[0], position[2], position[3], position[4], position[5])
            return 1
        return self._count_sequences(position, depth, 0)

    def _add_checksum(self, light: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64) -> None:
        self.checksum = self.checksum + eggs + 5 * tadpoles + 25 * light + 125 * (spawn ^ scored << 10) & MAX_WORD

    def _count_sequences(self, position: PackedPosition, depth: i64, counted_depth: i64) -> i64:
        """As `count_sequences`, of one action or more; the last `counted_depth` (0 or 1) are counted and not played."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if self.is_over(scored):
            return 0
        total_count: i64 = 0
        depth -= 1
        empty_cells = self.full_mask ^ (light | dark)
        movable_pieces = (dark if mover else light) & ~eggs
        source_mask: i64 = 0  # first the eggs from the spawn, then one piece after the other
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

    # Games of chance

    def seed_random(self, seed_number: int) -> None:
        """Begin the chances anew: the same whole number from 0 to `MAX_WORD`, the same games, compiled or not."""
        self.random_state = mix_bits(seed_number)

    def random_below(self, upper_limit: i64) -> i64:
        """A number from 0 to many - 1 (many up to 2 ** 31), by chance.

        The step of a linear congruence with all of 2 ** 62 as its period; only its upper half is good enough.
        """
        self.random_state = self.random_state * 0x1851F42D4C957F2D + 1 & MAX_WORD
        return (self.random_state >> 31) * upper_limit >> 31

    def play_random(self, position: PackedPosition, max_actions: i64 = MAX_GAME_ACTIONS) -> tuple[PackedPosition, i64]:
        """Play blindly to the end, every legal action as likely as any other: the last position, and how many actions.

        After `max_actions` actions the game is broken off.
        """
        played_actions: i64 = 0
        while played_actions < max_actions:
            action_count = self.count_actions(position)
            if not action_count:
                break
            position = self.play_action(position, self.nth_action(position, self.random_below(action_count)))
            played_actions += 1
        return position, played_actions

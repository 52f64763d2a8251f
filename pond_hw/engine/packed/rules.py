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
counting calls over and over take the seven numbers one by one: those stay in registers, a tuple would be copied. And no
constant reaches 2 ** 62, beyond which it would have to be made anew each time it is met.
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


def mix_bits(number: i64) -> i64:
    """Another number from 0 to `MAX_WORD`, a different one for each; those of neighbours have nothing in common."""
    number = (number ^ number >> 31) * 0x1F58476D1CE4E5B9 & MAX_WORD
    number = (number ^ number >> 29) * 0x14D049BB133111EB & MAX_WORD
    return number ^ number >> 32


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
        column = sum(1 << size * y for y in range(size))
        full = (1 << size * size) - 1
        self.size: i64 = size
        self.target: i64 = target
        self.full_mask: i64 = full
        self.not_first: i64 = full ^ column
        self.not_last: i64 = full ^ column << size - 1
        self.not_first_two: i64 = full ^ column * 3
        self.not_last_two: i64 = full ^ column * 3 << size - 2
        self.random_state: i64 = 0
        self.checksum: i64 = 0

    def start_position(self, spawn: int) -> PackedPosition:
        """The empty pond with so many eggs of each side, light to move."""
        return 0, 0, 0, 0, 33 * spawn, 0, 0

    # What can be done

    def is_over(self, scored: i64) -> bool:
        """Whether a side has scored so many pieces that the game has ended."""
        return scored & 31 >= self.target or scored >> 5 >= self.target

    def reachable_cells(self, source: i64, tadpoles: i64) -> i64:
        """Where the tadpole or frog on a cell (a mask) could go if all were empty; a frog hops over anything.

        Beyond the top row there are some that no grid has: what is empty is on the grid.
        """
        size = self.size
        steps = source << 1 & self.not_first | source >> 1 & self.not_last | source << size | source >> size
        if source & tadpoles:
            return steps
        leaps = source << 2 & self.not_first_two | source >> 2 & self.not_last_two
        return steps | leaps | source << 2 * size | source >> 2 * size

    def count_actions(self, position: PackedPosition) -> i64:
        """The number of legal actions; none for a finished game."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        return self.count_masked(light, dark, eggs, tadpoles, spawn, scored, mover)

    def count_masked(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64) -> i64:
        """As `count`: the number of legal actions, none of them looked at by itself."""
        if self.is_over(scored):
            return 0
        empty = self.full_mask ^ (light | dark)
        total: i64 = 0
        if spawn >> 5 if mover else spawn & 31:
            total = ones(empty)
        movers = (dark if mover else light) & ~eggs
        if not movers:
            return total

        # For each way: those of the movers who have an empty cell there, which is to shift the empty cells the other
        # way. Two ways are counted in one number, of which a grid takes 25 bits.
        size = self.size
        right = empty >> 1 & self.not_last
        left = empty << 1 & self.not_first
        up = empty >> size
        down = empty << size
        total += ones(movers & right | (movers & left) << 32) + ones(movers & up | (movers & down) << 32)
        frogs = movers & ~tadpoles
        if frogs:
            right = empty >> 2 & self.not_last_two
            left = empty << 2 & self.not_first_two
            up = up >> size
            down = down << size
            total += ones(frogs & right | (frogs & left) << 32) + ones(frogs & up | (frogs & down) << 32)
        return total

    def legal_actions(self, position: PackedPosition) -> list[i64]:
        """The legal actions: placements, then moves, in the order of the cells. A finished game has none."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        found: list[i64] = []
        if self.is_over(scored):
            return found
        empty = self.full_mask ^ (light | dark)
        if spawn >> 5 if mover else spawn & 31:
            targets = empty
            while targets:
                found.append(ones((targets & -targets) - 1) * 33)
                targets &= targets - 1
        movers = (dark if mover else light) & ~eggs
        while movers:
            source = movers & -movers
            movers ^= source
            targets = self.reachable_cells(source, tadpoles) & empty
            while targets:
                found.append(ones((targets & -targets) - 1) + 32 * ones(source - 1))
                targets &= targets - 1
        return found

    def nth_action(self, position: PackedPosition, number: i64) -> i64:
        """The action of that number in `actions`, from 0, without making all of them; -1 if there are not so many."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if self.is_over(scored):
            return -1
        empty = self.full_mask ^ (light | dark)
        if spawn >> 5 if mover else spawn & 31:
            here = ones(empty)
            if number < here:
                while number:
                    empty &= empty - 1
                    number -= 1
                return ones((empty & -empty) - 1) * 33
            number -= here
        movers = (dark if mover else light) & ~eggs
        while movers:
            source = movers & -movers
            movers ^= source
            targets = self.reachable_cells(source, tadpoles) & empty
            here = ones(targets)
            if number < here:
                while number:
                    targets &= targets - 1
                    number -= 1
                return ones((targets & -targets) - 1) + 32 * ones(source - 1)
            number -= here
        return -1

    # A turn

    def play_action(self, position: PackedPosition, action: i64) -> PackedPosition:
        """The position after a legal action."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        one: i64 = 1
        target = one << (action & 31)
        source = one << (action >> 5)
        if source == target:
            source = 0
        return self.play_masks(light, dark, eggs, tadpoles, spawn, scored, mover, source, target)

    def play_masks(
        self,
        light: i64,
        dark: i64,
        eggs: i64,
        tadpoles: i64,
        spawn: i64,
        scored: i64,
        mover: i64,
        source: i64,
        target: i64,
    ) -> PackedPosition:
        """As `play`, with the cells of the action told by masks; an egg's source is 0."""
        size = self.size

        # 1. Action: an egg from the spawn, or a tadpole or frog from its cell. Frogs have no mask of their own.
        stepped = source | target
        if not source:
            eggs |= target
            spawn -= 32 if mover else 1
        elif source & tadpoles:
            tadpoles ^= stepped
        if mover:
            dark ^= stepped
        else:
            light ^= stepped
        pieces = light | dark

        # 2. Develop, all at the same moment: beside the target, eggs and tadpoles begin or cease to be tadpoles, and
        # eggs and frogs cease or begin to be eggs.
        beside = target << 1 & self.not_first | target >> 1 & self.not_last | target << size | target >> size
        beside &= pieces
        growing = beside & (eggs | tadpoles)
        eggs ^= beside & ~tadpoles
        tadpoles ^= growing

        # 3. Score: a set begins where a piece is like the next one of its row, and that one like the next again; so for
        # columns. All sets are found before any piece leaves.
        alike = pieces & pieces >> 1 & self.not_last & ~(eggs ^ eggs >> 1 | tadpoles ^ tadpoles >> 1)
        rows = alike & alike >> 1
        alike = pieces & pieces >> size & ~(eggs ^ eggs >> size | tadpoles ^ tadpoles >> size)
        columns = alike & alike >> size
        if rows | columns:
            taken = rows | rows << 1 | rows << 2 | columns | columns << size | columns << 2 * size
            scored += ones(light & taken) + 32 * ones(dark & taken)
            stays = ~taken
            light &= stays
            dark &= stays
            eggs &= stays
            tadpoles &= stays
        return light, dark, eggs, tadpoles, spawn, scored, 1 - mover

    def outcome(self, position: PackedPosition) -> i64:
        """`LIGHT_WINS`, `DARK_WINS`, `DRAWN_KEYS`, or `UNDECIDED` while the game goes on.

        Score is looked at first: a side that has just passed the target wins even if the other cannot act.
        """
        scored = position[5]
        if self.is_over(scored):
            light, dark = scored & 31, scored >> 5
            if light == dark:
                return DRAWN
            return LIGHT_WINS if light > dark else DARK_WINS
        if self.count_actions(position):
            return UNDECIDED
        return LIGHT_WINS if position[6] else DARK_WINS

    def position_key(self, position: PackedPosition) -> i64:
        """A number for a table of positions, from 0 to `MAX_WORD`; the same for the same position, on every machine.

        Two different positions have the same key with a chance of one in 2 ** 62, and never if they differ in their
        symbols and spawns alone. Seven numbers stirred twice are made faster than a sum over a table for each piece.
        """
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        return self.masks_key(light, dark, eggs, tadpoles, spawn, scored, mover)

    def masks_key(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64) -> i64:
        """As `key`."""
        owners = light | dark << 25 | scored << 50 | mover << 60
        symbols = eggs | tadpoles << 25 | spawn << 50
        return mix_bits(mix_bits(owners ^ 0x2545F4914F6CDD1D) ^ symbols)

    # Counting sequences

    def count_sequences(self, position: PackedPosition, depth: i64) -> i64:
        """The number of legal sequences of exactly `depth` actions; a finished game adds nothing.

        The last action of each sequence is counted without being played.
        """
        if depth < 1:
            return 1
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if depth == 1:
            return self.count_masked(light, dark, eggs, tadpoles, spawn, scored, mover)
        return self._count_sequences(light, dark, eggs, tadpoles, spawn, scored, mover, depth, 1)

    def count_played(self, position: PackedPosition, depth: i64) -> i64:
        """The same number, with every action played and every last position looked at.

        What was seen is added up in `checksum`, so that it can be compared: eggs, five times the tadpoles, 25 times
        light's pieces and 125 times what is in the spawns and scored, of each last position.
        """
        self.checksum = 0
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if depth < 1:
            self._add_checksum(light, eggs, tadpoles, spawn, scored)
            return 1
        return self._count_sequences(light, dark, eggs, tadpoles, spawn, scored, mover, depth, 0)

    def _add_checksum(self, light: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64) -> None:
        self.checksum = self.checksum + eggs + 5 * tadpoles + 25 * light + 125 * (spawn ^ scored << 10) & MAX_WORD

    def _count_sequences(
        self,
        light: i64,
        dark: i64,
        eggs: i64,
        tadpoles: i64,
        spawn: i64,
        scored: i64,
        mover: i64,
        depth: i64,
        counted: i64,
    ) -> i64:
        """As `count_sequences`, of one action or more; the last `counted` of them, one or none, are counted and not played."""
        if self.is_over(scored):
            return 0
        total: i64 = 0
        depth -= 1
        empty = self.full_mask ^ (light | dark)
        movers = (dark if mover else light) & ~eggs
        source: i64 = 0  # first the eggs from the spawn, then one piece after the other
        targets: i64 = empty if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while targets:
                target = targets & -targets
                targets ^= target
                light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_ = self.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source, target
                )
                if depth > counted:
                    total += self._count_sequences(
                        light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, depth, counted
                    )
                elif counted:
                    total += self.count_masked(light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_)
                else:
                    self._add_checksum(light_, eggs_, tadpoles_, spawn_, scored_)
                    total += 1
            if not movers:
                return total
            source = movers & -movers
            movers ^= source
            targets = self.reachable_cells(source, tadpoles) & empty

    # Games of chance

    def seed_random(self, number: int) -> None:
        """Begin the chances anew: the same whole number from 0 to `MAX_WORD`, the same games, compiled or not."""
        self.random_state = mix_bits(number)

    def random_below(self, many: i64) -> i64:
        """A number from 0 to many - 1 (many up to 2 ** 31), by chance.

        The step of a linear congruence with all of 2 ** 62 as its period; only its upper half is good enough.
        """
        self.random_state = self.random_state * 0x1851F42D4C957F2D + 1 & MAX_WORD
        return (self.random_state >> 31) * many >> 31

    def play_random(self, position: PackedPosition, most: i64 = MAX_GAME_ACTIONS) -> tuple[PackedPosition, i64]:
        """Play blindly to the end, every legal action as likely as any other: the last position, and how many actions.

        After `most` actions the game is broken off.
        """
        length: i64 = 0
        while length < most:
            many = self.count_actions(position)
            if not many:
                break
            position = self.play_action(position, self.nth_action(position, self.random_below(many)))
            length += 1
        return position, length

    def play_random_games(
        self, position: PackedPosition, games: i64, most: i64 = MAX_GAME_ACTIONS
    ) -> tuple[i64, i64, i64, i64]:
        """So many random games from a position: how many light won, dark won and were drawn, and all their actions."""
        light: i64 = 0
        dark: i64 = 0
        drawn: i64 = 0
        actions: i64 = 0
        while games > 0:
            games -= 1
            last, length = self.play_random(position, most)
            actions += length
            ending = self.outcome(last)
            if ending == LIGHT_WINS:
                light += 1
            elif ending == DARK_WINS:
                dark += 1
            elif ending == DRAWN:
                drawn += 1
        return light, dark, drawn, actions

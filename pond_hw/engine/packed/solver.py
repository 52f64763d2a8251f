"""What a small pond is really worth: every position that play can come to, with who wins it and in how many actions.

There is nothing to judge here, for nothing is left out. Three rows are few enough: the largest ponds that anybody will
ask about have some tens of millions of positions up to the eight ways in which a square can be turned and mirrored.

An egg that has been placed never comes back into the spawn, nor a scored piece onto the board. So the positions lie in
*layers*, one for what is in the spawns and what has been scored, and a turn either stays in its layer (a piece moves,
nothing scores) or leaves it for a later one, for good. Two walks are made over them:

- `explore` goes from the first layer to the last and finds the positions: from those that came in from earlier layers,
  all that moves lead to.
- `solve` goes from the last layer back to the first. What leaves a layer is known then. Inside a layer it works
  backwards: a position is won if an action leads to one that is lost for the other side, and lost if all lead to won
  ones. The nearest ends are settled first, so that the number of actions is right as well: the shortest way to win, the
  longest to lose. What is never settled is drawn: repetition ends no game, and there neither side can force anything.

A position is kept in one number: its four masks as `rules.py` has them, nine bits each, and the mover, of that one of
the eight images where this is least; above these a note of what is known. With the colours exchanged, and the mover
with them, it is the same position for all that is asked here: light is always the side with more in the spawn, or with
more scored if they have as much, or, if they have that too, the mover. Like rules.py this is plain typed Python which
`make fast` compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import WORD, Rules, ones
from pond_hw.engine.packed.search import WON, zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import Bare

CELLS: Final = 9
"""Cells of the only grid that this is for."""

ONE_MASK: Final = 511
"""Nine bits."""

TAKEN: Final = 1 << 37
"""Set in every number that stands for a position, so that none is 0."""

KEY: Final = (1 << 38) - 1
"""The bits of a position; above them stands its note."""

NOTE: Final = 38

IS_WON: Final = 1
IS_LOST: Final = 2
SETTLED: Final = 4
"""In a note, with the distance above these three bits. What is not settled yet may still turn out to be nearer."""

FURTHEST: Final = 999
"""Actions to the end, at the most, so that values of games that end keep apart from all others (`search.SURE`)."""

ENDED: Final = -1

OFTEN: Final = (1 << 13) - 1
"""After so many positions, about, whoever waits is told."""


class Layer:
    """The positions with the same spawns and scores, in a table that is never more than two thirds full.

    Attributes:
        spawn, scored: as in a position.
        alike: 1 if both sides have the same there, else 0.
        words: the table: position and note in one number, or 0.
        many: how many positions there are.
    """

    def __init__(self, spawn: i64, scored: i64) -> None:
        self.spawn: i64 = spawn
        self.scored: i64 = scored
        self.alike: i64 = 1 if spawn & 31 == spawn >> 5 and scored & 31 == scored >> 5 else 0
        self.words: vec[i64] = zeros(4)
        self.mask: i64 = 3
        self.many: i64 = 0

    def place(self, key: i64) -> i64:
        """Where in the table a position is, or, if there is a 0, where it belongs."""
        at = (key * 0x1851F42D4C957F2D & WORD) >> 30 & self.mask
        while True:
            word = self.words[at]
            if not word or word & KEY == key:
                return at
            at = at + 1 & self.mask

    def add(self, key: i64) -> bool:
        """Put a position into the table; False if it is there already."""
        at = self.place(key)
        if self.words[at]:
            return False
        self.words[at] = key
        self.many += 1
        if 3 * self.many > 2 * self.mask:
            old = self.words
            many = self.mask + 1
            self.words = zeros(2 * many)
            self.mask = 2 * many - 1
            at = 0
            while at < many:
                word = old[at]
                if word:
                    self.words[self.place(word)] = word
                at += 1
        return True


class Exact:
    """Solves a pond of three rows.

    Args:
        rules: of the pond.
        spawn: eggs of each side before the first turn.

    Attributes:
        positions: how many have been found, up to symmetry and colour, without those where enough has been scored.
        places: how many places there are in all tables; one takes 8 bytes compiled.
        explored, solved: whether the one and the other walk has come to its end.
        found, done: how far the walks are: positions from which the first has gone on, and how much the second has
            done, from 0 to twice `positions`.
        tell: called every now and then, while it works.
        furthest: the longest that a decided game can be drawn out, if both do their best, from any position.
    """

    def __init__(self, rules: Rules, spawn: int) -> None:
        self.rules = rules
        self.images: vec[i64] = zeros(8 * 512)
        self.least: vec[i64] = zeros(512)
        self.layers: list[Layer] = []
        self.spawns: i64 = spawn + 1
        self.numbers: vec[i64] = zeros((spawn + 1) * (spawn + 1) * rules.target * rules.target)
        self.order: list[i64] = []
        self.known: list[i64] = []
        self.next: i64 = 0
        self.where: i64 = 0
        self.keys: vec[i64] = zeros(256)
        self.wheres: vec[i64] = zeros(256)
        self.promised: vec[i64] = zeros(FURTHEST + 3)
        self.promises: i64 = 0
        self.positions: i64 = 0
        self.places: i64 = 0
        self.found: i64 = 0
        self.done: i64 = 0
        self.tell: Callable[[], object] = bool
        self.explored: bool = False
        self.solved: bool = False
        self.furthest: i64 = 0
        self._turn_square()
        self._put_in_order()
        light, dark, eggs, tadpoles, both, scored, mover = rules.start(spawn)
        key = self._called(light, dark, eggs, tadpoles, both, scored, mover)
        self.layers[self.numbers[self.where] - 1].add(key)

    def explore(self) -> bool:
        """Find all positions of the next layer; False when there is none left."""
        while self.next < len(self.order):
            where = self.order[self.next]
            self.next += 1
            number = self.numbers[where]
            if number:
                self.known.append(where)
                self._explore(self.layers[number - 1], where)
                return True
        self.explored = True
        return False

    def solve(self) -> bool:
        """Settle all positions of the layer before; False when there is none left."""
        if not self.explored:
            raise ValueError("explore first")
        if not self.known:
            self.solved = True
            return False
        where = self.known.pop()
        self._solve(self.layers[self.numbers[where] - 1])
        return True

    def value(self, position: Bare) -> i64:
        """What a position is worth to the side to move, as `Search` tells it: 0, or `WON` less the actions until then.

        Raises:
            KeyError: play cannot come to it, or the pond is not solved.
        """
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if self.rules.over(scored):
            note = self._ended(scored, mover)
        else:
            note = -1
            spawns = self.spawns
            if self.solved and spawn & 31 < spawns and spawn >> 5 < spawns:
                key = self._called(light, dark, eggs, tadpoles, spawn, scored, mover)
                number = self.numbers[self.where]
                if number:
                    layer = self.layers[number - 1]
                    word = layer.words[layer.place(key)]
                    if word:
                        note = word >> NOTE
        if note < 0:
            raise KeyError("no position of this pond, or the pond is not solved")
        if note & IS_WON:
            return WON - (note >> 3)
        if note & IS_LOST:
            return (note >> 3) - WON
        return 0

    def values(self, position: Bare) -> list[i64]:
        """What each legal action, in the order of `Rules.actions`, is worth to the side that takes it."""
        found: list[i64] = []
        for action in self.rules.actions(position):
            value = -self.value(self.rules.play(position, action))
            if value > 0:
                value -= 1
            elif value < 0:
                value += 1
            found.append(value)
        return found

    def best(self, position: Bare) -> list[i64]:
        """Every action that is worth as much as any other: that wins soonest, or draws, or loses latest."""
        actions = self.rules.actions(position)
        values = self.values(position)
        most = max(values, default=0)
        return [actions[i] for i in range(len(actions)) if values[i] == most]

    # The square and its eight images

    def _turn_square(self) -> None:
        """Work out the images of every mask, and which of the eight make it least.

        Of each mask `least` has its least image, and above its nine bits one bit for each way that leads there.
        """
        way: i64 = 0
        while way < 8:
            mask: i64 = 0
            while mask < 512:
                image: i64 = 0
                cell: i64 = 0
                while cell < CELLS:
                    if mask >> cell & 1:
                        x = cell % 3
                        y = cell // 3
                        if way & 1:
                            x = 2 - x
                        if way & 2:
                            y = 2 - y
                        image |= 1 << (3 * x + y if way & 4 else 3 * y + x)
                    cell += 1
                self.images[way * 512 + mask] = image
                here = self.least[mask]
                if way == 0 or image < here & ONE_MASK:
                    self.least[mask] = image | 1 << CELLS + way
                elif image == here & ONE_MASK:
                    self.least[mask] = here | 1 << CELLS + way
                mask += 1
            way += 1

    def _key(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, mover: i64, alike: i64) -> i64:
        """The number that a position shares with its images: least in light's mask, and of these in all others."""
        if alike and mover:
            light, dark = dark, light
            mover = 0
        least = self.least[light]
        ways = least >> CELLS
        others: i64 = -1
        while ways:
            base = 512 * ones((ways & -ways) - 1)
            ways &= ways - 1
            image = self.images[base + dark] | self.images[base + eggs] << 9 | self.images[base + tadpoles] << 18
            if others < 0 or image < others:
                others = image
        return least & ONE_MASK | others << 9 | mover << 36 | TAKEN

    def _called(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64) -> i64:
        """The number of any position, and in `where` that of its layer; while exploring, that layer is made."""
        more = 32 * ((spawn & 31) - (spawn >> 5)) + (scored & 31) - (scored >> 5)
        if more < 0:
            light, dark = dark, light
            spawn = spawn >> 5 | (spawn & 31) << 5
            scored = scored >> 5 | (scored & 31) << 5
            mover = 1 - mover
        self.where = self._where(spawn, scored)
        if not self.explored and not self.numbers[self.where]:
            self.layers.append(Layer(spawn, scored))
            self.numbers[self.where] = len(self.layers)
        return self._key(light, dark, eggs, tadpoles, mover, 0 if more else 1)

    # Layers

    def _where(self, spawn: i64, scored: i64) -> i64:
        """The number of a layer, among all that could be."""
        spawns, target = self.spawns, self.rules.target
        return (((spawn & 31) * spawns + (spawn >> 5)) * target + (scored & 31)) * target + (scored >> 5)

    def _put_in_order(self) -> None:
        """All layers that could be, so that whatever leaves one comes to a later one: fewer eggs, or more scored."""
        spawns, target = self.spawns, self.rules.target
        left: i64 = 2 * spawns - 2
        while left >= 0:
            scored: i64 = 0
            while scored <= 2 * target - 2:
                light: i64 = 0
                while light < spawns:
                    own: i64 = 0
                    while own < target:
                        if 0 <= left - light < spawns and 0 <= scored - own < target:
                            self.order.append(self._where(light + 32 * (left - light), own + 32 * (scored - own)))
                        own += 1
                    light += 1
                scored += 1
            left -= 1

    def _explore(self, layer: Layer, here: i64) -> None:
        """Find what moves lead to inside a layer, and let it into the later ones what leaves it."""
        waiting: list[i64] = []
        at: i64 = 0
        while at <= layer.mask:
            if layer.words[at]:
                waiting.append(layer.words[at])
            at += 1
        while waiting:
            many = self._after(waiting.pop(), layer)
            self.found += 1
            if not self.found & OFTEN:
                self.tell()
            at = 0
            while at < many:
                key = self.keys[at]
                where = self.wheres[at]
                if where == here:
                    if layer.add(key):
                        waiting.append(key)
                elif where != ENDED:
                    number = self.numbers[where]
                    self.layers[number - 1].add(key)
                at += 1
        self.positions += layer.many
        self.places += layer.mask + 1

    def _solve(self, layer: Layer) -> None:
        """Settle what can be settled in a layer, those that end soonest first."""
        promised = self.promised
        end = self.done + 2 * layer.many
        at: i64 = 0
        while at <= layer.mask:
            key = layer.words[at]
            if key:
                self._one_more()
                note = self._judged(key, layer)
                if note:
                    layer.words[at] = key | note << NOTE
                    promised[note >> 3] += 1
                    self.promises += 1
            at += 1
        distance: i64 = 0
        while self.promises:
            if distance > FURTHEST:
                raise OverflowError("a game that takes more actions than this was made for")
            if promised[distance]:
                at = 0
                while at <= layer.mask:
                    word = layer.words[at]
                    note = word >> NOTE
                    if note and note >> 3 == distance and not note & SETTLED:
                        layer.words[at] = word | SETTLED << NOTE
                        promised[distance] -= 1
                        self.promises -= 1
                        self._one_more()
                        self._tell(word & KEY, note, layer)
                    at += 1
                if distance > self.furthest:
                    self.furthest = distance
            distance += 1
        self.done = end

    def _one_more(self) -> None:
        self.done += 1
        if not self.done & OFTEN:
            self.tell()

    def _tell(self, key: i64, note: i64, layer: Layer) -> None:
        """A position has been settled: see what that means for those of its layer from which a move leads to it."""
        distance = note >> 3
        many = self._before(key, layer.alike)
        earlier: list[i64] = []
        at: i64 = 0
        while at < many:
            earlier.append(self.keys[at])  # judging uses the same place
            at += 1
        for key_ in earlier:
            place = layer.place(key_)
            word = layer.words[place]
            old = word >> NOTE
            if not word or old & SETTLED:
                continue
            if note & IS_LOST:
                new = distance + 1 << 3 | IS_WON
                if old and old <= new:
                    continue
            else:
                if old:
                    continue
                new = self._judged(key_, layer)
                if not new:
                    continue
            if old:
                self.promised[old >> 3] -= 1
                self.promises -= 1
            layer.words[place] = key_ | new << NOTE
            self.promised[new >> 3] += 1
            self.promises += 1

    def _judged(self, key: i64, layer: Layer) -> i64:
        """What the settled positions after this one say about it: a note that is not settled yet, or 0."""
        many = self._after(key, layer)
        if not many:
            return IS_LOST
        here = self._where(layer.spawn, layer.scored)
        shortest: i64 = FURTHEST + 1
        longest: i64 = 0
        open_ = False
        at: i64 = 0
        while at < many:
            where = self.wheres[at]
            note = self.keys[at]
            if where != ENDED:
                there = layer
                if where != here:
                    there = self.layers[self.numbers[where] - 1]
                note = there.words[there.place(note)] >> NOTE
            distance = note >> 3
            if not note & SETTLED:
                open_ = True
            elif note & IS_WON:
                if distance > longest:
                    longest = distance
            elif distance < shortest:
                shortest = distance
            at += 1
        if shortest <= FURTHEST:
            return shortest + 1 << 3 | IS_WON
        if open_:
            return 0
        return longest + 1 << 3 | IS_LOST

    def _ended(self, scored: i64, mover: i64) -> i64:
        """The note of a position where enough has been scored."""
        light = scored & 31
        dark = scored >> 5
        if light == dark:
            return 0
        return SETTLED | (IS_WON if (light > dark) == (mover == 0) else IS_LOST)

    # Turns, forwards and back

    def _after(self, key: i64, layer: Layer) -> i64:
        """All that can follow a position: how many, each in `keys`, with the number of its layer in `wheres`.

        Of a game that has ended there is the note instead, and `ENDED`.
        """
        rules = self.rules
        light = key & ONE_MASK
        dark = key >> 9 & ONE_MASK
        eggs = key >> 18 & ONE_MASK
        tadpoles = key >> 27 & ONE_MASK
        mover = key >> 36 & 1
        spawn = layer.spawn
        scored = layer.scored
        here = self._where(spawn, scored)
        many: i64 = 0
        empty = rules.full ^ (light | dark)
        movers = (dark if mover else light) & ~eggs
        source: i64 = 0
        targets: i64 = empty if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while targets:
                target = targets & -targets
                targets ^= target
                light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_ = rules.after(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source, target
                )
                if rules.over(scored_):
                    self.keys[many] = self._ended(scored_, mover_)
                    self.wheres[many] = ENDED
                else:
                    if spawn_ == spawn and scored_ == scored:
                        self.keys[many] = self._key(light_, dark_, eggs_, tadpoles_, mover_, layer.alike)
                        self.wheres[many] = here
                    else:
                        self.keys[many] = self._called(light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_)
                        self.wheres[many] = self.where
                many += 1
            if not movers:
                return many
            source = movers & -movers
            movers ^= source
            targets = rules.reach(source, tadpoles) & empty

    def _before(self, key: i64, alike: i64) -> i64:
        """All from which a move that scores nothing could have led here: how many, each in `keys`.

        The piece that moved goes back to any empty cell that it can reach, for moves go both ways; and what is beside
        the cell it stood on was one symbol younger. Some of these play can never have come to.
        """
        rules = self.rules
        size = rules.size
        light = key & ONE_MASK
        dark = key >> 9 & ONE_MASK
        eggs = key >> 18 & ONE_MASK
        tadpoles = key >> 27 & ONE_MASK
        mover = 1 - (key >> 36 & 1)
        pieces = light | dark
        empty = rules.full ^ pieces
        frogs = pieces ^ eggs ^ tadpoles
        movers = (dark if mover else light) & ~eggs
        many: i64 = 0
        while movers:
            target = movers & -movers
            movers ^= target
            beside = target << 1 & rules.not_first | target >> 1 & rules.not_last | target << size | target >> size
            younger_eggs = eggs & ~beside | tadpoles & beside
            younger_tadpoles = tadpoles & ~beside | frogs & beside
            sources = rules.reach(target, tadpoles) & empty
            while sources:
                source = sources & -sources
                sources ^= source
                stepped = source | target
                self.keys[many] = self._key(
                    light if mover else light ^ stepped,
                    dark ^ stepped if mover else dark,
                    younger_eggs,
                    younger_tadpoles ^ stepped if target & tadpoles else younger_tadpoles,
                    mover,
                    alike,
                )
                many += 1
        return many

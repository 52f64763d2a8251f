"""What a small pond is really worth: every position that play can come to, with who wins it and in how many actions.

There is nothing to judge here, for nothing is left out. Three rows are few enough: the largest ponds that anybody will
ask about have some tens of millions of positions up to the eight ways in which a square can be turned and mirrored.

An egg that has been placed never comes back into the spawn, nor a scored piece onto the board. So the positions lie in
*layers*, one for what is in the spawns and what has been scored, and a turn either stays in its layer (a piece moves,
nothing scores) or leaves it for a later one, for good. Two walks are made over them:

- `explore_layer` goes from the first layer to the last and finds the positions: from those that came in from earlier layers,
  all that moves lead to.
- `solve_layer` goes from the last layer back to the first. What leaves a layer is known then. Inside a layer it works
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

from pond_hw.engine.packed.rules import MAX_WORD, PackedRules, ones
from pond_hw.engine.packed.search import WIN_VALUE, zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

CELL_COUNT: Final = 9
"""Cells of the only grid that this is for."""

ONE_MASK: Final = 511
"""Nine bits."""

OCCUPIED_BIT: Final = 1 << 37
"""Set in every number that stands for a position, so that none is 0."""

KEY_MASK: Final = (1 << 38) - 1
"""The bits of a position; above them stands its note."""

NOTE_SHIFT: Final = 38

IS_WON: Final = 1
IS_LOST: Final = 2
SETTLED: Final = 4
"""In a note, with the distance above these three bits. What is not settled yet may still turn out to be nearer."""

MAX_DISTANCE: Final = 999
"""Actions to the end, at the most, so that values of games that end keep apart from all others (`search.SURE`)."""

ENDED_LAYER: Final = -1

PROGRESS_MASK: Final = (1 << 13) - 1
"""After so many positions, about, whoever waits is told."""


class SolverLayer:
    """The positions with the same spawns and scores, in a table that is never more than two thirds full.

    Attributes:
        spawn, scored: as in a position.
        alike: 1 if both sides have the same there, else 0.
        words: the table: position and note in one number, or 0.
        position_count: how many positions there are.
    """

    def __init__(self, spawn: i64, scored: i64) -> None:
        self.spawn: i64 = spawn
        self.scored: i64 = scored
        self.alike: i64 = 1 if spawn & 31 == spawn >> 5 and scored & 31 == scored >> 5 else 0
        self.words: vec[i64] = zeros(4)
        self.mask: i64 = 3
        self.position_count: i64 = 0

    def find_slot(self, key: i64) -> i64:
        """Where in the table a position is, or, if there is a 0, where it belongs."""
        at = (key * 0x1851F42D4C957F2D & MAX_WORD) >> 30 & self.mask
        while True:
            word = self.words[at]
            if not word or word & KEY_MASK == key:
                return at
            at = at + 1 & self.mask

    def add_position(self, key: i64) -> bool:
        """Put a position into the table; False if it is there already."""
        at = self.find_slot(key)
        if self.words[at]:
            return False
        self.words[at] = key
        self.position_count += 1
        if 3 * self.position_count > 2 * self.mask:
            old = self.words
            many = self.mask + 1
            self.words = zeros(2 * many)
            self.mask = 2 * many - 1
            at = 0
            while at < many:
                word = old[at]
                if word:
                    self.words[self.find_slot(word)] = word
                at += 1
        return True


class ExactSolver:
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
        on_progress: called every now and then, while it works.
        longest_win: the longest that a decided game can be drawn out, if both do their best, from any position.
    """

    def __init__(self, rules: PackedRules, spawn: int) -> None:
        self.rules = rules
        self.images: vec[i64] = zeros(8 * 512)
        self.least: vec[i64] = zeros(512)
        self.layers: list[SolverLayer] = []
        self.spawns: i64 = spawn + 1
        self.numbers: vec[i64] = zeros((spawn + 1) * (spawn + 1) * rules.target * rules.target)
        self.order: list[i64] = []
        self.known: list[i64] = []
        self.next: i64 = 0
        self.where: i64 = 0
        self.keys: vec[i64] = zeros(256)
        self.wheres: vec[i64] = zeros(256)
        self.promised: vec[i64] = zeros(MAX_DISTANCE + 3)
        self.promises: i64 = 0
        self.positions: i64 = 0
        self.places: i64 = 0
        self.found: i64 = 0
        self.done: i64 = 0
        self.on_progress: Callable[[], object] = bool
        self.explored: bool = False
        self.solved: bool = False
        self.longest_win: i64 = 0
        self._build_images()
        self._order_layers()
        light, dark, eggs, tadpoles, both, scored, mover = rules.start_position(spawn)
        key = self._locate_position(light, dark, eggs, tadpoles, both, scored, mover)
        self.layers[self.numbers[self.where] - 1].add_position(key)

    def explore_layer(self) -> bool:
        """Find all positions of the next layer; False when there is none left."""
        while self.next < len(self.order):
            where = self.order[self.next]
            self.next += 1
            number = self.numbers[where]
            if number:
                self.known.append(where)
                self._explore_positions(self.layers[number - 1], where)
                return True
        self.explored = True
        return False

    def solve_layer(self) -> bool:
        """Settle all positions of the layer before; False when there is none left."""
        if not self.explored:
            raise ValueError("explore first")
        if not self.known:
            self.solved = True
            return False
        where = self.known.pop()
        self._solve_positions(self.layers[self.numbers[where] - 1])
        return True

    def position_value(self, position: PackedPosition) -> i64:
        """What a position is worth to the side to move, as `PackedSearch` tells it: 0, or `WIN_VALUE` less the actions until then.

        Raises:
            KeyError: play cannot come to it, or the pond is not solved.
        """
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        if self.rules.is_over(scored):
            note = self._ended_note(scored, mover)
        else:
            note = -1
            spawns = self.spawns
            if self.solved and spawn & 31 < spawns and spawn >> 5 < spawns:
                key = self._locate_position(light, dark, eggs, tadpoles, spawn, scored, mover)
                number = self.numbers[self.where]
                if number:
                    layer = self.layers[number - 1]
                    word = layer.words[layer.find_slot(key)]
                    if word:
                        note = word >> NOTE_SHIFT
        if note < 0:
            raise KeyError("no position of this pond, or the pond is not solved")
        if note & IS_WON:
            return WIN_VALUE - (note >> 3)
        if note & IS_LOST:
            return (note >> 3) - WIN_VALUE
        return 0

    def action_values(self, position: PackedPosition) -> list[i64]:
        """What each legal action, in the order of `PackedRules.actions`, is worth to the side that takes it."""
        found: list[i64] = []
        for action in self.rules.legal_actions(position):
            value = -self.position_value(self.rules.play_action(position, action))
            if value > 0:
                value -= 1
            elif value < 0:
                value += 1
            found.append(value)
        return found

    def best_actions(self, position: PackedPosition) -> list[i64]:
        """Every action that is worth as much as any other: that wins soonest, or draws, or loses latest."""
        actions = self.rules.legal_actions(position)
        values = self.action_values(position)
        most = max(values, default=0)
        return [actions[i] for i in range(len(actions)) if values[i] == most]

    # The square and its eight images

    def _build_images(self) -> None:
        """Work out the images of every mask, and which of the eight make it least.

        Of each mask `least` has its least image, and above its nine bits one bit for each way that leads there.
        """
        way: i64 = 0
        while way < 8:
            mask: i64 = 0
            while mask < 512:
                image: i64 = 0
                cell: i64 = 0
                while cell < CELL_COUNT:
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
                    self.least[mask] = image | 1 << CELL_COUNT + way
                elif image == here & ONE_MASK:
                    self.least[mask] = here | 1 << CELL_COUNT + way
                mask += 1
            way += 1

    def _canonical_key(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, mover: i64, alike: i64) -> i64:
        """The number that a position shares with its images: least in light's mask, and of these in all others."""
        if alike and mover:
            light, dark = dark, light
            mover = 0
        least = self.least[light]
        ways = least >> CELL_COUNT
        others: i64 = -1
        while ways:
            base = 512 * ones((ways & -ways) - 1)
            ways &= ways - 1
            image = self.images[base + dark] | self.images[base + eggs] << 9 | self.images[base + tadpoles] << 18
            if others < 0 or image < others:
                others = image
        return least & ONE_MASK | others << 9 | mover << 36 | OCCUPIED_BIT

    def _locate_position(
        self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64
    ) -> i64:
        """The number of any position, and in `where` that of its layer; while exploring, that layer is made."""
        more = 32 * ((spawn & 31) - (spawn >> 5)) + (scored & 31) - (scored >> 5)
        if more < 0:
            light, dark = dark, light
            spawn = spawn >> 5 | (spawn & 31) << 5
            scored = scored >> 5 | (scored & 31) << 5
            mover = 1 - mover
        self.where = self._layer_index(spawn, scored)
        if not self.explored and not self.numbers[self.where]:
            self.layers.append(SolverLayer(spawn, scored))
            self.numbers[self.where] = len(self.layers)
        return self._canonical_key(light, dark, eggs, tadpoles, mover, 0 if more else 1)

    # Layers

    def _layer_index(self, spawn: i64, scored: i64) -> i64:
        """The number of a layer, among all that could be."""
        spawns, target = self.spawns, self.rules.target
        return (((spawn & 31) * spawns + (spawn >> 5)) * target + (scored & 31)) * target + (scored >> 5)

    def _order_layers(self) -> None:
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
                            self.order.append(self._layer_index(light + 32 * (left - light), own + 32 * (scored - own)))
                        own += 1
                    light += 1
                scored += 1
            left -= 1

    def _explore_positions(self, layer: SolverLayer, here: i64) -> None:
        """Find what moves lead to inside a layer, and let it into the later ones what leaves it."""
        waiting: list[i64] = []
        at: i64 = 0
        while at <= layer.mask:
            if layer.words[at]:
                waiting.append(layer.words[at])
            at += 1
        while waiting:
            many = self._fill_successors(waiting.pop(), layer)
            self.found += 1
            if not self.found & PROGRESS_MASK:
                self.on_progress()
            at = 0
            while at < many:
                key = self.keys[at]
                where = self.wheres[at]
                if where == here:
                    if layer.add_position(key):
                        waiting.append(key)
                elif where != ENDED_LAYER:
                    number = self.numbers[where]
                    self.layers[number - 1].add_position(key)
                at += 1
        self.positions += layer.position_count
        self.places += layer.mask + 1

    def _solve_positions(self, layer: SolverLayer) -> None:
        """Settle what can be settled in a layer, those that end soonest first."""
        promised = self.promised
        end = self.done + 2 * layer.position_count
        at: i64 = 0
        while at <= layer.mask:
            key = layer.words[at]
            if key:
                self._count_step()
                note = self._judge_position(key, layer)
                if note:
                    layer.words[at] = key | note << NOTE_SHIFT
                    promised[note >> 3] += 1
                    self.promises += 1
            at += 1
        distance: i64 = 0
        while self.promises:
            if distance > MAX_DISTANCE:
                raise OverflowError("a game that takes more actions than this was made for")
            if promised[distance]:
                at = 0
                while at <= layer.mask:
                    word = layer.words[at]
                    note = word >> NOTE_SHIFT
                    if note and note >> 3 == distance and not note & SETTLED:
                        layer.words[at] = word | SETTLED << NOTE_SHIFT
                        promised[distance] -= 1
                        self.promises -= 1
                        self._count_step()
                        self._update_predecessors(word & KEY_MASK, note, layer)
                    at += 1
                if distance > self.longest_win:
                    self.longest_win = distance
            distance += 1
        self.done = end

    def _count_step(self) -> None:
        self.done += 1
        if not self.done & PROGRESS_MASK:
            self.on_progress()

    def _update_predecessors(self, key: i64, note: i64, layer: SolverLayer) -> None:
        """A position has been settled: see what that means for those of its layer from which a move leads to it."""
        distance = note >> 3
        many = self._fill_predecessors(key, layer.alike)
        earlier: list[i64] = []
        at: i64 = 0
        while at < many:
            earlier.append(self.keys[at])  # judging uses the same place
            at += 1
        for key_ in earlier:
            place = layer.find_slot(key_)
            word = layer.words[place]
            old = word >> NOTE_SHIFT
            if not word or old & SETTLED:
                continue
            if note & IS_LOST:
                new = distance + 1 << 3 | IS_WON
                if old and old <= new:
                    continue
            else:
                if old:
                    continue
                new = self._judge_position(key_, layer)
                if not new:
                    continue
            if old:
                self.promised[old >> 3] -= 1
                self.promises -= 1
            layer.words[place] = key_ | new << NOTE_SHIFT
            self.promised[new >> 3] += 1
            self.promises += 1

    def _judge_position(self, key: i64, layer: SolverLayer) -> i64:
        """What the settled positions after this one say about it: a note that is not settled yet, or 0."""
        many = self._fill_successors(key, layer)
        if not many:
            return IS_LOST
        here = self._layer_index(layer.spawn, layer.scored)
        shortest: i64 = MAX_DISTANCE + 1
        longest: i64 = 0
        open_ = False
        at: i64 = 0
        while at < many:
            where = self.wheres[at]
            note = self.keys[at]
            if where != ENDED_LAYER:
                there = layer
                if where != here:
                    there = self.layers[self.numbers[where] - 1]
                note = there.words[there.find_slot(note)] >> NOTE_SHIFT
            distance = note >> 3
            if not note & SETTLED:
                open_ = True
            elif note & IS_WON:
                if distance > longest:
                    longest = distance
            elif distance < shortest:
                shortest = distance
            at += 1
        if shortest <= MAX_DISTANCE:
            return shortest + 1 << 3 | IS_WON
        if open_:
            return 0
        return longest + 1 << 3 | IS_LOST

    def _ended_note(self, scored: i64, mover: i64) -> i64:
        """The note of a position where enough has been scored."""
        light = scored & 31
        dark = scored >> 5
        if light == dark:
            return 0
        return SETTLED | (IS_WON if (light > dark) == (mover == 0) else IS_LOST)

    # Turns, forwards and back

    def _fill_successors(self, key: i64, layer: SolverLayer) -> i64:
        """All that can follow a position: how many, each in `keys`, with the number of its layer in `wheres`.

        Of a game that has ended there is the note instead, and `ENDED_LAYER`.
        """
        rules = self.rules
        light = key & ONE_MASK
        dark = key >> 9 & ONE_MASK
        eggs = key >> 18 & ONE_MASK
        tadpoles = key >> 27 & ONE_MASK
        mover = key >> 36 & 1
        spawn = layer.spawn
        scored = layer.scored
        here = self._layer_index(spawn, scored)
        many: i64 = 0
        empty = rules.full_mask ^ (light | dark)
        movers = (dark if mover else light) & ~eggs
        source: i64 = 0
        targets: i64 = empty if (spawn >> 5 if mover else spawn & 31) else 0
        while True:
            while targets:
                target = targets & -targets
                targets ^= target
                light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_ = rules.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source, target
                )
                if rules.is_over(scored_):
                    self.keys[many] = self._ended_note(scored_, mover_)
                    self.wheres[many] = ENDED_LAYER
                else:
                    if spawn_ == spawn and scored_ == scored:
                        self.keys[many] = self._canonical_key(light_, dark_, eggs_, tadpoles_, mover_, layer.alike)
                        self.wheres[many] = here
                    else:
                        self.keys[many] = self._locate_position(
                            light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_
                        )
                        self.wheres[many] = self.where
                many += 1
            if not movers:
                return many
            source = movers & -movers
            movers ^= source
            targets = rules.reachable_cells(source, tadpoles) & empty

    def _fill_predecessors(self, key: i64, alike: i64) -> i64:
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
        empty = rules.full_mask ^ pieces
        frogs = pieces ^ eggs ^ tadpoles
        movers = (dark if mover else light) & ~eggs
        many: i64 = 0
        while movers:
            target = movers & -movers
            movers ^= target
            beside = target << 1 & rules.not_first | target >> 1 & rules.not_last | target << size | target >> size
            younger_eggs = eggs & ~beside | tadpoles & beside
            younger_tadpoles = tadpoles & ~beside | frogs & beside
            sources = rules.reachable_cells(target, tadpoles) & empty
            while sources:
                source = sources & -sources
                sources ^= source
                stepped = source | target
                self.keys[many] = self._canonical_key(
                    light if mover else light ^ stepped,
                    dark ^ stepped if mover else dark,
                    younger_eggs,
                    younger_tadpoles ^ stepped if target & tadpoles else younger_tadpoles,
                    mover,
                    alike,
                )
                many += 1
        return many

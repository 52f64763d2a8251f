"""Looking ahead: which action leads to the most, if both sides do the best they can.

This is alpha-beta search as chess programs know it, made for Pond. From a position every action is tried, every answer
to it, and so on for some *depth*; what stands at the end of a line is *evaluated*; and the side to move takes what is
best for it. All the rest is there to look at less and miss nothing:

- a *window* (alpha, beta): what both sides have elsewhere already. A line that one of them would not go into needs no
  further look.
- *deepening*: depth 1, then 2, and so on. The shallow search costs little and says what to look at first in the deeper.
- a *table* of positions: many orders of the same actions lead to one position, which is searched once.
- *order*: what the table remembers, then what scores, then what refuted a neighbouring line (*killers*), then what has
  often been good (*history*).
- the *principal variation*: the first action gets a full search; of each other one only is asked whether it is better.
- *late actions* are searched less deep, unless they turn out better than thought.
- *quiet ends*: nothing is evaluated in the middle of an exchange; actions that score are looked at to their end.

Values are hundredths of a scored piece, seen by the side to move. From `SURE` up a game is won, whatever the other side
does: `WIN_VALUE` less the number of actions until then. A position that comes up again on the way counts as a draw, for
nobody would get further there.

Like rules.py this is plain typed Python which `make fast` compiles, together with it; the same advice holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import DARK_WINS, DRAWN, PackedRules, ones

if TYPE_CHECKING:
    from librt.vecs import append, vec
    from mypy_extensions import i64

    from pond_hw.engine.packed.rules import PackedPosition

PIECE_VALUE: Final = 100
"""A piece scored more than the other side."""

MOBILITY_VALUE: Final = 3
"""A legal action more than the other side would have if it were its turn."""

WIN_VALUE: Final = 20_000
"""The value of a game that is won, less the actions until then."""

SURE_VALUE: Final = WIN_VALUE - 1_000
"""Values from this one up are won games, from its negative down lost ones."""

MAX_DEPTH: Final = 60
"""No line is searched further than this."""

EXCHANGE_DEPTH: Final = 4
"""Actions that score are looked at so far beyond the depth that was asked for."""

EXACT_BOUND: Final = 1
LOWER_BOUND: Final = 2
UPPER_BOUND: Final = 3


def zeros(many: i64) -> vec[i64]:
    """So many machine words, all 0."""
    words = vec[i64](capacity=many)
    for _ in range(many):
        words = append(words, 0)
    return words


if __file__.endswith(".py"):
    globals()["zeros"] = lambda many: [0] * many  # for the interpreter a list is the quickest


class PackedSearch:
    """Searches positions of one pond, one after the other.

    Args:
        rules: of the pond.
        places: how many positions the table can remember, a power of two; each takes 16 bytes compiled.

    Attributes:
        nodes: positions looked at since `begin`.
        actions: what can be done in the position that was begun with, best first.
        values: what is known of these: exact for the first, and for those within `margin` of it; for others at most so.
        finished_depth: the depth to which all of them have been searched.
        stopped: whether the last search was broken off.
        reduces_late: whether late actions are searched less deep. Without it a value is exactly what looking at everything
            would give.
    """

    def __init__(self, rules: PackedRules, places: int) -> None:
        self.rules = rules
        self.table_keys: vec[i64] = zeros(places)
        self.table_entries: vec[i64] = zeros(places)
        self.mask: i64 = places - 1
        self.age: i64 = 0
        self.killers: vec[i64] = zeros(2 * (MAX_DEPTH + 2))
        self.history: vec[i64] = zeros(2 * 1024)
        self.found: vec[i64] = zeros((MAX_DEPTH + 2) * 256)
        self.worth: vec[i64] = zeros((MAX_DEPTH + 2) * 256)
        self.path: vec[i64] = zeros(1024)
        self.past: i64 = 0
        self.root: PackedPosition = rules.start_position(1)
        self.nodes: i64 = 0
        self.most: i64 = 0
        self.every: i64 = 1
        self.ask_at: i64 = 0
        self.margin: i64 = 0
        self.stopped: bool = False
        self.reduces_late: bool = True
        self.stop: Callable[[], bool] = bool
        self.actions: list[i64] = []
        self.values: list[i64] = []
        self.finished_depth: i64 = 0

    def begin_search(
        self,
        position: PackedPosition,
        past: list[i64],
        stop: Callable[[], bool],
        most: int = 0,
        every: int = 4096,
        margin: int = 0,
        keep: bool = False,
    ) -> None:
        """Turn to a position that is not over.

        Args:
            position: what to search.
            past: keys of the positions of the game before this one, the last 500 of them at most.
            stop: asked now and then; when it says yes, the search is broken off.
            most: nodes after which it is broken off too, always at the same one; 0 for no such bound.
            every: nodes from one question to the next.
            margin: how far below the best the values of other actions are wanted.
            keep: whether what the table holds is still used; if not, it is forgotten.
        """
        self.root = position
        self.past = 0
        for key in past[-500:]:
            self.path[self.past] = key
            self.past += 1
        if not keep:
            self.age += 1
            if self.age == 256:  # a note has eight bits for it
                self.table_entries = zeros(self.mask + 1)
                self.age = 1
        i: i64 = 0
        while i < 2048:
            self.history[i] = 0
            i += 1
        i = 0
        while i < 2 * (MAX_DEPTH + 2):
            self.killers[i] = -1
            i += 1
        self.nodes = 0
        self.most = most or 1 << 60
        self.every = every
        self.ask_at = every
        self.margin = margin
        self.stopped = False
        self.stop = stop
        self.finished_depth = 0
        self.actions = self.rules.legal_actions(position)
        self.values = [0] * len(self.actions)

    def search_depth(self, depth: i64) -> bool:
        """Search every action to so many actions in all, those of the last search in the order of what they were worth.

        Returns:
            Whether the search came to its end. If not, `actions` and `values` hold what has been found until then.
        """
        rules = self.rules
        light, dark, eggs, tadpoles, spawn, scored, mover = self.root
        self.path[self.past] = rules.masks_key(light, dark, eggs, tadpoles, spawn, scored, mover)
        actions: list[i64] = []
        values: list[i64] = []
        best: i64 = -WIN_VALUE
        one: i64 = 1
        at: i64 = 0
        many: i64 = len(self.actions)
        while at < many:
            action = self.actions[at]
            target = one << (action & 31)
            source = one << (action >> 5)
            if source == target:
                source = 0
            light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_ = rules.play_masks(
                light, dark, eggs, tadpoles, spawn, scored, mover, source, target
            )
            since: i64 = 0 if spawn_ == spawn and scored_ == scored else self.past + 1
            floor: i64 = best - self.margin - 1 if at else -WIN_VALUE
            if floor < -WIN_VALUE:
                floor = -WIN_VALUE
            if at == 0 or self.margin:
                value = -self._search_value(
                    light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, depth - 1, -WIN_VALUE, -floor, 1, since
                )
            else:
                value = -self._search_value(
                    light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, depth - 1, -best - 1, -best, 1, since
                )
                if value > best and not self.stopped:
                    value = -self._search_value(
                        light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, depth - 1, -WIN_VALUE, -best, 1, since
                    )
            if self.stopped:
                break
            if value > best:
                best = value
            # What is best comes first; of equals, what came first before.
            place: i64 = len(values)
            while place > 0 and values[place - 1] < value:
                place -= 1
            actions.insert(place, action)
            values.insert(place, value)
            at += 1
        if at:
            left = self.actions[at:]
            known = self.values[at:]
            if left and best <= -SURE_VALUE and known[0] > best:
                # All that was looked at is lost: what was not is worth what it was one action ago, at most.
                actions = left + actions
                values = known + values
            else:
                for action in left:
                    actions.append(action)
                    values.append(-WIN_VALUE)
            self.actions = actions
            self.values = values
        if not self.stopped:
            self.finished_depth = depth
        return not self.stopped

    def rank_actions(self) -> None:
        """Only look what each action does at once: `values` are those of the positions after it, not looked into."""
        found: list[tuple[i64, i64]] = []
        for at in range(len(self.actions)):
            action = self.actions[at]
            position = self.rules.play_action(self.root, action)
            ending = self.rules.outcome(position)
            self.nodes += 1
            if ending == DRAWN:
                value: i64 = 0
            elif ending:
                value = WIN_VALUE - 1 if (ending == DARK_WINS) == (self.root[6] == 1) else 1 - WIN_VALUE
            else:
                value = -self.evaluate_position(position)
            found.append((-value, at))
        found.sort()
        self.values = [-each[0] for each in found]
        self.actions = [self.actions[each[1]] for each in found]

    def principal_variation(self, most: i64) -> list[i64]:
        """The actions that both sides are expected to take, as far as the table remembers them, `most` of them."""
        if not self.actions:
            return []
        found = [self.actions[0]]
        position = self.rules.play_action(self.root, found[0])
        seen = [self.rules.position_key(self.root)]
        while len(found) < most:
            key = self.rules.position_key(position)
            note = self._find_entry(key)
            action = (note >> 26 & 1023) if note else -1
            if key in seen or action < 0 or action not in self.rules.legal_actions(position):
                break
            seen.append(key)
            found.append(action)
            position = self.rules.play_action(position, action)
        return found

    def evaluate_position(self, position: PackedPosition) -> i64:
        """What a position is worth to the side to move without looking ahead: see `PIECE` and `MOBILITY_VALUE`."""
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        return self._evaluate_masks(
            light, dark, eggs, tadpoles, spawn, scored, mover, self.rules.count_actions(position)
        )

    # Inside

    def _evaluate_masks(
        self, light: i64, dark: i64, eggs: i64, tadpoles: i64, spawn: i64, scored: i64, mover: i64, many: i64
    ) -> i64:
        """As `evaluate_position`; `many` are the legal actions of the side to move."""
        ahead = (scored & 31) - (scored >> 5)
        if mover:
            ahead = -ahead
        others = self.rules.count_masked(light, dark, eggs, tadpoles, spawn, scored, 1 - mover)
        return PIECE_VALUE * ahead + MOBILITY_VALUE * (many - others)

    def _ended_value(self, scored: i64, mover: i64, ply: i64) -> i64:
        """The value of a game that one side, or both, have scored enough in."""
        ahead = (scored & 31) - (scored >> 5)
        if not ahead:
            return 0
        if mover:
            ahead = -ahead
        return WIN_VALUE - ply if ahead > 0 else ply - WIN_VALUE

    def _find_entry(self, key: i64) -> i64:
        """What the table has of a position, or 0."""
        at = key & self.mask
        if self.table_keys[at] == key:
            note = self.table_entries[at]
            if note >> 36 == self.age:
                return note
        at ^= 1
        if self.table_keys[at] == key:
            note = self.table_entries[at]
            if note >> 36 == self.age:
                return note
        return 0

    def _store_entry(self, key: i64, value: i64, bound: i64, depth: i64, action: i64, ply: i64) -> None:
        """Put a position into the table: where it is already, or instead of one that took less work.

        A note is one number, from its lowest bits: value + 32768 (16), bound (2), depth (8), action (10), age (8).
        Values of won games count from the position in the table, not from the root.
        """
        if value > SURE_VALUE:
            value += ply
        elif value < -SURE_VALUE:
            value -= ply
        note = value + 32768 | bound << 16 | depth << 18 | action << 26 | self.age << 36
        at = key & self.mask
        if self.table_keys[at] != key:
            old = self.table_entries[at]
            if old >> 36 == self.age and (old >> 18 & 255) > depth:
                at ^= 1
        self.table_keys[at] = key
        self.table_entries[at] = note

    def _search_value(
        self,
        light: i64,
        dark: i64,
        eggs: i64,
        tadpoles: i64,
        spawn: i64,
        scored: i64,
        mover: i64,
        depth: i64,
        alpha: i64,
        beta: i64,
        ply: i64,
        since: i64,
    ) -> i64:
        """The value of a position, exact between alpha and beta; else only a bound, on the same side of them.

        It is looked `depth` actions ahead. Alpha is what the side to move has elsewhere, beta what the other side has
        (as this one sees it). From the root to here it is `ply` actions; `since` is the first position on the path that
        this one could be again, for all before had more in a spawn, or fewer scored pieces.
        """
        rules = self.rules
        if rules.is_over(scored):
            return self._ended_value(scored, mover, ply)
        if depth < 1 or ply >= MAX_DEPTH:
            return self._search_exchange(
                light, dark, eggs, tadpoles, spawn, scored, mover, alpha, beta, ply, EXCHANGE_DEPTH
            )
        self.nodes += 1
        if self.nodes >= self.ask_at:
            self.ask_at = self.nodes + self.every
            if self.stop():
                self.stopped = True
        if self.stopped or self.nodes >= self.most:
            self.stopped = True
            return 0

        key = rules.masks_key(light, dark, eggs, tadpoles, spawn, scored, mover)
        here = self.past + ply
        before = here - 4
        while before >= since:
            if self.path[before] == key:
                return 0
            before -= 2
        self.path[here] = key

        # What is known of this position
        remembered: i64 = -1
        note = self._find_entry(key)
        if note:
            remembered = note >> 26 & 1023
            if note >> 18 & 255 >= depth:
                value = (note & 65535) - 32768
                if value > SURE_VALUE:
                    value -= ply
                elif value < -SURE_VALUE:
                    value += ply
                bound = note >> 16 & 3
                if bound == EXACT_BOUND:
                    return value
                if bound == LOWER_BOUND:
                    if value >= beta:
                        return value
                elif value <= alpha:
                    return value

        # All that can be done, and how promising each of it looks
        base = ply * 256
        many: i64 = 0
        empty = rules.full_mask ^ (light | dark)
        movers = (dark if mover else light) & ~eggs
        source: i64 = 0
        targets: i64 = empty if (spawn >> 5 if mover else spawn & 31) else 0
        killer = self.killers[2 * ply]
        second = self.killers[2 * ply + 1]
        while True:
            while targets:
                target = targets & -targets
                targets ^= target
                number = ones(target - 1)
                action = number * 33 if not source else number + 32 * ones(source - 1)
                _, _, _, _, _, scored_, _ = rules.play_masks(
                    light, dark, eggs, tadpoles, spawn, scored, mover, source, target
                )
                worth = self.history[mover * 1024 + action]
                if scored_ != scored:
                    gain = (scored_ & 31) - (scored & 31) - (scored_ >> 5) + (scored >> 5)
                    if mover:
                        gain = -gain
                    worth += gain << 32
                elif action == killer:
                    worth = 1 << 31
                elif action == second:
                    worth = 1 << 30
                if action == remembered:
                    worth = 1 << 40
                self.found[base + many] = action
                self.worth[base + many] = worth
                many += 1
            if not movers:
                break
            source = movers & -movers
            movers ^= source
            targets = rules.reachable_cells(source, tadpoles) & empty
        if not many:
            return ply - WIN_VALUE

        best: i64 = -WIN_VALUE
        best_action: i64 = 0
        first = alpha
        at: i64 = 0
        one: i64 = 1
        while at < many:
            # The most promising of what is left
            chosen = at
            most = self.worth[base + at]
            look = at + 1
            while look < many:
                if self.worth[base + look] > most:
                    chosen = look
                    most = self.worth[base + look]
                look += 1
            action = self.found[base + chosen]
            self.found[base + chosen] = self.found[base + at]
            self.worth[base + chosen] = self.worth[base + at]
            target = one << (action & 31)
            source = one << (action >> 5)
            if source == target:
                source = 0
            light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_ = rules.play_masks(
                light, dark, eggs, tadpoles, spawn, scored, mover, source, target
            )
            since_ = since if spawn_ == spawn and scored_ == scored else here + 1
            # The first has the whole window; of each other one it is asked whether it is better, at first less deep.
            less: i64 = 0
            if at >= 3 and depth >= 3 and most < 1 << 30 and self.reduces_late:
                less = 2 if at >= 8 else 1
            low = -alpha - 1 if at else -beta
            deep = depth - 1 - less
            value = -self._search_value(
                light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, deep, low, -alpha, ply + 1, since_
            )
            deep = depth - 1
            if value > alpha and less and not self.stopped:
                value = -self._search_value(
                    light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, deep, low, -alpha, ply + 1, since_
                )
            if at and alpha < value < beta and not self.stopped:
                value = -self._search_value(
                    light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, deep, -beta, -alpha, ply + 1, since_
                )
            if self.stopped:
                return 0
            if value > best:
                best = value
                best_action = action
                if value > alpha:
                    alpha = value
                    if value >= beta:
                        if scored_ == scored:
                            self._record_cutoff(mover, action, killer, depth, ply)
                        break
            at += 1
        bound = EXACT_BOUND
        if best >= beta:
            bound = LOWER_BOUND
        elif best <= first:
            bound = UPPER_BOUND
        self._store_entry(key, best, bound, depth, best_action, ply)
        return best

    def _record_cutoff(self, mover: i64, action: i64, killer: i64, depth: i64, ply: i64) -> None:
        """An action that refuted a line will be looked at sooner."""
        if action != killer:
            self.killers[2 * ply + 1] = killer
            self.killers[2 * ply] = action
        at = mover * 1024 + action
        self.history[at] += depth * depth
        if self.history[at] > 1 << 28:
            i: i64 = 0
            while i < 2048:
                self.history[i] >>= 1
                i += 1

    def _search_exchange(
        self,
        light: i64,
        dark: i64,
        eggs: i64,
        tadpoles: i64,
        spawn: i64,
        scored: i64,
        mover: i64,
        alpha: i64,
        beta: i64,
        ply: i64,
        left: i64,
    ) -> i64:
        """As `_value`, but only actions by which the side to move scores more than the other, `left` in a row."""
        rules = self.rules
        if rules.is_over(scored):
            return self._ended_value(scored, mover, ply)
        self.nodes += 1
        many = rules.count_masked(light, dark, eggs, tadpoles, spawn, scored, mover)
        if not many:
            return ply - WIN_VALUE
        best = self._evaluate_masks(light, dark, eggs, tadpoles, spawn, scored, mover, many)
        if best >= beta or not left:
            return best
        if best > alpha:
            alpha = best
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
                gain = (scored_ & 31) - (scored & 31) - (scored_ >> 5) + (scored >> 5)
                if mover:
                    gain = -gain
                if gain > 0:
                    value = -self._search_exchange(
                        light_, dark_, eggs_, tadpoles_, spawn_, scored_, mover_, -beta, -alpha, ply + 1, left - 1
                    )
                    if value > best:
                        best = value
                        if value >= beta:
                            return best
                        if value > alpha:
                            alpha = value
            if not movers:
                return best
            source = movers & -movers
            movers ^= source
            targets = rules.reachable_cells(source, tadpoles) & empty

"""Generator of positions in which there is one action to find, with proofs.

    python -m tests.engine.tactics --make 60    plays games until enough are found, and writes the file
    python -m tests.engine.tactics --show       draws them
    python -m tests.engine.proof_times          measures how long it takes to find their actions

The positions are found by exhaustive search to a fixed depth, without `engine.packed.search`. There are three kinds:

- `win in 1`: exactly one action wins at once.
- `win in 3`: no action wins at once; exactly one wins with the next action, whatever the reply.
- `save`: exactly one action prevents the other side from winning within the next three actions.

In tests/reference/tactics.json each position has two proofs, which can be checked with the rules alone:

    proof   why the best action is right (`win`), or why every other action is wrong (`save`)
    only    why no other action is right (`win`), or why the best action holds (`save`)

A win is written `@a1` if that action ends the game. Otherwise it is written `["@a1", {"b1b2": "@c1 @c2", "-": "@d1"}]`,
where every reply to @a1 is in one of the lists. After @c1 or @c2, b1b2 wins at once. The reply @d1 ends the game itself,
with the same winner. The `proof` of a save gives the other side's win after each other action, or `-` if that action
ends the game.

Defences are lists of this kind, too. The `only` of a win in 3 has a reply to each of the other actions, and the `only`
of a save has a reply to each action of the other side. `-` means that no reply is needed, because the game has ended
without that win. For a win in 1, `only` is empty: simply no other action ends the game that way.
"""

import argparse
import json
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter
from typing import NamedTuple

from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import DARK_WINS, LIGHT_WINS, pack_position, packed_rules, unpack_action, unpack_position
from pond_hw.engine.packed.rules import score_gain
from pond_hw.rules import Position, Variant, get_grid, parse_variant

FILE = Path(__file__).parents[1] / "reference" / "tactics.json"

PONDS = ("standard", "mini", "big", "small-14", "3x3/9/5", "4x4/8/5", "5x5/9/6")
"""Variants to play games in."""

PLAYERS = ("random", "greedy", "level-1", "level-2", "level-3")

SEARCHED_ACTIONS = 14
"""Number of actions at the end of a game that are searched for tactics."""


class Tactic(NamedTuple):
    """Position with one action to find. The module's docstring describes the proofs.

    Attributes:
        variant: name of the variant.
        position: position on one line.
        kind: `win in 1`, `win in 3` or `save`.
        plies: for a win, number of actions to the end of the game; for a save, number of actions within which the game would
            be lost.
        best: action to find.
        ends: ways in which the lines of the proof end: score, elimination, or both.
        greedy: True if the engine `greedy` may find the action, too.
        proof: proof that the action is right.
        only: proof that no other action is right.
    """

    variant: str
    position: str
    kind: str
    plies: int
    best: str
    ends: str
    greedy: bool
    proof: object
    only: object

    @property
    def pond(self) -> Variant:
        return parse_variant(self.variant)

    @property
    def start(self) -> Position:
        return Position.from_notation(self.position, self.pond)

    @property
    def way(self) -> str:
        """Kind of action to find: `place`, `step` or `hop`."""
        source, target = self.best[:-2].strip("@"), self.best[-2:]
        if not source:
            return "place"
        on = get_grid(self.pond.size)
        return "step" if target in on.list_cells(on.neighbour_masks[on.mask_by_cell[source]]) else "hop"


def read() -> list[Tactic]:
    """Return the stored tactics."""
    return [Tactic(**fields) for fields in json.loads(FILE.read_text(encoding="utf-8"))]


# Exhaustive search


def action_gain(rules, position, action):
    """Return how many more own pieces than opponent's pieces a legal action scores."""
    return score_gain(position[5], rules.play_action(position, action)[5], position[6])


class Prover:
    """Exhaustive search for wins on one pond.

    Args:
        pond: the variant.
    """

    def __init__(self, pond: Variant) -> None:
        self.pond, self.rules, self.ends = pond, packed_rules(pond), set()

    def name(self, action):
        return str(unpack_action(action, self.pond))

    def after(self, position):
        """Return all legal actions, each with the position after it."""
        return [(action, self.rules.play_action(position, action)) for action in self.rules.legal_actions(position)]

    def has_won(self, side, position):
        return self.rules.outcome(position) == (DARK_WINS if side else LIGHT_WINS)

    def win_at_once(self, position):
        """Return an action that wins at once, or None."""
        return next((action for action, after in self.after(position) if self.has_won(position[6], after)), None)

    def wins_after(self, side, position):
        """Return an action that wins at once for each reply, or None if there is no such action for one of the replies.

        If a reply itself ends the game with the win, its action is -1.
        """
        replies = {}
        for answer, after in self.after(position):
            win = -1 if self.has_won(side, after) else self.win_at_once(after)
            if win is None:
                return None
            replies[answer] = win
        return replies or None

    def forced(self, position):
        """Return a proof of a win within three actions, or None."""
        for action, after in self.after(position):
            if self.has_won(position[6], after):
                self._ends_in(after)
                return self.name(action)
        for action, after in self.after(position):
            replies = self.wins_after(position[6], after)
            if replies:
                return self._format_win(action, after, replies)
        return None

    def tactic(self, position):
        """Return the tactic in a position of a game in progress, or None."""
        self.ends = set()
        side, after = position[6], self.after(position)
        if len(after) < 4:
            return None
        at_once = [action for action, there in after if self.has_won(side, there)]
        if at_once:
            if len(at_once) > 1:
                return None
            self._ends_in(self.rules.play_action(position, at_once[0]))
            return self._make_tactic(position, "win in 1", 1, at_once[0], self.name(at_once[0]), {})
        wins = [(action, there, won) for action, there in after if (won := self.wins_after(side, there))]
        if wins:
            if len(wins) > 1:
                return None
            best, there, replies = wins[0]
            others = {action: self._saving_reply(side, there) for action, there in after if action != best}
            return self._make_tactic(
                position, "win in 3", 3, best, self._format_win(best, there, replies), self._group_replies(others)
            )
        return self._save(position, after)

    def _save(self, position, after):
        safe, lost = [], {}
        other = 1 - position[6]
        for action, there in after:
            if self.has_won(other, there):
                self._ends_in(there)
                win = "-"
            else:
                win = self.forced(there)
            if win:
                lost[self.name(action)] = win
            else:
                safe.append((action, there))
                if len(safe) > 1:
                    return None
        if not safe:
            return None
        best, there = safe[0]
        holds = {}
        for answer, later in self.after(there):
            holds[answer] = -1 if self.rules.outcome(later) else self._saving_reply(other, later)
        return self._make_tactic(position, "save", 4, best, lost, self._group_replies(holds))

    def _saving_reply(self, side, position):
        """Return a reply after which a side has not won and cannot win at once, or -1 if there is none."""
        for answer, after in self.after(position):
            if not self.has_won(side, after) and self.win_at_once(after) is None:
                return answer
        return -1

    def _format_win(self, action, after, replies):
        for answer, win in replies.items():
            last = self.rules.play_action(after, answer)
            self._ends_in(last if win < 0 else self.rules.play_action(last, win))
        return [self.name(action), self._group_replies(replies)]

    def _group_replies(self, replies):
        lists = {}
        for one, other in replies.items():
            lists.setdefault("-" if other < 0 else self.name(other), []).append(self.name(one))
        return {one: " ".join(others) for one, others in lists.items()}

    def _ends_in(self, position):
        self.ends.add("score" if self.rules.is_over(position[5]) else "elimination")

    def _make_tactic(self, position, kind, plies, best, proof, only):
        gains = {action: action_gain(self.rules, position, action) for action in self.rules.legal_actions(position)}
        greedy = gains[best] == max(gains.values())
        line = unpack_position(position, self.pond).notation_line
        ends = " and ".join(sorted(self.ends))
        return Tactic(self.pond.name, line, kind, plies, self.name(best), ends, greedy, proof, only)


def canonical_key(position: Position) -> str:
    """Return a key that is the same for positions that differ only in orientation and colours."""
    board, rest = position.notation_line.split(" ", 1)
    rows = board.split("/")
    images = []
    for _ in range(4):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        images += ["/".join(rows), "/".join(row[::-1] for row in rows)]
    mover, *numbers = rest.split()
    if mover == "d":
        images = [image.swapcase() for image in images]
        numbers = [numbers[1], numbers[0], numbers[3], numbers[2]]
    return f"{min(images)} {' '.join(numbers)}"


# Generator


def games(seed):
    """Yield an endless series of games, on each pond in turn, as lists of positions."""
    rng = Random(seed)
    minds = {name: make_engine(name, megabytes=1) for name in PLAYERS}
    for number in count():
        pond = parse_variant(PONDS[number % len(PONDS)])
        sides = [minds[rng.choice(PLAYERS)] for _ in range(2)]
        rules = packed_rules(pond)
        game, positions = EngineGame(pond, rules, rules.start_position(pond.spawn), ()), []
        while rules.count_actions(game.position) and len(positions) < 200:
            positions.append(game.position)
            game = game.after_action(sides[game.position[6]].choose_action(game, rng, bool))
        yield pond, positions


def make(many, seed):
    """Return this many tactics. Rare kinds are preferred."""
    found, seen, provers = {}, set(), {pond: Prover(parse_variant(pond)) for pond in PONDS}
    begun = perf_counter()
    for number, (pond, positions) in enumerate(games(seed)):
        for position in positions[-SEARCHED_ACTIONS:]:
            tactic = provers[pond.name].tactic(position)
            if tactic is None or canonical_key(tactic.start) in seen:
                continue
            seen.add(canonical_key(tactic.start))
            sort = (tactic.kind, tactic.way, tactic.ends, tactic.variant, str(tactic.start.to_move), tactic.greedy)
            found.setdefault(sort, []).append(tactic)
        if perf_counter() - begun > 240 or number > 12 * many:
            break
    print(f"{number + 1} games, {len(seen)} positions of {len(found)} sorts, {perf_counter() - begun:.0f} s")
    return sorted(_spread(found, many), key=lambda each: (each.kind, PONDS.index(each.variant), each.position))


def _spread(found, many):
    """Return an even mix of kinds, ways, ends, ponds and sides. Only a few may be found by the greedy engine."""

    def usage_count(sort, used):
        return sum(used.get((place, feature), 0) for place, feature in enumerate(sort[:5])) + used.get(sort, 0)

    shares = {"win in 1": many // 6, "win in 3": many // 2, "save": many - many // 2 - many // 6}
    chosen = []
    for kind, share in shares.items():
        sorts = {sort: list(those) for sort, those in found.items() if sort[0] == kind}
        used, greedy = {}, 0
        for _ in range(share):
            open_ = [sort for sort, those in sorts.items() if those and not (sort[5] and greedy >= share // 4)]
            if not open_:
                break
            sort = min(open_, key=lambda sort, used=used: (usage_count(sort, used), sort))
            chosen.append(sorts[sort].pop(0))
            greedy += sort[5]
            for feature in (*enumerate(sort[:5]), sort):
                used[feature] = used.get(feature, 0) + 1
    return chosen


def write(tactics):
    """Write the tactics, one per line."""
    lines = ",\n".join(json.dumps(tactic._asdict(), ensure_ascii=False) for tactic in tactics)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


# Command line


def to_engine_game(tactic):
    """Return an engine's game in the position of a tactic."""
    return EngineGame(tactic.pond, packed_rules(tactic.pond), pack_position(tactic.start), ())


def timed_choice(who, tactic, seed=0):
    """Return an engine's choice and the time it took, in seconds."""
    begun = perf_counter()
    action = who.choose_action(to_engine_game(tactic), Random(seed), bool)
    return str(unpack_action(action, tactic.pond)), perf_counter() - begun


def main():
    """Create the tactics, or show them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--make", metavar="N", type=int, help="find this number of positions and write them to the file"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=8, help="of the games (8)")
    parser.add_argument("--show", action="store_true", help="draw them")
    arguments = parser.parse_args()
    if arguments.make:
        write(make(arguments.make, arguments.seed))
    tactics = read()
    for feature in ("kind", "way", "ends", "variant", "greedy"):
        values = [getattr(tactic, feature) for tactic in tactics]
        print(f"{feature:<8}", ", ".join(f"{value}: {values.count(value)}" for value in sorted(set(values))))
    if arguments.show:
        for tactic in tactics:
            print(f"\n{tactic.variant}, {tactic.kind}: {tactic.best}\n{tactic.start}")


if __name__ == "__main__":
    main()

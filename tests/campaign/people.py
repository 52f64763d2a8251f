"""Simulated people with pieces: their intentions, hand movements and mistakes.

Everything that takes time is a generator; see `world.Waiting`.
"""

from collections import deque
from math import hypot

from pond_hw.messages.message import Message
from pond_hw.rules import FROG, TADPOLE, Action, find_outcome, legal_actions, play
from pond_hw.session import CellRole, MaskSensor, TakeAction, UndoTurns
from pond_hw.simulator.board_with_pieces import PhysicalPiece
from tests.campaign.oracle import Lookalikes
from tests.campaign.world import REACTION_SECONDS, Stuck
from tests.simulator.hands import SimulatedHands

HABITS = {
    "thinks for a minute": 0.02,
    "thinks for an hour": 0.001,
    "prefers a set": 0.5,
    "slides": 0.35,
    "takes a detour": 0.2,
    "fumbles first": 0.05,
    "puts it down badly": 0.05,
    "second turn at once": 0.01,
    "changes the mind": 0.03,
    "lifts a wrong piece": 0.03,
    "lifts two": 0.01,
    "illegal action": 0.02,
    "knocks a piece over": 0.015,
    "sweeps": 0.005,
    "an hour in the air": 0.002,
    "takes a wrong piece off": 0.01,
    "takes back": 0.015,
    "the other one tidies up": 0.15,
    "tidies up before the next one thinks": 0.3,
    "forgets to turn": 0.1,
    "turns slowly": 0.03,
    "turns several": 0.25,
    "forgets to take off": 0.07,
}
"""Probability of each habit, per turn or per piece."""

MISTAKES = (
    "changes the mind",
    "lifts a wrong piece",
    "lifts two",
    "illegal action",
    "knocks a piece over",
    "sweeps",
    "an hour in the air",
)

HOUR = 3600.0

BETWEEN_CELLS = 0.65
"""Distance from the middle of a neighbouring cell, in cells, within which that cell may detect a piece."""

MAX_LOOKS = 80
"""Number of looks at the board after which people give up, which is a failure."""

PATIENCE_SECONDS = 30.0
"""Seconds that people wait before they mask a sensor if the board asks for the impossible."""


class Person:
    """One of the two people.

    Args:
        side: Side that the person plays.
        world: Table.
        oracle: Observer that records the intentions.
        random: Random number generator.
    """

    def __init__(self, side, world, oracle, random):
        self.side, self.world, self.oracle, self.random = side, world, oracle, random
        self.name = str(side)
        self.hands = SimulatedHands(world.table, random)
        self.table = world.table
        self.other = None
        self.tidying = None
        self.hour = HOUR if world.companion is None else 60.0  # the lamps draw 30 frames a second

    # Basics

    def chance(self, habit):
        return self.random.random() < HABITS[habit]

    def log(self, what):
        self.world.log(self.name, what)

    def pause(self, least, most, alert=False):
        yield self.world.t + self.random.uniform(least, most), alert

    def glance(self):
        """Take a moment to look at the board."""
        yield self.world.t + self.random.uniform(*REACTION_SECONDS), False

    def until(self, motion):
        if motion.ends_at > self.world.t:
            yield motion.ends_at, False
        while not motion.is_done:
            yield self.world.t + 0.01, False
        self.world.moved_at = self.world.t

    def standing(self):
        return self.table.standing_pieces

    def resting(self):
        """Return the pieces that are not in a hand."""
        return {cell: token for cell, token in self.table.standing_pieces.items() if not self.table.is_handled(token)}

    def is_sensitive(self, cell):
        """Return True if a piece should not be lifted: if it was put back badly, a neighbouring sensor would detect an egg."""
        on, there = self.oracle.position.grid, self.standing()
        beside = on.list_cells(on.neighbour_masks[on.mask_by_cell[cell]])
        return any(keen in beside and keen not in there for keen in self.world.keen)

    def free(self, cell):
        return self.hands._is_free(cell)

    # Turns

    def turn(self):
        """Think, choose an action, carry it out, and make sure that it counts."""
        oracle = self.oracle
        yield from self.think()
        yield from self.wait_for_free_hands()
        for mistake in MISTAKES:
            if self.chance(mistake):
                yield from self.calm()
                yield from self.make_mistake(mistake)
        action = yield from self.choose()
        if action is None:
            return
        intended = oracle.intend(action)
        yield from self.carry_out(action)
        after = intended.turn.after
        quick = None
        if (
            not intended.turn.sets
            and not find_outcome(after)
            and self.chance("second turn at once")
            and not self.world.busy
            and self.other.is_tidy()
        ):
            quick = self.other.quick_action(intended.turn)
        if quick:
            oracle.figures.quick += 1
            yield from self.pause(0.0, 0.3)
            second = oracle.intend(quick)
            yield from self.other.carry_out(quick)
            yield from self.ensure_counted(intended)
            yield from self.other.ensure_counted(second)
        else:
            yield from self.ensure_counted(intended)

    def think(self):
        if self.chance("thinks for an hour"):
            self.log("thinks for an hour")
            yield from self.deny_surprises(self.hour)
        elif self.chance("thinks for a minute"):
            yield from self.deny_surprises(self.random.uniform(20.0, 90.0))
        else:
            yield from self.deny_surprises(self.random.uniform(0.5, 6.0))

    def deny_surprises(self, seconds):
        """Wait, and deny any unintended announcement."""
        until = self.world.t + seconds
        while self.world.t < until:
            if self.world.facts["about"]:
                yield from self.glance()
            else:
                yield until, True
            if self.world.facts["about"] and not self.world.fumbling:
                yield from self.refuse()

    def wait_for_free_hands(self):
        """Wait until the other person has tidied up and holds no wrong piece."""
        while self.world.fumbling or not self.is_tidy():
            yield from self.pause(0.2, 0.6)

    def is_tidy(self):
        return not self.tidying or self.tidying.done

    def calm(self):
        """Wait until no one is tidying up and board and game agree."""
        while self.world.busy or self.world.fumbling:
            yield from self.pause(0.2, 0.6)
        yield from self.repair()

    def choose(self):
        """Choose an action, often one that scores, and clear its target."""
        position = self.oracle.position
        actions = [
            each
            for each in legal_actions(position)
            if not {*each} & self.world.keen and each.source not in self.world.unmoved
        ]
        if not actions:
            return None
        action = None
        if self.chance("prefers a set"):
            score = {each: len(play(position, each).scored_cells[self.side]) for each in actions}
            best = max(score.values())
            if best:
                action = self.random.choice([each for each in actions if score[each] == best])
        action = action or self.random.choice(actions)
        while True:
            yield from self.wait_for_free_hands()
            if any(cell not in self.standing() for cell in self.world.facts["take_off"]) and not self.world.busy:
                yield from self.glance()
                if not self.world.busy:
                    self.mask_bad_sensor()  # the board asks for a scored piece that was removed long ago
            in_the_way = action.target in self.standing()
            source = action.source is None or action.source in self.resting()
            if source and not in_the_way and self.free(action.target):
                return action
            if action.target in self.resting() and action.target in self.world.facts["take_off"]:
                self.log(f"takes the scored piece off {action.target}, the target of the next action")
                yield from self.until(self.hands.take_off(action.target))
                yield from self.pause(0.1, 1.0)
                continue
            if not self.world.busy:
                yield from self.repair()
            yield from self.pause(0.1, 0.5)

    def quick_action(self, first):
        """Return an action that this side can take at once, if any.

        Together with the previous turn, it must not look like a single other action or like an undo.
        """
        there = self.resting()
        before = [set(turn.before.pieces) for turn in self.oracle.truth[-2:]]
        stood = set(first.before.pieces)
        single = [stood - {each.source} | {each.target} for each in legal_actions(first.before)]
        done = stood - {first.action.source} | {first.action.target}
        possible = [
            each
            for each in legal_actions(first.after)
            if self.free(each.target)
            and (each.source is None or each.source in there)
            and not {*each} & self.world.keen
            and each.source not in self.world.unmoved
            and done - {each.source} | {each.target} not in single
            and there.keys() - {each.source} | {each.target} not in before
        ]
        return self.random.choice(possible) if possible else None

    def carry_out(self, action):
        """Take an action with one of several hand movements."""
        source, target = action
        self.log(f"plans {action}")
        if source is None:
            if self.world.keen:
                self.hands.held_pieces.append(PhysicalPiece(self.side))
                yield from self.until(self.hands.put_down(target))
            else:
                yield from self.until(self.hands.place(target, self.side))
        else:
            if self.chance("fumbles first"):
                self.log(f"fumbles with {source}")
                yield from self.until(self.hands.fumble(source))
            path = self.path(source, target) if self.chance("slides") and not self.world.keen else None
            if path:
                self.log(f"slides {'-'.join(path)}")
                yield from self.until(self.hands.slide(path))
            else:
                hovers = () if self.world.keen else None
                yield from self.until(self.hands.move(source, target, hovers=hovers))
        self.log(f"has played {action}")

    def path(self, source, target):
        """Return the cells of a path along which a piece can be slid, usually a short one, or None if there is no path."""
        on = self.oracle.position.grid
        longest = 4 if self.chance("takes a detour") else 2
        paths, queue = [], deque([(source,)])
        while queue:
            path = queue.popleft()
            if path[-1] == target:
                paths.append(path)
                continue
            if len(path) <= longest:
                beside = on.list_cells(on.neighbour_masks[on.mask_by_cell[path[-1]]])
                queue.extend((*path, cell) for cell in beside if cell not in path and self.free(cell))
        return self.random.choice(paths) if paths else None

    def ensure_counted(self, intended):
        """Look at the board and do what it asks until the action counts."""
        oracle, world = self.oracle, self.world
        target, quiet = intended.action.target, 0
        hurry = False
        for _ in range(MAX_LOOKS):
            if intended not in oracle.pending:
                return
            yield from self.pause(0.1, 0.3) if hurry else self.glance()
            hurry = False
            if intended not in oracle.pending:
                return
            first = oracle.pending[0] is intended
            about = world.facts["about"]
            if about and "actions" in about and self.is_intended(about["actions"]):
                if about.get("nod"):
                    yield from self.confirm()
                continue
            if about and about.get("nod"):
                continue  # an unanswered question is followed by the next
            if world.busy and not about:
                continue  # a piece being turned over must be put back first
            if world.t < world.moved_at + 1.2:
                hurry = True  # something was just put back, and the board must still react
                continue
            if about and world.busy and (about["at"] is None or about["at"] > world.t + 0.7):
                hurry = True  # the other person will put it back, but not later than the board waits
                continue
            if about:
                intended.asked = intended.asked or (
                    "something else announced" if not world.busy else "while a piece is turned"
                )
                yield from self.put_down_again(intended, target)
            elif world.phase in ("differs", "menu"):
                offer = Message("mismatch.offer", side=self.name, cell=target)
                if offer in world.session.messages and first:
                    intended.asked = intended.asked or "offered"
                    yield from self.put_down_again(intended, target)
                else:
                    intended.asked = intended.asked or "differs"
                    yield from self.repeat(intended)
            else:
                quiet += 1
                if quiet < 3:
                    continue
                quiet = 0
                if not (yield from self.report_undetected(intended)):
                    yield from self.repeat(intended)
        raise Stuck(f"{intended.action} never counts.")

    def report_undetected(self, intended):
        """Report an undetected action to the board. Return True if that was possible."""
        facts, target = self.world.facts, intended.action.target
        intended.undetected += 1
        intended.asked = intended.asked or "not detected"
        if {*intended.action} & {*facts["masked"]}:
            if intended.undetected > 6 or not (yield from self.confirm()):
                self.act_at_screen(intended)
        elif target in facts["take_off"] and intended.undetected < 3:
            yield from self.put_down_again(intended, target)
        elif target in facts["take_off"]:
            if intended.undetected > 9 or not (yield from self.confirm()):
                self.act_at_screen(intended)
        elif intended.undetected > 1 and target in self.resting() and target not in facts["felt"]:
            self.mask(target)
            yield from self.confirm()
        else:
            return False
        return True

    def is_intended(self, actions):
        """Return True if these are the actions in progress, or the first of them."""
        return actions == [str(each.action) for each in self.oracle.pending[: len(actions)]]

    def put_down_again(self, intended, target):
        """Lift the last piece and put it down again."""
        if target not in self.resting():
            return
        self.log(f"lifts the piece on {target} and puts it down again")
        yield from self.until(self.hands.pick_up(target))
        yield from self.pause(0.4, 0.8)
        yield from self.until(self.hands.put_down(target))

    def confirm(self):
        """Confirm what a masked sensor missed, by lifting a piece that cannot move and putting it back.

        Return True if there was such a piece.
        """
        movable, there = self.movable(), self.resting()
        cells = [cell for cell in self.oracle.position.pieces if cell in there and cell not in movable]
        cells = [c for c in cells if c not in self.world.facts["masked"] and not self.is_sensitive(c)]
        if not cells:
            return False
        cell = self.random.choice(cells)
        self.log(f"confirms with the piece on {cell}")
        yield from self.until(self.hands.pick_up(cell))
        yield from self.pause(0.5, 0.9)
        yield from self.until(self.hands.put_down(cell))
        return True

    def act_at_screen(self, intended):
        """Enter an action that a masked sensor has missed at a screen."""
        self.log(f"enters {intended.action} at a screen")
        self.oracle.figures.by_screen += 1
        self.world.send_event(TakeAction(intended.action, self.world.t))

    def repeat(self, intended):
        """Restore the board, and repeat the action."""
        later = [each for each in self.oracle.pending if each is not intended]
        first = self.oracle.pending[0]
        if first is not intended:
            return
        intended.times += 1
        if intended.times > 20:
            raise Stuck(f"{intended.action} never counts.")
        self.log("follows the board, to repeat the action")
        yield from self.repair(for_pending=True)
        if intended not in self.oracle.pending or later != self.oracle.pending[1:]:
            return
        action = intended.action
        if any(self.differing()) or not self.free(intended.action.target):
            return
        while action.source and action.source not in self.resting():
            yield from self.pause(0.2, 0.5)
        yield from self.carry_out(action)
        for each in later:
            if each in self.oracle.pending:
                each.asked = each.asked or "the turn before was asked about"
                yield from self.ensure_counted(intended)
                if each in self.oracle.pending and self.free(each.action.target):
                    yield from self.calm_of_others()
                    yield from self.other.carry_out(each.action)

    def calm_of_others(self):
        while self.world.busy or self.world.fumbling:
            yield from self.pause(0.2, 0.6)

    # Repair

    def differing(self):
        """Return the cells that lack a piece, and the cells with an extra piece."""
        pieces = self.oracle.position.pieces
        leaving = self.world.facts["take_off"]
        there = self.standing()
        missing = [cell for cell in pieces if cell not in there and cell not in self.world.busy]
        extra = [cell for cell in there if cell not in pieces and cell not in leaving]
        return sorted(missing), sorted(extra)

    def repair(self, for_pending=False):
        """Do what the board asks until it asks for nothing more and all pieces are in place.

        Args:
            for_pending: True if the person's own action on the board may still count in the meantime.
        """
        world, oracle = self.world, self.oracle
        since = world.t
        for number in range(MAX_LOOKS):
            pending = len(oracle.pending)
            if number:
                yield from self.glance()
            if for_pending and len(oracle.pending) < pending:
                return
            facts = world.facts
            if world.fumbling:
                continue  # the other person has noticed, and repairs it
            if facts["about"]:
                if "actions" in facts["about"] and self.is_intended(facts["about"]["actions"]):
                    continue
                yield from self.refuse()
            elif world.phase == "differs" and not world.busy:
                if not (yield from self.follow_lamps()) and world.t > since + PATIENCE_SECONDS:
                    self.mask_bad_sensor()
            elif world.phase == "differs":
                continue
            else:
                missing, extra = self.differing()
                if not (missing or extra or self.swapped()):
                    return
                if number:
                    yield from self.fix_visible(missing, extra)
        raise Stuck("The board is never content.")

    def lit(self):
        """Return the cell where the lamps ask to take a piece off, the cell where they ask to put one, and that piece."""
        take = put = piece = None
        for cell, sight in self.world.session.view.cells.items():
            if sight.role is CellRole.TAKE_OFF and sight.piece is None:
                take = cell
            elif sight.role is CellRole.PUT:
                put, piece = cell, sight.piece
        return take, put, piece

    def follow_lamps(self):
        """Do one repair step. Return True if it was possible."""
        take, put, piece = self.lit()
        there = self.resting()
        if take and take in there:
            if put and put != take and there[take].owner is not piece.owner:
                self.log(f"takes the piece off {take}: the lamps ask for one of {piece.owner}")
                yield from self.until(self.hands.take_off(take))
            elif put and put != take and self.free(put):
                self.log(f"puts the piece of {take} on {put}, as the lamps show")
                yield from self.until(self.hands.pick_up(take))
                yield from self.pause(0.0, 0.6)
                yield from self.until(self.hands.put_down(put))
            else:
                self.log(f"takes the piece off {take}, as the lamps show")
                yield from self.until(self.hands.take_off(take))
            return True
        if take and take not in self.standing() and (crooked := self.crooked_beside(take)):
            self.log(f"centres the piece of {crooked}")
            yield from self.until(self.hands.pick_up(crooked))
            yield from self.pause(0.0, 0.5)
            yield from self.until(self.hands.put_down(crooked))
            return True
        if put and not take and self.free(put):
            _, extra = self.differing()
            pending = [each.action.target for each in self.oracle.pending]
            mine = [
                cell for cell in extra if cell in there and cell not in pending and there[cell].owner is piece.owner
            ]
            # The lamps may ask for the piece that has just acted from there.
            mine += [
                each.action.target
                for each in self.oracle.pending
                if each.action.source == put and each.action.target in there
            ]
            if mine:
                self.log(f"puts the piece that lies on {mine[0]} back on {put}, where the lamps ask for one")
                yield from self.until(self.hands.move(mine[0], put, hovers=()))
                return True
            self.log(f"puts {piece} on {put}, as the lamps show")
            yield from self.until(self.hands.place(put, piece.owner, slide=False))
            return True
        return False

    def crooked_beside(self, cell):
        """Return the cell of an off-centre piece next to this cell, if any."""
        on = self.oracle.position.grid
        there = self.resting()
        for beside in on.list_cells(on.neighbour_masks[on.mask_by_cell[cell]]):
            if beside in there:
                x, y = on.cell_coordinates(beside)
                if max(abs(there[beside].x - x), abs(there[beside].y - y)) > 0.15:
                    return beside
        return None

    def fix_visible(self, missing, extra):
        """Fix what people can see, even if the board does not ask for it."""
        pieces, there = self.oracle.position.pieces, self.resting()
        if extra and extra[0] in there:
            if missing:
                self.log(f"puts the piece of {extra[0]} back on {missing[0]}")
                yield from self.until(self.hands.move(extra[0], missing[0]))
            else:
                self.log(f"takes the misplaced piece off {extra[0]}")
                yield from self.until(self.hands.take_off(extra[0]))
        elif missing:
            if not self.free(missing[0]):
                return  # the other person is putting it there
            self.log(f"puts a piece back on {missing[0]}")
            yield from self.until(self.hands.place(missing[0], pieces[missing[0]].owner, slide=False))
        else:
            yield from self.exchange(*self.swapped())

    def swapped(self):
        """Return two cells with swapped pieces, one of each side, or a single cell with a piece of the wrong side, if any."""
        pieces = self.oracle.position.pieces
        wrong = [c for c, token in self.resting().items() if c in pieces and token.owner is not pieces[c].owner]
        for one in sorted(wrong):
            for other in sorted(wrong):
                if pieces[one].owner is not pieces[other].owner:
                    return one, other
        return sorted(wrong)[:1]

    def exchange(self, one, other=None):
        """Replace or swap pieces of the wrong side, which sensors may not detect."""
        if other is None:
            owner = self.oracle.position.pieces[one].owner
            self.log(f"puts a piece of {owner} on {one}")
            yield from self.until(self.hands.take_off(one))
            yield from self.until(self.hands.place(one, owner, slide=False))
            return
        self.log(f"swaps the pieces of {one} and {other}, as the lamps show their owners")
        yield from self.until(self.hands.pick_up(one))
        yield from self.until(self.hands.pick_up(other))
        yield from self.until(self.hands.put_down(one))
        yield from self.until(self.hands.put_down(other))

    def refuse(self):
        """Deny an unintended announcement with a hand movement. A question that needs a confirmation is simply ignored."""
        if (self.world.facts["about"] or {}).get("nod"):
            yield from self.glance()
            return
        missing, extra = self.differing()
        there = self.resting()
        pieces = self.oracle.position.pieces
        pending = [each.action.target for each in self.oracle.pending]
        self.log(f"denies {self.world.facts['about']}")
        if missing and not pending:
            cell = self.random.choice(missing)
            if extra and extra[0] in there:
                yield from self.until(self.hands.move(extra[0], cell, hovers=()))
            elif cell not in self.standing():
                yield from self.until(self.hands.place(cell, pieces[cell].owner, slide=False))
            return
        wrong = [cell for cell in extra if cell in there and cell not in pending]
        if wrong:
            yield from self.until(self.hands.take_off(wrong[0]))
            return
        lit = [cell for cell, sight in self.world.session.view.cells.items() if sight.role is CellRole.PENDING]
        for cell in lit:
            if cell not in there and (crooked := self.crooked_beside(cell)):
                choice = [crooked]
                break
        else:
            movable = self.movable()
            choice = sorted(c for c in there if c in pieces and c not in movable) or sorted(movable)
            if self.world.facts["masked"] and movable:
                choice = sorted(movable)  # any other piece would confirm, and the board would ask again
        if not choice:
            return
        cell = self.random.choice(choice)
        yield from self.until(self.hands.pick_up(cell))
        yield from self.pause(0.4, 0.8)
        yield from self.until(self.hands.put_down(cell))

    def mask_bad_sensor(self):
        """Mask the sensor that makes the board ask for the impossible."""
        facts = self.world.facts
        for cell in (*facts["missing"], *facts["extra"], *facts["strangers"], *facts["take_off"]):
            if (cell in facts["felt"]) != (cell in self.standing()):
                self.mask(cell)
                return

    def mask(self, cell):
        self.log(f"masks {cell} at a screen")
        self.oracle.figures.by_screen += 1
        self.world.masked.add(cell)
        self.world.send_event(MaskSensor(cell, self.world.t))

    # Hand tasks

    def tidy_up(self):
        """Turn pieces over and remove pieces as the lamps ask."""
        world = self.world
        turns = len(self.oracle.truth)
        yield from self.glance()
        if self.random.random() < 0.5:
            yield from self.turn_over(turns)
            yield from self.take_off(turns)
        else:
            yield from self.take_off(turns)
            yield from self.turn_over(turns)
        if self.chance("takes a wrong piece off") and not world.busy and not world.fumbling and not world.mistaken:
            yield from self.remove_wrong_piece()

    def still(self, turns):
        return len(self.oracle.truth) == turns and not self.oracle.going_back

    def turn_over(self, turns):
        world = self.world
        forgotten = set()
        while self.still(turns):
            if world.facts["about"]:
                yield from self.pause(0.2, 0.8)  # pieces are not lifted during an announcement
                continue
            lit = [c for c in world.facts["turn"] if c not in forgotten and c in self.resting() and self.turnable(c)]
            lit = [c for c in lit if not self.is_sensitive(c)]
            if not lit:
                return
            several = self.random.randint(2, 3) if self.chance("turns several") else 1
            cells = self.random.sample(lit, min(several, len(lit)))
            cells = [cell for cell in cells if not (self.chance("forgets to turn") and not forgotten.add(cell))]
            if not cells:
                continue
            self.log(f"turns over {', '.join(cells)}")
            slowly = self.chance("turns slowly")
            for cell in cells:
                world.busy[cell] = self.name
            lifted = []
            for cell in cells:
                if self.just_put_back(cell):
                    # Its lamp is about to go out. If it were lifted again while the other person places an egg on one of its
                    # targets, this would look like a move.
                    world.busy.pop(cell, None)
                elif cell in self.resting() and self.turnable(cell):
                    yield from self.until(self.hands.pick_up(cell))
                    lifted.append(cell)
                else:
                    world.busy.pop(cell, None)
            yield from self.pause(*((3.0, 10.0) if slowly else (0.4, 2.5)), alert=slowly)
            for cell in reversed(lifted):
                if cell not in self.oracle.position.pieces or not self.free(cell):
                    self.log(f"keeps the piece of {cell}, which has just scored")
                    self.table.off_board_pieces.append(self.hands.held_pieces.pop())
                else:
                    yield from self.until(self.hands.put_down(cell))
                    yield from self.pause(0.1, 0.15)  # the detection takes a moment
                world.busy.pop(cell, None)
            forgotten.update(lifted)
            yield from self.pause(0.2, 1.0)

    def just_put_back(self, cell):
        """Return True if a piece of the side to move was just lifted from this cell and put back."""
        lately = self.world.changed_at.get(cell, 0.0) > self.world.t - 1.0
        return lately and cell in self.movable() and cell in self.world.facts["felt"]

    def turnable(self, cell):
        """Return True if no pending action involves the piece on this cell."""
        return all(cell not in each.action for each in self.oracle.pending)

    def take_off(self, turns):
        world = self.world
        if self.chance("forgets to take off"):
            return
        while self.still(turns):
            lit = [c for c in world.facts["take_off"] if c in self.resting() and self.turnable(c)]
            if not lit:
                return
            cell = self.random.choice(lit)
            self.log(f"takes the scored piece off {cell}")
            world.busy[cell] = self.name
            yield from self.until(self.hands.take_off(cell))
            world.busy.pop(cell)
            yield from self.pause(0.1, 1.2)

    def remove_wrong_piece(self):
        """Take a wrong piece off, notice the mistake, and put the piece back."""
        world = self.world
        pieces = self.oracle.position.pieces
        wrong = [c for c in self.resting() if c in pieces and self.turnable(c) and not self.is_sensitive(c)]
        if not wrong or self.oracle.pending:
            return
        world.fumbling += 1
        self.oracle.figures.mistakes += 1
        self.oracle.figures.count("mistake: takes a wrong piece off")
        cell = self.random.choice(wrong)
        self.log(f"takes the piece off {cell}, by mistake")
        yield from self.until(self.hands.pick_up(cell))
        yield from self.glance()
        yield from self.until(self.hands.put_down(cell))
        self.log(f"has put it back on {cell}")
        yield from self.pause(0.3, 0.6)
        world.fumbling -= 1
        self.oracle.figures.repaired += 1

    # Mistakes

    def make_mistake(self, mistake):
        """Make a mistake, and fix it."""
        doing = {
            "changes the mind": self.change_the_mind,
            "lifts a wrong piece": self.lift_a_wrong_piece,
            "lifts two": self.lift_two,
            "illegal action": self.act_illegally,
            "knocks a piece over": self.knock_over,
            "sweeps": self.sweep,
            "an hour in the air": self.hold_for_an_hour,
        }[mistake]()
        self.world.mistaken = True
        happened = yield from doing
        if not happened:
            self.world.mistaken = False
            return
        self.oracle.figures.mistakes += 1
        self.oracle.figures.count(f"mistake: {mistake}")
        yield from self.glance()
        yield from self.repair()
        self.world.mistaken = False
        self.oracle.figures.repaired += 1

    def movable(self):
        actions = legal_actions(self.oracle.position)
        there = self.resting()
        return sorted({each.source for each in actions if each.source in there and not self.is_sensitive(each.source)})

    def lookalikes(self):
        return Lookalikes(self.oracle.position, self.world.facts["take_off"], self.oracle.truth)

    def change_the_mind(self):
        cells = self.movable()
        if not cells:
            return False
        cell = self.random.choice(cells)
        self.log(f"lifts {cell}, but reconsiders")
        yield from self.until(self.hands.pick_up(cell))
        yield from self.pause(0.1, 3.0)
        yield from self.until(self.hands.put_down(cell))
        return True

    def lift_a_wrong_piece(self):
        movable, pieces = self.movable(), self.oracle.position.pieces
        cells = sorted(
            cell for cell in self.resting() if cell not in movable and cell in pieces and not self.is_sensitive(cell)
        )
        if not cells:
            return False
        cell = self.random.choice(cells)
        self.log(f"lifts {cell}, which may not move")
        yield from self.until(self.hands.pick_up(cell))
        yield from self.glance()
        yield from self.until(self.hands.put_down(cell))
        return True

    def lift_two(self):
        cells = sorted(c for c in self.resting() if c in self.oracle.position.pieces and not self.is_sensitive(c))
        if len(cells) < 2:
            return False
        one, other = self.random.sample(cells, 2)
        self.log(f"lifts {one} and {other}")
        yield from self.until(self.hands.lift_two(one, other))
        return True

    def act_illegally(self):
        """Make an illegal move, and take it back when the board reports it."""
        position = self.oracle.position
        pieces, standing = position.pieces, set(self.standing())
        looks = self.lookalikes()
        there = sorted(cell for cell in self.resting() if cell in pieces and not self.world.keen | self.world.unmoved)
        free = [cell for cell in position.grid.cells if self.free(cell)]
        wrong = [
            (cell, to)
            for cell in there
            for to in free
            if Action(cell, to) not in legal_actions(position) and not looks.has_any_between(standing, {cell: {to}})
        ]
        if not wrong:
            return False
        cell, to = self.random.choice(wrong)
        self.log(f"moves {cell} to {to} illegally")
        yield from self.until(self.hands.move(cell, to))
        yield from self.glance()
        if self.random.random() < 0.5 and to in self.resting() and self.free(cell):
            self.log("and back")
            yield from self.until(self.hands.move(to, cell))
        return True

    def knock_over(self):
        yield from ()
        falls = self.choose_falls(1)
        if not falls:
            return False
        (cell, to), *_ = falls.items()
        self.log(f"knocks over {cell}; it lands {f'on {to}' if to else 'beside the board'}")
        yield from self.until(self.hands.knock_over(cell, to, off=to is None))
        yield from self.straighten(falls)
        return True

    def sweep(self):
        yield from ()
        falls = self.choose_falls(self.random.randint(2, 4))
        if not falls:
            return False
        falling = (f"{cell}, which goes {f'to {to}' if to else 'off the board'}" for cell, to in falls.items())
        self.log(f"sweeps away {'; '.join(falling)}")
        motions = {
            cell: self.hands.knock_over(cell, to, off=to is None, after=self.random.uniform(0.0, 0.6))
            for cell, to in falls.items()
        }
        for cell, motion in sorted(motions.items(), key=lambda each: each[1].ends_at):
            yield from self.until(motion)
            yield from self.straighten({cell: falls[cell]})
        return True

    def straighten(self, falls):
        """Put a piece that lies between two cells back at once. Both cells may detect it, as if there were an extra egg."""
        on = self.oracle.position.grid
        for cell, to in falls.items():
            token = self.resting().get(to)
            x, y = on.cell_coordinates(cell)
            if token and hypot(token.x - x, token.y - y) < BETWEEN_CELLS and self.free(cell):
                self.oracle.figures.lookalikes += 1
                self.log(f"puts back the piece between {cell} and {to} at once")
                yield from self.until(self.hands.move(to, cell, hovers=()))

    def choose_falls(self, count):
        """Choose pieces that fall and the cells where they land. The result never resembles an action."""
        position = self.oracle.position
        on, looks = position.grid, self.lookalikes()
        there = sorted(
            cell for cell in self.resting() if cell in position.pieces and not self.world.keen | self.world.unmoved
        )
        for _ in range(12):
            if len(there) < count:
                return {}
            first = self.random.choice(there)
            near = sorted(there, key=lambda cell: (_apart(on, first, cell), cell))[:count]
            falls, taken = {}, set()
            for cell in near:
                free = sorted(c for c in on.cells if self.free(c) and c not in taken and _apart(on, c, cell) <= 2)
                to = self.random.choice(free) if free and self.random.random() < 0.75 else None
                falls[cell] = to
                taken.add(to)
            if not any(looks.has_any_between(set(self.standing()), detected) for detected in self.as_detected(falls)):
                return falls
            self.oracle.figures.lookalikes += 1
        return {}

    def as_detected(self, falls):
        """Return the cells that may detect each fallen piece: its own, a neighbouring cell, or both."""
        on, still_there = self.oracle.position.grid, self.standing().keys() - falls.keys()
        cells = {cell: {to} - {None} for cell, to in falls.items()}
        yield cells
        for cell, to in falls.items():
            if to:
                x, y = on.cell_coordinates(to)
                near = {
                    each
                    for each in on.cells
                    if max(abs(x - on.cell_coordinates(each)[0]), abs(y - on.cell_coordinates(each)[1])) == 1
                }
                for each in near - still_there:
                    yield {**cells, cell: {each}}
                    yield {**cells, cell: {to, each}}

    def hold_for_an_hour(self):
        cells = self.movable()
        if not cells:
            return False
        cell = self.random.choice(cells)
        self.log(f"holds the piece of {cell} for an hour")
        yield from self.until(self.hands.pick_up(cell))
        yield self.world.t + self.hour, False
        yield from self.until(self.hands.put_down(cell))
        return True

    # Undo

    def take_back(self):
        """Put the pieces back as before the last turn, and wait for the undo. Use the undo key if the turn scored."""
        world, oracle = self.world, self.oracle
        last = oracle.truth[-1]
        before = last.before.pieces
        oracle.figures.intended_undos += 1
        oracle.going_back = 1
        turns = len(oracle.truth)
        if last.sets:
            self.log(f"undoes {last.action}, which scored, with a key")
            oracle.figures.count("takeback: by a key")
            world.send_event(UndoTurns(world.t))
            return
        self.log(f"undoes {last.action} with the pieces")
        quiet = 0
        for _ in range(MAX_LOOKS):
            if len(oracle.truth) < turns:
                return
            if world.facts["about"] and world.facts["about"].get("back") == 1:
                yield from self.glance()
                continue
            if world.fumbling:
                yield from self.pause(0.2, 0.5)  # the other person is putting a piece back
                continue
            there = self.resting()
            missing = sorted(cell for cell in before if self.free(cell))
            extra = sorted(cell for cell in there if cell not in before)
            if extra and last.action.target in extra and last.action.source in missing:
                yield from self.until(self.hands.move(last.action.target, last.action.source))
            elif extra:
                yield from self.until(self.hands.take_off(extra[0]))
            elif missing:
                cell = self.random.choice(missing)
                yield from self.until(self.hands.place(cell, before[cell].owner, slide=False))
            else:
                quiet += 1
                yield from self.glance()
                if quiet == 6:
                    break
                continue
            yield from self.pause(0.1, 1.0)
        self.log("undoes it at a screen, because the board does not")
        oracle.figures.by_screen += 1
        oracle.figures.count("takeback: by a face")
        world.send_event(UndoTurns(world.t))


def _apart(on, one, other):
    (x, y), (u, v) = on.cell_coordinates(one), on.cell_coordinates(other)
    return abs(x - u) + abs(y - v)


__all__ = ["FROG", "HABITS", "TADPOLE", "Person"]

"""Quick people, who do not wait for the board and stop only if it reports a problem.

Everything that takes time is a generator; see `world.Waiting`. Repairs are inherited from `people`.
"""

from math import exp, inf, log

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Symbol, legal_actions, play
from tests.campaign.people import HABITS, MAX_LOOKS, MISTAKES, PATIENCE_SECONDS, Person
from tests.campaign.quick_hands import QuickHands
from tests.campaign.world import REACTION_SECONDS, Stuck

QUICK_HABITS = HABITS | {
    "corrects": 0.03,
    "onto a scored cell": 0.15,
    "takes off late": 0.2,
    "the other one takes off": 0.3,
    "never turns": 1 / 3,
    "turns late": 0.5,
    "forgets to press": 0.03,
    "notices a forgotten press": 0.5,
    "takes off before the press": 0.5,
    "takes off a part before the press": 0.1,
}
"""Probability of each habit, per turn or per piece. Habits of turning pieces over are chosen once per person."""

NOTICED_AFTER = 0.4
"""Seconds after which people take a message of the board seriously."""

NOT_DETECTED_AFTER = 5.0
"""Seconds after which people notice that an action was not detected."""

LANDS_AFTER = 0.35
"""Minimum time between two pieces being put down, in seconds. It is longer than a dropout."""

LATE_REMOVAL_TURNS = (2, 5)
"""Range of turns after which a forgotten scored piece is removed."""

PRESSES_AFTER = (0.12, 0.4)
"""Range of times from the last touch of a turn to the key press, in seconds."""

IDLE_SECONDS = 5.0
"""Seconds after which an idle person looks for something to do."""


class QuickPerson(Person):
    """Person with a pace of their own.

    Args:
        side: Side that the person plays.
        world: Table.
        oracle: Observer that records the intentions.
        random: Random number generator.
        table: Shared state of the game; see `Play`.
        tempo: Fastest and slowest pace, in seconds.
        faces: True if the pieces have faces.
        mistakes: True if accidents happen.
        careless: True if pieces may be put down badly.
    """

    def __init__(self, side, world, oracle, random, table, tempo, *, faces, mistakes, careless):
        super().__init__(side, world, oracle, random)
        self.play, self.mistakes, self.is_careless = table, mistakes, careless
        quickest, slowest = map(log, tempo)
        self.pace = exp(random.uniform(quickest, slowest))
        self.hands = QuickHands(world.table, random, table, self.pace)
        self.turns_over = faces and not self.chance("never turns")
        self.turns_late = self.chance("turns late")
        self.working = False
        self.waiting = None  # task that may be woken early
        self.planned = None  # turn for which an action is chosen
        self.action = None
        self.lands_at = 0.0
        self.quiet = self.denied = 0
        self.noticed = {}  # pieces with a wrong face, and the times to turn them over

    def chance(self, habit):
        return self.random.random() < QUICK_HABITS[habit]

    # Activity

    def agent(self):
        """Play, tidy up and, if necessary, stop."""
        play_ = self.play
        while True:
            self.working = False
            if play_.stopped is self:
                yield from self.answer_board()
            elif play_.stopped:
                yield from self.idle(IDLE_SECONDS)
            elif play_.is_over:
                return
            else:
                self.working = True
                yield from (self.my_turn() if self.is_to_move else self.not_my_turn())

    @property
    def is_to_move(self):
        return self.oracle.intended_position.to_move is self.side

    def idle(self, seconds):
        """Wait for some time, or for `nudge`."""
        self.waiting = self.world.t + max(0.01, seconds)
        yield self.waiting, False
        self.waiting = None

    def nudge(self):
        """Wake an idle person."""
        if self.waiting is not None:
            self.task.wake = min(self.task.wake, self.world.t)

    def watch_board(self):
        """Look at the board from time to time, and soon after it shows something new."""
        play_, world = self.play, self.world
        while not play_.ended:
            yield world.t + self.random.uniform(2.0, 4.0), True
            while not (play_.stopped or play_.is_over) and (reason := play_.wrong()):
                if world.t < play_.wrong_since + NOTICED_AFTER or play_.is_busy(reason):
                    yield from self.pause(0.3, 0.7)
                    continue
                self.log(f"stops playing: {reason}")
                play_.stop(self, reason)

    # Own turns

    def my_turn(self):
        """Prepare the next action or take it."""
        play_, oracle, world = self.play, self.oracle, self.world
        if play_.landed_at is None:
            yield from self.idle(IDLE_SECONDS)
            return
        number = oracle.figures.intended
        if self.planned != number:
            self.planned = number
            self.lands_at = play_.landed_at + self.pace * min(2.0, max(0.5, self.random.lognormvariate(0.0, 0.35)))
            self.action = self.choose_quickly()
            if self.action is None:
                play_.give_up()
                return
            if (yield from self.do_extra()):
                return
        if self.action not in legal_actions(oracle.intended_position):
            self.planned = None  # the game was replaced
            return
        reach = 0.6 * self.hands.brisk + (self.hands.doubt if self.action.source else 0.0)
        spare = self.lands_at - reach - world.t
        if spare > 0.0:
            if not (yield from self.tidy_up_one(spare)):
                yield from self.idle(min(spare, self.next_due()))
            return
        if self.is_in_the_way(self.action.target) and not self.is_acting:
            self.log(f"takes the scored piece off {self.action.target}, the target of the next action")
            yield from self.take_one_off(self.action.target)
            yield from self.pause(0.02, 0.3)
        elif not self.is_possible(self.action):
            if world.t > self.lands_at + PATIENCE_SECONDS:
                raise Stuck(f"The way is not free for {self.action}.")
            yield from self.pause(0.05, 0.1)
        else:
            last = oracle.pending[-1] if self.overlaps and oracle.pending else None
            is_forgotten = last and last.pressed_at == inf and last.landed_at + max(PRESSES_AFTER) < world.t
            if is_forgotten and self.chance("notices a forgotten press"):
                self.press(last)
                yield from self.pause(0.2, 0.5)
            yield from self.act(self.action)

    def do_extra(self):
        """Change the plan, make a mistake, or carry out a scheduled task, at most once per turn."""
        happened = False
        yield from self.later(self)
        if self.play.stopped is self:
            self.go_on()
            return True
        if self.chance("changes the mind"):
            while self.is_acting and not self.play.stopped:
                yield from self.idle(0.1)
            yield from self.change_the_mind_quickly()
            happened = True
        if self.mistakes:
            for mistake in MISTAKES[1:]:
                if self.chance(mistake):
                    yield from self.in_peace(self.make_mistake(mistake))
                    happened = True
            if self.chance("takes a wrong piece off"):
                yield from self.in_peace(self.remove_wrong_piece())
                happened = True
        return happened

    def choose_quickly(self):
        """Choose an action: one that scores, an egg on a cell that has just scored, or any other."""
        position, scored = self.oracle.intended_position, self.play.just_scored
        actions = self.possible(position)
        if not actions:
            return None
        if scored and self.chance("onto a scored cell"):
            eggs = [each for each in actions if each.source is None and each.target in scored]
            if eggs:
                return self.random.choice(eggs)
        if self.chance("prefers a set"):
            score = {each: len(play(position, each).scored_cells[self.side]) for each in actions}
            best = max(score.values())
            if best:
                return self.random.choice([each for each in actions if score[each] == best])
        return self.random.choice(actions)

    def possible(self, position):
        world = self.world
        return [
            each for each in legal_actions(position) if not {*each} & world.keen and each.source not in world.unmoved
        ]

    def is_in_the_way(self, cell):
        return cell in self.resting() and cell not in self.oracle.intended_position.pieces

    def is_possible(self, action):
        """Return True if the piece and the target are free, and no piece held by the other player could be mistaken for the egg."""
        source, target = action
        if not self.free(target) or (source and (source not in self.resting() or source in self.world.busy)):
            return False
        if target in self.play.sliding and self.world.t < self.play.landed_at:
            return False
        return source or not any(self.looks_like(cell, target) for cell in self.world.busy)

    def looks_like(self, cell, target, position=None):
        """Return True if an egg could be mistaken for a piece that is being turned over.

        Sensors that know owners can tell them apart when the piece comes back. It does not come back if it scores.
        """
        position = position or self.oracle.intended_position
        if Action(cell, target) not in legal_actions(position):
            return False
        egg = Action(None, target)
        return not self.table.colours or any(cell in run for run in play(position, egg).sets)

    def act(self, action):
        """Take the intended action with one of several hand movements."""
        oracle, play_ = self.oracle, self.play
        first = self.choose_mistaken_target(action) if self.chance("corrects") else None
        intended = oracle.intend(action)
        turn = intended.turn
        self.log(f"plans {action}")
        before, play_.landed_at = play_.landed_at, None
        play_.due.pop(action.target, None)
        hands, keen = self.hands, self.world.keen
        hands.careless = self.is_careless and not keen
        hands.rested = []
        hands.touchable = lambda cell: not keen and not self.would_score(turn.before, Action(action.source, cell))
        if action.source and not keen and self.chance("fumbles first"):
            self.log(f"fumbles with {action.source}")
            yield from self.until(hands.fumble(action.source))
        there = play_.busy_until.get((first or action).target, 0.0)  # time until which a scored piece was there
        pressed = play_.pressed_at + 0.05
        hands.not_before, hands.lands_at = max(before + LANDS_AFTER, there + LANDS_AFTER, pressed), self.lands_at
        if first:
            if not self.world.keys:
                intended.first_tries.append(play(turn.before, first))
            self.log(f"puts it on {first.target} first")
            motion = self.begin(first)
            self.note_rests(intended)
            yield from self.until(motion)
            yield from self.pause(0.2, 1.0)
            self.log(f"then puts it on {action.target} instead")
            hands.lands_at, hands.not_before = 0.0, pressed
            motion = hands.move(first.target, action.target, hovers=())
        else:
            motion = self.begin(action)
        self.note_rests(intended)
        intended.landed_at = motion.ends_at
        if self.overlaps or not self.world.keys:
            play_.landed_at = motion.ends_at
        forgets = self.overlaps and self.chance("forgets to press")
        if self.overlaps and not forgets:
            play_.pressed_at = intended.presses_at = motion.ends_at + self.random.uniform(*PRESSES_AFTER)
        play_.gap(motion.ends_at - before)
        self.other.nudge()
        yield from self.until(motion)
        play_.sliding = ()
        hands.careless, hands.touchable, hands.lands_at, hands.not_before = False, None, 0.0, 0.0
        if action.source is None:
            self.standing()[action.target].face = Symbol.EGG
        self.log(f"has played {action}")
        self.plan_removals(turn)
        if self.world.keys:
            if not forgets:
                yield from self.end_turn(intended)
            return
        yield from self.pause(0.2, 0.5)  # the hand withdraws
        if self.chance("takes back") and not keen and not play_.is_over:
            yield from self.in_peace(self.take_it_back())

    @property
    def overlaps(self):
        """True if the other player starts before the key is pressed."""
        return self.world.keys and self.mistakes

    def end_turn(self, intended):
        """Press the person's own key. Unless hands overlap, wait until all hands are empty."""
        play_ = self.play
        if self.overlaps:
            yield max(self.world.t, intended.presses_at), False
            if not play_.stopped:
                self.press(intended)
            return
        scored = sorted(play_.just_scored) if self.chance("takes off before the press") else []
        if scored and self.chance("takes off a part before the press"):
            scored = scored[1:]
        for cell in scored:
            if cell in self.resting() and not play_.stopped:
                yield from self.pause(0.3, 0.8)
                yield from self.take_one_off(cell)
        while True:
            yield from self.pause(*PRESSES_AFTER)
            if not (self.world.table.is_busy or self.world.busy):
                break
        self.press(intended)
        play_.landed_at = self.world.t
        self.other.nudge()

    def is_done(self, action):
        there = self.resting()
        return action.target in there and action.source not in there

    def press(self, intended):
        intended.pressed_at = self.world.t
        self.world.press(intended.turn.side)

    def note_rests(self, intended):
        """Record the cells where the hand will pause, because the piece may count there first."""
        (source, target), before = intended.action, intended.turn.before
        if self.world.keys:
            return  # nothing counts before the press
        touched = [Action(source, cell) for cell in self.hands.rested if cell != target]
        intended.first_tries += [play(before, each) for each in touched if each in legal_actions(before)]

    def begin(self, action):
        """Start the movement of an action, and return it."""
        source, target = action
        keen, play_ = self.world.keen, self.play
        if source is None:
            slide = False if keen else None
            return self.hands.place(target, self.side, slide=slide)
        path = self.path(source, target) if not keen and self.chance("slides") else None
        if not path:
            return self.hands.move(source, target, hovers=() if keen else None)
        self.log(f"slides {'-'.join(path)}")
        play_.sliding = path[1:]
        return self.hands.slide(path)

    def choose_mistaken_target(self, action):
        """Return a cell where the piece lands first by mistake. It must not score there, because it would be removed."""
        position = self.oracle.intended_position
        others = [
            each
            for each in self.possible(position)
            if each.source == action.source
            and each.target != action.target
            and self.free(each.target)
            and not self.is_sensitive(each.target)
            and not play(position, each).sets
        ]
        return self.random.choice(others) if others else None

    def would_score(self, position, action):
        return action in legal_actions(position) and any(action.target in run for run in play(position, action).sets)

    def change_the_mind_quickly(self):
        cells = [
            cell
            for cell in self.movable_now()
            if cell in self.resting() and cell not in self.world.busy and not self.is_sensitive(cell)
        ]
        others = [each for each in self.possible(self.oracle.intended_position) if each.source not in cells[:1]]
        if not cells or not others:
            return
        cell = self.random.choice(cells)
        self.log(f"lifts {cell}, but reconsiders")
        self.world.busy[cell] = self.name
        yield from self.until(self.hands.pick_up(cell))
        yield from self.pause(0.1, min(3.0, 0.1 + self.pace))
        yield from self.until(self.hands.put_down(cell))
        del self.world.busy[cell]
        others = [each for each in self.possible(self.oracle.intended_position) if each.source != cell]
        if others:
            self.action = self.random.choice(others)

    def movable_now(self):
        return sorted({each.source for each in legal_actions(self.oracle.intended_position) if each.source})

    # Hand tasks

    def not_my_turn(self):
        if not (yield from self.tidy_up_one(None)):
            yield from self.idle(self.next_due())

    def plan_removals(self, turn):
        """Schedule who removes the scored pieces, and when."""
        scored = sorted({cell for run in turn.sets for cell in run})
        self.play.just_scored = frozenset(scored)
        for cell in scored:
            late = self.chance("takes off late")
            turns = self.random.randint(*LATE_REMOVAL_TURNS) if late else 0
            seconds = 0.0 if late else self.random.uniform(0.3, min(2.0, 0.4 + self.pace))
            who = self.other if self.chance("the other one takes off") else self
            self.play.due[cell] = (who, self.world.t + seconds, self.oracle.figures.intended + turns)

    def next_due(self):
        """Return the number of seconds until there may be something to tidy up."""
        instants = [instant for who, instant, _ in self.play.due.values() if who is self]
        if not self.is_to_move:
            instants += self.noticed.values()
        return max(0.1, min([*instants, self.world.t + 1.0]) - self.world.t)

    def tidy_up_one(self, spare):
        """Remove a scored piece, or turn pieces over. Return True if there was anything to do.

        Args:
            spare: Seconds until the person's own action; None during the other player's turn.
        """
        world, play_ = self.world, self.play
        if play_.landed_at is None and world.keys and not self.overlaps:
            return False
        if spare is None or spare > 0.4:
            for cell, (who, instant, turns) in sorted(play_.due.items()):
                if not self.is_in_the_way(cell):
                    if cell not in world.busy and play_.landed_at is not None:
                        del play_.due[cell]
                    continue
                if who is self and instant <= world.t and turns <= self.oracle.figures.intended:
                    self.log(f"takes the scored piece off {cell}")
                    yield from self.take_one_off(cell)
                    yield from self.pause(0.05, 0.3)
                    return True
        if spare is None and self.turns_over:
            cells = self.to_turn()
            if cells:
                several = self.random.randint(2, 3) if self.chance("turns several") else 1
                yield from self.turn_these(self.random.sample(cells, min(several, len(cells))))
                return True
        return False

    def take_one_off(self, cell):
        self.play.due.pop(cell, None)
        yield from self.until(self.hands.take_off(cell))

    def to_turn(self):
        """Return the developed pieces that are due to be turned over."""
        world = self.world
        cells, noticed, there = [], {}, self.resting()
        acting = self.oracle.pending[-1] if self.oracle.pending and self.is_acting else None
        for cell, piece in self.oracle.intended_position.pieces.items():
            token = there.get(cell)
            if token is None or cell in world.busy:
                continue
            token.face = token.face or piece.symbol  # as it was put back
            if token.face is piece.symbol:
                continue
            seconds = self.random.uniform(2.0, 5.0) * self.pace if self.turns_late else self.random.uniform(0.3, 1.5)
            noticed[token] = due = self.noticed.get(token, world.t + seconds)
            if due > world.t or self.is_sensitive(cell) or cell in world.unmoved:
                continue
            if (
                acting
                and acting.action.source is None
                and self.looks_like(cell, acting.action.target, acting.turn.before)
            ):
                continue
            cells.append(cell)
        self.noticed = noticed
        return cells

    @property
    def is_acting(self):
        """True if a piece is being moved or was just put down."""
        return self.play.landed_at is None or self.play.landed_at > self.world.t - 0.3

    def turn_these(self, cells):
        world = self.world
        self.log(f"turns over {', '.join(cells)}")
        for cell in cells:
            world.busy[cell] = self.name
        lifted = []
        for cell in cells:
            if cell in self.resting():
                yield from self.until(self.hands.pick_up(cell))
                lifted.append(cell)
            else:
                del world.busy[cell]
        slowness = min(1.0, self.pace / 3.0)
        yield from self.pause(max(0.2, 0.4 * slowness), max(0.4, 2.5 * slowness))
        for cell in reversed(lifted):
            piece = self.oracle.intended_position.pieces.get(cell)
            if piece is None:
                self.log(f"keeps the piece of {cell}, which has just scored")
                self.table.off_board_pieces.append(self.hands.held_pieces.pop())
                self.play.due.pop(cell, None)
            else:
                self.hands.held_pieces[-1].face = piece.symbol
                yield from self.until(self.hands.put_down(cell))
                yield from self.pause(0.1, 0.15)  # the detection takes a moment
            del world.busy[cell]
        self.other.nudge()

    # Stops

    def in_peace(self, doing):
        """Wait until all actions have counted, and do something while the other person does not play."""
        if self.play.stopped:
            return
        self.play.stop(self, "")
        yield from self.settle()
        yield from doing
        yield from self.settle()
        self.go_on()

    def calm(self):
        """Stop playing until all actions have counted. Call `go_on` to continue."""
        if self.play.stopped is not self:
            self.play.stop(self, "")
        yield from self.settle()

    def go_on(self):
        """Let both people continue playing."""
        for cell in self.standing():
            if self.is_in_the_way(cell):
                seconds = self.random.uniform(0.3, 2.0)
                self.play.due.setdefault(cell, (self, self.world.t + seconds, 0))
        self.play.go_on()

    def answer_board(self):
        """Do what the board asks, and continue playing."""
        yield from self.settle()
        self.log("plays on")
        self.go_on()

    def take_it_back(self):
        if self.oracle.truth and self.oracle.truth[-1].side is self.side:
            yield from self.take_back()
            yield from self.repair()

    def settle(self):
        """Wait until all hands are empty, and do what the board asks until all actions count and nothing differs."""
        oracle, world, play_ = self.oracle, self.world, self.play
        while self.other.working or world.busy:
            yield from self.pause(0.05, 0.2)
        since, self.quiet, self.denied = world.t, 0, 0
        pressed = (len(oracle.truth), world.moved_at) if oracle.pending and oracle.pending[0].pressed_at < inf else None
        for number in range(2 * MAX_LOOKS):
            if number:
                yield from self.idle(self.random.uniform(*REACTION_SECONDS))
            about = world.facts["about"]
            reason = play_.find_complaint()
            if reason and oracle.pending:
                oracle.pending[0].asked = oracle.pending[0].asked or reason
            state = len(oracle.truth), world.moved_at
            may_press = play_.is_intended(about) if about else not pressed or (pressed != state and not reason)
            if may_press and world.keys and oracle.pending and self.is_done(oracle.pending[0].action):
                pressed = state
                self.press(oracle.pending[0])
            elif about and play_.is_intended(about):
                if about.get("nod"):
                    yield from self.confirm()
            elif about:
                yield from self.deny(about)
            elif world.phase in ("differs", "menu"):
                if not (yield from self.repair_step()) and world.t > since + PATIENCE_SECONDS:
                    self.mask_bad_sensor()
            elif oracle.pending:
                yield from self.repeat_first()
            else:
                missing, extra = self.differing()
                if not (missing or extra or self.swapped()):
                    return
                if number:
                    yield from self.fix_visible(missing, extra)
        raise Stuck("The board is never content.")

    def deny(self, about):
        """Deny an unintended announcement."""
        if about.get("nod"):
            return  # an unanswered question is followed by the next
        self.denied += 1
        blind = {*self.world.facts["masked"]} | self.world.unmoved
        there = [cell for cell in self.resting() if cell not in blind]
        targets = [each.action.target for each in self.oracle.pending if each.action.target in there]
        missing, extra = self.differing()
        if targets and self.denied % 3:
            yield from self.put_down_again(None, targets[-1])
        elif missing or extra:
            yield from self.fix_visible(missing, extra)
        else:
            movable = self.movable()
            still = [cell for cell in there if cell not in movable]
            choice = movable if self.world.facts["masked"] and movable else still or movable
            if choice:  # with a masked sensor, an immovable piece would repeat the question
                yield from self.put_down_again(None, self.random.choice(choice))

    def repair_step(self):
        """Do one repair step that the lamps ask for."""
        first = self.oracle.pending[0] if self.oracle.pending else None
        if first and self.differing() == ([first.action.source] * bool(first.action.source), [first.action.target]):
            offer = Message("mismatch.offer", side=str(first.turn.side), cell=first.action.target)
            if offer in self.world.session.messages:
                yield from self.put_down_again(None, first.action.target)
                return True
        return (yield from self.follow_lamps())

    def repeat_first(self):
        """Repeat an intended action that has not counted."""
        oracle = self.oracle
        intended = oracle.pending[0]
        source, target = intended.action
        if oracle.provisional:
            yield from self.take_back()
            return
        missing, extra = self.differing()
        if not (missing or extra or (intended.times and target in self.resting())):
            intended.times += 1
            intended.asked = intended.asked or "to be done again"
            if intended.times > 20:
                raise Stuck(f"{intended.action} does not come to count.")
            if target in self.resting():
                yield from self.until(self.hands.take_off(target))
                yield from self.pause(0.4, 0.6)
            if self.free(target) and (source is None or source in self.resting()):
                yield from (self if intended.turn.side is self.side else self.other).carry_out(intended.action)
            self.quiet = 0
            return
        self.quiet += 1
        if self.quiet % 3:
            return
        if not (yield from self.report_undetected(intended)):
            yield from self.fix_visible(missing, extra)

    def finish(self):
        """Wait after the last action until every action counts."""
        play_ = self.play
        play_.start_final_wait()
        for intended in [each for each in self.oracle.pending if self.world.keys and each.pressed_at == inf]:
            yield from self.pause(*REACTION_SECONDS)
            self.press(intended)
        while self.oracle.pending:
            yield from self.idle(self.random.uniform(*REACTION_SECONDS))
            if self.oracle.pending and (reason := play_.wrong()):
                self.log(f"stops waiting for the end: {reason}")
                self.oracle.pending[0].asked = self.oracle.pending[0].asked or reason
                play_.stopped = self
                yield from self.settle()
                play_.go_on()
                return
        play_.end_final_wait()

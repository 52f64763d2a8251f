"""Test a linked game over a hostile relay, in simulated time.

python -m tests.link.relay --schedules 100000 --jobs 2 --seed 1

Two homes with random people play over a relay that drops, repeats, delays, reorders, damages and replays messages, also
those of other games. Both homes are killed at any point. In one of four schedules a home is also restored from a backup.
"""

import argparse
import random
import sys
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from time import perf_counter

from pond_hw.link.changes import Decline, Draw, NewGame, Resign, TakeBack, parse_change
from pond_hw.link.invitation import parse_broker, parse_invitation
from pond_hw.link.linked_game import LinkedGame
from pond_hw.link.signatures import LinkError
from pond_hw.rules import legal_actions, parse_variant

BROKER = parse_broker("mqtt://broker.example")
VARIANTS = [parse_variant(name) for name in ("3x3/2/1", "3x3/4/3", "4x4/6/3")]
STEPS = 60


class Home:
    """A home with a disk, and the record of everything that its person has confirmed by hand."""

    def __init__(self, game):
        self.game, self.hands = game, set()
        self.stored = game.to_bytes()
        self.backups = [self.stored]

    def restart(self, stored=None):
        self.stored = stored or self.stored
        self.game = LinkedGame.from_bytes(self.stored)

    def store(self):
        self.stored = self.game.to_bytes()
        self.backups.append(self.stored)

    @property
    def log_hashes(self):
        return [entry.hash for entry in self.game.log.list_entries()] if self.game.log else []


@cache
def messages_of_another_game():
    """Return messages of another game between two homes."""
    inviter = LinkedGame.invite(BROKER, VARIANTS[0], 0, seed=b"a" * 32)
    joiner = LinkedGame.join(inviter.invitation, seed=b"b" * 32)
    messages = [joiner.make_message(0)]
    inviter.receive(messages[0], 0)
    inviter.act(legal_actions(inviter.log.game.position)[0])
    return [*messages, inviter.make_message(0)]


class Schedule:
    """A random course of events."""

    home_class = Home

    def __init__(self, rng):
        self.rng = rng
        self.with_backups = rng.random() < 0.25
        self.order = rng.choice([0, 0.5, 0.9])
        self.variant = rng.choice(VARIANTS)
        name = rng.choice(["", "Ada"])
        inviter = LinkedGame.invite(BROKER, self.variant, rng.randrange(2), name, rng.randbytes(32))
        invitation = parse_invitation(str(inviter.invitation))
        joiner = LinkedGame.join(invitation, seed=rng.randbytes(32))
        self.homes = [self.home_class(inviter), self.home_class(joiner)]
        self.watcher = LinkedGame.join(invitation.to_watch)
        self.under_way, self.sent, self.is_cut, self.now = [], [], False, 1000
        self.is_calm = False
        self.counts = Counter()

    def run(self):
        """Play, then let everything arrive."""
        self.send(1)
        events = [self.act] * 8 + [self.ask] * 2 + [self.answer] * 2 + [self.deliver] * 9 + [self.repeat, self.replay]
        events += [self.lose, self.damage, self.cut, self.restart, self.resend, self.choose]
        for _ in range(STEPS):
            self.now += self.rng.randrange(100)
            event = self.rng.choice(events)
            event()
            self.check()
        if self.with_backups:
            self.restore_backup()
            for _ in range(STEPS // 2):
                self.rng.choice(events)()
        self.come_to_rest()
        return self.counts

    # Events

    def finish(self, home):
        """Store, then send. A power cut may come before, between or after."""
        side = self.homes[home]
        moment = 1 if self.is_calm else self.rng.random()
        if moment < 0.05:
            self.counts["killed before storing"] += 1
            side.restart()
            return
        side.store()
        if moment < 0.1:
            self.counts["killed before sending"] += 1
            side.restart()
            return
        self.send(home)

    def send(self, home):
        message = self.homes[home].game.make_message(self.now)
        if message:
            self.under_way.append((1 - home, message))
            self.sent.append(message)

    def act(self):
        home = self.rng.randrange(2)
        game = self.homes[home].game
        if game.is_my_turn:
            action = self.rng.choice(legal_actions(game.log.game.position))
            self.homes[home].hands.add(("act", game.log.hash, str(action)))
            game.act(action)
            self.counts["turns"] += 1
            self.finish(home)

    def choose_change(self, home, log):
        choices = [Draw(), NewGame(self.variant, self.rng.randrange(2))]
        choices += [TakeBack(self.rng.randrange(5)), TakeBack(max(0, len(log.game.turns) - 1))]
        choices += [Resign(home)] * (self.rng.random() < 0.2)
        return self.rng.choice(choices)

    def wish(self, home, change):
        log = self.homes[home].game.log
        place = log.game_id if isinstance(change, Resign) else log.hash
        self.homes[home].hands.add(("wish", place, change))

    def ask(self):
        home = self.rng.randrange(2)
        game = self.homes[home].game
        if not game.log or game.question:
            return
        change = self.choose_change(home, game.log)
        if game.log.allows(change):
            self.wish(home, change)
            game.request(change)
            self.counts["requests"] += 1
            self.finish(home)

    def answer(self):
        home = self.rng.randrange(2)
        game = self.homes[home].game
        if game.requests and not game.question:
            change, is_accepted = self.rng.choice(game.requests), self.rng.random() < 0.7
            if is_accepted:
                self.wish(home, change)
            game.answer(change, is_accepted=is_accepted)
            self.counts["answers"] += 1
            self.finish(home)

    def choose(self):
        for home, each in enumerate(self.homes):
            question = each.game.question
            if question and question.chooser == home:
                each.game.choose(self.rng.choice(question.versions))
                self.counts["forks answered"] += 1
                self.finish(home)

    def deliver(self):
        if self.under_way and not self.is_cut:
            is_newest = self.rng.random() < self.order
            self.receive(*self.under_way.pop(-1 if is_newest else self.rng.randrange(len(self.under_way))))

    def repeat(self):
        if self.under_way and not self.is_cut:
            self.receive(*self.rng.choice(self.under_way))

    def replay(self):
        """Send an old message to either home, also its own one, or a message of another game."""
        home = self.rng.randrange(2)
        if self.rng.random() < 0.3:
            self.refuse(home, self.rng.choice(messages_of_another_game()))
        elif self.sent:
            self.counts["replays"] += 1
            self.receive(home, self.rng.choice(self.sent))

    def damage(self):
        if self.sent:
            message = bytearray(self.rng.choice(self.sent))
            message[self.rng.randrange(len(message))] ^= 1 << self.rng.randrange(8)
            self.refuse(self.rng.randrange(2), bytes(message))

    def refuse(self, home, message):
        game = self.homes[home].game
        before = game.to_bytes()
        try:
            game.receive(message, self.now)
        except LinkError:
            assert game.to_bytes() == before, "a refused message changed something"
            return
        raise AssertionError("a wrong message was accepted")

    def receive(self, home, message):
        game = self.homes[home].game
        if self.rng.random() < 0.25:
            self.watcher.receive(message, self.now)
        before = durable(game)
        is_changed = game.receive(message, self.now)
        assert is_changed == (durable(game) != before), "a change was not reported"
        if self.rng.random() < 0.25:
            assert not game.receive(message, self.now), "a repeated message changed something"
        if is_changed:
            self.finish(home)

    def lose(self):
        if self.under_way:
            self.under_way.pop(self.rng.randrange(len(self.under_way)))

    def cut(self):
        self.is_cut = not self.is_cut

    def restart(self):
        self.rng.choice(self.homes).restart()

    def resend(self):
        self.send(self.rng.randrange(2))

    def restore_backup(self):
        home = self.rng.choice(self.homes)
        home.restart(self.rng.choice(home.backups[-6:]))
        self.counts["backups restored"] += 1

    # Checks

    def check(self):
        """Check that one log continues the other, also on disk."""
        logs = sorted((home.log_hashes for home in self.homes), key=len)
        assert logs[0] == logs[1][: len(logs[0])], "the logs differ"

    def come_to_rest(self):
        """Deliver every message, answer questions, and check the end."""
        self.is_cut, self.is_calm = False, True
        self.rng.shuffle(self.under_way)
        for _ in range(12):
            for _ in range(1000):
                if self.under_way:
                    self.receive(*self.under_way.pop())
            assert not self.under_way, "the homes never stop sending"
            self.choose()
            for home in (0, 1):
                self.homes[home].restart()
                self.send(home)
            first, second = (durable(home.game) for home in self.homes)
            if first == second and first[0] and not first[1]:
                break
        assert first == second, "the homes differ at rest"
        assert first[0], "no one joined"
        assert not first[1], "a question is open at rest"
        for home in (0, 1):
            self.watcher.receive(self.homes[home].game.make_message(self.now), self.now)
        if not self.with_backups:
            assert self.watcher.log.hash == self.homes[0].game.log.hash, "the spectator differs"
        self.check_hands()

    def check_hands(self):
        """Check that the people signed every entry, and replay the game independently."""
        log = self.homes[0].game.log
        actions, variant, light = [], self.variant, log.list_entries()[0].light
        assert log.keys == tuple(bytes(home.game._key.verify_key) for home in self.homes)
        for entry in log.list_entries()[1:]:
            self.counts["entries"] += 1
            before = entry.before
            if notation := entry.body.get("act"):
                assert ("act", before.hash, notation) in self.homes[entry.author].hands, "a turn without its hand"
                mover = light if len(actions) % 2 == 0 else 1 - light
                assert mover == entry.author, "a turn of the wrong home"
                actions.append(notation)
                continue
            change = parse_change(entry.body["do"])
            self.counts[type(change).__name__] += 1
            place = before.game_id if isinstance(change, Resign) else before.hash
            signers = [change.home] if isinstance(change, Resign) else [0, 1]
            for signer in signers:
                assert ("wish", place, change) in self.homes[signer].hands, f"{change} without the hand of {signer}"
            if isinstance(change, TakeBack):
                actions = actions[: change.turn_count]
            if isinstance(change, NewGame):
                actions, variant, light = [], change.variant, change.light
        assert [str(turn.action) for turn in log.game.turns] == actions, "another game"
        assert log.game.variant == variant


def durable(game):
    """Return what a home knows: log, other version, choices, requests of both homes."""
    wishes = [{(wish, isinstance(wish, Decline)) for wish in each} for each in game._wishes]
    rival = game._rival and game._rival.hash
    return game.log and game.log.hash, rival, sorted(game._choices), *wishes


def run_schedule(seed, schedule_class=Schedule):
    """Run one schedule. Return what happened, and the fault if there is one."""
    schedule = schedule_class(random.Random(seed))
    try:
        return schedule.run(), None
    except Exception:  # noqa: BLE001
        return schedule.counts, f"schedule {seed}: {traceback.format_exc(limit=-3)}"


def run_schedules(first, count, schedule_class=Schedule):
    """Run several schedules."""
    counts, faults = Counter(), []
    for seed in range(first, first + count):
        happened, fault = run_schedule(seed, schedule_class)
        counts += happened
        counts["schedules"] += 1
        if fault:
            faults.append(fault)
            if len(faults) > 2:
                break
    return counts, faults


def main(arguments=None, schedule_class=Schedule):
    """Run the schedules. Return 1 if one failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    begun, counts, faults, batch = perf_counter(), Counter(), [], 500
    starts = range(0, options.schedules, batch)
    with ProcessPoolExecutor(options.jobs) as pool:
        firsts = [options.seed * 1_000_000 + start for start in starts]
        sizes = [min(batch, options.schedules - start) for start in starts]
        for happened, found in pool.map(run_schedules, firsts, sizes, repeat(schedule_class)):
            counts += happened
            faults += found
    for kind, count in sorted(counts.items()):
        print(f"{kind:<24} {count:>9}")
    print(f"seed {options.seed}, {perf_counter() - begun:.0f} seconds")
    for fault in faults[:5]:
        print(f"FAILED: {fault}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

"""Two boards in simulated time that play a game by correspondence. Usually only one of them is switched on."""

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from pond_hw.journal.folder import read_all_games
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.mqtt.linked_home import LinkedHome
from pond_hw.rules import Side, parse_variant
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import long_after_first
from tests.server.served import Served

HOUR = 3600.0
MAX_VISITS = 1000


class Broker:
    """A broker that keeps the last message of each topic."""

    def __init__(self):
        self.retained = {}


class World:
    """Two homes and their broker."""

    def __init__(self, seed, folder, variant, *kinds):
        self.random, self.now, self.broker = Random(seed), 1_800_000_000.0, Broker()
        inviter = LinkedGame.invite(parse_broker("mqtt://broker.example"), parse_variant(variant), 0)
        games = inviter, LinkedGame.join(inviter.invitation)
        self.homes = [
            Home(self, folder / name, game, kind) for name, game, kind in zip("ab", games, kinds, strict=True)
        ]

    def play(self):
        """Visit the homes until the game has ended. Return the number of hours."""
        begin = self.now
        for visit in range(MAX_VISITS):
            home = self.homes[visit % 2] if visit < 3 else self.random.choice(self.homes)
            home.switch_on()
            home.sit_down()
            is_over = home.log and home.log.game.outcome
            if self.random.random() < 0.2:  # the other board is switched on meanwhile
                others = [each for each in self.homes if each is not home]
                others[0].switch_on()
                others[0].work()
                home.sit_down()
                others[0].switch_off()
            home.switch_off()
            if is_over and all(each.log and each.log.game.outcome for each in self.homes):
                return (self.now - begin) / HOUR
            self.now += self.random.uniform(0.2, 8) * HOUR
        raise AssertionError("the game has no end")


class Home:
    """A board, its link, and the people there."""

    def __init__(self, world, folder, game, kind):
        self.world, self.folder, self.kind = world, folder, kind
        self.folder.mkdir()
        self.stored, self.read = LinkedHome(game).to_bytes(), {}
        self.served = self.linked = self.revision = None

    @property
    def log(self):
        return LinkedHome.from_bytes(self.stored).game.log

    def switch_on(self):
        pieces = PieceOptions(turned=False) if self.kind == "pieces" else None
        self.served = Served(self.folder, size=4, games=self.folder / "games", pieces=pieces)
        self.linked, self.revision, self.read = LinkedHome.from_bytes(self.stored), -1, {}
        self.link = self.served.connect()
        self.send(self.linked.set_online(True))
        self.work()

    def switch_off(self):
        self.served.close()
        self.served = self.linked = None

    def send(self, lines):
        self.link.send("".join(json.dumps(line) + "\n" for line in lines).encode())

    def work(self):
        """Pass on messages until there are no more."""
        for _ in range(100):
            self.served.advance(2, step=0.25)  # turns of the other home appear after a pause
            self.publish()
            messages = self.link.receive()
            for message in messages:
                self.send(self.linked.receive_board(message, self.world.now))
            news = [
                (topic, payload)
                for topic in self.linked.read_topics
                if (payload := self.world.broker.retained.get(topic)) and self.read.get(topic) != payload
            ]
            for topic, payload in news:
                self.read[topic] = payload
                self.send(self.linked.receive_mqtt(payload, self.world.now))
            if not (messages or news or self.linked.revision != self.revision):
                return
        raise AssertionError("no end of messages")

    def publish(self):
        """Store, then send."""
        if self.linked.revision != self.revision:
            self.revision, self.stored = self.linked.revision, self.linked.to_bytes()
            if message := self.linked.game.make_message(int(self.world.now)):
                self.world.broker.retained[self.linked.game.topic] = message

    def sit_down(self):
        """Move the other home's pieces if asked, then take a turn if it's this home's."""
        self.tidy()
        game = self.linked.game
        if game.is_my_turn:
            assert self.session.turns == game.log.game.turns
            self.act(self.world.random.choice(self.session.allowed_actions))
            self.served.advance(4)
            self.work()
            self.tidy()
            assert not game.is_my_turn

    @property
    def session(self):
        return self.served.companion.session

    def act(self, action):
        hands, side = self.served.hands, self.session.position.to_move
        if self.kind != "pieces":
            for cell in filter(None, (action.source, action.target)):
                hands.touch(cell)
                self.served.advance(0.3)
        elif action.source:
            hands.lift(action.source)
            self.served.advance(0.5)
            hands.drop(action.target)
        else:
            hands.drop(action.target, side)

    def tidy(self):
        """Follow the steps that the lamps show until board and game match."""
        for _ in range(60 if self.kind == "pieces" else 0):
            self.served.advance(4)
            self.work()
            occupancy, hands = self.session.view.occupancy, self.served.hands
            to_remove, step = occupancy.to_remove, occupancy.repair_step
            if to_remove or (step and not step.target):
                hands.lift(min(to_remove) if to_remove else step.source)
                hands.put_aside()
            elif step and step.source:
                hands.lift(step.source)
                hands.drop(step.target)
            elif step:
                hands.drop(step.target, self.session.position.pieces[step.target].owner)
            else:
                return
        assert self.kind != "pieces", self.session.messages


KINDS = [("pieces", "buttons"), ("pieces", "pieces"), ("buttons", "buttons")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "kinds"), long_after_first([(seed, kinds) for seed in range(1, 9) for kinds in KINDS])
)
def test_game_by_correspondence(seed, kinds):
    """Boards and links are restarted at each visit. At the end both homes have the same game, which lasts more than a week."""
    with TemporaryDirectory(prefix="pond") as folder:
        world = World(seed, Path(folder), "4x4/12/6", *kinds)
        hours = world.play()
        first, second = world.homes
        assert first.log.hash == second.log.hash
        played = [str(turn.action) for turn in first.log.game.turns]
        assert hours > 7 * 24
        for home in world.homes:
            stored = [game for game in read_all_games(home.folder / "games")[0] if game.facts.get("link")]
            assert [str(turn.action) for turn in stored[-1].projection.turns] == played
            assert stored[-1].projection.outcome.winner in (*Side, None)

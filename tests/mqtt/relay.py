"""Test two boards, their link processes and a hostile relay, in simulated time.

python -m tests.mqtt.relay --schedules 100000 --jobs 2 --seed 1

The relay is that of `tests.link.relay`. Here the people touch boards, and boards and link processes are killed independently.
"""

import logging
import sys
from collections import Counter

from pond_hw.link.changes import Resign, parse_change
from pond_hw.mqtt.changes_as_json import change_to_line, parse_line_change
from pond_hw.mqtt.linked_home import LinkedHome, format_game_id
from pond_hw.rules import legal_actions
from tests.link import relay
from tests.mqtt.fake_board import FakeBoard


class BoardHome(relay.Home):
    """A home with a board. The lines between board and link process take their time."""

    def __init__(self, game):
        self.board, self.linked = FakeBoard(), LinkedHome(game)
        self.hands, self.acts, self.to_board = set(), Counter(), []
        self.stored, self.revision = self.linked.to_bytes(), 0
        self.backups = [self.stored]
        self.board.connect()

    @property
    def game(self):
        return self.linked.game

    def restart(self, stored=None):
        """Kill the link process, and start it again."""
        self.stored = stored or self.stored
        self.linked = LinkedHome.from_bytes(self.stored)
        self.revision = 0
        self.reconnect()

    def reconnect(self):
        """Connect to the board again, as after it was killed."""
        self.linked.lose_board()
        self.to_board.clear()
        self.board.connect()

    def store(self):
        self.stored = self.linked.to_bytes()
        self.revision = self.linked.revision
        self.backups.append(self.stored)


class BoardSchedule(relay.Schedule):
    """A random course of events with two boards."""

    home_class = BoardHome

    def run(self):
        """Join, usually without trouble, then play."""
        if self.rng.random() < 0.9:
            self.is_calm = True
            self.exchange()
            self.is_calm = False
        return super().run()

    # Events

    def act(self):
        """Touch a board. Three of four times, let the link process hear of it at once."""
        home = self.rng.choice([home for home in self.homes if home.board.is_own_turn] or self.homes)
        board = home.board
        if board.is_own_turn:
            action = self.rng.choice(legal_actions(board.record.position))
            before = tuple(str(turn.action) for turn in board.record.turns)
            home.acts[board.game, before, str(action)] += 1
            board.touch(action)
            self.counts["turns"] += 1
        if self.rng.random() < 0.75:
            self.talk(home)

    def ask(self):
        number = self.rng.randrange(2)
        home = self.homes[number]
        log, board = home.game.log, home.board
        if not log or not board.status or board.game != format_game_id(log):
            return
        change = self.choose_change(number, log)
        home.hands.add((format_game_id(log), change))
        board.wish(change_to_line(change, number))
        self.counts["requests"] += 1
        self.talk(home)

    def answer(self):
        number = self.rng.randrange(2)
        board = self.homes[number].board
        if not board.status or not board.status["requests"] or not board.game:
            return
        line, is_accepted = self.rng.choice(board.status["requests"]), self.rng.random() < 0.7
        if is_accepted:
            self.homes[number].hands.add((board.game, parse_line_change(line, number)))
        board.wish(line, accept=is_accepted)
        self.counts["answers"] += 1
        self.talk(self.homes[number])

    def choose(self):
        for home in self.homes:
            question = (home.board.status or {}).get("question")
            if question and question["mine"]:
                home.board.sent.append({"type": "wish", "version": self.rng.randrange(2)})
                self.counts["forks answered"] += 1
                self.talk(home)

    def receive(self, home, message):
        home = self.homes[home]
        if self.rng.random() < 0.25:
            self.watcher.receive(message, self.now)
        home.to_board += home.linked.receive_mqtt(message, self.now)
        self.finish_changes(home)
        self.talk(home)

    def refuse(self, home, message):
        linked = self.homes[home].linked
        before, revision = linked.to_bytes(), linked.revision
        assert linked.receive_mqtt(message, self.now) == []
        assert (linked.to_bytes(), linked.revision) == (before, revision), "a refused message changed something"

    def restart(self):
        home = self.rng.choice(self.homes)
        self.rng.choice([home.restart, home.reconnect])()

    def cut(self):
        """Cut the relay or begin it again, or begin or end a lesson at a board."""
        super().cut()
        board = self.rng.choice(self.homes).board
        board.is_busy = not board.is_busy and self.rng.random() < 0.3
        board.receive({"ask": "state"})

    def talk(self, home, steps=None):
        """Let some lines pass between a board and its link process."""
        for _ in range(self.rng.randrange(8) if steps is None else steps):
            if home.to_board and (not home.board.sent or self.rng.random() < 0.5):
                home.board.receive(home.to_board.pop(0))
            elif home.board.sent:
                home.to_board += home.linked.receive_board(home.board.sent.pop(0), self.now)
                self.finish_changes(home)
            else:
                home.to_board += home.linked.tick(self.now)
                if not home.to_board:
                    return

    def finish_changes(self, home):
        if home.linked.revision != home.revision:
            self.finish(self.homes.index(home))

    # Checks

    def check(self):
        super().check()
        for home in self.homes:
            self.check_board(home)

    def check_board(self, home):
        """Check that a board shows a game that the log has had, or its own turn after it."""
        if home.board.game and not self.with_backups:
            notations = tuple(str(turn.action) for turn in home.board.record.turns)
            past = [
                entry for other in self.homes for entry in (other.game.log.list_entries() if other.game.log else [])
            ]
            games = {(format_game_id(entry), tuple(str(turn.action) for turn in entry.game.turns)) for entry in past}
            has_own_turn = notations and home.acts[home.board.game, notations[:-1], notations[-1]]
            assert (home.board.game, notations) in games or (
                has_own_turn and (home.board.game, notations[:-1]) in games
            ), "the board shows a game that was never in the log"

    def come_to_rest(self):
        self.is_cut, self.is_calm = False, True
        self.rng.shuffle(self.under_way)
        for _ in range(20):
            for home in self.homes:
                home.board.is_busy = False
                home.restart()
            self.exchange()
            self.choose()
            first, second = (relay.durable(home.game) for home in self.homes)
            if first == second and first[0] and not first[1]:
                break
        assert first == second, "the homes differ at rest"
        assert first[0], "no one joined"
        assert not first[1], "a question is open at rest"
        self.check_hands()
        game = self.homes[0].game.log.game
        for number, home in enumerate(self.homes):
            log, board = home.game.log, home.board
            assert board.game == format_game_id(log), "a board plays another game"
            assert (board.record.turns, board.record.outcome) == (game.turns, game.outcome), "a board has not followed"
            assert board.side == str(log.find_side(number))
            stored = LinkedHome.from_bytes(home.stored).game
            assert relay.durable(stored) == relay.durable(home.game), "something has not been stored"

    def exchange(self):
        """Let all messages and lines arrive."""
        for number in (0, 1):
            self.send(number)
        for _ in range(400):
            self.now += 1
            if self.under_way:
                self.receive(*self.under_way.pop())
            for home in self.homes:
                self.talk(home, 10)
        assert not self.under_way, "the homes never stop sending"

    def check_hands(self):
        """Check that people made every turn as often as it was played, and that both signed every change."""
        log, played = self.homes[0].game.log, Counter()
        for entry in log.list_entries()[1:]:
            self.counts["entries"] += 1
            before, game = entry.before, format_game_id(entry.before)
            if notation := entry.body.get("act"):
                actions = tuple(str(turn.action) for turn in before.game.turns)
                played[entry.author, game, actions, notation] += 1
                continue
            change = parse_change(entry.body["do"])
            self.counts[type(change).__name__] += 1
            for signer in [change.home] if isinstance(change, Resign) else [0, 1]:
                assert (game, change) in self.homes[signer].hands, f"{change} without the hand of {signer}"
        for (author, *turn), count in played.items():
            hands = self.homes[author].acts[tuple(turn)]
            assert hands, "a turn without its hand"
            assert hands >= count or self.with_backups, "a turn more often than by hand"


if __name__ == "__main__":
    logging.getLogger("pond").setLevel(logging.ERROR)  # refused messages are warnings
    sys.exit(relay.main(schedule_class=BoardSchedule))

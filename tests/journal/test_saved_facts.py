"""Saved games record the actual players, start and events."""

from itertools import product
from random import Random

import pytest

from pond_hw.board import HealthEvent
from pond_hw.companion import SimulatedClock
from pond_hw.engine import HUMAN, SeatedPlayers
from pond_hw.journal.folder import read_all_games
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, VARIANTS, Position, legal_actions
from pond_hw.session import TakeAction, is_set_up
from pond_hw.tui.dialogs import GameChoice
from pond_hw.tui.local_table import LocalTable, TableOptions
from tests.server.served import Served

HAND_MADE = Position.from_notation(".t../..F./e..T/T... d 6 6 4 5")
BROKEN = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
PONDS = "standard", "mini"
NAMES = ("Ann", "Bob"), ("Cid", None), ("Eve", "Fay")
PROGRAMS = (None, None), (None, "random"), ("greedy", None)


def describe(seats, game):
    """Return everything that a list of saved games shows."""
    start, outcome = game.custom_start, game.outcome
    actions = [[str(turn.action) for turn in turns] for turns in (game.turns, game.undone_turns)]
    return seats, str(game.variant), start and start.notation_line, actions, str(outcome), game.hints_given


def saved_games(folder):
    return [
        describe((game.facts["light"], game.facts["dark"]), game.projection)
        for game in read_all_games(folder)[0]
        if not game.is_empty
    ]


class ListedGames:
    """A served board, with the list of saved games that it should have."""

    def __init__(self, tmp_path):
        self.socket_folder, self.folder = tmp_path, tmp_path / "games"
        self.expected, self.is_listed = [], False
        self.connect()

    def connect(self):
        self.served = Served(self.socket_folder, games=self.folder)
        self.client = self.served.connect()
        self.client.receive()

    @property
    def session(self):
        return self.served.companion.session

    def command(self, name, **fields):
        """Send a command and compare the list of saved games with the expected one."""
        self.client.request({"command": name, **fields})
        if name in ("new", "set_up", "discard") and not self.session.trouble:
            self.is_listed = False
        self.compare()

    def new(self, names=None, programs=None, variant="standard"):
        light, dark = programs or (None, None)
        players = {"players": {"light": light, "dark": dark}} if programs else {}
        people = {"names": dict(zip(("light", "dark"), names, strict=True))} if names else {}
        self.command("new", variant=variant, **players, **people)

    def play(self, turns=1):
        """Play turns. Programs answer them."""
        for _ in range(turns):
            if not (self.session.outcome or self.session.resume_prompt):
                self.command("action", action=str(legal_actions(self.session.position)[0]))
            self.served.advance(4.0, 0.5)
            self.compare()

    def restart(self, choice):
        self.served.close()
        self.connect()
        if self.session.resume_prompt:
            self.command(choice)
        else:
            self.is_listed = False

    def compare(self):
        session, companion = self.session, self.served.companion
        if not session.resume_prompt:
            has_begun = session.turns or session.undone_turns or session.outcome or is_set_up(session.custom_start)
            self.expected = self.expected[:-1] if self.is_listed else self.expected
            self.is_listed = bool(has_begun)
            if has_begun:
                seats = zip(companion.seated.players, companion.seated.names, strict=True)
                names = tuple(player.name if player else name for player, name in seats)
                self.expected = [*self.expected, describe(names, session)]
        assert saved_games(self.folder) == self.expected

    def close(self):
        self.served.close()


@pytest.fixture
def evening(tmp_path):
    evening = ListedGames(tmp_path)
    yield evening
    evening.close()


def test_second_new_game_saves_the_second_names(evening):
    evening.play(1)  # so that the next command starts another game
    evening.new(("Ann", "Bob"))
    evening.new(("Cid", "Dee"))
    evening.play(2)
    assert [seats for seats, *_ in saved_games(evening.folder)] == [(None, None), ("Cid", "Dee")]


@pytest.mark.slow
def test_players_are_saved_for_any_order_of_new_games(evening):
    choices = [
        (("Ann", "Bob"), (None, None), "standard"),
        (("Cid", "Dee"), (None, None), "mini"),
        (None, (None, "random"), "standard"),
        (("Eve", None), None, "standard"),
    ]
    for first, second in product(choices, repeat=2):
        evening.new(*first)
        evening.new(*second)
        evening.play(1)
    assert len(saved_games(evening.folder)) == len(choices) ** 2


def test_refused_new_game_changes_no_player(evening):
    evening.new(("Ann", "Bob"))
    evening.play(1)
    evening.served.companion.put(HealthEvent(BROKEN, 0.0))
    evening.new(("Cid", "Dee"), (None, "random"))
    evening.served.companion.put(HealthEvent(None, 0.0))
    evening.play(1)
    assert [seats for seats, *_ in saved_games(evening.folder)] == [("Ann", "Bob")]


def test_undone_resignation_before_a_turn_is_not_listed(evening):
    evening.command("resign")
    evening.command("undo")
    evening.new(("Cid", "Dee"))
    evening.play(1)
    assert [seats for seats, *_ in saved_games(evening.folder)] == [("Cid", "Dee")]


def test_undone_resignation_keeps_a_set_up_game(evening):
    evening.command("set_up", position=HAND_MADE.notation_line)
    evening.command("resign")
    evening.command("undo")
    assert len(saved_games(evening.folder)) == 1


def do_anything(evening, rng):
    new = lambda: evening.new(rng.choice([None, *NAMES]), rng.choice([None, *PROGRAMS]), rng.choice(PONDS))  # noqa: E731
    rng.choice(
        [
            new,
            new,
            new,
            lambda: evening.play(rng.randint(1, 2)),
            lambda: evening.play(rng.randint(1, 2)),
            lambda: evening.command("undo"),
            lambda: evening.command("redo"),
            lambda: evening.command("resign"),
            lambda: evening.command("hint"),
            lambda: evening.command("fair_start", on=rng.random() < 0.5),
            lambda: evening.command("head_start", side="dark", pieces=rng.randint(0, 2)),
            lambda: evening.command("hint_limit", side="light", hints=3),
            lambda: evening.restart(rng.choice(["resume", "discard"])),
            lambda: evening.served.companion.put(HealthEvent(rng.choice([None, None, BROKEN]), 0.0)),
        ]
    )()


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 40))])
def test_saved_games_match_the_board(evening, seed):
    rng = Random(seed)
    for _ in range(25):
        do_anything(evening, rng)


@pytest.mark.parametrize("first", [(HUMAN, HUMAN), (HUMAN, "greedy"), ("random", HUMAN)])
@pytest.mark.parametrize("second", [(HUMAN, HUMAN), (HUMAN, "random")])
@pytest.mark.parametrize("variant", [STANDARD, VARIANTS["mini"]])
def test_terminal_saves_the_players_chosen_last(tmp_path, first, second, variant):
    options = TableOptions(4, SimulatedClock(), folder=tmp_path, threaded=False)
    table = LocalTable(STANDARD, SeatedPlayers(names=("Ann", "Bob")), options)
    table.put(TakeAction(legal_actions(table.view.position)[0], 0.0))
    table.step()
    for names in (first, second):
        table.begin_game(GameChoice(variant, names))
        table.step()
    table.companion.run_until(table.now() + 5.0)
    if table.program_names[0] is None:
        table.put(TakeAction(legal_actions(table.view.position)[0], table.now()))
        table.companion.run_until(table.now() + 5.0)
    table.close()
    people = tuple(name if who == HUMAN else who for who, name in zip(second, ("Ann", "Bob"), strict=True))
    assert [seats for seats, *_ in saved_games(tmp_path)] == [("Ann", "Bob"), people]

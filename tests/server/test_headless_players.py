"""A program drives a board by lines, and another one plays against it there: the same lines in, the same lines out."""

import json

import pytest

from pond_hw.commands import main
from pond_hw.companion.program_players import PACE_SECONDS
from pond_hw.engine import PLAYER_NAMES, make_simulated_player
from pond_hw.journal.folder import read_all_games
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, parse_variant
from pond_hw.server.headless import HeadlessGame
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import each, first_now_rest_long
from tests.server.served import said


class Table:
    """A headless board, and the program that drives it."""

    def __init__(self, pond="standard", light="human", dark="human", seed=0, **options):
        players = make_simulated_player(light, seed), make_simulated_player(dark, seed + 1)
        self.game = HeadlessGame(parse_variant(pond), players=players, **options)
        self.lines = [self.game.format_hello(), *self.game.opening_lines()]

    @property
    def hello(self):
        return json.loads(self.lines[0])

    @property
    def state(self):
        return next(told for told in map(json.loads, reversed(self.lines)) if told["type"] == "state")

    def says(self, asked):
        answers = list(self.game.answer_line(json.dumps(asked).encode()))
        self.lines += answers
        return [json.loads(answer) for answer in answers]

    def mends(self):
        """Hands do what the board asks for, until board and game agree."""
        for _ in range(60):
            wood = self.state["wood"]
            step = wood["next"]
            if wood["take_off"]:
                self.says({"take": wood["take_off"][0]})
            elif step and step["from"] and step["to"]:
                self.says({"lift": step["from"]})
                self.says({"drop": step["to"]})
            elif step and step["from"]:
                self.says({"take": step["from"]})
            elif step:
                letter = self.letter(step["to"])
                self.says({"drop": step["to"], "owner": "light" if letter.isupper() else "dark"})
            else:
                return
            self.says({"wait": 0.3})

    def letter(self, cell):
        rows = self.state["position"].split()[0].split("/")
        return rows[-int(cell[1])]["abcde".index(cell[0])]

    def plays_to_the_end(self, me):
        """The program always takes the last legal action."""
        for _ in range(400):
            state = self.state
            if state["outcome"]:
                return state["outcome"]
            if state["to_move"] == me and state["phase"] != "differs":
                self.acts(state["legal"][-1])
            self.says({"wait": PACE_SECONDS + 0.1})
            if "wood" in state:
                self.mends()
        raise AssertionError("the game has no end")

    def acts(self, action):
        if "wood" not in self.state:
            return self.says({"command": "action", "action": action})
        if action[0] != "@":
            self.says({"lift": action[:2]})
        self.says({"drop": action[-2:], "owner": self.state["to_move"]})
        return self.says({"wait": 3.3})


@pytest.mark.slow
@each("name", [name for name in PLAYER_NAMES if name not in ("human", "level-9", "level-10", "level-11", "level-12")])
def test_everybody_can_be_played_against_and_is_named(name):
    table = Table("mini", dark=name)
    assert table.hello["players"] == {"light": None, "dark": name}
    assert table.state["to_move"] == "light"
    table.says({"touch": "b2"})
    [state] = table.says({"wait": PACE_SECONDS + 0.1})
    assert (state["to_move"], state["t"]) == ("light", 1.9)
    assert state["score"] == {"light": 0, "dark": 0}


def test_without_another_player_hello_is_what_it_was_and_no_state_follows():
    table = Table()
    assert len(table.lines) == 1
    assert "players" not in table.hello


def test_nobody_answers_before_the_pace():
    table = Table(dark="greedy")
    table.says({"touch": "b2"})
    [state] = table.says({"wait": PACE_SECONDS - 0.1})
    assert state["to_move"] == "dark"
    [refused] = table.says({"touch": "c3"})
    assert said(refused) == [Message("seats.wait", side="dark", player="greedy")]
    [state] = table.says({"wait": 0.2})
    assert state["to_move"] == "light"


def test_light_begins_by_itself():
    table = Table(light="level-2")
    assert table.hello["players"] == {"light": "level-2", "dark": None}
    assert table.state["to_move"] == "dark"
    assert table.state["t"] == 0.0


def test_an_answer_counts_in_a_new_game_that_begins_with_the_same_question():
    table = Table("mini", light="random")
    assert table.says({"command": "undo"})[0]["to_move"] == "light"
    assert table.says({"command": "new"})[0]["to_move"] == "dark"


def test_an_answer_does_not_count_in_another_position():
    table = Table("mini", light="random")
    table.says({"command": "undo"})
    table.says({"command": "set_up", "position": "..../...e/..../.... l 10 9 0 0", "variant": "mini"})
    [state] = table.says({"wait": PACE_SECONDS})
    assert (state["to_move"], state["position"][8]) == ("dark", "e")
    assert table.game.companion.barrier.failure_count == 0


@pytest.mark.slow
def test_two_programs_play_while_time_passes():
    table = Table("mini", light="greedy", dark="level-1")
    table.says({"wait": 30})
    assert len(table.game.companion.session.turns) == 17


@pytest.mark.slow
@pytest.mark.parametrize(("dark", "pond"), first_now_rest_long([("level-1", "mini"), ("level-3", "standard")]))
def test_the_same_lines_in_give_the_same_lines_out_byte_for_byte(dark, pond):
    one, other, another = Table(pond, dark=dark), Table(pond, dark=dark), Table(pond, dark=dark, seed=7)
    for table in (one, other, another):
        table.plays_to_the_end("light")
    assert one.lines == other.lines
    assert another.lines[2:] != one.lines[2:]


@pytest.mark.slow
def test_what_a_level_answers_does_not_depend_on_the_clock_on_the_wall(monkeypatch):
    one = Table("mini", dark="level-3")
    one.plays_to_the_end("light")
    leaps = iter(range(10**9))
    monkeypatch.setattr("pond_hw.engine.searcher.monotonic", lambda: 100.0 * next(leaps))
    other = Table("mini", dark="level-3")
    other.plays_to_the_end("light")
    assert one.lines == other.lines


@pytest.mark.slow
@pytest.mark.parametrize("colours", [False, True])
def test_with_pieces_the_hands_of_the_program_move_for_both(colours):
    one = Table("3x3/4/3", dark="level-2", pieces=PieceOptions(colours=colours, plain=True))
    assert one.hello["pieces"] is True
    one.acts("@b2")
    one.says({"wait": PACE_SECONDS})
    assert one.state["phase"] == "differs"
    assert one.state["wood"]["next"]["to"]
    one.mends()
    assert one.state["phase"] == "act"
    assert one.plays_to_the_end("light")
    assert not any(json.loads(line)["type"] == "error" for line in one.lines)


def test_a_game_against_a_program_is_kept_under_its_name(tmp_path):
    table = Table("mini", dark="greedy", folder=tmp_path)
    table.says({"touch": "b2"})
    table.says({"wait": 2})
    table.game.companion.close()
    [kept] = read_all_games(tmp_path)[0]
    assert (kept.facts["light"], kept.facts["dark"]) == (None, "greedy")
    again = Table("mini", dark="greedy", folder=tmp_path)
    assert again.state["phase"] == "resume"
    again.says({"command": "resume"})
    again.says({"wait": 10})
    assert len(again.game.companion.session.turns) == 2
    again.game.companion.close()


def test_nobody_else_is_known(capsys):
    with pytest.raises(PondError) as refused:
        make_simulated_player("deep thought", 1)
    assert refused.value.message.id == "player.unknown"
    assert refused.value.message.arguments["name"] == "deep thought"
    with pytest.raises(SystemExit) as ended:
        main.main(["headless", "--dark", "nobody"])
    assert ended.value.code == 2

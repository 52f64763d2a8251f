"""The headless board with programs as players."""

import json

import pytest

from pond_hw.commands import main
from pond_hw.companion.program_players import PACE_SECONDS
from pond_hw.engine import PLAYER_NAMES, make_simulated_player
from pond_hw.journal.folder import read_all_games
from pond_hw.messages.message import Message
from pond_hw.rules import PondError
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import each, long_after_first
from tests.server.headless_client import HeadlessClient
from tests.server.served import parse_said


class PlayersClient(HeadlessClient):
    """A client of a headless board with programs as players."""

    def __init__(self, pond="standard", light="human", dark="human", seed=0, **options):
        players = make_simulated_player(light, seed), make_simulated_player(dark, seed + 1)
        super().__init__(pond, players=players, **options)

    @property
    def last_state(self):
        return next(line for line in map(json.loads, reversed(self.lines)) if line["type"] == "state")

    def follow_repair_steps(self):
        """Follow the repair steps until the board matches the game."""
        for _ in range(60):
            board_state = self.last_state["wood"]
            step = board_state["next"]
            if board_state["take_off"]:
                self.request({"take": board_state["take_off"][0]})
            elif step and step["from"] and step["to"]:
                self.request({"lift": step["from"]})
                self.request({"drop": step["to"]})
            elif step and step["from"]:
                self.request({"take": step["from"]})
            elif step:
                letter = self.letter(step["to"])
                self.request({"drop": step["to"], "owner": "light" if letter.isupper() else "dark"})
            else:
                return
            self.request({"wait": 0.3})

    def letter(self, cell):
        rows = self.last_state["position"].split()[0].split("/")
        return rows[-int(cell[1])]["abcde".index(cell[0])]

    def play_to_the_end(self, me):
        """Play the last legal action until the game ends."""
        for _ in range(400):
            state = self.last_state
            if state["outcome"]:
                return state["outcome"]
            if state["to_move"] == me and state["phase"] != "differs":
                self.play(state["legal"][-1])
            self.request({"wait": PACE_SECONDS + 0.1})
            if "wood" in state:
                self.follow_repair_steps()
        raise AssertionError("the game has no end")

    def play(self, action):
        if "wood" not in self.last_state:
            return self.request({"command": "action", "action": action})
        if action[0] != "@":
            self.request({"lift": action[:2]})
        self.request({"drop": action[-2:], "owner": self.last_state["to_move"]})
        return self.request({"wait": 3.3})


@pytest.mark.slow
@each("name", [name for name in PLAYER_NAMES if name not in ("human", "level-9", "level-10", "level-11", "level-12")])
def test_hello_lists_every_player(name):
    client = PlayersClient("mini", dark=name)
    assert client.hello["players"] == {"light": None, "dark": name}
    assert client.last_state["to_move"] == "light"
    client.request({"touch": "b2"})
    [state] = client.request({"wait": PACE_SECONDS + 0.1})
    assert (state["to_move"], state["t"]) == ("light", 1.9)
    assert state["score"] == {"light": 0, "dark": 0}


def test_hello_has_no_players_without_programs():
    client = PlayersClient()
    assert len(client.lines) == 1
    assert "players" not in client.hello


def test_program_answers_after_pace_delay():
    client = PlayersClient(dark="greedy")
    client.request({"touch": "b2"})
    [state] = client.request({"wait": PACE_SECONDS - 0.1})
    assert state["to_move"] == "dark"
    [refused] = client.request({"touch": "c3"})
    assert parse_said(refused) == [Message("seats.wait", side="dark", player="greedy")]
    [state] = client.request({"wait": 0.2})
    assert state["to_move"] == "light"


def test_program_playing_light_begins():
    client = PlayersClient(light="level-2")
    assert client.hello["players"] == {"light": "level-2", "dark": None}
    assert client.last_state["to_move"] == "dark"
    assert client.last_state["t"] == 0.0


def test_answer_counts_in_an_identical_new_game():
    client = PlayersClient("mini", light="random")
    assert client.request({"command": "undo"})[0]["to_move"] == "light"
    assert client.request({"command": "new"})[0]["to_move"] == "dark"


def test_answer_to_another_position_is_dropped():
    client = PlayersClient("mini", light="random")
    client.request({"command": "undo"})
    client.request({"command": "set_up", "position": "..../...e/..../.... l 10 9 0 0", "variant": "mini"})
    [state] = client.request({"wait": PACE_SECONDS})
    assert (state["to_move"], state["position"][8]) == ("dark", "e")
    assert client.game.companion.barrier.failure_count == 0


@pytest.mark.slow
def test_two_programs_play_while_time_passes():
    client = PlayersClient("mini", light="greedy", dark="level-1")
    client.request({"wait": 30})
    assert len(client.game.companion.session.turns) == 17


@pytest.mark.slow
@pytest.mark.parametrize(("dark", "pond"), long_after_first([("level-1", "mini"), ("level-3", "standard")]))
def test_output_is_reproducible(dark, pond):
    one, other, another = (
        PlayersClient(pond, dark=dark),
        PlayersClient(pond, dark=dark),
        PlayersClient(pond, dark=dark, seed=7),
    )
    for client in (one, other, another):
        client.play_to_the_end("light")
    assert one.lines == other.lines
    assert another.lines[2:] != one.lines[2:]


@pytest.mark.slow
def test_level_does_not_depend_on_the_clock(monkeypatch):
    one = PlayersClient("mini", dark="level-3")
    one.play_to_the_end("light")
    leaps = iter(range(10**9))
    monkeypatch.setattr("pond_hw.engine.searcher.monotonic", lambda: 100.0 * next(leaps))
    other = PlayersClient("mini", dark="level-3")
    other.play_to_the_end("light")
    assert one.lines == other.lines


@pytest.mark.slow
@pytest.mark.parametrize("colours", [False, True])
def test_client_moves_pieces_for_both_sides(colours):
    one = PlayersClient("3x3/4/3", dark="level-2", pieces=PieceOptions(colours=colours))
    assert one.hello["pieces"] is True
    one.play("@b2")
    one.request({"wait": PACE_SECONDS})
    assert one.last_state["phase"] == "differs"
    assert one.last_state["wood"]["next"]["to"]
    one.follow_repair_steps()
    assert one.last_state["phase"] == "act"
    assert one.play_to_the_end("light")
    assert not any(json.loads(line)["type"] == "error" for line in one.lines)


def test_program_name_is_saved(tmp_path):
    client = PlayersClient("mini", dark="greedy", folder=tmp_path)
    client.request({"touch": "b2"})
    client.request({"wait": 2})
    client.game.companion.close()
    [saved] = read_all_games(tmp_path)[0]
    assert (saved.facts["light"], saved.facts["dark"]) == (None, "greedy")
    again = PlayersClient("mini", dark="greedy", folder=tmp_path)
    assert again.last_state["phase"] == "resume"
    again.request({"command": "resume"})
    again.request({"wait": 10})
    assert len(again.game.companion.session.turns) == 2
    again.game.companion.close()


def test_unknown_player_is_refused(capsys):
    with pytest.raises(PondError) as refused:
        make_simulated_player("deep thought", 1)
    assert refused.value.message.id == "player.unknown"
    assert refused.value.message.arguments["name"] == "deep thought"
    with pytest.raises(SystemExit) as ended:
        main.main(["headless", "--dark", "nobody"])
    assert ended.value.code == 2

"""Monkeys: clients that choose random options and send random lines.

The seed determines the options and the lines, and therefore the answers. Every answer is checked, also against the
slow rules of `tests.rules.oracle`.
"""

import json
from random import Random

import pytest

from pond_hw.rules import VARIANTS, Position, parse_record, parse_variant
from pond_hw.server.headless import HeadlessGame
from pond_hw.server.protocol import state_message
from pond_hw.server.view_from_json import parse_view
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.simulator.sensor_faults import FAULT_KINDS, parse_fault
from tests.rules import oracle
from tests.server.served import parse_said

PONDS = [*VARIANTS, "3x3/9/5", "3x3/4/3", "4x4/6/6", "5x5/7/4"]
WAITS = [0, 0.02, 0.1, 0.3, 0.3, 0.3, 0.5, 1, 2, 3.1, 7]
LONG_WAITS = [21, 65]

GARBAGE = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"nonsense",
    b'{"touch":"b2","lift":"b2"}',
    b'{"drop":"b2","owner":"red"}',
    b'{"touch":"b2","touch":"b3"}',
    b'{"wait":-1}',
    b'{"wait":NaN}',
    b'{"wait":1e400}',
    b'{"wait":true}',
    b'{"command":"begone"}',
    b'{"command":"new","variant":"9x9/9/9"}',
    b'{"command":"action","action":"b2b"}',
    b'{"command":"set_up","position":"...."}',
    b'{"command":"mask"}',
    b'{"ask":"what_if","action":"up"}',
    b'{"ask":{"state":1}}',
    b'{"drop":["b2"]}',
    b"\xff\xfe{}",
    b"[" * 5000,
    b'{"touch":"' + b"b" * 5000 + b'"}',
]


class Monkey:
    """A client that sends random lines, most of them valid.

    Args:
        seed: determines everything that is random.
        folder: journal folder, which is used in some runs only.

    Attributes:
        sent_lines: lines sent so far.
        received_lines: answers to them.
        returned: True if it has restarted the board.
    """

    def __init__(self, seed, folder):
        self.rng = rng = Random(f"monkey {seed}")
        self.pond = rng.choice([*PONDS, "standard", "standard", "3x3/4/3"])
        self.size = parse_variant(self.pond).size
        self.lamps = rng.choice([1, 1, 1, 1, 4, 16, 64])
        self.frames = rng.random() < 0.1
        self.folder = folder if rng.random() < 0.3 else None
        self.pieces = None
        if rng.random() < 0.75:
            kinds = [rng.choice(list(FAULT_KINDS))] * (rng.random() < 0.3) + [rng.choice(list(FAULT_KINDS))] * (
                rng.random() < 0.15
            )
            faults = tuple(parse_fault(kind, self.size) for kind in kinds)
            self.pieces = PieceOptions(faults, rng.random() < 0.6, rng.random() < 0.6, rng.randrange(1000))
        all_cells = oracle.cells(self.size)
        self.favourite_cells = rng.sample(all_cells, rng.choice([2, 3, 4, 6]))
        self.all_cells = all_cells
        self.sent_lines, self.received_lines = [], []
        self.state, self.t, self.returned = None, 0.0, False
        self.start_board()

    def start_board(self):
        """Start or restart the board. With a journal, the board then offers to resume the game."""
        self.game = HeadlessGame(
            parse_variant(self.pond), self.lamps, frames=self.frames, pieces=self.pieces, folder=self.folder
        )
        self.t = 0.0
        hello = json.loads(self.game.format_hello())
        assert (hello["type"], hello["size"], hello["lamps"]) == ("hello", self.size, self.lamps)
        self.request({"ask": "state"})

    def close(self):
        self.game.companion.close()

    def run_steps(self, count):
        """Send random lines and check the answers."""
        for _ in range(count):
            self.take_random_step()
        for ask in ("state", "frame", "record"):
            self.request({"ask": ask})

    # Lines

    def take_random_step(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.05:
            return self.send_garbage()
        if kind < 0.10:
            return self.request({"ask": rng.choice(["state", "frame", "record"])})
        if kind < 0.30:
            few = self.lamps >= 16 or self.frames
            waits = WAITS[:7] if few else WAITS + LONG_WAITS * (rng.random() < 0.1)
            return self.request({"wait": rng.choice(waits)})
        if kind < 0.45:
            return self.play_legally()
        if kind < 0.65:
            return self.send_command()
        return self.fumble()

    def send_garbage(self):
        rng = self.rng
        line = rng.choice([*GARBAGE, rng.randbytes(rng.randrange(40)).replace(b"\n", b"")])
        before = self.game.companion.session
        answers = self.request(line)
        if line in GARBAGE:
            assert [answer["type"] for answer in answers] == ["error"], line
            assert self.game.companion.session is before, line

    def play_legally(self):
        """Play a legal action as a player would, and sometimes do what the board asks for afterwards."""
        legal = self.state["legal"]
        if not legal:
            if self.state["phase"] == "resume":
                return self.request({"command": self.rng.choice(["resume", "look", "discard"])})
            return self.request({"command": "new"}) if self.rng.random() < 0.3 else self.request({"wait": 0.3})
        action = self.rng.choice(legal)
        source, target = (None, action[1:]) if action[0] == "@" else (action[:2], action[2:])
        if not self.pieces:
            for cell in filter(None, (source, target)):
                self.request({"touch": cell})
            return None
        if source:
            self.request({"lift": source})
        self.request({"drop": target})
        self.request({"wait": self.rng.choice([0.3, 0.3, 1, 3.3])})
        for cell in self.state["wood"]["take_off"]:
            self.request({"take": cell})
        for cell in self.state["wood"]["turn"]:
            self.request({"lift": cell})
            self.request({"drop": cell})
        return self.request({"wait": 0.3})

    def send_command(self):
        rng = self.rng
        what = rng.choice(
            ["undo", "undo", "redo", "hint", "hint", "board", "mask", "unmask", "action", "what_if", "what_if", "rare"]
        )
        if what == "rare":
            what = rng.choice(["new", "resign", "draw", "set_up", "resume", "look", "discard", "again"])
        match what:
            case "mask" | "unmask":
                return self.request({"command": what, "cell": rng.choice(self.favourite_cells)})
            case "action":
                return self.request({"command": what, "action": self.random_action()})
            case "what_if":
                return self.ask_what_if()
            case "new":
                pond = {"variant": rng.choice(PONDS)} if rng.random() < 0.5 else {}
                return self.request({"command": what, **pond})
            case "set_up":
                position = {"position": self.state["position"], "variant": self.state["variant"]}
                return self.request({"command": what, **position})
            case "again" if self.folder:
                self.close()
                self.returned = True
                return self.start_board()
            case "again":
                return None
        return self.request({"command": what})

    def random_action(self):
        rng = self.rng
        if self.state["legal"] and rng.random() < 0.7:
            return rng.choice(self.state["legal"])
        source = rng.choice(["@", *self.all_cells])
        return source + rng.choice([cell for cell in self.all_cells if cell != source])

    def ask_what_if(self):
        action, before = self.random_action(), self.game.companion.session
        [answer] = self.request({"ask": "what_if", "action": action})
        assert self.game.companion.session is before
        level = self.state.get("help", {}).get(self.state["to_move"], "full")
        if action not in self.state["legal"] or level in ("targets", "none"):
            assert answer["type"] == "error"
        else:
            assert answer["position"] == oracle.play(self.state["position"], action)["after"], action

    def fumble(self):
        """Touch or move a piece on one of its favourite cells."""
        rng = self.rng
        cell = rng.choice(self.favourite_cells if rng.random() < 0.9 else self.all_cells)
        if not self.pieces:
            return self.request({rng.choice(["touch", "touch", "press", "release"]): cell})
        stands = cell in self.game.companion.board.sensors.standing_pieces
        what = rng.choice(["lift", "lift", "take"]) if stands else "drop"
        if rng.random() < 0.05:
            what = rng.choice(["lift", "drop", "take"])
        owner = {"owner": rng.choice(["light", "dark"])} if what == "drop" and rng.random() < 0.3 else {}
        return self.request({what: cell, **owner})

    # Answers

    def request(self, request):
        """Send a line and check every answer."""
        line = request if isinstance(request, bytes) else json.dumps(request).encode()
        self.sent_lines.append(line)
        before = self.t
        lines = list(self.game.answer_line(line))
        self.received_lines += lines
        answers = [json.loads(each) for each in lines]
        for text, answer in zip(lines, answers, strict=True):
            assert text.isascii()
            assert "\n" not in text
            getattr(self, f"check_{answer['type']}")(answer)
        if isinstance(request, dict) and "wait" in request:
            assert self.t == pytest.approx(before + request["wait"])
        return answers

    def check_error(self, error):
        assert set(error) == {"type", "message", "said"}
        [message] = parse_said(error)
        assert message.id != "failure.inside", error["message"]

    def check_state(self, state):
        self.state = state
        line, target = state["position"], parse_variant(state["variant"]).target
        assert (
            Position.from_notation(line, parse_variant(state["variant"])).notation_line == line
        )  # no piece is lost, and no set is left on the board
        assert state["t"] >= self.t
        self.t = state["t"]
        assert parse_said(state)
        assert "trouble" not in state
        assert "unsaved" not in state
        ended, legal = oracle.find_result(line, target), oracle.legal(line, target)
        outcome = state["outcome"]
        if outcome and outcome["reason"] in ("resignation", "agreement"):
            assert state["legal"] == []
        else:
            assert (ended is None) == (outcome is None)
            assert set(state["legal"]) == (set() if state["phase"] in ("resume", "exercise") else legal)
        if outcome and ended and outcome["reason"] in ("score", "elimination"):
            winner = {"l": "light", "d": "dark"}.get(ended[0])
            assert (outcome["winner"], outcome["reason"]) == (winner, ended[1])
        assert (state["selected"] is None) or state["phase"] in ("in_hand", "differs", "over")
        assert set(state["targets"]) <= {action[2:] for action in state["legal"] if action[:2] == state["selected"]}
        if state["hint"] and state["hint"]["action"]:
            assert state["hint"]["action"] in state["legal"]
        assert ("wood" in state) == (self.pieces is not None)
        if self.pieces:
            self.check_board_state(state["wood"])

    def check_board_state(self, board_state):
        cells = set(self.all_cells)
        for name in ("felt", "missing", "extra", "strangers", "turn", "take_off", "masked"):
            assert board_state[name] == sorted(set(board_state[name]))
            assert set(board_state[name]) <= cells
        occupied, masked = set(board_state["felt"]), set(board_state["masked"])
        assert not set(board_state["missing"]) & (occupied | masked)
        assert set(board_state["extra"]) <= occupied - masked
        assert set(board_state["strangers"]) <= occupied - masked
        if not self.pieces.turned:
            assert board_state["turn"] == []

    def check_frame(self, frame):
        assert sorted(frame["cells"]) == sorted(self.all_cells)
        for lamps in frame["cells"].values():
            assert len(lamps) == self.lamps
            assert all(len(lamp) == 3 and all(0 <= value <= 255 for value in lamp) for lamp in lamps)
        companion = self.game.companion
        assert companion.display.limiter.estimate_current(companion.frame) <= companion.display.limiter.budget

    def check_record(self, record):
        view = self.game.companion.session.view
        again = parse_view(record, state_message(view, record["t"]))
        assert again.position.notation_line == view.position.notation_line
        game = parse_record(record["record"])
        line = game.start_position.notation_line
        for turn in game.turns:
            line = oracle.play(line, str(turn.action))["after"]
        assert line == again.position.notation_line

    def check_what_if(self, parsed):
        assert parse_said(parsed)
        fields = {"type", "action", "developed", "sets", "scored", "position", "outcome", "message", "said"}
        assert set(parsed) == fields

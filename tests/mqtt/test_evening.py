"""An evening of two homes, with real boards, link processes and a real broker."""

from importlib.resources import files

import pytest

from pond_hw.journal.folder import read_all_games
from pond_hw.messages.message import Message
from tests.conftest import require
from tests.messages.says import text
from tests.mqtt.processes import Board, Broker, Link, find_invitation, wait_until
from tests.waiting import wait_for

require("mosquitto", "the homes meet at a real broker")

pytestmark = pytest.mark.slow

VARIANT = "4x4/6/3"
GAME = ["@d2", "@c3", "@b3", "@a2", "@c2", "c3c4", "@b4", "@d3", "d2b2", "a2a1", "@d1", "a1a2", "@a1", "a2a3"]
"""A whole game, which Light wins."""


class PieceBoard(Board):
    """A simulated board with plain pieces, and the hands there."""

    def __init__(self, folder):
        profile = folder / "pieces.toml"
        buttons = (files("pond_hw") / "boards" / "simulated-4x4.toml").read_text(encoding="utf-8")
        profile.write_text(buttons.replace('kind = "button"', 'kind = "hall"'), encoding="utf-8")
        super().__init__(folder, profile, VARIANT)

    def play(self, action):
        """Move a piece of the side to move, or place one."""
        before = self.ask_state()
        if action[0] != "@":
            self.ask({"lift": action[:2]})
        self.ask({"drop": action[-2:], "owner": before["to_move"]})
        wait_until(
            lambda: self.ask_state()["turn"] > before["turn"], action, describe=lambda: f"{before}\n{self.ask_state()}"
        )

    def tidy(self):
        """Follow the next step that the lamps show. Return True if board and game match."""
        state = self.ask_state()
        to_remove, step = state["wood"]["take_off"], state["wood"]["next"] or {}
        if to_remove or (step and not step["to"]):
            self.ask({"take": to_remove[0] if to_remove else step["from"]})
        elif step.get("from"):
            self.ask({"lift": step["from"]})
            self.ask({"drop": step["to"]})
        elif step:
            rows = state["position"].split()[0].split("/")
            letter = rows[-int(step["to"][1])]["abcd".index(step["to"][0])]
            self.ask({"drop": step["to"], "owner": "light" if letter.isupper() else "dark"})
        differences = ("missing", "extra", "strangers", "take_off", "about")
        return state["phase"] in ("act", "over") and not any(state["wood"].get(field) for field in differences)


@pytest.fixture
def start():
    """Return a function that starts processes. They are stopped at the end."""
    started = []

    def start_process(process):
        started.insert(0, process)
        process.start()
        return process

    yield start_process
    for process in started:
        process.stop()


@pytest.fixture
def broker(folder, start):
    broker = start(Broker(folder))
    broker.wait()
    return broker


def make_folder(folder, name):
    (folder / name).mkdir()
    return folder / name


def link_boards(start, broker, boards):
    """Let the first home invite the second. Return their link processes."""
    address = f"mqtt://127.0.0.1:{broker.port}"
    inviter = start(Link(boards[0].folder, boards[0], "invite", address, f"--variant={VARIANT}"))
    invitation = wait_until(lambda: find_invitation(inviter.folder / "link.log"), "invitation")
    joiner = start(Link(boards[1].folder, boards[1], "join", invitation))
    for board in boards:
        wait_until(lambda board=board: is_linked(board), "linked game")
    return inviter, joiner


def wait_for_turn(board, number):
    wait_for(lambda: board.ask_state()["turn"] == number, f"turn {number}")


def is_linked(board):
    return ((board.ask_state() or {}).get("link") or {}).get("game")


def test_whole_game_with_pieces(folder, start, broker):
    """Each home moves its pieces and, where the lamps show it, those of the other."""
    boards = [start(PieceBoard(make_folder(folder, name))) for name in ("one", "two")]
    link_boards(start, broker, boards)
    for number, action in enumerate(GAME, 1):
        boards[(number - 1) % 2].play(action)
        for board in boards:
            wait_for_turn(board, number)
            wait_for(board.tidy, "the pieces of both sides")
    for board in boards:
        state = board.ask_state()
        assert state["outcome"] == {"winner": "light", "reason": "score"}
        assert text(Message("outcome.score", winner="light", most=3, least=0)) in state["message"]
    assert boards[0].ask_record() == boards[1].ask_record()
    for board in boards:
        board.stop()
        (saved,) = [game for game in read_all_games(board.folder / "journal")[0] if game.facts.get("link")]
        assert [str(turn.action) for turn in saved.projection.turns] == GAME


def leave(board):
    """Type `pond link leave`. Return its output."""
    command = Link(board.folder, board)
    command.list_command = lambda: [*Link.list_command(command)[:4], "leave", "--yes", f"--socket={board.path}"]
    command.name = "leave"
    command.start()
    assert command.running.wait(30) == 0
    log = board.folder / "leave.log"
    shown = log.read_text(encoding="utf-8")
    log.unlink()
    return shown


def test_board_leaves_the_game_with_its_link(folder, start, broker):
    boards = [start(Board(make_folder(folder, name), variant=VARIANT)) for name in ("one", "two")]
    inviter, _ = link_boards(start, broker, boards)
    boards[0].ask({"command": "action", "action": "@b2"})
    inviter.stop()
    boards[0].stop()
    lines = leave(boards[0]).splitlines()
    assert lines == [text(Message("link.leave.done")), text(Message("link.leave.no_board"))]
    boards[0].start()
    wait_until(lambda: is_linked(boards[0]), "board")
    assert leave(boards[0]) == f"{text(Message('link.leave.board'))}\n"
    state = boards[0].ask_state()
    assert (state["turn"], state.get("link", {}).get("game")) == (0, None)
    boards[0].ask({"command": "action", "action": "@b2"}, {"command": "action", "action": "@b3"})
    wait_for_turn(boards[0], 2)

"""A board that follows the log of a linked game, at random times and through restarts."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from pond_hw.companion.program_players import PACE_SECONDS
from pond_hw.rules import DARK, LIGHT, STANDARD, Action, Game, Position, play
from pond_hw.session import CellRole, FollowGame, LinkChanged, LinkView
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.table import Table

GAME = "0123456789abcdef"
CELLS = Position.start(STANDARD).grid.cells


def play_all(actions):
    """Return the turns of a game."""
    turns = []
    for action in actions:
        turns.append(play(turns[-1].after if turns else Position.start(STANDARD), action))
    return tuple(turns)


class Home:
    """A board, and a link that keeps the log of a game against another home.

    Attributes:
        log: actions of the game. The other home adds its own, and both may agree to take turns back.
        versions: all logs that the board may have followed.
    """

    def __init__(self, folder, side=LIGHT):
        self.folder, self.side = folder, side
        self.log, self.versions, self.seen = [], {()}, ()
        self.start()

    def start(self):
        self.table = Table(folder=self.folder, lamps=1)
        self.companion = self.table.companion
        self.table.send(LinkChanged, link=LinkView(online=True, joined=True, running=True))

    @property
    def board(self):
        return [turn.action for turn in self.companion.durable.latest.turns]

    @property
    def is_here(self):
        return self.companion.durable.latest.linked_game == GAME

    @property
    def position(self):
        return Game(STANDARD, play_all(self.log)).position

    def read_board(self):
        """Read the board, and add an own turn to the log."""
        self.seen = tuple(self.board) if self.is_here else ()
        if self.is_here and self.board[:-1] == self.log and self.position.to_move is self.side:
            self._change_log(self.board)

    def act_far(self, choice):
        if self.position.to_move is not self.side:
            empty = [cell for cell in CELLS if cell not in self.position.pieces]
            self._change_log([*self.log, Action(None, empty[choice % len(empty)])])

    def take_back(self, count):
        self._change_log(self.log[: max(len(self.log) - count, 0)])

    def _change_log(self, log):
        self.log = list(log)
        self.versions.add(tuple(log))

    def follow(self, error=0):
        """Send what the board lacked when it was last read, possibly with a wrong number of turns."""
        pairs = enumerate(zip(self.seen, self.log, strict=False))
        keep = next((i for i, (ours, theirs) in pairs if ours != theirs), min(len(self.seen), len(self.log)))
        turn = max(len(self.seen) + error, keep)
        now = self.table.clock.now()
        event = FollowGame(GAME, self.side, STANDARD, turn, keep, tuple(self.log[keep:]), None, now)
        if self.companion.preview_follow(event):
            self.companion.put(event)
            self.companion.step()

    def wait(self, seconds):
        """Let time pass without drawing the frames in between."""
        self.table.clock.advance_to(self.table.clock.now() + seconds)
        self.companion.step()

    def check(self):
        """The board shows the log, now or earlier, or one own turn more."""
        if not self.is_here:
            assert not self.companion.seated.linked_game
            return
        board = tuple(self.board)
        session = self.companion.durable.latest
        assert board in self.versions or board[:-1] in self.versions
        if board not in self.versions:
            assert session.turns[-1].side is self.side


ACTIONS = st.one_of(
    st.tuples(st.just("touch"), st.sampled_from(CELLS)),
    st.tuples(st.just("far"), st.integers(0, 15)),
    st.tuples(st.just("follow"), st.sampled_from((0, 0, 0, 1, -1))),
    st.tuples(st.just("wait"), st.sampled_from((0.5, PACE_SECONDS + 0.1))),
    st.tuples(st.just("read"), st.none()),
    st.tuples(st.just("undo"), st.integers(1, 2)),
    st.tuples(st.just("restart"), st.none()),
)


@given(st.sampled_from((LIGHT, DARK)), st.lists(ACTIONS, min_size=10, max_size=30))
def test_board_shows_the_log_or_one_own_turn_more(side, actions):
    with TemporaryDirectory() as folder:
        home = Home(Path(folder), side)
        home.follow()
        for kind, value in actions:
            match kind:
                case "touch":
                    home.table.touch(value)
                case "far":
                    home.act_far(value)
                case "follow":
                    home.follow(value)
                case "wait":
                    home.wait(value)
                case "read":
                    home.read_board()
                case "undo":
                    home.take_back(value)
                case "restart":
                    home.table.close()
                    home.start()
            home.check()
        for _ in range(2):  # the other home is silent now
            home.read_board()
            home.follow()
            home.wait(PACE_SECONDS + 0.1)
        assert home.board == home.log
        home.table.close()


def test_pieces_of_both_homes():
    table = Table(pieces=PieceOptions())

    def follow(turn, *actions):
        now = table.clock.now()
        played = tuple(map(Action.from_notation, actions))
        table.companion.put(FollowGame(GAME, DARK, STANDARD, turn, turn, played, None, now))
        table.wait(PACE_SECONDS + 0.2)

    follow(0, "@b2")
    assert table.shown(CellRole.PUT) == ["b2"]
    table.hands.drop("a1", LIGHT)  # the other home has placed its egg elsewhere
    table.wait(8)
    assert (table.played, table.shown(CellRole.PUT)) == (["@b2"], ["b2"])
    table.hands.lift("a1")
    table.hands.drop("b2", LIGHT)
    table.wait(4)
    table.hands.drop("c3", DARK)
    table.wait(8)
    assert table.played == ["@b2", "@c3"]
    follow(2, "@b3")
    assert (table.played, table.shown(CellRole.PUT)) == (["@b2", "@c3", "@b3"], ["b3"])
    table.hands.drop("b3", LIGHT)
    table.wait(4)
    assert table.session.game_phase == "act"

"""Tests of replaying game records in the terminal: keys, marks and analysis."""

import asyncio
import signal
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from pond_hw.engine.analysis import review_moves, review_to_json
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.reviewed_game import ReviewedGame
from pond_hw.engine.searcher import SearchLimits
from pond_hw.engine.worker import record_from_json
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Record, get_grid, parse_record, play
from pond_hw.tui import replay_app
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.replay_app import PAUSE_SECONDS, RecordPlayback, ReplayApp
from pond_hw.tui.review_text import format_actions
from tests.conftest import IN_CI, long_after_first
from tests.messages.says import text
from tests.tui.pseudo_terminal import PseudoTerminal
from tests.tui.terminal_table import AppDriver, widget_text, without_painting

GAMES = Path(__file__).parent.parent / "games"
LONG = GAMES / "mini-patience.pond"
SHORT_RECORD = '[Light "Ada"]\n[Dark "Ben"]\n\n1. @b2 {in the middle} @b3 2. @d4 @a1 3. b2c2'
FEW = SearchLimits(nodes=1500)
WINDOWS = (80, 24), (62, 20), (120, 40)


class Screen(AppDriver):
    """Test driver for a replay."""

    async def wait(self, seconds):
        self.clock[0] += seconds
        self.app.update_screen()
        await self.settle()

    @property
    def turn(self):
        return self.app.playback.turns_taken

    @property
    def status_text(self):
        return widget_text(self.app._status_text)

    @property
    def moves(self):
        widget = self.app._moves_text
        return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]

    def marks(self):
        """Return the letters and marks of all marked cells."""
        board = self.app._lamp_grid
        looks = {cell: board[cell] for cell in get_grid(self.app.playback.record.variant.size).cells}
        return {cell: look.marks[0] + look.letter + look.marks[1] for cell, look in looks.items() if look.marks.strip()}


def run_replay(record, see, *, size=(80, 24), lamps=4, bounds=FEW):
    """Open a record, run an async function on its screen, and close it."""

    async def run():
        clock = [0.0]
        app = ReplayApp(record, lamps, bounds, lambda: clock[0], auto_update=False)
        async with app.run_test(size=size) as pilot:
            screen = Screen(app, pilot, clock)
            app.update_screen()
            await screen.settle()
            await see(screen)
        app.update_screen()  # a timer may fire once more after the screen closed
        return app

    with nullcontext() if IN_CI else without_painting():
        return asyncio.run(run())


def add_reviews(app, move_reviews):
    for review in move_reviews:
        app.game_review.game.add_review(review)


def replay_test(text, **how):
    """Convert a coroutine that takes a replay screen to a test."""

    def test(see):
        def sit():
            run_replay(parse_record(text), see, **how)

        sit.__name__, sit.__doc__ = see.__name__, see.__doc__
        return sit

    return test


# Navigation


@pytest.mark.slow
@replay_test(SHORT_RECORD)
async def test_arrow_home_and_end_keys_change_the_turn(screen):
    assert text(Message("record_screen.turn", turn=0, turns=5)) in screen.status_text
    assert text(Message("record_screen.start.empty", variant="standard")) in screen.status_text
    await screen.press("right")
    assert text(Message("turn.place", side="light", cell="b2")) in screen.status_text
    assert "in the middle" in screen.status_text
    await screen.press("right", "right", "left")
    assert (screen.turn, text(Message("record_screen.turn", turn=2, turns=5)) in screen.status_text) == (2, True)
    await screen.press("end", "right")
    assert screen.turn == 5
    assert text(Message("record_screen.unfinished")) in screen.status_text
    await screen.press("home", "left")
    assert screen.turn == 0


@pytest.mark.slow
@replay_test((GAMES / "mini-patience.pond").read_text())
async def test_page_keys_and_typed_numbers_change_the_turn(screen):
    await screen.press("pagedown", "pagedown", "pageup")
    assert screen.turn == 10
    await screen.press("2", "0")
    go_to = text(Message("record_screen.go_to", number="20"))
    assert go_to in screen.status_text
    await screen.press("enter")
    assert (screen.turn, go_to in screen.status_text) == (39, False)
    await screen.press("9", "8", "backspace", "enter")
    assert screen.turn == 17
    await screen.press("1", "escape", "enter")
    assert screen.turn == 17
    await screen.press("9", "9", "9", "9", "enter")
    assert screen.turn == 63
    await screen.press("0", "enter")
    assert screen.turn == 63


@pytest.mark.slow
@replay_test(SHORT_RECORD)
async def test_autoplay_runs_until_end_or_key(screen):
    await screen.press("space")
    playing = text(Message("record_screen.playing"))
    assert (screen.turn, playing in screen.status_text) == (1, True)
    await screen.wait(PAUSE_SECONDS - 0.1)
    assert screen.turn == 1
    await screen.wait(0.1)
    assert screen.turn == 2
    await screen.press("space")
    await screen.wait(60)
    assert screen.turn == 2
    await screen.press("space")
    assert screen.turn == 3
    await screen.press("left")
    await screen.wait(60)
    assert screen.turn == 2
    await screen.press("space")
    for _ in range(9):
        await screen.wait(3)
    assert (screen.turn, playing in screen.status_text) == (5, False)
    await screen.press("space")
    assert screen.turn == 1  # restarts at the end


# Display


@pytest.mark.slow
@replay_test((GAMES / "mini-eight-beat-seven.pond").read_text())
async def test_moved_grown_and_scored_pieces_are_marked(screen):
    await screen.press("right", "right", "1", "4", "enter")
    assert screen.turn == 27
    assert screen.marks() == {"d2": "[F]", "c1": "^T^", "c2": "^t^", "c3": "^t^"}
    scored = (
        Message("turn.set.tadpole", cells=("c1", "c2", "c3"), count=3),
        Message("turn.gain", side="light", count=1),
        Message("turn.gain", side="dark", count=2),
        Message("outcome.score", winner="dark", most=8, least=7),
    )
    assert text(*scored) in screen.status_text
    assert text(Message("status.final_score", scored=7, target=7)) in screen.status_text
    await screen.press("6", "enter", "right")
    turn = screen.app.playback.last_turn
    assert {cell for cell, mark in screen.marks().items() if mark[0] == "("} == {d.cell for d in turn.developed_pieces}
    await screen.press("home")
    assert screen.marks() == {}


@pytest.mark.slow
@replay_test(SHORT_RECORD)
async def test_only_forward_turns_are_animated(screen):
    await screen.press("right", "right")
    assert screen.app.playback.view.scene.played_turn is not None
    await screen.press("right", "left")
    assert screen.app.playback.view.scene.played_turn is None


@replay_test(SHORT_RECORD)
async def test_players_and_current_action_are_shown(screen):
    await screen.press("end")
    assert f"LIGHT Ada {text(Message('status.letters.light'))}" in screen.status_text
    assert f"DARK Ben {text(Message('status.letters.dark'))}" in screen.status_text
    assert [line.split() for line in screen.moves if line] == [
        ["1.", "@b2", "@b3"], ["2.", "@d4", "@a1"], ["3.", "b2c2"],
    ]  # fmt: skip
    spans = [span for span in screen.app._moves_text.content.spans if span.style == "reverse"]
    assert [screen.app._moves_text.content.plain[span.start : span.end] for span in spans] == ["b2c2"]


SEEN = product((("small-14-seven-at-once", 4), ("big-four-frogs", 16), ("mini-patience", 1)), WINDOWS)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "size"), long_after_first(SEEN))
def test_replay_screen_fits_at_every_turn(game, size):
    name, lamps = game
    record = parse_record((GAMES / f"{name}.pond").read_text())

    async def look_everywhere(screen):
        add_reviews(screen.app, review_moves(record, SearchLimits(nodes=100)))
        for at in [*range(0, len(record.turns), 7), len(record.turns)]:
            screen.app.playback.go_to_turn(at, 0.0)
            screen.app.update_screen()
            await screen.settle()
            beside, moves, board = (
                screen.app._side_panel.region,
                screen.app._moves_text.region,
                screen.app._lamp_grid.region,
            )
            assert board.right <= beside.x
            assert beside.right <= size[0]
            room, words = screen.app._status_scroll, screen.app._status_text
            assert room.region.bottom < moves.y + 1
            assert words.size.height <= room.size.height + 3, "more than three rows of text have to be scrolled"
            assert moves.height >= (3 if size[0] == 62 else 5)
            assert moves.bottom < size[1]
            assert any(line.startswith(f"{max(1, (at + 1) // 2):>3}. ") for line in screen.moves)
            if size[0] >= 80:
                assert max(map(len, screen.moves)) <= beside.width - 1

    run_replay(record, look_everywhere, size=size, lamps=lamps)


@replay_test(SHORT_RECORD)
async def test_too_small_window_shows_a_message(screen):
    await screen.pilot.resize_terminal(50, 15)
    await screen.settle()
    assert widget_text(screen.app.query_one("#small")) == text(Message("screen.small_window", columns=62, rows=20))
    assert not screen.app.query_one("#table").display


@pytest.mark.slow
@replay_test(SHORT_RECORD)
async def test_help_page_explains_keys_and_signs(screen):
    await screen.press("question_mark")
    assert isinstance(screen.app.screen, HelpScreen)
    help_text = " ".join(widget_text(part) for part in screen.app.screen.query("Static"))
    assert "Stepping through a game" in help_text
    assert "blunder" in help_text
    screen.app.update_screen()
    await screen.press("escape")
    await screen.press("right")
    assert screen.turn == 1


@replay_test((GAMES / "standard-set-up-dark-begins.pond").read_text())
async def test_game_begun_by_dark_keeps_record_numbering(screen):
    assert text(Message("record_screen.start.set_up", variant="standard")) in screen.status_text
    assert screen.moves[0].split() == ["1.", "...", "@c1"]
    await screen.press("2", "enter")
    assert screen.turn == 2
    assert text(Message("turn.place", side="light", cell="b2")) in screen.status_text


@replay_test('[Result "dark 0-0 resignation"]\n')
async def test_game_without_turns_can_be_replayed(screen):
    assert text(Message("record_screen.turn", turn=0, turns=0)) in screen.status_text
    assert text(Message("outcome.resignation", winner="dark", loser="light")) in screen.status_text
    await screen.press("right", "space", "a", "end", "3", "enter")
    assert screen.turn == 0


def test_names_are_sanitized():
    async def look(screen):
        assert "B\N{REPLACEMENT CHARACTER}n" in screen.status_text

    run_replay(parse_record('[Dark "B\u202en"]\n\n1. @b2'), look)


# Analysis


class ImmediateWorker:
    """Worker that answers immediately."""

    made = ()

    def __init__(self, megabytes):
        self.open = True
        ImmediateWorker.made = (*ImmediateWorker.made, self)

    def ask_question(self, question, put_answer):
        assert self.open
        before = record_from_json(question)
        turn = play(before.position, Action.from_notation(question["taken"]))
        record = Record(before.variant, (*before.turns, turn), custom_start=before.custom_start)
        put_answer(review_to_json(list(review_moves(record, SearchLimits(**question["judge"])))[-1]))

    def close(self):
        self.open = False


class FailingWorker(ImmediateWorker):
    """Worker whose process can't start."""

    def ask_question(self, question, put_answer):
        put_answer(None)


@pytest.fixture
def use_worker(monkeypatch):
    """Replace the worker that analyses positions."""

    def by(kind):
        ImmediateWorker.made = ()
        monkeypatch.setattr(replay_app, "BackgroundReview", partial(BackgroundReview, make_worker=kind))

    return by


@pytest.mark.slow
def test_values_match_the_analyse_command(use_worker):
    use_worker(ImmediateWorker)
    record = parse_record(SHORT_RECORD)
    known = ReviewedGame(record, review_moves(record, FEW))

    async def analyse(screen):
        await screen.press("right", "a")
        for _ in range(9):
            screen.app.update_screen()
        await screen.settle()
        assert screen.app.game_review.game.turns == known.turns
        listed = format_actions(known, 1, get_catalogue(), 34, len(screen.moves)).plain.split("\n")
        assert [line for line in screen.moves if line] == [line.rstrip() for line in listed]
        assert text(Message("record_screen.worth", worth=known.turns[0].value)) in screen.status_text

    run_replay(record, analyse)
    assert [thinker.open for thinker in ImmediateWorker.made] == [False]


@pytest.mark.slow
def test_analysis_can_be_stopped_and_continued(use_worker):
    class Slow(ImmediateWorker):
        def ask_question(self, question, put_answer):
            self.late = lambda: ImmediateWorker.ask_question(self, question, put_answer)

    use_worker(Slow)

    async def analyse(screen):
        await screen.press("a")
        ImmediateWorker.made[0].late()
        screen.app.update_screen()
        await screen.settle()
        analysed = text(Message("record_screen.analysed", actions=1))
        assert analysed in screen.status_text
        await screen.press("a")
        assert not ImmediateWorker.made[0].open
        assert analysed not in screen.status_text
        await screen.press("a")
        ImmediateWorker.made[1].late()
        screen.app.update_screen()
        assert len(screen.app.game_review.game.turns) == 2

    run_replay(parse_record(SHORT_RECORD), analyse)
    assert not any(thinker.open for thinker in ImmediateWorker.made)


def test_failed_analysis_process_is_reported(use_worker):
    use_worker(FailingWorker)

    async def analyse(screen):
        await screen.press("a")
        screen.app.update_screen()
        await screen.settle()
        assert text(Message("record_screen.no_analysis")) in screen.status_text

    run_replay(parse_record(SHORT_RECORD), analyse)


@pytest.mark.slow
def test_turning_point_is_described():
    record = parse_record((GAMES / "standard-set-up-dark-begins.pond").read_text())

    async def look(screen):
        add_reviews(screen.app, review_moves(record, SearchLimits(nodes=1000)))
        await screen.press("3", "enter")
        title = Message("record_screen.turning_point", worth=Message("worth.wins_in", side="dark", actions=1))
        assert text(title, *screen.app.game_review.game.turns[3].explanation[:2]) in screen.status_text
        assert "  3. d2c2??  D in 1 @a4      D won" in screen.moves
        bold = [span for span in screen.app._moves_text.content.spans if "bold" in str(span.style)]
        assert [screen.app._moves_text.content.plain[span.start : span.end] for span in bold] == ["d2c2??"]

    run_replay(record, look)


def test_steps_stop_at_both_ends():
    steps = RecordPlayback(parse_record(SHORT_RECORD))
    steps.go_to_turn(-3, 0.0)
    assert steps.turns_taken == 0
    steps.go_to_turn(99, 0.0)
    assert steps.turns_taken == steps.turn_count == 5
    steps.go_to_pair(2, 0.0)
    assert steps.last_turn.action == Action.from_notation("@d4")


# Real terminal


WAYS_TO_LEAVE = (b"\x03", b"q", signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("leave", long_after_first(WAYS_TO_LEAVE), ids=["ctrl-c", "q", "terminated"])
def test_real_terminal_leaves_no_processes(leave):
    terminal = PseudoTerminal("replay", str(LONG))
    terminal.wait_for(b"quit")
    terminal.type(b"a")
    terminal.wait_for(b"Analysed")
    thinkers, patience = [], time.monotonic() + 20
    while Path("/proc").exists() and not thinkers and time.monotonic() < patience:  # a thread starts it
        thinking = Path(f"/proc/{terminal.pid}/task").glob("*/children")
        thinkers = [number for children in thinking for number in children.read_text().split()]
    terminal.leave(leave)
    assert bool(thinkers) == Path("/proc").exists()
    assert not any(Path(f"/proc/{number}").exists() for number in thinkers)


LONG_COMMENT = (
    "Light could have taken the frog straight away, as every book about the opening says. " * 12 + "The very end."
)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_long_comment_scrolls(size):
    async def read(screen):
        app = screen.app
        await screen.press("right")
        assert app._status_scroll.scroll_y == 0
        assert len(screen.moves) >= 5
        assert screen.moves[0].split()[:2] == ["1.", str(record.turns[0].action)]
        assert "..." not in screen.status_text
        lines = [app._status_text.render_line(y).text for y in range(app._status_text.size.height)]
        assert any("The very end." in line for line in lines)
        assert app._status_text.region.right < size[0]
        for _ in lines:
            await screen.press("down")
        last = next(y for y, line in enumerate(lines) if "The very end." in line)
        seen = app._status_scroll.region.y - app._status_scroll.scroll_offset.y + last
        assert app._status_scroll.region.y <= seen < app._status_scroll.region.bottom
        await screen.press("up", "left")
        assert app._status_scroll.scroll_y == 0

    record = replace(parse_record(LONG.read_text()), comments={1: LONG_COMMENT})
    run_replay(record, read, size=size)

"""Tests of the terminal board with keys and a mouse on a simulated clock."""

import io
import signal
import sys
from dataclasses import replace
from datetime import datetime
from itertools import product

import pytest
from textual.widgets import Button, Input, Label, OptionList, Static

from pond_hw.board import Frame, Touch
from pond_hw.engine import PLAYER_NAMES, SeatedPlayers
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.engine.player_name import name_program
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, VARIANTS, Action, PondError, Position, Turn, get_grid, parse_variant
from pond_hw.session import (
    ActionValue,
    AskHint,
    HelpLevel,
    HintFound,
    RequestRefused,
    Session,
    TakeAction,
    describe_outcome,
    describe_preview,
    describe_turn,
)
from pond_hw.session.game.new_game import HANDICAP_FIELDS
from pond_hw.session.game.settings import HEAD_START, HELP, HINT_LIMIT
from pond_hw.session.turn_messages import describe_targets
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui import TableOptions, play_simulated
from pond_hw.tui.cell_drawing import lamp_pixels
from pond_hw.tui.colours import GLASS_COLOUR
from pond_hw.tui.dialogs import PLAYER_CHOICES, CommandMenu, ConfirmDialog, GameChoice
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.lamp_grid import LampGrid
from pond_hw.tui.status_text import format_status
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.session.tables import values_by_side
from tests.tui.pseudo_terminal import PseudoTerminal
from tests.tui.terminal_table import (
    GAME_OVER_KEYS,
    PLAY_KEYS,
    key_bar,
    run_table,
    run_terminal,
    terminal_test,
    widget_text,
)

MOVERS = ("@b2", "@d4", "@b3", "@d1")
"""Opening that leaves light to move with a tadpole on b2."""


PLACE = Message("prompt.buttons.place", side="light")

WHAT_IF = text(Message("status.what_if"))

HINT = text(Message("hint.place", cell="a2")).partition(" ")[0]  # beginning of a hint


# Presses


@pytest.mark.slow
@terminal_test()
async def test_click_places_an_egg(table):
    await table.click("c3")
    assert table.position == "..../..E./..../...."
    assert table.app.cursor == "c3"
    assert text(Message("prompt.buttons.place", side="dark")) in table.status_text
    assert text(Message("status.last_turn"), Message("turn.place", side="light", cell="c3")) in table.status_text


@pytest.mark.slow
@terminal_test()
async def test_keys_move_cursor_and_press_cells(table):
    assert table.app.cursor == "b2"
    await table.press("up", "right", "enter")
    await table.press("a", "1", "space")
    assert table.position == "..../..E./..../e..."
    await table.press("left", "down", "e", "5")  # the cursor stops at the edge
    assert table.app.cursor == "a1"
    await table.press("D", "4")
    assert table.app.cursor == "d4"


@pytest.mark.slow
@terminal_test()
async def test_chosen_piece_shows_its_targets(table):
    await table.play(*MOVERS)
    await table.touch("b2")
    await table.wait(0.4)
    targets = {cell for cell in get_grid(4).cells if table.board[cell].letter == "+"}
    assert targets == set(table.session.legal_targets) == {"b1", "a2", "c2"}
    assert all(set(table.board[cell].lamp_colours) != {GLASS_COLOUR} for cell in targets)
    assert table.board["b2"].marks == "[]"
    assert text(Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2"))) in table.status_text
    await table.touch("c2")
    assert text(Message("turn.move.tadpole", side="light", source="b2", target="c2")) in table.status_text
    assert not any(table.board[cell].letter == "+" for cell in get_grid(4).cells)


@pytest.mark.slow
@terminal_test()
async def test_escape_cancels_chosen_piece(table):
    await table.play(*MOVERS)
    await table.touch("b2")
    assert table.session.selected_cell == "b2"
    await table.press("escape")
    assert table.session.selected_cell is None
    await table.press("escape")
    assert table.session.refusal is None


@pytest.mark.slow
@terminal_test()
async def test_refused_press_shows_reason_and_mark(table):
    await table.play("@c3", "@a1")
    await table.touch("c3")
    assert table.board["c3"].marks == "!!"
    assert f"! {text(Message('illegal.egg_cannot_move'), PLACE)}" in table.status_text
    await table.play(*MOVERS[:1], "@d1", "@a4", "@b3")
    await table.touch("b2")
    await table.touch("d4")
    targets = describe_targets(table.session.position, "b2", table.session.legal_targets)
    assert targets.id == "chosen.tadpole"
    assert f"! {text(Message('illegal.tadpole_reach'), targets)}" in table.status_text


@terminal_test()
async def test_click_beside_board_is_ignored(table):
    before = table.session
    await table.pilot.click(table.board, offset=(1, 5))
    assert table.session is before
    assert not any(table.board.cell_at(*place) for place in ((0, 0), (1, 5), (20, 20), (20, 21), (42, 3)))


@pytest.mark.slow
@pytest.mark.parametrize(("pond", "lamps"), long_after_first([("big", 16), ("standard", 4), ("3x3/9/5", 1)]))
def test_board_grows_with_window_and_mouse_follows(pond, lamps):
    pitches = []

    async def look_everywhere(table):
        cells = get_grid(table.session.size).cells
        for size in ((62, 20), (80, 24), (120, 40)):
            await table.pilot.resize_terminal(*size)
            await table.settle()
            pitches.append(table.board.pitch)
            at, words = table.board.region, table.app.query_one("#words").region
            assert at.right <= words.x
            assert at.bottom < size[1]
            drawn = table.board_lines()
            assert drawn[-1].split() == list("abcde"[: table.session.size])
            assert "".join(line[0] for line in drawn).split() == [str(row) for row in range(table.session.size, 0, -1)]
            for cell in cells:
                x, y = table.board_position(cell)
                assert table.app.screen.get_widget_at(at.x + x, at.y + y)[0] is table.board
                assert table.board.cell_at(x, y) == cell
        await table.click(cells[-1])
        assert table.board[cells[-1]].letter == "E"

    run_terminal(look_everywhere, pond, lamps=lamps)
    assert pitches == sorted(set(pitches))


# Lamps


@pytest.mark.parametrize("lamps", [1, 4, 16])
def test_every_lamp_is_visible_in_every_window(lamps):
    for size, window in product((3, 4, 5), ((62, 20), (80, 24), (120, 40), (250, 80))):
        board = LampGrid(size, lamps, CurrentLimiter(), free_columns=36)
        pitch = (board.get_content_width(_size(window), _size(window)) - 3) // size
        spots = lamp_pixels(pitch, lamps)
        assert set(spots.values()) == set(range(lamps))
        if lamps == 4:
            assert all(spots.get((x + 1, y), lamp) == lamp for (x, y), lamp in spots.items())
            assert all(spots.get((x, y + 1), lamp) == lamp for (x, y), lamp in spots.items())


def _size(window):
    from textual.geometry import Size

    return Size(window[0], window[1] - 1)


def test_large_lamp_counts_are_drawn():
    for lamps, pitch, halves in product((9, 25, 36, 49, 64), (6, 8, 10, 18), (True, False)):
        spots = lamp_pixels(pitch, lamps, halves)
        assert set(spots.values()) <= set(range(lamps))
        assert all(0 < x < pitch and 0 < y < pitch for x, y in spots)


def test_screen_undoes_gamma_and_brightness():
    scene = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 0.0)).view.scene
    picture = render_scene(scene, 3.0, 1)
    for limiter in (
        CurrentLimiter(budget=1e6, slew=1e6),
        CurrentLimiter(budget=1e6, slew=1e6, gamma=2.8, brightness=0.6),
    ):
        board = LampGrid(4, 1, limiter)
        board.show_frame(limiter.limit_frame(picture, Frame.dark_frame(4, 1)), scene, 3.0)
        x, y = get_grid(4).cell_coordinates("b2")
        meant = picture[3 * (y * 4 + x) :][:3]
        glass = int(GLASS_COLOUR[1:3], 16) * (1 - max(meant))
        seen = [int(board["b2"].lamp_colours[0][i : i + 2], 16) for i in (1, 3, 5)]
        assert seen == pytest.approx([glass + 255 * part for part in meant], abs=8)


@pytest.mark.slow
@terminal_test(lamps=1)
async def test_letter_is_legible_on_dark_lamp(table):
    await table.play("@b2", "@d4", "@b3", "@c4", "@a2")  # a frog on b2, which blinks
    assert table.session.position.piece_at("b2").notation_letter == "F"
    plates, lamps = set(), set()
    for _ in range(40):
        run_table(table.app.game_table, table.clock, 0.05)
        table.app.update_screen()
        line = table.board.render_line(table.board.cell_corner("b2")[1] + table.board.pitch // 4)
        plates |= {(segment.text, str(segment.style)) for segment in line if segment.text == "F"}
        lamps |= set(table.board["b2"].lamp_colours)
    assert len(plates) == 1
    assert len(lamps) > 1


@pytest.mark.slow
@terminal_test()
async def test_scored_pieces_keep_letters_during_animation(table):
    await table.play("@b2", "@d4", "@b4", "@a1", "@b3")
    while not table.session.turns[-1].sets:
        await table.play(str(table.session.allowed_actions[0]))
    taken = [cell for cells in table.session.turns[-1].scored_cells.values() for cell in cells]
    await table.wait(1.5)
    assert all(table.board[cell].letter for cell in taken)
    await table.wait(0.2)
    assert not any(table.board[cell].letter for cell in taken)


@terminal_test()
async def test_cursor_is_visible_without_colour(table):
    def marked():
        return [line for line in table.board_lines() if ">" in line and "<" in line]

    assert marked()[0].startswith("2 ")
    await table.press("4")
    assert marked()[0].startswith("4 ")
    edge = table.board_lines()[table.board.cell_corner("b4")[1]]
    assert set(edge) <= {" ", "▀"}


@pytest.mark.slow
@terminal_test(lamps=4)
async def test_unchanged_cells_are_not_redrawn(table):
    await table.play("@b2")
    await table.wait(3)
    drawn = []
    table.board.refresh = lambda *regions, **_: drawn.extend(regions)
    table.app.update_screen()
    assert drawn == []
    await table.wait(1)
    assert len(drawn) > 0
    assert table.board._cell_region("b2") not in drawn  # a steady egg of the waiting side


# The game


@pytest.mark.slow
@terminal_test()
async def test_undo_and_redo(table):
    await table.play("@b2", "@b3")
    await table.press("u")
    assert table.position == "..../..../.E../...."
    assert text(Message("undo.done", count=1), Message("prompt.buttons.place", side="dark")) in table.status_text
    await table.press("r")
    assert table.position == "..../.e../.T../...."
    await table.press("r")
    assert f"! {text(Message('redo.nothing'))}" in table.status_text
    await table.press("u", "u", "u")
    assert f"! {text(Message('undo.nothing'))}" in table.status_text


@pytest.mark.slow
@terminal_test(dark="greedy")
async def test_program_waits_before_acting(table):
    await table.touch("b2")
    wait = {"side": "dark", "player": "greedy"}
    assert text(Message("prompt.wait", **wait)) in table.status_text
    await table.wait(1.7)
    assert len(table.session.turns) == 1
    await table.touch("c3")
    assert f"! {text(Message('seats.wait', **wait), Message('prompt.wait', **wait))}" in table.status_text
    await table.wait(0.2)
    assert len(table.session.turns) == 2
    assert text(Message("prompt.buttons.place_or_move", side="light")) in table.status_text
    assert text(Message("status.last_turn"), *describe_turn(table.session.turns[-1])) in table.status_text


@pytest.mark.slow
@terminal_test("3x3/9/1")
async def test_outcome_is_shown_until_next_game(table):
    await table.play("@a1", "@b3", "@c1", "@b2", "@b1")
    while not table.session.outcome:
        await table.play(str(table.session.allowed_actions[0]))
    outcome = describe_outcome(table.session.outcome, table.session.position)
    assert text(outcome, Message("status.game_over_keys")) in table.status_text
    for scored in table.session.position.scored:
        assert (
            text(Message("status.final_score", scored=scored, target=table.session.variant.target)) in table.status_text
        )
    assert "▶" not in table.status_text
    await table.touch("b2")
    assert f"! {text(Message('illegal.game_over'), outcome)}" in table.status_text
    await table.press("q")  # there is no game to lose, so no confirmation
    assert table.app.return_code == 0


@terminal_test("mini", dark="greedy")
async def test_score_spawn_and_players_are_shown(table):
    score = text(Message("status.score", scored=0, target=7, spawn=10))
    human = text(Message("player.human"))
    assert text(Message("status.pond", variant="mini", size=4, target=7)) in table.status_text
    assert f"▶ LIGHT {human} {text(Message('status.letters.light'))} ○○○○○○○ {score}" in table.status_text
    assert f"DARK greedy {text(Message('status.letters.dark'))} ○○○○○○○ {score}" in table.status_text
    table.app.game_table.companion.session = Session(
        parse_variant("mini"), (_turn_ending_in(".tt./...E/ft.T/T..T l 2 3 4 3", "mini"),), size=4
    )
    table.app.update_screen()
    assert f"●●●●○○○ {text(Message('status.score', scored=4, target=7, spawn=2))}" in table.status_text
    assert f"●●●○○○○ {text(Message('status.score', scored=3, target=7, spawn=3))}" in table.status_text


@pytest.mark.slow
@terminal_test()
async def test_resigning_asks_for_confirmation(table):
    await table.play("@b2")
    await table.press("x")
    assert isinstance(table.app.screen, ConfirmDialog)
    await table.press("enter")  # the harmless answer is the default
    assert table.session.outcome is None
    await table.press("x", "n")
    assert table.session.outcome is None
    await table.press("x", "y")
    assert text(Message("outcome.resignation", winner="light", loser="dark")) in table.status_text
    await table.press("x")
    assert f"! {text(Message('illegal.game_over'))}" in table.status_text


@pytest.mark.long
@terminal_test(dark="random")
async def test_person_resigns_against_program(table):
    await table.touch("b2")
    await table.press("x")
    assert table.app.screen.question == Message("confirm.resign", side="light", other="dark")
    assert widget_text(table.app.screen.query_one("Label")) == text(table.app.screen.question)
    await table.press("right", "enter")
    assert text(Message("outcome.resignation", winner="dark", loser="light")) in table.status_text


@pytest.mark.slow
@terminal_test()
async def test_two_people_agree_to_a_draw(table):
    await table.press("t")
    assert isinstance(table.app.screen, ConfirmDialog)  # even before the first turn
    await table.press("y")
    assert text(Message("outcome.agreed_draw", light=0, dark=0)) in table.status_text
    await table.press("u")
    assert text(Message("game.goes_on")) in table.status_text


# New games


@pytest.mark.slow
@terminal_test()
async def test_new_game_dialog_offers_named_ponds(table):
    await table.press("n", "escape")
    assert table.session.variant is STANDARD
    await table.press("n")
    listed = table.app.screen.query_one(OptionList)
    assert [option.id for option in listed.options] == list(VARIANTS)
    board = table.app.game_table.companion.board
    await table.press("down", "enter")
    assert table.session.variant is VARIANTS["mini"]
    assert table.app.game_table.companion.board is board  # the same one
    await table.press("n", "down", "enter")
    assert table.session.variant is VARIANTS["big"]
    assert len(table.board_lines()) == 5 * table.board.pitch // 2 + 2
    await table.touch("e5")
    assert table.position == "....E/...../...../...../....."


@pytest.mark.slow
@terminal_test(dark="level-2")
async def test_arrows_change_the_players_of_a_new_game(table):
    await table.press("n", "tab", "tab", "tab")
    dark = table.app.screen.focused
    assert text(name_program("level-2")) in widget_text(dark)
    await table.press("left")
    assert text(name_program("level-1")) in widget_text(dark)
    await table.press("left", "left")
    assert text(Message("new_game.other_player", player=name_program("level-11"))) in widget_text(dark)
    seen = set()
    for _ in PLAYER_NAMES:
        await table.press("right")
        seen.add(dark.player_name)
    assert seen == set(PLAYER_NAMES)
    await table.press("right", "right", "right")
    assert dark.player_name == "level-2"
    await table.press("up", "right", "tab", "tab", "enter")
    assert table.app.game_table.program_names == ("level-1", "level-2")
    assert text(name_program("level-1")) in table.status_text


@pytest.mark.slow
@terminal_test()
async def test_enter_on_player_line_begins_game(table):
    await table.press("n", "down", "tab", "tab", "tab", "right")
    await table.press("enter")
    assert table.session.variant is VARIANTS["mini"]
    assert table.app.game_table.program_names == (None, PLAYER_CHOICES[1])


@pytest.mark.slow
@terminal_test()
async def test_arrows_in_pond_list_change_dark_player(table):
    await table.press("n", "right", "right", "left", "enter")
    assert table.app.game_table.program_names == (None, PLAYER_CHOICES[1])


@pytest.mark.slow
@terminal_test()
async def test_arrows_on_lower_buttons_do_not_change_player(table):
    await table.press("n", "shift+tab", "left", "left", "left")
    assert table.app.screen.focused.id == "begin"
    await table.press("right", "right", "left", "enter")
    assert table.app.game_table.program_names == (None, None)


@pytest.mark.slow
@terminal_test(day=datetime.now().astimezone().date())
async def test_handicaps_survive_board_size_change(table):
    await table.press("k", "j", "minus", "equals_sign")
    before = table.session
    assert before.fair_start
    assert values_by_side(before, HEAD_START) != (0, 0)
    assert values_by_side(before, HINT_LIMIT) != (None, None)
    await table.press("n", "down", "down", "enter")
    now = table.session
    assert now.size == 5
    assert [getattr(now, name) for name in HANDICAP_FIELDS] == [getattr(before, name) for name in HANDICAP_FIELDS]
    assert len(now.position.pieces) == 4
    assert now.position.scored == values_by_side(before, HEAD_START)
    assert [course.day for course in now.courses] == [course.day for course in before.courses]


@pytest.mark.slow
@terminal_test()
async def test_typed_pond_is_played_or_refused(table):
    await table.press("n", "tab")
    await table.type("3x4/9/5")
    await table.press("enter")
    wrong = Message("variant.wrong_grid", name="3x4/9/5", grid="3x4")
    assert widget_text(table.app.screen.query_one("#wrong")) == f"! {text(wrong)}"
    box = table.app.screen.query_one(Input)
    box.value = "puddle"
    await table.press("enter")
    wrong = table.app.screen.query_one("#wrong")
    assert widget_text(wrong) == f"! {text(Message('variant.unknown', name='puddle', names=tuple(VARIANTS)))}"
    assert wrong.region in table.app.screen.region
    box.value = "3x3/9/5"
    await table.press("enter")
    assert table.session.variant == parse_variant("3x3/9/5")
    assert table.app.cursor == "b2"


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [None, PieceOptions()])
def test_late_click_on_smaller_board_is_ignored(pieces):
    async def play(table):
        for click in (LampGrid.MousePressed("d4", is_right_button=False), LampGrid.CellClicked("d4")):
            table.board.post_message(click)
        small = GameChoice(parse_variant("3x3/9/5"), ("human", "human"))
        table.app._show_game(table.app.game_table.begin_game(small))
        await table.settle()
        assert table.app.cursor == "b2"
        assert table.session.turns == ()

    run_terminal(play, pieces=pieces)


@pytest.mark.long
@terminal_test()
async def test_typed_text_is_quoted_literally(table):
    await table.press("n", "tab")
    for typed in ("[/b]", "[b]x[/b]"):
        table.app.screen.query_one(Input).value = typed
        await table.press("enter")
        unknown = Message("variant.unknown", name=typed, names=tuple(VARIANTS))
        assert widget_text(table.app.screen.query_one("#wrong")) == f"! {text(unknown)}"


@pytest.mark.long
@terminal_test("3x3/4/4")
async def test_enter_begins_the_shown_game(table):
    await table.press("n", "enter")  # the current custom pond is in the input line
    assert table.session.variant == parse_variant("3x3/4/4")
    await table.press("n")
    table.app.screen.query_one(Input).value = "5x5/3/3"
    await table.press("shift+tab", "down")  # the list clears the input
    assert table.app.screen.query_one(Input).value == ""
    await table.press("space")
    assert table.session.variant is VARIANTS["mini"]


@pytest.mark.long
@terminal_test()
async def test_new_game_can_have_other_players(table):
    await table.press("n")
    await table.press("tab", "tab", "tab", *["space"] * PLAYER_CHOICES.index("greedy"))
    assert text(name_program("greedy")) in str(table.app.screen.query_one("#dark", Button).label)
    await table.pilot.click("#begin")
    await table.settle()
    assert text(name_program("greedy")) in table.status_text
    await table.touch("a1")
    await table.wait(2)
    assert len(table.session.turns) == 2


@pytest.mark.slow
@terminal_test()
async def test_new_game_during_game_asks_for_confirmation(table):
    await table.touch("b2")
    await table.press("n", "enter")
    assert isinstance(table.app.screen, ConfirmDialog)
    await table.press("escape")
    assert len(table.session.turns) == 1
    for key in ("q", "ctrl+q", "t"):
        await table.press(key)
        assert isinstance(table.app.screen, ConfirmDialog)
        await table.press("n")
        assert len(table.session.turns) == 1
        assert table.session.outcome is None
    await table.press("n", "enter", "y")
    assert table.session.turns == ()


@pytest.mark.slow
def test_long_question_scrolls():
    async def play(table):
        await table.press("b", "2")
        question = "Do you want to read all of this sentence, which is longer than the box is wide?"
        table.app.push_screen(ConfirmDialog(Message("text", text=question)))
        await table.settle()
        label = table.app.screen.query_one(Label)
        assert label.size.height == 2
        assert label.size.width <= table.app.screen.query_one("ConfirmDialog > Vertical").content_size.width

    run_terminal(play)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opened", "clicked"),
    [("x", "no"), ("x", "yes"), ("n", "back"), ("n", "begin"), ("p", "begin"), ("question_mark", None)],
)
def test_dialog_closes_once_on_key_and_click(opened, clicked):
    async def leave(table):
        await table.press("b", "2", opened)
        dialog = table.app.screen
        assert dialog is not table.app.screen_stack[0]
        for _ in range(2):  # both are queued before the screen has closed
            if clicked:
                dialog.post_message(Button.Pressed(dialog.query_one(f"#{clicked}", Button)))
            else:
                dialog.call_later(dialog.run_action, "dismiss")
        await table.settle()
        assert dialog not in table.app.screen_stack
        while len(table.app.screen_stack) > 1:
            await table.press("escape")
        await table.press("enter")
        assert len(table.session.turns) == (clicked != "yes")

    run_terminal(leave)


@pytest.mark.slow
@terminal_test()
async def test_repeated_quit_asks_once(table):
    await table.touch("b2")
    await table.press("ctrl+q", "ctrl+q", "ctrl+q")
    assert len(table.app.screen_stack) == 2
    await table.press("n")
    assert len(table.app.screen_stack) == 1


# Help and quitting


@pytest.mark.slow
@terminal_test(size=(80, 24), lamps=4)
async def test_help_page_scrolls_and_closes(table):
    await table.press("question_mark")
    page = table.app.screen
    assert isinstance(page, HelpScreen)
    help_text = " ".join(widget_text(part) for part in page.query(Static))
    for word in ("Place an egg", "Move a tadpole", "Move a frog", "set", "draw", "Ctrl-C", "wave"):
        assert word in help_text
    scroll = page.query_one("VerticalScroll")
    for _ in range(30):
        await table.press("space")
    assert scroll.scroll_y == scroll.max_scroll_y > 0
    assert all(part.region.right <= 80 for part in page.query(Static))
    example = page.query_one(LampGrid)
    assert [example[cell].letter for cell in ("a3", "b3", "c3", "a2", "b2", "c2")] == list("ETFetf")
    assert (example["a1"].marks, example["b1"].letter, example["c1"].marks) == ("[]", "+", "!!")
    await table.press("escape")
    assert not isinstance(table.app.screen, HelpScreen)


@pytest.mark.slow
@pytest.mark.parametrize("lamps", long_after_first([4, 1, 16]))
def test_help_page_explains_lamps_of_this_board(lamps):
    async def look(table):
        await table.press("f1")
        help_text = " ".join(widget_text(part) for part in table.app.screen.query(Static))
        shapes = {1: "one_lamp", 4: "four_lamps", 16: "many_lamps"}
        assert text(Message(f"help.shape.{shapes[lamps]}")) in help_text

    run_terminal(look, lamps=lamps)


@pytest.mark.long
def test_ctrl_c_quits_from_anywhere():
    async def leave(table, *keys):
        await table.touch("b2")
        await table.press(*keys, "ctrl+c")

    for keys in ((), ("n", "tab"), ("f1",), ("ctrl+p",)):
        app = run_terminal(lambda table, keys=keys: leave(table, *keys))
        assert app.return_code == 0


def test_missing_terminal_is_reported(monkeypatch):
    monkeypatch.setattr(sys, "__stdin__", io.StringIO())
    with pytest.raises(PondError) as refused:
        play_simulated(STANDARD, SeatedPlayers(), TableOptions())
    assert refused.value.message == Message("terminal.needed", command="pond headless")


@pytest.mark.slow
@pytest.mark.parametrize("leave", long_after_first([b"\x03", signal.SIGTERM]), ids=["ctrl-c", "terminated"])
def test_real_terminal_is_restored(leave):
    terminal = PseudoTerminal("play", "--seed", "1")
    terminal.wait_for(b"quit")
    terminal.leave(leave)


# Other keys, and the list of commands


@pytest.mark.slow
@terminal_test()
async def test_unknown_command_word_does_nothing(table):
    await table.touch("b2")
    await table.press("ctrl+p")
    await table.type("zzz")
    await table.press("enter")
    assert isinstance(table.app.screen, CommandMenu)
    assert table.app.screen.query_one("#nothing").display
    assert len(table.session.turns) == 1


@pytest.mark.slow
@terminal_test()
async def test_command_list_contains_settings(table):
    for name in ("help_level", "head_start", "hint_limit", "fair_start"):
        place = [key.tooltip for key in table.app.available_commands].index(name)
        session = table.session
        await table.press("ctrl+p", *["down"] * place, "enter")
        assert len(table.app.screen_stack) == 1
        assert (table.session.side_helps, table.session.fair_start) != (session.side_helps, session.fair_start)


@pytest.mark.slow
@terminal_test(dark="greedy")
async def test_command_list_is_searchable(table):
    table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(50)
    keys = {key.tooltip: key.key_display or key.key[0] for key in table.app.available_commands}
    assert keys == {
        "undo": "u",
        "redo": "r",
        "hint": "h",
        "what_if": "w",
        "help_level": "k",
        "head_start": "j",
        "hint_limit": "-",
        "fair_start": "=",
        "lessons": "f",
        "puzzles": "z",
        "new_game": "n",
        "resign": "x",
        "draw": "t",
        "help": "?",
        "quit": "q",
        "set_up": "p",
    }
    await table.press("ctrl+p")
    assert isinstance(table.app.screen, CommandMenu)
    listed = [str(option.prompt).split(maxsplit=1) for option in table.app.screen.query_one(OptionList).options]
    assert listed == [[key, text(Message(f"command.{name}"))] for name, key in keys.items()]
    await table.type("resig")
    await table.press("enter")
    assert isinstance(table.app.screen, ConfirmDialog)
    await table.press("ctrl+p")
    assert isinstance(table.app.screen, ConfirmDialog)  # a dialog must be answered first
    await table.press("y")
    assert "rematch" in [key.tooltip for key in table.app.available_commands]
    await table.press("ctrl+p", "down", "up", "down", "enter")
    assert table.session.turns == ()
    await table.press("ctrl+p", "question_mark", "home", "escape")
    assert len(table.app.screen_stack) == 1


@pytest.mark.slow
@terminal_test(dark="greedy")
async def test_rematch_is_possible_only_after_the_game(table):
    await table.touch("b2")
    await table.press("r")
    assert f"! {text(Message('redo.nothing'))}" in table.status_text
    await table.press("x", "y", "r")
    assert (table.session.turns, table.session.game_phase, table.session.variant) == ((), "act", STANDARD)
    assert "greedy" in table.status_text


@pytest.mark.slow
@terminal_test()
async def test_help_keys_open_and_close(table):
    for key in ("f1", "question_mark"):
        await table.press(key)
        assert isinstance(table.app.screen, HelpScreen)
        await table.press(key)
        assert len(table.app.screen_stack) == 1


# Windows


MAX_TEXT_TURNS = {
    "standard": ("ETET/eF.e/.EFT/Teef d 2 4 2 4", "@c3"),
    "mini": (".ETt/f.TF/ftf./TfFE l 1 0 2 4", "d3b3"),
    "big": ("e.eFe/..f.f/..EFE/t.fEt/f.EFF l 4 4 2 1", "@d4"),
    "5x5/25/25": ("F.EeF/E.FeF/fTfFT/fft.e/EeTft d 10 12 4 2", "d1d2"),
    "3x3/9/5": ("EFE/f.f/eFe l 5 5 0 0", "@b2"),
}
"""Turns with the longest text found in millions of random games, with up to six sets at once."""


@pytest.mark.slow
@pytest.mark.parametrize("pond", long_after_first(MAX_TEXT_TURNS))
def test_status_fits_at_80x24(pond):
    async def look(table):
        line, action = MAX_TEXT_TURNS[pond]
        session = Session(parse_variant(pond), (_turn_ending_in(line, pond),), size=table.session.size).after(
            TakeAction(Action.from_notation(action), 0.0)
        )
        for table.app.game_table.companion.session in _sessions_with_longest_messages(session):
            table.app.update_screen()
            await table.settle()
            room = table.app._status_text.size.width, table.app._status_scroll.size.height
            status = format_status(table.app.game_table, get_catalogue(), *room)
            assert table.status_text == " ".join(status.plain.split())
            assert table.app._status_text.region in table.app.query_one("#words").content_region
        keys = " ".join(widget_text(key) for key in table.app.query("FooterKey"))
        if table.session.is_over:
            assert keys == GAME_OVER_KEYS
        else:
            assert keys == key_bar("↑↓←→ move", *PLAY_KEYS)
        assert table.app.query("FooterKey").last().region.right <= 80

    run_terminal(look, pond)


# Hints and previews

BEFORE_SCORING = ("@b2", "@b3", "@c2", "@a3")
"""Opening after which an egg on a2 scores three eggs for light."""


@pytest.mark.slow
@terminal_test()
async def test_hint_is_shown_and_expires(table):
    table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(1500)
    await table.play(*BEFORE_SCORING)
    await table.wait(2)
    await table.press("h")
    turn = table.session.preview_action(Action.from_notation("@a2"))
    assert text(*describe_preview(turn, "hint")) in table.status_text
    assert text(Message("preview.set.egg", cells=("a2", "b2", "c2"), count=3)) in table.status_text
    assert text(Message("preview.gain", side="light", count=3)) in table.status_text
    assert table.board["a2"].marks == "**"
    assert table.position == "..../et../.FE./...."
    await table.wait(16)
    assert HINT not in table.status_text
    assert table.board["a2"].marks == "  "
    await table.press("h")
    await table.touch("d4")
    assert HINT not in table.status_text
    assert table.position == "...E/et../.FE./...."


@pytest.mark.slow
@terminal_test()
async def test_key_cycles_help_of_side_to_move(table):
    await table.play(*BEFORE_SCORING)
    for level in ("targets", "none"):
        await table.press("k")
        assert text(Message(f"help_level.{level}", side="light")) in table.status_text
        await table.press("h", "w")
        assert table.session.hint is None
        assert table.status_text.count(text(Message("help_level.no_advice", side="light"))) == 2
        await table.press("w")
    for level in ("warnings", "full"):
        await table.press("k")
        assert text(Message(f"help_level.{level}", side="light")) in table.status_text
    assert values_by_side(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)


@pytest.mark.slow
@terminal_test(dark="human")
async def test_key_sets_head_start(table):
    await table.press("j", "j")
    assert text(Message("head_start.now", side="light", count=2)) in table.status_text
    assert table.session.position.scored == (2, 0)
    await table.press("j", "j", "j", "j")
    assert table.session.position.scored == (0, 0)


@pytest.mark.slow
@terminal_test(dark="human")
async def test_key_limits_hints(table):
    table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(50)
    for count in (12, 6, 3, 1):
        await table.press("minus")
        assert text(Message("hint_limit.set", side="light", count=count)) in table.status_text
    await table.press("h")
    assert text(Message("hint_limit.last", side="light")) in table.status_text
    await table.touch("b2")
    await table.touch("b3")
    await table.press("h")
    assert f"! {text(Message('hint_limit.used_up', side='light'))}" in table.status_text
    await table.press("minus")
    assert values_by_side(table.session, HINT_LIMIT) == (None, None)


@terminal_test(dark="human")
async def test_key_sets_fair_start(table):
    await table.press("equals_sign")
    assert text(Message("fair_start.on.now")) in table.status_text
    assert len(table.session.position.pieces) == 4
    await table.press("equals_sign")
    assert not table.session.position.pieces


@pytest.mark.slow
@terminal_test(dark="greedy")
async def test_another_player_gets_no_hint(table):
    await table.touch("b2")
    await table.press("h")
    assert f"! {text(Message('seats.wait', side='dark', player='greedy'))}" in table.status_text


@pytest.mark.slow
@terminal_test()
async def test_preview_shows_growth_and_score(table):
    await table.play(*BEFORE_SCORING)
    await table.wait(2)
    assert WHAT_IF not in table.status_text
    await table.press("w", "a", "2")
    preview = (
        Message("preview.place", side="light", cell="a2"),
        Message("preview.develop.egg", cells=("b2",), count=1),
        Message("preview.develop.tadpole", cells=("a3",), count=1),
    )
    assert f"{WHAT_IF} {text(*preview)}" in table.status_text
    looks = {cell: table.board[cell] for cell in get_grid(4).cells}
    drawn = {cell: (look.letter, look.preview_letter, look.marks) for cell, look in looks.items()}
    assert {cell: what for cell, what in drawn.items() if what[1] or "{" in what[2]} == {
        "a2": (".", "E", "{}"),
        "b2": ("F", "E", "{}"),
        "c2": ("E", "", "{}"),
        "a3": ("e", "t", "  "),
    }
    assert any(".>E" in line and "F>E" in line for line in table.board_lines())
    assert table.position == "..../et../.FE./...."
    await table.press("w")
    assert WHAT_IF not in table.status_text
    assert not any(table.board[cell].preview_letter for cell in get_grid(4).cells)


@pytest.mark.slow
@terminal_test()
async def test_preview_shows_move_of_chosen_piece(table):
    await table.play(*BEFORE_SCORING)
    await table.wait(2)
    await table.press("w")
    await table.touch("b2")
    assert f"{WHAT_IF} {text(Message('status.choose_target'))}" in table.status_text
    await table.press("b", "4")
    preview = (
        Message("preview.move.frog", side="light", source="b2", target="b4"),
        Message("preview.develop.frog", cells=("b3",), count=1),
    )
    assert f"{WHAT_IF} {text(*preview)}" in table.status_text
    looks = {cell: (table.board[cell].letter, table.board[cell].preview_letter) for cell in ("b2", "b3", "b4")}
    assert looks == {"b2": ("F", "."), "b3": ("t", "f"), "b4": (".", "F")}
    await table.press("enter")
    assert table.position == ".F../ef../..E./...."


@pytest.mark.slow
@terminal_test(dark="greedy")
async def test_another_player_gets_no_preview(table):
    await table.press("w")
    await table.touch("b2")
    await table.press("c", "3")
    assert WHAT_IF not in table.status_text
    assert not table.board["c3"].preview_letter


@pytest.mark.parametrize("pond", ["standard", pytest.param("big", marks=pytest.mark.long)])
def test_hint_and_preview_have_room_at_80x24(pond):
    async def look(table):
        line, action = MAX_TEXT_TURNS[pond]
        start = Session(parse_variant(pond), (_turn_ending_in(line, pond),), size=table.session.size).after(
            TakeAction(Action.from_notation(action), 0.0)
        )
        by_length = {
            len(text(*describe_preview(start.preview_action(action)))): action for action in start.allowed_actions
        }
        longest = by_length[max(by_length)]
        await table.press("w", *longest.target)
        if longest.source:
            start = start.after(Touch(longest.source, True, 0.0))
        hint = start.after(AskHint(0.0)).after(HintFound(longest, ActionValue(-2.5), 0.0))
        for session in (start, hint):
            table.app.game_table.companion.session = session
            table.app.update_screen()
            await table.settle()
            assert WHAT_IF in table.status_text
            assert table.app._status_text.region in table.app.query_one("#words").content_region

    run_terminal(look, pond)


def _sessions_with_longest_messages(session):
    """Return sessions in which each kind of message has its greatest length."""
    pressed = [session.after(Touch(cell, True, 0.0)) for cell in get_grid(session.size).cells]
    chosen = [s for s in pressed if s.selected_cell]
    twice = [s.after(Touch(cell, True, 0.0)) for s in chosen for cell in get_grid(session.size).cells]
    refused = [s for s in (*pressed, *twice) if s.refusal]
    draw = session.after(RequestRefused(Message("seats.no_draw", players=("greedy",), count=1), 0.0))
    by_length = {len(tuple(s.legal_targets)) * 1000 + len(text(*s.messages)): s for s in (*chosen, *refused)}
    return (session, draw, *(by_length[length] for length in sorted(by_length)[-8:]))


@pytest.mark.slow
@terminal_test("5x5/25/25", size=(62, 20))
async def test_text_scrolls_in_small_window(table):
    pond = "5x5/25/25"
    line, action = MAX_TEXT_TURNS[pond]
    session = Session(parse_variant(pond), (_turn_ending_in(line, pond),), size=5).after(
        TakeAction(Action.from_notation(action), 0.0)
    )
    unsaved = Message("text", text="Not saved: the disk is full, as before. " * 6)
    table.app.game_table.companion.session = replace(session, unsaved_reason=unsaved)
    await table.wait(0.1)
    words = table.app.query_one("#words")
    assert words.max_scroll_y > 0
    await table.press("pagedown")
    assert words.scroll_y > 0
    keys = " ".join(widget_text(key) for key in table.app.query("FooterKey") if key.display)
    assert keys == key_bar(*PLAY_KEYS[:-1])  # ^p doesn't fit
    assert table.app.query("FooterKey").last().region.right <= 62


@pytest.mark.slow
@terminal_test(size=(61, 24))
async def test_too_small_window_shows_a_message(table):
    small, played = table.app.query_one("#small"), table.app.query_one("#table")
    for width, height, too_small in ((61, 24, True), (80, 19, True), (62, 20, False), (20, 8, True)):
        await table.pilot.resize_terminal(width, height)
        await table.settle()
        assert (small.display, played.display) == (too_small, not too_small)
        if too_small:
            notice = text(Message("screen.small_window", columns=62, rows=20))
            assert notice.startswith(widget_text(small)) if width == 20 else widget_text(small) == notice


def _turn_ending_in(line, pond="standard"):
    """Return a turn after which the position is the given one."""
    position = Position.from_notation(line, parse_variant(pond))
    return Turn(position, Action(None, "a1"), position, 0, 0)

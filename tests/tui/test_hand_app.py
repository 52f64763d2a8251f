"""Tests of handling pieces on the terminal board with the mouse and keys."""

from random import Random

import pytest
from textual.events import MouseDown, MouseUp
from textual.widgets import Static

from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Action, get_grid
from pond_hw.session import describe_preview, prompt_turn
from pond_hw.session.pieces.interpretations import CONFIRM_SECONDS
from pond_hw.session.pieces.odds import ODDS
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.simulator.sensor_faults import SensorFault
from pond_hw.tui.dialogs import ConfirmDialog
from pond_hw.tui.position_editor import PositionEditor
from pond_hw.tui.status_text import format_status
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.tui.terminal_table import key_bar, run_terminal, terminal_test, widget_text

NOTHING_HELD, TADPOLE_HELD = (
    text(Message("held.nothing")),
    text(Message("held.one.tadpole", side="light", pieces=1)),
)

SETTLE = 0.3
"""Seconds until an action counts, with some margin."""

BOUNCES = 1.0
"""Seconds until an action counts if the sensors bounce, with some margin."""


TURNED = PieceOptions(turned=True)


def with_pieces(pond="standard", **table):
    return terminal_test(pond, **({"pieces": TURNED} | table))


async def place(table, *cells):
    """Place eggs for both sides alternately, and turn over pieces that develop."""
    for cell in cells:
        await table.click(cell)
        await table.wait(SETTLE)
        await tidy(table)


async def tidy(table):
    """Take off scored pieces, and turn over developed pieces."""
    board_state = table.session.board_state
    for cell in sorted(board_state.tasks.to_remove):
        await table.right_click(cell)
    for cell in sorted(board_state.tasks.cells_to_flip):
        await table.right_click(cell)
    await table.wait(1)


def game_pieces(table):
    return {cell: piece.notation_letter for cell, piece in table.session.position.pieces.items()}


# Placing and moving


@pytest.mark.slow
@with_pieces()
async def test_clicked_egg_counts_when_settled(table):
    await table.click("b2")
    assert table.board["b2"].standing_piece.letter == "E"
    assert table.board["b2"].letter == ""  # not in the game yet
    await table.wait(SETTLE)
    assert table.board["b2"].letter == "E"
    assert text(Message("prompt.pieces.place", side="dark")) in table.status_text
    await place(table, "d4")
    assert table.standing == {"b2": "E", "d4": "e"}


@pytest.mark.slow
@with_pieces()
async def test_dragging_a_piece_lights_its_targets(table):
    await place(table, "b2", "d4", "b3", "d1")
    assert game_pieces(table)["b2"] == "T"
    await table.mouse(MouseDown, table.screen_position("b2"))
    await table.wait(SETTLE)
    assert table.board["b2"].standing_piece is None
    assert table.board["b2"].marks == "[]"
    assert {cell for cell in get_grid(4).cells if table.board[cell].letter == "+"} == {"b1", "a2", "c2"}
    lifted = Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2")), Message("lifted.put_back", cell="b2")
    assert text(*lifted) in table.status_text
    assert TADPOLE_HELD in table.hand_text
    await table.hover("c2")
    assert table.app.cursor == "c2"
    assert table.board["c2"].held_piece.letter == "T"  # drawn at the mouse
    await table.release("c2")
    await table.wait(SETTLE)
    assert str(table.session.turns[-1].action) == "b2c2"
    assert table.board["c2"].standing_piece.letter == "T"
    assert table.board["c2"].held_piece is None
    assert NOTHING_HELD in table.hand_text


@pytest.mark.slow
@with_pieces()
async def test_clicks_take_and_put_down_a_piece(table):
    await place(table, "b2", "d4", "b3", "d1")
    await table.click("b2")
    await table.wait(SETTLE)
    assert table.session.in_hand == "b2"
    await table.click("b2")  # back on its own cell
    await table.wait(1)
    assert len(table.session.turns) == 4
    await table.click("b2")
    await table.click("a2")
    await table.wait(SETTLE)
    assert str(table.session.turns[-1].action) == "b2a2"


@pytest.mark.slow
@with_pieces()
async def test_keys_handle_pieces_like_the_mouse(table):
    for cell in ("b2", "b3"):
        await table.touch(cell)
        await table.wait(SETTLE)
    turn_over = Message("hands.turn_over", cells=("b2",), count=1)
    assert text(turn_over, prompt_turn(table.session.position, has_pieces=True)) in table.status_text
    await table.press("b", "2", "v")
    assert table.standing == {"b3": "e"}  # off the board briefly
    await table.wait(1)
    assert table.standing == {"b2": "T", "b3": "e"}
    assert text(turn_over) not in table.status_text
    await table.press("enter")
    assert [held.letter for held in table.hand.held_pieces] == ["T"]
    await table.press("escape")
    assert table.standing == {"b2": "T", "b3": "e"}
    await table.press("enter", "left", "space")
    await table.wait(SETTLE)
    assert str(table.session.turns[-1].action) == "b2a2"


@pytest.mark.long
@with_pieces()
async def test_second_piece_on_a_cell_is_refused(table):
    await place(table, "b2", "d4", "b3", "d1")
    await table.drag("b2", "b3")
    assert table.hand.refusal_reason.arguments == {"cell": "b3"}
    assert f"! {text(table.hand.refusal_reason)}" in table.hand_text
    assert TADPOLE_HELD in table.hand_text
    await table.click("c2")
    assert "!" not in table.hand_text
    await table.wait(SETTLE)
    assert str(table.session.turns[-1].action) == "b2c2"


@pytest.mark.long
@with_pieces()
async def test_release_on_frame_keeps_piece_in_hand(table):
    await place(table, "b2", "d4", "b3", "d1")
    await table.mouse(MouseDown, table.screen_position("b2"))
    await table.mouse(MouseUp, table.board.region.offset)
    assert len(table.hand.held_pieces) == 1
    await table.press("escape")
    assert "b2" in table.standing


@pytest.mark.long
@with_pieces()
async def test_laid_aside_pieces_are_off_the_board(table):
    await place(table, "b2", "d4")
    await table.click("b2")
    await table.click_hand_text()
    assert table.hand.held_pieces == ()
    await table.wait(SETTLE)
    assert text(Message("repair.put.egg", cell="b2", side="light")) in table.status_text
    assert table.standing == {"d4": "e"}
    assert [token.face for token in table.hand.simulated_table.off_board_pieces] == ["egg"]
    await table.click("b2")  # puts the piece that the lamps ask for
    await table.wait(SETTLE)
    assert table.standing == {"b2": "E", "d4": "e"}
    assert table.hand.simulated_table.off_board_pieces == []
    assert table.session.game_phase == "act"
    await table.click_hand_text()
    await table.press("escape", "f")
    assert "!" not in table.hand_text  # an empty hand lays nothing aside


@pytest.mark.slow
@with_pieces()
async def test_impossible_hand_actions_show_reason(table):
    for key, arguments in (("v", {"cell": "b2"}), ("o", {"cell": "b2"}), ("s", {})):
        await table.press(key)
        assert table.hand.refusal_reason.arguments == arguments
        assert f"! {text(table.hand.refusal_reason)}" in table.hand_text
    assert table.hand.refusal_reason == Message("held.board_is_empty")
    await table.press("escape")
    assert "!" not in table.hand_text


@pytest.mark.slow
@with_pieces(pieces=PieceOptions())
async def test_plain_pieces_cannot_be_turned(table):
    await place(table, "b2", "b3")
    assert game_pieces(table) == {"b2": "T", "b3": "e"}
    assert table.standing == {"b2": "•", "b3": "•"}
    assert text(Message("hands.turn_over", cells=("b2",), count=1)) not in table.status_text
    await table.right_click("b2")
    assert table.hand.refusal_reason == Message("held.plain_pieces")
    assert table.standing == {"b2": "•", "b3": "•"}
    await table.click("b2")
    assert text(Message("held.one.piece", side="light", pieces=1)) in table.hand_text


# Refusals


@pytest.mark.slow
@with_pieces()
async def test_moved_egg_is_reported_and_put_back(table):
    await place(table, "b2", "d4")
    await table.drag("b2", "c3")
    await table.wait(SETTLE)
    assert table.position == "...e/..../.E../...."
    move_back = Message("repair.move.egg", source="c3", target="b2", side="light")
    assert f"! {text(Message('illegal.egg_cannot_move'), move_back)}" in table.status_text
    assert text(Message("prompt.pieces.place", side="light")) not in table.status_text  # another message comes first
    assert table.board["c3"].marks == "!^"
    assert table.board["b2"].marks == "vv"
    await table.drag("c3", "b2")
    await table.wait(SETTLE)
    assert table.session.game_phase == "act"
    assert text(Message("prompt.pieces.place", side="light")) in table.status_text


@pytest.mark.long
@with_pieces(pieces=PieceOptions(colours=True))
async def test_owner_sensors_detect_wrong_side(table):
    await table.press("g", "g")
    assert text(Message("held.one.piece", side="dark", pieces=1)) in table.hand_text
    await table.click("b2")
    await table.wait(SETTLE)
    assert table.session.turns == ()
    assert text(Message("illegal.other_owner", cell="b2", owner="dark", side="light")) in table.status_text
    await table.drag("b2")
    await table.wait(SETTLE)
    await table.press("g")
    assert text(Message("held.one.piece", side="light", pieces=1)) in table.hand_text
    await table.click("b2")
    await table.wait(SETTLE)
    assert table.position == "..../..../.E../...."


@pytest.mark.long
@with_pieces()
async def test_unturned_piece_differs_from_the_game(table):
    await table.click("b2")
    await table.wait(SETTLE)
    await table.click("b3")
    await table.wait(SETTLE)
    look = table.board["b2"]
    assert (look.letter, look.standing_piece.letter, look.marks) == ("T", "E", "()")
    await table.right_click("b2")
    await table.wait(1)
    look = table.board["b2"]
    assert (look.letter, look.standing_piece.letter) == ("T", "T")
    assert look.marks != "()"
    await table.right_click("b2")  # a full cycle of faces
    await table.wait(1)
    assert table.board["b2"].standing_piece.letter == "F"
    await table.right_click("b2")  # turns to the face that the lamps show
    await table.wait(1)
    assert table.board["b2"].standing_piece.letter == "T"


@pytest.mark.long
@with_pieces()
async def test_piece_placed_where_another_is_being_turned(table):
    await place(table, "b2", "d4")
    await table.right_click("b2")
    await table.click("b2")  # too early
    await table.wait(1)
    assert table.hand.refusal_reason.arguments == {"cell": "b2"}
    assert f"! {text(table.hand.refusal_reason)}" in table.hand_text
    assert len(table.hand.held_pieces) == 1
    await table.press("o")
    await table.wait(1)
    assert set(table.standing) == {"b2", "d4"}


# Scoring, undo, the menu


@pytest.mark.long
@with_pieces("3x3/9/9")
async def test_scored_pieces_are_taken_off_in_several_ways(table):
    taken = []
    random = Random(3)
    for _ in range(60):
        if len(taken) == 2:
            break
        await act(table, random.choice(table.session.allowed_actions))
        leaving = sorted(table.session.board_state.tasks.to_remove)
        if len(leaving) >= 3:
            taken.append(leaving)
            assert text(Message("hands.take_off", cells=tuple(leaving), count=len(leaving))) in table.status_text
            assert all(table.board[cell].marks in ("^^", ">^") for cell in leaving)
            await table.drag(leaving[0])
            await table.right_click(leaving[1])
            await table.press(*leaving[2], "o")
            await table.wait(SETTLE)
            assert not {*leaving[:3]} & table.standing.keys()
        await tidy(table)
        assert table.standing == game_pieces(table)
    assert len(taken) == 2


async def act(table, action):
    if action.source:
        await table.drag(action.source, action.target)
    else:
        await table.click(action.target)
    await table.wait(BOUNCES if table.hand.simulated_table._faults else SETTLE)
    if table.session.game_phase == "differs":  # ambiguous, so it counts a little later
        await table.wait(CONFIRM_SECONDS + SETTLE)
    await table.wait(ODDS.slip_seconds)  # faster would be unrealistic


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pond", "pieces"),
    [
        ("3x3/9/3", PieceOptions()),
        ("3x3/9/3", TURNED),
        pytest.param(
            "3x3/9/3", PieceOptions(faults=(SensorFault("bounce"),), turned=True, seed=2), marks=pytest.mark.long
        ),
        pytest.param("mini", PieceOptions(colours=True, turned=True), marks=pytest.mark.long),
    ],
    ids=["plain", "turned", "bounce", "colours"],
)
def test_pieces_match_after_a_whole_game(pond, pieces):
    random = Random(5)

    async def play(table):
        while not table.session.outcome:
            turns = len(table.session.turns)
            action = random.choice(table.session.allowed_actions)
            await act(table, action)
            assert [str(turn.action) for turn in table.session.turns[turns:]] == [str(action)], table.status_text
            await tidy(table)
            assert table.standing == (game_pieces(table) if pieces.turned else dict.fromkeys(game_pieces(table), "•"))
        assert text(Message("status.game_over_keys")) in table.status_text

    run_terminal(play, pond, pieces=pieces)


@pytest.mark.slow
@with_pieces("3x3/9/4", dark="greedy")
async def test_lamps_guide_program_pieces(table):
    random = Random(1)
    for _ in range(60):
        if table.session.outcome:
            break
        await act(table, random.choice(table.session.allowed_actions))
        await tidy(table)
        await table.wait(2)
        for _ in range(3):
            await follow(table)
        await tidy(table)
        assert table.standing == game_pieces(table), table.status_text
    assert table.session.outcome


async def follow(table):
    """Carry out one step that the marks on the board ask for."""
    marks = {table.board[cell].marks[1]: cell for cell in get_grid(table.session.size).cells}
    if table.session.game_phase != "differs":
        return
    if "^" in marks and "v" in marks:
        await table.drag(marks["^"], marks["v"])
    elif "v" in marks:
        await table.click(marks["v"])
    elif "^" in marks:
        await table.drag(marks["^"])
    await table.wait(SETTLE)


@pytest.mark.slow
@with_pieces()
async def test_putting_pieces_back_undoes_a_turn(table):
    await place(table, "b2", "d4", "b3", "d1")
    await table.drag("b2", "c2")
    await table.wait(SETTLE)
    await tidy(table)
    assert len(table.session.turns) == 5
    await table.drag("c2", "b2")
    await table.wait(SETTLE)
    assert text(Message("pending.take_back", count=1, seconds=CONFIRM_SECONDS)) in table.status_text
    assert text(Message("status.seconds_left", seconds=3)) in table.status_text
    assert table.board["b2"].marks[1] == "?"
    await table.wait(1)
    assert text(Message("status.seconds_left", seconds=2)) in table.status_text
    await table.drag("b2", "c2")  # changes its mind
    await table.wait(5)
    assert len(table.session.turns) == 5
    assert not any(text(Message("status.seconds_left", seconds=left)) in table.status_text for left in range(4))
    await table.drag("c2", "b2")
    await table.wait(SETTLE + CONFIRM_SECONDS)
    assert len(table.session.turns) == 4
    assert text(Message("undo.done", count=1)) in table.status_text


@pytest.mark.long
@with_pieces()
async def test_undo_by_key_is_completed_by_hand(table):
    await place(table, "b2", "d4", "b3", "d1")
    await table.drag("b2", "c2")
    await table.wait(SETTLE)
    await table.press("u")
    await table.wait(SETTLE)
    assert table.session.game_phase == "differs"
    await follow(table)
    assert table.session.game_phase == "act"
    assert table.standing.keys() == game_pieces(table).keys()


@pytest.mark.long
@with_pieces("mini")
async def test_pond_is_chosen_on_the_board(table):
    await place(table, "b2", "d4", "a1")
    await table.press("s")
    last_held = table.hand.held_pieces[-1]
    held = Message(f"held.several.{last_held.kind}", side=str(last_held.owner), pieces=3)
    assert text(held) in table.hand_text
    await table.press("escape")
    assert set(table.standing) == {"b2", "d4", "a1"}
    await table.press("s", "o")
    await table.wait(SETTLE)
    assert text(Message("pending.another_game", seconds=CONFIRM_SECONDS)) in table.status_text
    assert text(Message("status.seconds_left", seconds=3)) in table.status_text
    await table.wait(CONFIRM_SECONDS)
    assert table.session.game_phase == "menu"
    assert table.session.messages[0].id == "menu.choose"
    assert Message("menu.pond", cell="a1", variant="standard") in table.session.messages[0].arguments["choices"]
    assert text(*table.session.messages) in table.status_text
    assert table.board["a1"].letter == "o"
    assert table.board["b1"].letter == "*"  # current variant
    await table.click("a1")
    await table.wait(SETTLE)
    assert text(Message("menu.picked", cell="a1", variant="standard")) in table.status_text
    await table.click("a1")
    await table.wait(SETTLE)
    assert table.session.variant is STANDARD
    assert table.session.turns == ()
    assert table.hand.held_pieces == ()
    await place(table, "c3")
    assert table.position == "..../..E./..../...."


@pytest.mark.long
@with_pieces()
async def test_new_game_key_asks_to_clear_board(table):
    await place(table, "b2", "d4")
    await table.press("n", "enter", "y")
    await table.wait(1)
    assert table.session.turns == ()
    assert set(table.standing) == {"b2", "d4"}
    for _ in range(2):
        await follow(table)
    assert table.standing == {}
    assert table.session.game_phase == "act"


@pytest.mark.slow
@with_pieces()
async def test_pieces_are_restored_at_next_start(table):
    await place(table, "b2")
    await table.press("n", "tab", "tab", "tab", "right")
    await table.pilot.click("#begin")
    await table.settle()
    await table.press("y")
    await table.wait(2)
    assert table.app.game_table.program_names[1]
    assert set(table.standing) == {"b2"}
    assert table.session.turns == ()  # an old piece is not a turn
    assert table.session.game_phase == "differs"
    await table.press("n")
    table.app.screen.query_one("Input").value = "3x3/9/4"
    await table.pilot.click("#begin")
    await table.settle()
    assert table.session.size == 3
    assert table.standing == {}  # another board
    await place(table, "b2")
    assert table.position == ".../.E./..."


# Board is right, bad sensors, set-up of positions


@pytest.mark.slow
@with_pieces()
async def test_board_is_right_command_undoes_turns(table):
    await place(table, "b2", "d4", "a1", "d1")
    await table.press("y")
    assert f"! {text(Message('board.agrees'))}" in table.status_text
    for cell in ("d1", "a1", "d4"):
        await table.drag(cell)
        await table.wait(0.1)
    await table.press("y")
    assert table.session.position.notation_line.split()[0] == "..../..../.E../...."
    assert text(Message("undo.done", count=3)) in table.status_text


@pytest.mark.long
@with_pieces()
async def test_sensor_is_masked_and_unmasked_by_key(table):
    await place(table, "b2", "d4")
    await table.press("m")
    masked = text(Message("status.masked", cells=("d4",), count=1))
    assert masked in table.status_text
    assert table.session.board_state.sensors.masked_cells == {"d4"}
    await table.press("left")
    assert table.board["d4"].marks == "~~"
    await table.press("right", "m")
    assert masked not in table.status_text
    assert not table.session.board_state.sensors.masked_cells


@pytest.mark.long
@with_pieces(pieces=PieceOptions(faults=(SensorFault("chatter", "b2", begin=5.0),)))
async def test_chattering_sensor_is_masked_and_named(table):
    await place(table, "b2", "d4")
    await table.wait(30)
    assert text(Message("status.masked", cells=("b2",), count=1)) in table.status_text
    await place(table, "d1")
    assert len(table.session.turns) == 3


@pytest.mark.slow
@with_pieces()
async def test_set_up_starts_from_pieces_on_board(table):
    for cell, keys in (("b2", "g"), ("c2", "gg"), ("d4", "g")):
        await table.press(*keys)
        await table.click(cell)
    await table.wait(1)
    await table.press("p")
    dialog = table.app.screen
    assert isinstance(dialog, PositionEditor)
    assert {cell: piece.notation_letter for cell, piece in dialog.pieces.items()} == {"b2": "E", "c2": "e", "d4": "E"}
    await table.press("d", "4", "x", "a", "1", "enter", "enter", "enter")
    await table.press("s", "l", "l", "k")
    assert text(Message("editor.to_move", side="dark")) in str(dialog.query_one("#side").label)
    pieces = Message("drawn.pieces", side="light", scored=2, spawn=9)
    assert text(pieces) in str(dialog.query_one("#light").label)
    await table.press("p")
    assert table.session.position.notation_line == "..../..../.Ee./F... d 9 11 2 1"
    await table.wait(1)
    assert table.session.game_phase == "differs"  # a frog on a1, nothing on d4
    await follow(table)
    assert table.session.game_phase == "act"
    assert table.session.record.custom_start == table.session.position


@pytest.mark.long
@terminal_test("mini")
async def test_illegal_set_up_shows_reason(table):
    await table.play("@b2")
    await table.press("p")
    for cell in ("a4", "b4", "c4"):
        await table.click_in_dialog(cell)
    await table.press("p")
    unscored = Message("position.unscored_set.egg", cells=("a4", "b4", "c4"))
    assert widget_text(table.app.screen.query_one("#wrong", Static)) == f"! {text(unscored)}"
    await table.press("backspace")
    assert widget_text(table.app.screen.query_one("#wrong", Static)) == ""
    await table.pilot.click("#dark")
    await table.pilot.click("#side")
    await table.settle()
    await table.pilot.click("#begin")
    await table.settle()
    assert isinstance(table.app.screen, ConfirmDialog)
    await table.press("y")
    assert table.session.position.notation_line == "EE../..../.E../.... l 7 9 0 1"
    assert text(Message("game.set_up")) in table.status_text
    await table.press("p", "escape")
    assert text(Message("game.set_up")) in table.status_text
    assert table.board["a4"].letter == "E"


@pytest.mark.long
def test_scores_in_set_up_wrap_around():
    async def set_up(table):
        await table.press("p", "enter")
        scores = []
        for _ in range(3):
            await table.press("l")
            scores.append(table.app.screen.position.notation_line.split()[2:])
        assert scores == [["0", "2", "1", "0"], ["1", "2", "0", "0"], ["0", "2", "1", "0"]]
        for cell in "23":
            await table.press("a", cell, "enter")
        await table.press("p")
        wrong = {"board": 3, "spawn": 0, "scored": 1, "total": 4, "right_total": 2, "variant": "3x3/2/1"}
        reason = text(Message("position.wrong_sum", side="light", **wrong))
        assert widget_text(table.app.screen.query_one("#wrong", Static)) == f"! {reason}"

    run_terminal(set_up, "3x3/2/1")


# Text, keys, help


@pytest.mark.long
@with_pieces()
async def test_help_page_explains_piece_gestures(table):
    await table.press("question_mark")
    help_text = " ".join(widget_text(part) for part in table.app.screen.query(Static))
    for words in ("right click", "Taking a turn back", "Another game", "board and game don't match", "board is right"):
        assert words in help_text
    assert "Press an empty cell" not in help_text
    for _ in range(30):
        await table.press("space")
    await table.click_in_dialog("b2")
    assert table.standing == {}


@pytest.mark.slow
@with_pieces()
async def test_hints_and_previews_move_no_pieces(table):
    table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(1500)
    await place(table, "b2", "b3", "c2", "a3")
    standing, occupied = dict(table.standing), table.session.board_state.occupancy.occupied_cells
    await table.press("h", "w", "a", "2")
    turn = table.session.preview_action(Action.from_notation("@a2"))
    what_if = Message("status.what_if")
    assert text(*describe_preview(turn, "hint")) in table.status_text
    assert text(what_if, *describe_preview(turn)) in table.status_text
    assert (table.board["a2"].preview_letter, table.board["b2"].preview_letter) == ("E", "E")
    await table.wait(20)
    assert (dict(table.standing), table.session.board_state.occupancy.occupied_cells, table.session.game_phase) == (
        standing,
        occupied,
        "act",
    )
    await table.click("b2")
    await table.wait(SETTLE)
    await table.press("b", "4")
    assert text(what_if, Message("preview.move.frog", side="light", source="b2", target="b4")) in table.status_text
    await table.press("h")
    hint = table.session.preview_action(table.session.hint.action)
    assert text(*describe_preview(hint, "hint")) in table.status_text
    await table.press("escape")
    await table.wait(SETTLE)
    assert (table.session.hint, table.session.game_phase, len(table.session.turns)) == (None, "act", 4)


@pytest.mark.long
@terminal_test()
async def test_hand_keys_do_nothing_with_buttons(table):
    assert not table.app._hand_text.display
    await table.touch("b2")
    await table.press("v", "o", "g", "s", "m", "y")
    assert table.position == "..../..../.E../...."
    assert table.session.refusal is None
    await table.press("question_mark")
    help_text = " ".join(widget_text(part) for part in table.app.screen.query(Static))
    assert "Press an empty cell" in help_text
    assert "Taking a turn back" not in help_text


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), long_after_first([(80, 24), (62, 20)]))
@pytest.mark.parametrize("pieces", [PieceOptions(), TURNED], ids=["plain", "turned"])
def test_keys_and_text_fit(pieces, width, height):
    async def look(table):
        while not any(key.size for key in table.app.query("FooterKey")):  # the footer is laid out last
            await table.settle()
        keys = " ".join(widget_text(key) for key in table.app.query("FooterKey") if key.display)
        off = ["o off"] if width == 80 and not pieces.turned else []
        commands = ["^p commands"] if width == 80 else []
        hint = ["h hint"] if width == 80 else []
        leave = [] if width == 62 and pieces.turned else ["q quit"]
        turn = ["v turn"] if pieces.turned else []
        further = "n new_game", "f lessons", "? help"
        assert keys == key_bar("Enter handle", *turn, *off, "u undo", *hint, *further, *leave, *commands)
        assert table.app.query("FooterKey").last().region.right <= width
        await place(table, "b2", "d4", "b3", "d1", "c2", "a4")
        for action in (
            lambda: table.drag("d4", "a1"),
            lambda: table.drag("a1", "d4"),
            lambda: table.click("b2"),
            lambda: table.press("escape"),
            lambda: table.drag("a4"),
            lambda: table.press("s"),
            lambda: table.wait(3.5),
        ):
            await action()
            await table.wait(SETTLE)
            room = table.app._status_text.size.width, table.app._status_scroll.size.height
            status = " ".join(format_status(table.app.game_table, get_catalogue(), *room).plain.split())
            assert table.status_text == status
            _assert_no_repeats(table.status_text)
            assert table.app._status_text.region in table.app.query_one("#words").content_region
            assert table.app._hand_text.region.bottom <= table.app.query_one("#table").region.bottom

    run_terminal(look, "standard", size=(width, height), pieces=pieces)


def _assert_no_repeats(words):
    """Check that no sentence is repeated."""
    sentences = [part for part in words.replace("! ", ". ").split(". ") if len(part) > 12]
    assert len(sentences) == len(set(sentences)), words


@pytest.mark.slow
@with_pieces(pieces=PieceOptions())
async def test_turn_keys_change_enter_and_space(table):
    assert _letter_line(table).split() == [*"abcd"]
    await table.press("full_stop")
    assert table.session.turn_key
    await table.settle()
    assert _letter_line(table).split() == ["(●)", *"abcd", "(○)"]
    shown_keys = " ".join(widget_text(key) for key in table.app.query("FooterKey"))
    assert shown_keys.startswith(key_bar("Enter end_turn", "Space handle"))
    await table.press("space")
    await table.wait(1.0)
    assert (len(table.session.turns), "b2" in table.session.board_state.occupancy.occupied_cells) == (0, True)
    await table.press("enter")
    assert [str(turn.action) for turn in table.session.turns] == ["@b2"]
    await table.wait(1.0)
    assert _letter_line(table).split() == ["(○)", *"abcd", "(●)"]
    await table.press("full_stop")
    assert not table.session.turn_key


def _letter_line(table):
    """Return the line with the column letters and the turn key lamps."""
    line = table.board.render_line(table.board.pitch * 2 + 1)
    assert line.cell_length == table.board.region.width
    return line.text

"""Tests of a lit board that shows a card game: presses, frames and entries."""

import pytest

from pond_hw.board import BoardFault, Frame, HealthEvent
from pond_hw.cards.board import CardBoard, open_card_board
from pond_hw.cards.rules import Rules
from pond_hw.cards.rules.score_sheet import ScoreSheet, SheetPhase, replay_entries
from pond_hw.cards.scene import UNDO, CardScene, Stage, entry_of_press, scene_of_sheet
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.message import Message, PondError
from pond_hw.profile import load_profile
from pond_hw.simulator import SimulatedBoard

SCENE = CardScene(4, 2, Stage.ROUND, 0, poison=(1, 2))


def card_board(size=4, lamps=4, strip=0):
    simulated = SimulatedBoard(size, lamps, lambda: 0.0, strip)
    board = CardBoard(simulated.to_board(), CurrentLimiter.for_lamps(size * size * lamps), lambda: 1.0)
    board.open()
    return board, simulated


def test_presses_are_read_once_in_order():
    board, fingers = card_board()
    fingers.touch("b2")
    fingers.touch("a1")
    assert board.read_presses() == ["b2", "a1"]
    assert board.read_presses() == []


def test_frames_are_limited_and_dark_after_close():
    board, fingers = card_board(strip=8)
    for _ in range(60):
        board.show(SCENE)
    assert any(board.frame.data)
    assert board.limiter.estimate_current(board.frame) <= board.limiter.budget
    assert fingers._shown.frame == board.frame
    board.close()
    assert fingers._shown.frame == Frame.dark_frame(4, 4, 8)


def test_unresponsive_board_is_reported_as_trouble(monkeypatch):
    board, fingers = card_board()
    fingers._put(HealthEvent(Message("text", text="no answer"), 0.0))
    board.read_presses()
    assert board.trouble == Message("text", text="no answer")
    fingers._put(HealthEvent(None, 0.0))
    board.read_presses()
    assert board.trouble is None

    def broken(frame):
        raise BoardFault(Message("text", text="dark"))

    monkeypatch.setattr(fingers._shown, "show", broken)
    board.show(SCENE)
    assert board.trouble == Message("text", text="dark")
    monkeypatch.undo()
    board.show(SCENE)
    assert board.trouble is None


def test_board_with_three_rows_is_refused():
    with pytest.raises(PondError) as refused:
        card_board(3)
    assert refused.value.message.id == "cards.board_too_small"


@pytest.mark.parametrize("name", ["simulated-4x4", "simulated-5x5"])
def test_board_is_opened_from_profile(name):
    board = open_card_board(load_profile(name), lambda: 0.0)
    board.show(CardScene(board.size, 2, Stage.ROUND, 0, poison=(1, 2)))
    assert any(board.frame.data)
    board.close()


# Meaning of presses


def test_presses_enter_poison_suits():
    sheet = ScoreSheet()
    assert entry_of_press(sheet, "a1") == "poison 1 h"
    assert entry_of_press(sheet, "c4") == "poison 2 c"
    assert entry_of_press(sheet, "b2") is None


@pytest.mark.parametrize(("seats", "cells"), [(2, ["b2", "c3"]), (4, ["b2", "b3", "c3", "c2"])])
def test_presses_enter_tricks_and_traps(seats, cells):
    sheet = replay_entries(Rules(seats), 0, ["poison 1 h", "poison 2 d"])
    assert [entry_of_press(sheet, cell) for cell in cells] == [f"trick {seat + 1}" for seat in range(seats)]
    assert entry_of_press(sheet, "a2") == entry_of_press(sheet, "d3") == "trap"
    assert entry_of_press(sheet, "a1") is None


def test_presses_count_piles():
    sheet = replay_entries(Rules(), 0, ["poison 1 h", "poison 2 d", "count"])
    pressed = [entry_of_press(sheet, cell) for cell in ("a3", "b3", "c3", "d3", "a2", "b2", "d2", "a1")]
    kinds = ["add poison", "add profit", "add face", "add number", "add ace"]
    assert pressed == [*kinds, UNDO, "next", None]


def test_whole_round_is_entered_by_presses():
    sheet = ScoreSheet()
    for cell in ["a1", "b4", *["a2", "b2"] * 4, *["b3"] * 10, "d2", *["d3"] * 14, "d2"]:
        sheet = sheet.after(entry_of_press(sheet, cell))
    assert sheet.phase is SheetPhase.POISON
    assert sheet.totals == (150, 70)
    assert scene_of_sheet(sheet, 4).totals == (150, 70)
    assert entry_of_press(sheet._replace(phase=SheetPhase.OVER), "a1") is None

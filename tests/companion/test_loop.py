"""Tests of the main loop: touches, commands and answers arrive in one queue, in real or simulated time."""

import os
import signal
import threading
from random import Random
from time import monotonic, sleep

import pytest

from pond_hw.board import BoardFault, TurnKeyEvent
from pond_hw.companion import Companion, RealClock, SimulatedClock
from pond_hw.companion.lamp_display import SHOW_AGAIN_SECONDS
from pond_hw.companion.program_players import PACE_SECONDS
from pond_hw.engine import make_player
from pond_hw.engine.hints import Advice, ImmediateAdviser, WorkerAdviser
from pond_hw.lights import FRAME_SECONDS, LAMP_COUNTS, CurrentLimiter
from pond_hw.lights.render import DEVELOPED_SECONDS
from pond_hw.messages.message import Message
from pond_hw.rules import (
    DARK,
    LIGHT,
    Action,
    EndReason,
    Outcome,
    Position,
    legal_actions,
    parse_variant,
)
from pond_hw.session import (
    ActionValue,
    AgreeDraw,
    AskHint,
    BoardState,
    CellRole,
    ChangeSetting,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.game.hints_and_warnings import HINT_SECONDS
from pond_hw.session.game.long_presses import LONG_PRESS_SECONDS
from pond_hw.session.game.settings import TURN_KEY
from pond_hw.simulator import SimulatedBoard, SimulatedLamps
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.simulator.sensor_faults import parse_fault
from tests.conftest import long_after_first
from tests.messages.says import ids
from tests.simulator.hands import HandTable, SimulatedHands
from tests.simulator.keys import press_key
from tests.table import Table

LOST = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
DARK_LAMPS = Message("lamps.lost", text="no such device")


class ManualPlayer:
    """Player that answers only when the test tells it to."""

    name = "slow"

    def __init__(self):
        self.asked = []
        self.stopped = 0
        self.left = False

    def request_action(self, game, answer):
        self.asked.append((game, answer))

    def stop(self):
        self.stopped += 1

    def close(self):
        self.left = True

    def answer(self, text, question=-1):
        self.asked[question][1](Action.from_notation(text))


class ManualAdviser(ManualPlayer):
    """Adviser that answers only when the test tells it to."""

    request_advice = ManualPlayer.request_action

    def answer(self, text, question=-1):
        self.asked[question][1](Advice(Action.from_notation(text), ActionValue(1.0)))


def test_touch_becomes_turn_shown_by_lamps():
    table = Table()
    table.touch("b2")
    table.wait(2)
    assert table.played == ["@b2"]
    assert any(max(lamp) > 0 for lamp in table.shown_frame["b2"])
    assert table.shown_frame["b2"] != table.shown_frame["d4"]


@pytest.mark.parametrize("lamps", long_after_first(sorted(LAMP_COUNTS, key=lambda lamps: lamps not in (1, 4, 64)), 3))
def test_lamps_are_bright_within_current_budget(lamps):
    table = Table("big", lamps=lamps).touch("c3").wait(3.0)
    assert max(map(max, table.shown_frame["c3"])) >= 40
    limiter = table.companion.display.limiter
    assert limiter.estimate_current(table.shown_frame) <= limiter.budget


def test_first_step_shows_first_frame():
    shown = []
    table = Table()
    table.companion.board.lamps.show = shown.append
    table.touch("b2")
    assert len(shown) == 1


def test_each_refused_press_changes_the_frame():
    table = Table()
    table.touch("b2")
    table.wait(3.0)
    for _ in range(12):
        before = table.companion.frame
        table.touch("b2")
        assert table.companion.frame["b2"] != before["b2"]
        table.wait(0.09)


@pytest.mark.slow
def test_steady_lamps_are_not_redrawn():
    table = Table()
    table.wait(1.0)
    shown, drawn = [], table.companion.display.drawn_count
    table.companion.board.lamps.show = shown.append
    table.wait(4.0)  # one cycle of the open water
    assert table.companion.display.drawn_count - drawn < 30
    assert len(set(shown)) > 4
    table.wait(60.0)
    assert len(shown) < 64 * (30 / 4 + 1 / SHOW_AGAIN_SECONDS)


def test_turn_is_drawn_frame_by_frame():
    table = Table()
    table.wait(1.0)
    before = table.companion.display.drawn_count
    for cell in ("b2", "c3", "c2"):
        table.touch(cell)
    table.wait(DEVELOPED_SECONDS)
    assert table.companion.display.drawn_count - before >= DEVELOPED_SECONDS / FRAME_SECONDS


def test_lower_current_limit_takes_effect_at_once():
    table = Table()
    table.wait(5.0)
    table.companion.display.limiter = CurrentLimiter(budget=66)
    table.wait(0.0)
    assert table.companion.display.limiter.estimate_current(table.companion.frame) <= 66


def test_program_answers_after_pace_delay():
    table = Table(dark=make_player("greedy", 1))
    table.wait(1)
    table.touch("b2")
    table.wait(PACE_SECONDS - 0.1)
    assert table.played == ["@b2"]
    table.wait(0.2)
    assert len(table.played) == 2


@pytest.mark.slow
def test_two_programs_finish_a_game():
    table = Table(light=make_player("random", 1), dark=make_player("greedy", 2))
    for _ in range(200):
        if not table.session.outcome:
            table.wait(PACE_SECONDS)
    assert table.session.outcome


def test_slow_player_does_not_block_lamps_or_touches():
    slow = ManualPlayer()
    table = Table(dark=slow)
    table.touch("b2")
    shown = []
    table.companion.board.lamps.show = shown.append
    table.wait(30)
    assert len(shown) > 100
    table.touch("c3")
    assert table.session.messages == (Message("seats.wait", side="dark", player="slow"),)
    slow.answer("@c3")
    table.wait(0.1)
    assert table.played == ["@b2", "@c3"]


def test_answer_from_another_thread_is_accepted():
    slow = ManualPlayer()
    table = Table(dark=slow)
    table.touch("b2")
    thread = threading.Thread(target=slow.answer, args=("@c3",))
    thread.start()
    thread.join()
    table.wait(PACE_SECONDS)
    assert table.played == ["@b2", "@c3"]


def test_player_is_asked_once_per_turn():
    slow = ManualPlayer()
    table = Table(dark=slow)
    table.touch("b2")
    table.wait(5)
    assert len(slow.asked) == 1
    game = slow.asked[0][0]
    assert game.position == table.session.position
    assert [str(turn.action) for turn in game.turns] == ["@b2"]


@pytest.mark.parametrize(
    "event",
    [(UndoTurns, {}), (NewGame, {"variant": parse_variant("mini")}), (ResignGame, {})],
    ids=["undo", "new game", "resign"],
)
def test_answer_for_earlier_game_is_ignored(event):
    slow = ManualPlayer()
    table = Table(dark=slow)
    table.touch("b2")
    table.send(event[0], **event[1])
    assert slow.stopped == 1
    before = table.session
    slow.answer("@c3", question=0)
    table.wait(5)
    assert table.session is before


def test_player_is_asked_again_after_set_up():
    slow = ManualPlayer()
    table = Table(light=slow)
    start = Position.from_notation("..../.e../.T../.... l 12 12 0 0")
    table.send(SetUpGame, position=start)
    assert (len(slow.asked), slow.stopped) == (2, 1)
    assert slow.asked[-1][0].position == start


def test_undo_against_program_goes_back_to_human_turn():
    table = Table(dark=make_player("random", 3))
    table.touch("b2")
    table.wait(3)
    assert len(table.played) == 2
    table.send(UndoTurns)
    assert table.played == []
    table.send(RedoTurns)
    assert len(table.played) == 2


def test_second_undo_of_same_turn_is_refused_against_program():
    table = Table(dark=make_player("random", 3))
    for cell in ("b2", "c4"):
        table.touch(cell)
        table.wait(3)
    assert len(table.played) == 4
    table.send(UndoTurns, number=4)
    table.send(UndoTurns, number=4)
    assert len(table.played) == 2


def test_undo_while_program_thinks_takes_back_the_turn():
    slow = ManualPlayer()
    table = Table(dark=slow)
    table.touch("b2")
    table.send(UndoTurns)
    assert table.played == []
    table.touch("c3")
    assert table.played == ["@c3"]
    assert len(slow.asked) == 2


def test_undo_stops_before_first_program_turn():
    table = Table(light=make_player("random", 3))
    table.wait(0.1)
    assert len(table.played) == 1
    cell = table.session.allowed_actions[0].target
    table.touch(cell)
    table.wait(3)
    assert len(table.played) == 3
    table.send(UndoTurns)
    assert len(table.played) == 1


def test_person_can_resign_out_of_turn():
    table = Table(dark=ManualPlayer())
    table.touch("b2")
    table.send(ResignGame)
    assert table.session.outcome == Outcome(DARK, EndReason.RESIGNATION)


def test_program_accepts_draw_only_after_threefold_repetition():
    table = Table(dark=ManualPlayer())
    table.send(AgreeDraw)
    assert table.session.outcome is None
    assert table.session.messages == (Message("seats.no_draw", players=("slow",), count=1),)

    two_people = Table()
    two_people.send(AgreeDraw)
    assert two_people.session.outcome == Outcome(None, EndReason.AGREEMENT)


def test_person_cannot_act_for_program():
    table = Table(light=ManualPlayer())
    table.send(TakeAction, action=Action.from_notation("@a1"))
    assert table.played == []


def test_close_darkens_lamps_and_stops_players():
    slow = ManualPlayer()
    table = Table(dark=slow)
    table.touch("b2")
    table.companion.close()
    assert slow.stopped == 1
    assert slow.left
    assert not any(table.shown_frame.data)
    table.hands.touch("c3")  # the board is closed
    table.companion.step()
    assert table.played == ["@b2"]


def test_loop_runs_with_real_clock():
    clock = RealClock()
    hands = SimulatedBoard(4, 1, clock.now)
    companion = Companion(hands.to_board(), Session.start_game(parse_variant("standard")), clock)
    finger = threading.Timer(0.05, hands.touch, ["b2"])
    finger.start()
    companion.run_until(clock.now() + 0.3)
    finger.join()
    assert [str(turn.action) for turn in companion.session.turns] == ["@b2"]
    companion.close()


@pytest.mark.slow
def test_whole_game_on_buttons_follows_rules():
    """Two people press legal cells, and the game must register every action correctly."""
    table, rng, meant = Table(pond="big"), Random(4), []
    while table.session.outcome is None:
        action = rng.choice(legal_actions(table.session.position))
        meant.append(str(action))
        if action.source:
            table.touch(action.source)
        table.touch(action.target)
        table.wait(0.3)
    assert table.played == meant


class TestBoardKey:
    def test_press_undoes_a_turn(self):
        table = Table()
        table.touch("b2")
        press_key(table.hands, down=True)
        table.wait(0.3)
        assert table.played == ["@b2"]  # may become a long press
        press_key(table.hands, down=False)
        table.wait(0.1)
        assert table.played == []

    def test_two_second_press_restarts_the_variant(self):
        table = Table(pond="mini")
        table.touch("b2")
        press_key(table.hands, down=True)
        table.wait(LONG_PRESS_SECONDS - 0.05)
        assert table.played == ["@b2"]
        table.wait(0.1)
        assert table.played == []
        assert table.session.variant == parse_variant("mini")
        press_key(table.hands, down=False)
        table.wait(5)
        assert "undo.nothing" not in ids(table.session.messages)

    def test_release_without_press_is_ignored(self):
        table = Table()
        table.touch("b2")
        press_key(table.hands, down=False)
        table.wait(0.1)
        assert table.played == ["@b2"]


class TestLongPress:
    def test_long_press_after_the_end_begins_a_game(self):
        table = Table()
        table.touch("b2")
        table.send(ResignGame)
        table.hands.press("c3")
        table.wait(LONG_PRESS_SECONDS - 0.05)
        assert table.session.outcome
        table.wait(0.1)
        assert table.session.outcome is None
        assert table.played == []

    def test_press_that_ends_game_does_not_restart_it(self):
        table = Table(pond="3x3/5/1")
        for cell in ("c2", "c1", "b2"):
            table.touch(cell)
        table.hands.press("c3")
        table.wait(0.1)
        assert table.session.outcome
        table.wait(30)
        assert table.session.outcome

    def test_long_press_during_game_is_ignored(self):
        table = Table()
        table.hands.press("b2")
        table.wait(30)
        assert table.played == ["@b2"]

    def test_long_press_after_undone_end_starts_nothing(self):
        table = Table()
        table.touch("b2")
        table.send(ResignGame)
        table.hands.press("c3")
        table.wait(1)
        table.send(UndoTurns)
        table.wait(30)
        assert table.played == ["@b2"]


class PieceTable(Table):
    """A table with pieces and a person's simulated hands."""

    def __init__(self, light=None, dark=None, *, standing=(), faults=(), colours=False, seed=7, pond="standard"):
        faults = [parse_fault(fault, parse_variant(pond).size) for fault in faults]

        def make_hands(size, now):
            hands = HandTable(size, 4, now, colours=colours, faults=faults, seed=seed)
            for cell in standing:
                hands.drop(cell, LIGHT)
            return hands

        super().__init__(pond, light, dark, board_state=BoardState().after_wakeup(0.0), make_hands=make_hands)
        self.person = SimulatedHands(self.hands, Random(seed))
        self.wait(2)  # until the pieces at start have been sensed

    def finish(self, motion):
        """Wait until a hand movement is complete and the sensors have settled."""
        self.companion.run_until(motion.ends_at + 0.6)
        assert motion.is_done

    def play_by_hand(self, action):
        """Play an action by hand, then do what the lamps ask for."""
        source, target = Action.from_notation(action)
        side = self.session.position.to_move
        self.finish(self.person.move(source, target) if source else self.person.place(target, side))
        self.tidy()

    def tidy(self):
        """Take off scored pieces, and turn over developed pieces."""
        board_state = self.session.board_state
        for cell in sorted(board_state.tasks.to_remove):
            self.finish(self.person.take_off(cell))
        for cell in sorted(board_state.tasks.cells_to_flip):
            self.finish(self.person.turn_face(cell))

    def follow_lamps(self):
        """Set up fallen pieces again, and follow the lamps until they ask for nothing more."""
        for cell, token in self.hands.standing_pieces.items():
            if any(abs(place - round(place)) > 0.2 for place in (token.x, token.y)):  # lies between two cells
                self.finish(self.person.pick_up(cell))
                self.finish(self.person.put_down(cell))
        for _ in range(40):
            off = [
                cell for cell in self.shown(CellRole.TAKE_OFF) if cell not in self.session.board_state.tasks.to_remove
            ]
            put = self.shown(CellRole.PUT)
            if off and put:
                self.finish(self.person.move(off[0], put[0]))
            elif off:
                self.finish(self.person.take_off(off[0]))
            elif put:
                self.finish(self.person.place(put[0], self.session.view.cells[put[0]].piece.owner))
            else:
                break
        self.tidy()

    def matches_game(self):
        """Return True if the pieces on the board match the game."""
        return self.hands.standing_pieces.keys() == self.session.position.pieces.keys()


class TestPieces:
    def test_slow_hands_play_turns(self):
        table = PieceTable()
        for action in ("@b2", "@b3", "b2c2"):
            table.play_by_hand(action)
        assert table.played == ["@b2", "@b3", "b2c2"]
        assert table.matches_game()

    def test_lamps_show_targets_of_lifted_piece(self):
        table = PieceTable()
        for action in ("@b2", "@b3"):
            table.play_by_hand(action)
        before = table.shown_frame
        table.finish(table.person.pick_up("b2"))
        table.wait(0.3)
        assert table.session.game_phase == "in_hand"
        assert table.shown_frame["c2"] != before["c2"]

    def test_certain_move_is_lit_once_settled(self):
        table = PieceTable()
        table.hands.drop("b2", LIGHT)
        began = table.clock.now()
        table.wait(0.2499)
        assert table.played == []
        dark = table.shown_frame["b2"]
        table.wait(0.0002)
        assert table.played == ["@b2"]
        assert table.session.changed_at == pytest.approx(began + 0.25)
        assert table.shown_frame["b2"] != dark

    @pytest.mark.slow
    @pytest.mark.parametrize("faults", [("bounce", "dropout"), pytest.param((), marks=pytest.mark.long)], ids=str)
    @pytest.mark.parametrize("colours", [False, True], ids=["on/off", "owners sensed"])
    def test_game_can_be_played_with_faulty_sensors(self, faults, colours):
        table, rng, meant = PieceTable(faults=faults, colours=colours), Random(5), []
        while len(meant) < 12 and not table.session.is_over:
            action = str(rng.choice(table.session.allowed_actions))
            meant.append(action)
            table.play_by_hand(action)
            if table.session.game_phase == "differs":
                table.wait(3)  # until the pending action counts
                table.tidy()
            assert table.played == meant, table.session.messages
        assert table.matches_game()

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", long_after_first(range(4)))
    def test_following_lamps_repairs_swept_pieces(self, seed):
        table = PieceTable(seed=seed)
        for action in ("@b2", "@b3", "@d2", "@a1", "@c4"):
            table.play_by_hand(action)
        played = table.played
        table.finish(table.person.sweep(["b2", "d2", "b3", "c4"]))
        table.finish(table.person.knock_over("a1", off=True))
        table.wait(1)
        assert table.played == played
        assert table.session.game_phase == "differs"
        table.follow_lamps()
        assert table.played == played
        assert table.session.game_phase in ("act", "take_off")


class TestPiecesAgainstProgram:
    def answered_table(self):
        """Return a table after a person's egg and a program's answer, before the program's piece is on the board."""
        slow = ManualPlayer()
        table = PieceTable(dark=slow)
        table.play_by_hand("@b2")
        slow.answer("@b3")
        table.wait(PACE_SECONDS)
        return table

    def test_lamps_guide_the_program_move(self):
        table = self.answered_table()
        assert table.played == ["@b2", "@b3"]
        assert (table.session.game_phase, table.shown(CellRole.PUT)) == ("differs", ["b3"])
        assert Message("repair.put.egg", cell="b3", side="dark") in table.session.messages
        table.follow_lamps()
        assert (table.session.game_phase, table.matches_game()) == ("act", True)

    def test_next_move_is_detected_immediately(self):
        table = self.answered_table()
        placed = table.person.place("b3", DARK, slide=False)
        table.companion.run_until(placed.ends_at)
        reply = SimulatedHands(table.hands, Random(1)).place("d4", LIGHT, slide=False)
        table.finish(reply)
        assert table.played == ["@b2", "@b3", "@d4"]

    def test_person_cannot_act_instead_of_program(self):
        table = self.answered_table()
        table.finish(table.person.place("c3", LIGHT))
        assert table.played == ["@b2", "@b3"]
        assert table.session.game_phase == "differs"
        table.follow_lamps()
        assert table.matches_game()

    def test_move_for_thinking_program_is_refused(self):
        slow = ManualPlayer()
        table = PieceTable(dark=slow)
        table.play_by_hand("@b2")
        table.finish(table.person.place("c3", LIGHT))
        assert table.played == ["@b2"]
        assert table.session.game_phase == "differs"
        table.follow_lamps()
        slow.answer("@c3")
        table.wait(PACE_SECONDS)
        assert table.played == ["@b2", "@c3"]

    def test_undo_by_hand_while_program_thinks_is_allowed(self):
        slow = ManualPlayer()
        table = PieceTable(dark=slow)
        table.play_by_hand("@b2")
        table.finish(table.person.take_off("b2"))
        table.wait(3)
        assert table.played == []
        assert slow.stopped == 1

    @pytest.mark.slow
    def test_whole_game_can_be_played_with_pieces(self):
        table, rng = PieceTable(dark=make_player("greedy", 3), pond="3x3/9/5"), Random(2)
        for _ in range(60):
            if table.session.is_over:
                break
            assert table.matches_game(), table.session.messages
            table.play_by_hand(str(rng.choice(table.session.allowed_actions)))
            table.wait(PACE_SECONDS + 3)
            table.follow_lamps()
        assert table.session.outcome


class TestPiecesAtStart:
    def test_initial_pieces_are_not_turns(self):
        table = PieceTable(standing=("b2", "c3"))
        table.wait(5)
        assert (table.played, table.session.game_phase) == ([], "differs")
        assert Message("mismatch.extra", cells=("b2", "c3"), count=2) in table.session.messages
        table.follow_lamps()
        assert table.session.game_phase == "act"
        table.play_by_hand("@b2")
        assert table.played == ["@b2"]

    def test_pieces_added_during_sensor_loss_do_not_count(self):
        table = PieceTable()
        table.play_by_hand("@a1")
        table.report_health(LOST)
        table.wait(1)
        table.hands.drop("b2", DARK)
        table.report_health(None)
        table.wait(5)
        assert (table.played, table.session.game_phase) == (["@a1"], "differs")
        table.finish(table.person.pick_up("b2"))
        table.finish(table.person.put_down("b2"))
        assert table.played == ["@a1", "@b2"]

    def test_held_piece_survives_sensor_loss(self):
        table = PieceTable()
        for action in ("@b2", "@b3"):
            table.play_by_hand(action)
        table.finish(table.person.pick_up("b2"))
        for trouble in (LOST, None):
            table.report_health(trouble)
            table.wait(2)
        assert table.session.in_hand == "b2"
        table.finish(table.person.put_down("c2"))
        assert table.played == ["@b2", "@b3", "b2c2"]

    def test_resting_finger_starts_no_game(self):
        table = PieceTable()
        table.play_by_hand("@b2")
        table.companion.put(ResignGame(table.clock.now()))
        table.finish(table.person.place("c3", DARK))
        table.wait(10)
        assert table.session.outcome
        assert table.played == ["@b2"]


class TestBoardTrouble:
    def test_lost_board_is_reported_and_stops_play(self):
        table = Table()
        table.touch("b2")
        table.report_health(LOST)
        assert table.session.messages == (LOST,)
        table.send(TakeAction, action=Action.from_notation("@c3"))
        table.send(UndoTurns)
        table.touch("d4")
        assert table.played == ["@b2"]
        assert table.session.messages == (LOST,)
        table.report_health(None)
        assert table.session.messages == (
            Message("trouble.over"),
            Message("prompt.buttons.place", side="dark"),
        )
        table.touch("d4")
        assert table.played == ["@b2", "@d4"]

    def test_chosen_piece_survives_trouble(self):
        table = Table()
        for cell in ("b2", "b3", "b2"):
            table.touch(cell)
        assert table.session.selected_cell == "b2"
        for trouble in (LOST, None):
            table.report_health(trouble)
        table.touch("c2")
        assert table.played == ["@b2", "@b3", "b2c2"]

    def test_held_key_is_forgotten_during_trouble(self):
        table = Table()
        table.touch("b2")
        press_key(table.hands, down=True)
        for trouble in (LOST, None):
            table.report_health(trouble)
        table.wait(30)
        assert table.played == ["@b2"]

    def test_unreachable_lamps_cause_trouble_until_they_recover(self, monkeypatch):
        table = Table()
        lamps = table.companion.board.lamps

        def refuse(frame):
            raise BoardFault(DARK_LAMPS)

        with monkeypatch.context() as patch:
            patch.setattr(lamps, "show", refuse)
            table.wait(1)
            table.touch("b2")
            assert table.session.messages == (DARK_LAMPS,)
            assert table.played == []
        table.wait(1)
        table.touch("b2")
        assert table.played == ["@b2"]

    def test_second_trouble_is_reported_after_first(self, monkeypatch):
        table = Table()
        table.report_health(LOST)

        def refuse(frame):
            raise BoardFault(DARK_LAMPS)

        monkeypatch.setattr(table.companion.board.lamps, "show", refuse)
        table.wait(1)
        assert table.session.trouble == LOST
        table.report_health(None)
        assert table.session.trouble == DARK_LAMPS

    def test_program_answer_waits_during_trouble(self, monkeypatch):
        table = Table(dark=make_player("greedy", 1))
        table.touch("b2")
        table.report_health(LOST)
        session_before, steps, step = table.session, [], table.companion.step

        def counted():
            steps.append(1)
            assert len(steps) <= 10 / FRAME_SECONDS + 10, "busy loop"
            return step()

        monkeypatch.setattr(table.companion, "step", counted)
        table.wait(10)
        assert table.session is session_before
        table.report_health(None)
        table.wait(0.1)
        assert len(table.played) == 2

    def test_open_failure_is_raised(self):
        hands = SimulatedBoard(4, 1, lambda: 0.0)
        board = hands.to_board()

        def refuse():
            raise BoardFault(DARK_LAMPS)

        board.lamps.open = refuse
        with pytest.raises(BoardFault, check=lambda fault: fault.message == DARK_LAMPS):
            Companion(board, Session.start_game(parse_variant("mini")), SimulatedClock())


def test_profile_limit_applies_and_changes_immediately():
    limiter = CurrentLimiter(budget=200, slew=50)
    table = Table(limiter=limiter).touch("b2", "c3", "a1", "d4").wait(3)
    bright = limiter.estimate_current(table.shown_frame)
    assert 100 < bright <= 200
    table.companion.display.limiter = CurrentLimiter(budget=100, slew=50)
    table.wait(3)
    assert limiter.estimate_current(table.shown_frame) <= 100


def test_score_strips_are_lit():
    table = Table(lamps=1, strip=3).wait(1)
    assert table.shown_frame.strip_lamps == 3
    assert len(table.shown_frame.data) == (16 + 6) * 3


def test_turn_key_of_moving_side_is_lit():
    def make_hands(size, now):
        hands = SimulatedBoard(size, 1, now)
        hands._shown = SimulatedLamps(size, 1, keys=2)
        return hands

    table = Table(make_hands=make_hands).wait(1)
    light, dark = table.shown_frame.key_colours
    assert any(light)
    assert not any(dark)
    table.touch("b2").wait(3)
    light, dark = table.shown_frame.key_colours
    assert any(dark)
    assert not any(light)


class TestHints:
    def hinted(self, table):
        sights = table.session.view.cells
        return [cell for cell, sight in sights.items() if sight.role is CellRole.HINT]

    @pytest.mark.slow
    def test_lamps_and_touches_work_during_thinking(self):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.send(AskHint)
        shown = []
        table.companion.board.lamps.show = shown.append
        table.wait(30)
        assert len(shown) > 100
        assert (len(adviser.asked), table.session.messages) == (1, (Message("hint.thinking"),))
        adviser.answer("@b2")
        table.wait(0.1)
        assert self.hinted(table) == ["b2"]
        assert table.played == []
        table.wait(HINT_SECONDS)
        assert self.hinted(table) == []
        assert table.session.messages == (Message("prompt.buttons.place", side="light"),)

    def test_turn_cancels_pending_hint(self):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.send(AskHint)
        table.touch("c3")
        assert adviser.stopped == 1
        adviser.answer("@b2")
        table.wait(0.1)
        assert (self.hinted(table), table.played) == ([], ["@c3"])
        table.send(AskHint)
        adviser.answer("@a1", question=0)
        table.wait(0.1)
        assert (self.hinted(table), table.session.messages) == ([], (Message("hint.thinking"),))
        assert [len(game.turns) for game, _ in adviser.asked] == [0, 1]

    def test_second_hint_request_uses_the_latest_turn(self):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.send(AskHint)
        table.companion.put(TakeAction(Action.from_notation("@b2"), 0.0))
        table.send(AskHint)
        assert [len(game.turns) for game, _ in adviser.asked] == [0, 1]
        adviser.answer("@b2", question=0)
        adviser.answer("@c2", question=1)
        table.wait(0.1)
        assert self.hinted(table) == ["c2"]

    def test_hint_is_not_given_while_program_is_to_move(self):
        slow, adviser = ManualPlayer(), ManualAdviser()
        table = Table(dark=slow, adviser=adviser)
        table.touch("b2")
        table.send(AskHint)
        assert table.session.messages == (Message("seats.wait", side="dark", player="slow"),)
        assert (adviser.asked, table.session.hint) == ([], None)
        slow.answer("@c3")
        table.wait(PACE_SECONDS)
        table.send(AskHint)
        assert len(adviser.asked) == 1

    def test_hint_is_not_given_after_the_game(self):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.send(ResignGame)
        table.send(AskHint)
        resigned = Message("outcome.resignation", winner="dark", loser="light")
        assert (adviser.asked, table.session.messages) == ([], (Message("illegal.game_over"), resigned))

    def test_immediate_hint_is_shown_immediately(self):
        table = Table(adviser=ImmediateAdviser(500))
        table.touch("b2")
        table.send(AskHint)
        assert len(self.hinted(table)) == 1
        [cell] = self.hinted(table)
        assert table.session.messages[0] == Message("hint.place", side="dark", cell=cell)
        assert table.played == ["@b2"]

    def test_adviser_closes_with_companion(self):
        adviser = ManualAdviser()
        Table(adviser=adviser).companion.close()
        assert adviser.left

    @pytest.mark.slow
    def test_killed_adviser_is_replaced_without_leftovers(self, monkeypatch):
        monkeypatch.setattr("pond_hw.engine.hints.HINT_NODES", 2000)
        adviser = WorkerAdviser()
        table = Table(adviser=adviser)
        for _ in range(2):
            table.send(AskHint)
            assert table.session.messages == (Message("hint.thinking"),)
            give_up = monotonic() + 30
            while not self.hinted(table) and monotonic() < give_up:
                sleep(0.01)
                table.companion.step()
            assert len(self.hinted(table)) == 1
            table.touch("b2")
            os.kill(adviser.worker.pid, signal.SIGKILL)
        table.send(AskHint)
        table.companion.close()
        assert adviser.worker.pid is None

    def test_long_press_on_refused_cell_requests_hint(self):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.touch("b2")
        table.hands.press("b2")
        table.wait(LONG_PRESS_SECONDS - 0.1)
        assert adviser.asked == []
        table.wait(0.2)
        assert len(adviser.asked) == 1
        adviser.answer("@c3")
        table.wait(0.1)
        table.hands.release("b2")
        table.wait(LONG_PRESS_SECONDS)
        assert self.hinted(table) == ["c3"]
        assert (table.played, len(adviser.asked)) == (["@b2"], 1)

    @pytest.mark.parametrize("other_event", ["released", "another touch", "a turn is taken", "the game ends"])
    def test_long_press_with_other_event_requests_no_hint(self, other_event):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.touch("b2")
        table.hands.press("b2")
        table.wait(1)
        match other_event:
            case "released":
                table.hands.release("b2")
            case "another touch":
                table.touch("c3")
            case "a turn is taken":
                table.send(TakeAction, action=Action.from_notation("@d4"))
            case "the game ends":
                table.send(ResignGame)
        table.wait(2 * LONG_PRESS_SECONDS)
        assert adviser.asked == []
        assert bool(table.session.outcome) == (other_event == "the game ends")  # nor for another game

    def test_long_press_that_acts_requests_no_hint(self):
        adviser = ManualAdviser()
        table = Table(adviser=adviser)
        table.hands.press("b2")
        table.wait(2 * LONG_PRESS_SECONDS)
        assert (adviser.asked, table.played) == ([], ["@b2"])


def test_turn_key_ends_its_sides_turn():
    table = Table(pieces=PieceOptions()).send(ChangeSetting, setting=TURN_KEY, side=None, value=True)
    table.hands.drop("b2", LIGHT)
    assert table.wait(5.0).played == []
    for down in (True, False):
        table.companion.put(TurnKeyEvent(LIGHT, down, table.clock.now()))
    assert table.wait(0.1).played == ["@b2"]

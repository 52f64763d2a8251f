"""The one loop: fingers, commands and other players' answers enter by one queue, in real or simulated time."""

import os
import signal
import threading
from random import Random
from time import monotonic, sleep

import pytest

from pond_hw.board import BoardFault, HealthEvent
from pond_hw.companion import Companion, RealClock, SimulatedClock
from pond_hw.companion.lamp_display import SHOW_AGAIN_SECONDS
from pond_hw.companion.loop import PACE_SECONDS
from pond_hw.engine import make_player
from pond_hw.engine.hints import Advice, ImmediateAdviser, SubprocessAdviser
from pond_hw.lights import FRAME_SECONDS, LAMP_COUNTS, CurrentLimiter
from pond_hw.lights.render import DEVELOPED_SECONDS
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, EndReason, Outcome, Position, legal_actions, parse_variant
from pond_hw.session import (
    ActionValue,
    AgreeDraw,
    AskHint,
    BoardState,
    CellRole,
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
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.sensor_faults import parse_fault
from pond_hw.simulator.table import TableClock
from tests.conftest import first_now_rest_long
from tests.messages.says import ids
from tests.simulator.hands import HandTable, SimulatedHands
from tests.simulator.keys import press_key

LOST = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
DARK_LAMPS = Message("lamps.lost", text="no such device")


class Slow:
    """A player that answers only when the test says so, as one that searches for seconds would."""

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

    def answers(self, text, question=-1):
        self.asked[question][1](Action.from_notation(text))


class Pensive(Slow):
    """An adviser who answers only when the test says so."""

    request_advice = Slow.request_action

    def answers(self, text, question=-1):
        self.asked[question][1](Advice(Action.from_notation(text), ActionValue(1.0)))


class Evening:
    """A companion on a simulated board in simulated time."""

    def __init__(self, light=None, dark=None, pond="standard", adviser=None):
        self.clock = SimulatedClock()
        self.hands = SimulatedBoard(parse_variant(pond).size, 4, self.clock.now)
        self.companion = Companion(
            self.hands.to_board(),
            Session.start_game(parse_variant(pond)),
            self.clock,
            players=(light, dark),
            adviser=adviser,
        )
        self.companion.step()

    @property
    def session(self):
        return self.companion.session

    @property
    def played(self):
        return [str(turn.action) for turn in self.session.turns]

    def touch(self, cell):
        self.hands.touch(cell)
        self.companion.step()

    def says(self, event, **fields):
        self.companion.put(event(instant=self.clock.now(), **fields))
        self.companion.step()

    def passes(self, seconds):
        self.companion.run_until(self.clock.now() + seconds)


def test_a_finger_becomes_a_turn_and_the_lamps_show_it():
    evening = Evening()
    evening.touch("b2")
    evening.passes(2)
    assert evening.played == ["@b2"]
    assert any(max(lamp) > 0 for lamp in evening.hands.to_board().lamps.frame["b2"])
    assert evening.hands.to_board().lamps.frame["b2"] != evening.hands.to_board().lamps.frame["d4"]


@pytest.mark.parametrize(
    "lamps", first_now_rest_long(sorted(LAMP_COUNTS, key=lambda lamps: lamps not in (1, 4, 64)), 3)
)
def test_cells_of_any_number_of_lamps_have_the_current_to_be_seen(lamps):
    clock = SimulatedClock()
    hands = SimulatedBoard(5, lamps, clock.now)
    companion = Companion(hands.to_board(), Session.start_game(parse_variant("big")), clock)
    hands.touch("c3")
    companion.run_until(3.0)
    assert max(map(max, hands.to_board().lamps.frame["c3"])) >= 40
    assert companion.limiter.estimate_current(hands.to_board().lamps.frame) <= companion.limiter.budget


def test_the_first_frame_comes_with_the_first_step():
    shown = []
    evening = Evening()
    evening.companion.board.lamps.show = shown.append
    evening.touch("b2")
    assert len(shown) == 1


def test_every_press_on_a_refused_cell_is_answered_by_a_new_frame():
    evening = Evening()
    evening.touch("b2")
    evening.passes(3.0)
    for _ in range(12):
        before = evening.companion.frame
        evening.touch("b2")
        assert evening.companion.frame["b2"] != before["b2"]
        evening.passes(0.09)


@pytest.mark.slow
def test_at_rest_lamps_are_told_again_a_few_times_a_second_and_drawn_only_while_something_moves():
    evening = Evening()
    evening.passes(1.0)
    shown, drawn = [], evening.companion.display.drawn_count
    evening.companion.board.lamps.show = shown.append
    evening.passes(4.0)  # in which light's open water goes once, and comes back
    assert evening.companion.display.drawn_count - drawn < 30
    assert len(set(shown)) > 4
    evening.passes(60.0)
    assert len(shown) < 64 * (30 / 4 + 1 / SHOW_AGAIN_SECONDS)


def test_a_game_that_nobody_goes_on_with_is_drawn_as_often_as_its_patterns_move_and_a_turn_frame_by_frame():
    evening = Evening()
    evening.passes(1.0)
    before = evening.companion.display.drawn_count
    for cell in ("b2", "c3", "c2"):
        evening.touch(cell)
    evening.passes(DEVELOPED_SECONDS)
    assert evening.companion.display.drawn_count - before >= DEVELOPED_SECONDS / FRAME_SECONDS


def test_lamps_that_may_draw_less_from_now_on_do_so_at_once():
    evening = Evening()
    evening.passes(5.0)
    evening.companion.display.limiter = CurrentLimiter(budget=66)
    evening.passes(0.0)
    assert evening.companion.limiter.estimate_current(evening.companion.frame) <= 66


def test_another_player_answers_after_its_pace_and_not_before():
    evening = Evening(dark=make_player("greedy", 1))
    evening.passes(1)
    evening.touch("b2")
    evening.passes(PACE_SECONDS - 0.1)
    assert evening.played == ["@b2"]
    evening.passes(0.2)
    assert len(evening.played) == 2


@pytest.mark.slow
def test_two_players_play_to_the_end_by_themselves():
    evening = Evening(make_player("random", 1), make_player("greedy", 2))
    for _ in range(200):
        if not evening.session.outcome:
            evening.passes(PACE_SECONDS)
    assert evening.session.outcome


def test_a_player_that_thinks_for_long_stops_neither_lamps_nor_fingers():
    slow = Slow()
    evening = Evening(dark=slow)
    evening.touch("b2")
    shown = []
    evening.companion.board.lamps.show = shown.append
    evening.passes(30)
    assert len(shown) > 100
    evening.touch("c3")
    assert evening.session.messages == (Message("seats.wait", side="dark", player="slow"),)
    slow.answers("@c3")
    evening.passes(0.1)
    assert evening.played == ["@b2", "@c3"]


def test_an_answer_may_come_from_another_thread():
    slow = Slow()
    evening = Evening(dark=slow)
    evening.touch("b2")
    thread = threading.Thread(target=slow.answers, args=("@c3",))
    thread.start()
    thread.join()
    evening.passes(PACE_SECONDS)
    assert evening.played == ["@b2", "@c3"]


def test_a_player_is_asked_once_a_turn_and_gets_the_whole_game():
    slow = Slow()
    evening = Evening(dark=slow)
    evening.touch("b2")
    evening.passes(5)
    assert len(slow.asked) == 1
    game = slow.asked[0][0]
    assert game.position == evening.session.position
    assert [str(turn.action) for turn in game.turns] == ["@b2"]


@pytest.mark.parametrize(
    "event",
    [(UndoTurns, {}), (NewGame, {"variant": parse_variant("mini")}), (ResignGame, {})],
    ids=["undo", "new game", "resign"],
)
def test_an_answer_to_a_game_that_is_gone_counts_for_nothing(event):
    slow = Slow()
    evening = Evening(dark=slow)
    evening.touch("b2")
    evening.says(event[0], **event[1])
    assert slow.stopped == 1
    before = evening.session
    slow.answers("@c3", question=0)
    evening.passes(5)
    assert evening.session is before


def test_a_player_is_asked_again_when_a_game_without_turns_becomes_another_one():
    slow = Slow()
    evening = Evening(light=slow)
    start = Position.from_notation("..../.e../.T../.... l 12 12 0 0")
    evening.says(SetUpGame, position=start)
    assert (len(slow.asked), slow.stopped) == (2, 1)
    assert slow.asked[-1][0].position == start


def test_undo_against_another_player_goes_back_to_the_persons_turn():
    evening = Evening(dark=make_player("random", 3))
    evening.touch("b2")
    evening.passes(3)
    assert len(evening.played) == 2
    evening.says(UndoTurns)
    assert evening.played == []
    evening.says(RedoTurns)
    assert len(evening.played) == 2


def test_second_undo_of_the_same_turn_is_refused_against_another_player_too():
    evening = Evening(dark=make_player("random", 3))
    for cell in ("b2", "c4"):
        evening.touch(cell)
        evening.passes(3)
    assert len(evening.played) == 4
    evening.says(UndoTurns, number=4)
    evening.says(UndoTurns, number=4)
    assert len(evening.played) == 2


def test_undo_while_the_other_player_thinks_takes_the_own_turn_back():
    slow = Slow()
    evening = Evening(dark=slow)
    evening.touch("b2")
    evening.says(UndoTurns)
    assert evening.played == []
    evening.touch("c3")
    assert evening.played == ["@c3"]
    assert len(slow.asked) == 2


def test_when_the_other_player_begins_undo_stops_before_its_first_action_is_asked_again():
    evening = Evening(light=make_player("random", 3))
    evening.passes(0.1)
    assert len(evening.played) == 1
    cell = evening.session.allowed_actions[0].target
    evening.touch(cell)
    evening.passes(3)
    assert len(evening.played) == 3
    evening.says(UndoTurns)
    assert len(evening.played) == 1


def test_a_person_resigns_for_their_own_side_even_out_of_turn():
    evening = Evening(dark=Slow())
    evening.touch("b2")
    evening.says(ResignGame)
    assert evening.session.outcome == Outcome(DARK, EndReason.RESIGNATION)


def test_another_player_agrees_to_a_draw_only_after_a_threefold_repetition():
    evening = Evening(dark=Slow())
    evening.says(AgreeDraw)
    assert evening.session.outcome is None
    assert evening.session.messages == (Message("seats.no_draw", players=("slow",), count=1),)

    two_people = Evening()
    two_people.says(AgreeDraw)
    assert two_people.session.outcome == Outcome(None, EndReason.AGREEMENT)


def test_a_person_cannot_act_for_another_player():
    evening = Evening(light=Slow())
    evening.says(TakeAction, action=Action.from_notation("@a1"))
    assert evening.played == []


def test_closing_leaves_the_lamps_dark_and_nobody_thinking():
    slow = Slow()
    evening = Evening(dark=slow)
    evening.touch("b2")
    evening.companion.close()
    assert slow.stopped == 1
    assert slow.left
    assert not any(evening.hands.to_board().lamps.frame.data)
    evening.hands.touch("c3")  # nobody listens any more
    evening.companion.step()
    assert evening.played == ["@b2"]


def test_real_time_runs_the_same_code():
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
def test_a_whole_game_pressed_on_buttons_ends_as_the_rules_say():
    """Two people who press whatever is legal: every action is understood as itself."""
    evening, chance, meant = Evening(pond="big"), Random(4), []
    while evening.session.outcome is None:
        action = chance.choice(legal_actions(evening.session.position))
        meant.append(str(action))
        if action.source:
            evening.touch(action.source)
        evening.touch(action.target)
        evening.passes(0.3)
    assert evening.played == meant


class TestTheKeyBesideTheCells:
    def test_pressed_it_takes_a_turn_back(self):
        evening = Evening()
        evening.touch("b2")
        press_key(evening.hands, down=True)
        evening.passes(0.3)
        assert evening.played == ["@b2"]  # it may yet be held
        press_key(evening.hands, down=False)
        evening.passes(0.1)
        assert evening.played == []

    def test_held_for_two_seconds_it_begins_the_same_pond_again(self):
        evening = Evening(pond="mini")
        evening.touch("b2")
        press_key(evening.hands, down=True)
        evening.passes(LONG_PRESS_SECONDS - 0.05)
        assert evening.played == ["@b2"]
        evening.passes(0.1)
        assert evening.played == []
        assert evening.session.variant == parse_variant("mini")
        press_key(evening.hands, down=False)
        evening.passes(5)
        assert "undo.nothing" not in ids(evening.session.messages)

    def test_a_key_that_only_comes_up_means_nothing(self):
        evening = Evening()
        evening.touch("b2")
        press_key(evening.hands, down=False)
        evening.passes(0.1)
        assert evening.played == ["@b2"]


class TestAFingerThatStays:
    def test_when_the_game_is_over_it_begins_another(self):
        evening = Evening()
        evening.touch("b2")
        evening.says(ResignGame)
        evening.hands.press("c3")
        evening.passes(LONG_PRESS_SECONDS - 0.05)
        assert evening.session.outcome
        evening.passes(0.1)
        assert evening.session.outcome is None
        assert evening.played == []

    def test_the_finger_that_ended_the_game_does_not(self):
        evening = Evening(pond="3x3/5/1")
        for cell in ("c2", "c1", "b2"):
            evening.touch(cell)
        evening.hands.press("c3")
        evening.passes(0.1)
        assert evening.session.outcome
        evening.passes(30)
        assert evening.session.outcome

    def test_while_the_game_goes_on_it_means_nothing(self):
        evening = Evening()
        evening.hands.press("b2")
        evening.passes(30)
        assert evening.played == ["@b2"]

    def test_who_takes_the_end_back_and_keeps_the_finger_down_goes_on_playing(self):
        evening = Evening()
        evening.touch("b2")
        evening.says(ResignGame)
        evening.hands.press("c3")
        evening.passes(1)
        evening.says(UndoTurns)
        evening.passes(30)
        assert evening.played == ["@b2"]


class Afternoon:
    """A companion on a simulated table with pieces, in simulated time; the table is what hands are at."""

    def __init__(self, light=None, dark=None, pond="standard", *, standing=(), faults=(), colours=False, seed=7):
        self.clock = TableClock()
        size = parse_variant(pond).size
        faults = [parse_fault(fault, size) for fault in faults]
        self.table = HandTable(size, 4, self.clock.now, colours=colours, faults=faults, seed=seed)
        self.clock.table = self.table
        for cell in standing:
            self.table.drop(cell, LIGHT)
        wood = BoardState().after_wakeup(self.clock.now())
        session = Session.start_game(parse_variant(pond), board_state=wood)
        self.companion = Companion(self.table.to_board(), session, self.clock, players=(light, dark))
        self.hands = SimulatedHands(self.table, Random(seed))
        self.passes(2)  # what stands there already has been felt by then

    @property
    def session(self):
        return self.companion.session

    @property
    def played(self):
        return [str(turn.action) for turn in self.session.turns]

    def shown(self, role):
        return [cell for cell, sight in self.session.view.cells.items() if sight.role is role]

    def passes(self, seconds):
        self.companion.run_until(self.clock.now() + seconds)

    def after(self, motion):
        """Wait until a hand has done what it does, and a breath longer."""
        self.companion.run_until(motion.ends_at + 0.6)
        assert motion.is_done

    def does(self, action):
        """A person does that by hand, and then all that the lamps ask for."""
        source, target = Action.from_notation(action)
        side = self.session.position.to_move
        self.after(self.hands.move(source, target) if source else self.hands.place(target, side))
        self.tidies_up()

    def tidies_up(self):
        """Somebody takes off what has scored and turns over what has developed."""
        wood = self.session.board_state
        for cell in sorted(wood.tasks.to_remove):
            self.after(self.hands.take_off(cell))
        for cell in sorted(wood.tasks.cells_to_flip):
            self.after(self.hands.turn_face(cell))

    def follows(self):
        """Somebody sets what has fallen upright, and does what the lamps ask until they ask for nothing."""
        for cell, token in self.table.standing_pieces.items():
            if any(abs(place - round(place)) > 0.2 for place in (token.x, token.y)):  # it lies between two cells
                self.after(self.hands.pick_up(cell))
                self.after(self.hands.put_down(cell))
        for _ in range(40):
            off = [
                cell for cell in self.shown(CellRole.TAKE_OFF) if cell not in self.session.board_state.tasks.to_remove
            ]
            put = self.shown(CellRole.PUT)
            if off and put:
                self.after(self.hands.move(off[0], put[0]))
            elif off:
                self.after(self.hands.take_off(off[0]))
            elif put:
                self.after(self.hands.place(put[0], self.session.view.cells[put[0]].piece.owner))
            else:
                break
        self.tidies_up()

    def agrees(self):
        """Whether the pieces stand where the game says."""
        return self.table.standing_pieces.keys() == self.session.position.pieces.keys()


class TestPieces:
    def test_are_played_with_by_hands_that_take_their_time(self):
        afternoon = Afternoon()
        for action in ("@b2", "@b3", "b2c2"):
            afternoon.does(action)
        assert afternoon.played == ["@b2", "@b3", "b2c2"]
        assert afternoon.agrees()

    def test_the_lamps_show_what_a_lifted_piece_may_do(self):
        afternoon = Afternoon()
        for action in ("@b2", "@b3"):
            afternoon.does(action)
        before = afternoon.table.to_board().lamps.frame
        afternoon.after(afternoon.hands.pick_up("b2"))
        afternoon.passes(0.3)
        assert afternoon.session.game_phase == "in_hand"
        assert afternoon.table.to_board().lamps.frame["c2"] != before["c2"]

    def test_what_is_certain_is_lit_no_later_than_it_has_settled(self):
        afternoon = Afternoon()
        afternoon.table.drop("b2", LIGHT)
        began = afternoon.clock.now()
        afternoon.passes(0.2499)
        assert afternoon.played == []
        dark = afternoon.table.to_board().lamps.frame["b2"]
        afternoon.passes(0.0002)
        assert afternoon.played == ["@b2"]
        assert afternoon.session.changed_at == pytest.approx(began + 0.25)
        assert afternoon.table.to_board().lamps.frame["b2"] != dark

    @pytest.mark.slow
    @pytest.mark.parametrize("faults", [("bounce", "dropout"), pytest.param((), marks=pytest.mark.long)], ids=str)
    @pytest.mark.parametrize("colours", [False, True], ids=["on/off", "owners told"])
    def test_a_game_by_hand_is_understood_also_with_sensors_that_are_no_better_than_they_are(self, faults, colours):
        afternoon, chance, meant = Afternoon(faults=faults, colours=colours), Random(5), []
        while len(meant) < 12 and not afternoon.session.is_over:
            action = str(chance.choice(afternoon.session.allowed_actions))
            meant.append(action)
            afternoon.does(action)
            if afternoon.session.game_phase == "differs":
                afternoon.passes(3)  # what is announced counts by then
                afternoon.tidies_up()
            assert afternoon.played == meant, afternoon.session.messages
        assert afternoon.agrees()

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", first_now_rest_long(range(4)))
    def test_a_sleeve_and_a_clumsy_elbow_are_mended_by_following_the_lamps(self, seed):
        afternoon = Afternoon(seed=seed)
        for action in ("@b2", "@b3", "@d2", "@a1", "@c4"):
            afternoon.does(action)
        played = afternoon.played
        afternoon.after(afternoon.hands.sweep(["b2", "d2", "b3", "c4"]))
        afternoon.after(afternoon.hands.knock_over("a1", off=True))
        afternoon.passes(1)
        assert afternoon.played == played
        assert afternoon.session.game_phase == "differs"
        afternoon.follows()
        assert afternoon.played == played
        assert afternoon.session.game_phase in ("act", "take_off")


class TestPiecesAgainstAProgram:
    def answered(self):
        """A person has placed an egg, and a program has answered: nobody has moved its piece yet."""
        slow = Slow()
        afternoon = Afternoon(dark=slow)
        afternoon.does("@b2")
        slow.answers("@b3")
        afternoon.passes(PACE_SECONDS)
        return afternoon

    def test_its_pieces_are_moved_as_the_lamps_say(self):
        afternoon = self.answered()
        assert afternoon.played == ["@b2", "@b3"]
        assert (afternoon.session.game_phase, afternoon.shown(CellRole.PUT)) == ("differs", ["b3"])
        assert Message("repair.put.egg", cell="b3", side="dark") in afternoon.session.messages
        afternoon.follows()
        assert (afternoon.session.game_phase, afternoon.agrees()) == ("act", True)

    def test_whoever_goes_on_as_soon_as_its_piece_stands_is_understood(self):
        afternoon = self.answered()
        placed = afternoon.hands.place("b3", DARK, slide=False)
        afternoon.companion.run_until(placed.ends_at)
        reply = SimulatedHands(afternoon.table, Random(1)).place("d4", LIGHT, slide=False)
        afternoon.after(reply)
        assert afternoon.played == ["@b2", "@b3", "@d4"]

    def test_its_piece_is_not_carried_out_as_ones_own(self):
        afternoon = self.answered()
        afternoon.after(afternoon.hands.place("c3", LIGHT))
        assert afternoon.played == ["@b2", "@b3"]
        assert afternoon.session.game_phase == "differs"
        afternoon.follows()
        assert afternoon.agrees()

    def test_while_it_thinks_nobody_acts_for_it(self):
        slow = Slow()
        afternoon = Afternoon(dark=slow)
        afternoon.does("@b2")
        afternoon.after(afternoon.hands.place("c3", LIGHT))
        assert afternoon.played == ["@b2"]
        assert afternoon.session.game_phase == "differs"
        afternoon.follows()
        slow.answers("@c3")
        afternoon.passes(PACE_SECONDS)
        assert afternoon.played == ["@b2", "@c3"]

    def test_ones_own_turn_goes_back_by_hand_while_it_thinks(self):
        slow = Slow()
        afternoon = Afternoon(dark=slow)
        afternoon.does("@b2")
        afternoon.after(afternoon.hands.take_off("b2"))
        afternoon.passes(3)
        assert afternoon.played == []
        assert slow.stopped == 1

    @pytest.mark.slow
    def test_a_whole_game_is_played_to_its_end(self):
        afternoon, chance = Afternoon(dark=make_player("greedy", 3), pond="3x3/9/5"), Random(2)
        for _ in range(60):
            if afternoon.session.is_over:
                break
            assert afternoon.agrees(), afternoon.session.messages
            afternoon.does(str(chance.choice(afternoon.session.allowed_actions)))
            afternoon.passes(PACE_SECONDS + 3)
            afternoon.follows()
        assert afternoon.session.outcome


class TestPiecesThatStandAlready:
    def test_are_no_turns_when_the_board_is_opened(self):
        afternoon = Afternoon(standing=("b2", "c3"))
        afternoon.passes(5)
        assert (afternoon.played, afternoon.session.game_phase) == ([], "differs")
        assert Message("mismatch.extra", cells=("b2", "c3"), count=2) in afternoon.session.messages
        afternoon.follows()
        assert afternoon.session.game_phase == "act"
        afternoon.does("@b2")
        assert afternoon.played == ["@b2"]

    def test_nor_those_that_have_come_while_it_was_not_felt(self):
        afternoon = Afternoon()
        afternoon.does("@a1")
        afternoon.companion.put(HealthEvent(LOST, afternoon.clock.now()))
        afternoon.passes(1)
        afternoon.table.drop("b2", DARK)
        afternoon.companion.put(HealthEvent(None, afternoon.clock.now()))
        afternoon.passes(5)
        assert (afternoon.played, afternoon.session.game_phase) == (["@a1"], "differs")
        afternoon.after(afternoon.hands.pick_up("b2"))
        afternoon.after(afternoon.hands.put_down("b2"))
        assert afternoon.played == ["@a1", "@b2"]

    def test_a_piece_in_a_hand_when_the_sensors_were_lost_still_is(self):
        afternoon = Afternoon()
        for action in ("@b2", "@b3"):
            afternoon.does(action)
        afternoon.after(afternoon.hands.pick_up("b2"))
        for trouble in (LOST, None):
            afternoon.companion.put(HealthEvent(trouble, afternoon.clock.now()))
            afternoon.passes(2)
        assert afternoon.session.in_hand == "b2"
        afternoon.after(afternoon.hands.put_down("c2"))
        assert afternoon.played == ["@b2", "@b3", "b2c2"]

    def test_a_finger_that_stays_on_a_cell_begins_no_other_game(self):
        afternoon = Afternoon()
        afternoon.does("@b2")
        afternoon.companion.put(ResignGame(afternoon.clock.now()))
        afternoon.after(afternoon.hands.place("c3", DARK))
        afternoon.passes(10)
        assert afternoon.session.outcome
        assert afternoon.played == ["@b2"]


class TestABoardInTrouble:
    def test_it_says_so_and_plays_nothing_until_it_is_back(self):
        evening = Evening()
        evening.touch("b2")
        evening.companion.put(HealthEvent(LOST, 1.0))
        evening.companion.step()
        assert evening.session.messages == (LOST,)
        evening.says(TakeAction, action=Action.from_notation("@c3"))
        evening.says(UndoTurns)
        evening.touch("d4")
        assert evening.played == ["@b2"]
        assert evening.session.messages == (LOST,)
        evening.companion.put(HealthEvent(None, 9.0))
        evening.companion.step()
        assert evening.session.messages == (
            Message("trouble.over"),
            Message("prompt.buttons.place", side="dark"),
        )
        evening.touch("d4")
        assert evening.played == ["@b2", "@d4"]

    def test_a_piece_that_was_chosen_still_is_afterwards(self):
        evening = Evening()
        for cell in ("b2", "b3", "b2"):
            evening.touch(cell)
        assert evening.session.selected_cell == "b2"
        for trouble in (LOST, None):
            evening.companion.put(HealthEvent(trouble, 1.0))
        evening.touch("c2")
        assert evening.played == ["@b2", "@b3", "b2c2"]

    def test_a_finger_on_the_key_is_forgotten(self):
        evening = Evening()
        evening.touch("b2")
        press_key(evening.hands, down=True)
        for trouble in (LOST, None):
            evening.companion.put(HealthEvent(trouble, 1.0))
        evening.passes(30)
        assert evening.played == ["@b2"]

    def test_lamps_that_are_not_reached_are_trouble_too_and_heal(self, monkeypatch):
        evening = Evening()
        lamps = evening.companion.board.lamps

        def refuse(frame):
            raise BoardFault(DARK_LAMPS)

        with monkeypatch.context() as gone:
            gone.setattr(lamps, "show", refuse)
            evening.passes(1)
            evening.touch("b2")
            assert evening.session.messages == (DARK_LAMPS,)
            assert evening.played == []
        evening.passes(1)
        evening.touch("b2")
        assert evening.played == ["@b2"]

    def test_with_two_troubles_the_second_is_told_when_the_first_is_over(self, monkeypatch):
        evening = Evening()
        evening.companion.put(HealthEvent(LOST, 1.0))
        evening.companion.step()

        def refuse(frame):
            raise BoardFault(DARK_LAMPS)

        monkeypatch.setattr(evening.companion.board.lamps, "show", refuse)
        evening.passes(1)
        assert evening.session.trouble == LOST
        evening.companion.put(HealthEvent(None, 3.0))
        evening.companion.step()
        assert evening.session.trouble == DARK_LAMPS

    def test_another_players_answer_waits_until_it_is_over(self, monkeypatch):
        evening = Evening(dark=make_player("greedy", 1))
        evening.touch("b2")
        evening.companion.put(HealthEvent(LOST, 0.1))
        evening.companion.step()
        told, steps, step = evening.session, [], evening.companion.step

        def counted():
            steps.append(1)
            assert len(steps) <= 10 / FRAME_SECONDS + 10, "it goes round and round"
            return step()

        monkeypatch.setattr(evening.companion, "step", counted)
        evening.passes(10)
        assert evening.session is told
        evening.companion.put(HealthEvent(None, 10.0))
        evening.passes(0.1)
        assert len(evening.played) == 2

    def test_a_board_that_cannot_be_opened_comes_through(self):
        hands = SimulatedBoard(4, 1, lambda: 0.0)
        board = hands.to_board()

        def refuse():
            raise BoardFault(DARK_LAMPS)

        board.lamps.open = refuse
        with pytest.raises(BoardFault, check=lambda fault: fault.message == DARK_LAMPS):
            Companion(board, Session.start_game(parse_variant("mini")), SimulatedClock())


def test_the_profiles_limit_is_kept_and_another_counts_at_once():
    clock = SimulatedClock()
    hands = SimulatedBoard(4, 4, clock.now)
    limiter = CurrentLimiter(budget=200, slew=50)
    companion = Companion(hands.to_board(), Session.start_game(parse_variant("standard")), clock, limiter=limiter)
    for cell in ("b2", "c3", "a1", "d4"):
        hands.touch(cell)
    companion.run_until(3)
    bright = limiter.estimate_current(hands.to_board().lamps.frame)
    assert 100 < bright <= 200
    companion.display.limiter = CurrentLimiter(budget=100, slew=50)
    companion.run_until(6)
    assert limiter.estimate_current(hands.to_board().lamps.frame) <= 100


def test_the_score_strips_are_lit_too():
    clock = SimulatedClock()
    hands = SimulatedBoard(4, 1, clock.now, strip=3)
    companion = Companion(hands.to_board(), Session.start_game(parse_variant("standard")), clock)
    companion.run_until(1)
    assert hands.to_board().lamps.frame.strip_lamps == 3
    assert len(hands.to_board().lamps.frame.data) == (16 + 6) * 3


class TestHints:
    """Somebody who looks ahead is asked what to do; nobody has to wait, and nothing is done by it."""

    def hinted(self, evening):
        sights = evening.session.view.cells
        return [cell for cell, sight in sights.items() if sight.role is CellRole.HINT]

    @pytest.mark.slow
    def test_lamps_and_fingers_go_on_while_it_is_thought_about(self):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.says(AskHint)
        shown = []
        evening.companion.board.lamps.show = shown.append
        evening.passes(30)
        assert len(shown) > 100
        assert (len(pensive.asked), evening.session.messages) == (1, (Message("hint.thinking"),))
        pensive.answers("@b2")
        evening.passes(0.1)
        assert self.hinted(evening) == ["b2"]
        assert evening.played == []
        evening.passes(HINT_SECONDS)
        assert self.hinted(evening) == []
        assert evening.session.messages == (Message("prompt.buttons.place", side="light"),)

    def test_a_turn_ends_the_thought_and_what_was_thought_is_not_shown(self):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.says(AskHint)
        evening.touch("c3")
        assert pensive.stopped == 1
        pensive.answers("@b2")
        evening.passes(0.1)
        assert (self.hinted(evening), evening.played) == ([], ["@c3"])
        evening.says(AskHint)
        pensive.answers("@a1", question=0)
        evening.passes(0.1)
        assert (self.hinted(evening), evening.session.messages) == ([], (Message("hint.thinking"),))
        assert [len(game.turns) for game, _ in pensive.asked] == [0, 1]

    def test_who_asks_takes_a_turn_and_asks_again_in_one_moment_is_told_of_what_is_now(self):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.says(AskHint)
        evening.companion.put(TakeAction(Action.from_notation("@b2"), 0.0))
        evening.says(AskHint)
        assert [len(game.turns) for game, _ in pensive.asked] == [0, 1]
        pensive.answers("@b2", question=0)
        pensive.answers("@c2", question=1)
        evening.passes(0.1)
        assert self.hinted(evening) == ["c2"]

    def test_there_is_none_while_a_program_is_to_move(self):
        slow, pensive = Slow(), Pensive()
        evening = Evening(dark=slow, adviser=pensive)
        evening.touch("b2")
        evening.says(AskHint)
        assert evening.session.messages == (Message("seats.wait", side="dark", player="slow"),)
        assert (pensive.asked, evening.session.hint) == ([], None)
        slow.answers("@c3")
        evening.passes(PACE_SECONDS)
        evening.says(AskHint)
        assert len(pensive.asked) == 1

    def test_there_is_none_when_the_game_is_over(self):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.says(ResignGame)
        evening.says(AskHint)
        resigned = Message("outcome.resignation", winner="dark", loser="light")
        assert (pensive.asked, evening.session.messages) == ([], (Message("illegal.game_over"), resigned))

    def test_one_that_is_known_at_once_is_there_at_once(self):
        evening = Evening(adviser=ImmediateAdviser(500))
        evening.touch("b2")
        evening.says(AskHint)
        assert len(self.hinted(evening)) == 1
        [cell] = self.hinted(evening)
        assert evening.session.messages[0] == Message("hint.place", side="dark", cell=cell)
        assert evening.played == ["@b2"]

    def test_the_adviser_leaves_with_the_companion(self):
        pensive = Pensive()
        Evening(adviser=pensive).companion.close()
        assert pensive.left

    @pytest.mark.slow
    def test_a_killed_adviser_is_replaced_and_nobody_is_left_behind(self, monkeypatch):
        monkeypatch.setattr("pond_hw.engine.hints.HINT_NODES", 2000)
        adviser = SubprocessAdviser()
        evening = Evening(adviser=adviser)
        for _ in range(2):
            evening.says(AskHint)
            assert evening.session.messages == (Message("hint.thinking"),)
            give_up = monotonic() + 30
            while not self.hinted(evening) and monotonic() < give_up:
                sleep(0.01)
                evening.companion.step()
            assert len(self.hinted(evening)) == 1
            evening.touch("b2")
            os.kill(adviser.pid, signal.SIGKILL)
        evening.says(AskHint)
        evening.companion.close()
        assert adviser.pid is None

    def test_a_finger_that_was_refused_and_stays_asks_for_one(self):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.touch("b2")
        evening.hands.press("b2")
        evening.passes(LONG_PRESS_SECONDS - 0.1)
        assert pensive.asked == []
        evening.passes(0.2)
        assert len(pensive.asked) == 1
        pensive.answers("@c3")
        evening.passes(0.1)
        evening.hands.release("b2")
        evening.passes(LONG_PRESS_SECONDS)
        assert self.hinted(evening) == ["c3"]
        assert (evening.played, len(pensive.asked)) == (["@b2"], 1)

    @pytest.mark.parametrize("meanwhile", ["it leaves", "another comes", "a turn is taken", "the game ends"])
    def test_a_finger_that_was_refused_and_does_not_stay_alone_asks_for_nothing(self, meanwhile):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.touch("b2")
        evening.hands.press("b2")
        evening.passes(1)
        match meanwhile:
            case "it leaves":
                evening.hands.release("b2")
            case "another comes":
                evening.touch("c3")
            case "a turn is taken":
                evening.says(TakeAction, action=Action.from_notation("@d4"))
            case "the game ends":
                evening.says(ResignGame)
        evening.passes(2 * LONG_PRESS_SECONDS)
        assert pensive.asked == []
        assert bool(evening.session.outcome) == (meanwhile == "the game ends")  # nor for another game

    def test_a_finger_that_stays_where_it_took_a_turn_asks_for_nothing(self):
        pensive = Pensive()
        evening = Evening(adviser=pensive)
        evening.hands.press("b2")
        evening.passes(2 * LONG_PRESS_SECONDS)
        assert (pensive.asked, evening.played) == ([], ["@b2"])

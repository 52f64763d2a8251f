"""Compute, write, adopt, show: what a board shows is on the card, or it says that it is not."""

from pathlib import Path

import pytest

from pond_hw.board import HealthEvent
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.companion.loop import SLOW_WRITE_SECONDS
from pond_hw.companion.saved_games import open_with_resume_prompt, place_resumed_pieces
from pond_hw.engine import SeatedPlayers, make_player
from pond_hw.journal import Timestamp, WriteProgress
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.stored_game import JournalEntry, format_events
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import STANDARD, VARIANTS, Action
from pond_hw.session import BoardState, ConfirmationState, NewGame, ResignGame, Session, TakeAction, UndoTurns
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.table import SimulatedTable, TableClock
from tests.messages.says import text

FULL = Message("saving.disk_full")


class Card:
    """A journal as the companion knows it, whose card writes when the test says so."""

    unfinished_game = trouble = None

    def __init__(self):
        self.noted, self.remarks = [], []
        self.retried = 0
        self.closed = False

    def set_listener(self, tell):
        self.tell = tell

    def record_step(self, session):
        if not session.game_events:
            return None
        self.noted.append(tuple(format_events(session.game_events)))
        return len(self.noted)

    def writes(self, ticket=None, trouble=None):
        self.tell(WriteProgress(len(self.noted) if ticket is None else ticket, trouble))

    def write_remark(self, sentence):
        self.remarks.append(sentence)

    def retry_writing(self):
        self.retried += 1

    def close(self):
        self.closed = True


class Evening:
    """A table with buttons, in simulated time, and its card."""

    def __init__(self, players=(None, None)):
        self.clock, self.card = SimulatedClock(), Card()
        self.hands = SimulatedBoard(4, 4, self.clock.now)
        start = Session.start_game(STANDARD)
        self.companion = Companion(self.hands.to_board(), start, self.clock, players, journal=self.card)
        self.companion.step()

    def press(self, *cells):
        for cell in cells:
            self.hands.touch(cell)
            self.companion.step()
        return self

    def wait(self, seconds):
        self.companion.run_until(self.clock.now() + seconds)
        return self

    def written(self, *ticket, **trouble):
        self.card.writes(*ticket, **trouble)
        self.companion.step()
        return self

    @property
    def session(self):
        return self.companion.session

    @property
    def played(self):
        return [str(turn.action) for turn in self.session.turns]


class TestASlowCard:
    def test_nothing_of_a_turn_is_seen_before_it_is_on_the_card(self):
        table, shown = Evening().wait(1.0), None
        shown = table.companion.frame.colours_by_cell["b2"]
        table.press("b2").wait(1.0)
        assert (table.played, table.companion.frame.colours_by_cell["b2"]) == ([], shown)
        table.written().wait(0.5)
        assert table.played == ["@b2"]
        assert table.companion.frame.colours_by_cell["b2"] != shown

    def test_the_lamps_go_on_meanwhile(self):
        table = Evening().press("b2")
        before = table.companion.display.shown_count
        table.wait(2.0)
        assert table.companion.display.shown_count - before >= 8

    def test_whoever_presses_meanwhile_acts_after_what_is_not_seen_yet(self):
        table = Evening().press("b2", "b3", "d4")
        assert (table.played, table.card.noted[-1]) == ([], (JournalEntry("act", "@d4"),))
        assert table.written(1).played == ["@b2"]
        assert table.written(3).played == ["@b2", "@b3", "@d4"]

    def test_after_three_seconds_the_game_goes_on_in_memory_and_says_so(self):
        table = Evening().press("b2").wait(SLOW_WRITE_SECONDS - 0.1)
        assert (table.played, table.session.unsaved_reason) == ([], None)
        table.wait(0.2)
        assert (table.played, table.session.unsaved_reason) == (["@b2"], Message("saving.slow"))
        table.press("b3")
        assert (table.played, table.session.unsaved_reason) == (["@b2", "@b3"], Message("saving.slow"))
        assert table.written(1).session.unsaved_reason == Message("saving.slow")  # there is one more
        assert table.written(2).session.unsaved_reason is None

    def test_a_program_thinks_about_what_is_on_the_card_only(self):
        table = Evening((None, make_player("greedy", 1))).press("b2").wait(2.0)
        assert len(table.card.noted) == 1
        table.written().wait(2.5)
        assert len(table.card.noted) == 2
        assert len(table.played) == 1
        assert len(table.written().played) == 2

    def test_taking_back_waits_for_the_card_too(self):
        table = Evening().press("b2").written()
        table.companion.put(UndoTurns(table.clock.now()))
        assert table.wait(0.1).played == ["@b2"]
        assert table.card.noted[-1] == (JournalEntry("back", "1"),)
        assert table.written().played == []


class TestACardThatSaysNo:
    def test_the_game_goes_on_and_everybody_is_told(self):
        table = Evening().press("b2").written(trouble=FULL)
        assert (table.played, table.session.unsaved_reason) == (["@b2"], FULL)
        assert table.press("b3").played == ["@b2", "@b3"]  # at once: nobody waits for what is not saved anyway
        assert table.card.retried
        assert table.written().session.unsaved_reason is None

    def test_it_is_asked_once_a_second_and_no_more(self):
        table = Evening().press("b2").written(trouble=FULL)
        before = table.card.retried
        table.wait(10.0)
        assert 9 <= table.card.retried - before <= 11

    def test_the_journal_remembers_that_it_could_not_write(self):
        table = Evening().press("b2").written(trouble=FULL).written()
        assert table.card.remarks == [text(FULL, Message("saving.again"))]

    @pytest.mark.slow
    def test_and_what_was_wrong_with_the_board_but_not_how_often_a_contact_came_and_went(self):
        table = Evening().press("b2").written()
        for _ in range(100):
            table.companion.put(HealthEvent(as_message("The sensors are gone."), table.clock.now()))
            table.wait(0.1).companion.put(HealthEvent(None, table.clock.now()))
            table.wait(0.1)
        assert table.card.remarks == ["The sensors are gone."] * 2

    def test_from_the_beginning(self):
        clock, card = SimulatedClock(), Card()
        card.trouble = FULL
        hands = SimulatedBoard(4, 4, clock.now)
        companion = Companion(hands.to_board(), Session.start_game(STANDARD), clock, journal=card)
        assert companion.session.unsaved_reason == FULL
        hands.touch("b2")
        companion.step()
        assert len(companion.session.turns) == 1

    def test_the_whole_board_shuts_every_four_seconds(self):
        table = Evening().press("b2").written().wait(2.0)

        def light():
            return sum(table.companion.frame.data)

        def darkest():
            return min((table.wait(1 / 30), light())[1] for _ in range(120))

        saved = darkest()
        table.written(trouble=FULL)
        assert darkest() < saved / 2


def test_the_journal_is_closed_with_the_companion():
    table = Evening()
    table.companion.close()
    assert table.card.closed


class TestOneEveningAfterTheOther:
    """The real journal, in a folder; each evening is a program of its own."""

    @pytest.fixture
    def folder(self, tmp_path):
        self.tables = []
        yield tmp_path / "state"
        for table in self.tables:
            table.companion.close()

    def sit_down(self, folder, pond=STANDARD):
        clock = SimulatedClock()
        hands = SimulatedBoard(pond.size, 4, clock.now)
        session, journal = open_with_resume_prompt(folder, Session.start_game(pond), 0.0, board="test", threaded=False)
        table = Evening.__new__(Evening)
        table.clock, table.hands, table.card = clock, hands, journal
        table.companion = Companion(hands.to_board(), session, clock, journal=journal)
        table.companion.step()
        self.tables.append(table)
        return table

    def test_what_was_played_is_offered_and_goes_on(self, folder):
        table = self.sit_down(folder).press("b2", "b3", "d4")
        table.companion.put(UndoTurns(0.0))
        table.wait(0.1).companion.close()
        table = self.sit_down(folder)
        assert (table.session.game_phase, table.played) == ("resume", ["@b2", "@b3"])
        table.press("a1", "a4").companion.close()
        table = self.sit_down(folder).press("a1")
        assert table.played == ["@b2", "@b3", "@a4"]

    def test_without_a_word_of_farewell_too(self, folder):
        table = self.sit_down(folder).press("b2", "b3")
        kept, _ = read_all_games(folder)  # as another program sees it
        assert [len(game.projection.turns) for game in kept] == [2]
        table.companion.close()

    def test_what_was_left_is_not_offered_again_and_still_kept(self, folder):
        self.sit_down(folder).press("b2").companion.close()
        table = self.sit_down(folder).press("c1")
        table.companion.close()
        table = self.sit_down(folder)
        assert (table.session.game_phase, table.played) == ("act", [])
        table.companion.close()
        kept, _ = read_all_games(folder)
        assert [(game.projection.was_left, len(game.projection.turns)) for game in kept][:1] == [(True, 1)]

    def test_nobody_has_to_choose(self, folder):
        self.sit_down(folder).press("b2").companion.close()
        for _ in range(3):
            self.sit_down(folder).wait(1.0).companion.close()
        assert self.sit_down(folder).played == ["@b2"]

    def test_another_game_leaves_the_one_before(self, folder):
        table = self.sit_down(folder).press("b2")
        table.companion.put(NewGame(VARIANTS["mini"], 0.0))
        table.wait(0.1).press("c3").companion.close()
        table = self.sit_down(folder)
        assert (table.session.variant, table.played) == (VARIANTS["mini"], ["@c3"])

    def test_a_game_that_is_over_is_not_offered(self, folder):
        table = self.sit_down(folder).press("b2")
        table.companion.put(TakeAction(Action.from_notation("@b3"), 0.0))
        table.wait(0.1)
        table.companion.put(ResignGame(0.0))
        table.wait(0.1).companion.close()
        assert self.sit_down(folder).session.game_phase == "act"

    def test_a_board_that_is_too_small_for_it_plays_its_own(self, folder):
        self.sit_down(folder, VARIANTS["big"]).press("e5").companion.close()
        table = self.sit_down(folder).press("b2")
        assert table.played == ["@b2"]
        table.companion.close()
        assert self.sit_down(folder, VARIANTS["big"]).played == ["@b2"]  # the last one that fits

    def test_two_at_once_do_not_get_into_each_others_way(self, folder):
        first = self.sit_down(folder).press("b2")
        second = self.sit_down(folder)
        in_use = Message("journal.in_use", folder=str(folder))
        assert second.session.unsaved_reason == Message("saving.failed", reason=in_use)
        assert second.press("d4").played == ["@d4"]
        first.press("b3").companion.close()
        second.wait(1.5)
        assert second.session.unsaved_reason is None
        second.companion.close()
        kept, _ = read_all_games(folder)
        assert sorted([str(turn.action) for turn in game.projection.turns] for game in kept) == [
            ["@b2", "@b3"],
            ["@d4"],
        ]

    def test_those_who_played_it_sit_down_with_it_and_with_no_other_game(self, folder):
        self.sit_down(folder).press("b2").companion.close()
        seats = SeatedPlayers((None, make_player("greedy", 1)), ("Ada", None))

        def sit_down():
            table = self.sit_down(folder)
            table.companion.resume_seats = seats
            return table

        table = sit_down().press("c1")
        assert (table.companion.players, table.companion.names) == ((None, None), (None, None))
        table.press("d4").companion.close()
        table = sit_down().press("a1").wait(3.0)
        assert (table.companion.players, table.companion.names) == seats
        assert len(table.played) == 2  # greedy has acted
        table.companion.put(NewGame(STANDARD, 3.0))
        table.wait(0.1).press("d4").companion.close()
        kept, _ = read_all_games(folder)
        assert [(game.facts["light"], game.facts["dark"]) for game in kept][-1] == ("Ada", "greedy")

    def test_nobody_waits_for_a_program_that_is_to_move_before_the_choice(self, folder):
        self.sit_down(folder).press("b2").companion.close()
        table = self.sit_down(folder)
        table.companion.players = (None, make_player("greedy", 1))
        table.press("b1", "b1", "a1")
        assert table.session.game_phase == "act"

    def test_wooden_pieces_stand_where_they_stood(self, folder):
        def sit_down():
            clock = TableClock()
            table = clock.table = SimulatedTable(4, 1, clock.now)
            start = Session.start_game(
                STANDARD, board_state=BoardState(confirmation=ConfirmationState(was_in_sync=True))
            )
            session, journal = open_with_resume_prompt(folder, start, 0.0, board="test", threaded=False)
            place_resumed_pieces(session, table)
            return table, Companion(table.to_board(), session, clock, journal=journal), clock

        def wait(companion, seconds=1.0):
            companion.run_until(companion.clock.now() + seconds)

        table, companion, _ = sit_down()
        table.drop("b2", 0)
        wait(companion)
        table.drop("b3", 1)
        wait(companion)
        companion.close()
        table, companion, _ = sit_down()
        wait(companion)
        assert (companion.session.game_phase, sorted(companion.session.board_state.occupancy.occupied_cells)) == (
            "resume",
            ["b2", "b3"],
        )
        table.drop("a1", 0)
        wait(companion)
        table.lift("a1")
        wait(companion)
        assert (companion.session.game_phase, len(companion.session.turns)) == ("act", 2)
        companion.close()


def test_labels_come_from_the_machine(tmp_path):
    session, journal = open_with_resume_prompt(
        Path(tmp_path), Session.start_game(STANDARD), 0.0, board="test", threaded=False
    )
    journal.record_step(session.after(TakeAction(Action.from_notation("@b2"), 0.0)))
    journal.close()
    ((game,), said) = read_all_games(tmp_path)
    (noted,) = game.entries
    assert (noted.entry, said) == (JournalEntry("act", "@b2"), [])
    assert isinstance(noted.timestamp, Timestamp)
    assert noted.timestamp.wall_time.endswith("+00:00")
    assert game.facts["board"] == "test"

"""Tests that a board shows only what is on disk, or reports that the game is not saved."""

from pathlib import Path

import pytest

from pond_hw.companion.durable_session import SLOW_WRITE_SECONDS
from pond_hw.companion.saved_state import open_with_resume_prompt
from pond_hw.engine import SeatedPlayers, make_player
from pond_hw.journal import Timestamp
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.stored_game import JournalEntry
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS, Action
from pond_hw.session import ChooseResume, NewGame, ResignGame, ResumeChoice, Session, TakeAction, UndoTurns
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.journal.simulated_journal import SimulatedJournal
from tests.table import Table

FULL = Message("saving.disk_full")


class SlowTable(Table):
    """A table whose journal writes only when the test tells it to."""

    def __init__(self, **options):
        super().__init__(journal=SimulatedJournal(), **options)

    def finish_writing(self, *ticket, **trouble):
        """Report that the journal has written its steps."""
        self.journal.report(*ticket, **trouble)
        self.companion.step()
        return self


class TestSlowDisk:
    def test_turn_is_shown_only_once_on_disk(self):
        table, shown = SlowTable().wait(1.0), None
        shown = table.companion.frame.colours_by_cell["b2"]
        table.touch("b2").wait(1.0)
        assert (table.played, table.companion.frame.colours_by_cell["b2"]) == ([], shown)
        table.finish_writing().wait(0.5)
        assert table.played == ["@b2"]
        assert table.companion.frame.colours_by_cell["b2"] != shown

    def test_lamps_do_not_show_unwritten_turns(self):
        table, other = SlowTable().touch("b2"), SlowTable()
        for each in (table, other):
            each.companion.display.limiter = CurrentLimiter(budget=500)
            each.wait(1.0)
        assert table.companion.frame == other.companion.frame

    def test_lamps_keep_moving_while_writing(self):
        table = SlowTable().touch("b2")
        before = table.companion.display.shown_count
        table.wait(2.0)
        assert table.companion.display.shown_count - before >= 8

    def test_press_during_save_is_applied_after_unsaved_turn(self):
        table = SlowTable().touch("b2", "b3", "d4")
        assert (table.played, table.journal.recorded[-1]) == ([], (JournalEntry("act", "@d4"),))
        assert table.finish_writing(1).played == ["@b2"]
        assert table.finish_writing(3).played == ["@b2", "@b3", "@d4"]

    def test_slow_disk_is_reported_after_three_seconds(self):
        table = SlowTable().touch("b2").wait(SLOW_WRITE_SECONDS - 0.1)
        assert (table.played, table.session.unsaved_reason) == ([], None)
        table.wait(0.2)
        assert (table.played, table.session.unsaved_reason) == (["@b2"], Message("saving.slow"))
        table.touch("b3")
        assert (table.played, table.session.unsaved_reason) == (["@b2", "@b3"], Message("saving.slow"))
        assert table.finish_writing(1).session.unsaved_reason == Message("saving.slow")  # one more is waiting
        assert table.finish_writing(2).session.unsaved_reason is None

    def test_program_sees_only_written_turns(self):
        table = SlowTable(dark=make_player("greedy", 1)).touch("b2").wait(2.0)
        assert len(table.journal.recorded) == 1
        table.finish_writing().wait(2.5)
        assert len(table.journal.recorded) == 2
        assert len(table.played) == 1
        assert len(table.finish_writing().played) == 2

    def test_undo_waits_for_the_disk(self):
        table = SlowTable().touch("b2").finish_writing()
        table.companion.put(UndoTurns(table.clock.now()))
        assert table.wait(0.1).played == ["@b2"]
        assert table.journal.recorded[-1] == (JournalEntry("back", "1"),)
        assert table.finish_writing().played == []


class TestFailingDisk:
    def test_unsaved_game_continues_with_notice(self):
        table = SlowTable().touch("b2").finish_writing(trouble=FULL)
        assert (table.played, table.session.unsaved_reason) == (["@b2"], FULL)
        assert table.touch("b3").played == ["@b2", "@b3"]  # immediately: no waiting for a failing disk
        assert table.journal.retry_count
        assert table.finish_writing().session.unsaved_reason is None

    def test_game_starts_despite_failing_disk(self):
        journal = SimulatedJournal()
        journal.trouble = FULL
        table = Table(journal=journal)
        assert table.session.unsaved_reason == FULL
        assert table.touch("b2").played == ["@b2"]

    def test_unsaved_game_darkens_board_every_four_seconds(self):
        table = SlowTable().touch("b2").finish_writing().wait(2.0)

        def light():
            return sum(table.companion.frame.data)

        def darkest():
            return min((table.wait(1 / 30), light())[1] for _ in range(120))

        saved = darkest()
        table.finish_writing(trouble=FULL)
        assert darkest() < saved / 2


def test_journal_closes_with_companion():
    table = SlowTable()
    table.close()
    assert table.journal.is_closed


class TestRestart:
    """Tests with a real journal across restarts of the program."""

    @pytest.fixture
    def folder(self, tmp_path):
        self.tables = []
        yield tmp_path / "state"
        for table in self.tables:
            table.close()

    def start(self, folder, pond="standard"):
        self.tables.append(Table(pond, folder=folder))
        return self.tables[-1]

    def test_unfinished_game_is_offered_and_resumed(self, folder):
        table = self.start(folder).touch("b2", "b3", "d4")
        table.companion.put(UndoTurns(0.0))
        table.wait(0.1).close()
        table = self.start(folder)
        assert (table.session.game_phase, table.played) == ("resume", ["@b2", "@b3"])
        table.touch("a1", "a4").close()
        table = self.start(folder).touch("a1")
        assert table.played == ["@b2", "@b3", "@a4"]

    def test_game_is_on_disk_before_close(self, folder):
        table = self.start(folder).touch("b2", "b3")
        saved_games, _ = read_all_games(folder)  # as another program reads it
        assert [len(game.projection.turns) for game in saved_games] == [2]
        table.close()

    def test_abandoned_game_is_saved_but_not_offered(self, folder):
        self.start(folder).touch("b2").close()
        table = self.start(folder).touch("c1")
        table.close()
        table = self.start(folder)
        assert (table.session.game_phase, table.played) == ("act", [])
        table.close()
        saved_games, _ = read_all_games(folder)
        assert [(game.projection.was_left, len(game.projection.turns)) for game in saved_games][:1] == [(True, 1)]

    def test_offer_is_repeated_until_answered(self, folder):
        self.start(folder).touch("b2").close()
        for _ in range(3):
            self.start(folder).wait(1.0).close()
        assert self.start(folder).played == ["@b2"]

    def test_new_game_abandons_the_previous_game(self, folder):
        table = self.start(folder).touch("b2")
        table.companion.put(NewGame(VARIANTS["mini"], 0.0))
        table.wait(0.1).touch("c3").close()
        table = self.start(folder)
        assert (table.session.variant, table.played) == (VARIANTS["mini"], ["@c3"])

    def test_finished_game_is_not_offered(self, folder):
        table = self.start(folder).touch("b2")
        table.companion.put(TakeAction(Action.from_notation("@b3"), 0.0))
        table.wait(0.1)
        table.companion.put(ResignGame(0.0))
        table.wait(0.1).close()
        assert self.start(folder).session.game_phase == "act"

    def test_small_board_does_not_offer_large_game(self, folder):
        self.start(folder, "big").touch("e5").close()
        table = self.start(folder).touch("b2")
        assert table.played == ["@b2"]
        table.close()
        assert self.start(folder, "big").played == ["@b2"]  # the last game that fits

    def test_second_program_does_not_write_until_first_closes(self, folder):
        first = self.start(folder).touch("b2")
        second = self.start(folder)
        in_use = Message("journal.in_use", folder=str(folder))
        assert second.session.unsaved_reason == Message("saving.failed", reason=in_use)
        assert second.touch("d4").played == ["@d4"]
        first.touch("b3").close()
        second.wait(1.5)
        assert second.session.unsaved_reason is None
        second.close()
        saved_games, _ = read_all_games(folder)
        assert sorted([str(turn.action) for turn in game.projection.turns] for game in saved_games) == [
            ["@b2", "@b3"],
            ["@d4"],
        ]

    def test_players_return_only_with_their_game(self, folder):
        self.start(folder).touch("b2").close()
        seats = SeatedPlayers((None, make_player("greedy", 1)), ("Ada", None))

        def start():
            table = self.start(folder)
            table.companion.resuming_players = seats
            return table

        table = start().touch("c1")
        assert table.companion.seated == SeatedPlayers()
        table.touch("d4").close()
        table = start().touch("a1").wait(3.0)
        assert table.companion.seated == seats
        assert len(table.played) == 2  # greedy has acted
        table.companion.put(NewGame(STANDARD, 3.0))
        table.wait(0.1).touch("d4").close()
        saved_games, _ = read_all_games(folder)
        assert [(game.facts["light"], game.facts["dark"]) for game in saved_games][-1] == ("Ada", "greedy")

    def test_program_does_not_move_before_resume_choice(self, folder):
        self.start(folder).touch("b2").close()
        table = self.start(folder)
        table.companion.seated = SeatedPlayers((None, make_player("greedy", 1)))
        table.touch("b1", "b1", "a1")
        assert table.session.game_phase == "act"

    def test_pieces_are_restored_on_resume(self, folder):
        options = PieceOptions()
        table = Table(folder=folder, pieces=options)
        table.hands.drop("b2", 0)
        table.wait(1.0).hands.drop("b3", 1)
        table.wait(1.0).close()
        table = Table(folder=folder, pieces=options).wait(1.0)
        occupied_cells = table.session.board_state.occupancy.occupied_cells
        assert (table.session.game_phase, sorted(occupied_cells)) == ("resume", ["b2", "b3"])
        table.hands.drop("a1", 0)
        table.wait(1.0).hands.lift("a1")
        table.wait(1.0)
        assert (table.session.game_phase, len(table.session.turns)) == ("act", 2)
        table.close()

    def test_wrong_owners_are_reported_after_power_cut(self, folder, monkeypatch):
        owners = PieceOptions(colours=True)
        table = Table(folder=folder, pieces=owners)
        for cell, side in (("b2", LIGHT), ("c4", DARK), ("d1", LIGHT)):
            table.hands.drop(cell, side)
            table.wait(1.0)
        assert table.played == ["@b2", "@c4", "@d1"]  # then the power is cut

        def place_wrongly(_, hands):
            for cell, side in (("b2", DARK), ("c4", LIGHT), ("d1", LIGHT)):
                hands.drop(cell, side)

        table.close()
        monkeypatch.setattr("tests.table.place_resumed_pieces", place_wrongly)
        table = Table(folder=folder, pieces=owners).wait(1.0)
        assert table.session.game_phase == "resume"
        table.send(ChooseResume, choice=ResumeChoice.RESUME).wait(1.0)
        assert table.session.messages[:3] == (
            Message("mismatch.differs"),
            Message("mismatch.wrong_owner", cell="b2", side="dark", expected="light"),
            Message("mismatch.wrong_owner", cell="c4", side="light", expected="dark"),
        )
        while step := table.session.view.occupancy.repair_step:
            if step.source:
                table.hands.lift(step.source)
            if step.target:
                table.hands.drop(step.target, LIGHT if step.target == "b2" else DARK)
            else:
                table.hands.put_aside()
            table.wait(1.0)
        assert {cell: piece.owner for cell, piece in table.hands.standing_pieces.items()} == {
            "b2": LIGHT,
            "c4": DARK,
            "d1": LIGHT,
        }
        assert (table.session.game_phase, len(table.session.turns)) == ("act", 3)
        table.close()

    def test_single_wrong_owner_is_reported_after_power_cut(self, folder):
        owners = PieceOptions(colours=True)
        table = Table(folder=folder, pieces=owners)
        table.hands.drop("b2", LIGHT)
        table.wait(1.0).close()
        table = Table(folder=folder, pieces=owners)
        table.hands.lift("b2")
        table.hands.put_aside()
        table.hands.drop("b2", DARK)
        table.send(ChooseResume, choice=ResumeChoice.RESUME).wait(1.0)
        assert Message("mismatch.wrong_owner", cell="b2", side="dark", expected="light") in table.session.messages
        assert table.session.view.occupancy.repair_step == ("b2", None)
        table.close()


def test_journal_timestamps_and_facts(tmp_path):
    session, journal = open_with_resume_prompt(
        Path(tmp_path), Session.start_game(STANDARD), 0.0, board="test", threaded=False
    )
    journal.record_step(session.after(TakeAction(Action.from_notation("@b2"), 0.0)))
    journal.close()
    ((game,), notices) = read_all_games(tmp_path)
    (noted,) = game.entries
    assert (noted.entry, notices) == (JournalEntry("act", "@b2"), [])
    assert isinstance(noted.timestamp, Timestamp)
    assert noted.timestamp.wall_time.endswith("+00:00")
    assert game.facts["board"] == "test"

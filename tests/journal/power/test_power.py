"""Kills, failing calls and power loss during an evening lose nothing that was confirmed."""

import errno
from random import Random

import pytest

from pond_hw.journal import store
from pond_hw.journal.store import JournalStore, create_file
from tests.conftest import long_after_first
from tests.journal.power import __main__ as command
from tests.journal.power.campaign import (
    ERRORS,
    PAGES,
    Failure,
    Players,
    PowerLossSimulator,
    Results,
    fail_calls,
    kill_at_each_call,
    kill_processes,
    output_lines,
    record_evening,
)
from tests.journal.power.check import JOURNAL, Bounds, bounds, judge, write_files
from tests.journal.power.player import evening, expect_games
from tests.journal.power.tracer import TRACER_OBSTACLE
from tests.journal.power.whole_program import kill_whole_program
from tests.journal.projections import project_session

pytestmark = pytest.mark.skipif(bool(TRACER_OBSTACLE), reason=str(TRACER_OBSTACLE))


@pytest.fixture(scope="module")
def players():
    with Players() as players:
        yield players


@pytest.fixture(scope="module")
def recording(players):
    """An evening with a checkpoint every few turns."""
    return record_evening(players, 1, PAGES[0])


def test_game_night_contains_all_event_kinds():
    sessions = [session for seed in range(10) for session in evening(seed)]
    projections = [project_session(session) for session in sessions]
    assert any(projection.undone_turns for projection in projections)
    assert any(projection.declared_outcome for projection in projections)
    assert any(projection.outcome and not projection.declared_outcome for projection in projections)
    libraries = expect_games(evening(1)).libraries
    assert [projection.was_left for projection in libraries[-1]] == [False, True, True]


def test_bounds_follow_from_reported_lines():
    plan = expect_games(evening(1))
    assert bounds(plan, []) == Bounds(0, 1)
    assert bounds(plan, ["opened ", "confirmed 1"]) == Bounds(1, 2)
    assert bounds(plan, ["confirmed 1", "trouble 2 Not saved: …"]) == Bounds(1, 3)
    assert bounds(plan, ["confirmed 1", "trouble 2 Not saved: …", "confirmed 3"]) == Bounds(3, 4)
    assert bounds(plan, [f"confirmed {len(plan.least) - 1}", "done"]) == Bounds(*[len(plan.libraries) - 1] * 2)


def test_every_step_is_confirmed(recording):
    steps = [line for line in output_lines(recording.calls) if line.startswith("confirmed")]
    assert steps == [f"confirmed {n}" for n in range(1, len(recording.expected.least))] + steps[-1:]
    assert not [call for call in recording.calls if call.error not in (0, errno.ENOENT) or call.kind == "other"]


@pytest.mark.long
def test_kill_loses_no_confirmed_step(players):
    found = kill_at_each_call(players, 2, PAGES[0], every=9)
    found.add(kill_processes(players, 2, [1, 40, 333], PAGES[0]))
    assert not found.faults
    assert found.counts["points"] > 30
    assert found.counts["real kills"] == 3


@pytest.mark.slow
def test_power_loss_loses_no_confirmed_step(players, recording):
    power = PowerLossSimulator(players, 1, deep=100)
    power.simulate_losses(recording, 2, "evening 1", every=8)
    power.simulate_losses_after_kills(recording, 1, "evening 1", {100, 200, 300}, every=8)
    assert not power.results.faults
    assert power.results.counts["states at depth 1"] > 20
    assert power.results.counts["states at depth 2"] > 2


@pytest.mark.slow
@pytest.mark.parametrize("end", long_after_first([".db", ".", "-wal", ".new", "games/pond", "games"], 2))
def test_leaving_out_any_sync_is_detected(players, recording, end, monkeypatch):
    """Every kind of sync is necessary when nothing can be salvaged from damaged files."""
    monkeypatch.setattr(store, "salvage_games", lambda path: iter(()))
    calls = [call for call in recording.calls if not (call.kind == "sync" and call.path.endswith(end))]
    assert len(calls) < len(recording.calls)
    power = PowerLossSimulator(players, 1, stop=True)
    power.simulate_losses(recording._replace(calls=calls), 6, "evening 1")
    assert power.results.faults


def test_first_page_may_be_garbage_during_a_checkpoint(players, recording):
    """The power fails while the first page of the database is being written, but the log still has it."""
    brought_in = [
        number
        for number, call in enumerate(recording.calls)
        if call.kind == "write" and call.path.endswith("journal-1.db") and call.offset == 0
    ]
    disk, plan = recording.disk(), recording.expected
    for call in recording.calls[: brought_in[-1]]:
        disk.apply(call)
    files = disk.seen()
    path = "games/pond/journal-1.db"
    said = output_lines(recording.calls[: brought_in[-1]])
    for damaged in (Random(1).randbytes(4096), bytes(4096)):
        torn = {**files, path: damaged + files[path][4096:]}
        assert players.bench.judge(torn, plan.libraries, bounds(plan, said), again=True).fault is None


@pytest.mark.slow
@pytest.mark.parametrize("error", long_after_first([*ERRORS, "short"]))
def test_failed_call_is_reported_and_retried_later(players, error):
    found, rng = Results(), Random(error)
    for number in rng.sample(range(380), 2):
        found.add(fail_calls(players, 0, Failure(error, number))[0])
    if error in ("ENOSPC", "EIO"):
        found.add(fail_calls(players, 0, Failure(error, rng.randrange(200), 60))[0])
    assert not found.faults
    assert found.counts[f"{error} failed"]


@pytest.mark.slow
@pytest.mark.parametrize("only", [".db-wal", ".db-shm"])
def test_long_failure_creates_few_files(players, only):
    found, _ = fail_calls(players, 0, Failure("EIO", 5, 60, only))
    assert not found.faults
    assert found.counts["most files"] <= 2


@pytest.mark.long
def test_replacement_file_contains_the_whole_game(players):
    """The log cannot be synced, the game continues in a new file, and then the power fails."""
    syncs = Failure("EIO", 9, 1, ".db-wal")
    found, recording = fail_calls(players, 0, syncs, PAGES[0])
    assert not found.faults
    power = PowerLossSimulator(players, 3)
    power.simulate_losses(recording, 2, f"evening 0, {syncs}", every=7)
    assert not power.results.faults
    assert any(call.path.endswith("journal-2.db") for call in recording.calls)


@pytest.mark.long
def test_failed_folder_sync_is_reported(players):
    """The content of the log is durable, but its name is not."""
    power = PowerLossSimulator(players, 3)
    for number in range(4, 7):
        failure = Failure("EIO", number, 1, "games/pond")
        found, recording = fail_calls(players, 0, failure)
        assert not found.faults
        power.simulate_losses(recording._replace(calls=recording.calls[:100]), 3, f"evening 0, {failure}", every=2)
    assert not power.results.faults


def test_game_from_an_older_file_is_copied_whole(tmp_path, recording):
    """The power failed when a new file had just been created and was still empty."""
    calls, disk = recording.calls[:200], recording.disk()
    for call in calls:
        disk.apply(call)
    write_files(tmp_path, disk.seen())
    create_file(tmp_path / JOURNAL / "journal-2.db")
    plan = recording.expected
    assert judge(tmp_path, plan.libraries, bounds(plan, output_lines(calls)), again=True).fault is None
    (saved,) = JournalStore(tmp_path / JOURNAL / "journal-2.db").stored_games
    assert len(saved.projection.turns) > 10


@pytest.mark.slow
def test_command_line_errors_are_reported(capsys):
    with pytest.raises(SystemExit):
        command.main([])
    assert "choose at least one of --states, --kills, --games and --errors" in capsys.readouterr().err


@pytest.mark.long
def test_long_campaign_finds_no_fault(capsys):
    assert command.main(["--states", "4000", "--kills", "1", "--jobs", "2", "--seed", "77"]) == 0
    output = capsys.readouterr().out
    assert "states at depth 3" in output
    assert "FAILED" not in output


@pytest.mark.slow
def test_killed_program_loses_no_reported_state(tmp_path):
    results = kill_whole_program(3, tmp_path, every=24)
    assert results.faults == []
    assert results.counts["points"] > 7

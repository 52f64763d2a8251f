"""Times of a saved game: doubtful dates, and playing time."""

from datetime import UTC, datetime

from pond_hw.journal import Timestamp, game_times
from pond_hw.journal.stored_game import JournalEntry, TimestampedEntry, replay_game


def game(uid, *labels):
    """Build a game with an entry for each (boot, seconds since boot, minutes after 19:00)."""
    entries = ["act @b2", "act @b3", "act @d4", "act @a1"]
    timestamped = [
        TimestampedEntry(
            JournalEntry(*what.split(" ", 1)),
            Timestamp(boot, since, datetime(2026, 5, 4, 19, at, tzinfo=UTC).isoformat()),
        )
        for what, (boot, since, at) in zip(entries, labels, strict=False)
    ]
    return replay_game(uid, {"variant": "standard"}, timestamped)


def test_date_out_of_order_is_doubtful():
    games = [game(str(n), ("", 0.0, at)) for n, at in enumerate([1, 2, 50, 3, 4, 0, 5])]
    assert game_times.find_doubtful_dates(games) == {"2", "5"}


def test_date_before_the_program_existed_is_doubtful():
    timestamped = [TimestampedEntry(JournalEntry("act", "@b2"), Timestamp("", 0.0, "1970-01-01T00:00:07+00:00"))]
    games = [replay_game("old", {"variant": "mini"}, timestamped), game("new", ("", 0.0, 1))]
    assert game_times.find_doubtful_dates(games) == {"old"}


def test_date_with_a_clock_change_is_doubtful():
    games = [game("set", ("a", 10.0, 1), ("a", 70.0, 20)), game("slow", ("a", 100.0, 21), ("b", 5.0, 40))]
    assert game_times.find_doubtful_dates(games) == {"set"}


def test_playing_time_follows_the_monotonic_clock():
    assert game_times.playing_seconds(game("", ("a", 10.0, 1), ("a", 70.0, 50), ("a", 90.0, 0))) == 80.0


def test_playing_time_leaves_out_restarts_and_long_breaks():
    assert (
        game_times.playing_seconds(game("", ("a", 10.0, 1), ("b", 70.0, 2), ("b", 100.0, 3), ("b", 9999.0, 4))) == 30.0
    )


def test_playing_time_leaves_out_time_before_resuming():
    labels = [Timestamp("a", at, "2026-05-04T19:00:00+00:00") for at in (0.0, 50.0, 60.0)]
    entries = [JournalEntry("act", "@b2"), JournalEntry("resume"), JournalEntry("act", "@b3")]
    assert (
        game_times.playing_seconds(replay_game("", {"variant": "mini"}, list(map(TimestampedEntry, entries, labels))))
        == 10.0
    )
